//! `cargo xtask nightly`: everything that takes too long for each change, in a night.
//!
//! Every part is a run of its own. What came of it is a line of `bench/results/nightly.csv`, with the commit that it was
//! run on: a night that was interrupted resumes where it stopped, and what has never been run says so.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use crate::needs::{self, Needs};
use crate::run::{Outcome, cargo, cargo_with, processor_time, root};
use crate::test::SHIPPED;
use crate::{
    axe, bench, check32, dist, evidence, firmware, fuzz, hardware, hostile, msrv, origin, packages, python, real,
    sanitize, soak, supply, test, tools,
};

/// Which parts, and how.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Parts; all of them where none is named
    parts: Vec<String>,
    /// Run parts again that passed on this commit
    #[arg(long)]
    again: bool,
    /// Say what there is, and what came of it last
    #[arg(long)]
    list: bool,
}

/// A part of the night.
struct Part {
    name: &'static str,
    /// What it checks, and roughly how long on two cores.
    about: &'static str,
    run: fn() -> Outcome,
}

const PARTS: &[Part] = &[
    Part {
        name: "lint",
        about: "clippy with the tests' features and with every one, documentation without a warning (5 min)",
        run: test::lint_whole,
    },
    Part {
        name: "whole",
        about: "the tests of a change with nothing left out: spaces, emitted C under every compiler (30 min)",
        run: whole,
    },
    Part {
        name: "determinism",
        about: "captured traffic explored in every way, and killed at many moments: the same bytes (15 min)",
        run: determinism,
    },
    Part { name: "properties", about: "3,000 cases of each property of the heaps (10 min)", run: properties },
    Part { name: "peers", about: "the tests with jemalloc and snmalloc (10 min)", run: peers },
    Part { name: "check32", about: "every heap on i686 (15 min)", run: check32::check32 },
    Part { name: "msrv", about: "every crate checked by the oldest compiler (3 min)", run: msrv::msrv },
    Part { name: "sanitize", about: "AddressSanitizer, ThreadSanitizer, Valgrind (20 min)", run: sanitize::sanitize },
    Part { name: "miri", about: "a trial of every heap under Miri (30 min)", run: sanitize::miri },
    Part { name: "threads", about: "two threads that free each other's blocks (10 min)", run: || soak::threads(10) },
    Part { name: "soak", about: "10⁶ random operations on every heap against the oracle (30 min)", run: soak_short },
    Part {
        name: "fuzz",
        about: "new cases of the property tests (15 min)",
        run: || fuzz::fuzz(&fuzz::Arguments::default()),
    },
    Part {
        name: "guided",
        about: "coverage-guided fuzzing of everything that reads, half a minute each (20 min)",
        run: || fuzz::fuzz(&fuzz::Arguments::guided()),
    },
    Part {
        name: "evidence",
        about: "every state of small regions of a heap of every family, fuzzing, CBMC (30 min)",
        run: || evidence::evidence(&evidence::Arguments::default()),
    },
    Part {
        name: "hostile",
        about: "the whole hostile trial of the command (45 min)",
        run: || hostile::hostile(&hostile::Arguments::default()),
    },
    Part { name: "hardware", about: "mutants, proofs, the core, gates (30 min)", run: || hardware::hardware(None) },
    Part { name: "real", about: "every real program, small (5 min)", run: || real::real(&real::Arguments::small()) },
    Part {
        name: "python",
        about: "the wheel in a fresh environment, clusters, notebooks (10 min)",
        run: || python::python(&python::Arguments::default()),
    },
    Part {
        name: "growth",
        about: "accesses at 10³ to 10⁶ live blocks (10 min)",
        run: || bench::bench(Some(bench::Bench::Growth)),
    },
    Part {
        name: "attacks",
        about: "what attacks reach of every bound (10 min)",
        run: || bench::bench(Some(bench::Bench::Attacks)),
    },
    Part {
        name: "firmware",
        about: "FreeRTOS itself on emitted heaps, where its sources can be cloned (1 min)",
        run: || firmware::firmware(&firmware::Arguments::default()),
    },
    Part {
        name: "supply",
        about: "licences, advisories, a bill of materials, the command built twice (20 min)",
        run: || supply::supply(&supply::Arguments::default()),
    },
    Part {
        name: "dist",
        about: "a static command, a wheel, a container file, each run in an empty root (10 min)",
        run: dist::dist,
    },
];

/// Runs the parts that have not passed on this commit. One that fails does not stop those after it.
pub fn nightly(arguments: &Arguments) -> Outcome {
    if let Some(unknown) = arguments.parts.iter().find(|name| PARTS.iter().all(|part| part.name != **name)) {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        return Err(format!("there is no part {unknown}: {}", names.join(", ")));
    }
    let commit = origin::commit()?;
    let mut log = Log::read()?;
    if arguments.list {
        PARTS.iter().for_each(|part| println!("{:<11} {:<8} {}", part.name, log.outcome_of(part.name), part.about));
        return Ok(());
    }
    let wanted = |part: &&Part| arguments.parts.is_empty() || arguments.parts.iter().any(|name| name == part.name);
    let mut failed = Vec::new();
    for part in PARTS.iter().filter(wanted) {
        if !arguments.again && log.passed(part.name, &commit) {
            eprintln!("xtask: {} passed on this commit before", part.name);
            continue;
        }
        eprintln!("xtask: nightly {}: {}", part.name, part.about);
        let (began, before) = (Instant::now(), processor_time());
        let outcome = (part.run)();
        let processors = processor_time().zip(before).map(|(after, before)| after - before);
        if let Err(why) = &outcome {
            eprintln!("xtask: nightly {} failed: {why}", part.name);
            failed.push(part.name);
        }
        log.keep(Row {
            part: part.name.to_owned(),
            outcome: if outcome.is_ok() { "passed" } else { "failed" }.to_owned(),
            seconds: began.elapsed().as_secs().to_string(),
            processor_seconds: processors.map_or_else(String::new, |time| time.as_secs().to_string()),
            commit: commit.clone(),
        })?;
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// What came of a part the last time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    part: String,
    outcome: String,
    seconds: String,
    processor_seconds: String,
    commit: String,
}

/// A line for each part, in their order.
struct Log {
    path: PathBuf,
    rows: Vec<Row>,
}

impl Log {
    const HEAD: &str = "part,outcome,seconds,processor_seconds,commit";

    fn read() -> Result<Log, String> {
        let path = root().join("bench/results/nightly.csv");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        Ok(Log { path, rows: rows(&text) })
    }

    /// Replaces what was known of the part, and writes the file.
    fn keep(&mut self, row: Row) -> Outcome {
        self.rows.retain(|known| known.part != row.part);
        self.rows.push(row);
        std::fs::write(&self.path, text(&self.rows))
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }

    fn outcome_of(&self, part: &str) -> &str {
        self.rows.iter().find(|row| row.part == part).map_or("not run", |row| &row.outcome)
    }

    /// Whether a part passed on this commit: changes that are in no commit count as new ones each time.
    fn passed(&self, part: &str, commit: &str) -> bool {
        !commit.contains(' ')
            && self.rows.iter().any(|row| row.part == part && row.outcome == "passed" && row.commit == commit)
    }
}

fn rows(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let [part, outcome, seconds, processor_seconds, commit] =
            line.split(',').map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
        Some(Row { part, outcome, seconds, processor_seconds, commit })
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// All parts in their order; those that have never been run say so.
fn text(rows: &[Row]) -> String {
    let mut text = format!("{}\n", Log::HEAD);
    for part in PARTS {
        let _ = match rows.iter().find(|row| row.part == part.name) {
            Some(row) => {
                writeln!(text, "{},{},{},{},{}", row.part, row.outcome, row.seconds, row.processor_seconds, row.commit)
            }
            None => writeln!(text, "{},not run,,,", part.name),
        };
    }
    text
}

/// With every tool that any test needs; what cannot be had is a failure once the rest has run.
fn whole() -> Outcome {
    let needs = Needs::obtain(&[needs::BY_DAY, needs::BY_NIGHT].concat(), &[tools::CC]);
    // The firmware of `examples/cortex-m`.
    tools::install_target("thumbv7m-none-eabi")?;
    axe::fetch()?;
    let whole = [("HEAPSMITH_WHOLE", "1")];
    let others = LONG_EXPLORATIONS.iter().flat_map(|test| ["--skip", *test]);
    let skipped: Vec<&str> = others.chain(needs.skipped()).collect();
    cargo_with(&whole, &[&["test"], &SHIPPED[..], &["--", "--include-ignored"], &skipped].concat())?;
    match needs.left_out().collect::<Vec<_>>() {
        left_out if left_out.is_empty() => Ok(()),
        left_out => Err(format!("not run: {}", left_out.join("; "))),
    }
}

/// The ignored tests that are a part of their own.
const LONG_EXPLORATIONS: [&str; 2] =
    ["determinism::every_plan_on_real_traffic", "determinism::explorations_killed_at_any_moment"];

/// On the build of `whole`, of whose test programs one has these tests.
fn determinism() -> Outcome {
    let tests = ["--test", "it", "--", "--ignored"];
    cargo_with(&[("HEAPSMITH_WHOLE", "1")], &[&["test"], &SHIPPED[..], &tests, &LONG_EXPLORATIONS].concat())
}

fn properties() -> Outcome {
    let cases = [("PROPTEST_CASES", "3000")];
    cargo_with(&cases, &["test", "--package", "heapsmith-spec", "--test", "it", "--", "heaps::"])
}

fn peers() -> Outcome {
    packages::install(&["cmake"])?;
    let features = "heapsmith-cli/jemalloc,heapsmith-cli/snmalloc";
    let which = ["heapsmith-peers", "heapsmith-replay", "heapsmith-explore", "heapsmith-cli"];
    let which = which.iter().flat_map(|name| ["--package", *name]).collect::<Vec<_>>();
    cargo(&[&["test"], &which[..], &["--features", features]].concat())
}

fn soak_short() -> Outcome {
    soak::soak(&["--operations".to_owned(), "1000000".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_never_ran_says_so() {
        let row = Row {
            part: "miri".to_owned(),
            outcome: "passed".to_owned(),
            seconds: "7".to_owned(),
            processor_seconds: String::new(),
            commit: "0123456789ab".to_owned(),
        };
        let written = text(std::slice::from_ref(&row));
        assert_eq!(written.lines().count(), PARTS.len() + 1);
        assert!(written.contains("lint,not run,,,\n"));
        let log = Log { path: PathBuf::new(), rows: rows(&written) };
        assert!(
            log.passed("miri", "0123456789ab")
                && !log.passed("miri", "ba9876543210")
                && !log.passed("lint", "0123456789ab")
        );
        assert!(log.rows.contains(&row) && log.outcome_of("lint") == "not run");
    }
}
