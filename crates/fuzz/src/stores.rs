//! What heapsmith wrote itself, and somebody else may have changed: recordings, stores, races.

use heapsmith_explore::{Exploration, Store};
use heapsmith_recording::format::{FILE_HEADER, GRANULE, MAGIC_BLOCK, MAGIC_FILE, VERSION, header};
use heapsmith_recording::{Recording, decode};
use heapsmith_trace::PackedTrace;

use crate::given::{as_file_of_folder, as_parts};

/// Bytes of an input that become words of the header, and those of each block.
const HEAD: usize = (header::UNSEEN_OBJECTS + 2) * 8;
const BLOCK: usize = 512;

/// A recording: its blocks lie 256 KB apart, so the input has the first bytes of each.
pub(crate) fn recording(_: &'static str, bytes: &[u8]) {
    let (head, blocks) = bytes.split_at(HEAD.min(bytes.len()));
    let mut first = [0; FILE_HEADER];
    first[..head.len()].copy_from_slice(head);
    // What is no recording is of no interest, nor is a block that is none: these words are not worth guessing.
    first[header::MAGIC * 8..][..8].copy_from_slice(&MAGIC_FILE.to_le_bytes());
    first[header::VERSION * 8..][..8].copy_from_slice(&VERSION.to_le_bytes());
    let blocks: Vec<Vec<u8>> =
        blocks.chunks(BLOCK).map(|block| [&MAGIC_BLOCK.to_le_bytes()[..], block].concat()).collect();
    let place = |number: usize| ((number + 1) * GRANULE) as u64;
    let mut parts: Vec<(u64, &[u8])> = vec![(0, &first)];
    parts.extend(blocks.iter().enumerate().map(|(number, block)| (place(number), &block[..])));
    // The file ends with a granule, as it does unless it was cut.
    let end = [0];
    parts.push((place(blocks.len()) - 1, &end));
    as_parts(&parts, |path| {
        let read = Recording::open(path).and_then(|recording| decode(&recording));
        match read {
            Ok(recorded) => drop(PackedTrace::new(&recorded.trace).expect("what was recorded is valid")),
            Err(error) => assert!(error.to_string().contains(&*path.to_string_lossy()), "{error} names no file"),
        }
    });
}

/// The store of an exploration, read as `report` reads it; and what begins with `{`, as a race.
pub(crate) fn store(_: &'static str, bytes: &[u8]) {
    if bytes.starts_with(b"{") {
        let _ = as_file_of_folder(heapsmith_race::FILE, bytes, heapsmith_race::read);
        return;
    }
    as_file_of_folder(Store::FILE, bytes, |folder| {
        if let Err(error) = Exploration::open(folder) {
            assert!(error.to_string().contains(&*folder.to_string_lossy()), "{error} names no file");
        }
    });
}
