//! `cargo xtask fuzz`: the property tests with more cases than the tests try, and with others each time; or, guided by
//! coverage, everything that reads.

mod guided;

use std::fs::File;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::run::{Outcome, cargo_with, logged, target};

/// What has property tests that are worth hours.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Property {
    /// Mutated and random files, to every importer: a valid trace or an error
    Importers,
    /// Random programs on random heaps, with the oracle and every invariant
    Heaps,
    /// Attacks and random programs on random heaps, against the bound
    Bounds,
}

/// Which, how many, and from where.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// One of them alone
    property: Option<Property>,
    /// Cases of each test [default: 100000 for importers, 30000 for heaps, 10000 for bounds: minutes each]
    #[arg(long)]
    cases: Option<u32>,
    /// Where the random numbers begin [default: the clock]
    #[arg(long)]
    seed: Option<u64>,
    /// Continues with the next seeds for so long, and says how many programs were tried
    #[arg(long, default_value_t = 0)]
    minutes: u64,
    #[command(flatten)]
    guided: guided::Guided,
}

impl Arguments {
    /// Half a minute on every target, guided.
    pub fn guided() -> Arguments {
        Arguments { guided: guided::Guided::on(), ..Arguments::default() }
    }
}

impl Property {
    const ALL: [Property; 3] = [Property::Importers, Property::Heaps, Property::Bounds];

    /// The package, the module of its tests, and how many cases some minutes are enough for.
    fn test(self) -> (&'static str, &'static str, u32) {
        match self {
            Property::Importers => ("heapsmith-import", "fuzz::", 100_000),
            Property::Heaps => ("heapsmith-spec", "heaps::", 30_000),
            Property::Bounds => ("heapsmith-limits", "attack_against_bound::", 10_000),
        }
    }
}

/// Runs the property tests. A case that fails is kept in `proptest-regressions`, and is tried first from then on.
pub fn fuzz(arguments: &Arguments) -> Outcome {
    if arguments.guided.guided {
        return guided::guided(&arguments.guided);
    }
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let first = arguments.seed.unwrap_or_else(clock);
    let all = arguments.property.map_or(Property::ALL.to_vec(), |property| vec![property]);
    let (began, mut programs) = (Instant::now(), 0);
    for round in 0.. {
        for &property in &all {
            let (package, _, enough) = property.test();
            let (cases, seed) = (arguments.cases.unwrap_or(enough), first.wrapping_add(round));
            eprintln!("xtask: {package}: {cases} cases, --seed {seed}");
            programs += tried(property, cases, seed)?;
        }
        let minutes = began.elapsed().as_secs() / 60;
        if programs > 0 {
            eprintln!("xtask: {programs} programs tried in {minutes} minutes");
        }
        if minutes >= arguments.minutes {
            break;
        }
    }
    Ok(())
}

/// Runs the tests of a property; how many programs they say that they tried.
fn tried(property: Property, cases: u32, seed: u64) -> Result<u64, String> {
    let (package, module, _) = property.test();
    let (cases, seed) = (cases.to_string(), seed.to_string());
    let environment = [("PROPTEST_CASES", cases.as_str()), ("PROPTEST_RNG_SEED", seed.as_str())];
    let path = target().join("fuzz.log");
    let log = File::create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let words = ["test", "--package", package, "--all-features", "--test", "it", "--", module, "--nocapture"];
    let outcome = logged(log, || cargo_with(&environment, &words));
    let said = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if let Err(why) = outcome {
        eprintln!("{said}");
        return Err(why);
    }
    let programs =
        said.lines().filter_map(|line| line.strip_suffix(" programs tried")?.rsplit(' ').next()?.parse::<u64>().ok());
    Ok(programs.sum())
}
