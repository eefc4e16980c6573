use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{Action, Bytes, Event, Origin, PackedTrace, Trace};

/// A trace of a random program: each step allocates, reallocates or frees the block of an id.
fn program() -> impl Strategy<Value = PackedTrace> {
    proptest::collection::vec((0_u64..8, 0_u64..4, 0_u64..60), 1..120).prop_map(|steps| {
        let mut trace = Trace::new(Origin::new("random", ""));
        let mut live = std::collections::HashSet::new();
        for (index, (id, choice, size)) in steps.into_iter().enumerate() {
            let size = Bytes(size);
            let action = match (live.contains(&id), choice) {
                (false, _) => Action::Allocate { id, size, alignment: 0 },
                (true, 0) => Action::Reallocate { id, size },
                (true, _) => Action::Free { id },
            };
            match action {
                Action::Free { .. } => live.remove(&id),
                _ => live.insert(id),
            };
            trace.events.push(Event::at(index as u64, action));
        }
        PackedTrace::new(&trace).expect("a sound trace")
    })
}

/// Up to nine sizes with their live blocks, some of which never live for an operation.
fn few_sizes() -> impl Strategy<Value = LiveSizes> {
    let live = prop_oneof![Just(0_u128), 1_u128..5, 1_u128..1000];
    proptest::collection::btree_map(1_u64..300, live, 1..10).prop_map(sizes_of)
}

fn sizes_of(sizes: BTreeMap<u64, u128>) -> LiveSizes {
    let sizes = sizes.into_iter().map(|(size, live)| LiveSize { size: Bytes(size), live }).collect();
    LiveSizes { sizes, operations: 100 }
}

/// The smallest excess of all sets of this many sizes, the largest among them.
fn by_brute_force(sizes: &LiveSizes, classes: usize) -> u128 {
    let last = sizes.sizes.len() - 1;
    let sets = (0..1_u32 << last).filter(|set| set.count_ones() as usize + 1 == classes);
    let set = |set: u32| {
        let chosen = (0..=last).filter(|&index| index == last || set >> index & 1 == 1);
        chosen.map(|index| sizes.sizes[index].size).collect::<Vec<Bytes>>()
    };
    sets.map(|bits| sizes.excess(&set(bits))).min().expect("there is a set")
}

/// The sizes of the live blocks after each operation, in any order.
fn live_after_each(trace: &PackedTrace) -> Vec<Vec<u64>> {
    let mut slots = BTreeMap::new();
    let each = trace.events.iter().map(|event| {
        match event.operation {
            crate::Operation::Free => slots.remove(&event.slot),
            _ => slots.insert(event.slot, event.size.max(1)),
        };
        slots.values().copied().collect()
    });
    each.collect()
}

proptest! {
    #[test]
    fn pools_serve_their_trace_and_none_has_a_block_too_many(trace in program(), count in 1_usize..5, alignment in 1_u64..9) {
        let pools = FixedPools::optimal(&trace, count, alignment);
        prop_assert_eq!(pools.serves(&trace), Ok(()));
        prop_assert!(pools.is_tight(&trace));
        for pool in 0..pools.pools.len() {
            let mut fewer = pools.clone();
            fewer.pools[pool].blocks = fewer.pools[pool].blocks.saturating_sub(1);
            prop_assert!(pools.pools[pool].blocks == 0 || fewer.serves(&trace).is_err());
        }
    }

    #[test]
    fn no_set_of_classes_is_better(sizes in few_sizes()) {
        let distinct = sizes.sizes.len();
        for classes in 1..=distinct {
            let chosen = sizes.optimal(classes);
            prop_assert_eq!(chosen.len(), classes);
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", chosen);
            prop_assert_eq!(chosen.last(), sizes.sizes.last().map(|size| &size.size));
            prop_assert_eq!(sizes.excess(&chosen), by_brute_force(&sizes, classes), "{} classes: {:?}", classes, chosen);
        }
        prop_assert_eq!(sizes.optimal(distinct + 5), sizes.optimal(distinct));
        prop_assert_eq!(sizes.excess(&sizes.optimal(distinct)), 0);
    }

    #[test]
    fn live_blocks_are_those_after_each_operation(one in program(), other in program(), align in 0_u32..5) {
        let block = |size: u64| size.next_multiple_of(1 << align);
        let mut counted: BTreeMap<u64, u128> = BTreeMap::new();
        let both = [one, other];
        for trace in &both {
            // A size counts where a block has it, also one that was gone after the same operation.
            let requests = trace.events.iter().filter(|event| event.operation != crate::Operation::Free);
            for event in requests {
                counted.entry(block(event.size.max(1))).or_default();
            }
            let live = live_after_each(trace).concat();
            live.into_iter().for_each(|size| *counted.entry(block(size)).or_default() += 1);
        }
        let found = LiveSizes::of(&both).rounded(|size| Some(Bytes(block(size.0))));
        let found: BTreeMap<u64, u128> = found.sizes.iter().map(|size| (size.size.0, size.live)).collect();
        prop_assert_eq!(found, counted);
    }

    #[test]
    fn pools_hold_every_live_block_and_no_more(trace in program(), count in 1_usize..5) {
        let sizes = LiveSizes::of(std::slice::from_ref(&trace)).rounded(|size| Some(Bytes(size.0.next_multiple_of(8))));
        let classes = sizes.optimal(count);
        let pools = FixedPools::of(&trace, &classes);
        prop_assert_eq!(pools.operations, trace.events.len() as u64);
        let live = live_after_each(&trace);
        let mut excess = 0;
        for (index, pool) in pools.pools.iter().enumerate() {
            let serves = |size: &u64| (pool.from.0..=pool.block.0).contains(size);
            let each: Vec<Vec<u64>> =
                live.iter().map(|live| live.iter().copied().filter(serves).collect()).collect();
            prop_assert_eq!(pool.blocks, each.iter().map(Vec::len).max().unwrap_or(0) as u64);
            prop_assert_eq!(pool.live, each.iter().map(Vec::len).sum::<usize>() as u128);
            prop_assert_eq!(pool.block, classes[index]);
            excess += u128::from(pool.block.0) * pool.live - pool.requested;
        }
        prop_assert_eq!(pools.pools.iter().map(|pool| pool.requests).sum::<u64>(), trace.allocations + trace.reallocations);
        prop_assert!(pools.bytes() >= trace.requested_peak);
        // Blocks of 0 bytes count as 1 where classes are chosen.
        let empty = live.iter().flatten().count() as u128 * 8;
        let rounding: u128 = live.iter().flatten().map(|&size| u128::from(size.next_multiple_of(8) - size)).sum();
        let chosen = sizes.excess(&classes) + rounding;
        prop_assert!(excess >= chosen && excess <= chosen + empty, "{} {}", excess, chosen);
    }
}

/// Sizes without a pattern, as those of a large program, so that rows are halved many times.
fn many_sizes(count: u64) -> LiveSizes {
    let size = |index: u64| (index * 16 + 16, u128::from(index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44));
    sizes_of((0..count).map(size).collect())
}

#[test]
fn halving_finds_what_a_table_of_all_rows_finds() {
    let sizes = many_sizes(200);
    let excess = |from: usize, to: usize| -> u128 {
        let last = sizes.sizes[to - 1].size;
        sizes.sizes[from..to].iter().map(|size| u128::from((last - size.size).0) * size.live).sum()
    };
    let count = sizes.sizes.len();
    let mut row: Vec<u128> = (0..=count).map(|to| if to == 0 { 0 } else { excess(0, to) }).collect();
    for classes in 2..=40 {
        let smallest = |to: usize| (classes - 1..to).map(|from| row[from] + excess(from, to)).min().unwrap_or(0);
        row = (0..=count).map(smallest).collect();
        assert_eq!(sizes.excess(&sizes.optimal(classes)), row[count], "{classes} classes");
    }
}

#[test]
fn thousands_of_sizes_get_their_classes() {
    let sizes = many_sizes(4096);
    let classes = sizes.optimal(64);
    assert_eq!((classes.len(), classes.last()), (64, Some(&Bytes(65_536))));
    // Even steps are near the best where no size is special.
    let even: Vec<Bytes> = (1..=64).map(|step| Bytes(step * 1024)).collect();
    let (best, even) = (sizes.excess(&classes), sizes.excess(&even));
    assert!(best <= even && best * 100 > even * 90, "{best} {even}");
}

#[test]
fn sets_that_are_equally_good_are_chosen_by_a_rule() {
    let sizes = sizes_of([(8, 1), (16, 1), (24, 1), (32, 1)].into());
    assert_eq!(sizes.optimal(3), [8, 16, 32].map(Bytes));
    assert_eq!(sizes.optimal(1), [Bytes(32)]);
    assert_eq!(sizes.optimal(0), []);
    assert_eq!(LiveSizes::default().optimal(3), []);
}

#[test]
fn the_largest_numbers_of_a_trace_fit() {
    let mut trace = Trace::new(Origin::new("large", ""));
    for (id, size) in [(0, 1 << 56), (1, 1), (2, (1 << 56) - 1)] {
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
    }
    let trace = PackedTrace::new(&trace).expect("a sound trace");
    let sizes = LiveSizes::of(std::slice::from_ref(&trace));
    assert_eq!(sizes.optimal(2), [1, 1 << 56].map(Bytes));
    let pools = FixedPools::of(&trace, &[Bytes(1 << 56)]);
    assert_eq!((pools.pools[0].blocks, pools.bytes()), (3, Bytes(3 << 56)));
    let mut many = pools.pools[0];
    many.blocks = 1000;
    assert_eq!(many.bytes(), Bytes(u64::MAX), "it does not fit");
}
