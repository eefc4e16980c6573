//! What an exploration found: a value, which knows nothing of the store that it came from.

use std::collections::BTreeMap;

use heapsmith_replay::Measures;
use heapsmith_spec::Target;
use heapsmith_trace::{Bytes, Nanoseconds, rank_correlation};

use crate::evaluated::Evaluated;
use crate::front::{front_2d, pareto};
use crate::measured::{Paged, Retimed};
use crate::objective::{Objective, Objectives};
use crate::proven::Programs;
use crate::question::Question;
use crate::robust::Robust;
use crate::rows::{Catalogued, Row};
use crate::search::Strategy;
use crate::space::Families;

/// Whether a design takes no more than the largest region of a target.
pub(crate) fn fits(target: &Target, row: &Row) -> bool {
    target.max_region.is_none_or(|max| row.measures.iter().all(|measures| measures.footprint_peak.0 <= max))
}

/// All that an exploration found.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// Name of the space.
    pub space: String,
    /// The space's families.
    pub families: Families,
    /// Designs of the space.
    pub designs: usize,
    /// Where the heaps will live.
    pub target: &'static Target,
    /// How designs were chosen for replays of whole traces.
    pub search: Strategy,
    /// The command that made it.
    pub command: String,
    /// Names of the traces.
    pub traces: Vec<String>,
    /// What the programs of all traces took of processors while they were recorded; none where one is not known.
    pub processor_time: Option<Nanoseconds>,
    /// Threads that allocate, in the trace that has most of them.
    pub threads: usize,
    /// Every design that was measured to its end, by number.
    pub rows: Vec<Row>,
    /// Designs that were cut short or left out by the search.
    pub pruned: usize,
    /// Every design's values in the objectives, by number.
    pub points: Vec<Objectives>,
    /// The allocators of the catalogue.
    pub catalogue: Vec<Catalogued>,
    /// Baselines that are specs: what was counted of them.
    pub baselines: Vec<Catalogued>,
    /// The smallest regions that are known, in bytes, by the number of a design.
    pub regions: BTreeMap<u32, u64>,
    /// What was chosen, on traces that it was not chosen for.
    pub evaluated: Vec<Evaluated>,
    /// Bytes to reserve where no region is asked for, by spec, of what was replayed in them.
    pub reserves: BTreeMap<String, u64>,
    /// What is asked.
    pub question: Question,
    /// Designs that keep the constraints and that none beats in the objectives of the goal.
    pub front: Vec<usize>,
    /// The front over fragmentation and accesses of the designs that keep the constraints, ascending in fragmentation, a
    /// design for each place.
    pub front_2d: Vec<usize>,
    /// Times, where they were measured.
    pub timings: Vec<Retimed>,
    /// Memory by pages touched, where it was measured.
    pub pages: Vec<Paged>,
    /// What the candidates for the pick do on changed copies of the traces.
    pub robust: Robust,
    /// What heaps do in regions of fixed sizes: by bytes of the region and spec, the measures on every trace.
    pub confined: BTreeMap<(u64, String), Vec<Measures>>,
    /// The programs that are as each trace; none where no bound covers what it does.
    pub programs: Vec<Option<Programs>>,
}

impl Exploration {
    /// Finds the fronts anew, of what is known by now.
    pub(crate) fn settle(&mut self) {
        let asked = if self.question.goal.asks_for(Objective::Time) { self.timings.as_slice() } else { &[] };
        for timing in asked {
            let number = timing.name.parse().unwrap_or(u32::MAX);
            if let Ok(index) = self.rows.binary_search_by_key(&number, |row| row.design.number) {
                // What is unreliable is not known: no decision goes by it.
                self.points[index].set(Objective::Time, timing.ns.reliable().unwrap_or(f64::INFINITY));
            }
        }
        for (point, row) in self.points.iter_mut().zip(&self.rows) {
            point.excluded = !(fits(self.target, row) && self.question.goal.admits(point, false));
        }
        self.front = pareto(&self.points, &self.question.goal.objectives);
        self.front_2d = front_2d(&self.points, [Objective::Fragmentation, Objective::Accesses]);
    }

    /// Index of the family that is the classic space.
    pub fn classic(&self) -> Option<usize> {
        self.families.classic()
    }

    /// Events of all traces.
    pub fn events(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.measures.iter().map(|measures| measures.operations).sum())
    }

    /// The coarsest alignment that a trace asks for, in bytes; 1: none beyond a heap's own.
    pub fn coarsest_alignment(&self) -> u64 {
        self.programs.iter().flatten().map(|programs| programs.class.alignment).max().unwrap_or(1)
    }

    /// The allocators of the catalogue that may be compared with designs.
    pub fn compared_catalogue(&self) -> impl Iterator<Item = &Catalogued> {
        self.catalogue.iter().filter(|entry| entry.is_compared())
    }

    /// How well accesses rank the designs whose instructions were counted: Spearman's correlation of the means, that of
    /// the most expensive operations, and how many designs.
    pub fn instructions_ranked(&self) -> Option<(f64, f64, usize)> {
        let ranked = |counted: Objective, measured: Objective| {
            let known = self.points.iter().filter(|point| point.get(measured).is_finite());
            let pairs: Vec<_> = known.map(|point| (point.get(counted), point.get(measured))).collect();
            (rank_correlation(&pairs), pairs.len())
        };
        let (mean, designs) = ranked(Objective::Accesses, Objective::Instructions);
        let (max, _) = ranked(Objective::MaxOp, Objective::MaxInstructions);
        (designs > 2).then_some((mean, max, designs))
    }

    /// The designs that the paper recommends.
    pub fn recommended(&self) -> impl Iterator<Item = usize> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| self.families.is_recommended(&row.design)).map(|(index, _)| index)
    }

    /// How many designs have the very same measures as design `index`, itself included.
    pub fn alike(&self, index: usize) -> usize {
        self.rows.iter().filter(|row| row.measures == self.rows[index].measures).count()
    }

    /// The smallest region that serves every trace on a design, where it was measured.
    pub fn min_region(&self, index: usize) -> Option<Bytes> {
        self.regions.get(&self.rows[index].design.number).copied().map(Bytes)
    }

    /// The name of a design under which its times and pages are kept.
    pub fn name(&self, index: usize) -> String {
        self.rows[index].design.number.to_string()
    }

    /// The time of a design.
    pub fn timing(&self, index: usize) -> Option<&Retimed> {
        self.timing_of(&self.name(index))
    }

    /// The time of what has this name: a design's number, a name of the catalogue, a peer.
    pub fn timing_of(&self, name: &str) -> Option<&Retimed> {
        self.timings.iter().find(|timing| timing.name == name)
    }

    /// Whether a design lacks times or pages that the reference allocator has with which it is compared.
    pub(crate) fn is_unmeasured(&self, index: usize) -> bool {
        let (baseline, name) = (self.baseline(), self.name(index));
        let lacks_time = self.timing_of(baseline.name()).is_some() && self.timing_of(&name).is_none();
        let lacks_pages = self.pages_of(baseline.name()).is_some() && self.pages_of(&name).is_none();
        baseline.spec().is_none() && (lacks_time || lacks_pages)
    }

    /// As what heaps were timed, in words; none if none was timed.
    pub fn timed_as(&self) -> Option<String> {
        let forms: Vec<&str> = self.timings.iter().filter_map(Retimed::timed_as).collect();
        let compiled = forms.iter().filter(|&&form| form == "compiled").count();
        let words = match compiled {
            _ if forms.is_empty() => return None,
            0 => "heaps as they are built in".to_owned(),
            all if all == forms.len() => "heaps as they ship: emitted as C and compiled".to_owned(),
            some => format!(
                "{some} of {} heaps as they ship, emitted as C and compiled, the others as built in",
                forms.len()
            ),
        };
        Some(words)
    }

    /// The memory by pages of what has this name.
    pub fn pages_of(&self, name: &str) -> Option<&Paged> {
        self.pages.iter().find(|pages| pages.name == name)
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::Spread;

    use super::*;
    use crate::goal::{Constraint, Goal};
    use crate::pick::Preference;
    use crate::space::Design;

    const RELIABLE: Spread = Spread { median: 9.0, low: 8.9, high: 9.1 };
    const UNRELIABLE: Spread = Spread { median: 9.0, low: 8.9, high: 94.4 };

    fn timing(number: usize, ns: Spread) -> Retimed {
        let name = number.to_string();
        Retimed {
            name,
            is_compiled: false,
            ns,
            min: ns.low,
            max: ns.high,
            null_allocator: 1.0,
            rounds: 36,
            events: 100,
        }
    }

    /// Designs with less fragmentation and more accesses the lower their number, with these times.
    fn explored(times: &[Spread], goal: Goal) -> Exploration {
        let row = |number: usize| {
            let spec = "list".parse().expect("a spec");
            let design =
                Design { number: number as u32, family: 0, levels: Box::default(), spec, same_as: number as u32 };
            Row { design, measures: Vec::new() }
        };
        let points = (0..times.len()).map(|number| Objectives::point(number as f64 * 0.1, 9.0 - number as f64));
        let mut exploration = Exploration {
            space: String::new(),
            families: Families(Vec::new()),
            designs: times.len(),
            search: Strategy::Exhaustive,
            command: String::new(),
            traces: Vec::new(),
            processor_time: None,
            threads: 1,
            rows: (0..times.len()).map(row).collect(),
            pruned: 0,
            points: points.collect(),
            catalogue: Vec::new(),
            baselines: Vec::new(),
            regions: BTreeMap::new(),
            reserves: BTreeMap::new(),
            target: Target::network_2006(),
            evaluated: Vec::new(),
            question: Question { goal, ..Question::default() },
            front: Vec::new(),
            front_2d: Vec::new(),
            timings: times.iter().enumerate().map(|(number, &ns)| timing(number, ns)).collect(),
            pages: Vec::new(),
            robust: Robust::default(),
            programs: Vec::new(),
            confined: BTreeMap::new(),
        };
        exploration.settle();
        exploration
    }

    fn over_time() -> Goal {
        Goal { objectives: vec![Objective::Fragmentation, Objective::Time], constraints: Vec::new() }
    }

    fn faster(ns: Spread) -> Spread {
        Spread { median: ns.median / 2.0, low: ns.low / 2.0, high: ns.high / 2.0 }
    }

    #[test]
    fn a_design_whose_time_is_unreliable_is_not_on_a_front_over_time() {
        let exploration = explored(&[RELIABLE, faster(UNRELIABLE), faster(RELIABLE)], over_time());
        assert_eq!(exploration.points[1].get(Objective::Time), f64::INFINITY);
        assert_eq!(exploration.front, [0, 2]);
        assert_eq!(exploration.front_2d, [0, 1, 2], "the front over what is counted has it");
        let tightest = explored(&[UNRELIABLE, RELIABLE, faster(RELIABLE)], over_time());
        assert_eq!(tightest.front, [1, 2], "nor one that would be there by its fragmentation");
    }

    #[test]
    fn a_design_whose_time_is_unreliable_keeps_no_limit_of_time() {
        let limit = Constraint { objective: Objective::Time, max: 50.0 };
        let goal = Goal { constraints: vec![limit], ..Goal::default() };
        let exploration = explored(&[UNRELIABLE, RELIABLE], goal);
        assert_eq!(exploration.front, [1]);
    }

    #[test]
    fn what_lacks_the_times_of_what_it_is_compared_with_is_unmeasured() {
        let mut exploration = explored(&[RELIABLE, RELIABLE], Goal::default());
        exploration.question.baseline = Some("peer:libc".parse().expect("a baseline"));
        exploration.timings.remove(1);
        assert!(!exploration.is_unmeasured(1), "nothing is known of the peer either");
        exploration.timings.push(Retimed { name: "peer:libc".to_owned(), ..timing(9, RELIABLE) });
        assert_eq!([0, 1].map(|index| exploration.is_unmeasured(index)), [false, true]);
        exploration.question.baseline = Some("tlsf".parse().expect("a baseline"));
        assert!(!exploration.is_unmeasured(1), "specs are compared by what is counted");
    }

    #[test]
    fn where_every_time_is_unreliable_the_other_objectives_decide() {
        let exploration = explored(&[UNRELIABLE, faster(UNRELIABLE)], over_time());
        assert_eq!(exploration.front, [0]);
        assert_eq!(exploration.pick(Preference::Balanced), Some(0));
    }
}
