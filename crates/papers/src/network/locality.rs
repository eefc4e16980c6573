//! Whether blocks that are allocated one after the other are freed near each other.
//!
//! ```text
//!   births   a b c d …        deaths   … a c b … d      distance of a and b: 2 events
//! ```
//!
//! The distance between the deaths of neighbours in birth is compared with that of the same births if each had the lifetime of
//! a block born half a trace later: what chance would give with these lifetimes.

use heapsmith_trace::{Operation, PackedTrace};

use crate::network::readings::median;

/// Distances in events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Locality {
    /// The median distance between the deaths of two blocks that are born one after the other.
    pub observed: f64,
    /// The same with lifetimes of other blocks.
    pub by_chance: f64,
}

impl Locality {
    /// Of the blocks of a trace that are freed.
    pub fn of(trace: &PackedTrace) -> Locality {
        let mut born: Vec<Option<usize>> = vec![None; trace.slots];
        let mut lives: Vec<(usize, usize)> = Vec::new();
        for (index, event) in trace.events.iter().enumerate() {
            let slot = event.slot as usize;
            match event.operation {
                Operation::Free => lives.extend(born[slot].take().map(|birth| (birth, index))),
                _ if born[slot].is_none() => born[slot] = Some(index),
                _ => {}
            }
        }
        lives.sort_unstable();
        let count = lives.len();
        let distance = |a: usize, b: usize| a.abs_diff(b) as f64;
        let deaths = lives.windows(2).map(|pair| distance(pair[0].1, pair[1].1));
        let other = |index: usize| {
            let (birth, death) = lives[(index + count / 2) % count];
            death - birth
        };
        let chance = (1..count).map(|index| distance(lives[index - 1].1, lives[index].0 + other(index)));
        Locality { observed: median(deaths), by_chance: median(chance) }
    }

    /// Whether neighbours in birth die nearer each other than chance has it: half as far at most.
    pub fn is_joint(&self) -> bool {
        self.observed * 2.0 <= self.by_chance
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

    use super::*;

    /// A number that follows from another without a pattern.
    fn mixed(number: usize) -> usize {
        (number as u32).wrapping_mul(2_654_435_761).rotate_left(13) as usize
    }

    /// Groups of four blocks, each of which is freed together; or each block by itself.
    fn trace(together: bool) -> PackedTrace {
        let mut trace = Trace::new(Origin::new("test", ""));
        let mut events: Vec<(usize, u64, bool)> = Vec::new();
        for block in 0..400 {
            let one = if together { block / 4 } else { block };
            let (born, life) = (block * 2, mixed(one + 1) % 500);
            events.extend([(born, block as u64, true), (born + 1 + life, block as u64, false)]);
        }
        events.sort_unstable();
        for (_, id, is_birth) in events {
            let allocate = Action::Allocate { id, size: Bytes(16), alignment: 0 };
            trace.events.push(Event::at(0, if is_birth { allocate } else { Action::Free { id } }));
        }
        PackedTrace::new(&trace).expect("a sound trace")
    }

    #[test]
    fn groups_that_die_together_are_joint_and_single_blocks_are_not() {
        let (together, alone) = (Locality::of(&trace(true)), Locality::of(&trace(false)));
        assert!(together.is_joint(), "{together:?}");
        assert!(!alone.is_joint(), "{alone:?}");
    }
}
