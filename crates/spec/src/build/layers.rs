//! The layers before any heap, over a heap whose type was taken away.
//!
//! ```text
//!   pool, free lists ──▶ Keep::run(heap)        compiled once for every structure: one cast
//!                            │ &mut dyn Heap, in the arena
//!                            ▼
//!                        before: spans, zero, guard, reserve, from the inside out
//!                            │ &mut dyn Heap, in the arena
//!                            ▼
//!                        Job::run                compiled once for all layered heaps
//! ```
//!
//! Every layer in front of every structure, in every order, would multiply the
//! compiled jobs by sixteen. These layers are for finding faults and for
//! guarantees, so their calls may go through a table: the one place where a
//! replay does. Addresses, accesses and visits are those of the typed form
//! (`tests/it/layers.rs` compares them); the time includes the table.

use heapsmith::parts::{BitmapInside, BitmapOutside, ListInside, SpanType, Spans, largest_in_span};
use heapsmith::{Guard, Heap, Meter, RegionError, Reserve, Word, Zero};

use super::{BuildError, HeapRef, Job, Storage, span_lists, table};
use crate::{FreeBlocks, Layer, Metadata, Spec, WordSize};

/// The layers of a spec that can wrap any heap, outermost first.
pub(super) fn before_any(spec: &Spec) -> &[Layer] {
    match spec.layers.as_slice() {
        [outer @ .., Layer::FreeLists(_)] => outer,
        all => all,
    }
}

/// Keeps a heap in the arena.
pub(super) struct Keep<'a, const CHECKED: bool>(pub &'a Storage);

impl<'a, M: Meter + 'a, const CHECKED: bool> Job<'a, M> for Keep<'a, CHECKED> {
    type Output = HeapRef<'a, M>;

    const CHECKED: bool = CHECKED;

    fn run<H: Heap<Meter = M> + 'a>(self, heap: H) -> HeapRef<'a, M> {
        self.0.alloc(heap)
    }
}

/// Wraps this heap in those layers of `spec` that can wrap any heap. Its region has at most `region` bytes.
pub(super) fn before<'a, M: Meter + 'a>(
    heap: HeapRef<'a, M>,
    spec: &Spec,
    region: usize,
    storage: &'a Storage,
) -> Result<HeapRef<'a, M>, BuildError> {
    before_any(spec).iter().rev().try_fold(heap, |heap, layer| match spec.word {
        WordSize::Two => one::<u16, M>(layer, heap, spec, region, storage),
        WordSize::Four => one::<u32, M>(layer, heap, spec, region, storage),
        WordSize::Eight => one::<u64, M>(layer, heap, spec, region, storage),
    })
}

fn one<'a, W: Word, M: Meter + 'a>(
    layer: &Layer,
    heap: HeapRef<'a, M>,
    spec: &Spec,
    region: usize,
    storage: &'a Storage,
) -> Result<HeapRef<'a, M>, BuildError> {
    // A layer sees no more than the heap below it, which has taken what there is.
    let too_small = |error| match error {
        RegionError::TooSmall { needed, .. } => {
            RegionError::TooSmall { needed: needed.max(region.saturating_add(1)), given: region }
        }
        other => other,
    };
    Ok(match layer {
        Layer::Zero => storage.alloc(Zero::new(heap)),
        Layer::Guard(guard) => {
            let (alignment, quarantine) = (spec.alignment as usize, guard.quarantine as usize);
            storage.alloc(Guard::<W, _>::new(heap, alignment, quarantine).map_err(too_small)?)
        }
        Layer::Reserve(reserve) => storage.alloc(Reserve::<W, _>::new(heap, region, reserve.high).map_err(too_small)?),
        Layer::Spans(layer) => match (layer.free, layer.metadata) {
            (FreeBlocks::List, _) => spans::<W, M, ListInside>(layer, heap, spec, storage).map_err(too_small)?,
            (FreeBlocks::Bitmap, Metadata::Inside) => {
                spans::<W, M, BitmapInside>(layer, heap, spec, storage).map_err(too_small)?
            }
            (FreeBlocks::Bitmap, Metadata::Outside) => {
                spans::<W, M, BitmapOutside>(layer, heap, spec, storage).map_err(too_small)?
            }
        },
        Layer::FreeLists(_) | Layer::Regions(_) => return Err(BuildError::Layers(spec.to_string())),
    })
}

/// Spans of a type before a heap.
fn spans<'a, W: Word, M: Meter + 'a, T: SpanType>(
    layer: &crate::Spans,
    heap: HeapRef<'a, M>,
    spec: &Spec,
    storage: &'a Storage,
) -> Result<HeapRef<'a, M>, RegionError> {
    let map = table(storage, span_lists(spec, layer));
    let (alignment, owners) = (spec.alignment as usize, spec.threads.owners());
    Ok(storage.alloc(Spans::<W, _, _, T>::owned(heap, alignment, map, layer.values(), owners)?))
}

/// Words of the largest block of a span, before a heap with headers of two words at most.
pub(super) fn largest_in_word<W: Word>(spec: &Spec, layer: &crate::Spans) -> usize {
    let (span, header, alignment) = (layer.values().span, 2 * W::BYTES, spec.alignment as usize);
    let min = span_lists(spec, layer).first().map_or(1, |list| list.high);
    if alignment > layer.values().unit() {
        return 0;
    }
    match (layer.free, layer.metadata) {
        (FreeBlocks::List, _) => largest_in_span::<W, ListInside>(span, header, min, alignment),
        (FreeBlocks::Bitmap, Metadata::Inside) => largest_in_span::<W, BitmapInside>(span, header, min, alignment),
        (FreeBlocks::Bitmap, Metadata::Outside) => largest_in_span::<W, BitmapOutside>(span, header, min, alignment),
    }
}
