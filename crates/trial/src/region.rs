//! Regions to try heaps in, and any heap without its type.

use std::mem::MaybeUninit;

use heapsmith::{Counting, Fixed, Heap};
use heapsmith_spec::Spec;
use heapsmith_spec::build::{BuildError, with_dyn_heap};

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
/// The heap comes without its type, so that every structure is compiled once and not for
/// every job; accesses and addresses are the same.
pub fn on<T>(
    spec: &Spec,
    memory: &mut Memory,
    bytes: usize,
    job: impl FnOnce(&mut Counted) -> T,
) -> Result<T, BuildError> {
    let (mut job, mut output) = (Some(job), None);
    with_dyn_heap(spec, memory.region(bytes), Counting::default(), &mut |heap| {
        output = job.take().map(|job| job(heap))
    })?;
    output.ok_or_else(|| BuildError::Layers(spec.to_string()))
}

/// Any heap, with its accesses counted.
pub type Counted<'h> = dyn Heap<Meter = Counting> + 'h;
