//! Knobs searched by plays.
//!
//! ```text
//!   every level of every knob alone ─┐ an eighth ┌▶ the better half, and the best levels together ─┐ half ┌▶ the best, and the default
//!   draws as GreenMalloc's ──────────┘ of trace  └──────────────────────────────────────────────────┘ of it └─ whole, by turns, five times
//! ```
//!
//! Successive halving (Jamieson and Talwalkar, AISTATS 2016) with the trace as the resource. What is ranked is memory, the geometric mean of
//! its peak and its average, and time where it is over that of the default by a twentieth: short plays do not measure it finer. At the
//! end whole plays decide: a configuration helps where each of its plays takes less memory than every play of the default, and the
//! medians differ by a fiftieth. As many draws from one distribution as two times five are apart like that once in 252 times.
//!
//! GreenMalloc (Dakhama et al., SSBSE 2025, arXiv 2510.21405) draws from ranges of seven tunables of glibc and evolves them
//! (NSGA-II) over whole runs. Six of them compete here in the same ranges, as many draws as levels are tried of glibc's knobs. The
//! seventh, `perturb`, fills blocks to find errors: nobody deploys it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_peers::{Configured, Deployed, Knob};
use heapsmith_trace::{Draws, Trace};

use crate::play::{PlayError, Played, Player, Served};
use crate::scenario::Scenario;

/// Plays of what is left at the end, by turns.
const REPEATS: usize = 5;

/// What is left at the end, besides the default.
const FINALISTS: usize = 5;

/// What less memory has to be of the default's to be worth a setting.
pub const WORTH: f64 = 0.98;

/// Levels that are combined.
const COMBINED: usize = 5;

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
    /// Medians of its plays.
    pub played: Played,
    /// Minimum and maximum of its plays' memory, in bytes: the geometric mean of peak and average.
    pub spread: (f64, f64),
}

impl Tried {
    fn of(configured: Configured, origin: Origin, plays: &[Played]) -> Tried {
        let extremes = |(min, max): (f64, f64), memory| (min.min(memory), max.max(memory));
        let spread = plays.iter().map(memory).fold((f64::MAX, 0.0), extremes);
        Tried { configured, origin, played: Played::median(plays), spread }
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
    /// The configuration that has the least memory, of those that take no more than this ratio of the default's time; none where no
    /// gain is worth a setting and beyond what plays of the default differ by. Of those that plays cannot tell from it, or whose
    /// memory differs by less than is worth a setting, the one with the fewest knobs, and of these the one that takes the least time.
    pub fn best(&self, limit: f64) -> Option<&Tried> {
        let (default, others) = self.tried.split_first()?;
        let time = |tried: &Tried| tried.played.processors as f64 / default.played.processors.max(1) as f64;
        let helps = |tried: &&Tried| {
            tried.played.failed == 0
                && time(tried) <= limit
                && tried.spread.1 < default.spread.0
                && memory(&tried.played) <= WORTH * memory(&default.played)
        };
        let by_memory = |a: &&Tried, b: &&Tried| memory(&a.played).total_cmp(&memory(&b.played));
        let first = others.iter().filter(helps).min_by(by_memory)?;
        let enough = first.spread.1.max(memory(&first.played) / WORTH);
        let as_good = others.iter().filter(helps).filter(|tried| tried.spread.0 <= enough);
        let knobs = |tried: &Tried| tried.configured.knobs().count();
        as_good.min_by(|a, b| knobs(a).cmp(&knobs(b)).then(time(a).total_cmp(&time(b))).then_with(|| by_memory(a, b)))
    }
}

/// The geometric mean of peak and average, in bytes.
fn memory(played: &Played) -> f64 {
    (played.peak.max(1) as f64 * played.mean.max(1) as f64).sqrt()
}

/// A search over one trace.
pub struct Search<'a> {
    /// Plays.
    pub player: &'a Player,
    /// What is played.
    pub trace: &'a Trace,
    /// Draws what is drawn.
    pub seed: u64,
    /// Set when the user stops it.
    pub stop: &'a AtomicBool,
    /// Told of every play: what is played, how many were, and how many there are at this length.
    pub watch: &'a dyn Fn(&Configured, usize, usize),
}

/// Searches the knobs of an allocator; none where it was stopped.
///
/// # Errors
///
/// [`PlayError`] of the allocator as it is installed. A configuration that fails is dropped.
pub fn search(search: &Search<'_>, allocator: Deployed) -> Result<Option<Found>, PlayError> {
    let default = Configured::plain(allocator);
    let events = search.trace.events.len();
    let mut field = Field { search, default: &default, plays: 0, known: HashSet::new() };
    let levels = levels(allocator);
    let drawn = if allocator == Deployed::Libc { drawn(levels.len(), search.seed) } else { Vec::new() };
    let first: Vec<(Configured, Origin)> = levels.into_iter().chain(drawn).collect();
    let Some(eighth) = field.ranked(&Scenario::of(search.trace, events / 8), first)? else { return Ok(None) };
    let together = together(&default, &eighth);
    let half = eighth.len().div_ceil(2).min(2 * FINALISTS);
    let second: Vec<_> = eighth.iter().take(half).map(|ranked| (ranked.0.clone(), ranked.1)).chain(together).collect();
    let Some(halves) = field.ranked(&Scenario::of(search.trace, events / 2), second)? else { return Ok(None) };
    let mut last: Vec<(Configured, Origin)> =
        halves.iter().take(FINALISTS).map(|ranked| (ranked.0.clone(), ranked.1)).collect();
    // The best of GreenMalloc's has its comparison.
    if let Some(drawn) = halves.iter().chain(&eighth).find(|ranked| ranked.1 == Origin::GreenMalloc)
        && !last.iter().any(|kept| kept.1 == Origin::GreenMalloc)
    {
        last.push((drawn.0.clone(), drawn.1));
    }
    let Some(tried) = field.whole(&Scenario::of(search.trace, events), last)? else { return Ok(None) };
    Ok(Some(Found { tried, configurations: field.known.len(), plays: field.plays }))
}

/// A configuration with what it was ranked by, the lower the better.
type Ranked = (Configured, Origin, f64);

struct Field<'a> {
    search: &'a Search<'a>,
    default: &'a Configured,
    plays: usize,
    known: HashSet<String>,
}

impl Field<'_> {
    /// Plays configurations once, the default first, and ranks them; none when it is stopped.
    fn ranked(
        &mut self,
        scenario: &Scenario,
        all: Vec<(Configured, Origin)>,
    ) -> Result<Option<Vec<Ranked>>, PlayError> {
        let total = all.len() + 1;
        let base = self.play(self.default, scenario, total)?;
        let mut ranked: Vec<Ranked> = Vec::with_capacity(all.len());
        let mut seen = HashSet::new();
        for (configured, origin) in all {
            if self.search.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if !seen.insert(configured.to_string()) {
                continue;
            }
            // What an allocator cannot start with is no candidate.
            let Ok(played) = self.play(&configured, scenario, total) else { continue };
            if played.failed > base.failed {
                continue;
            }
            let time = (played.processors as f64 / base.processors.max(1) as f64).ln();
            let score = (memory(&played) / memory(&base)).ln() + 2.0 * (time - 0.05).max(0.0);
            ranked.push((configured, origin, score));
        }
        ranked.sort_by(|a, b| a.2.total_cmp(&b.2));
        Ok(Some(ranked))
    }

    /// Plays the default and what is left by turns, whole.
    fn whole(&mut self, scenario: &Scenario, last: Vec<(Configured, Origin)>) -> Result<Option<Vec<Tried>>, PlayError> {
        let all: Vec<(Configured, Origin)> =
            [(self.default.clone(), Origin::Default)].into_iter().chain(last).collect();
        let mut plays: Vec<Vec<Played>> = vec![Vec::new(); all.len()];
        for _ in 0..REPEATS {
            for (place, (configured, _)) in all.iter().enumerate() {
                if self.search.stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                match self.play(configured, scenario, all.len() * REPEATS) {
                    Ok(played) => plays[place].push(played),
                    Err(error) if place == 0 => return Err(error),
                    Err(_) => {}
                }
            }
        }
        let tried = all.into_iter().zip(plays).filter(|(_, plays)| !plays.is_empty());
        let mut tried: Vec<Tried> =
            tried.map(|((configured, origin), plays)| Tried::of(configured, origin, &plays)).collect();
        tried[1..].sort_by(|a, b| memory(&a.played).total_cmp(&memory(&b.played)));
        Ok(Some(tried))
    }

    fn play(&mut self, configured: &Configured, scenario: &Scenario, total: usize) -> Result<Played, PlayError> {
        (self.search.watch)(configured, self.plays, total);
        self.plays += 1;
        self.known.insert(configured.to_string());
        self.search.player.play(&Served::by(configured)?, scenario)
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
    for (configured, origin, score) in ranked {
        let Some((knob, level)) = configured.knobs().next() else { continue };
        if *origin == Origin::Knobs && *score < 0.0 && !best.iter().any(|(known, _)| known.name == knob.name) {
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
        let score = |text: &str, score: f64| (text.parse().expect("a configuration"), Origin::Knobs, score);
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
    fn draws_are_those_of_the_seed_and_within_what_glibc_takes() {
        let text = |seed| drawn(20, seed).iter().map(|(configured, _)| configured.to_string()).collect::<Vec<_>>();
        assert_eq!(text(1).len(), 20, "every draw is one that glibc takes");
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    fn found(all: &[(&str, &[u64], u64)]) -> Found {
        let tried = |(text, peaks, processors): &(&str, &[u64], u64)| {
            let played = |peak: &u64| Played { peak: *peak, mean: *peak, processors: *processors, ..Played::default() };
            let plays: Vec<Played> = peaks.iter().map(played).collect();
            Tried::of(text.parse().expect("a configuration"), Origin::Knobs, &plays)
        };
        Found { tried: all.iter().map(tried).collect(), configurations: all.len(), plays: 9 }
    }

    #[test]
    fn the_best_takes_no_more_than_the_limit_of_time() {
        let found =
            found(&[("libc", &[100], 100), ("libc(arena_max=1)", &[50], 150), ("libc(arena_max=2)", &[80], 101)]);
        let best = |limit: f64| found.best(limit).map(|tried| tried.configured.to_string());
        assert_eq!(best(1.01).as_deref(), Some("peer:libc(arena_max=2)"));
        assert_eq!(best(2.0).as_deref(), Some("peer:libc(arena_max=1)"));
        assert_eq!(best(1.0), None);
    }

    #[test]
    fn a_setting_is_named_only_for_a_gain_beyond_what_plays_differ_by() {
        let default: (&str, &[u64], u64) = ("libc", &[1000, 1010, 990], 100);
        let best = |others: &[(&str, &[u64], u64)]| {
            found(&[&[default], others].concat()).best(1.01).map(|tried| tried.configured.to_string())
        };
        assert_eq!(best(&[("libc(arena_max=1)", &[900, 905, 995], 100)]), None, "one play of it is like the default's");
        assert_eq!(best(&[("libc(arena_max=1)", &[985, 984, 986], 100)]), None, "1.5% is worth no setting");
        let both: (&str, &[u64], u64) = ("libc(arena_max=1, mxfast=0)", &[890, 900, 910], 100);
        let one: (&str, &[u64], u64) = ("libc(mxfast=0)", &[905, 915, 925], 100);
        assert_eq!(best(&[both, one]).as_deref(), Some("peer:libc(mxfast=0)"), "plays do not tell them apart");
        assert_eq!(best(&[both]).as_deref(), Some("peer:libc(arena_max=1, mxfast=0)"));
        let (slow, quick): (_, (&str, &[u64], u64)) = (both, ("libc(arena_max=1, tcache_max=0)", &[911, 912, 913], 98));
        assert_eq!(
            best(&[slow, quick]).as_deref(),
            Some("peer:libc(arena_max=1, tcache_max=0)"),
            "1% of memory is worth no time"
        );
    }

    #[test]
    fn no_setting_that_finds_errors_is_tried() {
        let drawn = drawn(20, 1);
        let levels = levels(Deployed::Libc);
        let all: Vec<String> = drawn.iter().chain(&levels).map(|(configured, _)| configured.to_string()).collect();
        assert!(!all.iter().any(|text| text.contains("perturb")), "{all:?}");
    }
}
