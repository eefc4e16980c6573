use super::tokens::{Kind, header_length, tokens};
use super::*;
use crate::input::Request;

fn request(line: &str) -> Request {
    let mut request = Request::default();
    request.set_line(line);
    request
}

fn texts(line: &str) -> Vec<String> {
    let request = request(line);
    tokens(&request).iter().map(|(_, text)| (*text).to_owned()).collect()
}

#[test]
fn requests_are_cut_into_tokens() {
    assert_eq!(
        texts("GET /images/logo.gif?size=2 HTTP/1.0"),
        ["GET", "images", "logo", "gif", "size", "2", "HTTP/1.0"]
    );
    assert_eq!(texts("GET http://www.example.com/a//b/ HTTP/1.1"), ["GET", "www.example.com", "a", "b", "HTTP/1.1"]);
    assert_eq!(texts("GET / HTTP/1.0"), ["GET", "HTTP/1.0"]);
    assert_eq!(texts("https://"), [""; 0]);
    assert_eq!(header_length(&request("GET / HTTP/1.0")), "GET / HTTP/1.0\r\n".len() as u64);
}

#[test]
fn the_longest_pattern_decides_the_server() {
    let mut requests = vec![request("GET /shuttle/a.gif HTTP/1.0"); 3];
    requests.extend(vec![request("GET /images/b.gif HTTP/1.0"); 2]);
    let table = Table::learn(&requests, 64, 8);
    let texts: Vec<&str> = table.patterns.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, ["gif", "shuttle", "images"]);
    let route = |line| table.route(&tokens(&request(line)));
    assert_eq!(route("GET /shuttle/x.gif HTTP/1.0"), 1);
    assert_eq!(route("GET /images/x.gif HTTP/1.0"), 2);
    assert_eq!(route("GET /other/x.gif HTTP/1.0"), 0);
    assert_eq!(route("GET /other/shuttle/x.txt HTTP/1.0"), 0);
    assert_eq!(table.patterns[0].kind, Kind::Ending);
}

#[test]
fn the_automatic_rate_keeps_the_concurrency() {
    let requests = vec![Request { reply: Some(1000), ..request("GET /a HTTP/1.0") }; 1001];
    let schedule = Schedule::of(&requests, None, 16, 8192);
    // A request a millisecond for a second, 16 in flight: each takes 16 ms for 8000 bits.
    assert_eq!(schedule.client_rate(), 500_500);
    let (time, done) = schedule.flight(10, &requests[10]);
    assert_eq!((time.0, done.0), (10_000_000, 25_984_015));
}
