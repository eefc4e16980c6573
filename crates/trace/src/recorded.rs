//! What a recording knows of its program besides its allocations.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use crate::{Nanoseconds, Origin};

const ALLOCATOR: &str = "allocator";
const ASKS_SIZES: &str = "asks-sizes";
const ENDED_THREADS: &str = "ended-threads";
const PROCESSOR_TIME: &str = "processor-ms";

/// Settings of transforms that leave a part of the program, or more than it.
const OF_A_PART: [&str; 3] = ["slice", "thread", "copies"];

/// Threads of the program that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedThreads {
    /// Their numbers.
    pub threads: RangeInclusive<u32>,
    /// The last other thread that began between the last event of the one that this is of, and its end, if any did.
    pub while_began: Option<u32>,
}

impl fmt::Display for EndedThreads {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.threads.start())?;
        if self.threads.start() < self.threads.end() {
            write!(out, "-{}", self.threads.end())?;
        }
        self.while_began.map_or(Ok(()), |other| write!(out, "@{other}"))
    }
}

impl EndedThreads {
    /// What [`Display`](fmt::Display) shows of some.
    fn parsed(text: &str) -> Option<EndedThreads> {
        let (range, other) = text.split_once('@').map_or((text, None), |(range, other)| (range, Some(other)));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let while_began = other.map(str::parse).transpose().ok()?;
        Some(EndedThreads { threads: first.parse().ok()?..=last.parse().ok()?, while_began })
    }
}

impl Origin {
    /// Notes which reference allocator served the program while it was recorded.
    pub fn set_allocator(&mut self, name: &str) {
        self.settings.push((ALLOCATOR.to_owned(), name.to_owned()));
    }

    /// The reference allocator that it was recorded on, where one was asked for.
    pub fn allocator(&self) -> Option<&str> {
        self.setting(ALLOCATOR)
    }

    /// Notes that the program asks how large its blocks are (`malloc_usable_size`).
    pub fn set_asks_sizes(&mut self) {
        self.settings.push((ASKS_SIZES.to_owned(), "1".to_owned()));
    }

    /// Whether the program asks how large its blocks are: what it requests then depends on its allocator.
    pub fn asks_sizes(&self) -> bool {
        self.setting(ASKS_SIZES).is_some()
    }

    /// Notes how much time of processors the program took, with its recording.
    pub fn set_processor_time(&mut self, time: Nanoseconds) {
        self.settings.push((PROCESSOR_TIME.to_owned(), time.0.div_ceil(1_000_000).to_string()));
    }

    /// The time of processors that the program took, with its recording, to the millisecond; none where that is not known, and for a
    /// part of a trace.
    pub fn processor_time(&self) -> Option<Nanoseconds> {
        let milliseconds = self.setting(PROCESSOR_TIME).filter(|_| !self.is_part())?.parse::<u64>().ok()?;
        Some(Nanoseconds(milliseconds.saturating_mul(1_000_000)))
    }

    /// Notes which threads ended while the program ran, by their numbers, and which other thread was the last that began between the last
    /// event of each and its end, if any did.
    pub fn set_ended_threads(&mut self, threads: &BTreeMap<u32, Option<u32>>) {
        let mut ended: Vec<EndedThreads> = Vec::new();
        for (&thread, &while_began) in threads {
            match ended.last_mut() {
                Some(EndedThreads { threads, while_began: None })
                    if while_began.is_none() && thread - *threads.end() == 1 =>
                {
                    *threads = *threads.start()..=thread;
                }
                _ => ended.push(EndedThreads { threads: thread..=thread, while_began }),
            }
        }
        if !ended.is_empty() {
            let value = ended.iter().map(EndedThreads::to_string).collect::<Vec<_>>().join(",");
            self.settings.push((ENDED_THREADS.to_owned(), value));
        }
    }

    /// The threads that ended while the program ran, after all that the trace has of them; in ascending order. None of a
    /// part of a trace, nor where nobody noted it.
    pub fn ended_threads(&self) -> Vec<EndedThreads> {
        let ended = self.setting(ENDED_THREADS).filter(|_| !self.is_part()).unwrap_or_default().split(',');
        let mut parsed: Vec<EndedThreads> = ended.filter_map(EndedThreads::parsed).collect();
        parsed.sort_by_key(|ended| *ended.threads.start());
        parsed
    }

    /// Whether it is of a part of a program, or of more than it.
    fn is_part(&self) -> bool {
        OF_A_PART.iter().any(|name| self.setting(name).is_some())
    }

    fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_program_is_not_that_of_a_part_of_its_trace() {
        let mut origin = Origin::new("record", "server");
        assert_eq!((origin.processor_time(), origin.asks_sizes(), origin.allocator()), (None, false, None));
        origin.set_processor_time(Nanoseconds(2_500_000));
        origin.set_asks_sizes();
        origin.set_allocator("libc");
        assert_eq!(origin.processor_time(), Some(Nanoseconds(3_000_000)));
        assert_eq!((origin.asks_sizes(), origin.allocator()), (true, Some("libc")));
        origin.settings.push(("slice".to_owned(), "..1000".to_owned()));
        assert_eq!(origin.processor_time(), None);
    }

    #[test]
    fn threads_that_ended_are_kept_as_ranges() {
        let mut origin = Origin::new("record", "server");
        origin.set_ended_threads(&BTreeMap::new());
        assert!(origin.settings.is_empty() && origin.ended_threads().is_empty());
        let threads = [1, 2, 3, 4, 5, 7, 9, 10].map(|thread| (thread, (thread == 3).then_some(6)));
        origin.set_ended_threads(&BTreeMap::from(threads));
        assert_eq!(origin.setting(ENDED_THREADS), Some("1-2,3@6,4-5,7,9-10"));
        let ended = |(threads, while_began)| EndedThreads { threads, while_began };
        let all = [(1..=2, None), (3..=3, Some(6)), (4..=5, None), (7..=7, None), (9..=10, None)].map(ended);
        assert_eq!(origin.ended_threads(), all);
        origin.settings.push(("thread".to_owned(), "2".to_owned()));
        assert!(origin.ended_threads().is_empty());
    }
}
