//! What a search found, and which of it is an answer.

use heapsmith_peers::Configured;
use heapsmith_trace::{Nanoseconds, Trace};

use crate::play::Played;

/// What less memory has to be of the default's to be worth a setting.
pub const WORTH: f64 = 0.98;

/// What less memory may cost of the program's time, and what less time has to save of it.
const SHARE: f64 = 0.01;

/// The same of the time of a play, which is that of the allocator alone, where the program's is not known.
const SHARE_OF_PLAY: f64 = 0.05;

/// Where a configuration came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The allocator as it is installed.
    Default,
    /// Levels of its knobs.
    Knobs,
    /// A draw from GreenMalloc's ranges.
    GreenMalloc,
}

/// A configuration that was played whole.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The allocator with its knobs.
    pub configured: Configured,
    /// Where it came from.
    pub origin: Origin,
    /// Its plays: of each trace, and of each changed copy.
    pub plays: Vec<Played>,
}

impl Tried {
    /// The medians of its plays.
    pub fn played(&self) -> Played {
        Played::median(&self.plays)
    }

    /// The ratio of a figure to the default's: the median of those on each trace and on each copy.
    pub fn change(&self, default: &Tried, figure: fn(&Played) -> f64) -> f64 {
        median(self.pairs(default).map(|(own, default)| figure(own) / figure(default)))
    }

    /// The processor time that it takes more than the default, as a share of the program's, or of the play's where that is not known.
    pub fn cost(&self, default: &Tried, program: Option<Nanoseconds>) -> f64 {
        median(self.costs(default, program))
    }

    fn costs<'a>(&'a self, default: &'a Tried, program: Option<Nanoseconds>) -> impl Iterator<Item = f64> + 'a {
        self.pairs(default).map(move |(own, default)| {
            let whole = program.map_or_else(|| processors(default), |program| program.0.max(1) as f64);
            (processors(own) - processors(default)) / whole
        })
    }

    /// Its plays with those of the default, each pair of one trace.
    fn pairs<'a>(&'a self, default: &'a Tried) -> impl Iterator<Item = (&'a Played, &'a Played)> + 'a {
        self.plays.iter().zip(&default.plays)
    }
}

/// What is known of the program whose traces were played.
#[derive(Debug, Clone, Copy, Default)]
pub struct Program {
    /// The processor time that it took, with its recording.
    pub processor_time: Option<Nanoseconds>,
    /// Whether it has several threads.
    pub has_threads: bool,
}

impl Program {
    /// The program of traces that were recorded of it.
    pub fn of(traces: &[&Trace]) -> Program {
        let first = |trace: &Trace| trace.events.first().map(|event| event.thread);
        let has_threads = |trace: &&&Trace| trace.events.iter().any(|event| Some(event.thread) != first(trace));
        Program {
            processor_time: traces.iter().find_map(|trace| trace.origin.processor_time()),
            has_threads: traces.iter().any(|trace| has_threads(&trace)),
        }
    }
}

/// What a search of one allocator's knobs found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was played whole, the default first and then the least memory first.
    pub tried: Vec<Tried>,
    /// Configurations that were played at all.
    pub configurations: usize,
    /// Plays in all.
    pub plays: usize,
}

impl Found {
    /// The configuration that takes the least memory at no more time; where none is better by what is worth a setting, the one that takes
    /// the least time at no more memory.
    ///
    /// What is better is so on every trace and on every copy, and so is what is worse: a configuration costs time where more than three
    /// quarters of its plays say so. Of those that are as good within what is worth a setting the one with the fewest knobs, and of
    /// these the one that takes the least time. How threads wait for each other in their allocator is not the same in plays, where they
    /// wait for blocks, too: of a program with threads nothing is said that depends on that.
    pub fn best(&self, program: Program) -> Option<&Tried> {
        let (default, others) = self.tried.split_first()?;
        let Program { processor_time: program, has_threads } = program;
        let served = |tried: &&Tried| {
            let contends = tried.configured.knobs().any(|(knob, _)| knob.contends);
            tried.plays.iter().all(|played| played.failed == 0) && !(has_threads && contends)
        };
        let share = if program.is_some() { SHARE } else { SHARE_OF_PLAY };
        let saves = |tried: &&Tried| {
            let costly = tried.costs(default, program).filter(|&cost| cost > share).count();
            tried.pairs(default).all(|(own, default)| memory(own) < memory(default))
                && tried.change(default, memory) <= WORTH
                && costly * 4 <= tried.plays.len() * 3
        };
        let speeds = |tried: &&Tried| {
            tried.costs(default, program).all(|cost| cost < 0.0)
                && tried.cost(default, program) <= -share
                && tried.change(default, memory) <= 1.0
        };
        let usable = || others.iter().filter(served);
        let saved = |tried: &Tried| tried.change(default, memory);
        let cost = |tried: &Tried| tried.cost(default, program);
        if let Some(best) = usable().filter(saves).map(saved).min_by(f64::total_cmp) {
            let as_good = usable().filter(saves).filter(|tried| saved(tried) <= best / WORTH);
            return simplest(as_good, cost);
        }
        if has_threads {
            return None;
        }
        let best = usable().filter(speeds).map(cost).min_by(f64::total_cmp)?;
        let as_good = usable().filter(speeds).filter(|tried| cost(tried) <= best + share);
        simplest(as_good, cost)
    }
}

/// The one with the fewest knobs, and of these the one that costs the least.
fn simplest<'a>(all: impl Iterator<Item = &'a Tried>, cost: impl Fn(&Tried) -> f64) -> Option<&'a Tried> {
    let knobs = |tried: &Tried| tried.configured.knobs().count();
    all.min_by(|a, b| knobs(a).cmp(&knobs(b)).then(cost(a).total_cmp(&cost(b))))
}

/// The geometric mean of peak and average, in bytes.
pub(super) fn memory(played: &Played) -> f64 {
    (played.peak.max(1) as f64 * played.mean.max(1) as f64).sqrt()
}

/// Nanoseconds of processors.
pub(super) fn processors(played: &Played) -> f64 {
    played.processors.max(1) as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Configurations with the memory of their plays, and the time of each play.
    fn found(all: &[(&str, [u64; 5], u64)]) -> Found {
        let tried = |(text, memory, processors): &(&str, [u64; 5], u64)| {
            let played =
                |bytes: &u64| Played { peak: *bytes, mean: *bytes, processors: *processors, ..Played::default() };
            let plays = memory.iter().map(played).collect();
            Tried { configured: text.parse().expect("a configuration"), origin: Origin::Knobs, plays }
        };
        Found { tried: all.iter().map(tried).collect(), configurations: all.len(), plays: 5 * all.len() }
    }

    const DEFAULT: (&str, [u64; 5], u64) = ("libc", [1000, 1400, 900, 1000, 2000], 100);

    fn best(others: &[(&str, [u64; 5], u64)], program: Option<u64>) -> Option<String> {
        let found = found(&[&[DEFAULT], others].concat());
        let best = found.best(Program { processor_time: program.map(Nanoseconds), has_threads: false });
        best.map(|tried| tried.configured.to_string())
    }

    fn named(name: &str) -> Option<String> {
        Some(format!("peer:{name}"))
    }

    #[test]
    fn what_helps_on_the_trace_alone_is_no_answer() {
        let one = "libc(arena_max=1)";
        assert_eq!(best(&[(one, [900, 1260, 810, 900, 1800], 100)], None), named(one));
        assert_eq!(best(&[(one, [900, 1260, 910, 900, 1800], 100)], None), None, "not on the third copy");
        assert_eq!(best(&[(one, [985, 1385, 890, 985, 1980], 100)], None), None, "1.5% is worth no setting");
    }

    #[test]
    fn of_threads_that_wait_for_each_other_nothing_is_named() {
        let shared = ("libc(arena_max=1)", [500, 700, 450, 500, 1000], 100);
        let other = ("libc(mxfast=0)", [900, 1260, 810, 900, 1800], 100);
        let quick = ("libc(mmap_max=0)", [1000, 1400, 900, 1000, 2000], 50);
        let found = found(&[DEFAULT, shared, other, quick]);
        let best = |has_threads: bool, found: &Found| {
            let best = found.best(Program { processor_time: None, has_threads });
            best.map(|tried| tried.configured.to_string())
        };
        assert_eq!(best(false, &found).as_deref(), Some("peer:libc(arena_max=1)"));
        assert_eq!(best(true, &found).as_deref(), Some("peer:libc(mxfast=0)"));
        let found = Found { tried: [&found.tried[..1], &found.tried[3..]].concat(), ..found };
        assert_eq!(best(false, &found).as_deref(), Some("peer:libc(mmap_max=0)"), "in half of the time");
        assert_eq!(best(true, &found), None);
    }

    #[test]
    fn what_memory_may_cost_is_a_share_of_the_program() {
        let slow = ("libc(arena_max=1)", [500, 700, 450, 500, 1000], 150);
        let quick = ("libc(arena_max=2)", [800, 1120, 720, 800, 1600], 101);
        assert_eq!(best(&[slow, quick], None), named("libc(arena_max=2)"));
        assert_eq!(best(&[slow, quick], Some(1_000)), named("libc(arena_max=2)"), "5% of the program");
        assert_eq!(best(&[slow, quick], Some(10_000)), named("libc(arena_max=1)"), "0.5% of the program");
    }

    #[test]
    fn of_what_is_as_good_the_simplest_and_then_the_fastest_is_named() {
        let both = ("libc(arena_max=1, mxfast=0)", [890, 1246, 801, 890, 1780], 100);
        let one = ("libc(mxfast=0)", [900, 1260, 810, 900, 1800], 100);
        assert_eq!(best(&[both, one], None), named("libc(mxfast=0)"));
        assert_eq!(best(&[both], None), named("libc(arena_max=1, mxfast=0)"));
        let quick = ("libc(arena_max=1, tcache_max=0)", [900, 1260, 810, 900, 1800], 98);
        assert_eq!(best(&[both, quick], None), named("libc(arena_max=1, tcache_max=0)"));
    }

    #[test]
    fn time_is_saved_where_memory_is_not() {
        let quick = ("tcmalloc(transfer_num_obj=512)", [1000, 1400, 900, 1000, 2000], 80);
        assert_eq!(best(&[quick], None), named("tcmalloc(transfer_num_obj=512)"));
        assert_eq!(best(&[quick], Some(10_000)), None, "0.2% of the program");
        let larger = ("tcmalloc(transfer_num_obj=512)", [1010, 1410, 910, 1010, 2010], 80);
        assert_eq!(best(&[larger], None), None, "for more memory");
        let less = ("tcmalloc(transfer_num_obj=64)", [900, 1260, 810, 900, 1800], 100);
        assert_eq!(best(&[quick, less], None), named("tcmalloc(transfer_num_obj=64)"));
    }
}
