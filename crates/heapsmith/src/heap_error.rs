//! Heap errors: a program's mistakes with a heap, as values.
//!
//! A heap that detects a heap error does not panic and prints nothing: it leaves
//! the block as it is, remembers the heap error ([`crate::Heap::last_heap_error`]) and
//! answers [`crate::Heap::try_deallocate`] with it.
//!
//! Errors that each configuration detects when a pointer is freed or a block reallocated:
//!
//! | heap error | list, bins, tree, classes, buddy, pages | the same with `check=header` | `bump` | `stack` | `fixed` | `guard(quarantine=0)` | `guard(quarantine=N)` |
//! |---|---|---|---|---|---|---|---|
//! | out of order | – | – | – | always | – | over a stack | – |
//! | double free | – | until the memory is used again | until the space is reclaimed | above the top | checked, O(free) | until the memory is used again | always for the last N freed, then as left |
//! | foreign pointer | – | outside the blocks or unaligned: always; inside: unless what lies there looks like a block | outside the region | outside the region | always | always, but for a forged seal | as left |
//! | header damaged (written before its start) | – | unless it looks like the header of a used block | – | – | has none | always | always |
//! | overrun (written behind its end) | – | as *header damaged*: of this block, or of the next when that is freed | – | – | – | always, up to the next block | as left |
//! | written after free | – | over the first link, once a request takes the block | – | – | – | – | always for the last N freed |
//!
//! [`crate::Heap::audit`] reports the last three of a guard without a free: for all live blocks and all in quarantine.
//!
//! *Looks like*: a size that ends below the wilderness, the bit for used, and behind the block a header whose bit says that
//! the block before is used (without boundary tags: a header whose size fits). What was damaged stays so: after
//! [`HeapErrorKind::HeaderDamaged`] of `check=header` a program should use the heap no more. Of buddies: a size that such a
//! place may have, here and behind the block; with `start=one-block` a table says what is a used block, and nothing that a
//! program writes outside its blocks damages it, or is seen but in the links of free blocks. The directory of pages says the same, and freed blocks have no links: every wrong
//! pointer is detected, even if what lies there looks like a block, and no damage.
//!
//! The table of `bitmap` knows where blocks begin: [`crate::Heap::try_deallocate`] detects a pointer at which none does, and a double free
//! until the memory is used again, or a neighbour of it is freed.
//!
//! *Always* for damage means: unless what was written equals what stood there.
//! A dash means that the contract of [`crate::Heap::deallocate`] is all that there is.

/// A kind of heap error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum HeapErrorKind {
    /// Freed while a block that was allocated later is used: a stack frees last in, first out.
    OutOfOrder,
    /// Freed although it was free.
    DoubleFree,
    /// No block of this heap begins there.
    Foreign,
    /// The heap's words before the payload were overwritten.
    HeaderDamaged,
    /// The bytes behind the payload were overwritten.
    Overrun,
    /// The payload was written after the block was freed.
    WrittenAfterFree,
}

/// A heap error and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HeapError {
    /// The mistake.
    pub kind: HeapErrorKind,
    /// Bytes from the region's base to the payload of the block, or to the foreign
    /// pointer; a pointer below the base wraps around.
    pub block: usize,
    /// Bytes from the region's base to the first damaged word; the block where nothing is damaged.
    pub at: usize,
}

impl HeapError {
    /// A heap error of the block whose payload begins at `block`, without damage.
    pub(crate) fn of(kind: HeapErrorKind, block: usize) -> Self {
        HeapError { kind, block, at: block }
    }

    /// The same, from a base this many bytes lower.
    pub(crate) fn moved_by(self, offset: usize) -> Self {
        HeapError { block: self.block.wrapping_add(offset), at: self.at.wrapping_add(offset), ..self }
    }
}

impl core::fmt::Display for HeapError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let HeapError { kind, block, at } = self;
        match kind {
            HeapErrorKind::OutOfOrder => write!(f, "the block at byte {block} was freed before a later one"),
            HeapErrorKind::DoubleFree => write!(f, "the block at byte {block} was freed twice"),
            HeapErrorKind::Foreign => write!(f, "no block of this heap begins at byte {}", *block as isize),
            HeapErrorKind::HeaderDamaged => write!(f, "byte {at}, before the block at byte {block}, was overwritten"),
            HeapErrorKind::Overrun => write!(f, "byte {at}, behind the block at byte {block}, was overwritten"),
            HeapErrorKind::WrittenAfterFree => {
                write!(f, "byte {at} of the freed block at byte {block} was overwritten")
            }
        }
    }
}

impl core::error::Error for HeapError {}

/// How often a heap was misused, and how last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HeapErrors {
    /// Heap errors so far.
    pub count: u64,
    /// The last of them.
    pub last: Option<HeapError>,
}

impl HeapErrors {
    /// The last heap error, if there was one since there had been `before`.
    #[inline(always)]
    pub(crate) fn since(&self, before: u64) -> Result<(), HeapError> {
        match self.last {
            Some(heap_error) if self.count != before => Err(heap_error),
            _ => Ok(()),
        }
    }

    /// Remembers a heap error, and returns it.
    #[cold]
    pub(crate) fn note(&mut self, heap_error: HeapError) -> HeapError {
        self.count += 1;
        self.last = Some(heap_error);
        heap_error
    }
}
