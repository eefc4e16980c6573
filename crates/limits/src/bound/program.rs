//! The programs that a bound is about.

use heapsmith_trace::{Operation, PackedTrace};

/// All programs with these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramClass {
    /// Peak live bytes, as requested; a request of 0 bytes counts as one byte.
    pub live: u64,
    /// Bytes of the largest request.
    pub max_size: u64,
    /// Bytes of the smallest request.
    pub min_size: u64,
    /// Most blocks that are live at a time. At most as many as the live bytes have of the smallest request count.
    pub max_blocks: u64,
    /// Whether blocks are resized, to sizes between the smallest and the largest.
    pub reallocates: bool,
    /// The coarsest alignment that is asked for, in bytes; 1: none beyond the heap's own.
    pub alignment: u64,
    /// Whether blocks are known to be freed in another order than the reverse of their allocation.
    pub out_of_order: bool,
}

/// Why numbers make no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A size of zero.
    #[error("a program that asks for 0 bytes needs no heap: give sizes above 0")]
    Zero,
    /// The least request is larger than the largest.
    #[error(
        "the smallest request, {min_size} bytes, is larger than the largest, {max_size}: swap them, or leave the smallest out"
    )]
    MinAboveMax {
        /// Bytes of the smallest request.
        min_size: u64,
        /// Bytes of the largest request.
        max_size: u64,
    },
    /// The largest request is larger than all that may be live.
    #[error(
        "a request of {max_size} bytes is more than the {live} bytes that may be live: raise the live bytes, or lower the largest request"
    )]
    MaxAbovePeak {
        /// Bytes of the largest request.
        max_size: u64,
        /// Peak live bytes.
        live: u64,
    },
    /// More than any region has.
    #[error("{live} live bytes are more than any region has: give at most 2^48")]
    TooMuch {
        /// Peak live bytes.
        live: u64,
    },
}

impl ProgramClass {
    /// The peak live bytes that a search considers.
    const MAX: u64 = 1 << 48;

    /// The programs with these numbers.
    ///
    /// # Errors
    ///
    /// Numbers that no program has: zero, or not in the order `min_size ≤ max_size ≤ live`.
    pub fn new(live: u64, max_size: u64, min_size: u64) -> Result<ProgramClass, ProgramError> {
        if live == 0 || max_size == 0 || min_size == 0 {
            return Err(ProgramError::Zero);
        }
        if min_size > max_size {
            return Err(ProgramError::MinAboveMax { min_size, max_size });
        }
        if max_size > live {
            return Err(ProgramError::MaxAbovePeak { max_size, live });
        }
        if live > ProgramClass::MAX {
            return Err(ProgramError::TooMuch { live });
        }
        let max_blocks = live / min_size;
        Ok(ProgramClass { live, max_size, min_size, max_blocks, reallocates: false, alignment: 1, out_of_order: false })
    }

    /// The same programs, with blocks that are resized.
    #[must_use]
    pub fn reallocating(self) -> ProgramClass {
        ProgramClass { reallocates: true, ..self }
    }

    /// Those of the programs with at most this many blocks live, one at least; and so with no more bytes live than as many of the
    /// largest have.
    #[must_use]
    pub fn within_blocks(self, blocks: u64) -> ProgramClass {
        let max_blocks = self.max_blocks.min(blocks).max(1);
        ProgramClass { max_blocks, live: self.live.min(max_blocks.saturating_mul(self.max_size)), ..self }
    }

    /// Whether fewer blocks may be live than the live bytes have of the smallest request.
    pub fn limits_blocks(&self) -> bool {
        self.max_blocks < self.live / self.min_size
    }

    /// The programs that are as this trace. Some passes over it.
    ///
    /// # Errors
    ///
    /// A trace without requests.
    pub fn of(trace: &PackedTrace) -> Result<ProgramClass, ProgramError> {
        let requests = || trace.events.iter().filter(|event| event.operation != Operation::Free);
        let sizes = || requests().map(|event| event.size.max(1));
        let program = ProgramClass::new(peak(trace), sizes().max().unwrap_or(0), sizes().min().unwrap_or(0))?;
        let alignment = trace.coarsest_alignment();
        let (reallocates, out_of_order) = (trace.reallocations > 0, frees_out_of_order(trace));
        let program = program.within_blocks(trace.slots as u64);
        Ok(ProgramClass { reallocates, alignment, out_of_order, ..program })
    }
}

/// Whether a block is freed that is not the last of those that are live.
fn frees_out_of_order(trace: &PackedTrace) -> bool {
    let mut live: Vec<u32> = Vec::new();
    trace.events.iter().any(|event| match event.operation {
        Operation::Allocate => {
            live.push(event.slot);
            false
        }
        Operation::Free => live.pop() != Some(event.slot),
        Operation::Reallocate => false,
    })
}

/// The peak live bytes, a request of 0 bytes counted as one.
fn peak(trace: &PackedTrace) -> u64 {
    let mut sizes = vec![0_u64; trace.slots];
    let (mut live, mut peak) = (0_u64, 0);
    for event in &trace.events {
        let size = if event.operation == Operation::Free { 0 } else { event.size.max(1) };
        let old = std::mem::replace(&mut sizes[event.slot as usize], size);
        live = live - old + size;
        peak = peak.max(live);
    }
    peak
}

/// Bytes that some such program makes *any* allocator need that does not move blocks, headers not counted.
///
/// With units of the smallest request, M of them live and n the largest power of two of them in a request, a
/// program exists that makes every allocator use M/2·log2 n + M − n + 1 units (Robson 1971, 1974). The argument is
/// about whole units; an allocator that places by the byte holds as many unit points in a block, so it needs at
/// most one unit less.
///
/// That program has M blocks live at a time. Where fewer are allowed, it is one of fewer units, or of larger ones.
pub fn any_allocator(program: ProgramClass) -> u64 {
    let ProgramClass { live, max_size, min_size, max_blocks, .. } = program;
    let of_units = |unit: u64| {
        let (units, log) = ((live / unit).min(max_blocks), (max_size / unit).max(1).ilog2());
        // A largest block that no program of so few units has is left out.
        let log = log.min(units.max(1).ilog2());
        units_of_any_allocator(units, log).saturating_sub(1).saturating_mul(unit)
    };
    let wide = live.div_ceil(max_blocks.max(1)).clamp(min_size, max_size);
    let largest = live.min(max_blocks.saturating_mul(max_size));
    [min_size, wide].map(of_units).into_iter().fold(largest, u64::max)
}

/// The same in units, for requests of 1, 2, 4 … 2^log units, `live` of them at most: M/2·log2 n + M − n + 1.
pub fn units_of_any_allocator(live: u64, log: u32) -> u64 {
    // Half of M has to be counted in whole blocks at every step, so an odd unit is left out.
    (live / 2 * u64::from(log) + live + 1).saturating_sub(1 << log)
}
