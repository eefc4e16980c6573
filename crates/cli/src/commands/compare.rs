//! `heapsmith compare`: two explorations, and what changed.

use std::path::PathBuf;

use heapsmith_explore::{Choice, Comparison, Load, Objective, Objectives, PickChange, Standing, TraceChange, compare};

use crate::args::{Compare, Format};
use crate::console::{self, error, say};
use crate::failure::Failure;
use crate::output;
use crate::table::{Item, Table, heap, integer, none, number, percent, text, word};

pub fn run(arguments: &Compare) -> Result<(), Failure> {
    // Before anything is replayed: what will not be written is said at once.
    let folders = [&arguments.old, &arguments.new];
    let page = arguments.html.as_deref().map(|out| output::beside_text(out, kept(folders))).transpose()?;
    let comparison = compare(&arguments.old, &arguments.new)?;
    for why in &comparison.incomparable {
        error!("heapsmith: not comparable: {why}");
    }
    if let Some(page) = page {
        let [old, new] = folders.map(|folder| folder.display().to_string());
        output::put(page, heapsmith_report::comparison(&old, &new, &comparison))?;
    }
    if arguments.format != Format::Table {
        return figures(&comparison).print(arguments.format);
    }
    tell(&comparison);
    picks(&comparison).print(Format::Table)?;
    for pick in &comparison.picks {
        say!("{}: {}", pick.preference.name(), pick.sentence());
    }
    Ok(())
}

/// The files that explorations have in their folders, which no page may replace.
fn kept(folders: [&PathBuf; 2]) -> Vec<PathBuf> {
    let files = |folder: &&PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    folders.iter().flat_map(files).collect()
}

/// What people read before the picks.
fn tell(comparison: &Comparison) {
    for difference in &comparison.differences {
        say!("different    {difference}");
    }
    for TraceChange { name, old, new } in &comparison.traces {
        let name = console::name(name);
        match (old, new) {
            (Some(old), Some(new)) => say!(
                "trace        {name}: peak live {} → {} ({}), {} → {} operations",
                old.requested_peak,
                new.requested_peak,
                change(old.requested_peak.0 as f64, new.requested_peak.0 as f64),
                old.operations,
                new.operations
            ),
            (Some(old), None) => say!("trace        {name}: only in the old one, peak live {}", old.requested_peak),
            (None, Some(new)) => say!("trace        {name}: only in the new one, peak live {}", new.requested_peak),
            (None, None) => say!("trace        {name}"),
        }
    }
    let front = &comparison.front;
    say!("front        {} → {} heaps, {} of them on both", front.old, front.new, front.both);
    for &(objective, old, new) in &front.best {
        say!("  lowest     {}: {} → {}", objective.words(), objective.shown(old), objective.shown(new));
    }
}

/// From one value to another, as a share of the first.
fn change(old: f64, new: f64) -> String {
    if old == 0.0 { "from nothing".to_owned() } else { format!("{:+.1}%", (new / old - 1.0) * 100.0) }
}

const SHOWN: [Objective; 4] = [Objective::Fragmentation, Objective::Accesses, Objective::P99, Objective::MaxOp];

/// The picks for people: a line for each heap that is measured on the new traces, and the old pick on the old ones.
fn picks(comparison: &Comparison) -> Table {
    let mut table = Table::new(&["prefer", "pick", "fragmentation", "accesses_per_op", "p99", "max", "heap"]);
    for pick in &comparison.picks {
        let lines = [("old, then", &pick.old), ("old, now", &pick.old_on_new), ("new", &pick.new)]
            .into_iter()
            .zip([true, false, false]);
        for ((name, choice), is_first) in lines {
            let Some(choice) = choice else { continue };
            let prefer = if is_first { pick.preference.name() } else { "" };
            let values = SHOWN.map(|objective| item(&choice.objectives, objective));
            table.row([text(prefer), text(name)].into_iter().chain(values).chain([heap(&choice.spec.to_string())]));
        }
    }
    table
}

fn item(objectives: &Objectives, objective: Objective) -> Item {
    let value = objectives.get(objective);
    match objective {
        _ if !value.is_finite() => none(),
        objective if objective.is_share() => percent(value),
        Objective::Accesses | Objective::Time => number(value, 2),
        _ => integer(value as u64),
    }
}

/// Everything for programs: a row for each figure, with its value before and now.
fn figures(comparison: &Comparison) -> Table {
    let columns = ["kind", "name", "figure", "old", "old_on_new", "new", "verdict", "old_heap", "new_heap"];
    let mut table = Table::new(&columns);
    let plain = |kind: &str, name: &str, figure: &str, old: Item, new: Item| {
        vec![text(kind), text(name), text(figure), old, none(), new, none(), none(), none()]
    };
    for (kind, lines) in [("incomparable", &comparison.incomparable), ("difference", &comparison.differences)] {
        for line in lines {
            table.row(plain(kind, line, "", none(), none()));
        }
    }
    let load = |load: &Option<Load>, of: fn(&Load) -> u64| load.as_ref().map_or_else(none, |load| integer(of(load)));
    for TraceChange { name, old, new } in &comparison.traces {
        for (figure, of) in [
            ("requested_peak", (|load| load.requested_peak.0) as fn(&Load) -> u64),
            ("operations", |load| load.operations),
        ] {
            table.row(plain("trace", name, figure, load(old, of), load(new, of)));
        }
    }
    let front = &comparison.front;
    table.row(plain("front", "", "heaps", integer(front.old as u64), integer(front.new as u64)));
    table.row(plain("front", "", "heaps_of_both", integer(front.both as u64), integer(front.both as u64)));
    for &(objective, old, new) in &front.best {
        let of = |value: f64| if value.is_finite() { number(value, 6) } else { none() };
        table.row(plain("front", "", &format!("lowest_{}", objective.name()), of(old), of(new)));
    }
    comparison.picks.iter().for_each(|pick| pick_rows(&mut table, pick));
    table
}

fn pick_rows(table: &mut Table, pick: &PickChange) {
    let verdict = match pick.standing {
        Standing::Same => "same",
        Standing::Right { .. } => "right",
        Standing::Behind { .. } => "behind",
        Standing::Refuses { .. } => "refuses",
        Standing::NoPick => "no pick",
    };
    let spec = |choice: &Option<Choice>| choice.as_ref().map_or_else(none, |choice| heap(&choice.spec.to_string()));
    for objective in Objective::ALL {
        let of =
            |choice: &Option<Choice>| choice.as_ref().map_or_else(none, |choice| item(&choice.objectives, objective));
        let values = [of(&pick.old), of(&pick.old_on_new), of(&pick.new)];
        let head = [text("pick"), text(pick.preference.name()), text(objective.name())];
        let tail = [word(verdict, verdict), spec(&pick.old), spec(&pick.new)];
        table.row(head.into_iter().chain(values).chain(tail));
    }
}
