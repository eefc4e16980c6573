//! `heapsmith attack`: the program that hurts a heap, compared with its bound and what chance does.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_limits::attack::{Attack, AttackOptions, attack};
use heapsmith_limits::{AttackGoal, Bound, ProgramClass, bound};
use heapsmith_output::Output;
use heapsmith_spec::{Spec, catalogue, resolve};
use heapsmith_trace::Origin;

use crate::args::{self, Format};
use crate::commands::bound::program;
use crate::console::{self, note};
use crate::failure::Failure;
use crate::table::{Item, Table, heap, integer, none, number, percent, text};
use crate::{interrupt, output, progress};

pub fn run(arguments: &args::Attack) -> Result<(), Failure> {
    let program = program(&arguments.programs)?;
    let heaps = heaps(&arguments.heap)?;
    if let (Some(out), true) = (&arguments.out, heaps.len() > 1) {
        let out = out.display();
        return Err(Failure::wrong_use(format!(
            "{out} can hold the attack on one heap only: name one heap, or leave --out away"
        )));
    }
    let mut out = arguments.out.as_deref().map(|out| output::beside_text::<&Path>(out, [])).transpose()?;
    let stop = interrupt::catch();
    let mut table = Table::new(COLUMNS);
    let mut stopped = false;
    for (name, spec) in &heaps {
        let found = one(name, spec, program, arguments, stop)?;
        let bound = bound(spec, program.live, program.max_size, program.min_size);
        table.row(row(name, spec, &found, &bound));
        if let Some(out) = out.take() {
            write(out, spec, program, arguments, &found)?;
        }
        stopped |= found.stopped;
        if stopped {
            break;
        }
    }
    table.print(arguments.format)?;
    if arguments.format == Format::Table {
        console::note_text(LEGEND);
    }
    if stopped { Err(Failure::interrupted("interrupted: the best attack so far is shown")) } else { Ok(()) }
}

/// The heaps as they were named.
fn heaps(named: &[String]) -> Result<Vec<(String, Spec)>, Failure> {
    let mut heaps = Vec::new();
    for name in named {
        if name == "all" {
            for entry in catalogue() {
                heaps.push((entry.name.to_owned(), entry.spec.parse()?));
            }
        } else {
            heaps.push((name.clone(), resolve(name)?));
        }
    }
    Ok(heaps)
}

/// The attack on one heap, with its bar.
fn one(
    name: &str,
    spec: &Spec,
    program: ProgramClass,
    arguments: &args::Attack,
    stop: &AtomicBool,
) -> Result<Attack, Failure> {
    let goal = match arguments.goal {
        args::Aim::Footprint => AttackGoal::Footprint,
        args::Aim::Accesses => AttackGoal::Accesses,
    };
    let options =
        AttackOptions { goal, seed: arguments.seed, rounds: arguments.rounds, operations: arguments.operations };
    let bar = progress::attack_bar(name);
    let found = attack(spec, program, options, stop, |at| {
        bar.set_length(at.all as u64);
        bar.set_position(at.tried as u64);
        bar.set_prefix(match goal {
            AttackGoal::Footprint => format!("{} bytes so far", at.best),
            AttackGoal::Accesses => format!("{} accesses so far", at.best),
        });
    })?;
    bar.finish_and_clear();
    Ok(found)
}

const COLUMNS: &[&str] = &[
    "heap",
    "operations",
    "live_peak",
    "footprint_peak",
    "bound",
    "of_bound",
    "of_any_allocator",
    "random_footprint",
    "times_random",
    "max",
    "max_bound",
    "random_max",
    "by",
];

fn row(name: &str, spec: &Spec, found: &Attack, bound: &Bound) -> Vec<Item> {
    let (outcome, chance) = (&found.outcome, found.chance);
    let share = |value: u64, of: u64| value as f64 / of.max(1) as f64;
    // Where the region has no room for the bound, refusals may take more.
    let has_room = bound.region.is_none_or(|region| region <= found.region.0);
    let max_bound = bound.worst_case.either().filter(|_| has_room);
    let name = if name == spec.to_string() { heap(name) } else { text(name) };
    vec![
        name,
        integer(outcome.tape.steps.len() as u64),
        integer(outcome.live_peak),
        integer(outcome.footprint),
        bound.footprint.map_or_else(none, integer),
        bound.footprint.map_or_else(none, |max| percent(share(outcome.footprint, max))),
        bound.any_allocator.map_or_else(none, |forced| percent(share(outcome.footprint, forced))),
        integer(chance.footprint),
        number(share(outcome.footprint, chance.footprint), 2),
        integer(outcome.accesses_max),
        max_bound.map_or_else(none, integer),
        integer(chance.accesses_max),
        text(&found.by),
    ]
}

/// Below the table.
const LEGEND: &str = "
bound: the proven worst case (heapsmith bound); of_any_allocator: share of Robson's lower bound for every allocator that
does not move blocks, without headers; random: the largest footprint of 30 random programs of the same length; max:
metadata accesses of the most expensive operation.
";

fn write(
    output: Output,
    spec: &Spec,
    program: ProgramClass,
    arguments: &args::Attack,
    found: &Attack,
) -> Result<(), Failure> {
    let mut origin = Origin::new("attack", spec.to_string());
    let settings = [
        ("max_live", program.live.to_string()),
        ("max_size", program.max_size.to_string()),
        ("min_size", program.min_size.to_string()),
        ("seed", arguments.seed.to_string()),
        ("rounds", arguments.rounds.to_string()),
        ("by", found.by.clone()),
    ];
    origin.settings = settings.map(|(key, value)| (key.to_owned(), value)).to_vec();
    let out = output.path().to_owned();
    found.outcome.tape.trace(origin).write_to(output)?;
    note!(
        "{} operations written to {}; heapsmith replay {} --heap '{spec}'",
        found.outcome.tape.steps.len(),
        out.display(),
        out.display()
    );
    Ok(())
}
