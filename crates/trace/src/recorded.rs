//! What a recording knows of its program besides its allocations.

use crate::{Nanoseconds, Origin};

const ALLOCATOR: &str = "allocator";
const ASKS_SIZES: &str = "asks-sizes";
const PROCESSOR_TIME: &str = "processor-ms";

/// Settings of transforms that leave a part of the program, or more than it.
const OF_A_PART: [&str; 3] = ["slice", "thread", "copies"];

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
        let is_part = OF_A_PART.iter().any(|name| self.setting(name).is_some());
        let milliseconds = self.setting(PROCESSOR_TIME).filter(|_| !is_part)?.parse::<u64>().ok()?;
        Some(Nanoseconds(milliseconds.saturating_mul(1_000_000)))
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
}
