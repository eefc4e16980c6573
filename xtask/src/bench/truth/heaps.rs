//! The heaps: picks of each preference and allocators of the catalogue, and what a replay says of each.

use std::path::Path;

use serde_json::Value;

use super::Arguments;
use super::deployed::Launcher;
use super::programs::Program;
use super::verdict::Advised;

/// A heap with a name for tables.
pub struct Heap {
    /// What it is called.
    pub name: String,
    /// Its spec.
    pub spec: String,
}

/// Preferences whose picks are compared.
pub const PREFERENCES: [&str; 3] = ["balanced", "speed", "memory"];

/// Heaps of the catalogue as a host has them, and lists before bins.
const CATALOGUE: &[(&str, &str)] = &[
    ("lea", "bins(lea, order=size, split=always, coalesce>=69) word=8 align=16"),
    ("tlsf", "tlsf(second-level=5) word=8 align=16"),
    ("half-fit", "half-fit word=8 align=16"),
    ("red-black", "tree(red-black, fit=best) word=8 align=16"),
    ("lists-bins", "freelists(16..=512 step 16) bins(log) word=8 align=16"),
    ("bins", "bins(log) word=4 align=16"),
    ("phk", "pages(page=4096, min=16, search=word) word=8 align=16"),
    ("estranged", "buddy(estranged) word=4 align=16"),
    ("lists-tree", "freelists(16..=256 step 16) tree(red-black, fit=best) word=4 align=16"),
];

/// The space of the picks, unless it is the classic one: the pools that hosts have, each with and without lists.
pub const SPACE: &str = "[[family]]\nname = \"truth\"\n\
    heap = [\"list(order=lifo, fit=first)\", \"list(order=address, fit=best)\", \"tlsf\", \"bins(log)\", \"half-fit\", \
            \"bins(lea, order=size)\", \"tree(red-black, fit=best)\"]\n\
    [family.levels]\nfreelists = [0, 4, 16, 64]\nword = [4, 8]\n";

/// The heaps of the catalogue.
pub fn catalogue() -> impl Iterator<Item = Heap> {
    CATALOGUE.iter().map(|&(name, spec)| Heap { name: name.to_owned(), spec: spec.to_owned() })
}

/// Leaves out heaps that came before.
pub fn distinct(heaps: &mut Vec<Heap>) {
    let mut seen: Vec<String> = Vec::new();
    heaps.retain(|heap| {
        let new = !seen.contains(&heap.spec);
        seen.push(heap.spec.clone());
        new
    });
}

/// Explores a recording: the picks, and the advice about each, where reference allocators were measured too.
pub fn picks(
    launcher: &Launcher,
    program: &Program,
    recording: &Path,
    how: &Arguments,
) -> Result<(Vec<Heap>, Vec<Advised>), String> {
    let dir = launcher.folder.join(format!("explored-{}", program.name));
    let space = launcher.folder.join("space.toml");
    std::fs::write(&space, SPACE).map_err(|error| format!("cannot write {}: {error}", space.display()))?;
    let space = if how.classic { "classic".to_owned() } else { space.display().to_string() };
    launcher.explore(recording, &dir, &space, how.quick)?;
    let (mut heaps, mut advised) = (Vec::new(), Vec::new());
    for preference in PREFERENCES {
        let name = format!("pick {preference}");
        let folder = dir.display().to_string();
        let told = launcher.heapsmith(&["pick", &folder, "--prefer", preference, "--format", "json"])?;
        let rows: Value = serde_json::from_str(&told).map_err(|error| format!("{error}: {told}"))?;
        let rows = rows.as_array().ok_or("no rows of a front")?;
        let pick = rows.iter().find(|row| row["note"] == "pick").ok_or("no pick of a front")?;
        let spec = pick["heap"].as_str().ok_or("no heap of a pick")?.to_owned();
        let advice = pick["advice"].as_str().unwrap_or("none").to_owned();
        advised.push(Advised { heap: spec.clone(), preference, advice });
        heaps.push(Heap { name, spec });
    }
    Ok((heaps, advised))
}

/// What a replay says of a heap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Predicted {
    /// Metadata accesses of an operation.
    pub accesses: f64,
    /// Model cycles of an operation.
    pub cost: f64,
    /// Nanoseconds of an operation.
    pub nanoseconds: f64,
    /// Bytes of pages touched.
    pub touched: f64,
    /// Bytes of the footprint, on average over operations.
    pub footprint: f64,
    /// Bytes of the footprint, on average over time.
    pub over_time: f64,
    /// What the cost is made of, for an operation: visits, misses of the first and of the second level.
    pub parts: [f64; 3],
}

/// Replays a recording on every heap: operations, and what is predicted of each.
pub fn predict(launcher: &Launcher, recording: &Path, heaps: &[Heap]) -> Result<(u64, Vec<Predicted>), String> {
    let recording = recording.display().to_string();
    let mut arguments = vec!["replay", &recording, "--time", "--rounds", "5", "--pages", "--cost", "--format", "json"];
    arguments.extend(heaps.iter().flat_map(|heap| ["--heap", &heap.spec]));
    let told = launcher.heapsmith(&arguments)?;
    let rows: Value = serde_json::from_str(&told).map_err(|error| format!("{error}: {told}"))?;
    let rows = rows.as_array().ok_or("no rows of a replay")?;
    let operations = rows.first().and_then(|row| row["operations"].as_u64()).ok_or("no operations")?;
    let predicted = rows.iter().map(|row| {
        let number = |key: &str| row[key].as_f64().ok_or_else(|| format!("no {key} in {row}"));
        let each = |key: &str| Ok::<_, String>(number(key)? / operations as f64);
        Ok(Predicted {
            accesses: number("accesses_per_op")?,
            cost: number("cost")? / operations as f64,
            nanoseconds: number("ns_per_op")?,
            touched: number("touched_pages")?,
            footprint: number("footprint_mean")?,
            over_time: number("footprint_over_time")?,
            parts: [each("visits")?, each("cost_first_misses")?, each("cost_second_misses")?],
        })
    });
    Ok((operations, predicted.collect::<Result<_, String>>()?))
}
