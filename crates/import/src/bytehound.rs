//! Replay files that bytehound exports (`bytehound export-replay`; older: `nemtrace`).
//!
//! ```text
//!   offset  0         8             16 + 32 n   +8      +16         +24
//!           ├─ slots ─┼─ operations ┼─ kind ────┼─ slot ┼─ µs ──────┼─ bytes ─┤
//! ```
//!
//! All are unsigned 64-bit numbers in the machine's order, which is taken to be little
//! endian. Kinds: 1 allocate, 2 free, 3 reallocate. The operations of the header count what
//! a filter left out too, so a file may hold fewer; it is cut off if a record is.
//!
//! bytehound's own recordings are not read: export them as replay, or as heaptrack.
//!
//! Source: the repository koute/bytehound, `cli-core/src/exporter_replay.rs`.

use std::io::{BufRead, ErrorKind};

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Stop};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::Head;

pub(crate) const IMPORTER: Importer = Importer {
    name: "bytehound",
    about: "what bytehound exports as replay",
    source: "koute/bytehound, its replay export",
    input: "a bytehound replay",
    parameters: &[KEEP_DAMAGED],
    begins,
    format: Format::Binary(read),
};

const HEADER: usize = 16;
const RECORD: usize = 32;
/// More than any recording has: this excludes other files with the same eight bytes.
const MAX: u64 = 1 << 40;

fn word(bytes: &[u8], place: usize) -> u64 {
    let word = bytes.get(place * 8..place * 8 + 8).and_then(|word| word.try_into().ok());
    word.map_or(0, u64::from_le_bytes)
}

fn begins(head: &Head) -> bool {
    let (bytes, slots) = (&head.bytes, word(&head.bytes, 0));
    let records = bytes.get(HEADER..).unwrap_or_default().chunks_exact(RECORD).take(8);
    let counts = (1..MAX).contains(&slots) && (slots..MAX).contains(&word(bytes, 1));
    counts
        && records.len() > 0
        && records.into_iter().all(|record| matches!(word(record, 0), 1..=3) && word(record, 1) < slots)
}

fn read(reader: &mut dyn BufRead, recording: &mut Recording<'_>) -> Result<(), (u64, Stop)> {
    let mut header = [0; HEADER];
    let cut = |bytes: usize| Stop::Refused(Refusal::Damaged(format!("cut off after {bytes} bytes")));
    let filled = fill(reader, &mut header).map_err(|error| (0, Stop::Read(error)))?;
    if filled < HEADER {
        return Err((0, cut(filled)));
    }
    let slots = word(&header, 0);
    let mut began = None;
    for number in 1.. {
        let mut record = [0; RECORD];
        match fill(reader, &mut record) {
            Ok(0) => break,
            Ok(RECORD) if recording.is_full() => break,
            Ok(RECORD) => {
                let time = word(&record, 2);
                let began = *began.get_or_insert(time);
                recording.time = Nanoseconds(time.saturating_sub(began).saturating_mul(1000));
                take(&record, slots, recording).map_err(|refusal| (number, refusal.into()))?;
            }
            Ok(bytes) => return Err((number, cut(bytes))),
            Err(error) => return Err((number, Stop::Read(error))),
        }
    }
    Ok(())
}

fn take(record: &[u8], slots: u64, recording: &mut Recording<'_>) -> Taken {
    let [kind, slot, size] = [0, 1, 3].map(|place| word(record, place));
    if slot >= slots {
        return Err(format!("slot {slot}, but the header has {slots} slots").into());
    }
    // Slot 0 is one like any other; as an address it would be the null pointer.
    let key = slot + 1;
    match kind {
        1 if recording.is_live(key) => Err(format!("slot {slot} is filled while it is full").into()),
        1 => recording.allocate(key, size, 0),
        2 => recording.free_known(key),
        3 if !recording.is_live(key) => Err(format!("slot {slot} is reallocated while it is empty").into()),
        3 => recording.reallocate(key, key, size),
        _ => Err(format!("kind {kind}; known are 1 (allocate), 2 (free) and 3 (reallocate)").into()),
    }
}

/// Fills a buffer as far as the file goes.
fn fill(reader: &mut dyn BufRead, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
