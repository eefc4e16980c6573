//! Requests to web servers, whatever they were read from.

use heapsmith_trace::Nanoseconds;

use super::format::{Format, Input};
use super::lines::Lines;
use super::{http, log, tab_log, url_list};
use crate::error::LoadError;

/// A request of the source; what the source leaves out is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// Since the first request, if the source has times.
    pub time: Option<Nanoseconds>,
    /// `GET`, `POST`, …
    pub method: String,
    /// The server's name, if the source has it.
    pub host: String,
    /// Path and query.
    pub target: String,
    /// `HTTP/1.0`, …
    pub version: String,
    /// Bytes of the reply.
    pub reply: Option<u64>,
}

impl Request {
    /// Takes a URL apart into host and target; one without a host is all target.
    pub fn set_url(&mut self, url: &str) {
        let after_scheme = url.split_once("://").map(|(_, rest)| rest);
        let (host, target) = match after_scheme {
            Some(rest) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
            None => ("", url),
        };
        self.host = host.to_owned();
        self.target = if target.is_empty() { "/" } else { target }.to_owned();
    }

    /// Reads a request line: method, URL, version. A log also holds what was no request at
    /// all; its words are taken as far as there are.
    pub fn set_line(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some(method), Some(url)) => {
                self.method = method.to_owned();
                self.set_url(url);
                self.version = words.next_back().unwrap_or("").to_owned();
            }
            (Some(url), None) => self.set_url(url),
            (None, _) => {}
        }
    }
}

/// Reads the requests of a log, a list or a capture.
pub(crate) fn requests(input: Input, keep_damaged: bool) -> Result<Vec<Request>, LoadError> {
    let Input { path, format, reader } = input;
    let mut what = "requests";
    let mut requests = match format {
        Format::Capture => {
            what = "HTTP requests in what was captured of its packets";
            http::requests(&path, reader, keep_damaged)?
        }
        _ => {
            let mut lines = Lines::new(&path, reader, keep_damaged);
            match format {
                Format::TabLog => tab_log::requests(&mut lines)?,
                Format::UrlList => each_line(&mut lines, url_list::parse)?,
                _ => each_line(&mut lines, log::parse)?,
            }
        }
    };
    if requests.is_empty() {
        return Err(LoadError::Nothing { path, what });
    }
    count_from_first(&mut requests);
    Ok(requests)
}

fn each_line(lines: &mut Lines, parse: fn(&str) -> Result<Request, &'static str>) -> Result<Vec<Request>, LoadError> {
    let mut requests = Vec::new();
    while let Some(line) = lines.next_line()? {
        match parse(line) {
            Ok(request) => requests.push(request),
            Err(cause) => lines.refuse(cause)?,
        }
    }
    Ok(requests)
}

/// Makes times count from the first, and never go backwards.
fn count_from_first(requests: &mut [Request]) {
    let first = requests.iter().find_map(|request| request.time);
    let first = first.unwrap_or_default();
    let mut latest = Nanoseconds(0);
    for time in requests.iter_mut().filter_map(|request| request.time.as_mut()) {
        latest = latest.max(time.since(first));
        *time = latest;
    }
}
