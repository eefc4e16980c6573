//! Regions to try heaps in, and any heap without its type.

use std::mem::MaybeUninit;

use heapsmith::{Fixed, Heap, Meter};
use heapsmith_spec::Spec;
use heapsmith_spec::build::{BuildError, Job, with_heap};

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
        let skip = (PAGE - self.0.as_ptr().addr() % PAGE) / 8;
        Fixed::new(&mut self.0[skip..][..bytes / 8])
    }
}

/// Does `job` with the heap of `spec` over the first `bytes` bytes of `memory`.
///
/// The heap comes without its type, so that a job is compiled once and not for every
/// structure; accesses and addresses are the same.
pub fn on<M: Meter, T>(
    spec: &Spec,
    memory: &mut Memory,
    bytes: usize,
    meter: M,
    job: impl FnOnce(&mut dyn Heap<Meter = M>) -> T,
) -> Result<T, BuildError> {
    struct Untyped<F>(F);
    impl<M: Meter, T, F: FnOnce(&mut dyn Heap<Meter = M>) -> T> Job<M> for Untyped<F> {
        type Output = T;
        fn run<H: Heap<Meter = M>>(self, mut heap: H) -> T {
            (self.0)(&mut heap)
        }
    }
    with_heap(spec, memory.region(bytes), meter, Untyped(job))
}
