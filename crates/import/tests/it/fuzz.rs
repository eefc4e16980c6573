//! Whatever the bytes, importing ends with a valid trace or an error: no panic, and no more
//! memory than the file's length allows.
//!
//! `cargo xtask fuzz importers` runs the same for longer, with other files.

use crate::made::{self, all, file};
use heapsmith_import::importers;
use heapsmith_trace::{Event, PackedTrace, Sink, Trace, TraceError};
use proptest::prelude::*;
use proptest::sample::Index;

/// Takes a trace, and counts its events against the bytes that it came from.
struct Bounded {
    trace: Trace,
    max: usize,
}

impl Sink for Bounded {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        assert!(self.trace.events.len() < self.max, "more events than bytes");
        self.trace.take(event)
    }
}

/// Imports by content and by every importer, with damage refused and kept.
fn survive(bytes: &[u8]) {
    let (_folder, path) = file(bytes);
    let named = importers().iter().map(Some);
    for importer in named.chain([None]) {
        for keep_damaged in [false, true] {
            let mut sink = Bounded { trace: Trace::default(), max: bytes.len() + 2 };
            if heapsmith_import::import(&path, importer, keep_damaged, &mut sink).is_ok_and(|told| told.is_some()) {
                PackedTrace::new(&sink.trace).expect("what is imported is valid");
            }
        }
    }
}

/// A change to a file.
#[derive(Debug, Clone)]
enum Change {
    Flip(Index, u8),
    Cut(Index),
    Repeat(Index, usize),
    Drop(Index, usize),
    Insert(Index, Vec<u8>),
}

fn change() -> impl Strategy<Value = Change> {
    let digits = "(0x)?[0-9a-f]{1,24}|-1|[ \n,():+<>=\\-]{1,4}|[a-z]{1,9}";
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, bits)| Change::Flip(at, bits)),
        any::<Index>().prop_map(Change::Cut),
        (any::<Index>(), 1_usize..80).prop_map(|(at, length)| Change::Repeat(at, length)),
        (any::<Index>(), 1_usize..20).prop_map(|(at, length)| Change::Drop(at, length)),
        (any::<Index>(), digits).prop_map(|(at, text)| Change::Insert(at, text.into_bytes())),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let span = |at: &Index, count: usize| at.index(length)..(at.index(length) + count).min(length);
        match change {
            Change::Flip(at, bits) => bytes[at.index(length)] ^= bits,
            Change::Cut(at) => bytes.truncate(at.index(length)),
            Change::Repeat(at, count) => {
                let part = bytes[span(at, *count)].to_vec();
                bytes.splice(at.index(length)..at.index(length), part);
            }
            Change::Drop(at, count) => drop(bytes.drain(span(at, *count))),
            Change::Insert(at, text) => drop(bytes.splice(at.index(length)..at.index(length), text.iter().copied())),
        }
    }
    bytes
}

proptest! {
    #[test]
    fn changed_files_make_no_panic(file in 0..all().len(), changes in proptest::collection::vec(change(), 1..6)) {
        survive(&changed(all()[file].good.clone(), &changes));
    }

    #[test]
    fn random_bytes_make_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        survive(&bytes);
    }

    #[test]
    fn lines_of_all_formats_mixed_make_no_panic(picks in proptest::collection::vec((0..all().len(), any::<Index>()), 1..30)) {
        let files = all();
        let lines = picks.iter().map(|(file, at)| {
            let lines: Vec<&[u8]> = files[*file].good.split(|&byte| byte == b'\n').collect();
            [lines[at.index(lines.len())], b"\n"].concat()
        });
        survive(&lines.collect::<Vec<_>>().concat());
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_or_a_beginning(file in 0..all().len(), at in any::<Index>()) {
        let made = &all()[file];
        let cut = &made.good[..at.index(made.good.len())];
        survive(cut);
        if let Ok(Some((trace, _))) = made::read(cut, Some(made.importer), true) {
            prop_assert!(trace.events.len() <= made.wanted.split(' ').count());
        }
    }
}

#[test]
fn packed_garbage_makes_no_panic() {
    for magic in [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0"] {
        for fill in [0, 1, 0x55, 0xff] {
            survive(&[magic, &[fill; 60]].concat());
        }
    }
}
