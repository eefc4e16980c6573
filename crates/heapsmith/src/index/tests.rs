//! Random programs of insertions, removals and searches on each index, compared with a list of the free blocks.

use std::vec::Vec;

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;
use crate::block::{header, words_of};
use crate::memory::Memory;
use crate::meter::Unmetered;
use crate::policy::{Coalesce, Fit, PolicyValues};
use crate::source::Fixed;

/// Places where a block may lie.
const SLOTS: usize = 24;
/// Words from one place to the next: no two blocks touch.
const STRIDE: usize = 64;
/// First word of the places: behind all control words.
const FIRST: usize = 1024;

#[derive(Clone, Copy, Debug)]
enum Ask {
    /// A block of this many words becomes free at a place, where none is.
    Insert(usize, usize),
    /// The block at a place is no longer free.
    Remove(usize),
    /// A block of at least this many words.
    Find(usize),
}

fn programs() -> impl Strategy<Value = Vec<Ask>> {
    // Few sizes, so that equal ones meet.
    let words = prop_oneof![4_usize..12, Just(20), Just(32), 4_usize..60];
    let ask = prop_oneof![
        4 => (0..SLOTS, words.clone()).prop_map(|(slot, words)| Ask::Insert(slot, words)),
        3 => (0..SLOTS).prop_map(Ask::Remove),
        3 => words.prop_map(Ask::Find),
    ];
    // Miri takes a minute for what is compiled in a second.
    proptest::collection::vec(ask, 0..if cfg!(miri) { 40 } else { 120 })
}

fn config() -> Config {
    let cases = if cfg!(miri) { 3 } else { Config::default().cases };
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Sizes in words that arithmetic is tried with, from 1; it has nothing that Miri could see.
const SIZES: usize = if cfg!(miri) { 100 } else { 5000 };

/// The blocks that may be found for a request, of those that are free in the order of their insertion.
type Expected<I> = fn(&I, &[Span], usize) -> Vec<Span>;

fn agrees<I: Index>(mut index: I, fit: Fit, program: &[Ask], expected: Expected<I>) {
    let policy = PolicyValues { alignment: 4, fit, coalesce: Coalesce::Never, ..PolicyValues::DEFAULT };
    let mut words = std::vec![core::mem::MaybeUninit::<u32>::uninit(); FIRST + SLOTS * STRIDE];
    let mut memory = Memory::<u32, _, _>::new(Fixed::new(&mut words), Unmetered).expect("aligned");
    assert!(control::INDEX + index.control_words(&policy, 32) < FIRST);
    index.clear(&mut memory, &policy, FIRST);
    let mut free: Vec<Span> = Vec::new();
    for &ask in program {
        match ask {
            Ask::Insert(slot, words) => {
                let block = Span { at: FIRST + slot * STRIDE, words };
                if free.iter().any(|other| other.at == block.at) {
                    continue;
                }
                memory.store(block.at - 1, header(words, 0));
                index.insert(&mut memory, &policy, block, None);
                free.push(block);
            }
            Ask::Remove(slot) => {
                let Some(place) = free.iter().position(|block| block.at == FIRST + slot * STRIDE) else { continue };
                index.remove(&mut memory, &policy, free.remove(place));
            }
            Ask::Find(need) => {
                let found = index.find(&mut memory, &policy, need);
                let found = found.map(|found| Span { at: found.at, words: words_of(found.header) });
                let expected = expected(&index, &free, need);
                match found {
                    Some(found) => assert!(expected.contains(&found), "{found:?} for {need}, not of {expected:?}"),
                    None => assert_eq!(expected, [], "nothing for {need}"),
                }
            }
        }
        index.check(&memory, &policy, free.len()).expect("sound");
    }
}

fn serving(free: &[Span], need: usize) -> impl DoubleEndedIterator<Item = Span> + '_ {
    free.iter().copied().filter(move |block| block.words >= need)
}

fn last_freed<I>(_: &I, free: &[Span], need: usize) -> Vec<Span> {
    serving(free, need).next_back().into_iter().collect()
}

fn first_freed<I>(_: &I, free: &[Span], need: usize) -> Vec<Span> {
    serving(free, need).next().into_iter().collect()
}

fn lowest<I>(_: &I, free: &[Span], need: usize) -> Vec<Span> {
    serving(free, need).min_by_key(|block| block.at).into_iter().collect()
}

fn smallest<I>(_: &I, free: &[Span], need: usize) -> Vec<Span> {
    let words = serving(free, need).map(|block| block.words).min();
    serving(free, need).filter(|block| Some(block.words) == words).collect()
}

fn largest<I>(_: &I, free: &[Span], need: usize) -> Vec<Span> {
    let words = serving(free, need).map(|block| block.words).max();
    serving(free, need).filter(|block| Some(block.words) == words).collect()
}

fn any<I>(_: &I, free: &[Span], need: usize) -> Vec<Span> {
    serving(free, need).collect()
}

/// The last freed of the first list from the request's on: what is below that list is passed over.
fn good(index: &TwoLevel, free: &[Span], need: usize) -> Vec<Span> {
    let list = free.iter().map(|block| index.list_of(block.words)).filter(|&list| list >= index.first_list(need)).min();
    free.iter().copied().rfind(|block| Some(index.list_of(block.words)) == list).into_iter().collect()
}

fn in_bins<K>(bin: K) -> Bins<SpacedBins, K>
where
    K: Bin,
{
    let spacing = Spacing::Exact { from: 8, step: 16, count: 4, per_doubling: 2 };
    Bins::new(SpacedBins::new(spacing, 4), bin)
}

const BEST: Fit = Fit::Best { depth: 100 };

proptest! {
    #![proptest_config(config())]

    #[test]
    fn lists_find_what_their_order_and_fit_say(program in programs()) {
        agrees(Lifo::new(), Fit::First, &program, last_freed);
        agrees(Fifo::new(), Fit::First, &program, first_freed);
        agrees(AddressOrder::new(), Fit::First, &program, lowest);
        agrees(Lifo::new(), BEST, &program, smallest);
        agrees(Fifo::new(), Fit::Best { depth: 30 }, &program, any);
        agrees(AddressOrder::new(), Fit::Worst, &program, largest);
        agrees(AddressOrder::new(), Fit::Next, &program, any);
    }

    #[test]
    fn trees_and_skip_lists_find_the_smallest_block_that_serves(program in programs()) {
        agrees(BySize::new(RedBlack), BEST, &program, smallest);
        agrees(BySize::new(SkipList::new(1, SkipList::MAX_LEVELS)), BEST, &program, smallest);
        agrees(BySize::new(SkipList::new(7, 1)), BEST, &program, smallest);
    }

    #[test]
    fn two_levels_find_the_first_block_of_a_list_that_serves_for_certain(program in programs()) {
        for second in [0, 1, 3, 5] {
            agrees(TwoLevel::new(second, 60), BEST, &program, good);
        }
    }

    #[test]
    fn bins_find_whatever_serves_and_sorted_ones_the_smallest(program in programs()) {
        agrees(in_bins(BinList::new(BinOrder::Lifo)), Fit::First, &program, any);
        agrees(in_bins(BinList { order: BinOrder::Fifo, tries: 1 }), Fit::First, &program, any);
        agrees(in_bins(BinList::new(BinOrder::Size)), Fit::First, &program, smallest);
        agrees(in_bins(RedBlack), Fit::First, &program, smallest);
        agrees(in_bins(SkipList::new(3, SkipList::BIN_LEVELS)), Fit::First, &program, smallest);
        agrees(Bins::new(SpacedBins::new(Spacing::Lea, 4), RedBlack), Fit::First, &program, smallest);
    }
}

#[test]
fn a_list_of_two_levels_holds_what_a_request_for_it_takes() {
    for second in 0..=TwoLevel::MAX_SECOND {
        let index = TwoLevel::new(second, 1 << 20);
        for need in 1..SIZES {
            let list = index.first_list(need);
            assert!(index.list_of(need) <= list && list <= index.list_of(need) + 1, "{need} words, second={second}");
            // The least size in the list serves the request.
            let min = (need..).find(|&words| index.list_of(words) == list).expect("lists have no gaps");
            assert!(min < need + (need >> second) + 2, "{min} for {need}, second={second}");
        }
    }
}

#[test]
fn every_block_size_has_a_bin_and_bins_ascend() {
    for spacing in [
        Spacing::Lea,
        Spacing::Exact { from: 8, step: 24, count: 10, per_doubling: 0 },
        Spacing::Exact { from: 8, step: 16, count: 4, per_doubling: 3 },
        Spacing::Exact { from: 4, step: 1, count: 0, per_doubling: 4 },
        Spacing::Exact { from: usize::MAX, step: usize::MAX, count: 3, per_doubling: 8 },
    ] {
        let bins = SpacedBins::new(spacing, 4);
        let mut last = 0;
        for words in (1..SIZES).chain((13..29).map(|shift| 1 << shift)).chain([<u64 as Word>::MAX_WORDS]) {
            let bin = bins.bin_of(words);
            assert!((last..bins.bins()).contains(&bin), "{words} words of {spacing:?}: bin {bin}");
            last = bin;
        }
    }
}

#[test]
#[should_panic(expected = "no bin")]
fn bins_that_begin_above_the_smallest_block_are_refused() {
    SpacedBins::new(Spacing::Exact { from: 100, step: 1, count: 0, per_doubling: 4 }, 4);
}

#[test]
#[should_panic(expected = "divided too often")]
fn a_power_of_two_is_not_divided_without_end() {
    TwoLevel::new(60, 100);
}
