//! The library as it has to be in memory.

use std::io;

use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, Object, elf};

use crate::exported::exported;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// A library's segments, and where it begins to work.
pub struct Image {
    /// Bytes in memory.
    pub length: usize,
    pub parts: Vec<Part>,
    /// Where its function is that begins.
    pub begin: u64,
}

/// A segment.
pub struct Part {
    /// Where it is, from the library's first byte on.
    pub at: u64,
    bytes: Vec<u8>,
    /// Bytes in memory, of which those behind the others are zero.
    length: u64,
    /// What may be done with its pages.
    pub protection: u64,
    /// Words that become what they say and where the library is.
    relative: Vec<(usize, u64)>,
}

impl Image {
    /// Reads a library that needs nothing of others.
    pub fn of(file: &[u8]) -> io::Result<Image> {
        let wrong = |what: &'static str| move || io::Error::other(format!("the recorder's library {what}"));
        let unreadable = |error: object::Error| io::Error::other(format!("the recorder's library: {error}"));
        let header = elf::FileHeader64::<Endianness>::parse(file).map_err(unreadable)?;
        let endian = header.endian().map_err(unreadable)?;
        let read = object::File::parse(file).map_err(unreadable)?;
        let mut parts = Vec::new();
        for segment in header.program_headers(endian, file).map_err(unreadable)? {
            if segment.p_type(endian) == elf::PT_LOAD {
                let bytes = segment.data(endian, file).map_err(|()| wrong("has a segment that is not in it")())?;
                parts.push(Part {
                    at: segment.p_vaddr(endian),
                    bytes: bytes.to_vec(),
                    length: segment.p_memsz(endian),
                    protection: protection(segment.p_flags(endian)),
                    relative: Vec::new(),
                });
            }
        }
        for (at, relocation) in read.dynamic_relocations().into_iter().flatten() {
            let object::RelocationFlags::Elf { r_type: elf::R_X86_64_RELATIVE } = relocation.flags() else {
                return Err(wrong("asks for symbols of others")());
            };
            let part = parts.iter_mut().find(|part| (part.at..part.at + part.length).contains(&at));
            let part = part.ok_or_else(wrong("has a word in no segment"))?;
            let place = (at - part.at) as usize;
            // It may lie in what begins as zeros.
            let end = part.bytes.len().max(place + 8);
            part.bytes.resize(end, 0);
            part.relative.push((place, relocation.addend() as u64));
        }
        let length = parts.iter().map(|part| part.at + part.length).max().ok_or_else(wrong("is empty"))?;
        let begin = exported(file, "heapsmith_begin").ok_or_else(wrong("does not begin"))?;
        Ok(Image { length: length.next_multiple_of(PAGE) as usize, parts, begin })
    }
}

impl Part {
    /// Its bytes where the library begins at this address.
    pub fn bytes_at(&self, library: u64) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for &(place, value) in &self.relative {
            bytes[place..place + 8].copy_from_slice(&(library + value).to_le_bytes());
        }
        bytes
    }

    /// Where its first page is.
    pub fn first_page(&self) -> u64 {
        self.at & !(PAGE - 1)
    }

    /// Bytes of its pages.
    pub fn pages(&self) -> u64 {
        (self.at + self.length).next_multiple_of(PAGE) - self.first_page()
    }
}

/// From a segment's flags (run, write, read) to those of memory (read, write, run).
fn protection(flags: u32) -> u64 {
    let bit = |flag: u32, value: u64| if flags & flag != 0 { value } else { 0 };
    bit(elf::PF_R, 1) | bit(elf::PF_W, 2) | bit(elf::PF_X, 4)
}
