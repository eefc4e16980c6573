//! Which threads have begun and ended, in whatever order they make their operations.

use heapsmith_trace::{Ending, ThreadSteps};

/// The threads of a trace.
pub(super) struct Lives<'t> {
    endings: &'t [Ending],
    /// Operations that each has yet to make.
    left: Vec<u32>,
    has_begun: Vec<bool>,
    /// Threads that made all their operations, and end once the one of this number begins.
    until: Vec<Vec<u32>>,
}

impl<'t> Lives<'t> {
    /// None has begun.
    pub fn of(trace: &'t ThreadSteps) -> Self {
        let mut left = vec![0; trace.threads];
        trace.steps.iter().for_each(|step| left[step.thread as usize] += 1);
        let (has_begun, until) = (vec![false; trace.threads], vec![Vec::new(); trace.threads]);
        Lives { endings: &trace.ends, left, has_begun, until }
    }

    /// A thread made its next operation. The threads that end then.
    pub fn made(&mut self, thread: u32) -> Vec<u32> {
        let own = thread as usize;
        self.left[own] -= 1;
        let mut ended = Vec::new();
        if !std::mem::replace(&mut self.has_begun[own], true) {
            ended = std::mem::take(&mut self.until[own]);
        }
        if self.left[own] == 0 {
            match self.endings[own] {
                Ending::OnceBegan(other) if !self.has_begun[other as usize] => self.until[other as usize].push(thread),
                Ending::OnceBegan(_) | Ending::WithLast => ended.push(thread),
                Ending::Never => {}
            }
        }
        ended
    }
}

/// Which threads are gone that others wait for: those that had ended in the recording when these began.
pub(super) struct Gone<'t> {
    lives: Lives<'t>,
    is_gone: Vec<bool>,
    /// Threads that end, by when they did.
    order: Vec<usize>,
    /// How many of them are gone, without a gap.
    count: usize,
    /// How many of them each thread waits for.
    before: Vec<usize>,
}

impl<'t> Gone<'t> {
    /// None is.
    pub fn of(trace: &'t ThreadSteps) -> Self {
        let lives = trace.lives();
        let ends = lives.iter().enumerate().filter_map(|(thread, life)| Some((life.end?, thread)));
        let mut ends: Vec<(usize, usize)> = ends.collect();
        ends.sort_unstable();
        let before = lives.iter().map(|life| ends.partition_point(|(end, _)| *end < life.first)).collect();
        let order = ends.into_iter().map(|(_, thread)| thread).collect();
        Gone { lives: Lives::of(trace), is_gone: vec![false; trace.threads], order, count: 0, before }
    }

    /// Whether all are gone that had ended when this one began.
    pub fn may_begin(&self, thread: usize) -> bool {
        self.before[thread] <= self.count
    }

    /// A thread made its next operation.
    pub fn made(&mut self, thread: u32) {
        for ended in self.lives.made(thread) {
            self.is_gone[ended as usize] = true;
        }
        while self.order.get(self.count).is_some_and(|thread| self.is_gone[*thread]) {
            self.count += 1;
        }
    }
}
