//! Numbers of an unwind table, from its bytes.

use super::bytes_of;
use super::dwarf::{DW_EH_PE_ABSPTR, DW_EH_PE_PCREL, DW_EH_PE_SDATA4, FORM, RELATIVE_TO};

/// Bytes of an entry, from its front (C1).
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) at: *const u8,
    left: usize,
}

impl Reader {
    /// What follows an entry's length.
    pub(super) unsafe fn entry(at: *const u8) -> Option<Reader> {
        // SAFETY: an entry begins with its length.
        let length = unsafe { at.cast::<u32>().read_unaligned() };
        let known = length != 0 && length != u32::MAX;
        known.then(|| Reader { at: at.wrapping_add(4), left: length as usize })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    pub(super) fn skip(&mut self, bytes: u64) -> Option<()> {
        self.left = self.left.checked_sub(usize::try_from(bytes).ok()?)?;
        self.at = self.at.wrapping_add(bytes as usize);
        Some(())
    }

    /// The next bytes as a reader of their own.
    pub(super) fn part(&mut self, bytes: u64) -> Option<Reader> {
        let at = self.at;
        self.skip(bytes)?;
        Some(Reader { at, left: bytes as usize })
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        let at = self.at;
        self.skip(1)?;
        // SAFETY: the entry has the byte (C1).
        Some(unsafe { *at })
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.unsigned(4).map(|value| value as u32)
    }

    pub(super) fn unsigned(&mut self, bytes: usize) -> Option<u64> {
        let mut value = 0;
        for place in 0..bytes {
            value |= u64::from(self.u8()?) << (place * 8);
        }
        Some(value)
    }

    /// An address in this encoding: absolute, or relative to its own place.
    pub(super) fn pointer(&mut self, encoding: u8) -> Option<u64> {
        let here = self.at as u64;
        let bytes = bytes_of(encoding)?;
        let value = self.unsigned(bytes)?;
        let value = if encoding & FORM == DW_EH_PE_SDATA4 { value as u32 as i32 as u64 } else { value };
        match encoding & RELATIVE_TO {
            DW_EH_PE_ABSPTR => Some(value),
            DW_EH_PE_PCREL => Some(here.wrapping_add(value)),
            _ => None,
        }
    }

    pub(super) fn uleb(&mut self) -> Option<u64> {
        let mut value = 0;
        for place in 0..9 {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << (place * 7);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn sleb(&mut self) -> Option<i64> {
        let before = self.left;
        let value = self.uleb()?;
        let bits = (before - self.left) * 7;
        let unused = 64 - bits;
        Some((value << unused) as i64 >> unused)
    }
}
