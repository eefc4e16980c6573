//! Clocks that jump back and forth: the same results, and an end.
//!
//! `xtask/hostile/clock.c` is preloaded: the time of day moves by up to a year, the monotonic clock by up to a second.

use super::inputs::{EXPLORE, EXPLORED};
use super::kills::rows;
use super::{Case, Kind};

/// What runs while clocks jump.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind { name: "clocks/explore", cases: 40, quick: 1, attempt: explore },
        Kind { name: "clocks/timed", cases: 6, quick: 0, attempt: timed },
        Kind { name: "clocks/record", cases: 40, quick: 1, attempt: record },
    ]
}

/// An exploration finds what it finds while clocks are right.
fn explore(case: &mut Case<'_>) -> Result<usize, String> {
    let mut found = Vec::new();
    for (folder, jumps) in [("right", false), ("jumping", true)] {
        case.copy_to(folder, &EXPLORED)?;
        let folder = case.path(folder);
        let mut launch = case.heapsmith(&EXPLORE);
        launch.arguments(&["store"]).inside(&folder).within(120);
        if jumps {
            launch.environment("LD_PRELOAD", case.place.inputs.path("clock.so"));
            launch.environment("CLOCK_SEED", case.number.to_string());
        }
        let launched = launch.run()?;
        if launched.code != Some(0) {
            return Err(launched.describe("failed while clocks jump"));
        }
        found.push((launched, rows(&folder.join("store"))?));
    }
    match found[0].1 == found[1].1 {
        true => Ok(1),
        false => Err(found[1].0.describe("found something else while clocks jump")),
    }
}

/// What is timed has odd times then, and ends.
fn timed(case: &mut Case<'_>) -> Result<usize, String> {
    case.copy(&["trace.parquet", "space.toml"])?;
    let words = ["explore", "trace.parquet", "--space", "space.toml", "--rounds", "2", "--no-peers", "--out", "store"];
    let mut launch = case.heapsmith(&words);
    launch.environment("LD_PRELOAD", case.place.inputs.path("clock.so"));
    let launched = launch.environment("CLOCK_SEED", case.number.to_string()).within(120).run()?;
    launched.is_documented()?;
    if launched.code == Some(0) { Ok(1) } else { Err(launched.describe("failed while clocks jump")) }
}

/// A recorded program runs as it does, and what it did is a trace.
fn record(case: &mut Case<'_>) -> Result<usize, String> {
    let mut launch = case.heapsmith(&["record", "--out", "recorded", "--", "sh", "-c", "ls /; sleep 0; exit 6"]);
    launch.environment("LD_PRELOAD", case.place.inputs.path("clock.so"));
    let launched = launch.environment("CLOCK_SEED", case.number.to_string()).run()?;
    if launched.code != Some(6) {
        return Err(launched.describe("disturbed a program while clocks jump"));
    }
    for file in super::inputs::files(&case.path("recorded")) {
        case.must_succeed(&["inspect", &file.to_string_lossy()])?;
    }
    Ok(1)
}
