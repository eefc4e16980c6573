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

/// Where a caller's frame is.
#[derive(Clone, Copy)]
pub struct Frame {
    /// From `rbp`, else from `rsp`.
    pub by_rbp: bool,
    /// So many bytes above it.
    pub offset: i64,
    /// The caller's `rbp` lies so far below the frame, where it was saved.
    pub rbp_saved_below: Option<i64>,
}

const RBP: u64 = 6;
const RSP: u64 = 7;
const RETURN: u64 = 16;
/// States that may be remembered at once.
const DEPTH: usize = 8;

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
        if encodings[0] != 1 || encodings[1] & 0x0f != 0x0b || encodings[2] != 0x03 || encodings[3] != 0x3b {
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
        if register != RETURN {
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
    match encoding & 0x0f {
        0x00 | 0x04 | 0x0c => Some(8),
        0x03 | 0x0b => Some(4),
        _ => None,
    }
}

#[derive(Clone, Copy, Default)]
struct State {
    /// 0 where the frame is computed in a way that is not understood.
    register: u64,
    offset: i64,
    /// Where `rbp` is saved, from the frame.
    rbp: Option<i64>,
    /// The return address is not where it should be: the outermost function.
    outermost: bool,
    /// `rbp` is somewhere else.
    lost: bool,
}

#[derive(Default)]
struct Machine {
    state: State,
    initial: State,
    remembered: [State; DEPTH],
    depth: usize,
}

impl Machine {
    /// Runs the instructions for the code up to `until`.
    fn run(&mut self, mut code: Reader, cie: &Common, until: u64) -> Option<()> {
        let mut location = 0_u64;
        while !code.is_empty() {
            let instruction = code.u8()?;
            let low = u64::from(instruction & 0x3f);
            let advance = match (instruction >> 6, instruction) {
                (1, _) => low,
                (_, 0x02) => u64::from(code.u8()?),
                (_, 0x03) => code.unsigned(2)?,
                (_, 0x04) => code.unsigned(4)?,
                _ => {
                    self.step(instruction, low, &mut code, cie)?;
                    continue;
                }
            };
            location += advance * cie.code;
            if location > until {
                break;
            }
        }
        Some(())
    }

    fn step(&mut self, instruction: u8, low: u64, code: &mut Reader, cie: &Common) -> Option<()> {
        match instruction {
            0x80..=0xbf => {
                let offset = code.uleb()? as i64 * cie.data;
                self.saved(low, Some(offset));
            }
            0xc0..=0xff => self.restored(low),
            0x00 => {}
            0x05 => {
                let (register, offset) = (code.uleb()?, code.uleb()? as i64 * cie.data);
                self.saved(register, Some(offset));
            }
            0x11 => {
                let (register, offset) = (code.uleb()?, code.sleb()? * cie.data);
                self.saved(register, Some(offset));
            }
            0x06 => {
                let register = code.uleb()?;
                self.restored(register);
            }
            0x07 | 0x08 => {
                let register = code.uleb()?;
                self.saved(register, None);
                self.state.outermost |= instruction == 0x07 && register == RETURN;
            }
            0x0a => {
                *self.remembered.get_mut(self.depth)? = self.state;
                self.depth += 1;
            }
            0x0b => {
                self.depth = self.depth.checked_sub(1)?;
                self.state = self.remembered[self.depth];
            }
            0x0c => (self.state.register, self.state.offset) = (code.uleb()?, code.uleb()? as i64),
            0x12 => (self.state.register, self.state.offset) = (code.uleb()?, code.sleb()? * cie.data),
            0x0d => self.state.register = code.uleb()?,
            0x0e => self.state.offset = code.uleb()? as i64,
            0x13 => self.state.offset = code.sleb()? * cie.data,
            0x0f => {
                let length = code.uleb()?;
                code.skip(length)?;
                self.state.register = 0;
            }
            0x10 | 0x16 => {
                let (register, length) = (code.uleb()?, code.uleb()?);
                code.skip(length)?;
                self.misplaced(register);
            }
            0x09 | 0x14 | 0x15 => {
                let (register, _) = (code.uleb()?, code.uleb()?);
                self.misplaced(register);
            }
            // The size of pushed arguments, which changes nothing.
            0x2e => _ = code.uleb()?,
            _ => return None,
        }
        Some(())
    }

    fn saved(&mut self, register: u64, offset: Option<i64>) {
        match register {
            RBP => (self.state.rbp, self.state.lost) = (offset, false),
            RETURN => self.state.outermost = offset != Some(-8),
            _ => {}
        }
    }

    fn restored(&mut self, register: u64) {
        match register {
            RBP => (self.state.rbp, self.state.lost) = (self.initial.rbp, self.initial.lost),
            RETURN => self.state.outermost = self.initial.outermost,
            _ => {}
        }
    }

    fn misplaced(&mut self, register: u64) {
        match register {
            RBP => self.state.lost = true,
            RETURN => self.state.outermost = true,
            _ => {}
        }
    }

    fn frame(&self) -> Option<Frame> {
        let State { register, offset, rbp, outermost, lost } = self.state;
        if outermost || lost || (register != RBP && register != RSP) {
            return None;
        }
        let rbp_saved_below = match rbp {
            Some(offset) if offset >= 0 => return None,
            offset => offset.map(|offset| -offset),
        };
        Some(Frame { by_rbp: register == RBP, offset, rbp_saved_below })
    }
}

/// Bytes of an entry, from its front (C1).
#[derive(Clone, Copy)]
struct Reader {
    at: *const u8,
    left: usize,
}

impl Reader {
    /// What follows an entry's length.
    unsafe fn entry(at: *const u8) -> Option<Reader> {
        // SAFETY: an entry begins with its length.
        let length = unsafe { at.cast::<u32>().read_unaligned() };
        let known = length != 0 && length != u32::MAX;
        known.then(|| Reader { at: at.wrapping_add(4), left: length as usize })
    }

    fn is_empty(&self) -> bool {
        self.left == 0
    }

    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.left = self.left.checked_sub(usize::try_from(bytes).ok()?)?;
        self.at = self.at.wrapping_add(bytes as usize);
        Some(())
    }

    /// The next bytes as a reader of their own.
    fn part(&mut self, bytes: u64) -> Option<Reader> {
        let at = self.at;
        self.skip(bytes)?;
        Some(Reader { at, left: bytes as usize })
    }

    fn u8(&mut self) -> Option<u8> {
        let at = self.at;
        self.skip(1)?;
        // SAFETY: the entry has the byte (C1).
        Some(unsafe { *at })
    }

    fn u32(&mut self) -> Option<u32> {
        self.unsigned(4).map(|value| value as u32)
    }

    fn unsigned(&mut self, bytes: usize) -> Option<u64> {
        let mut value = 0;
        for place in 0..bytes {
            value |= u64::from(self.u8()?) << (place * 8);
        }
        Some(value)
    }

    /// An address in this encoding: absolute, or relative to its own place.
    fn pointer(&mut self, encoding: u8) -> Option<u64> {
        let here = self.at as u64;
        let bytes = bytes_of(encoding)?;
        let value = self.unsigned(bytes)?;
        let value = if encoding & 0x0f == 0x0b { value as u32 as i32 as u64 } else { value };
        match encoding & 0xf0 {
            0x00 => Some(value),
            0x10 => Some(here.wrapping_add(value)),
            _ => None,
        }
    }

    fn uleb(&mut self) -> Option<u64> {
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

    fn sleb(&mut self) -> Option<i64> {
        let before = self.left;
        let value = self.uleb()?;
        let bits = (before - self.left) * 7;
        let unused = 64 - bits;
        Some((value << unused) as i64 >> unused)
    }
}
