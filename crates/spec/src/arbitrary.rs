//! Strategies that generate valid specs.
//!
//! For property tests here and, behind the feature `arbitrary`, in other crates. Whatever the
//! strategies generate passes [`Spec::validate`]. Those of a pool are in its file in `pool`.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};

use crate::ast::{
    Check, Delay, EmptySpans, Flush, FreeBlocks, FreeLists, Guard, GuardPages, HugePages, Layer, Metadata, NamedRegion,
    NextSpan, Order, Purge, Regions, Reserve, Sizes, Spans, Spec, Threads, WordSize,
};
use crate::keyword::Keyword;
use crate::pool::{ChunkHead, Pool};
use crate::validate::{Place, first_fault};

/// The largest size generated. It is below the region of the smallest word, so every pool
/// goes with every word.
pub(crate) const LARGEST: u64 = 8192;

/// Lets `any` generate the values of a type by a strategy.
macro_rules! generated {
    ($type:ty, $strategy:expr) => {
        impl proptest::arbitrary::Arbitrary for $type {
            type Parameters = ();
            type Strategy = proptest::strategy::BoxedStrategy<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                proptest::strategy::Strategy::boxed($strategy)
            }
        }
    };
}

pub(crate) use generated;

generated!(Spec, spec());

/// Any heap.
pub fn spec() -> impl Strategy<Value = Spec> {
    // A third of the heaps have spans.
    let spans = prop_oneof![2 => Just(None), 1 => spans().prop_map(Some)].prop_map(|spans| spans.map(Layer::Spans));
    let layers = (layers(), spans, option::of(free_lists().prop_map(Layer::FreeLists)));
    let options = select(WordSize::ALL.as_slice()).prop_flat_map(|word| {
        let powers = word.bytes().ilog2()..=Spec::MAX_ALIGNMENT.ilog2();
        // The default as often as all others together: heaps are mostly aligned to the word.
        let alignment = prop_oneof![Just(word.bytes()), powers.prop_map(|power| 1 << power)];
        (Just(word), alignment, threads(), (purge(), huge()))
    });
    (layers, any::<Pool>(), options)
        .prop_map(|(layers, pool, (word, alignment, threads, (purge, huge)))| Spec {
            layers: layers.0.into_iter().chain(layers.1).chain(layers.2).collect(),
            pool,
            word,
            alignment,
            threads,
            purge,
            huge,
            check: Check::Off,
        })
        .prop_map(without_misfits)
}

/// Any heap in one to three regions of a few kilobytes, with any costs and thresholds.
pub fn in_regions() -> impl Strategy<Value = Spec> {
    (spec(), regions()).prop_filter_map("a pool that goes with regions", |(mut spec, regions)| {
        spec.layers.insert(0, Layer::Regions(regions));
        let step = u64::from(spec.alignment);
        for region in spec.layers.iter_mut().flat_map(|layer| match layer {
            Layer::Regions(regions) => regions.regions.as_mut_slice(),
            _ => &mut [],
        }) {
            region.size = region.size.next_multiple_of(step);
        }
        Some(without_misfits(spec)).filter(|spec| spec.regions().is_some())
    })
}

/// Any regions.
pub fn regions() -> impl Strategy<Value = Regions> {
    let region = (1..=4_u64, option::of(1..=600_u64), prop_oneof![Just(1), 2..=20_u32]);
    vec(region, 1..=3).prop_map(|regions| {
        let named = |(name, (kilobytes, up_to, cost)): (&str, (u64, Option<u64>, u32))| NamedRegion {
            name: name.to_owned(),
            size: kilobytes << 10,
            cost,
            up_to,
        };
        Regions { regions: ["tcm", "sram", "psram"].into_iter().zip(regions).map(named).collect() }
    })
}

/// Any way that threads share a heap.
fn threads() -> impl Strategy<Value = Threads> {
    prop_oneof![3 => word::<Threads>(), 1 => any::<u32>().prop_map(Threads::ListsWithin)]
}

/// Any time at which memory goes back.
fn purge() -> impl Strategy<Value = Purge> {
    let delay = || {
        let number = || 1..=u32::MAX;
        prop_oneof![number().prop_map(Delay::Frees), number().prop_map(Delay::Milliseconds)]
    };
    prop_oneof![
        3 => Just(Purge::Top),
        1 => Just(Purge::Never),
        1 => delay().prop_map(Purge::After),
        1 => delay().prop_map(Purge::Lazy)
    ]
}

/// Any memory in huge pages.
fn huge() -> impl Strategy<Value = HugePages> {
    prop_oneof![3 => Just(HugePages::Off), 1 => any::<u64>().prop_map(HugePages::From)]
}

/// None to three of the layers that can wrap any pool, in any order. Mostly none.
pub fn layers() -> impl Strategy<Value = Vec<Layer>> {
    let pages = select(vec![GuardPages::Off, GuardPages::Sampled, GuardPages::All]);
    let guard = (prop_oneof![Just(0), 1..=20_u32], pages)
        .prop_map(|(quarantine, pages)| Layer::Guard(Guard { quarantine, pages }));
    let reserve = (1..=99_u8).prop_map(|high| Layer::Reserve(Reserve { high }));
    let some = (guard, reserve)
        .prop_flat_map(|(guard, reserve)| subsequence(vec![guard, reserve, Layer::Zero], 1..=3).prop_shuffle());
    prop_oneof![2 => Just(Vec::new()), 1 => some]
}

/// The heap without the layers and ways of threads that do not suit what is below them.
fn without_misfits(mut spec: Spec) -> Spec {
    while let Some(fault) = first_fault(&spec) {
        match fault.place {
            Place::Layer(number) => drop(spec.layers.remove(number)),
            Place::Threads => spec.threads = Threads::default(),
            Place::ChunkHeader => {
                let Pool::Chunks(chunks) = &mut spec.pool else { break };
                chunks.header = ChunkHead::Words(2);
            }
            _ => break,
        }
    }
    spec
}

/// Any free lists.
pub fn free_lists() -> impl Strategy<Value = FreeLists> {
    let flush = prop_oneof![3 => Just(Flush::All), 1 => (1..=40_u32).prop_map(Flush::Bounded)];
    // What is last in, first out may be a magazine.
    let places = prop_oneof![2 => Just(None), 1 => (1..=4_u32).prop_map(Some)];
    (rows(), word::<Order>(), flush, places).prop_map(|(sizes, order, flush, places)| {
        let magazine = places.filter(|_| order == Order::Lifo);
        FreeLists { sizes, order, flush, magazine }
    })
}

/// Any spans. Their classes fit half a span, and with an alignment that a span has no room for they are left out.
pub fn spans() -> impl Strategy<Value = Spans> {
    let kinds = vec![
        (FreeBlocks::List, Metadata::Inside),
        (FreeBlocks::Bitmap, Metadata::Inside),
        (FreeBlocks::Bitmap, Metadata::Outside),
    ];
    let empty = prop_oneof![Just(EmptySpans::Return), (1..=3_u32).prop_map(EmptySpans::Keep)];
    (rows(), select(vec![256_u64, 512, 1024, 4096, 8192]), select(kinds), word::<NextSpan>(), empty).prop_map(
        |(rows, span, (free, metadata), next, empty)| {
            let fits = |sizes: &Sizes| sizes.span().is_some_and(|(_, high)| high <= span / 2);
            let mut sizes: Vec<_> = rows.into_iter().map(as_class).filter(fits).collect();
            if sizes.is_empty() {
                sizes.push(Sizes::One(span / 16));
            }
            Spans { sizes, span, free, next, empty, metadata }
        },
    )
}

/// The item as classes, which have one size where a free list may have a range of them.
pub(crate) fn as_class(sizes: Sizes) -> Sizes {
    match sizes {
        Sizes::Range { to, .. } => Sizes::One(to),
        other => other,
    }
}

/// A value that has a word.
pub(crate) fn word<K: Keyword + std::fmt::Debug>() -> impl Strategy<Value = K> {
    select(K::WORDS).prop_map(|(_, value)| value)
}

/// A few ascending items of sizes that do not overlap.
///
/// Each is generated as a gap to the item before it and a shape, so that every outcome is
/// valid and shrinks towards few and small sizes.
pub(crate) fn rows() -> impl Strategy<Value = Vec<Sizes>> {
    let shape = (0..4_u8, 1..=16_u64, 0..=8_u64);
    vec((0..=256_u64, shape), 1..=4).prop_map(|rows| {
        let mut served = 0;
        let mut sizes = Vec::new();
        for (gap, (shape, step, count)) in rows {
            let item = row(served + gap + 1, shape, step, count);
            served = item.span().map_or(served, |(_, high)| high);
            sizes.push(item);
            // Doubling grows fast; what comes after it would leave the region.
            if served > LARGEST / 2 {
                break;
            }
        }
        sizes
    })
}

/// An item whose smallest request is at least `low`.
fn row(low: u64, shape: u8, step: u64, count: u64) -> Sizes {
    match shape {
        0 => Sizes::One(low),
        1 => Sizes::Range { from: low, to: low + step * count },
        2 => {
            let from = low + step - 1;
            Sizes::Steps { from, to: from + step * count, step }
        }
        _ => {
            // The first list reaches down to half of its size.
            let from = low * 2;
            let doublings = (LARGEST / from).max(1).ilog2().min(count as u32);
            // Powers of two divide what they are no larger than the lowest bit of.
            let parts = 1 << (step.ilog2().min(from.trailing_zeros()));
            Sizes::Doubles { from, to: from << doublings, parts }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use proptest::prop_oneof;

    use super::{in_regions, spec};
    use crate::Spec;

    proptest! {
        #[test]
        fn parsing_what_was_printed_gives_the_spec_back(spec in prop_oneof![spec(), in_regions()]) {
            prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        }

        #[test]
        fn whatever_is_generated_is_valid(spec in prop_oneof![spec(), in_regions()]) {
            prop_assert_eq!(spec.validate(), Ok(()));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,40}") {
            if let Err(error) = text.parse::<Spec>() {
                let _ = error.to_string();
            }
        }

        #[test]
        fn texts_of_the_grammar_settle_after_one_printing(
            text in "(freelists\\([0-9]{1,3}(,[0-9]{3}){0,2}\\) )?(list|bins|classes)\
                     (\\((fit=best|lea|exact 8\\.\\.=64 step 8|64,128|split>=[0-9]{1,3}K?)\
                     (, ?(order=(lifo|fifo|size)|coalesce>=[0-9]{1,2}|tags=(on|off))){0,2}\\))?\
                     ( word=[248])?( align=(8|16))?"
        ) {
            match text.parse::<Spec>() {
                Ok(spec) => {
                    let printed = spec.to_string();
                    prop_assert_eq!(printed.parse::<Spec>().unwrap().to_string(), printed);
                }
                Err(error) => assert!(error.column <= text.chars().count() + 1),
            }
        }
    }
}
