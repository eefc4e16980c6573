//! Time, compared with the time of the null allocator.
//!
//! ```text
//!   round 1:  nothing  A  B  C        one loop, compiled for each type of allocator:
//!   round 2:  A  B  C  nothing          whole  │start                          stop│
//!   round 3:  B  C  nothing  A          each   │start stop│start stop│start stop│ …
//! ```
//!
//! A replay is timed as a whole and divided by its operations: a clock read
//! between operations would cost more than most of them. Subjects that are
//! compared take turns, so that a slow moment of the machine hits all of them,
//! and each round begins with another, so that none always follows the same. How
//! many rounds there are, and what they say, is in `rounds.rs`.
//!
//! The clock is the processor's counter. Latencies are the same loop with the
//! counter read around every operation; what the counter costs is in them, and
//! is what the null allocator shows. The operations of a replay are the
//! same in every round, what the rest of the machine does to them is not: so an
//! operation's latency is the mean of its rounds without the slowest. A mean, because
//! counters advance in steps (of 10 ns on some processors), which differ in phase from round to round.
//!
//! The region is the same memory in every round, so only the first touches new
//! pages. A peer of the process keeps its pages between rounds as it sees fit: the
//! GNU C library gives free memory at the top of its heap back and takes it anew, within a round as well.
//!
//! A peer of the process also keeps what it has in its lists from one round to the next, and cannot be emptied. So that all begin
//! alike, every subject plays its events once before a round, and frees what is left; the clock runs when it plays them
//! again. What frees in one order only, or never, begins every round empty; and so does a heap that takes longer to free what is
//! left than for its events, as a list by address does of many blocks.

use std::path::Path;

use hdrhistogram::Histogram;
use heapsmith_trace::PackedTrace;
use quanta::Clock;

use crate::error::ReplayError;
use crate::peer_times::PeerTimes;
use crate::region::Region;
use crate::rounds::{Spread, Turn, sample};
use crate::subject::Subject;
use crate::timed::{Replayed, Round, Ticks, one_round};

/// How much is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimingEffort {
    /// Rounds, in each of which every subject has its turn.
    pub rounds: usize,
    /// At most this many further rounds of what disagrees.
    pub more: usize,
    /// No subject replays more events.
    pub max_events: usize,
    /// Heaps that do not set the pace replay no more, where others do.
    pub other_events: usize,
    /// The first subjects, this many, set the pace: a heap or a peer with linear searches that takes [`TimingEffort::SLOW`] times
    /// as long as the fastest of them replays a stretch of the trace that takes no longer. With 0 nobody does, and nothing is cut
    /// short so. Other peers are not: what is to be compared with them is timed on as many events.
    pub pace: usize,
    /// Peers whose operations may look at all free blocks replay at most this many events.
    pub linear_events: usize,
}

impl TimingEffort {
    /// No more rounds are timed.
    pub const MAX_ROUNDS: usize = 100_000;

    /// Enough for a median that is repeated, and a second or so for a peer that searches long lists. All replay all events.
    pub const DEFAULT: TimingEffort = TimingEffort {
        rounds: 9,
        more: 0,
        max_events: usize::MAX,
        other_events: usize::MAX,
        pace: 0,
        linear_events: 20_000,
    };

    /// How many times as long as the fastest that sets the pace a subject may take.
    pub const SLOW: u64 = 10;

    /// Nanoseconds that a round of any subject may take, however fast the others are.
    const SHORT: u64 = 20_000_000;

    /// As many rounds.
    pub fn rounds(rounds: usize) -> TimingEffort {
        TimingEffort { rounds, ..TimingEffort::DEFAULT }
    }

    /// The same with up to three times as many rounds more, of what disagrees.
    pub fn repeated(self) -> TimingEffort {
        TimingEffort { more: self.rounds.saturating_mul(3), ..self }
    }

    fn verify(self) -> Result<(), ReplayError> {
        match self.rounds {
            wanted if wanted > TimingEffort::MAX_ROUNDS => {
                Err(ReplayError::TooMany { what: "rounds", wanted, max: TimingEffort::MAX_ROUNDS })
            }
            _ => Ok(()),
        }
    }

    /// Events of `trace` that `subject` replays.
    pub fn events(self, subject: &Subject, trace: &PackedTrace) -> usize {
        let max = if subject.is_linear() { self.linear_events } else { usize::MAX };
        trace.events.len().min(max).min(self.max_events)
    }
}

/// Times of one subject on one trace, in nanoseconds an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The median round with its interval.
    pub spread: Spread,
    /// The fastest round.
    pub min: f64,
    /// The slowest round.
    pub max: f64,
    /// Every round, in order: as many as were asked for are comparable round by round with the other subjects.
    pub rounds: Vec<f64>,
    /// Events that were replayed: fewer than the trace has where the subject is cut short.
    pub events: usize,
}

/// Times of several subjects, which took turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Timings {
    /// In the order of the subjects.
    pub subjects: Vec<Timing>,
    /// Of the null allocator.
    pub null_allocator: Timing,
}

/// Times every subject, and the null allocator.
///
/// # Errors
///
/// More rounds than [`TimingEffort::MAX_ROUNDS`]; a subject that cannot be made in the region.
pub fn time(
    subjects: &[Subject],
    trace: &PackedTrace,
    region: &mut Region,
    effort: TimingEffort,
) -> Result<Timings, ReplayError> {
    time_watched(subjects, trace, region, effort, None, &mut |_| true)
}

/// As [`time()`]; `watch` gets every turn before it begins, and says whether to continue. Subject 0 is the null
/// allocator, those that are timed follow. Peers are timed in a process of their own, where `command` is one that hands
/// [`TIME_CHILD`](crate::TIME_CHILD) to [`time_child`](crate::time_child): who explored has used the C library's allocator.
///
/// # Errors
///
/// [`ReplayError::Stopped`], and those of [`time()`].
pub fn time_watched(
    subjects: &[Subject],
    trace: &PackedTrace,
    region: &mut Region,
    effort: TimingEffort,
    command: Option<&Path>,
    watch: &mut dyn FnMut(Turn) -> bool,
) -> Result<Timings, ReplayError> {
    effort.verify()?;
    let clock = Clock::new();
    let all = with_null(subjects);
    let rounds = effort.rounds.max(1);
    let stretches = stretches(&all, trace, region, effort, &clock, &mut |subject| {
        let _ = watch(Turn { subject, done: 0, total: rounds * all.len() });
    })?;
    let has_peers = all.iter().any(|subject| subject.peer().is_some());
    let peers = command.filter(|_| has_peers).map(|command| PeerTimes::begin(command, trace));
    let mut peers = peers.transpose()?;
    let mut times = sample::<ReplayError>(all.len(), rounds, effort.more, &mut |turn| {
        if !watch(turn) {
            return Err(ReplayError::Stopped);
        }
        let (subject, Stretch { events, again }) = (&all[turn.subject], stretches[turn.subject]);
        match peers.as_mut().filter(|_| subject.peer().is_some()) {
            Some(peers) => peers.round(subject, events),
            None => one_round(subject, &trace.events[..events], trace.slots, again, region, &clock),
        }
    })?
    .into_iter()
    .zip(&stretches)
    .map(|(rounds, stretch)| summarise(rounds, stretch.events));
    let null_allocator = times.next().expect("it is the first subject");
    Ok(Timings { subjects: times.collect(), null_allocator })
}

/// Events after which a subject that is not let finish may be stopped.
const PART: usize = 256;

/// What a subject replays in a round.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// The first events, this many.
    events: usize,
    /// Whether they are played once before.
    again: bool,
}

/// What each subject replays in a round: all that the effort lets it, unless it is too slow for those that set
/// the pace. Each is replayed once to see; `look` gets whom.
fn stretches(
    all: &[Subject],
    trace: &PackedTrace,
    region: &mut Region,
    effort: TimingEffort,
    clock: &Clock,
    look: &mut dyn FnMut(usize),
) -> Result<Vec<Stretch>, ReplayError> {
    let whole = |subject: &Subject| Stretch { events: effort.events(subject, trace), again: subject.reuses() };
    let mut stretches: Vec<Stretch> = all.iter().map(whole).collect();
    if effort.pace == 0 {
        return Ok(stretches);
    }
    let mut ticks = vec![0; trace.events.len().div_ceil(PART)];
    let short = (TimingEffort::SHORT as f64 / nanoseconds_per_tick(clock)) as u64;
    let mut run = |number: usize, events: usize, played: u64| {
        look(number);
        let (events, slots) = (&trace.events[..events], trace.slots);
        ticks.fill(0);
        let max = Ticks { played, freed: all[number].reuses().then_some(short) };
        let round = Round { events, slots, again: false, each: PART, clock, ticks: &mut ticks, max };
        let replayed = all[number].run(region, round)?;
        Ok::<(Replayed, u64), ReplayError>((replayed, ticks.iter().sum()))
    };
    let pacing = 1..all.len().min(effort.pace + 1);
    let took = pacing.map(|number| run(number, stretches[number].events, u64::MAX));
    let took = took.collect::<Result<Vec<(Replayed, u64)>, ReplayError>>()?;
    let longest =
        took.iter().map(|(_, took)| took).min().map_or(short, |fastest| short.max(TimingEffort::SLOW * fastest));
    for (number, stretch) in stretches.iter_mut().enumerate().skip(1) {
        let subject = &all[number];
        if number > effort.pace && subject.peer().is_none() {
            stretch.events = effort.other_events.min(stretch.events);
        }
        if subject.peer().is_some() && !subject.is_linear() {
            continue;
        }
        let replayed = match took.get(number - 1) {
            Some((replayed, took)) if *took <= longest => *replayed,
            _ => run(number, stretch.events, longest)?.0,
        };
        *stretch = Stretch { events: replayed.events, again: stretch.again && replayed.is_freed };
    }
    Ok(stretches)
}

fn summarise(rounds: Vec<f64>, events: usize) -> Timing {
    let ends = |pick: fn(f64, f64) -> f64| rounds.iter().copied().reduce(pick).unwrap_or_default();
    Timing { spread: Spread::of(&rounds), min: ends(f64::min), max: ends(f64::max), rounds, events }
}

/// How long single operations take, in nanoseconds, the reading of the counter included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency {
    /// Half of the operations take no longer.
    pub p50: f64,
    /// 90% of the operations take no longer.
    pub p90: f64,
    /// 99% of the operations take no longer.
    pub p99: f64,
    /// 99.9% of the operations take no longer.
    pub p999: f64,
    /// The slowest operation.
    pub max: f64,
}

/// Latencies of several subjects, which took turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies {
    /// In the order of the subjects.
    pub subjects: Vec<Latency>,
    /// Of the null allocator: what reading the counter costs.
    pub counter: Latency,
    /// Nanoseconds by which the counter advances when it does: the median.
    pub step: f64,
}

/// Measures the latencies of every subject, and of the counter.
///
/// # Errors
///
/// Those of [`time()`].
pub fn latencies(
    subjects: &[Subject],
    trace: &PackedTrace,
    region: &mut Region,
    effort: TimingEffort,
) -> Result<Latencies, ReplayError> {
    effort.verify()?;
    let clock = Clock::new();
    let all = with_null(subjects);
    let mut all_rounds: Vec<Vec<Rounds>> =
        all.iter().map(|subject| vec![Rounds::default(); effort.events(subject, trace)]).collect();
    in_turns(&all, trace, region, effort, &clock, &mut |number, ticks| {
        all_rounds[number].iter_mut().zip(ticks).for_each(|(rounds, &ticks)| rounds.add(ticks));
    })?;
    let mut latencies: Vec<Latency> =
        all_rounds.iter().map(|rounds| percentiles(rounds, effort.rounds, &clock)).collect();
    let counter = latencies.remove(0);
    Ok(Latencies { subjects: latencies, counter, step: step(&clock) })
}

/// The rounds of one operation, in ticks.
#[derive(Debug, Clone, Copy, Default)]
struct Rounds {
    sum: u32,
    slowest: u32,
}

impl Rounds {
    fn add(&mut self, ticks: u64) {
        let ticks = u32::try_from(ticks).unwrap_or(u32::MAX);
        self.sum = self.sum.saturating_add(ticks);
        self.slowest = self.slowest.max(ticks);
    }

    /// The mean of `rounds` without the slowest, in parts of a tick.
    fn mean(self, rounds: usize) -> u64 {
        match rounds {
            0 | 1 => u64::from(self.sum) * PARTS,
            _ => u64::from(self.sum - self.slowest) * PARTS / (rounds as u64 - 1),
        }
    }
}

/// Parts of a tick that a mean is rounded to.
const PARTS: u64 = 16;

fn percentiles(operations: &[Rounds], rounds: usize, clock: &Clock) -> Latency {
    let nanoseconds = nanoseconds_per_tick(clock) / PARTS as f64;
    // Three digits of a value are more than a latency has; the histogram grows to its largest value.
    let mut histogram = Histogram::<u32>::new(3).ok();
    if let Some(histogram) = &mut histogram {
        operations.iter().for_each(|operation| histogram.record(operation.mean(rounds)).unwrap_or_default());
    }
    let at = |quantile: f64| {
        histogram.as_ref().map_or(0.0, |histogram| histogram.value_at_quantile(quantile) as f64 * nanoseconds)
    };
    Latency { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1.0) }
}

fn nanoseconds_per_tick(clock: &Clock) -> f64 {
    // Ticks that a nanosecond has are few: the fraction is kept by asking for many at once.
    const MANY: u64 = 1 << 30;
    clock.delta_as_nanos(0, MANY) as f64 / MANY as f64
}

/// By how many nanoseconds the counter advances when it does.
fn step(clock: &Clock) -> f64 {
    const READINGS: usize = 10_000;
    let readings: Vec<u64> = (0..READINGS).map(|_| clock.raw()).collect();
    let steps = readings.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    let mut steps: Vec<u64> = steps.filter(|&step| step > 0).collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).map_or(0.0, |&step| step as f64 * nanoseconds_per_tick(clock))
}

fn with_null(subjects: &[Subject]) -> Vec<Subject> {
    std::iter::once(Subject::Nothing).chain(subjects.iter().cloned()).collect()
}

/// Replays with every subject in turns, and reports the ticks of each event.
fn in_turns(
    subjects: &[Subject],
    trace: &PackedTrace,
    region: &mut Region,
    effort: TimingEffort,
    clock: &Clock,
    tell: &mut dyn FnMut(usize, &[u64]),
) -> Result<(), ReplayError> {
    let mut ticks = vec![0; trace.events.len()];
    for round in 0..effort.rounds.max(1) {
        for turn in 0..subjects.len() {
            let number = (round + turn) % subjects.len();
            let subject = &subjects[number];
            let events = &trace.events[..effort.events(subject, trace)];
            let ticks = &mut ticks[..events.len()];
            let (slots, again) = (trace.slots, subject.reuses());
            subject.run(region, Round { events, slots, again, each: 1, clock, ticks: &mut *ticks, max: Ticks::ALL })?;
            tell(number, ticks);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use heapsmith_dispatch::with_dyn_heap;
    use heapsmith_peers::Work;
    use heapsmith_trace::{Action, Bytes, Event, Nanoseconds, Trace};

    use super::*;

    #[test]
    fn the_summary_of_rounds_is_their_median_and_their_ends() {
        let timing = summarise(vec![3.0, 1.0, 9.0], 5);
        assert_eq!((timing.spread.median, timing.min, timing.max), (3.0, 1.0, 9.0));
        assert_eq!(timing.rounds, [3.0, 1.0, 9.0]);
    }

    #[test]
    fn what_is_timed_was_played_once_and_freed_before() {
        let mut trace = Trace::default();
        for id in 0..10 {
            let action = Action::Allocate { id, size: Bytes(64), alignment: 0 };
            trace.events.push(Event { time: Nanoseconds(0), thread: 0, site: None, action });
        }
        let trace = PackedTrace::new(&trace).expect("a trace");
        let mut region = Region::for_timing(&trace).expect("memory");
        let clock = Clock::new();
        let mut after = |again| {
            let spec = "freelists(64) list(order=lifo, fit=first)".parse().expect("a heap");
            with_dyn_heap(&spec, region.source(Bytes(u64::MAX)), |heap| {
                let (events, slots, max) = (&trace.events[..], trace.slots, Ticks::ALL);
                let round = Round { events, slots, again, each: usize::MAX, clock: &clock, ticks: &mut [0], max };
                assert_eq!(round.run(&mut *heap), Replayed { events: 10, is_freed: false });
                (heap.meter().accesses, heap.footprint())
            })
            .expect("a heap")
        };
        let (once, again) = (after(false), after(true));
        assert!(once.0 < again.0, "it is played twice: {once:?}, {again:?}");
        assert_eq!(once.1, again.1, "the second time it gets what was freed");
    }

    #[test]
    fn what_frees_for_long_is_timed_from_empty() {
        let allocate = |id| Action::Allocate { id, size: Bytes(16), alignment: 0 };
        let events = (0..20_000).map(|id| Event { time: Nanoseconds(0), thread: 0, site: None, action: allocate(id) });
        let trace = PackedTrace::new(&Trace { events: events.collect(), ..Trace::default() }).expect("a trace");
        let mut region = Region::for_timing(&trace).expect("memory");
        let heaps = ["tlsf", "list(order=address, coalesce=never)", "bump"];
        let all = with_null(&heaps.map(|heap| heap.parse::<Subject>().expect("one")));
        let effort = TimingEffort { pace: 1, ..TimingEffort::rounds(1) };
        let found = stretches(&all, &trace, &mut region, effort, &Clock::new(), &mut |_| ()).expect("they are made");
        let found: Vec<(usize, bool)> = found.iter().map(|stretch| (stretch.events, stretch.again)).collect();
        assert_eq!(found[1..], [(20_000, true), (20_000, false), (20_000, false)]);
    }

    #[test]
    fn what_frees_in_no_order_of_choice_is_timed_from_empty() {
        let reuses = |heap: &str| heap.parse::<Subject>().expect("one").reuses();
        assert!(reuses("list") && reuses("peer:rlsf") && !reuses("bump") && !reuses("stack"));
    }

    #[test]
    fn percentiles_are_of_the_operations() {
        let rounds: Vec<Rounds> =
            (1..=1000).map(|ticks| ticks * 50).map(|ticks| Rounds { sum: ticks, slowest: ticks }).collect();
        let clock = Clock::new();
        let latency = percentiles(&rounds, 1, &clock);
        let tick = latency.max / 1000.0;
        for (value, expected) in
            [(latency.p50, 500.0), (latency.p90, 900.0), (latency.p99, 990.0), (latency.p999, 999.0)]
        {
            assert!((value / tick - expected).abs() < 2.0, "{latency:?}");
        }
    }

    #[test]
    fn the_slowest_round_of_an_operation_does_not_count() {
        let mut rounds = Rounds::default();
        [10, 20, 9_000, 15].into_iter().for_each(|ticks| rounds.add(ticks));
        assert_eq!(rounds.mean(4), 15 * PARTS);
        assert_eq!(Rounds { sum: 7, slowest: 7 }.mean(1), 7 * PARTS);
    }
}
