//! Packet captures, pcap and pcapng, of either byte order and any time resolution.
//!
//! The frames come in file order with their time since the first frame; a time before the
//! first counts as zero. Source: the `pcap-parser` crate reads the blocks; what it leaves
//! to its caller (growing the buffer, interfaces, resolutions) is done here.

mod records;
mod source;

use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;

use heapsmith_trace::Nanoseconds;
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{LegacyPcapReader, PcapError, PcapNGReader};

use self::records::Records;
use self::source::{Fault, Source};
use super::frame::Link;
use crate::error::LoadError;

/// A captured frame.
pub(super) struct Captured<'a> {
    pub time: Nanoseconds,
    pub link: Link,
    /// Length on the wire, however much of it was captured.
    pub original: u32,
    pub data: &'a [u8],
}

/// Looks at a frame, and says whether more are wanted.
pub(super) type Visit<'v> = dyn FnMut(Captured<'_>) -> ControlFlow<()> + 'v;

/// The largest block that is read: pcapng may hold long secrets and comments.
const LARGEST_BLOCK: usize = 1 << 26;
const FIRST_BUFFER: usize = 1 << 17;

const PCAPNG_MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// Microseconds and nanoseconds in either byte order, and the "modified" variant.
const PCAP_MAGICS: [[u8; 4]; 5] = [
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0x34, 0xcd, 0xb2, 0xa1],
];

/// Whether a file begins like a capture.
pub(super) fn starts(head: &[u8]) -> bool {
    head.starts_with(&PCAPNG_MAGIC) || PCAP_MAGICS.iter().any(|magic| head.starts_with(magic))
}

/// Hands the frames of a capture to `visit`, until that has seen enough.
///
/// With `keep_damaged`, damage ends the capture instead of being an error.
pub(super) fn read(
    path: &Path,
    reader: Box<dyn BufRead>,
    keep_damaged: bool,
    visit: &mut Visit<'_>,
) -> Result<(), LoadError> {
    match read_all(path, reader, visit) {
        Err(LoadError::Record { .. } | LoadError::Read { .. }) if keep_damaged => Ok(()),
        outcome => outcome,
    }
}

fn read_all(path: &Path, reader: Box<dyn BufRead>, visit: &mut Visit<'_>) -> Result<(), LoadError> {
    let fault = Fault::default();
    let mut records = Records::new(path);
    let mut reader = start(reader, &fault).map_err(|()| records.broken_off(&fault, "its header is cut off"))?;
    loop {
        let step = match reader.next() {
            Ok((length, block)) => {
                records.take(block, visit)?;
                if records.is_enough {
                    return Ok(());
                }
                CaptureStep::Taken(length)
            }
            Err(error) => CaptureStep::of(&error),
        };
        match step {
            CaptureStep::Taken(length) => reader.consume(length),
            CaptureStep::More => refill(&mut *reader),
            CaptureStep::Larger => {
                let size = reader.data().len().max(FIRST_BUFFER) * 2;
                if size > LARGEST_BLOCK || !reader.grow(size) {
                    return Err(records.broken_off(&fault, "longer than any record can be"));
                }
                refill(&mut *reader);
            }
            CaptureStep::Broken => return Err(records.broken_off(&fault, "no record of a capture")),
            CaptureStep::End if reader.data().is_empty() => return records.end(&fault),
            CaptureStep::End => {
                let left = reader.data().len();
                return Err(records.broken_off(&fault, &format!("cut off after {left} bytes")));
            }
        }
    }
}

/// A failing read comes back through the [`Fault`], so the parser's own error for it adds
/// nothing.
fn refill(reader: &mut dyn PcapReaderIterator) {
    let _ = reader.refill();
}

fn start(mut reader: Box<dyn BufRead>, fault: &Fault) -> Result<Box<dyn PcapReaderIterator>, ()> {
    let next_generation = reader.fill_buf().is_ok_and(|head| head.starts_with(&PCAPNG_MAGIC));
    let source = Source::new(reader, fault);
    if next_generation {
        let reader = PcapNGReader::new(FIRST_BUFFER, source).map_err(|_| ())?;
        Ok(Box::new(reader))
    } else {
        let reader = LegacyPcapReader::new(FIRST_BUFFER, source).map_err(|_| ())?;
        Ok(Box::new(reader))
    }
}

/// What to do next with the parser.
enum CaptureStep {
    Taken(usize),
    More,
    Larger,
    End,
    Broken,
}

impl CaptureStep {
    fn of(error: &PcapError<&[u8]>) -> CaptureStep {
        match error {
            PcapError::Incomplete(_) => CaptureStep::More,
            PcapError::BufferTooSmall => CaptureStep::Larger,
            PcapError::Eof | PcapError::UnexpectedEof => CaptureStep::End,
            _ => CaptureStep::Broken,
        }
    }
}
