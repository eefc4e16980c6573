//! Regions to try heaps in, and any heap without its type.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use heapsmith::{Counting, Fixed, Heap, Source};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_spec::build::BuildError;

/// What a region's base is a multiple of, so that every run gets the same addresses.
const PAGE: usize = 4096;

/// Memory for one region that begins at a multiple of 4096.
#[derive(Debug)]
pub struct Memory(Box<[MaybeUninit<u64>]>);

impl Memory {
    /// Memory for a region of up to `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        // Nothing is written, so that a large region costs what is used of it.
        Memory(Box::new_uninit_slice((bytes + PAGE) / 8))
    }

    /// The region of the first `bytes` bytes, in whole words of eight.
    pub fn region(&mut self, bytes: usize) -> Fixed<'_> {
        let skip = self.skip();
        Fixed::new(&mut self.0[skip..][..bytes / 8])
    }

    /// Fills the first `bytes` bytes with zeros.
    pub(crate) fn zero(&mut self, bytes: usize) {
        let skip = self.skip();
        self.0[skip..][..bytes / 8].fill(MaybeUninit::new(0));
    }

    /// The first `bytes` bytes, which were filled before.
    pub(crate) fn bytes(&self, bytes: usize) -> &[u8] {
        let words = &self.0[self.skip()..][..bytes / 8];
        // SAFETY: `zero` wrote them all, and what a heap and its program write is initialised too.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), bytes / 8 * 8) }
    }

    /// Words before the first whole page.
    fn skip(&self) -> usize {
        (PAGE - self.0.as_ptr().addr() % PAGE) / 8
    }
}

/// Any heap, with its accesses counted.
pub type Counted<'h> = dyn Heap<Meter = Counting> + 'h;

/// Does `job` with the heap of `spec` over the first `bytes` bytes of `memory`.
pub fn on<T>(
    spec: &Spec,
    memory: &mut Memory,
    bytes: usize,
    job: impl FnOnce(&mut Counted) -> T,
) -> Result<T, BuildError> {
    over(spec, &mut memory.region(bytes), job)
}

/// Does `job` with the heap of `spec` over the region of `source`. Every structure is compiled once for all tests of all
/// crates; accesses and addresses are those of the typed heap.
pub fn over<T>(spec: &Spec, source: &mut dyn Source, job: impl FnOnce(&mut Counted) -> T) -> Result<T, BuildError> {
    with_dyn_heap(spec, source, job)
}
