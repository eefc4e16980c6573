//! How well an exploration ranked the designs that were raced.

use heapsmith_explore::{Exploration, Objective};
use heapsmith_race::{Kind, Left, Measure, Race};
use heapsmith_trace::rank_correlation;

/// Designs below which a correlation says nothing.
const MIN_DESIGNS: usize = 3;

/// The rank correlation of what was explored with what was raced, where enough designs of the exploration were raced.
pub fn ranking(exploration: &Exploration, race: &Race) -> Option<String> {
    let designs: Vec<(usize, usize)> = designs(exploration, race).collect();
    let correlation = |objective: Objective, measure: Measure| {
        let pairs = designs.iter().filter_map(|&(entrant, row)| {
            Some((exploration.points[row].get(objective), race.median(entrant, measure)?))
        });
        rank_correlation(&pairs.collect::<Vec<_>>())
    };
    (designs.len() >= MIN_DESIGNS).then(|| {
        format!(
            "of {} designs explored and raced: fragmentation and peak memory {:.2}, accesses and processor time {:.2} (Spearman)",
            designs.len(),
            correlation(Objective::Fragmentation, Measure::Peak),
            correlation(Objective::Accesses, Measure::Processors)
        )
    })
}

/// The same of allocators with knobs that were played: each with its peak memory and its processor time there.
pub fn ranking_of_plays(played: &[(String, f64, f64)], race: &Race) -> Option<String> {
    let raced = |name: &str| {
        let entrant = race.entrants.iter().position(|raced| raced.name == name)?;
        // The program's own allocator raced as the program is.
        let entrant = if race.entrants[entrant].left == Some(Left::Same) { 0 } else { entrant };
        Some((race.median(entrant, Measure::Peak)?, race.median(entrant, Measure::Processors)?))
    };
    let both: Vec<_> = played.iter().filter_map(|(name, peak, time)| Some(([*peak, *time], raced(name)?))).collect();
    let peaks: Vec<(f64, f64)> = both.iter().map(|([peak, _], (raced, _))| (*peak, *raced)).collect();
    let times: Vec<(f64, f64)> = both.iter().map(|([_, time], (_, raced))| (*time, *raced)).collect();
    (both.len() >= MIN_DESIGNS).then(|| {
        format!(
            "of {} configurations played and raced: peak memory {:.2}, processor time {:.2} (Spearman)",
            both.len(),
            rank_correlation(&peaks),
            rank_correlation(&times)
        )
    })
}

/// Entrants that are designs of an exploration and have runs, with the designs' rows.
fn designs(exploration: &Exploration, race: &Race) -> impl Iterator<Item = (usize, usize)> {
    race.entrants.iter().enumerate().filter_map(|(entrant, raced)| {
        let Kind::Heap { spec, design: Some(design) } = &raced.kind else { return None };
        let row = exploration.rows.binary_search_by_key(design, |row| row.design.number).ok()?;
        // Another exploration's design of that number is another heap.
        let is_it = exploration.rows[row].design.spec.to_string() == *spec;
        (is_it && race.runs_of(entrant).next().is_some()).then_some((entrant, row))
    })
}
