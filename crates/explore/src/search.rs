//! Which designs are replayed on whole traces.
//!
//! ```text
//!   all designs ──▶ a 64th of the traces ──▶ those nearest to the fronts, a quarter
//!                          a 16th        ◀──┘
//!                          a quarter     ──▶ a 16th of them …
//!                          the whole     ──▶ a 64th of them, and the usual space
//!                              │
//!                              ▼ front ──▶ neighbours: one factor at another level
//!                              ▲                 │
//!                              └── the whole ◀───┘   until every neighbour of the front was replayed
//! ```
//!
//! Successive halving (Jamieson and Talwalkar 2016), here by four, finds where to look: each round gives every design
//! that is left four times the events, and keeps the quarter that lies nearest to the fronts of the round: the one over
//! all chosen objectives that replays count, and the one over fragmentation and accesses. A slice is the begin of a trace
//! and a window around its peak, before which what is live there is allocated. Designs on a front of a slice are kept,
//! up to half of the round, those of the front over the two first, then the cheapest; so are 400 heaps at least, and the
//! usual space where it is a part of a wider one, as it is compared with. Of long traces slices are shorter, and less is
//! kept: `schedule.rs` has the numbers.
//!
//! A slice says little about differences of a percent, so Pareto local search (Paquete, Chiarandini and Stützle 2004) goes
//! on from there with whole replays: it ends when no design of the fronts gets better by the level of one factor, or when
//! it has cost what a step of the search may: the cheapest neighbours come first. Whatever takes a large part of that by
//! itself is stopped.
//!
//! What was left out was not replayed whole: its row is missing from the results, and the page says how many are. The
//! choice is a function of traces, space and goal, so it does not depend on interrupts or threads.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use heapsmith_replay::{Measures, ReplayError};
use heapsmith_trace::PackedTrace;

use crate::front::{epsilon, pareto};
use crate::goal::Goal;
use crate::objective::{Objective, Objectives};
use crate::regions::{Regions, replay_within};
use crate::schedule::{Schedule, max_accesses};
use crate::space::{Design, Space};

/// How designs are chosen for replays of whole traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// All are.
    #[default]
    Exhaustive,
    /// Those that are near the front on slices of the traces.
    Halving,
}

impl Strategy {
    /// Its name in stores.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Exhaustive => "exhaustive",
            Strategy::Halving => "halving",
        }
    }

    /// Events, of all unique designs together, up to which all are replayed where nothing is said: ten seconds or
    /// twenty on two processors.
    pub const EXHAUSTIVE: u64 = 500_000_000;

    /// Exhaustive where that takes ten seconds or twenty, else halving. How long it takes depends on what designs search, too:
    /// the first one of a space is its plainest, so it is replayed, as far as a search would.
    ///
    /// # Errors
    ///
    /// The first design cannot be replayed.
    pub fn fitting(space: &Space, traces: &[PackedTrace]) -> Result<Strategy, ReplayError> {
        let events: usize = traces.iter().map(|trace| trace.events.len()).sum();
        let work = (events as u64).saturating_mul(space.unique().count() as u64);
        let Some(first) = space.unique().next().filter(|_| work <= Strategy::EXHAUSTIVE) else {
            return Ok(Strategy::Halving);
        };
        let is_slow =
            replay_within(&first.spec, traces, Regions::default().of(traces)?, max_accesses(events))?.is_empty();
        Ok(if is_slow { Strategy::Halving } else { Strategy::Exhaustive })
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(name: &str) -> Result<Strategy, String> {
        [Strategy::Exhaustive, Strategy::Halving]
            .into_iter()
            .find(|search| search.name() == name)
            .ok_or_else(|| format!("{name:?} is no search"))
    }
}

/// The slices of a round, from 0: of each trace its begin, and a window of as many events around its peak, before which
/// what is live there is allocated.
pub(crate) fn slices(schedule: &Schedule, traces: &[PackedTrace], round: usize) -> Vec<[PackedTrace; 2]> {
    traces.iter().map(|trace| windows(trace, schedule.slice(trace.events.len(), round))).collect()
}

/// The begin and the peak, half of the events each.
pub(crate) fn windows(trace: &PackedTrace, events: usize) -> [PackedTrace; 2] {
    let all = trace.events.len();
    let long = (events / 2).min(all);
    // Most of the window lies before the peak, as that is what leads to it.
    let peak = trace.peak_event().saturating_sub(long / 4 * 3).min(all - long);
    [0, peak].map(|begin| trace.window(begin..begin + long))
}

/// Splits unique designs into those that are kept whatever slices say, and the others. Kept is the usual space, where it
/// is a part of a wider one and replaying it whole takes no longer than where all is replayed.
pub(crate) fn spared<'d>(space: &'d Space, schedule: &Schedule) -> (Vec<&'d Design>, Vec<&'d Design>) {
    let is_spared =
        |design: &&Design| space.families.are_wider(space.target) && space.families.is_usual(design, space.target);
    let (spared, others): (Vec<&Design>, Vec<&Design>) = space.unique().partition(is_spared);
    match schedule.affords(spared.len(), Strategy::EXHAUSTIVE) {
        true => (spared, others),
        false => (Vec::new(), space.unique().collect()),
    }
}

/// The designs of a round that the next one keeps, by their numbers, ascending: those nearest to the fronts of one
/// of the slices, as many as the schedule says.
pub(crate) fn survivors(
    goal: &Goal,
    measured: &HashMap<u32, Vec<Measures>>,
    schedule: &Schedule,
    round: usize,
) -> Vec<u32> {
    let mut numbers: Vec<u32> = measured.keys().copied().collect();
    numbers.sort_unstable();
    let mut nearest = vec![[f64::INFINITY; 2]; numbers.len()];
    for slice in 0..2 {
        let of_slice = |number: &u32| {
            let own: Vec<Measures> = measured[number].iter().skip(slice).step_by(2).cloned().collect();
            Objectives::of(&own)
        };
        let points: Vec<Objectives> = numbers.iter().map(of_slice).collect();
        for (front, over) in fronts(goal).iter().enumerate() {
            let far = distances(&points, over);
            nearest.iter_mut().zip(far).for_each(|(nearest, far)| nearest[front] = nearest[front].min(far));
        }
    }
    let accesses = |number: &u32| Objectives::of(&measured[number]).get(Objective::Accesses);
    // A front over many objectives may hold more designs than are kept. Of those that are as near, the front over two
    // comes first, then the cheapest: a few that search long would take what all others need.
    let rank = |([over_all, over_two], number): ([f64; 2], u32)| {
        (over_all.min(over_two), over_two > over_all, accesses(&number), number)
    };
    let mut ranked: Vec<(f64, bool, f64, u32)> = nearest.into_iter().zip(numbers).map(rank).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)).then(a.3.cmp(&b.3)));
    let on_front = ranked.iter().take_while(|(distance, ..)| *distance <= 0.0).count();
    let quota = schedule.kept(round, ranked.len(), on_front);
    let mut budget = schedule.budget(round);
    let nearest = ranked.into_iter().take(quota);
    let mut survivors: Vec<u32> =
        nearest.filter(|&(_, _, accesses, _)| budget.affords(accesses)).map(|(.., number)| number).collect();
    survivors.sort_unstable();
    survivors
}

/// The objectives of the fronts that a search looks for.
fn fronts(goal: &Goal) -> [Vec<Objective>; 2] {
    [goal.counted().collect(), vec![Objective::Fragmentation, Objective::Accesses]]
}

/// How far each point lies from the front over some objectives; infinite for what refuses requests.
pub(crate) fn distances(points: &[Objectives], over: &[Objective]) -> Vec<f64> {
    let mut line: Vec<Objectives> = pareto(points, over).into_iter().map(|index| points[index]).collect();
    line.dedup_by_key(|point| over.iter().map(|&objective| point.get(objective).to_bits()).collect::<Vec<u64>>());
    let distance = |point: &Objectives| if point.failed > 0 { f64::INFINITY } else { epsilon(point, &line, over) };
    points.iter().map(distance).collect()
}

/// The unique designs that differ from one on a front of `known` in the level of one factor, by their numbers, each with
/// the accesses an operation that it is expected to take: those of the other one, or those that it took on a slice where
/// that is more. First come the neighbours of the front over fragmentation and accesses, then those of the other; of each
/// those first that are expected to take the fewest.
pub(crate) fn neighbours(
    space: &Space,
    goal: &Goal,
    known: &HashMap<u32, Objectives>,
    sliced: &HashMap<u32, f64>,
) -> Vec<(u32, f64)> {
    let mut numbers: Vec<u32> = known.keys().copied().collect();
    numbers.sort_unstable();
    let points: Vec<Objectives> = numbers.iter().map(|number| known[number]).collect();
    let mut found: Vec<(u32, f64)> = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    for over in fronts(goal).into_iter().rev() {
        let mut of_front: Vec<(u32, f64)> = Vec::new();
        let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
        for index in pareto(&points, &over) {
            let place = over.iter().map(|&objective| points[index].get(objective).to_bits()).collect();
            let here = places.entry(place).or_default();
            *here += 1;
            if *here <= ALIKE {
                let accesses = points[index].get(Objective::Accesses);
                let near = space.neighbours(&space.designs[numbers[index] as usize]);
                let expected = |number: u32| sliced.get(&number).map_or(accesses, |own| own.max(accesses));
                of_front.extend(near.into_iter().map(|number| (number, expected(number))));
            }
        }
        of_front.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        of_front.retain(|(number, _)| seen.insert(*number));
        found.extend(of_front);
    }
    found
}

/// This many designs of one place of a front have their neighbours tried.
const ALIKE: usize = 2;

#[cfg(test)]
mod tests {
    use heapsmith_replay::PerOperation;
    use heapsmith_trace::Bytes;

    use super::*;

    /// A design on both slices, by its footprint over 1,000 bytes, its accesses an operation and the most of one.
    fn slices_of((footprint, accesses, max): (u64, u64, u64)) -> Vec<Measures> {
        let accesses = PerOperation { total: accesses * 1_000, p99: max, max, ..PerOperation::default() };
        let (requested_peak, footprint_peak) = (Bytes(1_000), Bytes(footprint));
        vec![Measures { operations: 1_000, requested_peak, footprint_peak, accesses, ..Measures::default() }; 2]
    }

    #[test]
    fn the_last_designs_of_a_space_have_room_next_to_first_ones_that_search_long() {
        // The first hundred are on the front by their rare worst operation alone; the last two are better by far in memory
        // and work, and only these are on the front over the two.
        let long = (0..100_u64).map(|number| (1_200 + number, 300 + number, 900 - number));
        let designs = long.chain([(1_010, 5, 5_000), (1_100, 4, 4_900)]);
        let measured: HashMap<u32, Vec<Measures>> =
            designs.enumerate().map(|(number, design)| (number as u32, slices_of(design))).collect();
        let schedule = Schedule::of_lengths(10_013, vec![4_000_000]);
        let kept = survivors(&Goal::default(), &measured, &schedule, schedule.rounds() - 1);
        assert!(kept.len() < measured.len(), "there is no room for all");
        assert!(kept.ends_with(&[100, 101]), "{kept:?}");
        assert!(kept.starts_with(&[0, 1]), "of what is as near the cheapest are kept: {kept:?}");
    }
}
