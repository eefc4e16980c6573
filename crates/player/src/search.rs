//! Knobs searched by plays.
//!
//! ```text
//!   every level of every knob alone ─┐ in a  ┌▶ the better, and the best levels together ─┐ in half ┌▶ the best, and the default,
//!   draws as GreenMalloc's ──────────┘ second └────────────────────────────────────────────┘ the time └─ on the trace and on copies
//! ```
//!
//! Successive halving (Jamieson and Talwalkar, AISTATS 2016), with the time of a play as the resource, and of long traces their begin.
//! What is ranked is memory, the geometric mean of its peak and its average, and time where it is over that of the default by a
//! twentieth: short plays do not measure it finer. At the end plays of all recordings of the program and of changed copies of the first
//! decide, by turns ([`Found::best`]): a program never makes the same requests twice, so that what helps in one trace alone helps no
//! program.
//!
//! GreenMalloc (Dakhama et al., SSBSE 2025, arXiv 2510.21405) draws from ranges of seven tunables of glibc and evolves them
//! (NSGA-II) over whole runs. Six of them compete here in the same ranges, as many draws as levels are tried of glibc's knobs. The
//! seventh, `perturb`, fills blocks to find errors: nobody deploys it.

mod copies;
mod found;
mod kept;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_peers::{Configured, Deployed, Knob};
use heapsmith_trace::{Draws, Trace};

use crate::play::{PlayError, Played, Player, Served};
use crate::scenario::Scenario;
use copies::{COPIES, changed};
pub use found::{Found, Origin, Program, Tried, WORTH};
use found::{memory, processors};
pub use kept::Kept;

/// What is left at the end, besides the default: for memory, and for time.
const FINALISTS: [usize; 2] = [3, 2];

/// Seconds of a play at first.
const SHORT: f64 = 1.0;

/// Events of which plays at first have an eighth, where that is more.
const LONG: usize = 10_000_000;

/// What a knob more has to save, as a logarithm.
const AS_GOOD: f64 = 0.01;

/// Levels that are combined.
const COMBINED: usize = 5;

/// A search over recordings of one program.
pub struct Search<'a> {
    /// Plays.
    pub player: &'a Player,
    /// What is played; at least one.
    pub traces: &'a [&'a Trace],
    /// Draws what is drawn.
    pub seed: u64,
    /// Set when the user stops it.
    pub stop: &'a AtomicBool,
    /// Told of every play: what is played, how many were, and how many there are at this length.
    pub watch: &'a dyn Fn(&Configured, usize, usize),
    /// Told of all plays after each that was made; says whether they are kept, without which the search is stopped.
    pub keep: &'a dyn Fn(&Kept) -> bool,
}

/// Searches the knobs of an allocator; none where it was stopped. Plays that an earlier search kept are not made again.
///
/// # Errors
///
/// [`PlayError`] of the allocator as it is installed. A configuration that fails is dropped.
pub fn search(search: &Search<'_>, allocator: Deployed, kept: Kept) -> Result<Option<Found>, PlayError> {
    let default = Configured::plain(allocator);
    let Some((first_trace, others)) = search.traces.split_first() else { return Ok(None) };
    let events = first_trace.events.len();
    let mut field = Field { search, default: &default, plays: 0, known: HashSet::new(), kept, is_lost: false };
    let levels = levels(allocator);
    let drawn = if allocator == Deployed::Libc { drawn(levels.len(), search.seed) } else { Vec::new() };
    let first: Vec<(Configured, Origin)> = levels.into_iter().chain(drawn).collect();
    let within = |seconds: f64| Player { seconds, ..search.player.clone() };
    let (quick, longer) = (within(search.player.seconds.min(SHORT)), within(search.player.seconds / 2.0));
    let begin = Scenario::of(first_trace, (events / 8).max(events.min(LONG)));
    let Some(begun) = field.ranked(&quick, &begin, first)? else { return Ok(None) };
    let together = together(&default, &begun);
    let better = best_of(&begun, FINALISTS.map(|count| 2 * count));
    let second: Vec<_> = better.into_iter().chain(together).collect();
    let whole = Scenario::of(first_trace, events);
    let Some(ranked) = field.ranked(&longer, &whole, second)? else { return Ok(None) };
    drop(whole);
    let mut last = best_of(&ranked, FINALISTS);
    // The best of GreenMalloc's has its comparison.
    if let Some(drawn) = ranked.iter().chain(&begun).find(|ranked| ranked.origin == Origin::GreenMalloc)
        && !last.iter().any(|kept| kept.1 == Origin::GreenMalloc)
    {
        last.push((drawn.configured.clone(), drawn.origin));
    }
    let Some(tried) = field.whole(first_trace, others, last)? else { return Ok(None) };
    Ok(Some(Found { tried, configurations: field.known.len(), plays: field.plays }))
}

/// A configuration with what it is ranked by, the lower the better.
#[derive(Debug, Clone)]
struct Ranked {
    configured: Configured,
    origin: Origin,
    /// For memory at no more time, and for time at no more memory.
    scores: [f64; 2],
}

/// The best for memory, and the best of the others for time; as many of each. In place of several knobs those of them that do as
/// much alone.
fn best_of(ranked: &[Ranked], count: [usize; 2]) -> Vec<(Configured, Origin)> {
    let mut best: Vec<&Ranked> = Vec::new();
    for (goal, count) in count.into_iter().enumerate() {
        let mut order: Vec<&Ranked> = ranked.iter().collect();
        order.sort_by(|a, b| a.scores[goal].total_cmp(&b.scores[goal]));
        let enough = best.len() + count;
        for one in order.iter().map(|one| simpler(&order, one, goal)) {
            if best.len() < enough && !best.iter().any(|known| known.configured == one.configured) {
                best.push(one);
            }
        }
    }
    best.into_iter().map(|ranked| (ranked.configured.clone(), ranked.origin)).collect()
}

/// The one with the fewest knobs, all of them this one's, that is as good; this one itself, where there is none.
fn simpler<'a>(all: &[&'a Ranked], one: &'a Ranked, goal: usize) -> &'a Ranked {
    let is_part = |other: &&&Ranked| other.configured.knobs().all(|knob| one.configured.knobs().any(|own| own == knob));
    let as_good = all.iter().filter(is_part).filter(|other| other.scores[goal] <= one.scores[goal] + AS_GOOD);
    as_good.min_by_key(|other| other.configured.knobs().count()).copied().unwrap_or(one)
}

struct Field<'a> {
    search: &'a Search<'a>,
    default: &'a Configured,
    plays: usize,
    known: HashSet<String>,
    kept: Kept,
    /// Whether a play could not be kept.
    is_lost: bool,
}

impl Field<'_> {
    fn is_stopped(&self) -> bool {
        self.is_lost || self.search.stop.load(Ordering::Relaxed)
    }

    /// Plays configurations once, the default first, and ranks them; none when it is stopped.
    fn ranked(
        &mut self,
        player: &Player,
        scenario: &Scenario,
        all: Vec<(Configured, Origin)>,
    ) -> Result<Option<Vec<Ranked>>, PlayError> {
        let total = all.len() + 1;
        if self.is_stopped() {
            return Ok(None);
        }
        let base = self.play(player, self.default, scenario, total)?;
        let mut ranked: Vec<Ranked> = Vec::with_capacity(all.len());
        let mut seen = HashSet::new();
        for (configured, origin) in all {
            if self.is_stopped() {
                return Ok(None);
            }
            if !seen.insert(configured.to_string()) {
                continue;
            }
            // What an allocator cannot start with is no candidate.
            let Ok(played) = self.play(player, &configured, scenario, total) else { continue };
            if played.failed > base.failed {
                continue;
            }
            let time = (processors(&played) / processors(&base)).ln();
            let memory = (memory(&played) / memory(&base)).ln();
            let scores = [memory + 2.0 * (time - 0.05).max(0.0), time + 5.0 * (memory - 0.01).max(0.0)];
            ranked.push(Ranked { configured, origin, scores });
        }
        ranked.sort_by(|a, b| a.scores[0].total_cmp(&b.scores[0]));
        Ok(Some(ranked))
    }

    /// Plays the default and what is left by turns, on each trace and on each changed copy of the first.
    fn whole(
        &mut self,
        first: &Trace,
        others: &[&Trace],
        last: Vec<(Configured, Origin)>,
    ) -> Result<Option<Vec<Tried>>, PlayError> {
        let all = [(self.default.clone(), Origin::Default)].into_iter().chain(last);
        let mut tried: Vec<Tried> =
            all.map(|(configured, origin)| Tried { configured, origin, plays: Vec::new() }).collect();
        let total = tried.len() * (1 + others.len() + COPIES.len());
        for trace in [first].into_iter().chain(others.iter().copied()) {
            self.turn(&mut tried, trace, total)?;
        }
        for copy in COPIES {
            if self.is_stopped() {
                return Ok(None);
            }
            self.turn(&mut tried, &changed(first, copy)?, total)?;
        }
        if self.is_stopped() {
            return Ok(None);
        }
        let default = tried[0].clone();
        tried[1..].sort_by(|a, b| a.change(&default, memory).total_cmp(&b.change(&default, memory)));
        Ok(Some(tried))
    }

    /// Plays each once; what cannot be played goes. Ends at once when it is stopped.
    fn turn(&mut self, tried: &mut Vec<Tried>, trace: &Trace, total: usize) -> Result<(), PlayError> {
        let scenario = Scenario::of(trace, trace.events.len());
        let mut failed = HashSet::new();
        for (place, one) in tried.iter_mut().enumerate() {
            if self.is_stopped() {
                return Ok(());
            }
            match self.play(self.search.player, &one.configured, &scenario, total) {
                Ok(played) => one.plays.push(played),
                Err(error) if place == 0 => return Err(error),
                Err(_) => drop(failed.insert(one.configured.to_string())),
            }
        }
        tried.retain(|one| !failed.contains(&one.configured.to_string()));
        Ok(())
    }

    fn play(
        &mut self,
        player: &Player,
        configured: &Configured,
        scenario: &Scenario,
        total: usize,
    ) -> Result<Played, PlayError> {
        (self.search.watch)(configured, self.plays, total);
        self.plays += 1;
        self.known.insert(configured.to_string());
        let served = Served::by(configured)?;
        let of = kept::what(player, &served, scenario);
        if let Some(played) = self.kept.take(configured, of) {
            return Ok(played);
        }
        let played = player.play(&served, scenario)?;
        self.kept.add(configured, of, played);
        self.is_lost = !(self.search.keep)(&self.kept);
        Ok(played)
    }
}

/// Every level of every knob, alone.
fn levels(allocator: Deployed) -> Vec<(Configured, Origin)> {
    let default = Configured::plain(allocator);
    let of = |knob: &'static Knob| knob.levels.iter().map(move |level| (knob, *level));
    let all = allocator.knobs().iter().flat_map(of);
    all.filter_map(|(knob, level)| Some((default.with(knob, level).ok()?, Origin::Knobs))).collect()
}

/// The best levels of different knobs together: the first two, three and so on, and every two.
fn together(default: &Configured, ranked: &[Ranked]) -> Vec<(Configured, Origin)> {
    let mut best: Vec<(&'static Knob, &str)> = Vec::new();
    for Ranked { configured, origin, scores } in ranked {
        let Some((knob, level)) = configured.knobs().next() else { continue };
        if *origin == Origin::Knobs && scores[0] < 0.0 && !best.iter().any(|(known, _)| known.name == knob.name) {
            best.push((knob, level));
        }
    }
    best.truncate(COMBINED);
    let joined = |chosen: &[(&'static Knob, &str)]| {
        let all = chosen.iter().try_fold(default.clone(), |so_far, (knob, level)| so_far.with(knob, level));
        all.ok().map(|configured| (configured, Origin::Knobs))
    };
    let first = (2..=best.len()).filter_map(|count| joined(&best[..count]));
    let pairs = (0..best.len()).flat_map(|a| (a + 1..best.len()).map(move |b| (a, b)));
    first.chain(pairs.filter_map(|(a, b)| joined(&[best[a], best[b]]))).collect()
}

/// Draws from GreenMalloc's ranges of glibc's tunables, as far as glibc takes them.
fn drawn(count: usize, seed: u64) -> Vec<(Configured, Origin)> {
    const RANGES: [(&str, u64, u64); 6] = [
        ("mmap_max", 0, 16 << 20),
        ("mmap_threshold", 0, 1 << 20),
        ("top_pad", 0, 1 << 20),
        ("trim_threshold", 0, 1 << 20),
        ("arena_test", 1, 1 << 20),
        ("arena_max", 1, 128),
    ];
    let mut draws = Draws::new(seed);
    let mut one = || {
        RANGES.iter().try_fold(Configured::plain(Deployed::Libc), |so_far, (name, min, max)| {
            let value = draws.between(*min, *max).to_string();
            let knob = Deployed::Libc.knobs().iter().find(|knob| knob.name == *name)?;
            so_far.with(knob, &value).ok()
        })
    };
    (0..count).filter_map(|_| Some((one()?, Origin::GreenMalloc))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_tried_alone_and_the_best_together() {
        let levels = levels(Deployed::Jemalloc);
        assert!(levels.len() > 15 && levels.iter().all(|(configured, _)| configured.knobs().count() == 1));
        let score = |text: &str, score: f64| Ranked {
            configured: text.parse().expect("a configuration"),
            origin: Origin::Knobs,
            scores: [score, 0.0],
        };
        let ranked = [
            score("jemalloc(narenas=1)", -0.3),
            score("jemalloc(narenas=2)", -0.2),
            score("jemalloc(tcache=off)", -0.1),
            score("jemalloc(dirty_decay_ms=0)", -0.05),
            score("jemalloc(thp=never)", 0.1),
        ];
        let together: Vec<String> = together(&Configured::plain(Deployed::Jemalloc), &ranked)
            .iter()
            .map(|(configured, _)| configured.to_string())
            .collect();
        assert_eq!(together[1], "peer:jemalloc(narenas=1, dirty_decay_ms=0, tcache=off)", "a knob has one level");
        assert_eq!(together.len(), 5, "the first two, all three, and every two: {together:?}");
        assert!(!together.iter().any(|text| text.contains("thp")), "what is worse is not combined");
    }

    #[test]
    fn of_knobs_together_those_are_left_that_help() {
        let score = |text: &str, memory: f64, time: f64| Ranked {
            configured: text.parse().expect("a configuration"),
            origin: Origin::Knobs,
            scores: [memory, time],
        };
        let ranked = [
            score("jemalloc(narenas=1, dirty_decay_ms=0, thp=never)", -0.3, 0.0),
            score("jemalloc(dirty_decay_ms=0, thp=never)", -0.299, 0.0),
            score("jemalloc(narenas=1, dirty_decay_ms=0)", -0.295, 0.0),
            score("jemalloc(dirty_decay_ms=0)", -0.28, 0.0),
            score("jemalloc(narenas=1)", -0.1, 0.0),
            score("jemalloc(tcache_max=64K)", 0.0, -0.2),
        ];
        let best = best_of(&ranked, [3, 1]).into_iter().map(|(configured, _)| configured.to_string());
        let expected = [
            "peer:jemalloc(dirty_decay_ms=0, thp=never)",
            "peer:jemalloc(narenas=1, dirty_decay_ms=0)",
            "peer:jemalloc(dirty_decay_ms=0)",
            "peer:jemalloc(tcache_max=64K)",
        ];
        assert_eq!(best.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn draws_are_those_of_the_seed_and_within_what_glibc_takes() {
        let text = |seed| drawn(20, seed).iter().map(|(configured, _)| configured.to_string()).collect::<Vec<_>>();
        assert_eq!(text(1).len(), 20, "every draw is one that glibc takes");
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    #[test]
    fn no_setting_that_finds_errors_is_tried() {
        let drawn = drawn(20, 1);
        let levels = levels(Deployed::Libc);
        let all: Vec<String> = drawn.iter().chain(&levels).map(|(configured, _)| configured.to_string()).collect();
        assert!(!all.iter().any(|text| text.contains("perturb")), "{all:?}");
    }
}
