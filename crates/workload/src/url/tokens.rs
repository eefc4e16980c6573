//! A request cut into tokens.

use crate::input::Request;

/// What a token is of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Method,
    Host,
    /// A folder on the way; the number is how deep it lies.
    Folder(u32),
    /// The last part of the path, without its ending.
    Name,
    /// What follows the last dot of the last part.
    Ending,
    /// The name or the value of a query parameter.
    Query,
    Version,
}

/// The tokens of a request in the order of its text; empty ones are none.
///
/// ```text
///   GET /images/logo.gif?size=2 HTTP/1.0
///   GET · images · logo · gif · size · 2 · HTTP/1.0
/// ```
pub(super) fn tokens(request: &Request) -> Vec<(Kind, &str)> {
    let mut tokens = vec![(Kind::Method, request.method.as_str()), (Kind::Host, request.host.as_str())];
    let (path, query) = match request.target.split_once('?') {
        Some((path, query)) => (path, query),
        None => (request.target.as_str(), ""),
    };
    let (folders, last) = path.rsplit_once('/').unwrap_or(("", path));
    let folders = folders.split('/').filter(|folder| !folder.is_empty());
    tokens.extend((0..).map(Kind::Folder).zip(folders));
    match last.rsplit_once('.') {
        Some((name, ending)) => tokens.extend([(Kind::Name, name), (Kind::Ending, ending)]),
        None => tokens.push((Kind::Name, last)),
    }
    let queries = query.split(['&', '=', ';']);
    tokens.extend(queries.map(|part| (Kind::Query, part)));
    tokens.push((Kind::Version, request.version.as_str()));
    tokens.retain(|(_, text)| !text.is_empty());
    tokens
}

/// The length of the header as a client sends it: the request line, and the host's if the
/// host is known, each with its line end.
pub(super) fn header_length(request: &Request) -> u64 {
    let line = [&request.method, &request.target, &request.version];
    let line: usize = line.iter().map(|word| word.len() + 1).sum::<usize>() + 1;
    let host = match request.host.len() {
        0 => 0,
        length => "Host: \r\n".len() + length,
    };
    (line + host) as u64
}
