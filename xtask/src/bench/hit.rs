//! `cargo xtask bench hit`: what a hit of a free list costs compared with the null allocator.
//!
//! The same loop replays the same trace: blocks of one size, the last of which is freed and asked for
//! again. Both take turns in one process, so the ratio is of one run. How many instructions the
//! hit takes are in `crates/heapsmith/tests/instructions/hot_paths.txt`.

use std::fmt::Write;
use std::process::Command;

use serde_json::Value;

use crate::run::{Outcome, cargo, target};

/// Pairs of an allocation and a free.
const PAIRS: usize = 100_000;

/// What the ratio should not be above.
const TARGET: f64 = 2.0;

/// Prints the ratio.
pub fn hit() -> Outcome {
    cargo(&["build", "--release", "--quiet", "--package", "heapsmith-cli"])?;
    let target = target();
    let folder = target.join("bench/hit");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    println!("{:<28} {:>9} {:>9} {:>7}", "free-list hits", "ns/op", "null", "ratio");
    for (name, live) in [("one block over and over", 1), ("the last of 256 blocks", 256)] {
        let trace = folder.join(format!("{live}.csv"));
        std::fs::write(&trace, program(live)).map_err(|error| format!("cannot write {}: {error}", trace.display()))?;
        let output = Command::new(target.join("release/heapsmith"))
            .args(["replay", "--time", "--rounds", "31", "--format", "json", "--heap", "freelists(64) list"])
            .arg(&trace)
            .output()
            .map_err(|error| format!("cannot run heapsmith: {error}"))?;
        let rows: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
        let figure = |key: &str| rows[0][key].as_f64().ok_or_else(|| format!("no {key} in {rows}"));
        let (hit, null_allocator) = (figure("ns_per_op")?, figure("null_ns_per_op")?);
        let ratio = hit / null_allocator;
        let verdict = if ratio <= TARGET {
            "holds".to_owned()
        } else {
            format!("falls short by {:.0}%", (ratio / TARGET - 1.0) * 100.0)
        };
        println!("{name:<28} {hit:>9.2} {null_allocator:>9.2} {ratio:>6.2}x  at most {TARGET:.1}x: {verdict}");
    }
    Ok(())
}

/// This many blocks, the last of which comes and goes; written as CSV.
fn program(live: usize) -> String {
    let mut text = "action,id,size\n".to_owned();
    let mut line = |action: &str, id: usize| writeln!(text, "{action},{id},64").unwrap_or_default();
    (1..live).for_each(|id| line("allocate", id));
    for _ in 0..PAIRS {
        line("allocate", live);
        line("free", live);
    }
    text
}
