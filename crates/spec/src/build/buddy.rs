//! Buddy heaps from a spec.

use heapsmith::parts::{Buddies, Checked, Estranged, Growth, Knuth, OneBlock, Recombination, Wilderness};
use heapsmith::{FreeLists, Handles, Meter, Source, Word};

use super::{BuildError, Job, Parts, listed_by, table};
use crate::{Buddy, BuddySystem, Check, Defragment, Grow, Layer, Pool, Spec, Start, WordSize};

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
    let ([], Pool::Buddy(buddy @ Buddy { defragment: Defragment::OnDemand, .. })) =
        (spec.layers.as_slice(), &spec.pool)
    else {
        return Err(BuildError::NoHandles(spec.to_string()));
    };
    let alignment = spec.alignment as usize;
    macro_rules! run {
        ($system:ty, $start:ty) => {
            Buddies::<W, $system, S, M, true, $start>::from_parts(source, alignment, meter)
                .map(|heap| job.run(heap.gluing(glued(buddy)).growing(growth(buddy))))
        };
    }
    Ok(match (buddy.system, buddy.start) {
        (BuddySystem::Knuth, Start::Wilderness) => run!(Knuth, Wilderness),
        (BuddySystem::Estranged, Start::Wilderness) => run!(Estranged, Wilderness),
        (BuddySystem::Knuth, Start::OneBlock) => run!(Knuth, OneBlock),
        (BuddySystem::Estranged, Start::OneBlock) => run!(Estranged, OneBlock),
    }?)
}

/// The most pairs that wait.
fn glued(buddy: &Buddy) -> usize {
    buddy.glue.max().map_or(usize::MAX, |pairs| pairs as usize)
}

/// When the heap grows.
fn growth(buddy: &Buddy) -> Growth {
    match buddy.grow {
        Grow::AfterGluing => Growth::AfterGluing,
        Grow::BeforeGluing => Growth::BeforeGluing,
    }
}

/// Words of the block that serves a request of `size` bytes.
pub(crate) fn words_for(buddy: &Buddy, spec: &Spec, size: u64) -> Option<usize> {
    let (alignment, size) = (spec.alignment as usize, usize::try_from(size).ok()?);
    match spec.word {
        WordSize::Two => words::<u16>(buddy, alignment, size),
        WordSize::Four => words::<u32>(buddy, alignment, size),
        WordSize::Eight => words::<u64>(buddy, alignment, size),
    }
}

fn words<W: Word>(buddy: &Buddy, alignment: usize, size: usize) -> Option<usize> {
    // System, source and meter have no part in it.
    macro_rules! words {
        ($handles:literal, $start:ty) => {
            Buddies::<W, Knuth, heapsmith::Fixed<'static>, heapsmith::Unmetered, $handles, $start>::words_for_size(
                alignment, size,
            )
        };
    }
    match (buddy.defragment, buddy.start) {
        (Defragment::Never, Start::Wilderness) => words!(false, Wilderness),
        (Defragment::Never, Start::OneBlock) => words!(false, OneBlock),
        (Defragment::OnDemand, Start::Wilderness) => words!(true, Wilderness),
        (Defragment::OnDemand, Start::OneBlock) => words!(true, OneBlock),
    }
}

impl<'a, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>> Parts<'_, 'a, S, M, J> {
    pub(crate) fn buddy<W: Word>(self, buddy: &Buddy) -> Result<J::Output, BuildError> {
        match buddy.system {
            BuddySystem::Knuth => self.buddies::<W, Knuth>(buddy),
            BuddySystem::Estranged => self.buddies::<W, Estranged>(buddy),
        }
    }

    fn buddies<W: Word, R: Recombination>(self, buddy: &Buddy) -> Result<J::Output, BuildError> {
        // Of what no constant leads to, nothing is compiled.
        if J::CHECKED {
            return match (self.spec.check, buddy.start) {
                (Check::Off, _) => Err(BuildError::CheckLeftOut),
                (Check::Header, Start::Wilderness) => self.whole_buddies::<W, R, false, Checked<Wilderness>>(buddy),
                (Check::Header, Start::OneBlock) => self.whole_buddies::<W, R, false, Checked<OneBlock>>(buddy),
            };
        }
        if self.spec.check == Check::Header {
            return Err(BuildError::CheckLeftOut);
        }
        match (buddy.start, buddy.defragment) {
            (Start::Wilderness, Defragment::Never) => self.growing_buddies::<W, R>(buddy),
            (Start::Wilderness, Defragment::OnDemand) => self.whole_buddies::<W, R, true, Wilderness>(buddy),
            (Start::OneBlock, Defragment::Never) => self.whole_buddies::<W, R, false, OneBlock>(buddy),
            (Start::OneBlock, Defragment::OnDemand) => self.whole_buddies::<W, R, true, OneBlock>(buddy),
        }
    }

    /// Those before which no free lists can be.
    fn whole_buddies<W: Word, R: Recombination, const HANDLES: bool, F: heapsmith::parts::Start>(
        self,
        buddy: &Buddy,
    ) -> Result<J::Output, BuildError> {
        let alignment = self.without_free_lists()?.alignment as usize;
        let heap = Buddies::<W, R, S, M, HANDLES, F>::from_parts(self.source, alignment, self.meter)?;
        Ok(self.job.run(heap.gluing(glued(buddy)).growing(growth(buddy))))
    }

    fn growing_buddies<W: Word, R: Recombination>(self, buddy: &Buddy) -> Result<J::Output, BuildError> {
        let Parts { spec, source, meter, storage, job } = self;
        let alignment = spec.alignment as usize;
        match spec.layers.last() {
            None | Some(Layer::Regions(_) | Layer::Guard(_) | Layer::Reserve(_) | Layer::Spans(_) | Layer::Zero) => {
                let heap = Buddies::<W, R, S, M, false>::from_parts(source, alignment, meter)?;
                Ok(job.run(heap.gluing(glued(buddy)).growing(growth(buddy))))
            }
            Some(Layer::FreeLists(layer)) => {
                let map = table(storage, listed_by(&layer.sizes, |size| super::words_for(spec, size)));
                let waiting = layer.waiting();
                let heap =
                    FreeLists::<Buddies<W, R, S, M, false>, _>::before_buddies(source, alignment, meter, map, waiting)?;
                Ok(job.run(heap.flushing(super::flushed(layer)).gluing(glued(buddy)).growing(growth(buddy))))
            }
        }
    }
}
