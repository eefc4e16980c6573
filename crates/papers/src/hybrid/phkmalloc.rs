//! phkmalloc itself: whether pages of its levels place requests where it does, and what each level is for.
//!
//! ```text
//!   recorded program ──▶ phkmalloc 1.89 ──▶ originals/phkmalloc-1.89.csv ─┐
//!     └────────────────▶ pages(…) ────────▶ addresses ────────────────────┴─▶ the hundreds that agree
//! ```

use heapsmith_replay::{Region, block_lives};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use heapsmith_trace::PackedTrace;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::costs::{Costs, SEARCHES};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::input::Input;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-phkmalloc",
    paper: &HYBRID,
    place: "Section II",
    title: "PHK's allocator by its addresses",
    claim: "The PHK allocator has pages of objects of one size, rounded to powers of two up to half a page, a page directory, and \
            a bitmap at the beginning of each page of small objects, searched for the first free one (Li et al. 2006, \
            section II).",
    differs: "phkmalloc 1.89 was compiled for 32 bits and played three recorded programs; checksums of its addresses are data \
              (crates/papers/originals/phkmalloc-1.89.csv). The paper names no version.",
    samples: FILES,
    run,
};

const ORIGINAL: &str = include_str!("../../originals/phkmalloc-1.89.csv");
const COUNTED: &str = include_str!("../../originals/phkmalloc-callgrind.csv");

/// Requests of a checksum.
const HUNDRED: usize = 100;

const PROGRAMS: [Input; 3] = [
    Input::recorded("cfrac", "programs/cfrac.parquet"),
    Input::recorded("espresso", "programs/espresso.parquet"),
    Input::recorded("perl", "perl/perfect.parquet"),
];
const FILES: &[&str] = &[PROGRAMS[0].file, PROGRAMS[1].file, PROGRAMS[2].file];

/// A heap that plays the requests.
struct Reading {
    name: &'static str,
    spec: &'static str,
}

const ALL: &str = "all levels";
const READINGS: [Reading; 7] = [
    Reading { name: ALL, spec: "pages(page=4096, min=16, search=linear, order=phk, info=page, retain=16, resize=off)" },
    Reading {
        name: "by address",
        spec: "pages(page=4096, min=16, search=linear, order=address, info=page, retain=16, resize=off)",
    },
    Reading {
        name: "last in first out",
        spec: "pages(page=4096, min=16, search=linear, info=page, retain=16, resize=off)",
    },
    Reading {
        name: "in the directory",
        spec: "pages(page=4096, min=16, search=linear, order=phk, retain=16, resize=off)",
    },
    Reading {
        name: "nothing retained",
        spec: "pages(page=4096, min=16, search=linear, order=phk, info=page, resize=off)",
    },
    Reading { name: "runs resized", spec: "pages(page=4096, min=16, search=linear, order=phk, info=page, retain=16)" },
    Reading { name: "none of them", spec: super::PHK },
];

/// A checksum of the original.
#[derive(Debug, Deserialize)]
struct Summed {
    program: String,
    first: usize,
    hash: String,
}

/// What callgrind counted of the original.
#[derive(Debug, Deserialize)]
struct Counted {
    program: String,
    instructions: f64,
    words: f64,
    bits: f64,
    mispredicted: f64,
    mispredicted_search: f64,
}

/// Cycles of a mispredicted branch.
const MISPREDICTED: f64 = 12.0;

/// The share of the search in the original and in the model of Figure 3.
struct Search {
    program: &'static str,
    original: f64,
    /// The same with [`MISPREDICTED`] cycles for a mispredicted branch.
    in_cycles: f64,
    modelled: f64,
}

/// How a reading compares with the original.
#[derive(Debug, Serialize)]
struct Row {
    reading: &'static str,
    program: &'static str,
    requests: usize,
    hundreds: usize,
    equal: usize,
    /// The first request of the first hundred that differs.
    first_other: Option<usize>,
}

impl Row {
    fn share(&self) -> f64 {
        self.equal as f64 / self.hundreds.max(1) as f64
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ExperimentError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let (summed, counted, costs) = (read::<Summed>(ORIGINAL)?, read::<Counted>(COUNTED)?, Costs::read());
    let mut searches = Vec::new();
    let mut rows = Vec::new();
    for (number, program) in PROGRAMS.into_iter().enumerate() {
        setting.step(number, PROGRAMS.len(), program.name)?;
        let trace = setting.packed(program)?;
        let own: Vec<&Summed> = summed.iter().filter(|summed| summed.program == program.name).collect();
        for reading in &READINGS {
            let addresses = addresses(reading.spec, &trace)?;
            rows.push(compared(reading.name, program.name, &addresses, &own, setting.is_whole()));
        }
        if let Some(counted) = counted.iter().find(|counted| counted.program == program.name) {
            let own = costs.of(SEARCHES[super::BIT], &trace, &mut Region::for_trace(&trace)?)?;
            searches.push(searched(program.name, counted, own.search / own.cycles()));
        }
    }
    outcome(&rows, &searches)
}

fn searched(program: &'static str, counted: &Counted, modelled: f64) -> Search {
    let search = counted.words + counted.bits;
    let in_cycles = (search + MISPREDICTED * counted.mispredicted_search)
        / (counted.instructions + MISPREDICTED * counted.mispredicted);
    Search { program, original: search / counted.instructions, in_cycles, modelled }
}

/// Bytes from the first request to each, in the order of the requests.
fn addresses(spec: &str, trace: &PackedTrace) -> Result<Vec<u32>, ExperimentError> {
    let mut lives = block_lives(&resolve(spec)?, trace, &mut Region::for_trace(trace)?)?.lives;
    lives.sort_by_key(|life| life.begin);
    let first = lives.first().map_or(0, |life| life.offset);
    Ok(lives.iter().map(|life| life.offset.wrapping_sub(first) as u32).collect())
}

/// FNV-1a of 64 bits.
fn hash(addresses: &[u32]) -> u64 {
    let bytes = addresses.iter().flat_map(|address| address.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Whole hundreds; the last few requests too where the trace is whole.
fn compared(
    reading: &'static str,
    program: &'static str,
    addresses: &[u32],
    summed: &[&Summed],
    is_whole: bool,
) -> Row {
    let parts = addresses.chunks(HUNDRED).filter(|part| is_whole || part.len() == HUNDRED);
    let sums: Vec<String> = parts.map(|part| format!("{:016x}", hash(part))).collect();
    let hundreds = if is_whole { summed.len().max(sums.len()) } else { sums.len() };
    let is_equal = |number: usize| {
        let known = summed.get(number).filter(|known| known.first == number * HUNDRED);
        known.zip(sums.get(number)).is_some_and(|(known, sum)| known.hash == *sum)
    };
    Row {
        reading,
        program,
        requests: addresses.len(),
        hundreds,
        equal: (0..hundreds).filter(|&number| is_equal(number)).count(),
        first_other: (0..hundreds).find(|&number| !is_equal(number)).map(|number| number * HUNDRED),
    }
}

fn outcome(rows: &[Row], searches: &[Search]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let of = |reading: &'static str| rows.iter().filter(move |row| row.reading == reading);
    let shares = |reading: &'static str| {
        listed(&of(reading).map(|row| format!("{} {}", row.program, percent(row.share()))).collect::<Vec<_>>())
    };
    let is_equal = |reading: &'static str| of(reading).all(|row| row.equal == row.hundreds);
    let requests: usize = of(ALL).map(|row| row.requests).sum();
    outcome.state("003:phk-is-pages", format!("of {requests} requests by the hundred: {}", shares(ALL)), is_equal(ALL));
    outcome.state(
        "003:phk-sorts-pages-by-address",
        format!("sorted by address: {}; last in first out: {}", shares("by address"), shares("last in first out")),
        is_equal("by address"),
    );
    outcome.state(
        "003:phk-bitmap-in-page",
        format!("with the bitmaps in the directory: {}", shares("in the directory")),
        is_equal(ALL) && !is_equal("in the directory"),
    );
    let each = |of: fn(&Search) -> f64| {
        listed(&searches.iter().map(|search| format!("{} {}", search.program, percent(of(search)))).collect::<Vec<_>>())
    };
    outcome.state(
        "003:phk-search-is-a-quarter",
        format!(
            "of phkmalloc's instructions: {}; with {MISPREDICTED} cycles for a mispredicted branch: {}; in the model of Figure 3: {}",
            each(|search| search.original),
            each(|search| search.in_cycles),
            each(|search| search.modelled)
        ),
        searches.iter().all(|search| (0.2..0.35).contains(&search.original) && (0.2..0.35).contains(&search.in_cycles)),
    );
    outcome.found = format!(
        "Pages with entries in pages, phkmalloc's order of a class's pages, 16 pages retained and no resizing in place have the \
         addresses of phkmalloc 1.89 ({}). Without one of these levels: sorted by address {}; last in first out {}; entries in \
         the directory {}; nothing retained {}; runs resized in place {}.",
        shares(ALL),
        shares("by address"),
        shares("last in first out"),
        shares("in the directory"),
        shares("nothing retained"),
        shares("runs resized"),
    );
    outcome.tables.push(table(rows));
    outcome.draw("", "Hundreds of requests that a reading places where phkmalloc does", bars(rows).svg());
    Ok(outcome)
}

fn table(rows: &[Row]) -> Shown {
    let columns = ["reading", "program", "requests", "hundreds", "the same", "share", "first that differs"];
    let mut shown = Shown::new("Addresses of pages and of phkmalloc, by the hundred", columns);
    for row in rows {
        shown.row([
            row.reading.into(),
            row.program.into(),
            (row.requests as u64).into(),
            (row.hundreds as u64).into(),
            (row.equal as u64).into(),
            Value::Share(row.share()),
            row.first_other.map(|first| first as u64).into(),
        ]);
    }
    shown
}

fn bars(rows: &[Row]) -> Bars {
    let own = |program: Input| {
        let of = rows.iter().filter(move |row| row.program == program.name);
        Measured::new(program.name, of.map(|row| row.share() * 100.0))
    };
    Bars {
        title: "Addresses as phkmalloc's".into(),
        y: "percent of the hundreds".into(),
        names: READINGS.iter().map(|reading| reading.name.to_owned()).collect(),
        series: PROGRAMS.into_iter().map(own).collect(),
        ..Bars::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_fnv_and_knows_the_order() {
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(&[u32::from_le_bytes(*b"chon"), u32::from_le_bytes(*b"gos.")]), hash_of(b"chongos."));
        assert_ne!(hash(&[0, 16]), hash(&[16, 0]));
    }

    fn hash_of(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    #[test]
    fn one_address_that_differs_is_one_hundred() {
        let mut addresses: Vec<u32> = (0..250).map(|number| 16 * number).collect();
        let sums: Vec<Summed> = addresses
            .chunks(HUNDRED)
            .enumerate()
            .map(|(number, part)| Summed {
                program: String::new(),
                first: number * HUNDRED,
                hash: format!("{:016x}", hash(part)),
            })
            .collect();
        let known: Vec<&Summed> = sums.iter().collect();
        let row = compared("all", "program", &addresses, &known, true);
        assert_eq!((row.hundreds, row.equal, row.first_other), (3, 3, None));
        addresses[120] += 16;
        let row = compared("all", "program", &addresses, &known, true);
        assert_eq!((row.equal, row.first_other), (2, Some(100)));
        let row = compared("all", "program", &addresses[..200], &known, true);
        assert_eq!((row.hundreds, row.equal), (3, 1), "what is missing differs");
        assert_eq!(compared("all", "program", &addresses[..150], &known, false).hundreds, 1);
    }
}
