//! Buddy heaps from a spec.

use heapsmith::parts::{Buddies, Estranged, Knuth, Recombination};
use heapsmith::{FreeLists, Handles, Meter, Source, Word};

use super::{BuildError, Job, Parts, listed_by, table};
use crate::{Buddy, BuddySystem, Defragment, Layer, Pool, Spec, WordSize};

/// A job with a heap that moves blocks.
pub trait HandlesJob<M: Meter> {
    /// Its result.
    type Output;
    /// Runs the job.
    fn run<H: Handles<Meter = M>>(self, heap: H) -> Self::Output;
}

/// Makes the heap of `spec`, if it moves blocks, and passes it to `job`.
pub fn with_handles<S: Source, M: Meter, J: HandlesJob<M>>(
    spec: &Spec,
    source: S,
    meter: M,
    job: J,
) -> Result<J::Output, BuildError> {
    match spec.word {
        WordSize::Two => handles_in::<u16, S, M, J>(spec, source, meter, job),
        WordSize::Four => handles_in::<u32, S, M, J>(spec, source, meter, job),
        WordSize::Eight => handles_in::<u64, S, M, J>(spec, source, meter, job),
    }
}

fn handles_in<W: Word, S: Source, M: Meter, J: HandlesJob<M>>(
    spec: &Spec,
    source: S,
    meter: M,
    job: J,
) -> Result<J::Output, BuildError> {
    let alignment = spec.alignment as usize;
    match (spec.layers.as_slice(), &spec.pool) {
        ([], Pool::Buddy(Buddy { system, defragment: Defragment::OnDemand })) => match system {
            BuddySystem::Knuth => Ok(job.run(Buddies::<W, Knuth, S, M, true>::from_parts(source, alignment, meter)?)),
            BuddySystem::Estranged => {
                Ok(job.run(Buddies::<W, Estranged, S, M, true>::from_parts(source, alignment, meter)?))
            }
        },
        _ => Err(BuildError::NoHandles(spec.to_string())),
    }
}

/// Words of the block that serves a request of `size` bytes.
pub(crate) fn words_for(buddy: &Buddy, spec: &Spec, size: u64) -> Option<usize> {
    let (alignment, size) = (spec.alignment as usize, usize::try_from(size).ok()?);
    match (spec.word, buddy.defragment) {
        (WordSize::Two, Defragment::Never) => words::<u16, false>(alignment, size),
        (WordSize::Two, Defragment::OnDemand) => words::<u16, true>(alignment, size),
        (WordSize::Four, Defragment::Never) => words::<u32, false>(alignment, size),
        (WordSize::Four, Defragment::OnDemand) => words::<u32, true>(alignment, size),
        (WordSize::Eight, Defragment::Never) => words::<u64, false>(alignment, size),
        (WordSize::Eight, Defragment::OnDemand) => words::<u64, true>(alignment, size),
    }
}

fn words<W: Word, const HANDLES: bool>(alignment: usize, size: usize) -> Option<usize> {
    // Source and meter have no part in it.
    Buddies::<W, Knuth, heapsmith::Fixed<'static>, heapsmith::Unmetered, HANDLES>::words_for_size(alignment, size)
}

impl<'a, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>> Parts<'_, 'a, S, M, J> {
    pub(crate) fn buddy<W: Word>(self, buddy: &Buddy) -> Result<J::Output, BuildError> {
        match (buddy.system, buddy.defragment) {
            (BuddySystem::Knuth, Defragment::Never) => self.fixed_buddies::<W, Knuth>(),
            (BuddySystem::Estranged, Defragment::Never) => self.fixed_buddies::<W, Estranged>(),
            (BuddySystem::Knuth, Defragment::OnDemand) => self.movable_buddies::<W, Knuth>(),
            (BuddySystem::Estranged, Defragment::OnDemand) => self.movable_buddies::<W, Estranged>(),
        }
    }

    fn movable_buddies<W: Word, R: Recombination>(self) -> Result<J::Output, BuildError> {
        let alignment = self.without_free_lists()?.alignment as usize;
        Ok(self.job.run(Buddies::<W, R, S, M, true>::from_parts(self.source, alignment, self.meter)?))
    }

    fn fixed_buddies<W: Word, R: Recombination>(self) -> Result<J::Output, BuildError> {
        let Parts { spec, source, meter, storage, job } = self;
        let alignment = spec.alignment as usize;
        match spec.layers.last() {
            None | Some(Layer::Guard(_) | Layer::Reserve(_) | Layer::Zero) => {
                Ok(job.run(Buddies::<W, R, S, M, false>::from_parts(source, alignment, meter)?))
            }
            Some(Layer::FreeLists(layer)) => {
                let map = table(storage, listed_by(&layer.sizes, |size| super::words_for(spec, size)));
                let order = layer.order;
                let heap =
                    FreeLists::<Buddies<W, R, S, M, false>, _>::before_buddies(source, alignment, meter, map, order)?;
                Ok(job.run(heap.flushing(super::flushed(layer))))
            }
        }
    }
}
