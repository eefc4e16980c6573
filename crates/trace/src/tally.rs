//! Which threads of a trace allocate.

use std::collections::HashMap;

/// A thread with less than this share of the operations is none that allocates.
const ALLOCATES: f64 = 0.01;

/// Operations of each thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadTally {
    operations: HashMap<u32, u64>,
    /// The thread of the latest operations, and how many they are: most follow one of the same thread.
    latest: (u32, u64),
}

impl ThreadTally {
    /// Counts an operation of a thread.
    pub fn count(&mut self, thread: u32) {
        if self.latest.0 != thread {
            self.note();
            self.latest = (thread, 0);
        }
        self.latest.1 += 1;
    }

    fn note(&mut self) {
        let (thread, operations) = self.latest;
        *self.operations.entry(thread).or_default() += operations;
    }

    /// Threads that make at least a hundredth of all operations.
    pub fn allocating(mut self) -> usize {
        self.note();
        let all: u64 = self.operations.values().sum();
        let works = |operations: &&u64| **operations > 0 && **operations as f64 >= ALLOCATES * all as f64;
        self.operations.values().filter(works).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_does_next_to_nothing_does_not_count() {
        let allocating = |threads: &[(u32, u64)]| {
            let mut tally = ThreadTally::default();
            threads.iter().for_each(|&(thread, times)| (0..times).for_each(|_| tally.count(thread)));
            tally.allocating()
        };
        assert_eq!(allocating(&[]), 0);
        assert_eq!(allocating(&[(7, 3)]), 1);
        assert_eq!(allocating(&[(7, 99), (9, 1)]), 2);
        assert_eq!(allocating(&[(7, 50), (9, 1), (7, 50)]), 1);
        assert_eq!(allocating(&[(0, 5), (1, 5), (2, 5), (0, 5)]), 3);
    }
}
