//! Compressed files, read as if they were not. Told by their first bytes, not their names.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;

const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The most that a dictionary may take (in KB), so that a damaged header cannot ask for
/// all memory. The strongest preset of xz takes 64 MB.
const XZ_MEMORY: u32 = 512 * 1024;

/// Opens a file and unpacks it on the way, where it is xz, gzip or zstd.
///
/// # Errors
///
/// What the system says. Damage of the packed data comes out of the reader.
pub fn unpacked(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let head = file.fill_buf()?;
    if head.starts_with(XZ) {
        Ok(Box::new(XzReader::new_mem_limit(file, true, XZ_MEMORY)))
    } else if head.starts_with(GZIP) {
        Ok(Box::new(MultiGzDecoder::new(file)))
    } else if head.starts_with(ZSTD) {
        Ok(Box::new(ZstdFrames::Between(file)))
    } else {
        Ok(Box::new(file))
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
