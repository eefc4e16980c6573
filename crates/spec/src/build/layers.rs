//! The layers before any heap, over a heap whose type was taken away.
//!
//! ```text
//!   pool, free lists ──▶ Under::run(heap)        compiled for every structure: one cast
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
//! replay does. Addresses, accesses and visits are those of the typed form; the
//! time is not, and the exploration does not time layered heaps beside others.

use heapsmith::{Guard, Heap, Meter, Reserve, Word, Zero};

use super::{BuildError, Job};
use crate::{Layer, Spec, WordSize};

/// The layers of a spec that stand before any heap, outermost first.
pub(super) fn before_any(spec: &Spec) -> &[Layer] {
    match spec.layers.as_slice() {
        [outer @ .., Layer::FreeLists(_)] => outer,
        all => all,
    }
}

/// A job under the layers of `spec`.
pub(super) struct Under<'s, J> {
    pub spec: &'s Spec,
    /// The most bytes that the region can have.
    pub region: usize,
    pub job: J,
}

impl<M: Meter, J: Job<M>> Job<M> for Under<'_, J> {
    type Output = Result<J::Output, BuildError>;

    fn run<H: Heap<Meter = M>>(self, mut heap: H) -> Self::Output {
        self.wrap(&mut heap)
    }
}

impl<J> Under<'_, J> {
    fn wrap<M: Meter>(self, heap: &mut dyn Heap<Meter = M>) -> Result<J::Output, BuildError>
    where
        J: Job<M>,
    {
        let layers = before_any(self.spec);
        match self.spec.word {
            WordSize::Two => self.wrap_in::<u16, M>(layers, heap),
            WordSize::Four => self.wrap_in::<u32, M>(layers, heap),
            WordSize::Eight => self.wrap_in::<u64, M>(layers, heap),
        }
    }

    /// Puts the innermost of `layers` before `heap`, and so on outwards.
    fn wrap_in<W: Word, M: Meter>(
        self,
        layers: &[Layer],
        heap: &mut dyn Heap<Meter = M>,
    ) -> Result<J::Output, BuildError>
    where
        J: Job<M>,
    {
        let Some((layer, outer)) = layers.split_last() else {
            return Ok(self.job.run(heap));
        };
        match layer {
            Layer::Zero => self.wrap_in::<W, M>(outer, &mut Zero::new(heap)),
            Layer::Guard(guard) => {
                let quarantine = guard.quarantine as usize;
                let mut guard = Guard::<W, _>::new(heap, self.spec.alignment as usize, quarantine)?;
                self.wrap_in::<W, M>(outer, &mut guard)
            }
            Layer::Reserve(reserve) => {
                let mut reserve = Reserve::<W, _>::new(heap, self.region, reserve.high)?;
                self.wrap_in::<W, M>(outer, &mut reserve)
            }
            Layer::FreeLists(_) => Err(BuildError::Layers(self.spec.to_string())),
        }
    }
}
