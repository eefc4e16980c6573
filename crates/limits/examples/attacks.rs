//! What attacks reach on every heap of the catalogue: `cargo xtask bench attacks`.
//!
//! Writes `attacks.csv`, `attacks-robson.csv` and `attacks.txt` into the folder that is named, and fails if Robson's
//! lower bound is not reached to nine tenths by first fit, or if fewer than five designs need twice what chance gives.

#![allow(clippy::disallowed_methods, reason = "a developer says where its tables go")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use heapsmith_limits::attack::{AttackOptions, forced};
use heapsmith_limits::bound::any_allocator;
use heapsmith_limits::{Attack, Bound, ProgramClass, attack, bound};
use heapsmith_spec::{Spec, catalogue, resolve};

/// First fit in three forms: by links, and through all blocks with and without boundary tags.
const FIRST_FIT: [&str; 3] = ["first-fit", "peintner-first-fast", "peintner-first-slow"];

/// Most live units, and the logarithm of the largest request.
const UNITS: [(u64, u32); 8] = [(64, 2), (64, 4), (256, 4), (256, 6), (1024, 5), (1024, 8), (4096, 6), (4096, 10)];

/// Peak live bytes, largest and least request.
const PROGRAMS: [(u64, u64, u64); 3] = [(4096, 256, 16), (16_384, 512, 16), (65_536, 1024, 32)];

/// The share of Robson's bound that is wanted, in percent, and the designs that have to need twice what chance gives.
const WANTED: (f64, usize) = (90.0, 5);

fn main() -> Result<(), Box<dyn Error>> {
    let dir = PathBuf::from(std::env::args().nth(1).ok_or("name the folder for the results")?);
    let (mut text, mut robson_csv) =
        (String::new(), "heap,live_units,largest_units,reached_units,bound_units\n".to_owned());
    let min_size = robson(&mut text, &mut robson_csv)?;
    let mut csv = "heap,max_live,max_size,min_size,operations,footprint_peak,bound,any_allocator,random_footprint,max,\
                   max_bound,by\n"
        .to_owned();
    let mut fewest = usize::MAX;
    for (live, max_size, smallest) in PROGRAMS {
        fewest = fewest.min(designs(ProgramClass::new(live, max_size, smallest)?, &mut text, &mut csv)?);
    }
    print!("{text}");
    std::fs::write(dir.join("attacks.txt"), text)?;
    std::fs::write(dir.join("attacks-robson.csv"), robson_csv)?;
    std::fs::write(dir.join("attacks.csv"), csv)?;
    if min_size < WANTED.0 || fewest < WANTED.1 {
        return Err(
            format!("a target is missed: {min_size:.1}% of Robson's bound, {fewest} designs at twice chance").into()
        );
    }
    Ok(())
}

/// Robson's adversary on first fit; gives the least share of his bound that it reached.
fn robson(text: &mut String, csv: &mut String) -> Result<f64, Box<dyn Error>> {
    writeln!(text, "Robson's adversary on first fit, in units of the smallest block (a header counts as live)\n")?;
    writeln!(text, "{:<22}{:>9}{:>9}{:>10}{:>10}{:>9}", "heap", "M", "n", "reached", "bound", "share")?;
    let mut min_size = f64::INFINITY;
    for name in FIRST_FIT {
        let spec = resolve(name)?;
        for (live, log) in UNITS {
            let forced = forced(&spec, live, log)?;
            let share = forced.reached as f64 * 100.0 / forced.bound as f64;
            min_size = min_size.min(share);
            let (reached, bound, max_size) = (forced.reached, forced.bound, 1_u64 << log);
            writeln!(text, "{name:<22}{live:>9}{max_size:>9}{reached:>10}{bound:>10}{share:>8.1}%")?;
            writeln!(csv, "{name},{live},{max_size},{reached},{bound}")?;
        }
    }
    writeln!(text, "\nbound: M/2·log2 n + M − n + 1 (Robson 1971, 1974), which holds for any heap that moves nothing")?;
    writeln!(text, "least share: {min_size:.1}% (at least {:.0}% wanted)", WANTED.0)?;
    Ok(min_size)
}

/// Attacks every heap of the catalogue; gives how many need twice what chance gives.
fn designs(program: ProgramClass, text: &mut String, csv: &mut String) -> Result<usize, Box<dyn Error>> {
    let ProgramClass { live, max_size, min_size, .. } = program;
    let any = any_allocator(program);
    writeln!(text, "\nat most {live} bytes live, in requests of {min_size} to {max_size}; any allocator: {any}\n")?;
    let heading = ["footprint", "bound", "of it", "of any", "random"].map(|name| format!("{name:>10}")).concat();
    writeln!(text, "{:<20}{heading}{:>8}  by", "heap", "times")?;
    let mut twice = 0;
    for entry in catalogue() {
        let spec: Spec = entry.spec.parse()?;
        let found = attack(&spec, program, AttackOptions::default(), &AtomicBool::new(false), |_| {})?;
        let limit = bound(&spec, live, max_size, min_size);
        twice += usize::from(found.outcome.footprint >= 2 * found.chance.footprint);
        line(entry.name, &found, &limit, text)?;
        let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        writeln!(
            csv,
            "{},{live},{max_size},{min_size},{},{},{},{},{},{},{},\"{}\"",
            entry.name,
            found.outcome.tape.steps.len(),
            found.outcome.footprint,
            number(limit.footprint),
            number(limit.any_allocator),
            found.chance.footprint,
            found.outcome.accesses_max,
            number(limit.worst_case.either()),
            found.by
        )?;
    }
    writeln!(
        text,
        "\ntwice the worst of 45 random programs with as many operations: {twice} designs (at least {} wanted)",
        WANTED.1
    )?;
    Ok(twice)
}

fn line(name: &str, found: &Attack, limit: &Bound, text: &mut String) -> Result<(), Box<dyn Error>> {
    let reached = found.outcome.footprint;
    let share = |of: Option<u64>, digits: usize| {
        of.map_or_else(|| "-".to_owned(), |of| format!("{:.digits$}%", reached as f64 * 100.0 / of as f64))
    };
    let bound = limit.footprint.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string());
    let times = reached as f64 / found.chance.footprint.max(1) as f64;
    writeln!(
        text,
        "{name:<20}{reached:>10}{bound:>10}{:>10}{:>10}{:>10}{times:>7.2}x  {}",
        share(limit.footprint, 1),
        share(limit.any_allocator, 0),
        found.chance.footprint,
        found.by
    )?;
    Ok(())
}
