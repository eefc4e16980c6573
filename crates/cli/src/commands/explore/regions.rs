//! `heapsmith explore --regions`: the pick and the front in the memories of a board.

use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Exploration, Placed, Placement, PlacementError, place};
use heapsmith_report::thousands;
use heapsmith_spec::{NamedRegion, Regions, Spec};
use heapsmith_trace::{Bytes, PackedTrace};

use crate::args::{Explore, Format};
use crate::console::{note, say};
use crate::failure::Failure;
use crate::progress;

/// Below this share nothing is said to be saved: a model tells no more.
const NOTHING: f64 = 0.005;

/// The most designs that are placed: the pick, and others from the whole of the front.
const DESIGNS: usize = 8;

/// Places the designs, and says what was found: to people after the summary, where programs read the front as a note.
pub fn run(
    arguments: &Explore,
    exploration: &Exploration,
    pick: usize,
    traces: &[PackedTrace],
    stop: &AtomicBool,
) -> Result<(), Failure> {
    if arguments.regions.is_empty() {
        return Ok(());
    }
    let designs = designs(exploration, pick);
    let spinner =
        progress::spinner(&format!("placing {} designs in {} regions", designs.len(), arguments.regions.len()));
    let found = place(&designs, &arguments.regions, traces, super::jobs(arguments.jobs), stop);
    spinner.finish_and_clear();
    let found = found.map_err(|error| match error {
        PlacementError::Replay(error) => error.into(),
        error => Failure::wrong_use(format!("--regions: {error}")),
    })?;
    for line in lines(&found, &arguments.regions, designs.len()) {
        if arguments.showing.format == Format::Table { say!("{line}") } else { note!("{line}") }
    }
    Ok(())
}

/// The pick, then designs of the front from one end to the other.
fn designs(exploration: &Exploration, pick: usize) -> Vec<Spec> {
    let front: Vec<usize> = exploration.front_2d.iter().copied().filter(|&index| index != pick).collect();
    let spread = front.iter().step_by(front.len().div_ceil(DESIGNS - 1).max(1));
    std::iter::once(&pick).chain(spread).map(|&index| exploration.rows[index].design.spec.clone()).collect()
}

/// What is said.
fn lines(found: &Placed, named: &[NamedRegion], designs: usize) -> Vec<String> {
    let before = &found.internal_first;
    let mut lines = vec![format!(
        "Regions    {}: {} cycles of the model for the pick, internal first{}",
        told(named),
        thousands(before.cycles()),
        match before.refused() {
            0 => String::new(),
            refused => format!(", which refuses {} requests", thousands(refused)),
        }
    )];
    let Some(of_pick) = &found.of_pick else {
        lines.push(
            "Placed     every order and threshold refuses requests of the traces: the regions are too small".to_owned(),
        );
        return lines;
    };
    let words = |placement: &Placement| match found.saved(placement) {
        None => format!("{} cycles, and refuses no request", thousands(placement.cycles())),
        Some(saved) if saved < NOTHING => "saves nothing against internal first".to_owned(),
        Some(saved) => {
            format!("saves {:.1}% of the weighted cost against internal first", saved * 100.0)
        }
    };
    lines.push(format!("Placed     the pick in {}: {}", order(of_pick), words(of_pick)));
    let best = found.best.as_ref().filter(|best| {
        // Another design is worth a line where it is another answer.
        let share = 1.0 - best.cycles() as f64 / of_pick.cycles().max(1) as f64;
        share >= NOTHING
    });
    if let Some(best) = best {
        let design = best.spec.in_one_region();
        lines.push(format!("           another design of the front, {design}, in {}: {}", order(best), words(best)));
    }
    lines.push(format!(
        "           {} placements of {designs} designs; emit '{}'",
        found.tried,
        best.unwrap_or(of_pick).spec
    ));
    lines
}

/// The regions as they were named.
fn told(regions: &[NamedRegion]) -> String {
    let one = |region: &NamedRegion| format!("{} {} at {}", region.name, Bytes(region.size), region.cost);
    regions.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The order of a placement with its thresholds.
fn order(placement: &Placement) -> String {
    let of = |regions: &Regions| {
        let one = |region: &NamedRegion| match region.up_to {
            Some(up_to) => format!("{} up to {up_to} bytes", region.name),
            None => region.name.clone(),
        };
        regions.regions.iter().map(one).collect::<Vec<_>>().join(", then ")
    };
    placement.spec.regions().map_or_else(String::new, of)
}
