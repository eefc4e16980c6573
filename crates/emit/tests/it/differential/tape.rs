//! A tape: what a program asked of a heap, and what the heap answered, as bytes for another program.
//!
//! Little-endian: heap (u32), whether it could be made (u32), bytes of the region (u64), steps (u64); then
//! for each step kind (u32), slot (u32), size, alignment, answer, usable size (u64 each).

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// The answer is the payload's offset, or `NONE`.
    Allocate = 0,
    /// The answer is 1 if the heap refused, else 0.
    Free = 1,
    /// As for `Allocate`; on `NONE` the block is as it was.
    Reallocate = 2,
    /// The size is the footprint's peak, the alignment the footprint; the answer a hash of the bytes up to the peak.
    Image = 3,
    /// The slot is the live blocks, the size the free bytes, the alignment the fewest that ever were; the answer refused
    /// requests, the usable size the largest request. For heaps with counters.
    Counts = 4,
    /// As `Allocate`, with high priority. For heaps with a reserve.
    AllocateUrgent = 6,
    /// The answer is a hash of all blocks: offset of the payload, its bytes, and its status. For heaps with a walk.
    Walk = 5,
}

/// No block.
pub const NONE: u64 = u64::MAX;

/// A step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub kind: Kind,
    pub slot: u32,
    pub size: u64,
    pub alignment: u64,
    pub answer: u64,
    pub usable: u64,
}

/// What was done with a heap in a region of this many bytes.
#[derive(Clone, Debug)]
pub struct Tape {
    pub heap: u32,
    pub made: bool,
    pub region: u64,
    pub steps: Vec<Step>,
}

impl Tape {
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.heap.to_le_bytes());
        bytes.extend(u32::from(self.made).to_le_bytes());
        bytes.extend(self.region.to_le_bytes());
        bytes.extend((self.steps.len() as u64).to_le_bytes());
        for step in &self.steps {
            bytes.extend((step.kind as u32).to_le_bytes());
            bytes.extend(step.slot.to_le_bytes());
            for number in [step.size, step.alignment, step.answer, step.usable] {
                bytes.extend(number.to_le_bytes());
            }
        }
    }
}

/// FNV-1a.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}
