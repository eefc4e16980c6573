//! When the threads of a program began and ended.

use std::collections::{BTreeMap, HashMap};

use heapsmith_trace::ByIds;

/// The first and the last event of each thread, as far as events were taken in.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    of: HashMap<u32, Life, ByIds>,
}

/// In ticks.
#[derive(Debug, Clone, Copy)]
struct Life {
    first: u64,
    last: u64,
}

impl Lives {
    /// Takes in an event.
    pub fn note(&mut self, thread: u32, ticks: u64) {
        let life = self.of.entry(thread).or_insert(Life { first: ticks, last: ticks });
        life.last = life.last.max(ticks);
    }

    /// One more than the highest number of a thread.
    pub fn count(&self) -> u32 {
        self.of.keys().max().map_or(0, |highest| highest.saturating_add(1))
    }

    /// Threads that ended, each with the last other thread that began between its last event and its end.
    pub fn ended(&self, ends: impl Iterator<Item = (u32, u64)>) -> BTreeMap<u32, Option<u32>> {
        let mut begins: Vec<(u64, u32)> = self.of.iter().map(|(&thread, life)| (life.first, thread)).collect();
        begins.sort_unstable();
        let while_began = |thread: u32, end: u64| {
            let last = self.of.get(&thread)?.last;
            let (first, other) = *begins.get(begins.partition_point(|(first, _)| *first <= end).checked_sub(1)?)?;
            (first > last).then_some(other)
        };
        ends.map(|(thread, end)| (thread, while_began(thread, end))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_ends_late_knows_who_began_meanwhile() {
        let mut lives = Lives::default();
        for (thread, ticks) in [(0, 1), (1, 10), (2, 20), (1, 30), (3, 40), (4, 50), (3, 60)] {
            lives.note(thread, ticks);
        }
        let ended = lives.ended([(1, 45), (2, 35), (3, 60), (4, 70), (9, 80)].into_iter());
        let expected = [(1, Some(3)), (2, None), (3, None), (4, None), (9, None)];
        assert_eq!((ended, lives.count()), (expected.into(), 5));
    }
}
