//! Orders in which the threads of a trace could have made their operations.
//!
//! In a drawn order threads take turns: the next is drawn among those whose next operation may be made, with a chance that grows with what it has to
//! do, and goes on for as long as threads did in the recording, on average. As in a timed play, all wait for each other
//! after every [`PART`] operations of the recording.
//!
//! The order of a play is that of threads that do nothing but their operations, as those of a timed play: as many as there are processors
//! run at once, an operation of one after an operation of the other, each until it has to wait for another's. None begins before those
//! are gone that had ended when it began in the recording.

use std::collections::VecDeque;

use heapsmith_trace::{Draws, PART, ThreadSteps};

use super::lives::Gone;

/// What orders of a trace are drawn from.
pub(super) struct Orders<'t> {
    trace: &'t ThreadSteps,
    /// Operations that a thread makes in one go, on average.
    run: f64,
}

impl<'t> Orders<'t> {
    pub fn of(trace: &'t ThreadSteps) -> Self {
        let changes = trace.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
        Orders { trace, run: trace.steps.len() as f64 / (changes + 1) as f64 }
    }

    /// An order: numbers of operations.
    pub fn draw(&self, seed: u64) -> Vec<u32> {
        let steps = &self.trace.steps;
        let mut draws = Draws::new(seed);
        let mut done = vec![0_u32; self.trace.blocks];
        let mut order = Vec::with_capacity(steps.len());
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); self.trace.threads];
        for (part, begin) in steps.chunks(PART).zip((0..).step_by(PART)) {
            // The last of a thread's operations first, so that the next is popped.
            for (number, step) in part.iter().enumerate().rev() {
                waiting[step.thread as usize].push((begin + number) as u32);
            }
            let mut turn = None;
            for _ in part {
                let ready = |thread: &usize| {
                    let next = waiting[*thread].last().map(|next| &steps[*next as usize]);
                    next.is_some_and(|step| done[step.block as usize] == step.order)
                };
                let goes_on = |thread: &usize| ready(thread) && !draws.happens(1.0 / self.run);
                let Some(thread) = turn.filter(goes_on).or_else(|| another(&waiting, ready, &mut draws)) else { break };
                turn = Some(thread);
                let Some(next) = waiting[thread].pop() else { break };
                done[steps[next as usize].block as usize] += 1;
                order.push(next);
            }
        }
        order
    }

    /// The order of a play on this many processors.
    pub fn play(&self, processors: usize) -> Vec<u32> {
        let steps = &self.trace.steps;
        let mut done = vec![0_u32; self.trace.blocks];
        let mut gone = Gone::of(self.trace);
        let mut order = Vec::with_capacity(steps.len());
        let mut waiting: Vec<VecDeque<u32>> = vec![VecDeque::new(); self.trace.threads];
        for (part, begin) in steps.chunks(PART).zip((0..).step_by(PART)) {
            // Those that run come first; the others wait for a processor in the order of their first operations.
            let mut threads: Vec<usize> = Vec::new();
            for (number, step) in part.iter().enumerate() {
                let own = &mut waiting[step.thread as usize];
                if own.is_empty() {
                    threads.push(step.thread as usize);
                }
                own.push_back((begin + number) as u32);
            }
            let mut processor = 0;
            while !threads.is_empty() {
                processor %= processors.clamp(1, threads.len());
                let ready = |thread: &usize| {
                    let next = waiting[*thread].front().map(|next| &steps[*next as usize]);
                    next.is_some_and(|step| done[step.block as usize] == step.order) && gone.may_begin(*thread)
                };
                if !ready(&threads[processor]) {
                    // It waits, and who has waited longest for a processor and is ready runs there.
                    let others = threads.iter().enumerate().skip(processors);
                    let Some(other) = others.filter(|(_, thread)| ready(thread)).map(|(at, _)| at).next() else {
                        processor += 1;
                        continue;
                    };
                    let waits = threads[processor];
                    threads[processor] = threads.remove(other);
                    threads.push(waits);
                }
                let own = &mut waiting[threads[processor]];
                let Some(next) = own.pop_front() else { continue };
                done[steps[next as usize].block as usize] += 1;
                gone.made(steps[next as usize].thread);
                order.push(next);
                let has_more = !own.is_empty();
                let longest = (!has_more && threads.len() > processors).then(|| threads.remove(processors));
                match longest {
                    // Who has waited longest for a processor gets this one.
                    Some(thread) => threads[processor] = thread,
                    None if has_more => {}
                    // The next processor has this one's number.
                    None => {
                        threads.remove(processor);
                        continue;
                    }
                }
                processor += 1;
            }
        }
        order
    }
}

/// A thread that is ready, by chance: the more it has to do, the likelier.
fn another(waiting: &[Vec<u32>], ready: impl Fn(&usize) -> bool, draws: &mut Draws) -> Option<usize> {
    let can: Vec<usize> = (0..waiting.len()).filter(ready).collect();
    let all: usize = can.iter().map(|thread| waiting[*thread].len()).sum();
    let mut at = draws.below(all.max(1) as u64) as usize;
    can.into_iter().find(|thread| {
        let own = waiting[*thread].len();
        let here = at < own;
        at = at.saturating_sub(own);
        here
    })
}
