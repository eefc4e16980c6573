//! What an unwind table says of one place in the code: where its caller's frame is.
//!
//! ```text
//!   .eh_frame_hdr   version, encodings, .eh_frame, count, (start, entry) … by start
//!                                                           │
//!   .eh_frame                    CIE ◀── entry (FDE): start, length, instructions
//! ```
//!
//! Only what compilers write for x86-64 is understood: the frame (CFA) at a distance from `rsp` or
//! `rbp`, the return address right below it, `rbp` saved below it or left alone. All else is
//! answered with nothing, and ends the walk.
//!
//! Invariant **C1**: no byte beyond an entry's own length is read.
//!
//! Cost: a binary search and some dozen bytes of instructions; asked once for a place in the code.

mod dwarf;
mod machine;
mod reader;

use dwarf::{
    DW_EH_PE_ABSPTR, DW_EH_PE_DATAREL, DW_EH_PE_SDATA4, DW_EH_PE_SDATA8, DW_EH_PE_UDATA4, DW_EH_PE_UDATA8,
    FORM, RETURN_ADDRESS,
};
use machine::Machine;
use reader::Reader;

/// Where a caller's frame is.
#[derive(Clone, Copy)]
pub struct Frame {
    /// From `rbp`, else from `rsp`.
    pub by_rbp: bool,
    /// This many bytes above it.
    pub offset: i64,
    /// The caller's `rbp` lies so far below the frame, where it was saved.
    pub rbp_saved_below: Option<i64>,
}

/// The frame at an address that is in the module of these tables.
///
/// # Safety
///
/// `header` is null or the `.eh_frame_hdr` of a module that is loaded.
pub unsafe fn frame(header: *const u8, pc: u64) -> Option<Frame> {
    if header.is_null() {
        return None;
    }
    // SAFETY: the module's tables are as its linker wrote them, and entries state their lengths.
    unsafe {
        let entry = find(header, pc)?;
        let mut fde = Reader::entry(entry)?;
        let at = fde.at as u64;
        let cie = (at - u64::from(fde.u32()?)) as *const u8;
        let (cie, size) = Common::read(cie)?;
        let start = fde.pointer(cie.encoding)?;
        let length = fde.unsigned(size)?;
        if pc < start || pc - start >= length {
            return None;
        }
        if cie.augmented {
            let skip = fde.uleb()?;
            fde.skip(skip)?;
        }
        let mut machine = Machine::default();
        machine.run(cie.instructions, &cie, u64::MAX)?;
        machine.initial = machine.state;
        machine.run(fde, &cie, pc - start)?;
        machine.frame()
    }
}

/// The entry whose start is the last not above `pc`.
unsafe fn find(header: *const u8, pc: u64) -> Option<*const u8> {
    // SAFETY: the header has these bytes, and the table as many entries as it says.
    unsafe {
        // Version 1; `.eh_frame` relative, count in 4 bytes, table sorted and relative to the header: what linkers write.
        let encodings = header.cast::<u32>().read_unaligned().to_le_bytes();
        let [version, frames, count, table] = encodings;
        let sorted = table == DW_EH_PE_DATAREL | DW_EH_PE_SDATA4;
        if version != 1 || frames & FORM != DW_EH_PE_SDATA4 || count != DW_EH_PE_UDATA4 || !sorted {
            return None;
        }
        let count = header.add(8).cast::<u32>().read_unaligned() as usize;
        let table: *const [i32; 2] = header.add(12).cast();
        let wanted = pc.wrapping_sub(header as u64) as i64;
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if i64::from(table.add(middle).read_unaligned()[0]) <= wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = table.add(low.checked_sub(1)?).read_unaligned();
        Some(header.wrapping_offset(found[1] as isize))
    }
}

/// What entries have in common.
struct Common {
    code: u64,
    data: i64,
    encoding: u8,
    augmented: bool,
    instructions: Reader,
}

impl Common {
    /// Also the bytes of a length.
    unsafe fn read(at: *const u8) -> Option<(Common, usize)> {
        // SAFETY: the caller's entry points here.
        let mut reader = unsafe { Reader::entry(at)? };
        if reader.u32()? != 0 {
            return None;
        }
        let version = reader.u8()?;
        if version != 1 && version != 3 {
            return None;
        }
        let mut letters = [0; 8];
        let mut count = 0;
        loop {
            match reader.u8()? {
                0 => break,
                letter => *letters.get_mut(count)? = letter,
            }
            count += 1;
        }
        let (code, data) = (reader.uleb()?, reader.sleb()?);
        let register = if version == 1 { u64::from(reader.u8()?) } else { reader.uleb()? };
        if register != RETURN_ADDRESS {
            return None;
        }
        let mut encoding = 0;
        let augmented = letters[0] == b'z';
        if augmented {
            let length = reader.uleb()?;
            let mut data = reader.part(length)?;
            for letter in &letters[1..count] {
                match letter {
                    b'R' => encoding = data.u8()?,
                    b'L' => _ = data.u8()?,
                    b'P' => {
                        let encoding = data.u8()?;
                        data.skip(bytes_of(encoding)? as u64)?;
                    }
                    // A frame of a signal, or something unknown.
                    _ => return None,
                }
            }
        } else if count > 0 {
            return None;
        }
        Some((Common { code, data, encoding, augmented, instructions: reader }, bytes_of(encoding)?))
    }
}

/// Bytes of a value in this encoding.
fn bytes_of(encoding: u8) -> Option<usize> {
    match encoding & FORM {
        DW_EH_PE_ABSPTR | DW_EH_PE_UDATA8 | DW_EH_PE_SDATA8 => Some(8),
        DW_EH_PE_UDATA4 | DW_EH_PE_SDATA4 => Some(4),
        _ => None,
    }
}
