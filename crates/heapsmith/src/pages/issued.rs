//! Units of hardware: the instructions of `hardware/INSTRUCTION.md`, and the registers of `hardware/doc/registers.md`.
//!
//! | unit | an operation | for |
//! |---|---|---|
//! | [`Custom0`] | an instruction of RISC-V | a core with the unit behind PCPI, CFU or CV-X-IF |
//! | [`Mmio`] | an access to a register | a unit behind a bus |
//!
//! While a page is held a unit alone has its bits. [`PageHeap::store_bitmaps`](crate::parts::PageHeap::store_bitmaps) brings them back into
//! the region, before a heap is checked, walked or saved. One unit serves one heap at a time, with words of 32 bits.
//!
//! # Cost
//!
//! An instruction, or an access of the bus, for each operation; nothing else.

use core::ptr;

use crate::memory::Words;
use crate::pages::search::Bitmap;
use crate::pages::unit::Unit;

/// A unit that is reached by instructions in the space custom-0 of RISC-V. On other machines it answers as
/// [`Emulated`](super::Emulated) does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Custom0;

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod instructions {
    use core::arch::asm;

    use super::{Bitmap, Custom0, Unit, Words, answered, selected};

    // SAFETY: the unit holds the bitmap that was loaded for the class, and gives an object whose bit in it is set; the instructions touch
    // no memory.
    unsafe impl Unit for Custom0 {
        #[inline(always)]
        fn allocate<W: Words>(&mut self, _memory: &mut W, map: Bitmap) -> Option<usize> {
            let object: usize;
            // SAFETY: it changes the unit alone.
            unsafe {
                asm!(".insn r 0x0b, 0, 0, {0}, {1}, x0", out(reg) object, in(reg) map.class, options(nomem, nostack));
            }
            answered(object as u32)
        }

        #[inline(always)]
        fn free<W: Words>(&mut self, _memory: &mut W, map: Bitmap, object: usize) {
            // SAFETY: it changes the unit alone.
            unsafe {
                asm!(".insn r 0x0b, 0, 1, x0, {0}, {1}", in(reg) map.class, in(reg) object, options(nomem, nostack));
            }
        }

        #[inline(always)]
        fn load(&mut self, map: Bitmap, number: usize, word: usize) {
            // SAFETY: it changes the unit alone.
            unsafe {
                asm!(".insn r 0x0b, 0, 2, x0, {0}, {1}", in(reg) selected(map, number), in(reg) word, options(nomem, nostack));
            }
        }

        #[inline(always)]
        fn store<W: Words>(&mut self, _memory: &W, map: Bitmap, number: usize) -> usize {
            let word: usize;
            // SAFETY: it reads the unit alone.
            unsafe {
                asm!(".insn r 0x0b, 0, 3, {0}, {1}, x0", out(reg) word, in(reg) selected(map, number), options(nomem, nostack));
            }
            word as u32 as usize
        }
    }
}

/// Class and number of a word, as the instructions take them.
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
const fn selected(map: Bitmap, number: usize) -> usize {
    map.class | number << 8
}

#[cfg(not(any(target_arch = "riscv32", target_arch = "riscv64")))]
mod instructions {
    use super::{Bitmap, Custom0, Unit, Words};
    use crate::pages::Emulated;

    // SAFETY: as the emulated unit's.
    unsafe impl Unit for Custom0 {
        fn allocate<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
            Emulated.allocate(memory, map)
        }

        fn free<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
            Emulated.free(memory, map, object);
        }

        fn load(&mut self, map: Bitmap, number: usize, word: usize) {
            Emulated.load(map, number, word);
        }

        fn store<W: Words>(&mut self, memory: &W, map: Bitmap, number: usize) -> usize {
            Emulated.store(memory, map, number)
        }
    }
}

/// The object of an answer; all ones are none.
fn answered(answer: u32) -> Option<usize> {
    (answer != u32::MAX).then_some(answer as usize)
}

/// A unit that is reached by its registers, 8 KiB on a bus.
#[derive(Debug)]
pub struct Mmio {
    base: *mut u32,
}

// SAFETY: its constructor promises that nothing else uses the unit, on any thread.
unsafe impl Send for Mmio {}

impl Mmio {
    /// Offset of the register that takes an object of class 0, in words; those of the others follow.
    const ALLOCATE: usize = 0x100 / 4;
    /// Of the register that frees one.
    const FREE: usize = 0x200 / 4;
    /// Of word 0 of the bitmap of class 0; a class has 64.
    const BITMAP: usize = 0x1000 / 4;
    /// Words of registers.
    pub const WORDS: usize = 0x2000 / 4;

    /// The unit whose registers begin at `address`.
    ///
    /// # Safety
    ///
    /// At `address`, a multiple of 4, are the registers of a page unit for the pages and objects of the heap that gets it, mapped uncached; for
    /// as long as the heap is used nothing else uses them.
    pub unsafe fn new(address: usize) -> Self {
        Self { base: ptr::with_exposed_provenance_mut(address) }
    }

    fn bitmap(map: Bitmap, number: usize) -> usize {
        Self::BITMAP + 64 * map.class + number
    }

    fn read(&self, register: usize) -> u32 {
        // SAFETY: the register is one of those that `new` was promised.
        unsafe { self.base.add(register).read_volatile() }
    }

    fn write(&mut self, register: usize, word: u32) {
        // SAFETY: the register is one of those that `new` was promised.
        unsafe { self.base.add(register).write_volatile(word) }
    }
}

// SAFETY: the unit holds the bitmap that was loaded for the class, and gives an object whose bit in it is set; its registers are no memory
// of the heap.
unsafe impl Unit for Mmio {
    #[inline]
    fn allocate<W: Words>(&mut self, _memory: &mut W, map: Bitmap) -> Option<usize> {
        answered(self.read(Self::ALLOCATE + map.class))
    }

    #[inline]
    fn free<W: Words>(&mut self, _memory: &mut W, map: Bitmap, object: usize) {
        self.write(Self::FREE + map.class, object as u32);
    }

    #[inline]
    fn load(&mut self, map: Bitmap, number: usize, word: usize) {
        self.write(Self::bitmap(map, number), word as u32);
    }

    #[inline]
    fn store<W: Words>(&mut self, _memory: &W, map: Bitmap, number: usize) -> usize {
        self.read(Self::bitmap(map, number)) as usize
    }
}
