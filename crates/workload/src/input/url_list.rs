//! Lists of URLs, one on every line.

use super::requests::Request;

/// Reads one line. Blanks within a URL are wrong but common, and change nothing here.
pub(super) fn parse(line: &str) -> Result<Request, &'static str> {
    let url = line.trim();
    if url.contains(char::is_control) {
        return Err("a URL has no control characters");
    }
    // What comes after a hash sign never leaves the client.
    let (url, _) = url.split_once('#').unwrap_or((url, ""));
    let mut request = Request {
        // A list has nothing but URLs: each is a GET request.
        method: "GET".to_owned(),
        version: "HTTP/1.1".to_owned(),
        ..Request::default()
    };
    request.set_url(url);
    Ok(request)
}

/// Whether a line is one of a list of URLs.
pub(super) fn is_line(line: &str) -> bool {
    let line = line.trim();
    let is_scheme = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let has_scheme = line.split_once("://").is_some_and(|(before, _)| is_scheme(before));
    parse(line).is_ok() && (has_scheme || line.starts_with('/'))
}
