//! Orders in which the threads of a trace could have made their operations.
//!
//! Threads take turns: the next is drawn among those whose next operation may be made, with a chance that grows with what it has to
//! do, and goes on for as long as threads did in the recording, on average. As in a timed play, all wait for each other
//! after every [`PART`] operations of the recording.

use heapsmith_trace::{Draws, PART, ThreadSteps};

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
