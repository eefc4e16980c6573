//! The operations of a trace with who does them, and what has to come before.
//!
//! ```text
//!   trace      thread 7: a = malloc   thread 9: realloc(a)   thread 7: b = malloc   thread 9: free(a)
//!   block               0                      0                      1                     0
//!   order               0                      1                      0                     2     of the operations on the block
//! ```
//!
//! A recording says which threads ended, and which began meanwhile ([`EndedThreads`](crate::EndedThreads)); other traces do not. There a
//! thread ends with its last operation where another thread begins later, as programs that begin
//! a thread for each task end it, too; else it lives to the end, as one of a pool does. So does the first, with which the program began.
//!
//! An id that is used again is another block. In whatever order threads take turns: an operation follows those of a lower order
//! on its block, and those before it in its thread.

use std::collections::HashMap;

use crate::tally::ThreadTally;
use crate::{Action, ByIds, Bytes, Operation, Trace};

/// Operations of a part of a trace, after which threads that play it wait for each other: so none runs away from the others,
/// and what is live at once stays what it was.
pub const PART: usize = 4096;

/// An operation of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadStep {
    /// Requested bytes; 0 for a free.
    pub size: u64,
    /// Nanoseconds since the first operation.
    pub time: u64,
    /// The block: no two of a trace share one.
    pub block: u32,
    /// How many operations on the block come before this one.
    pub order: u32,
    /// The thread, numbered as they first appear.
    pub thread: u32,
    /// The logarithm of the alignment.
    pub alignment_log2: u8,
    /// What is done.
    pub operation: Operation,
}

/// How a thread ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Not before all threads have made their operations.
    Never,
    /// With its last operation: the recording noted that it ended, or another thread begins after that.
    WithLast,
    /// After its last operation and after this other thread has begun, as the recording noted.
    OnceBegan(u32),
}

/// When a thread begins and ends, in operations of all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadLife {
    /// Its first operation.
    pub first: usize,
    /// The operation with which it ends: its last one, or the first of another thread; none where it lives until all are made.
    pub end: Option<usize>,
}

/// The operations of a trace in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadSteps {
    /// The operations.
    pub steps: Vec<ThreadStep>,
    /// Blocks.
    pub blocks: usize,
    /// Threads.
    pub threads: usize,
    /// Threads that make at least a hundredth of the operations.
    pub allocating: usize,
    /// How each thread ends.
    pub ends: Vec<Ending>,
    /// Nanoseconds from the first operation to the last.
    pub span: u64,
    /// The peak live bytes, as requested.
    pub requested_peak: Bytes,
}

impl ThreadSteps {
    /// The first `events` events of a trace. Frees and reallocations of what is not live are left out.
    pub fn of(trace: &Trace, events: usize) -> ThreadSteps {
        let mut live: HashMap<u64, (u32, u32, u64), ByIds> = HashMap::default();
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let (mut all, mut tally) = (ThreadSteps::default(), ThreadTally::default());
        let (start, mut requested) = (trace.events.first().map_or(0, |event| event.time.0), 0_u64);
        for event in trace.events.iter().take(events) {
            let (block, order, operation, size, alignment) = match event.action {
                Action::Allocate { id, size, alignment } => {
                    let block = all.blocks as u32;
                    live.insert(id, (block, 1, size.0));
                    all.blocks += 1;
                    requested += size.0;
                    (block, 0, Operation::Allocate, size.0, alignment)
                }
                Action::Free { id } => match live.remove(&id) {
                    Some((block, order, size)) => {
                        requested -= size;
                        (block, order, Operation::Free, 0, 0)
                    }
                    None => continue,
                },
                Action::Reallocate { id, size } => match live.get_mut(&id) {
                    Some((block, order, old)) => {
                        requested = requested - *old + size.0;
                        (*order, *old) = (*order + 1, size.0);
                        (*block, *order - 1, Operation::Reallocate, size.0, 0)
                    }
                    None => continue,
                },
                Action::Mark { .. } => continue,
            };
            all.requested_peak = all.requested_peak.max(Bytes(requested));
            let next = numbers.len() as u32;
            let thread = *numbers.entry(event.thread).or_insert(next);
            tally.count(event.thread);
            let time = event.time.0.saturating_sub(start);
            all.span = all.span.max(time);
            let alignment_log2 = alignment.max(1).trailing_zeros() as u8;
            all.steps.push(ThreadStep { size, time, block, order, thread, alignment_log2, operation });
        }
        (all.threads, all.allocating) = (numbers.len(), tally.allocating());
        let mut last = vec![0; all.threads];
        let mut begun = 0;
        let mut newest = 0;
        for (number, step) in all.steps.iter().enumerate() {
            last[step.thread as usize] = number;
            if step.thread as usize >= begun {
                (begun, newest) = (begun + 1, number);
            }
        }
        let ended = trace.origin.ended_threads();
        all.ends = vec![Ending::Never; all.threads];
        for (&thread, &number) in numbers.iter().filter(|(_, number)| **number > 0) {
            let behind = ended.partition_point(|ended| *ended.threads.start() <= thread);
            let noted = behind.checked_sub(1).map(|at| &ended[at]).filter(|ended| ended.threads.contains(&thread));
            // Of the first events alone it is not known whether a thread has ended by then.
            let is_over = last[number as usize] < newest || noted.is_some() && events >= trace.events.len();
            all.ends[number as usize] = match noted.and_then(|ended| ended.while_began) {
                Some(other) if numbers.contains_key(&other) => Ending::OnceBegan(numbers[&other]),
                // It was there when another began, of which these events have nothing yet.
                Some(_) if events < trace.events.len() => Ending::Never,
                _ if is_over => Ending::WithLast,
                _ => Ending::Never,
            };
        }
        all
    }
}

impl ThreadSteps {
    /// When each thread begins and ends.
    pub fn lives(&self) -> Vec<ThreadLife> {
        let (mut first, mut last) = (vec![usize::MAX; self.threads], vec![0; self.threads]);
        for (number, step) in self.steps.iter().enumerate() {
            let thread = step.thread as usize;
            (first[thread], last[thread]) = (first[thread].min(number), number);
        }
        let end = |(thread, ending): (usize, &Ending)| match *ending {
            Ending::Never => None,
            Ending::WithLast => Some(last[thread]),
            Ending::OnceBegan(other) => Some(last[thread].max(first[other as usize])),
        };
        let ends = self.ends.iter().enumerate().map(end);
        first.iter().zip(ends).map(|(&first, end)| ThreadLife { first, end }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Nanoseconds, Origin};

    #[test]
    fn every_block_has_its_history_and_every_thread_its_number() {
        let mut trace = Trace::new(Origin::new("made", "here"));
        let event = |time, thread, action| Event { time: Nanoseconds(time), thread, site: None, action };
        trace.events = vec![
            event(100, 7, Action::Allocate { id: 1, size: Bytes(10), alignment: 64 }),
            event(110, 9, Action::Reallocate { id: 1, size: Bytes(20) }),
            event(120, 7, Action::Free { id: 5 }),
            event(130, 9, Action::Free { id: 1 }),
            event(140, 9, Action::Allocate { id: 1, size: Bytes(15), alignment: 0 }),
        ];
        let all = ThreadSteps::of(&trace, usize::MAX);
        let seen: Vec<_> = all.steps.iter().map(|step| (step.block, step.order, step.thread)).collect();
        assert_eq!(seen, [(0, 0, 0), (0, 1, 1), (0, 2, 1), (1, 0, 1)], "an id that is used again is another block");
        assert_eq!((all.blocks, all.threads, all.span, all.requested_peak), (2, 2, 40, Bytes(20)));
        assert_eq!(all.steps[0].alignment_log2, 6);
        assert_eq!(ThreadSteps::of(&trace, 2).steps.len(), 2);
    }

    #[test]
    fn a_thread_ends_where_another_begins_after_its_last_operation() {
        use Ending::{Never, OnceBegan, WithLast};
        let mut trace = Trace::new(Origin::new("made", "here"));
        let threads = [1, 2, 1, 2, 3, 1];
        trace.events = threads
            .into_iter()
            .enumerate()
            .map(|(number, thread)| {
                let action = Action::Allocate { id: number as u64, size: Bytes(8), alignment: 0 };
                Event { time: Nanoseconds(0), thread, site: None, action }
            })
            .collect();
        assert_eq!(ThreadSteps::of(&trace, usize::MAX).ends, [Never, WithLast, Never], "1 and 3 live on");
        trace.events.drain(2..4);
        trace.events.pop();
        assert_eq!(
            ThreadSteps::of(&trace, usize::MAX).ends,
            [Never, WithLast, Never],
            "the first does, whenever it worked last"
        );
        trace.origin.set_ended_threads(&[(1, None), (3, None)].into());
        assert_eq!(ThreadSteps::of(&trace, usize::MAX).ends, [Never, WithLast, WithLast], "noted; and never the first");
        trace.origin.settings.clear();
        trace.origin.set_ended_threads(&[(2, Some(3))].into());
        assert_eq!(ThreadSteps::of(&trace, usize::MAX).ends, [Never, OnceBegan(2), Never], "3 is the third");
        let lives = ThreadSteps::of(&trace, usize::MAX).lives();
        let lives: Vec<_> = lives.into_iter().map(|life| (life.first, life.end)).collect();
        assert_eq!(lives, [(0, None), (1, Some(2)), (2, None)], "2 ends with the first operation of 3");
        assert_eq!(ThreadSteps::of(&trace, 2).ends, [Never, Never], "3 has not begun by then");
        trace.origin.settings.clear();
        trace.origin.set_ended_threads(&[(2, Some(9))].into());
        assert_eq!(ThreadSteps::of(&trace, usize::MAX).ends, [Never, WithLast, Never], "9 did nothing that is known");
    }
}
