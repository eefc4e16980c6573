//! HTTP requests inside a packet capture.
//!
//! A request is seen where a TCP segment begins with a request line; the server's bytes up
//! to the client's next request on that connection count as the reply. Requests cut in two
//! by segment borders are read as far as their first segment goes.

use std::collections::HashMap;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;

use super::capture;
use super::frame::{Endpoints, take_apart};
use super::requests::Request;
use crate::error::LoadError;

const METHODS: [&str; 9] = ["GET ", "POST ", "HEAD ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "TRACE ", "CONNECT "];
const TCP: u8 = 6;

/// Reads the requests of a capture.
pub(super) fn requests(path: &Path, reader: Box<dyn BufRead>, keep_damaged: bool) -> Result<Vec<Request>, LoadError> {
    let mut requests: Vec<Request> = Vec::new();
    // The latest request of every connection, by its direction from client to server.
    let mut latest: HashMap<Endpoints, usize> = HashMap::new();
    capture::read(path, reader, keep_damaged, &mut |captured| {
        let frame = take_apart(captured.link, captured.original, captured.data);
        if !matches!(frame.ends, Endpoints::Internet { protocol: TCP, .. }) {
            return ControlFlow::Continue(());
        }
        if let Some(mut request) = request(frame.captured) {
            request.time = Some(captured.time);
            request.reply = Some(0);
            latest.insert(frame.ends, requests.len());
            requests.push(request);
        } else if let Some(&answered) = latest.get(&frame.ends.reversed())
            && let Some(reply) = &mut requests[answered].reply
        {
            *reply += u64::from(frame.payload);
        }
        ControlFlow::Continue(())
    })?;
    Ok(requests)
}

/// The request at the beginning of a segment, if there is one.
fn request(segment: &[u8]) -> Option<Request> {
    if !METHODS.iter().any(|method| segment.starts_with(method.as_bytes())) {
        return None;
    }
    let text = String::from_utf8_lossy(segment);
    let mut lines = text.split("\r\n");
    let line = lines.next().unwrap_or_default();
    let mut words = line.split(' ').skip(1);
    words.next().filter(|url| !url.is_empty())?;
    // A line that the capture cut off may lack its version and is a request all the same;
    // what merely begins with the same letters continues in another way.
    let version = words.next().unwrap_or_default();
    let is_version = version.starts_with("HTTP/") || "HTTP/".starts_with(version);
    if !is_version || words.next().is_some() {
        return None;
    }
    let mut request = Request::default();
    request.set_line(line);
    let mut headers = lines.take_while(|line| !line.is_empty());
    let host = headers.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    if let Some(host) = host {
        request.host = host.to_owned();
    }
    Some(request)
}
