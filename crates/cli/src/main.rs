//! The command `heapsmith`: arguments, progress, tables. What it does lies in
//! the crates below it.

mod args;
mod commands;
mod failure;
mod heap;
mod input;
mod interrupt;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

fn main() -> ExitCode {
    // Before anything else, as the child measures the memory of this very process.
    let mut arguments = std::env::args();
    if arguments.nth(1).is_some_and(|first| first == heapsmith_replay::PAGES_CHILD) {
        return commands::pages::child(&arguments.collect::<Vec<_>>());
    }
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Record(arguments) => return end(commands::record::run(&arguments)),
        Command::Run(arguments) => return end(commands::run::run(&arguments)),
        Command::Heaps(arguments) => commands::heaps::run(&arguments),
        Command::Workloads(arguments) => commands::workloads::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Emit(arguments) => commands::emit::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Explore(arguments) => commands::explore::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Attack(arguments) => commands::attack::run(&arguments),
        Command::Bound(arguments) => commands::bound::run(&arguments),
    };
    end(outcome.map(|()| ExitCode::SUCCESS))
}

fn end(outcome: Result<ExitCode, failure::Failure>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("heapsmith: {}", failure.message());
            ExitCode::from(failure.code())
        }
    }
}
