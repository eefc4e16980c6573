//! What a developer repeats, as `cargo xtask VERB`. CI calls the same verbs.

mod bench;
mod readme;
mod run;
mod test;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a developer repeats.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Install what the tests need, lint, and run every test
    Test,
    /// Format check, clippy and docs, with warnings as errors
    Lint,
    /// Measure
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Feed mutated and random files to every importer, for longer than the tests do
    Fuzz {
        /// Cases of each kind
        #[arg(long, default_value_t = 100_000)]
        cases: u32,
    },
    /// Run the README's first command; keep its output and a picture of its page in docs/
    Readme,
    /// Make the samples again from real servers and clients (root; minutes)
    Samples,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().verb {
        Verb::Test => test::test(),
        Verb::Lint => test::lint(),
        Verb::Bench(which) => bench::bench(which),
        Verb::Fuzz { cases } => test::fuzz(cases),
        Verb::Readme => readme::readme(),
        Verb::Samples => run::run("samples/make", &["--install"]),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
