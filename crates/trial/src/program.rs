//! Programs: what a user of a heap does, one operation after another.

use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};

use crate::random::Random;

/// One operation of a program. Blocks are named by a number modulo the live blocks, in address order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Asks for a block.
    Allocate {
        /// Bytes.
        size: usize,
        /// What its address is a multiple of.
        alignment: usize,
    },
    /// Frees a block.
    Free {
        /// Its number.
        which: usize,
    },
    /// Frees the block at the highest address, as a stack wants it.
    FreeHighest,
    /// Changes the size of a block.
    Reallocate {
        /// Its number.
        which: usize,
        /// Bytes.
        size: usize,
    },
}

/// Sizes that are popular in networks.
const POPULAR: [usize; 6] = [8, 16, 66, 100, 1476, 1514];

/// Sizes that no region serves, or hardly one.
const IMPOSSIBLE: [usize; 4] = [0, 1 << 20, usize::MAX / 2, usize::MAX];

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        8 => 1_usize..200,
        4 => prop::sample::select(POPULAR.as_slice()),
        2 => 200_usize..3000,
        1 => prop::sample::select(IMPOSSIBLE.as_slice()),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let alignment = prop_oneof![6 => Just(1_usize), 2 => (0_u32..=12).prop_map(|log| 1 << log)];
    prop_oneof![
        10 => (size(), alignment).prop_map(|(size, alignment)| Operation::Allocate { size, alignment }),
        7 => any::<usize>().prop_map(|which| Operation::Free { which }),
        1 => Just(Operation::FreeHighest),
        4 => (any::<usize>(), size()).prop_map(|(which, size)| Operation::Reallocate { which, size }),
    ]
}

/// Programs of up to `max` operations, which proptest shrinks.
pub fn program(max: usize) -> impl Strategy<Value = Vec<Operation>> {
    prop::collection::vec(operation(), 1..max)
}

/// Which sizes a program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mix {
    /// Everything, as the strategy.
    All,
    /// A few sizes, again and again.
    Popular,
    /// Every magnitude up to 2 KiB as often.
    Magnitudes,
    /// Below 64 bytes.
    Small,
}

/// A writer of programs: the same for the same seed.
///
/// Programs breathe: for some hundred operations they ask more than they free, then
/// the other way round, so that heaps fill up and run empty.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    random: Random,
    mix: Mix,
    /// Operations until the next breath.
    left: usize,
    /// Requests in a hundred operations.
    requests: usize,
}

impl Writer {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mix = random.one_of(&[Mix::All, Mix::All, Mix::Popular, Mix::Magnitudes, Mix::Small]);
        Writer { random, mix, left: 0, requests: 0 }
    }

    fn size(&mut self) -> usize {
        let random = &mut self.random;
        match (self.mix, random.below(15)) {
            (_, 0) if random.below(4) == 0 => random.one_of(&IMPOSSIBLE),
            (Mix::All, 0..=7) => 1 + random.below(199),
            (Mix::All, 8..=11) | (Mix::Popular, _) => random.one_of(&POPULAR),
            (Mix::All, _) => 200 + random.below(2800),
            (Mix::Magnitudes, _) => random.magnitude(1, 11),
            (Mix::Small, _) => 1 + random.below(63),
        }
    }

    fn alignment(&mut self) -> usize {
        if self.random.below(8) == 0 { 1 << self.random.below(13) } else { 1 }
    }

    pub(crate) fn next(&mut self) -> Operation {
        if self.left == 0 {
            self.left = 20 + self.random.below(400);
            self.requests = self.random.one_of(&[30, 40, 45, 50, 60, 75]);
        }
        self.left -= 1;
        let kind = self.random.below(100);
        if kind < self.requests {
            return Operation::Allocate { size: self.size(), alignment: self.alignment() };
        }
        let which = self.random.below(1 << 31);
        match kind % 9 {
            0 | 1 => Operation::Reallocate { which, size: self.size() },
            2 | 3 => Operation::FreeHighest,
            _ => Operation::Free { which },
        }
    }
}

/// A program of `length` operations: the same for the same seed.
pub fn long_program(length: usize, seed: u64) -> Vec<Operation> {
    let mut writer = Writer::new(seed);
    (0..length).map(|_| writer.next()).collect()
}
