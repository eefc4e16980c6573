//! Strategies that generate valid specs.
//!
//! For property tests here and, behind the feature `arbitrary`, in other crates. Whatever the
//! strategies generate passes [`Spec::validate`].

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Arbitrary, BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};

use crate::ast::{
    BinOrder, Coalescing, Fit, FreeLists, Guard, Layer, Order, Reserve, Sizes, Spec, Splitting, Threads, WordSize,
};
use crate::keyword::Keyword;
use crate::pool::{
    Balance, BinLayout, Bins, Buddy, BuddySystem, Bump, Classes, Defragment, Each, Fixed, HalfFit, List, ListOrder,
    PageSearch, Pages, Pool, Reclaim, SkipList, Stack, Tlsf, Tree, TreeFit, Tries,
};
use crate::validate::{Place, first_fault};

/// The largest size generated. It is below the region of the smallest word, so every pool
/// goes with every word.
const LARGEST: u64 = 8192;

impl Arbitrary for Spec {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        spec().boxed()
    }
}

/// Any heap.
pub fn spec() -> impl Strategy<Value = Spec> {
    let layers = (layers(), option::of(free_lists().prop_map(Layer::FreeLists)));
    let options = select(WordSize::ALL.as_slice()).prop_flat_map(|word| {
        let powers = word.bytes().ilog2()..=Spec::MAX_ALIGNMENT.ilog2();
        // The default as often as all others together: heaps are mostly aligned to the word.
        let alignment = prop_oneof![Just(word.bytes()), powers.prop_map(|power| 1 << power)];
        (Just(word), alignment, self::word::<Threads>())
    });
    (layers, pool(), options)
        .prop_map(|(layers, pool, (word, alignment, threads))| Spec {
            layers: layers.0.into_iter().chain(layers.1).collect(),
            pool,
            word,
            alignment,
            threads,
        })
        .prop_map(without_misfits)
}

/// Any pool.
pub fn pool() -> impl Strategy<Value = Pool> {
    prop_oneof![
        3 => list().prop_map(Pool::List),
        3 => bins().prop_map(Pool::Bins),
        3 => classes().prop_map(Pool::Classes),
        2 => tree().prop_map(Pool::Tree),
        2 => skip_list().prop_map(Pool::SkipList),
        2 => tlsf().prop_map(Pool::Tlsf),
        1 => Just(Pool::HalfFit(HalfFit)),
        2 => buddy().prop_map(Pool::Buddy),
        2 => pages().prop_map(Pool::Pages),
        1 => simple(),
    ]
}

/// Any of the pools without lists.
pub fn simple() -> impl Strategy<Value = Pool> {
    prop_oneof![
        word::<Reclaim>().prop_map(|reclaim| Pool::Bump(Bump { reclaim })),
        Just(Pool::Stack(Stack)),
        (1..=2048_u64).prop_map(|size| Pool::Fixed(Fixed { size })),
    ]
}

/// None to three of the layers that stand before any pool, in any order. Mostly none.
pub fn layers() -> impl Strategy<Value = Vec<Layer>> {
    let guard = prop_oneof![Just(0), 1..=20_u32].prop_map(|quarantine| Layer::Guard(Guard { quarantine }));
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
            _ => break,
        }
    }
    spec
}

/// Any list.
pub fn list() -> impl Strategy<Value = List> {
    (word::<ListOrder>(), fit(), split(), coalesce(), any::<bool>())
        .prop_map(|(order, fit, split, coalesce, tags)| List { order, fit, split, coalesce, tags })
}

/// Any bins.
pub fn bins() -> impl Strategy<Value = Bins> {
    let tries = prop_oneof![Just(Tries::default()), Just(Tries::All), (1..=20_u32).prop_map(Tries::Max)];
    let unsorted = select(vec![BinOrder::Lifo, BinOrder::Fifo]);
    let inside = prop_oneof![
        2 => (unsorted, tries).prop_map(|(order, tries)| (Each::List, order, tries)),
        1 => Just((Each::List, BinOrder::Size, Tries::default())),
        3 => word::<Each>().prop_map(|each| (each, BinOrder::default(), Tries::default())),
    ];
    (layout(), inside, split(), coalesce(), any::<bool>()).prop_map(
        |(layout, (each, order, tries), split, coalesce, tags)| Bins {
            layout,
            each,
            order,
            tries,
            split,
            coalesce,
            tags,
        },
    )
}

/// Any tree.
pub fn tree() -> impl Strategy<Value = Tree> {
    (word::<Balance>(), word::<TreeFit>(), split(), coalesce(), any::<bool>())
        .prop_map(|(balance, fit, split, coalesce, tags)| Tree { balance, fit, split, coalesce, tags })
}

/// Any skip list.
pub fn skip_list() -> impl Strategy<Value = SkipList> {
    (any::<u64>(), split(), coalesce(), any::<bool>()).prop_map(|(seed, split, coalesce, tags)| SkipList {
        seed,
        split,
        coalesce,
        tags,
    })
}

/// Any two-level segregated fit.
pub fn tlsf() -> impl Strategy<Value = Tlsf> {
    (1..=Tlsf::MAX_SECOND_LEVEL, option::of(1..=LARGEST))
        .prop_map(|(second_level, largest)| Tlsf { second_level, largest })
}

/// Any classes.
pub fn classes() -> impl Strategy<Value = Classes> {
    let sizes = rows().prop_map(|rows| rows.into_iter().map(class).collect::<Vec<_>>());
    let beyond = option::of(1..=LARGEST);
    (sizes, beyond).prop_map(|(sizes, beyond)| Classes { sizes, beyond })
}

/// Any buddy system.
pub fn buddy() -> impl Strategy<Value = Buddy> {
    (word::<BuddySystem>(), word::<Defragment>()).prop_map(|(system, defragment)| Buddy { system, defragment })
}

/// Any pages that every word can have.
pub fn pages() -> impl Strategy<Value = Pages> {
    let sizes = (8..=13_u32).prop_flat_map(|page| (Just(page), 3..page));
    (sizes, word::<PageSearch>()).prop_map(|((page, min), search)| Pages { page: 1 << page, min: 1 << min, search })
}

/// Any free lists.
pub fn free_lists() -> impl Strategy<Value = FreeLists> {
    (rows(), word::<Order>()).prop_map(|(sizes, order)| FreeLists { sizes, order })
}

/// A value that has a word.
fn word<K: Keyword + std::fmt::Debug>() -> impl Strategy<Value = K> {
    select(K::WORDS).prop_map(|(_, value)| value)
}

fn fit() -> impl Strategy<Value = Fit> {
    prop_oneof![word::<Fit>(), (1..=100_u8).prop_map(|depth| Fit::Best { depth })]
}

fn split() -> impl Strategy<Value = Splitting> {
    prop_oneof![word::<Splitting>(), (0..=LARGEST).prop_map(Splitting::From)]
}

fn coalesce() -> impl Strategy<Value = Coalescing> {
    prop_oneof![word::<Coalescing>(), (0..=LARGEST).prop_map(Coalescing::From)]
}

fn layout() -> impl Strategy<Value = BinLayout> {
    let per_doubling = || select(BinLayout::PER_DOUBLING_CHOICES.as_slice());
    let exact = (1..=64_u64, 1..=64_u64, 0..=64_u64, option::of(per_doubling()));
    prop_oneof![
        exact.prop_map(|(from, step, steps, then_log)| BinLayout::Exact {
            from,
            to: from + step * steps,
            step,
            then_log,
        }),
        per_doubling().prop_map(|per_doubling| BinLayout::Log { per_doubling }),
        Just(BinLayout::Lea),
    ]
}

/// A few ascending items of sizes that do not overlap.
///
/// Each is generated as a gap to the item before it and a shape, so that every outcome is
/// valid and shrinks towards few and small sizes.
fn rows() -> impl Strategy<Value = Vec<Sizes>> {
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
            Sizes::Doubles { from, to: from << doublings }
        }
    }
}

/// The item as a class, which has one size where a free list may have a range of them.
fn class(sizes: Sizes) -> Sizes {
    match sizes {
        Sizes::Range { to, .. } => Sizes::One(to),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::spec;
    use crate::Spec;

    proptest! {
        #[test]
        fn parsing_what_was_printed_gives_the_spec_back(spec in spec()) {
            prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        }

        #[test]
        fn whatever_is_generated_is_valid(spec in spec()) {
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
