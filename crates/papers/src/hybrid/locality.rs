//! Table I: the locality of pages and of buddies, by a cache that is counted.
//!
//! ```text
//!   recorded program ──▶ heap ──▶ addresses ──▶ cache (Table II) ──▶ misses
//! ```
//!
//! A block is touched when it is allocated, all of it, and at its beginning when it is freed. What the program reads
//! in between is not recorded.

use heapsmith_replay::{CacheLevel, Region, block_lives};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use heapsmith_trace::PackedTrace;
use serde::Serialize;

use super::PHK;
use super::programs::{FILES, PROGRAMS};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-locality",
    paper: &HYBRID,
    place: "Table I",
    title: "locality of pages and of buddies",
    claim: "The hybrid allocator's locality is better and that of Chang's buddies poor (Li et al. 2006, Table I, section IV-A).",
    differs: "The paper measures no locality. Here a data cache of Table II, counted, sees each block whole when it is allocated \
              and its first bytes when it is freed; what the program does with it in between is not recorded, and neither are the \
              allocator's own words in it. Knuth's buddies stand for Chang's.",
    samples: FILES,
    run,
};

const HEAPS: [(&str, &str); 3] = [
    ("pages", PHK),
    ("as phkmalloc", "pages(page=4096, min=16, search=linear, order=phk, info=page, retain=16, resize=off)"),
    ("buddies", "buddy(knuth)"),
];

/// Bytes of a line.
const LINE: u64 = 32;
/// Ways of a set.
const WAYS: usize = 4;
/// Sets: 16 KB in all.
const SETS: usize = 16 * 1024 / (LINE as usize * WAYS);

/// The cache, and what it counted.
#[derive(Default)]
struct Cache {
    level: CacheLevel<SETS, WAYS>,
    misses: u64,
    touches: u64,
}

impl Cache {
    /// Touches the lines of some bytes.
    fn touch(&mut self, offset: u64, bytes: u64) {
        for line in offset / LINE..=(offset + bytes.max(1) - 1) / LINE {
            self.touches += 1;
            self.misses += u64::from(!self.level.touch(line as usize));
        }
    }
}

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    heap: &'static str,
    touches: u64,
    misses: u64,
}

impl Row {
    fn rate(&self) -> f64 {
        self.misses as f64 / self.touches.max(1) as f64
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, program) in PROGRAMS.iter().enumerate() {
        setting.step(number, PROGRAMS.len(), program.name)?;
        let trace = program.trace(setting)?;
        for (heap, spec) in HEAPS {
            let cache = touched(spec, &trace)?;
            rows.push(Row { program: program.name, heap, touches: cache.touches, misses: cache.misses });
        }
    }
    outcome(&rows)
}

/// The cache after a trace on a heap.
fn touched(spec: &str, trace: &PackedTrace) -> Result<Cache, ExperimentError> {
    let found = block_lives(&resolve(spec)?, trace, &mut Region::for_trace(trace)?)?;
    let born = found.lives.iter().map(|life| (life.begin, life.offset, life.requested));
    let freed = found.lives.iter().filter(|life| life.end < found.events).map(|life| (life.end, life.offset, 1));
    let mut all: Vec<(u64, u64, u64)> = born.chain(freed).collect();
    all.sort_unstable();
    let mut cache = Cache::default();
    all.into_iter().for_each(|(_, offset, bytes)| cache.touch(offset, bytes));
    Ok(cache)
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let rate = |program: &str, heap: &str| {
        rows.iter().find(|row| row.program == program && row.heap == heap).map_or(f64::NAN, Row::rate)
    };
    let worse = |heap: &str| -> Vec<&str> {
        let names = PROGRAMS.iter().map(|program| program.name);
        names.filter(|name| rate(name, heap) > rate(name, "buddies")).collect()
    };
    let (pages, phk) = (worse("pages"), worse("as phkmalloc"));
    let but = |names: &[&str]| if names.is_empty() { "in all".to_owned() } else { format!("but in {}", listed(names)) };
    outcome.state(
        "003:locality-is-better",
        format!("pages miss no more than buddies {}; with entries in pages {}", but(&pages), but(&phk)),
        pages.is_empty() && phk.is_empty(),
    );
    outcome.found = format!(
        "Of {} programs, pages miss more than buddies in {}, phkmalloc's pages in {}.",
        PROGRAMS.len(),
        pages.len(),
        phk.len()
    );
    let mut shown = Shown::new(
        "Misses in a data cache of 16 KB, four ways, lines of 32 bytes",
        ["program", "heap", "touches", "misses", "per thousand"],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.heap.into(),
            row.touches.into(),
            row.misses.into(),
            Value::from(digits(1000.0 * row.rate())),
        ]);
    }
    outcome.tables.push(shown);
    outcome.draw("", "Misses of pages and of buddies for each thousand lines touched", bars(rows).svg());
    Ok(outcome)
}

fn bars(rows: &[Row]) -> Bars {
    let own = |heap: &'static str| {
        Measured::new(heap, rows.iter().filter(move |row| row.heap == heap).map(|row| 1000.0 * row.rate()))
    };
    Bars {
        title: "Locality".into(),
        y: "misses per thousand lines touched".into(),
        names: PROGRAMS.iter().map(|program| program.name.to_owned()).collect(),
        series: HEAPS.iter().map(|&(heap, _)| own(heap)).collect(),
        ..Bars::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_until_four_others_of_its_set_were_touched() {
        let mut cache = Cache::default();
        let set = SETS as u64 * LINE;
        cache.touch(0, 32);
        cache.touch(31, 1);
        assert_eq!((cache.touches, cache.misses), (2, 1));
        (1..4).for_each(|other| cache.touch(other * set, 1));
        cache.touch(0, 1);
        assert_eq!(cache.misses, 4, "it is the fourth of its set");
        (4..8).for_each(|other| cache.touch(other * set, 1));
        cache.touch(0, 1);
        assert_eq!(cache.misses, 9, "four others came after it");
        cache.touch(31, 2);
        assert_eq!(cache.touches, 13, "two lines");
    }
}
