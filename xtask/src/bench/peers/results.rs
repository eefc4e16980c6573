//! The raw results: every row with every round, with machine and commit, under `bench/results/`.

use serde_json::{Value, json};

use super::{Compared, verdict};
use crate::origin::{Machine, commit};
use crate::run::{Outcome, root};

/// Writes `peers.json` and, if all traces were compared, the table of the README to `peers.md`.
pub fn write(all: &[Compared], whole: bool) -> Outcome {
    let folder = root().join("bench/results");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let traces: Vec<Value> = all
        .iter()
        .map(|compared| json!({ "name": compared.name, "about": compared.about, "placed": compared.placed, "rows": compared.rows.iter().map(measured).collect::<Vec<_>>() }))
        .collect();
    let results = json!({ "machine": machine(), "commit": commit()?, "traces": traces });
    let name = if whole { "peers" } else { "peers-part" };
    let text = serde_json::to_string(&results).map_err(|error| error.to_string())?;
    let path = folder.join(format!("{name}.json"));
    // A line a row: differences between two results can be read.
    let text = text.replace("},{\"heap\"", "},\n{\"heap\"").replace("},{\"name\"", "},\n{\"name\"");
    std::fs::write(&path, text + "\n").map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("\n{}: every row with every round", path.display());
    if whole {
        let path = folder.join("peers.md");
        std::fs::write(&path, verdict::summary(all))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// What was measured of a row: without the counts that a row of a peer does not have.
fn measured(row: &Value) -> Value {
    const KEYS: &[&str] = &[
        "heap",
        "version",
        "fragmentation",
        "footprint",
        "touched_page_overhead",
        "touched_pages",
        "accesses_per_op",
        "max",
        "refused",
        "events_replayed",
        "requested_peak",
        "ns_per_op",
        "null_ns_per_op",
        "ns_per_op_rounds",
    ];
    let kept = KEYS.iter().map(|&key| (key.to_owned(), row[key].clone()));
    Value::Object(kept.filter(|(_, value)| !value.is_null()).collect())
}

/// The kind of machine; not which.
fn machine() -> Value {
    let Machine { processor, processors, system, compiler } = Machine::here();
    json!({ "processor": processor, "processors": processors, "system": system, "compiler": compiler })
}
