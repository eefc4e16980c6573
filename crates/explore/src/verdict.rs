//! The pick compared with the baseline, and whether to change.
//!
//! An answer is relative to what the user has today: what the pick saves in memory and in work, as a ratio of the two.
//!
//! | baseline | memory | work |
//! |---|---|---|
//! | a spec, a name of the catalogue | the RAM to reserve, in which both serve every request; on `host`, where nothing is reserved, footprint at its peak | what designs are ranked by: metadata accesses in that region, or the counted cost |
//! | `peer:` and a name | pages touched | time of an operation, where the intervals of the rounds do not overlap |
//!
//! **The rule.** What counts is what the preference is about: memory for `memory`, work for `speed`, and the other of the two
//! where the first is no worse; the proven worst case of an operation for `bounded`, memory and work for `balanced`. The gain is the product of the ratios, pick over baseline. A gain
//! of at least [`WORTH`] is worth a change; with less, the advice is to keep what there is. A baseline that refuses requests
//! is to be changed, and for `bounded` one without a proof. Measured figures whose intervals overlap are equal. Where a ratio is not known, or the baseline gives
//! less alignment than the target asks for, there is no advice.
//!
//! **Time is the program's.** Where the programs were recorded with what they took of processors, time in replay is weighed by
//! the share of it that operations of the baseline take: 70% less of a thousandth is worth nothing. What the pick does to the caches
//! of the program is not in it; `race` measures that.
//!
//! **Threads.** Replay has one. Where more of them allocate, reference allocators keep memory for each and take atomic operations, and the pick
//! takes its lock: none of that is in a replay, so neither memory nor work is known, and `race` measures both.
//!
//! Counted figures alone decide for baselines that are specs, so that advice is the same everywhere.

use heapsmith_trace::{Nanoseconds, plural};

use crate::baseline::Baseline;
use crate::exploration::Exploration;
use crate::front::amount;
use crate::measured::Retimed;
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::proven::Proven;

/// A gain of this share is worth a change.
pub const WORTH: f64 = 0.05;

/// Why a baseline is changed where a proof was asked for.
const UNPROVEN: &str = "what you have has no proven worst case";

/// Whether to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// The pick is worth a change.
    Change,
    /// What there is, is as good, or nearly.
    Keep,
    /// Nobody can tell from what was measured.
    None,
}

impl Advice {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Advice::Change => "change",
            Advice::Keep => "keep",
            Advice::None => "none",
        }
    }
}

impl Verdict {
    /// The advice and its figures, as one sentence.
    pub fn words(&self) -> String {
        let baseline = &self.baseline;
        let figures = self.figures();
        let remark = self.remark.as_deref().unwrap_or_default();
        match self.advice {
            Advice::Change => format!("Change {baseline} for the pick{}", self.reasons()),
            Advice::Keep if !remark.is_empty() => format!("Keep what you have ({baseline}): {remark}"),
            Advice::Keep => format!(
                "Keep what you have: compared with {baseline} the pick {figures}, a gain of less than {:.0}% in what is asked for",
                WORTH * 100.0
            ),
            Advice::None if figures.is_empty() => format!("No advice about {baseline}: {remark}"),
            Advice::None => format!("No advice about {baseline}: {remark}. Compared with it the pick {figures}"),
        }
    }

    /// What follows `Change … for the pick`: `, which takes 3.1% less memory`, `: it refuses 3 requests, which the pick serves`.
    pub fn reasons(&self) -> String {
        let figures =
            Some(self.figures()).filter(|figures| !figures.is_empty()).map(|figures| format!(", which {figures}"));
        let remark = self.remark.as_ref().map(|remark| format!(": {remark}"));
        figures.into_iter().chain(remark).collect()
    }

    /// `takes 3.1% less memory and makes 40.0% fewer metadata accesses`; empty where nothing is known.
    pub fn figures(&self) -> String {
        let known = |ratio: Option<f64>, verb: &str, less: &str, more: &str, what: &str, same: &str| {
            ratio.map(|ratio| match (ratio - 1.0) * 100.0 {
                change if change.abs() < 0.05 => format!("{verb} {same}"),
                change if change < 0.0 => format!("{verb} {:.1}% {less} {what}", -change),
                change => format!("{verb} {change:.1}% {more} {what}"),
            })
        };
        let memory = known(self.memory, "takes", "less", "more", "memory", "as much memory");
        let work = match self.by {
            Objective::Accesses => {
                known(self.work, "makes", "fewer", "more", "metadata accesses", "as many metadata accesses")
            }
            Objective::Cost => known(self.work, "takes", "fewer", "more", "model cycles", "as many model cycles"),
            _ if self.work_is_bound => {
                known(self.work, "takes at least", "less", "more", "time in replay", "as much time in replay")
            }
            _ => known(self.work, "takes", "less", "more", "time in replay", "as much time in replay"),
        };
        let program =
            self.program().filter(|_| self.work != Some(1.0)).map(|ratio| match (ratio - 1.0).abs() * 100.0 {
                change if change < 0.1 => " (<0.1% of the program's)".to_owned(),
                change => format!(" ({change:.1}% of the program's)"),
            });
        let work = work.map(|work| work + &program.unwrap_or_default());
        memory.into_iter().chain(work).collect::<Vec<_>>().join(" and ")
    }

    /// The share of memory that the pick saves; below 0 it takes more.
    pub fn memory_saved(&self) -> Option<f64> {
        self.memory.map(|ratio| 1.0 - ratio)
    }

    /// The share of work that the pick saves; below 0 it does more.
    pub fn work_saved(&self) -> Option<f64> {
        self.work.map(|ratio| 1.0 - ratio)
    }

    /// The share of the recorded programs' time that the pick saves; below 0 they take more.
    pub fn program_saved(&self) -> Option<f64> {
        self.program().map(|ratio| 1.0 - ratio)
    }

    /// Time of the recorded programs on the pick over that on the baseline: what is not allocation stays as it is.
    fn program(&self) -> Option<f64> {
        self.work.zip(self.share).map(|(work, share)| 1.0 - share * (1.0 - work))
    }
}

/// The pick compared with the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The baseline.
    pub baseline: Baseline,
    /// Memory of the pick over that of the baseline.
    pub memory: Option<f64>,
    /// Work of the pick over that of the baseline.
    pub work: Option<f64>,
    /// The share of the recorded programs' time that allocation takes on the baseline, at most; where work is time and theirs is known.
    pub share: Option<f64>,
    /// Threads that allocate, in the trace that has most of them; with more than one, memory and times of a replay are none of the programs'.
    pub threads: usize,
    /// Whether `work` is a bound: rounds disagree, and the ratio may be farther from 1.
    pub work_is_bound: bool,
    /// What work is: accesses, or the counted cost where designs are ranked by it, or time where the baseline is a peer.
    pub by: Objective,
    /// Proven accesses of an operation at worst, the pick's over the baseline's; 0 where nothing is proven of the baseline, none
    /// where nothing is proven of the pick.
    pub worst_case: Option<f64>,
    /// Whether memory and work were counted, and not measured.
    pub counted: bool,
    /// Whether to change.
    pub advice: Advice,
    /// Why there is no advice, or what else decided it.
    pub remark: Option<String>,
}

impl Exploration {
    /// The baseline: the one that the question names, else the usual one of the target.
    pub fn baseline(&self) -> Baseline {
        self.question.baseline.clone().unwrap_or_else(|| Baseline::of(self.target)).on(self.target)
    }

    /// What the baseline counted, where it is a spec and was replayed.
    pub fn baseline_objectives(&self) -> Option<&Objectives> {
        let baseline = self.baseline();
        let spec = baseline.spec()?.to_string();
        let known = self.catalogue.iter().chain(&self.baselines).find(|entry| entry.is_whole && entry.spec == spec);
        known.map(|entry| &entry.objectives)
    }

    /// The design at `index` compared with the baseline, for a preference.
    pub fn verdict(&self, index: usize, preference: Preference) -> Verdict {
        let baseline = self.baseline();
        let mut verdict = match baseline.spec() {
            Some(_) => self.counted_verdict(index, baseline),
            None => self.measured_verdict(index, baseline),
        };
        verdict.worst_case = self.proven_without_limit(index).map(|own| self.worst_case_ratio(own, &verdict.baseline));
        if verdict.advice == Advice::None && verdict.remark.is_none() {
            (verdict.advice, verdict.remark) = verdict.advised(preference);
        }
        verdict
    }

    fn worst_case_ratio(&self, own: Proven, baseline: &Baseline) -> f64 {
        let other = baseline.spec().and_then(|spec| self.proven_of(spec));
        other.map_or(0.0, |other| own.accesses as f64 / other.accesses as f64)
    }

    fn counted_verdict(&self, index: usize, baseline: Baseline) -> Verdict {
        let point = &self.points[index];
        let mut verdict = Verdict::unknown(baseline, true);
        let Some(other) = self.baseline_objectives() else {
            verdict.remark = Some("it was not replayed".to_owned());
            return verdict;
        };
        if self.work() == Objective::Cost && [point, other].iter().all(|it| it.get(Objective::Cost).is_finite()) {
            verdict.by = Objective::Cost;
        }
        (verdict.memory, verdict.work) = self.counted_ratios(index, other, verdict.by);
        let alignment = verdict.baseline.spec().map_or(0, |spec| spec.alignment);
        if other.failed > 0 {
            (verdict.memory, verdict.work) = (None, None);
            (verdict.advice, verdict.remark) = (
                Advice::Change,
                Some(format!("it refuses {}, which the pick serves", plural(other.failed, "request", "requests"))),
            );
        } else if let Some([_, (bytes, point)]) = self.reserved(index).filter(|[_, (_, point)]| point.failed > 0) {
            (verdict.memory, verdict.work) = (None, None);
            (verdict.advice, verdict.remark) = (
                Advice::Change,
                Some(format!("it refuses {} in {} bytes", plural(point.failed, "request", "requests"), bytes.0)),
            );
        } else if !self.target.compares(alignment) {
            verdict.remark = Some(format!(
                "it aligns payloads to {alignment} bytes, and {} asks for {}: it is shown, not compared",
                self.target,
                self.target.alignment.unwrap_or_default()
            ));
        }
        verdict
    }

    /// Memory and work of the design at `index` over those of a baseline that is a spec: in the regions that are promised,
    /// where both were replayed there.
    fn counted_ratios(&self, index: usize, other: &Objectives, by: Objective) -> (Option<f64>, Option<f64>) {
        let ratio = |own: &Objectives, other: &Objectives, objective| amount(own, objective) / amount(other, objective);
        let point = &self.points[index];
        let (mut memory, mut work) = (ratio(point, other, Objective::Fragmentation), ratio(point, other, by));
        if let Some([own, other]) = self.reserved(index) {
            memory = own.0.0 as f64 / other.0.0.max(1) as f64;
            work = if by == Objective::Accesses { ratio(&own.1, &other.1, by) } else { work };
        }
        (Some(memory), Some(work))
    }

    fn measured_verdict(&self, index: usize, baseline: Baseline) -> Verdict {
        let (pick, other_name) = (self.name(index), baseline.name().to_owned());
        let mut verdict = Verdict { threads: self.threads, ..Verdict::unknown(baseline, false) };
        if self.threads > 1 {
            return verdict;
        }
        let pages = self.pages_of(&pick).zip(self.pages_of(&other_name));
        if let Some((_, other)) = pages.filter(|(_, other)| other.failed > 0) {
            (verdict.advice, verdict.remark) = (
                Advice::Change,
                Some(format!("it refuses {}, which the pick serves", plural(other.failed, "request", "requests"))),
            );
            return verdict;
        }
        // A peer that was cut short replayed other events; one that touched no page more took nothing that compares.
        let pages = pages.filter(|(pick, other)| pick.events == other.events && other.touched.0 > 0);
        verdict.memory = pages.map(|(pick, other)| (1.0 + pick.fragmentation) / (1.0 + other.fragmentation));
        let times = self.timing_of(&pick).zip(self.timing_of(&other_name));
        verdict.work = times.and_then(|(pick, other)| time_ratio(pick, other));
        verdict.work_is_bound = times.is_some_and(|(pick, other)| !are_reliable(pick, other));
        verdict.share = self.timing_of(&other_name).and_then(|other| self.share_of(other));
        verdict
    }

    /// The share of the recorded programs' time that their operations take on what was timed, at most.
    fn share_of(&self, timing: &Retimed) -> Option<f64> {
        let allocating = timing.ns.high * self.events() as f64;
        self.processor_time.map(|Nanoseconds(all)| (allocating / all.max(1) as f64).min(1.0))
    }
}

fn are_reliable(pick: &Retimed, other: &Retimed) -> bool {
    pick.ns.is_reliable() && other.ns.is_reliable()
}

/// Time of one over that of another; 1 where both are reliable and their intervals overlap. Where one is not, the ratio of
/// the ends of the intervals that are nearest to each other; none if these overlap. None, too, where one of them was timed
/// on a stretch of the other's events.
fn time_ratio(pick: &Retimed, other: &Retimed) -> Option<f64> {
    if pick.events != other.events {
        return None;
    }
    let is_faster = pick.ns.high < other.ns.low;
    match is_faster || other.ns.high < pick.ns.low {
        true if are_reliable(pick, other) => Some(pick.ns.median / other.ns.median.max(f64::MIN_POSITIVE)),
        true if is_faster => Some(pick.ns.high / other.ns.low),
        true => Some(pick.ns.low / other.ns.high.max(f64::MIN_POSITIVE)),
        false => are_reliable(pick, other).then_some(1.0),
    }
}

impl Verdict {
    fn unknown(baseline: Baseline, counted: bool) -> Verdict {
        let by = if counted { Objective::Accesses } else { Objective::Time };
        Verdict {
            baseline,
            memory: None,
            work: None,
            share: None,
            threads: 1,
            work_is_bound: false,
            by,
            worst_case: None,
            counted,
            advice: Advice::None,
            remark: None,
        }
    }

    /// The advice by the rule.
    fn advised(&self, preference: Preference) -> (Advice, Option<String>) {
        // Who asks for one of the two takes the other too, where it costs nothing.
        let also = |asked: Option<f64>, other: Option<f64>| match (asked, other) {
            (Some(asked), Some(other)) if asked <= 1.0 => Some(asked.min(other)),
            _ => asked,
        };
        let work = self.program().or(self.work);
        // A pick that nobody timed saves no more than all that allocation takes.
        let at_best = self.share.map(|share| 1.0 - share).filter(|_| work.is_none());
        let at_best = match preference {
            Preference::Speed => at_best.map(|time| time.min(self.memory.unwrap_or(1.0))),
            Preference::Balanced => self.memory.zip(at_best).map(|(a, b)| a * b),
            Preference::Memory | Preference::Bounded => None,
        };
        if let Some(share) = self.share.filter(|_| at_best.is_some_and(|gain| gain > 1.0 - WORTH)) {
            let remark = format!("allocation takes at most {:.1}% of the program's time", share * 100.0);
            return (Advice::Keep, Some(remark));
        }
        let gain = match preference {
            Preference::Memory => also(self.memory, work),
            Preference::Speed => also(work, self.memory),
            Preference::Bounded => self.worst_case,
            Preference::Balanced => self.memory.zip(work).map(|(a, b)| a * b),
        };
        let several = format!("{} threads allocate, and replay has one", self.threads);
        let unknown = match self.memory {
            _ if self.threads > 1 => &several,
            None if preference != Preference::Speed => "the memory of both is not known",
            _ if self.counted => "its work was not counted",
            _ => "there are no times of both that can be compared",
        };
        match gain {
            Some(0.0) if preference == Preference::Bounded => (Advice::Change, Some(UNPROVEN.to_owned())),
            Some(gain) if gain <= 1.0 - WORTH => {
                // Said where no other figure speaks for it.
                let no_less = |ratio: Option<f64>| ratio.is_none_or(|ratio| ratio > 0.9995);
                let is_alone = preference == Preference::Bounded && no_less(self.memory) && no_less(self.work);
                let cheaper = format!("proven worst operation {:.0}% cheaper", (1.0 - gain) * 100.0);
                (Advice::Change, is_alone.then_some(cheaper))
            }
            Some(_) => (Advice::Keep, None),
            None => (Advice::None, Some(unknown.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::Spread;

    use super::*;

    fn verdict(memory: f64, work: f64, worst_case: Option<f64>) -> Verdict {
        let baseline = "lea-2.7.2".parse().expect("a baseline");
        Verdict { memory: Some(memory), work: Some(work), worst_case, ..Verdict::unknown(baseline, true) }
    }

    #[test]
    fn what_the_preference_is_about_decides() {
        use Preference::{Balanced, Bounded, Memory, Speed};
        let advice = |verdict: &Verdict, preference| verdict.advised(preference).0;
        let tighter = verdict(0.8, 1.2, Some(3.0));
        assert_eq!(advice(&tighter, Memory), Advice::Change);
        assert_eq!(advice(&tighter, Speed), Advice::Keep);
        assert_eq!(advice(&tighter, Bounded), Advice::Keep);
        assert_eq!(advice(&tighter, Balanced), Advice::Keep, "a fifth less memory for a fifth more work gains 4%");
        assert_eq!(advice(&verdict(0.99, 0.5, None), Balanced), Advice::Change);
        assert_eq!(advice(&verdict(0.97, 1.0, None), Memory), Advice::Keep, "3% is not worth a change");
        for preference in [Memory, Speed] {
            // The one that is asked for is no worse, and the other is better by far.
            let both = |asked, other| match preference {
                Memory => verdict(asked, other, None),
                _ => verdict(other, asked, None),
            };
            assert_eq!(advice(&both(0.997, 0.44), preference), Advice::Change, "{preference:?}");
            assert_eq!(advice(&both(1.02, 0.44), preference), Advice::Keep, "{preference:?}: the asked one is worse");
            assert_eq!(advice(&both(0.997, 1.3), preference), Advice::Keep, "{preference:?}: nothing is better");
        }
        assert_eq!(advice(&verdict(0.9, 0.9, None), Bounded), Advice::None);
        let unproven = verdict(1.5, 2.0, Some(0.0)).advised(Bounded);
        assert_eq!(unproven, (Advice::Change, Some(UNPROVEN.to_owned())), "a proof is more than none");
        assert_eq!(advice(&verdict(0.9, 0.0, Some(1.0)), Speed), Advice::Change);
        let untimed = Verdict { work: None, counted: false, ..verdict(0.8, 1.0, None) };
        assert_eq!(
            untimed.advised(Balanced),
            (Advice::None, Some("there are no times of both that can be compared".to_owned()))
        );
        assert_eq!(advice(&untimed, Memory), Advice::Change, "memory alone decides");
    }

    #[test]
    fn time_counts_as_much_as_the_program_spends_there() {
        use Preference::{Balanced, Memory, Speed};
        let timed = |share| Verdict { share, counted: false, by: Objective::Time, ..verdict(1.01, 0.3, None) };
        let advice = |share, preference| timed(share).advised(preference).0;
        assert_eq!(advice(None, Speed), Advice::Change, "nothing is known of the program");
        assert_eq!(advice(Some(0.3), Speed), Advice::Change);
        for preference in [Memory, Speed, Balanced] {
            assert_eq!(advice(Some(0.001), preference), Advice::Keep, "{preference:?}");
        }
        let smaller = Verdict { memory: Some(0.7), ..timed(Some(0.0001)) };
        assert_eq!(smaller.advised(Balanced).0, Advice::Change, "memory counts as before");
        let said = |share| timed(share).figures();
        assert_eq!(said(None), "takes 1.0% more memory and takes 70.0% less time in replay");
        assert!(said(Some(0.3)).ends_with("70.0% less time in replay (21.0% of the program's)"));
        assert!(said(Some(0.0001)).ends_with("70.0% less time in replay (<0.1% of the program's)"));
    }

    #[test]
    fn nobody_knows_of_threads_from_a_replay() {
        use Preference::{Balanced, Memory, Speed};
        let unknown =
            Verdict { memory: None, work: None, counted: false, by: Objective::Time, ..verdict(1.0, 1.0, None) };
        for preference in [Speed, Balanced, Memory] {
            let (advice, why) = Verdict { threads: 3, ..unknown.clone() }.advised(preference);
            assert_eq!(advice, Advice::None, "{preference:?}");
            assert!(why.is_some_and(|why| why.starts_with("3 threads allocate")), "{preference:?}");
        }
    }

    #[test]
    fn a_pick_that_was_not_timed_saves_no_more_than_all() {
        use Preference::{Balanced, Memory, Speed};
        let untimed = |share, memory| {
            let unknown = Verdict { work: None, counted: false, by: Objective::Time, ..verdict(1.0, 0.5, None) };
            Verdict { share, memory, ..unknown }
        };
        let keep = (Advice::Keep, Some("allocation takes at most 1.0% of the program's time".to_owned()));
        assert_eq!(untimed(Some(0.01), None).advised(Speed), keep);
        assert_eq!(untimed(Some(0.01), Some(0.99)).advised(Balanced), keep);
        assert_eq!(untimed(Some(0.01), Some(0.8)).advised(Balanced).0, Advice::None, "it may be slower");
        assert_eq!(untimed(Some(0.01), Some(0.8)).advised(Memory).0, Advice::Change);
        assert_eq!(untimed(Some(0.1), None).advised(Speed).0, Advice::None);
        assert_eq!(
            untimed(Some(0.01), Some(0.8)).advised(Speed).0,
            Advice::None,
            "it may save memory and be no slower"
        );
    }

    fn time(median: f64, low: f64, high: f64) -> Retimed {
        let ns = Spread { median, low, high };
        let name = String::new();
        Retimed { name, is_compiled: false, ns, min: low, max: high, null_allocator: 0.0, rounds: 5, events: 100 }
    }

    #[test]
    fn times_whose_intervals_overlap_are_equal() {
        assert_eq!(time_ratio(&time(10.0, 9.8, 10.3), &time(10.4, 10.2, 10.6)), Some(1.0));
        assert_eq!(time_ratio(&time(5.0, 4.9, 5.1), &time(10.0, 9.8, 10.2)), Some(0.5));
    }

    #[test]
    fn an_unreliable_time_decides_by_the_near_ends_of_the_intervals_alone() {
        let (good, bad) = (time(5.0, 4.9, 5.1), time(94.4, 10.2, 94.4));
        assert_eq!((time_ratio(&good, &bad), time_ratio(&bad, &good)), (Some(0.5), Some(2.0)));
        assert_eq!(time_ratio(&time(11.0, 10.0, 12.0), &bad), None, "they overlap");
        let verdict = Verdict { work: Some(0.5), work_is_bound: true, counted: false, ..verdict(1.0, 0.5, None) };
        let timed = Verdict { by: Objective::Time, ..verdict };
        assert_eq!(timed.figures(), "takes as much memory and takes at least 50.0% less time in replay");
    }

    #[test]
    fn a_time_of_a_stretch_decides_nothing() {
        let stretch = Retimed { events: 50, ..time(500.0, 499.0, 501.0) };
        assert_eq!(time_ratio(&time(5.0, 4.9, 5.1), &stretch), None);
    }
}
