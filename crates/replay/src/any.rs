//! Replays that need no speed: over a heap without its type, so that the structures are
//! compiled once for all of them.

use heapsmith::{Counting, Heap, Source};
use heapsmith_spec::Spec;
use heapsmith_spec::build::{BuildError, with_dyn_heap};

/// Any heap, with its accesses counted.
pub(crate) type AnyHeap<'h> = dyn Heap<Meter = Counting> + 'h;

/// Does `job` with the heap of `spec` over the region of `source`.
pub(crate) fn on_any_heap<T>(
    spec: &Spec,
    source: impl Source,
    job: impl FnOnce(&mut AnyHeap<'_>) -> T,
) -> Result<T, BuildError> {
    let (mut job, mut output) = (Some(job), None);
    with_dyn_heap(spec, source, Counting::default(), &mut |heap| output = job.take().map(|job| job(heap)))?;
    output.ok_or_else(|| BuildError::Layers(spec.to_string()))
}
