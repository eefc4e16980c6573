//! How time grows with blocks: problems of 10³ to 10⁶ blocks, made of one rule.

use std::fmt::Write;

use super::planned;
use crate::run::target;

/// Blocks of the problems.
const BLOCKS: &[u64] = &[1_000, 10_000, 100_000, 1_000_000];
/// Millions of steps.
const EFFORT: &str = "400";

/// Plans a problem of each size; returns a table.
pub fn growth() -> Result<String, String> {
    let mut text = format!(
        "\nGrowth: blocks of 16 to 4,096 bytes, each beginning at its own time and living for 1 to 128 others, {EFFORT} million steps.\n\
         {:>9} {:>12} {:>12} {:>7} {:>12} {:>8}\n",
        "blocks", "peak_live", "offline", "above", "steps", "seconds"
    );
    for &blocks in BLOCKS {
        let path = target().join(format!("lower-bound-{blocks}.csv"));
        std::fs::write(&path, problem(blocks)).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let found = planned(&path, EFFORT)?;
        let above = (found.placed as f64 / found.live as f64 - 1.0) * 100.0;
        let _ = writeln!(
            text,
            "{blocks:>9} {:>12} {:>12} {above:>6.2}% {:>12} {:>8.1}",
            found.live, found.placed, found.steps, found.seconds
        );
    }
    Ok(text)
}

fn problem(blocks: u64) -> String {
    let mut text = String::from("id,lower,upper,size\n");
    let mut state = 1_u64;
    let mut below = |bound: u64| {
        // Knuth's MMIX generator; its high bits.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    for id in 0..blocks {
        let _ = writeln!(text, "{id},{id},{},{}", id + 1 + below(128), 16 * (1 + below(256)));
    }
    text
}
