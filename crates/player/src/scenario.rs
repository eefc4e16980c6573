//! A trace as threads play it.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use heapsmith_trace::{Action, ByIds, Trace};

use crate::mapping::Mapping;

/// Events of the trace after which all threads meet.
pub const MEET: usize = 4096;

/// Threads that play; those of a trace with more share them.
const MAX_THREADS: u32 = 256;

/// Steps for each thread.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// By thread, in its order.
    steps: Vec<Step>,
    /// Where the steps of each thread begin, and the end.
    begins: Vec<usize>,
    /// Blocks, each with a place of its own.
    blocks: usize,
    /// How often all threads meet.
    meetings: u32,
    /// Nanoseconds from the first event to the last.
    span: u64,
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
    /// How often all threads have met before it.
    pub meetings: u32,
    /// The logarithm of the alignment.
    pub alignment_log2: u8,
    /// 0 allocates, 1 frees, 2 reallocates.
    pub operation: u8,
    pub unused: u16,
}

/// Bytes of a step on the pipe.
pub(crate) const STEP: usize = size_of::<Step>();

impl Scenario {
    /// The first `events` events of a trace.
    pub fn of(trace: &Trace, events: usize) -> Scenario {
        let mut live: HashMap<u64, (u32, u32), ByIds> = HashMap::default();
        let mut threads: HashMap<u32, u32> = HashMap::new();
        let mut by_thread: Vec<Vec<Step>> = Vec::new();
        let (mut blocks, mut count, mut span) = (0_u32, 0, 0);
        let start = trace.events.first().map_or(0, |event| event.time.0);
        for event in trace.events.iter().take(events) {
            let (block, order, operation, size, alignment) = match event.action {
                Action::Allocate { id, size, alignment } => {
                    live.insert(id, (blocks, 1));
                    blocks += 1;
                    (blocks - 1, 0, 0, size.0, alignment)
                }
                Action::Free { id } => match live.remove(&id) {
                    Some((block, order)) => (block, order, 1, 0, 0),
                    None => continue,
                },
                Action::Reallocate { id, size } => match live.get_mut(&id) {
                    Some((block, order)) => {
                        *order += 1;
                        (*block, *order - 1, 2, size.0, 0)
                    }
                    None => continue,
                },
                Action::Mark { .. } => continue,
            };
            let next = threads.len() as u32 % MAX_THREADS;
            let thread = *threads.entry(event.thread).or_insert(next) as usize;
            by_thread.resize_with(by_thread.len().max(thread + 1), Vec::new);
            let time = event.time.0.saturating_sub(start);
            span = span.max(time);
            by_thread[thread].push(Step {
                size,
                time,
                block,
                order,
                meetings: (count / MEET) as u32,
                alignment_log2: alignment.max(1).trailing_zeros() as u8,
                operation,
                unused: 0,
            });
            count += 1;
        }
        let mut begins = vec![0];
        begins.extend(by_thread.iter().scan(0, |end, steps| {
            *end += steps.len();
            Some(*end)
        }));
        let meetings = (count.max(1) - 1) / MEET;
        Scenario { steps: by_thread.concat(), begins, blocks: blocks as usize, meetings: meetings as u32, span }
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

    /// What the child gets as arguments.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let fixed = [self.blocks as u64, u64::from(self.meetings)];
        fixed.into_iter().chain(self.begins.iter().map(|&begin| begin as u64)).collect()
    }

    /// Sends the steps to the child.
    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        const GROUP: usize = 4096;
        let mut bytes = Vec::with_capacity(GROUP * STEP);
        for group in self.steps.chunks(GROUP) {
            bytes.clear();
            for step in group {
                bytes.extend_from_slice(&step.size.to_ne_bytes());
                bytes.extend_from_slice(&step.time.to_ne_bytes());
                bytes.extend_from_slice(&step.block.to_ne_bytes());
                bytes.extend_from_slice(&step.order.to_ne_bytes());
                bytes.extend_from_slice(&step.meetings.to_ne_bytes());
                bytes.extend_from_slice(&[step.alignment_log2, step.operation, 0, 0]);
            }
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
    use heapsmith_trace::{Bytes, Event, Nanoseconds, Origin};

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
