//! `heapsmith explore --regions`: the pick and the front in the memories of a board.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Exploration, Placed, Placement, PlacementError, place, verify_regions};
use heapsmith_output::Output;
use heapsmith_report::thousands;
use heapsmith_spec::{NamedRegion, Regions, Spec, Target};
use heapsmith_trace::{Bytes, PackedTrace, plural};

use crate::args::{Explore, Format};
use crate::console::{note, say};
use crate::failure::Failure;
use crate::progress;
use crate::quoted::quoted;
use crate::table::{Table, brief, integer};

/// All placements, in the folder of the exploration.
const FILE: &str = "placements.csv";

/// Below this share nothing is said to be saved: a model tells no more.
const NOTHING: f64 = 0.005;

/// The most designs that are placed: the pick, and others from the whole of the front.
const DESIGNS: usize = 8;

/// Refuses regions that no design can be in, before anything is explored.
pub fn verify(arguments: &Explore, target: &Target) -> Result<(), Failure> {
    if arguments.regions.is_empty() {
        return Ok(());
    }
    verify_regions(&arguments.regions, target).map_err(failure)
}

/// Places the designs, keeps all placements in [`FILE`], and says what was found: to people after the summary, where programs
/// read the front as a note.
pub fn run(
    arguments: &Explore,
    exploration: &Exploration,
    pick: usize,
    traces: &[PackedTrace],
    dir: &Path,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    if arguments.regions.is_empty() {
        return Ok(());
    }
    let others = others(exploration, pick);
    let pick = &exploration.rows[pick].design.spec;
    let spinner =
        progress::spinner(&format!("placing {} designs in {} regions", others.len() + 1, arguments.regions.len()));
    let found = place(pick, &others, &arguments.regions, traces, super::jobs(arguments.jobs), stop);
    spinner.finish_and_clear();
    let (found, file) = (found.map_err(failure)?, dir.join(FILE));
    let csv = table(&found).text(Format::Csv, None)?;
    Output::create(&file).and_then(|output| output.put(csv)).map_err(|error| Failure::writing(&file, &error))?;
    for line in lines(&found, &arguments.regions, &file) {
        if arguments.showing.format == Format::Table { say!("{line}") } else { note!("{line}") }
    }
    Ok(())
}

fn failure(error: PlacementError) -> Failure {
    match error {
        PlacementError::Sweep(error) => error.into(),
        error => Failure::wrong_use(format!("--regions: {error}")),
    }
}

/// A row for each placement.
fn table(found: &Placed) -> Table {
    let mut table = Table::new(&["weighted_cost", "refused", "spilled", "heap"]);
    for placement in &found.all {
        let [cycles, refused, spilled] = [placement.cycles(), placement.refused(), placement.spilled()].map(integer);
        table.row([cycles, refused, spilled, crate::table::heap(&placement.spec.to_string())]);
    }
    table
}

/// Designs of the front but the pick, from one end to the other.
fn others(exploration: &Exploration, pick: usize) -> Vec<Spec> {
    let front: Vec<usize> = exploration.front_2d.iter().copied().filter(|&index| index != pick).collect();
    let spread = front.iter().step_by(front.len().div_ceil(DESIGNS - 1).max(1));
    spread.map(|&index| exploration.rows[index].design.spec.clone()).collect()
}

/// What is said.
fn lines(found: &Placed, named: &[NamedRegion], file: &Path) -> Vec<String> {
    let before = &found.internal_first;
    let refusing = match before.refused() {
        0 => String::new(),
        refused => format!(", refusing {}", plural(refused, "request", "requests")),
    };
    let mut lines = vec![
        format!("Regions    {}", told(named)),
        format!("Internal   first: {} cycles of the model for the pick{refusing}", thousands(before.cycles())),
    ];
    let words = |placement: &Placement| match found.saved(placement) {
        None => format!("{} cycles, refusing none", thousands(placement.cycles())),
        Some(saved) if saved < NOTHING => "no other order or threshold saves anything".to_owned(),
        Some(saved) => format!("saves {:.1}% of that", saved * 100.0),
    };
    match &found.of_pick {
        None => lines.push("Placed     nowhere: every order and threshold refuses requests".to_owned()),
        Some(of_pick) => {
            // What saves nothing is no reason to do anything else.
            let saves = found.saved(of_pick).is_none_or(|saved| saved >= NOTHING);
            let of_pick = if saves { of_pick } else { before };
            lines.push(format!("Placed     the pick in {}: {}", order(of_pick), words(of_pick)));
            let best = found.best.as_ref().filter(|best| {
                // Another design is worth a line where it is another answer.
                1.0 - best.cycles() as f64 / of_pick.cycles().max(1) as f64 >= NOTHING
            });
            if let Some(best) = best {
                lines.push(format!("           another of the front in {}: {}", order(best), words(best)));
                lines.push(format!("           {}", brief(&best.spec.in_one_region().to_string())));
            }
            lines.push(format!("Emit       '{}'", best.unwrap_or(of_pick).spec));
        }
    }
    lines.push(format!("Placements {} in {}", found.all.len(), quoted(file)));
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
