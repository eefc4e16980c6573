//! The layers before any heap, over a heap whose type was taken away.
//!
//! ```text
//!   pool, free lists ──▶ Under::run(heap)        compiled once for every structure: one cast
//!                            │ &mut dyn Heap
//!                            ▼
//!                        wrap: zero, guard, reserve, from the inside out
//!                            │ &mut dyn Heap
//!                            ▼
//!                        Job::run                compiled once for all layered heaps
//! ```
//!
//! Every layer in front of every structure, in every order, would multiply the
//! compiled jobs by sixteen. These layers are for finding faults and for
//! guarantees, so their calls may go through a table: the one place where a
//! replay does. Addresses, accesses and visits are those of the typed form
//! (`tests/layers.rs` compares them); the time includes the table.

use heapsmith::{Guard, Heap, Meter, RegionError, Reserve, Word, Zero};

use super::{BuildError, Job};
use crate::{Layer, Spec, WordSize};

/// The layers of a spec that stand before any heap, outermost first.
pub(super) fn before_any(spec: &Spec) -> &[Layer] {
    match spec.layers.as_slice() {
        [outer @ .., Layer::FreeLists(_)] => outer,
        all => all,
    }
}

/// What is done with the outermost layer.
type Then<'t, M> = &'t mut dyn FnMut(&mut dyn Heap<Meter = M>);

/// Whatever is done under the layers of `spec`. Not generic over the job, so that a
/// structure is compiled for it once and not for every job.
pub(super) struct Under<'s, M> {
    pub spec: &'s Spec,
    /// The most bytes that the region can have.
    pub region: usize,
    pub then: Then<'s, M>,
}

impl<M: Meter> Job<M> for Under<'_, M> {
    type Output = Result<(), BuildError>;

    fn run<H: Heap<Meter = M>>(self, mut heap: H) -> Self::Output {
        self.wrap(&mut heap)
    }
}

impl<M: Meter> Under<'_, M> {
    fn wrap(self, heap: &mut dyn Heap<Meter = M>) -> Result<(), BuildError> {
        let layers = before_any(self.spec);
        match self.spec.word {
            WordSize::Two => self.wrap_in::<u16>(layers, heap),
            WordSize::Four => self.wrap_in::<u32>(layers, heap),
            WordSize::Eight => self.wrap_in::<u64>(layers, heap),
        }
    }

    /// Puts the innermost of `layers` before `heap`, and so on outwards.
    fn wrap_in<W: Word>(self, layers: &[Layer], heap: &mut dyn Heap<Meter = M>) -> Result<(), BuildError> {
        let Some((layer, outer)) = layers.split_last() else {
            (self.then)(heap);
            return Ok(());
        };
        // A layer sees no more than the heap below it, which has taken what there is.
        let region = self.region;
        let too_small = |error| match error {
            RegionError::TooSmall { needed, .. } => {
                RegionError::TooSmall { needed: needed.max(region.saturating_add(1)), given: region }
            }
            other => other,
        };
        match layer {
            Layer::Zero => self.wrap_in::<W>(outer, &mut Zero::new(heap)),
            Layer::Guard(guard) => {
                let quarantine = guard.quarantine as usize;
                let mut guard =
                    Guard::<W, _>::new(heap, self.spec.alignment as usize, quarantine).map_err(too_small)?;
                self.wrap_in::<W>(outer, &mut guard)
            }
            Layer::Reserve(reserve) => {
                let mut reserve = Reserve::<W, _>::new(heap, region, reserve.high).map_err(too_small)?;
                self.wrap_in::<W>(outer, &mut reserve)
            }
            Layer::FreeLists(_) => Err(BuildError::Layers(self.spec.to_string())),
        }
    }
}
