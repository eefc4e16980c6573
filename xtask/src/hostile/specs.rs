//! Texts of heaps, drawn from the grammar with numbers at their ends, then changed: a heap, or a refusal.

use super::mutate::damaged;
use super::{Case, Kind};

/// Drawn texts, and changed ones.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind { name: "specs/drawn", cases: 5_000, quick: 30, attempt: |case| with(case, drawn) },
        Kind { name: "specs/changed", cases: 5_000, quick: 30, attempt: |case| with(case, changed) },
    ]
}

/// The layers; `#` is a number, `@` is a list of sizes.
const LAYERS: [&str; 11] = [
    "guard",
    "guard(pages=all)",
    "guard(quarantine=#, pages=off)",
    "guard(quarantine=#)",
    "zero",
    "reserve(high=#%)",
    "freelists(@)",
    "freelists(@, order=fifo)",
    "freelists(@, order=lifo)",
    "",
    "",
];

/// The pools.
const POOLS: [&str; 30] = [
    "list",
    "list(order=implicit, fit=first, tags=off)",
    "list(order=fifo, fit=best(#%))",
    "list(split>=#, remainder=#, coalesce>=#)",
    "list(order=lifo, fit=next, split=never)",
    "list(fit=worst, coalesce=deferred)",
    "list(coalesce=every-call, tags=off)",
    "bins(lea)",
    "bins(log(#))",
    "bins(exact #..=# step #, then log)",
    "bins(exact #..=# step #, then log(#), order=size)",
    "bins(log, each=tree)",
    "bins(log(4), each=skiplist, tries=#)",
    "bins(lea, tries=all, coalesce=deferred)",
    "classes(@)",
    "classes(#..=# double, then step #)",
    "classes(#..=# step #)",
    "tree(red-black)",
    "tree(red-black, fit=best, split>=#, coalesce=never)",
    "skiplist(seed=#)",
    "tlsf(second-level=#)",
    "tlsf",
    "half-fit",
    "buddy(knuth)",
    "buddy(estranged, defragment=on-demand)",
    "pages(page=#, min=#, search=word)",
    "pages(page=#, search=tree)",
    "bump(reclaim=empty)",
    "stack",
    "fixed(#)",
];

/// What follows the pool.
const OPTIONS: [&str; 11] = [
    "",
    "",
    "word=2",
    "word=4",
    "word=8",
    "word=#",
    "align=#",
    "word=8 align=16",
    "threads=each",
    "check=header",
    "word=8 threads=lists",
];

/// Lists of sizes.
const SIZES: [&str; 8] =
    ["#", "#,#", "#..=#", "#..=# step #", "#..=# double", "66,1514", "16..=1024 step 16", "8,16,32,#"];

/// Numbers that a spec may have, and those just beyond.
const NUMBERS: [u64; 28] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    15,
    16,
    17,
    24,
    32,
    64,
    66,
    100,
    101,
    127,
    256,
    512,
    1024,
    1025,
    4096,
    65_536,
    65_537,
    4_294_967_295,
    9_223_372_036_854_775_808,
    18_446_744_073_709_551_615,
];

/// A text by the grammar.
fn drawn(case: &mut Case<'_>) -> Result<String, String> {
    let mut parts: Vec<&str> = (0..case.draw.usize(0..4)).map(|_| case.choose(&LAYERS)).collect();
    parts.push(case.choose(&POOLS));
    parts.push(case.choose(&OPTIONS));
    let mut text = String::new();
    for letter in parts.join(" ").chars() {
        match letter {
            '@' => text.push_str(case.choose(&SIZES)),
            letter => text.push(letter),
        }
    }
    let mut filled = String::new();
    for letter in text.chars() {
        match letter {
            // Mostly small, or hardly any text were a heap.
            '#' if case.draw.u8(..3) > 0 => filled.push_str(&NUMBERS[case.draw.usize(1..20)].to_string()),
            '#' => filled.push_str(&case.choose(&NUMBERS).to_string()),
            letter => filled.push(letter),
        }
    }
    Ok(filled)
}

/// A drawn text, or one of the catalogue's, with parts changed, exchanged or repeated.
fn changed(case: &mut Case<'_>) -> Result<String, String> {
    let catalogue = String::from_utf8(case.place.inputs.read("specs.txt")?).map_err(|error| error.to_string())?;
    let known: Vec<&str> = catalogue.lines().collect();
    let (text, other) = (drawn(case)?, case.choose(&known));
    let text = if case.draw.bool() { text } else { (case.choose(&known)).to_owned() };
    let text = match case.draw.u8(..12) {
        0 => text.repeat(case.draw.usize(2..400)),
        1 => format!("{}{text}", ["guard ", "zero ", "("][case.draw.usize(..3)].repeat(case.draw.usize(1..2000))),
        2 => text.split(' ').rev().collect::<Vec<_>>().join(" "),
        3 => text.to_uppercase(),
        _ => String::from_utf8_lossy(&damaged(&mut case.draw, text.as_bytes(), other.as_bytes())).into_owned(),
    };
    // No argument can have one.
    Ok(text.replace('\0', ""))
}

/// Hands a text to one of the commands that take heaps.
fn with(case: &mut Case<'_>, text: fn(&mut Case<'_>) -> Result<String, String>) -> Result<usize, String> {
    let text = text(case)?;
    let heap = format!("--heap={text}");
    case.copy(&["trace.parquet"])?;
    let bound = ["bound", "--max-live", "20K", "--max-size", "512", "--", &text];
    let words: Vec<&str> = match case.draw.u8(..8) {
        0 => bound.to_vec(),
        1 => vec!["emit", "--lang", "c", "--out", "emitted", "--", &text],
        2 => vec!["emit", "--lang", "rust", "--out", "emitted", "--", &text],
        3 => vec!["replay", "trace.parquet", &heap, "--min-region"],
        4 => vec!["run", &heap, "--", "true"],
        _ => vec!["replay", "trace.parquet", &heap, "--verify", "--check", "7"],
    };
    let launched = case.heapsmith(&words).memory(if words[0] == "run" { 0 } else { 8 << 30 }).run()?;
    launched.is_documented()?;
    Ok(1)
}
