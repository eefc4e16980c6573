//! Packed files that are small and unpack to gigabytes: a part is packed once, and its packed form repeated, which every
//! one of the formats allows.

use std::fs::File;
use std::io::{BufWriter, Write};

use super::super::Case;
use super::super::inputs::{PACKERS, pack};

/// Bytes that are packed at once.
const PART: usize = 8 << 20;

/// `bomb.gz` and the like: one byte, repeated to this many megabytes.
pub fn endless(case: &Case<'_>, packer: &str, byte: &[u8], megabytes: usize) -> Result<(), String> {
    repeated(case, packer, b"", byte, megabytes)
}

/// `bomb.gz` and the like: a head, then `body` repeated to this many megabytes. An empty
/// body gives 2,000 empty parts for each megabyte.
pub fn repeated(case: &Case<'_>, packer: &str, head: &[u8], body: &[u8], megabytes: usize) -> Result<(), String> {
    let packer = *PACKERS.iter().find(|one| one.program == packer).ok_or("no such packer")?;
    let packed = |name: &str, bytes: &[u8]| {
        case.write(name, bytes)?;
        let packed = pack(packer, &case.path(name));
        let _ = std::fs::remove_file(case.path(name));
        packed
    };
    let parts = if body.is_empty() { megabytes * 2000 } else { megabytes.div_ceil(PART >> 20) };
    let part = packed("part", &body.repeat(PART.checked_div(body.len()).unwrap_or(0)))?;
    let path = case.path(format!("bomb.{}", packer.ending));
    let write = || {
        let mut file = BufWriter::new(File::create(&path)?);
        if !head.is_empty() {
            file.write_all(&packed("head", head).map_err(std::io::Error::other)?)?;
        }
        (0..parts).try_for_each(|_| file.write_all(&part))?;
        file.flush()
    };
    write().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// A frame of eight bytes that asks for a window of 2 to the power of `log` bytes (RFC 8878, section 3.1.1).
pub fn zstd_window(case: &Case<'_>, log: usize) -> Result<(), String> {
    let descriptor = ((log - 10) << 3) as u8;
    let last_raw_block = (8_u32 << 3 | 1).to_le_bytes();
    let magic = [0x28, 0xb5, 0x2f, 0xfd];
    case.write("bomb.zst", [&magic[..], &[0, descriptor], &last_raw_block[..3], b"/a/b.gif"].concat())
}
