//! How long the rounds of a search are, and how many designs each keeps.
//!
//! ```text
//!   all designs     ▏ a 64th of the traces; for long ones a 256th, a 1,024th, …
//!   a quarter       ▍ four times as much
//!   …               █ a quarter
//!   those left      ████ the whole
//!   neighbours      ████ the whole
//! ```
//!
//! Each step replays about [`STEP`] events at most, of all its designs together, so a trace of ten million events costs no
//! more than one of three: its first slices are shorter, and fewer designs are replayed whole. A design that is replayed
//! on the whole costs that however long the trace is, so some are in any case.
//!
//! Events are not all that a replay costs: a list that is searched takes hundreds of accesses for each. So a step has no
//! more accesses than [`WORK`] either, and passes over designs that would take more than what is left of them. What a design
//! takes on a slice may be little of what it takes on the whole, where thousands of free blocks come together: one that
//! takes a sixteenth of `WORK` by itself, and a hundred accesses an operation, is stopped, and counts as left out.
//!
//! A schedule is a function of the traces and of the number of designs.

use heapsmith_trace::PackedTrace;

/// Events that a step of a search replays, of all designs together: some seconds on two processors.
const STEP: u64 = 400_000_000;

/// Accesses that a step of a search takes, of all designs together: some seconds on two processors.
const WORK: f64 = 2.5e9;

/// The share of what is left that designs may be expected to take together, before it is seen what they took: they may
/// take more.
const AT_ONCE: f64 = 0.125;

/// A round grows by this factor over the one before, and keeps the share of one in this many.
pub(crate) const FACTOR: usize = 4;

/// Rounds on slices before the whole traces, at least.
const ROUNDS: u32 = 3;

/// A slice has no fewer events: below it the first peaks of a program are all that a heap sees.
const MIN_EVENTS: usize = 4_000;

/// A round keeps no fewer unique designs where a step has room for them: small differences decide at the end of a search.
const MIN_DESIGNS: usize = 400;

/// A round keeps no fewer, whatever that costs.
pub(crate) const MIN_WHOLE: usize = 24;

/// The share of [`WORK`] beyond which a design is stopped on the whole traces.
const STOPPED: f64 = 0.0625;

/// A design that takes no more accesses an operation is not stopped, however long the trace is.
const MIN_STOPPED: f64 = 100.0;

/// The rounds of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Events of each trace.
    traces: Vec<usize>,
    /// Rounds on slices.
    rounds: u32,
}

impl Schedule {
    /// For this many unique designs on these traces.
    pub fn of(designs: usize, traces: &[PackedTrace]) -> Schedule {
        Schedule::of_lengths(designs, traces.iter().map(|trace| trace.events.len()).collect())
    }

    pub(crate) fn of_lengths(designs: usize, traces: Vec<usize>) -> Schedule {
        let mut schedule = Schedule { traces, rounds: ROUNDS };
        let shortest = MIN_EVENTS * schedule.traces.len();
        while schedule.events(0) > shortest && designs as u64 * schedule.events(0) as u64 > STEP {
            schedule.rounds += 1;
        }
        schedule
    }

    /// The rounds on slices that are shorter than the whole.
    pub fn rounds(&self) -> usize {
        (0..self.rounds as usize).take_while(|&round| self.events(round) < self.traces.iter().sum()).count()
    }

    /// Events of the slices of a trace in a round, from 0.
    pub fn slice(&self, events: usize, round: usize) -> usize {
        let part = FACTOR.saturating_pow(self.rounds.saturating_sub(round as u32));
        (events / part).max(MIN_EVENTS).min(events)
    }

    /// Events of all slices of a round; of the whole after the last.
    fn events(&self, round: usize) -> usize {
        self.traces.iter().map(|&events| self.slice(events, round)).sum()
    }

    /// How many of a round's designs the next one keeps, of which `on_front` are on a front of the round.
    pub fn kept(&self, round: usize, designs: usize, on_front: usize) -> usize {
        let wanted = (designs / FACTOR).max(on_front.min(designs / 2)).max(MIN_DESIGNS);
        wanted.min(affordable(self.events(round + 1)))
    }

    /// What a round's designs may cost in the next one.
    pub fn budget(&self, round: usize) -> Budget {
        Budget { events: self.events(round + 1) as f64, left: WORK, granted: MIN_WHOLE }
    }

    /// The accesses an operation beyond which a design is stopped on the whole traces.
    pub fn max_accesses(&self) -> f64 {
        max_accesses(self.traces.iter().sum())
    }

    /// What the neighbours of the front may cost.
    pub fn budget_of_neighbours(&self) -> Budget {
        Budget { events: self.traces.iter().sum::<usize>() as f64, left: WORK, granted: 0 }
    }

    /// How many neighbours of the front are replayed on whole traces.
    pub fn neighbours(&self) -> usize {
        affordable(self.traces.iter().sum())
    }

    /// Whether this many designs more can be replayed on whole traces.
    pub fn affords(&self, designs: usize, events: u64) -> bool {
        self.traces.iter().map(|&events| events as u64).sum::<u64>().saturating_mul(designs as u64) <= events
    }
}

/// The accesses that a step has left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// Events that each design replays.
    events: f64,
    /// Accesses.
    left: f64,
    /// Designs that are replayed whatever they cost.
    granted: usize,
}

impl Budget {
    /// Takes what a design with this many accesses an operation costs, where there is as much.
    pub fn affords(&mut self, accesses: f64) -> bool {
        let cost = accesses * self.events;
        if self.granted == 0 && cost > self.left {
            return false;
        }
        self.granted = self.granted.saturating_sub(1);
        self.left -= cost;
        true
    }

    /// What designs that are replayed together may be expected to cost: at least one is, while something is left.
    pub fn batch(&self) -> Budget {
        Budget { left: self.left.max(0.0) * AT_ONCE, granted: usize::from(self.left > 0.0), ..*self }
    }

    /// Takes what designs cost, in accesses an operation, all together.
    pub fn spend(&mut self, accesses: f64) {
        self.left -= accesses * self.events;
    }
}

/// The accesses an operation beyond which a design takes too much of a step on this many events.
pub(crate) fn max_accesses(events: usize) -> f64 {
    (WORK * STOPPED / events.max(1) as f64).max(MIN_STOPPED)
}

/// How many designs a step replays on this many events.
fn affordable(events: usize) -> usize {
    ((STEP / events.max(1) as u64) as usize).max(MIN_WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(designs: usize, events: usize) -> Vec<usize> {
        let schedule = Schedule::of_lengths(designs, vec![events]);
        (0..schedule.rounds()).map(|round| schedule.events(round)).collect()
    }

    #[test]
    fn a_trace_of_usual_length_has_slices_of_a_64th_a_16th_and_a_quarter() {
        assert_eq!(slices(10_000, 1_000_000), [15_625, 62_500, 250_000]);
        assert_eq!(slices(10_000, 24_000), [4_000, 4_000, 6_000], "no slice is shorter than tells anything");
        assert_eq!(slices(10_000, 4_000), [0; 0], "what is that short is replayed whole");
    }

    #[test]
    fn no_step_on_ten_million_events_replays_more_than_a_step_has() {
        let schedule = Schedule::of_lengths(10_000, vec![10_000_000]);
        assert_eq!(slices(10_000, 10_000_000), [39_062, 156_250, 625_000, 2_500_000]);
        let mut designs = 10_000;
        for round in 0..schedule.rounds() {
            assert!(designs as u64 * schedule.events(round) as u64 <= STEP, "round {round}: {designs} designs");
            designs = schedule.kept(round, designs, designs);
        }
        assert_eq!((designs, schedule.neighbours()), (40, 40));
    }

    #[test]
    fn some_designs_are_replayed_whole_however_long_the_trace_is() {
        let schedule = Schedule::of_lengths(10_000, vec![1_000_000_000]);
        assert_eq!(schedule.kept(schedule.rounds() - 1, 100, 0), MIN_WHOLE);
    }

    #[test]
    fn what_is_searched_long_has_no_room_for_as_many() {
        let schedule = Schedule::of_lengths(10_000, vec![150_000]);
        let taken = |accesses: f64| {
            let mut budget = schedule.budget_of_neighbours();
            (0..10_000).filter(|_| budget.affords(accesses)).count()
        };
        assert_eq!((taken(4.0), taken(400.0)), (4_166, 41));
        let mut budget = schedule.budget(schedule.rounds() - 1);
        assert_eq!((0..100).filter(|_| budget.affords(9_000.0)).count(), MIN_WHOLE, "some are replayed in any case");
        assert!(!budget.affords(1.0), "these took all");
        let mut budget = schedule.budget_of_neighbours();
        let together = |budget: &Budget, accesses: f64| {
            let mut batch = budget.batch();
            (0..1_000).filter(|_| batch.affords(accesses)).count()
        };
        assert_eq!([together(&budget, 4.0), together(&budget, 400.0)], [520, 5]);
        budget.spend(16_000.0);
        assert_eq!([together(&budget, 4.0), together(&budget, 400.0)], [20, 1]);
        budget.spend(1_000.0);
        assert_eq!(together(&budget, 4.0), 0, "they took all");
    }

    #[test]
    fn a_short_trace_keeps_a_quarter_or_what_is_on_its_front() {
        let schedule = Schedule::of_lengths(10_000, vec![24_000]);
        assert_eq!([schedule.kept(0, 10_000, 10), schedule.kept(0, 10_000, 9_000)], [2_500, 5_000]);
        assert_eq!(schedule.kept(1, 1_000, 10), MIN_DESIGNS);
    }
}
