//! Compressed files, read as if they were not. Their first bytes decide, not their names.
//!
//! | limit | is | because |
//! |---|---|---|
//! | unpacked bytes | 256 MB, or 200 times the packed bytes where that is more | a file of a few kilobytes can be made to unpack to terabytes |
//! | dictionary of xz | 512 MB, or the budget of memory where that is less | its header says how much to allocate |
//! | window of zstd | 100 MB, in the decoder | likewise |
//!
//! Every 4 MB the budget of memory is asked for, so that whatever an importer or a workload holds of a
//! file stays within it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use heapsmith_trace::memory::{self, OverBudget};
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;

const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The most that a dictionary may take (in KB), so that a damaged header cannot ask for
/// all memory. The strongest preset of xz takes 64 MB.
const XZ_MEMORY: u64 = 512 * 1024;

/// Bytes that any compressed file may unpack to.
const UNPACKED: u64 = 256 << 20;
/// How many times its own bytes a larger one may unpack to.
const RATIO: u64 = 200;
/// Bytes from one question for memory to the next.
const STEP: u64 = 4 << 20;

/// Opens a file and unpacks it on the way, where it is xz, gzip or zstd.
///
/// # Errors
///
/// What the system says. Damage of the packed data comes out of the reader, and so does
/// a file that unpacks to more than it may ([`io::ErrorKind::InvalidData`]) or that would take more
/// memory than the budget allows ([`over_budget`] recognises the error).
pub fn unpacked(path: &Path) -> io::Result<Box<dyn Read>> {
    let file = File::open(path)?;
    let packed = file.metadata()?.len();
    let mut file = BufReader::with_capacity(1 << 16, file);
    let head = file.fill_buf()?;
    let max = UNPACKED.max(packed.saturating_mul(RATIO));
    if head.starts_with(XZ) {
        let memory = XZ_MEMORY.min(memory::budget().0 / 1024);
        let reader = XzReader::new_mem_limit(file, true, u32::try_from(memory).unwrap_or(u32::MAX));
        Ok(Box::new(Bounded::new(reader, max)))
    } else if head.starts_with(GZIP) {
        Ok(Box::new(Bounded::new(MultiGzDecoder::new(file), max)))
    } else if head.starts_with(ZSTD) {
        Ok(Box::new(Bounded::new(ZstdFrames::Between(file), max)))
    } else {
        Ok(Box::new(Bounded::new(file, u64::MAX)))
    }
}

/// The budget that was exceeded, where that is why reading stopped.
pub fn over_budget(error: &io::Error) -> Option<OverBudget> {
    error.get_ref().and_then(|inner| inner.downcast_ref()).copied()
}

/// A reader that ends with an error where it gives more bytes than it may, or where the process
/// takes more memory than it may.
struct Bounded<R> {
    reader: R,
    max: u64,
    read: u64,
    /// When to ask for memory again.
    next: u64,
}

impl<R> Bounded<R> {
    fn new(reader: R, max: u64) -> Bounded<R> {
        Bounded { reader, max, read: 0, next: STEP }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read > self.max {
            let cause = format!(
                "it unpacks to more than {} MB, over {RATIO} times its own size; if that is right, unpack it first",
                self.max >> 20
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        }
        if self.read >= self.next {
            self.next = self.read + STEP;
            memory::check().map_err(|over| io::Error::new(io::ErrorKind::OutOfMemory, over))?;
        }
        let read = self.reader.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}

/// The frames of a zstd file, one after the other: the decoder itself takes only one.
enum ZstdFrames<R: BufRead> {
    Between(R),
    Within(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
    Over,
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(self, ZstdFrames::Over) {
                ZstdFrames::Over => return Ok(0),
                ZstdFrames::Between(mut source) => {
                    if source.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(source).map_err(io::Error::other)?;
                    *self = ZstdFrames::Within(Box::new(decoder));
                }
                ZstdFrames::Within(mut decoder) => {
                    let read = decoder.read(buffer)?;
                    if read > 0 {
                        *self = ZstdFrames::Within(decoder);
                        return Ok(read);
                    }
                    *self = ZstdFrames::Between(decoder.into_inner());
                }
            }
        }
    }
}
