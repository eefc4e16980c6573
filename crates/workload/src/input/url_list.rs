//! Lists of URLs, one on every line.

use super::requests::Request;

/// Reads one line.
pub(super) fn parse(line: &str) -> Result<Request, &'static str> {
    let url = line.trim();
    if url.contains(char::is_whitespace) {
        return Err("a URL has no blanks");
    }
    let mut request = Request {
        // A list tells nothing but URLs; fetching them is what one would do with them.
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
    let printable = !line.contains(|c: char| c.is_whitespace() || c.is_control());
    printable && (line.contains("://") || line.starts_with('/'))
}
