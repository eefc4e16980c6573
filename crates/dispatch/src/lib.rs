//! Which heaps keep their types, and which are called through a table.
//!
//! ```text
//!                      ┌─ four-byte words ────────▶ Job::run::<BlockPool<…>>   one loop for every structure, compiled
//!   Spec ─▶ with_heap ─┤                                                       where the job is
//!                      └─ other words, layers ─┐
//!   Spec ─▶ with_dyn_heap ─────────────────────┴──▶ &mut dyn Heap              every structure once, compiled here, and
//!                                                                              with check=header in `checked`
//! ```
//!
//! A loop over all structures of one word takes the compiler half a minute, and all structures behind a table as long. So
//! each exists once for all crates: `replay`, `trial` and the crates above them. The crate has nothing else, and needs nothing
//! but specs, so it is compiled while those that read captures and traces are.
//!
//! Addresses, accesses and visits are the same either way. An operation through the table costs a call more.

use heapsmith::{Counting, Fixed, Heap, Source, Unmetered};
use heapsmith_spec::build::{
    BuildError, HeapRef, Job, Storage, in_regions, keep, keep_wide, own_type, with_typed_heap,
};
use heapsmith_spec::{Check, Spec, WordSize};

/// Makes the heap of `spec` over `source` and hands it to `job`, which counts: with its type where its word has four
/// bytes; behind a table where it has two or eight, and behind the layers that go before any heap.
///
/// # Errors
///
/// The region does not suit the heap.
pub fn with_heap<T, J: for<'a> Job<'a, Counting, Output = T>>(
    spec: &Spec,
    mut source: Fixed<'_>,
    job: J,
) -> Result<T, BuildError> {
    // As a heap behind a table has it: without optimisation, the two share their code. It is asked as a heap grows only.
    let source: &mut dyn Source = &mut source;
    match own_type(spec) {
        Some(WordSize::Four) => with_typed_heap::<u32, _, _, _, _>(spec, source, Counting::default(), job),
        _ => with_dyn_heap(spec, source, |heap| job.run(heap)),
    }
}

/// As [`with_heap`] for jobs that are measured by the clock: nothing is counted, and heaps of eight-byte words, which hosts
/// have, keep their types too. Heaps of two-byte words, which are a target's, whose clock is another, and heaps with
/// `check=header` are counted all the same, which takes a third of their time.
///
/// # Errors
///
/// The region does not suit the heap.
pub fn with_timed_heap<T, J>(spec: &Spec, mut source: Fixed<'_>, job: J) -> Result<T, BuildError>
where
    J: for<'a> Job<'a, Unmetered, Output = T> + for<'a> Job<'a, Counting, Output = T>,
{
    let source: &mut dyn Source = &mut source;
    match own_type(spec) {
        Some(WordSize::Four) => with_typed_heap::<u32, _, _, _, _>(spec, source, Unmetered, job),
        Some(WordSize::Eight) => with_typed_heap::<u64, _, _, _, _>(spec, source, Unmetered, job),
        _ if spec.word == WordSize::Two || spec.check != Check::Off => {
            with_dyn_heap(spec, source, |heap| job.run(heap))
        }
        _ => uncounted(spec, source, &Storage::new()).map(|heap| job.run(heap)),
    }
}

/// Makes the heap of `spec` over `source` and hands it to `job` without its type, for all that speed is not the point of.
///
/// # Errors
///
/// The region does not suit the heap.
pub fn with_dyn_heap<T>(
    spec: &Spec,
    mut source: impl Source,
    job: impl FnOnce(&mut dyn Heap<Meter = Counting>) -> T,
) -> Result<T, BuildError> {
    counted(spec, &mut source, &Storage::new()).map(job)
}

/// Makes the heap of `spec` over `source` and keeps it in `storage`, without its type: for who has several heaps at once. Not
/// generic, so that every structure is compiled here.
///
/// # Errors
///
/// The region does not suit the heap.
pub fn counted<'a>(
    spec: &Spec,
    source: &'a mut (dyn Source + 'a),
    storage: &'a Storage,
) -> Result<HeapRef<'a, Counting>, BuildError> {
    in_regions(spec, source, storage, |spec, source| match spec.check {
        Check::Off => keep(spec, source, Counting::default(), storage),
        Check::Header => heapsmith_checked::counted(spec, source, storage),
    })
}

/// The same without counts, which would take a third of the time of a heap behind a layer.
fn uncounted<'a>(
    spec: &Spec,
    source: &'a mut (dyn Source + 'a),
    storage: &'a Storage,
) -> Result<HeapRef<'a, Unmetered>, BuildError> {
    in_regions(spec, source, storage, |spec, source| keep_wide(spec, source, Unmetered, storage))
}
