//! A trace as threads play it.

use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::sync::OnceLock;

use heapsmith_trace::{PART, ThreadSteps, Trace};
use twox_hash::XxHash64;

use crate::mapping::Mapping;

/// Threads that play; those of a trace with more share them.
const MAX_THREADS: usize = 256;

/// Steps for each thread.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// By thread, in its order.
    steps: Vec<Step>,
    /// Where the steps of each thread begin, and the end.
    begins: Vec<usize>,
    /// Blocks, each with a place of its own.
    blocks: usize,
    /// When each thread begins and ends.
    lives: Vec<Life>,
    /// Nanoseconds from the first event to the last.
    span: u64,
    fingerprint: OnceLock<u64>,
}

/// When a thread begins and ends, in operations of all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Life {
    /// Its first operation.
    pub first: u64,
    /// Its last one, or the first of another thread until which it lives; [`Life::STAYS`] where it lives until all have played.
    pub last: u64,
}

impl Life {
    /// In place of the last operation of a thread that does not end.
    pub const STAYS: u64 = u64::MAX;

    /// Whether it had ended when another began.
    pub fn ends_before(self, other: Life) -> bool {
        self.last < other.first
    }
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Step {
    /// Bytes, of an allocation or a reallocation.
    pub size: u64,
    /// Nanoseconds since the first event.
    pub time: u64,
    /// The block's place.
    pub block: u32,
    /// How many operations on the block come before this one.
    pub order: u32,
    /// The part of the trace that it belongs to: no step of the next begins before all of this one are done.
    pub part: u32,
    /// The logarithm of the alignment.
    pub alignment_log2: u8,
    /// 0 allocates, 1 frees, 2 reallocates.
    pub operation: u8,
    pub unused: u16,
}

/// Bytes of a step on the pipe.
pub(crate) const STEP: usize = size_of::<Step>();

impl Step {
    /// As it is on the pipe.
    fn bytes(&self) -> [u8; STEP] {
        let mut bytes = [0; STEP];
        bytes[..8].copy_from_slice(&self.size.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.time.to_ne_bytes());
        bytes[16..20].copy_from_slice(&self.block.to_ne_bytes());
        bytes[20..24].copy_from_slice(&self.order.to_ne_bytes());
        bytes[24..28].copy_from_slice(&self.part.to_ne_bytes());
        bytes[28..].copy_from_slice(&[self.alignment_log2, self.operation, 0, 0]);
        bytes
    }
}

impl Scenario {
    /// The first `events` events of a trace.
    pub fn of(trace: &Trace, events: usize) -> Scenario {
        let all = ThreadSteps::of(trace, events);
        let of_threads = all.lives();
        let ThreadSteps { steps, blocks, threads, span, .. } = all;
        let mut by_thread: Vec<Vec<Step>> = vec![Vec::new(); threads.min(MAX_THREADS)];
        for (number, step) in steps.into_iter().enumerate() {
            by_thread[step.thread as usize % MAX_THREADS].push(Step {
                size: step.size,
                time: step.time,
                block: step.block,
                order: step.order,
                part: (number / PART) as u32,
                alignment_log2: step.alignment_log2,
                operation: step.operation as u8,
                unused: 0,
            });
        }
        let mut begins = vec![0];
        begins.extend(by_thread.iter().scan(0, |end, steps| {
            *end += steps.len();
            Some(*end)
        }));
        // One that is played for several begins with the first of them and ends where all do.
        let mut lives = vec![Life { first: Life::STAYS, last: 0 }; by_thread.len()];
        for (thread, of_thread) in of_threads.iter().enumerate() {
            let life = &mut lives[thread % MAX_THREADS];
            let last = of_thread.end.map_or(Life::STAYS, |end| end as u64);
            *life = Life { first: life.first.min(of_thread.first as u64), last: life.last.max(last) };
        }
        Scenario { steps: by_thread.concat(), begins, blocks, lives, span, fingerprint: OnceLock::new() }
    }

    /// Operations.
    pub fn operations(&self) -> usize {
        self.steps.len()
    }

    /// Threads.
    pub fn threads(&self) -> usize {
        self.begins.len() - 1
    }

    /// Seconds from the first operation to the last.
    pub fn seconds(&self) -> f64 {
        self.span as f64 / 1e9
    }

    /// A number that another scenario does not have.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let mut hasher = XxHash64::with_seed(0);
            self.numbers().into_iter().for_each(|number| hasher.write_u64(number));
            self.steps.iter().for_each(|step| hasher.write(&step.bytes()));
            hasher.finish()
        })
    }

    /// What the child gets as arguments.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let lives = self.lives.iter().flat_map(|life| [life.first, life.last]);
        [self.blocks as u64].into_iter().chain(lives).chain(self.begins.iter().map(|&begin| begin as u64)).collect()
    }

    /// Sends the steps to the child.
    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        const GROUP: usize = 4096;
        let mut bytes = Vec::with_capacity(GROUP * STEP);
        for group in self.steps.chunks(GROUP) {
            bytes.clear();
            group.iter().for_each(|step| bytes.extend_from_slice(&step.bytes()));
            to.write_all(&bytes)?;
        }
        Ok(())
    }
}

/// Steps that the child got, in memory that is none of its allocator's.
pub(crate) fn receive(from: &mut impl Read, count: usize) -> io::Result<Mapping<Step>> {
    let mut steps = Mapping::new(count)?;
    from.read_exact(steps.bytes_mut())?;
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Nanoseconds, Origin};

    use super::*;

    fn trace() -> Trace {
        let mut trace = Trace::new(Origin::new("made", "here"));
        let event = |time, thread, action| Event { time: Nanoseconds(time), thread, site: None, action };
        trace.events = vec![
            event(100, 7, Action::Allocate { id: 1, size: Bytes(10), alignment: 64 }),
            event(110, 9, Action::Reallocate { id: 1, size: Bytes(20) }),
            event(120, 7, Action::Allocate { id: 2, size: Bytes(30), alignment: 0 }),
            event(130, 9, Action::Free { id: 1 }),
            event(140, 9, Action::Allocate { id: 1, size: Bytes(40), alignment: 0 }),
        ];
        trace
    }

    #[test]
    fn every_block_has_its_place_and_its_order() {
        let scenario = Scenario::of(&trace(), usize::MAX);
        assert_eq!((scenario.threads(), scenario.operations(), scenario.blocks, scenario.span), (2, 5, 3, 40));
        let of = |thread: usize| {
            let steps = &scenario.steps[scenario.begins[thread]..scenario.begins[thread + 1]];
            steps.iter().map(|step| (step.operation, step.block, step.order)).collect::<Vec<_>>()
        };
        assert_eq!(of(0), [(0, 0, 0), (0, 1, 0)]);
        assert_eq!(of(1), [(2, 0, 1), (1, 0, 2), (0, 2, 0)], "an id that is used again is another block");
        assert_eq!(scenario.steps[0].alignment_log2, 6);
        assert_eq!(Scenario::of(&trace(), 2).operations(), 2);
    }

    #[test]
    fn steps_arrive_as_they_were_sent() {
        let scenario = Scenario::of(&trace(), usize::MAX);
        let mut bytes = Vec::new();
        scenario.send(&mut bytes).expect("memory");
        let received = receive(&mut bytes.as_slice(), scenario.operations()).expect("all of them");
        assert_eq!(received.as_slice(), scenario.steps);
        assert!(receive(&mut &bytes[1..], scenario.operations()).is_err());
    }
}
