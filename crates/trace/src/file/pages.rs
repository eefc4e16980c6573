//! The pages of a column, checked before they are read: the reader would allocate as much as they claim.
//!
//! ```text
//!   column chunk:  header │ body │ header │ body │ …      header: kind, bytes unpacked, bytes packed, values
//! ```
//!
//! | a page | may hold | because |
//! |---|---|---|
//! | of any kind | 64 MB unpacked | writers cut pages at about 1 MB |
//! | packed with Snappy | 64 times its packed bytes | Snappy packs 64 bytes into 3 at best |
//! | of values | 2^24 values | a column of one value takes no bytes at all |
//! | of a dictionary | a value a byte | an entry takes 4 bytes or more |
//!
//! Source: the page headers of the Apache Parquet format, in Thrift's compact protocol.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;

/// Bytes that a page may have when it is unpacked.
const MAX_PAGE: i64 = 64 << 20;
/// How many times its packed bytes a page may have.
const MAX_RATIO: i64 = 64;
/// Values that a page may hold.
const MAX_VALUES: i64 = 1 << 24;
/// Structures in structures that a header may have; the format has two.
const DEEPEST: u32 = 8;

/// Refuses a column whose pages claim more than they can hold.
///
/// # Errors
///
/// In words: what a page claims, or that a header makes no sense.
pub(super) fn check<F: Read + Seek>(file: F, chunk: &ColumnChunkMetaData) -> Result<(), String> {
    let (start, length) = chunk.byte_range();
    let mut reader = BufReader::with_capacity(512, file);
    let mut at = start;
    let end = start.saturating_add(length);
    while at < end {
        reader.seek(SeekFrom::Start(at)).map_err(|error| error.to_string())?;
        let mut header = Header { reader: &mut reader, taken: 0 };
        let page = header.page().map_err(|_| "the header of a page makes no sense".to_owned())?;
        at = at.saturating_add(header.taken);
        page.check(chunk.compression())?;
        at = at.saturating_add(u64::try_from(page.packed).map_err(|_| "a page of less than no bytes".to_owned())?);
    }
    Ok(())
}

/// What the header of a page claims.
#[derive(Debug, Default)]
struct Page {
    unpacked: i64,
    packed: i64,
    values: i64,
    is_dictionary: bool,
}

impl Page {
    fn check(&self, compression: Compression) -> Result<(), String> {
        let Page { unpacked, packed, values, is_dictionary } = *self;
        if unpacked > MAX_PAGE {
            return Err(format!("a page of {unpacked} bytes; read are pages of {MAX_PAGE} bytes at most"));
        }
        if compression != Compression::UNCOMPRESSED && unpacked > packed.saturating_mul(MAX_RATIO) {
            return Err(format!("a page of {packed} bytes that claims to unpack to {unpacked}"));
        }
        if values > MAX_VALUES {
            return Err(format!("a page of {values} values; read are pages of {MAX_VALUES} values at most"));
        }
        if is_dictionary && values > unpacked {
            return Err(format!("a dictionary that claims {values} values in {unpacked} bytes"));
        }
        Ok(())
    }
}

/// Thrift's compact protocol, as far as headers of pages have it.
struct Header<'r, R> {
    reader: &'r mut R,
    taken: u64,
}

/// Types of fields.
mod kind {
    pub const STOP: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const STRUCT: u8 = 12;
}

/// Fields of a page's header that hold how many values it has, each first in a structure of its own.
const VALUES: [i64; 3] = [5, 7, 8];
const DICTIONARY: i64 = 7;

impl<R: BufRead> Header<'_, R> {
    fn page(&mut self) -> io::Result<Page> {
        let mut page = Page::default();
        let mut field = 0;
        while let Some(kind) = self.field(&mut field)? {
            match (field, kind) {
                (2, kind::I16..=kind::I64) => page.unpacked = self.number()?,
                (3, kind::I16..=kind::I64) => page.packed = self.number()?,
                (field, kind::STRUCT) if VALUES.contains(&field) => {
                    page.is_dictionary |= field == DICTIONARY;
                    page.values = page.values.max(self.values()?);
                }
                (_, kind) => self.skip(kind, 0)?,
            }
        }
        Ok(page)
    }

    /// The first field of a structure, which is read to its end.
    fn values(&mut self) -> io::Result<i64> {
        let (mut values, mut field) = (0, 0);
        while let Some(kind) = self.field(&mut field)? {
            match (field, kind) {
                (1, kind::I16..=kind::I64) => values = self.number()?,
                (_, kind) => self.skip(kind, 0)?,
            }
        }
        Ok(values)
    }

    /// The type of the next field of a structure, whose number is put into `field`; none at the end.
    fn field(&mut self, field: &mut i64) -> io::Result<Option<u8>> {
        let byte = self.byte()?;
        let kind = byte & 0x0f;
        if kind == kind::STOP {
            return Ok(None);
        }
        *field = match byte >> 4 {
            0 => self.number()?,
            step => field.saturating_add(step.into()),
        };
        Ok(Some(kind))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> io::Result<()> {
        match kind {
            kind::TRUE | kind::FALSE => Ok(()),
            kind::BYTE => self.byte().map(drop),
            kind::I16..=kind::I64 => self.number().map(drop),
            kind::DOUBLE => self.leave_out(8),
            kind::BINARY => {
                let length = self.unsigned()?;
                self.leave_out(length)
            }
            kind::LIST | kind::SET if depth < DEEPEST => {
                let byte = self.byte()?;
                let length = if byte >> 4 == 15 { self.unsigned()? } else { u64::from(byte >> 4) };
                // In a list, unlike in a structure, a truth value takes a byte.
                let kind = if byte & 0x0f <= kind::FALSE { kind::BYTE } else { byte & 0x0f };
                (0..length).try_for_each(|_| self.skip(kind, depth + 1))
            }
            kind::STRUCT if depth < DEEPEST => {
                let mut field = 0;
                while let Some(kind) = self.field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn leave_out(&mut self, length: u64) -> io::Result<()> {
        let left = io::copy(&mut self.reader.by_ref().take(length), &mut io::sink())?;
        self.taken += left;
        if left == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// A signed number: its sign is in its lowest bit.
    fn number(&mut self) -> io::Result<i64> {
        let bits = self.unsigned()?;
        Ok((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }

    fn unsigned(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        self.taken += 1;
        Ok(byte[0])
    }
}
