//! What a developer repeats, as `cargo xtask VERB`. CI calls the same verbs.

mod actions;
mod axe;
mod bench;
mod book;
mod check32;
mod dist;
mod evidence;
mod firmware;
mod fuzz;
mod hardware;
mod hostile;
mod mean;
mod msrv;
mod needs;
mod nightly;
mod origin;
mod packages;
mod papers;
mod parts;
mod python;
mod readme;
mod real;
mod run;
mod sanitize;
mod server;
mod soak;
mod supply;
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
    /// Install what the tests need, and run every test that a change must pass: twenty minutes on two cores from a clone
    Test,
    /// Everything that takes too long for each change, in a night; bench/results/nightly.csv says what came of it
    Nightly(nightly::Arguments),
    /// What is handed out: a static command, a wheel, a container file, each tried in an empty root or environment
    Dist,
    /// Format, workflows, and clippy with warnings as errors
    Lint,
    /// Measure: all that is claimed about speed and memory, or one of it
    Bench {
        /// What
        #[command(subcommand)]
        which: Option<bench::Bench>,
    },
    /// The book of docs/, built by mdBook into target/book
    Book,
    /// Random programs over every heap for minutes, against an oracle
    #[command(disable_help_flag = true)]
    Soak {
        /// Heaps, `--operations N`, `--seed N`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Two threads that free each other's blocks, on the library of `heapsmith run`, with every heap verified at the end
    Threads {
        /// For how long, in all
        #[arg(long, default_value_t = 10)]
        minutes: u64,
    },
    /// What a server's loop holds resident with each way that threads share a heap, compared with the C library
    Server(server::Arguments),
    /// The heaps' tests, compiled for and run on a target of 32 bits
    Check32,
    /// Every crate, checked by the oldest compiler that Cargo.toml promises
    Msrv,
    /// The heaps' tests under AddressSanitizer, and a part of them under Valgrind
    Sanitize,
    /// A part of the heaps' tests under Miri
    Miri,
    /// The property tests with new cases and more of them: files for importers, programs for heaps, attacks on bounds
    Fuzz(fuzz::Arguments),
    /// What `emit --evidence` shows of a heap of every family; writes bench/results/evidence.csv
    Evidence(evidence::Arguments),
    /// A hostile trial of the command: kills, damaged inputs, extreme specs and options, bombs, hostile programs, races
    Hostile(hostile::Arguments),
    /// Run real programs on heaps and on reference allocators: right output, time, memory
    Real(real::Arguments),
    /// The search unit of hardware/: lint, simulate, prove, count gates, run it in a core; writes hardware/results
    Hardware {
        /// One step alone
        step: Option<hardware::Step>,
    },
    /// FreeRTOS itself on emitted heaps, in an emulator; its kernel is cloned
    Firmware(firmware::Arguments),
    /// Run what the papers' authors published, outside the repository; writes crates/papers/originals
    Papers(papers::Arguments),
    /// The code of others that is built in: licences, advisories, a bill of materials; and two builds, the same bytes
    Supply(supply::Arguments),
    /// Build the Python package, install it into a fresh environment, run its tests and notebooks
    Python(python::Arguments),
    /// Run the README's first command; keep its output and a picture of its page in docs/
    Readme,
    /// Make the samples again from real servers and clients (root; minutes)
    Samples,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().verb {
        Verb::Test => test::test(),
        Verb::Nightly(arguments) => nightly::nightly(&arguments),
        Verb::Dist => dist::dist(),
        Verb::Lint => test::lint(),
        Verb::Bench { which } => bench::bench(which),
        Verb::Book => book::book(),
        Verb::Soak { arguments } => soak::soak(&arguments),
        Verb::Threads { minutes } => soak::threads(minutes),
        Verb::Server(arguments) => server::server(&arguments),
        Verb::Check32 => check32::check32(),
        Verb::Msrv => msrv::msrv(),
        Verb::Sanitize => sanitize::sanitize(),
        Verb::Miri => sanitize::miri(),
        Verb::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Verb::Evidence(arguments) => evidence::evidence(&arguments),
        Verb::Hostile(arguments) => hostile::hostile(&arguments),
        Verb::Real(arguments) => real::real(&arguments),
        Verb::Hardware { step } => hardware::hardware(step),
        Verb::Firmware(arguments) => firmware::firmware(&arguments),
        Verb::Papers(arguments) => papers::papers(&arguments),
        Verb::Supply(arguments) => supply::supply(&arguments),
        Verb::Python(arguments) => python::python(&arguments),
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
