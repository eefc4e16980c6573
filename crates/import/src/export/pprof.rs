//! The call sites of a trace as a profile for `go tool pprof` and what else reads its format.
//!
//! ```text
//!   site  "copy (text.c:4) < serve (main.c:9)"  ──▶  sample ──▶ locations ──▶ functions ──▶ strings
//!                                                    4 values   each frame once, the innermost first
//! ```
//!
//! | value | unit | of a site |
//! |---|---|---|
//! | `alloc_objects` | count | requests |
//! | `alloc_space` | bytes | asked for in all |
//! | `inuse_space` | bytes | live when most of the trace was live |
//! | `leaked_space` | bytes | never freed |
//!
//! A profile is a message of protocol buffers, not compressed. Cost: linear in the frames of all sites.
//! Source: `proto/profile.proto` of github.com/google/pprof.

use std::collections::HashMap;

use heapsmith_trace::SiteShare;

/// The kinds of values, with their units.
const VALUES: [(&str, &str); 4] =
    [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_space", "bytes"), ("leaked_space", "bytes")];
/// The value that a viewer begins with.
const FIRST: &str = "inuse_space";

/// Fields of a profile.
const SAMPLE_TYPE: u64 = 1;
const SAMPLE: u64 = 2;
const LOCATION: u64 = 4;
const FUNCTION: u64 = 5;
const STRING: u64 = 6;
const DEFAULT_SAMPLE_TYPE: u64 = 14;

/// The profile of sites, whose frames are apart by ` < `, the innermost first.
pub fn pprof(sites: &[SiteShare]) -> Vec<u8> {
    let mut profile = Message::default();
    let mut strings = Numbered::default();
    let mut locations = Numbered::default();
    // The first string is empty: 0 says that there is none.
    strings.number("");
    for (kind, unit) in VALUES {
        let kind = Message::default().varint(1, strings.number(kind)).varint(2, strings.number(unit));
        profile = profile.message(SAMPLE_TYPE, &kind);
    }
    for site in sites {
        let frames = site.name.split(" < ").fold(Message::default(), |sample, frame| {
            // Numbers of locations count from 1.
            sample.varint(1, locations.number(frame) + 1)
        });
        let values = [site.requests, site.requested.0, site.live_at_peak.0, site.live_at_end.0];
        profile = profile.message(SAMPLE, &values.into_iter().fold(frames, |sample, value| sample.varint(2, value)));
    }
    for (id, text) in (1..).zip(&locations.texts) {
        let (name, file, line) = frame(text);
        let function = Message::default().varint(1, id).varint(2, strings.number(name)).varint(4, strings.number(file));
        let line = Message::default().varint(1, id).varint(2, line);
        let location = Message::default().varint(1, id).message(4, &line);
        profile = profile.message(LOCATION, &location).message(FUNCTION, &function);
    }
    let first = strings.number(FIRST);
    let named = strings.texts.iter().fold(profile, |profile, text| profile.bytes(STRING, text.as_bytes()));
    named.varint(DEFAULT_SAMPLE_TYPE, first).0
}

/// The function, the file or module, and the line of a frame such as `copy (text.c:4)`; what is not known is empty or 0.
fn frame(text: &str) -> (&str, &str, u64) {
    let Some((name, place)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) else {
        return (text, "", 0);
    };
    let line = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    line.map_or((name, place, 0), |(file, line)| (name, file, line))
}

/// Texts, each with its number: the first that asked for it.
#[derive(Default)]
struct Numbered<'t> {
    texts: Vec<&'t str>,
    numbers: HashMap<&'t str, u64>,
}

impl<'t> Numbered<'t> {
    fn number(&mut self, text: &'t str) -> u64 {
        let next = self.texts.len() as u64;
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.texts.push(text);
        }
        number
    }
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(mut self, mut value: u64) -> Message {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    fn varint(self, field: u64, value: u64) -> Message {
        self.number(field << 3).number(value)
    }

    fn bytes(self, field: u64, bytes: &[u8]) -> Message {
        let mut message = self.number(field << 3 | 2).number(bytes.len() as u64);
        message.0.extend(bytes);
        message
    }

    fn message(self, field: u64, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::Bytes;

    use super::*;

    /// The fields of a message: numbers, and bytes.
    fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
        let number = |bytes: &mut &[u8]| {
            let end = bytes.iter().position(|byte| byte & 0x80 == 0).expect("a number ends");
            let (own, rest) = bytes.split_at(end + 1);
            *bytes = rest;
            own.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
        };
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let (tag, value) = (number(&mut bytes), number(&mut bytes));
            let (own, rest) = bytes.split_at(if tag & 7 == 2 { value as usize } else { 0 });
            bytes = rest;
            found.push((tag >> 3, value, own));
        }
        found
    }

    #[test]
    fn every_site_is_a_sample_with_its_frames_innermost_first() {
        let site = |name: &str, requests| SiteShare {
            name: name.to_owned(),
            requests,
            allocations: requests,
            requested: Bytes(300),
            live_at_peak: Bytes(200),
            live_at_end: Bytes(1 << 40),
            blocks_at_end: 3,
            share: 0.5,
        };
        let sites = [site("copy (text.c:4) < serve (main.c:9)", 7), site("read (libc.so) < serve (main.c:9)", 8)];
        let profile = pprof(&sites);
        let all = fields(&profile);
        let of = |field: u64| all.iter().filter(move |found| found.0 == field).map(|found| found.2);
        let strings: Vec<&str> = of(STRING).map(|text| std::str::from_utf8(text).expect("text")).collect();
        assert_eq!(strings[0], "");
        let kinds: Vec<&str> = of(SAMPLE_TYPE).map(|kind| strings[fields(kind)[0].1 as usize]).collect();
        assert_eq!(kinds, VALUES.map(|(kind, _)| kind));
        assert_eq!(all.last().map(|last| strings[last.1 as usize]), Some(FIRST));
        let functions: Vec<_> = of(FUNCTION).map(fields).collect();
        let lines: Vec<_> = of(LOCATION).map(|location| fields(fields(location)[1].2)).collect();
        let frame = |id: u64| {
            let line = &lines[id as usize - 1];
            let function = &functions[line[0].1 as usize - 1];
            (strings[function[1].1 as usize], strings[function[2].1 as usize], line[1].1)
        };
        let samples: Vec<_> = of(SAMPLE).map(fields).collect();
        let values = |sample: &[(u64, u64, &[u8])]| sample[2..].iter().map(|value| value.1).collect::<Vec<_>>();
        let frames = |sample: &[(u64, u64, &[u8])]| [frame(sample[0].1), frame(sample[1].1)];
        assert_eq!(frames(&samples[0]), [("copy", "text.c", 4), ("serve", "main.c", 9)]);
        assert_eq!(frames(&samples[1]), [("read", "libc.so", 0), ("serve", "main.c", 9)]);
        assert_eq!(values(&samples[0]), [7, 300, 200, 1 << 40]);
        assert_eq!(lines.len(), 3, "a frame of two sites is one location");
    }

    #[test]
    fn what_a_frame_does_not_say_is_left_out() {
        assert_eq!(frame("unit"), ("unit", "", 0));
        assert_eq!(frame("f(int) const (a b.cpp:12)"), ("f(int) const", "a b.cpp", 12));
        assert_eq!(frame("main+0x1d"), ("main+0x1d", "", 0));
    }
}
