//! SQLite's speed, after its own test of it.

use std::path::Path;

use crate::real::program::{Inputs, Program, Task, words};
use crate::run::Outcome;
use crate::tools;

/// `sqlite3 :memory:`.
pub const SPEED: Program = Program {
    name: "sqlite3",
    about: "inserts, indexes, updates, joins in memory, after its own speed test",
    threads: false,
    benchmark: false,
    min_calls: 10_000,
    tools: &[tools::SQLITE],
    prepare,
    task,
};

fn prepare(_: &Inputs) -> Outcome {
    Ok(())
}

fn task(inputs: &Inputs, _: &Path) -> Task {
    let size = format!("CREATE TABLE size AS SELECT {} AS rows", inputs.amount(150_000, 10_000));
    let read = format!(".read '{}'", inputs.sample("speed.sql"));
    Task { proof: "\nok\n", ..Task::new("sqlite3", words(&["sqlite3", "-cmd", &size, ":memory:", &read])) }
}
