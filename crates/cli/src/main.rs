//! The command `heapsmith`: arguments, progress, tables. What it does lies in
//! the crates below it.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod coming;
mod commands;
mod console;
mod failure;
mod fit;
mod heap;
mod input;
mod interrupt;
mod open;
mod output;
mod progress;
mod quoted;
mod sheet;
mod shipped;
mod spool;
mod table;

use std::process::ExitCode;

use clap::Parser;
use heapsmith_trace::Bytes;

use args::{Arguments, Command};
use console::error;

/// What a newcomer reads, who types no verb.
const WELCOME: &str = "\
heapsmith finds the memory allocator that suits a program:
  heapsmith record -- PROGRAM                  keep what a program allocates
  heapsmith explore record-PROGRAM/*.parquet   recommend an allocator for it
  heapsmith run --heap DIR -- PROGRAM          run it on the pick in folder DIR
All verbs: heapsmith -h. Without a program: heapsmith explore workload:modem
";

fn main() -> ExitCode {
    // Before anything else, as the child measures the memory of this very process.
    let mut arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    match arguments.nth(1).as_deref() {
        Some(heapsmith_replay::PAGES_CHILD) => return commands::pages::child(&arguments.collect::<Vec<_>>()),
        Some(heapsmith_replay::TIME_CHILD) => return commands::pages::time_child(&arguments.collect::<Vec<_>>()),
        Some(heapsmith_replay::PEER_CHILD) => return commands::attack::child(&arguments.collect::<Vec<_>>()),
        Some(heapsmith_player::PLAY_CHILD) => return commands::plays::child(&arguments.collect::<Vec<_>>()),
        Some(heapsmith_recording::HELD_CHILD) => return commands::record::become_held(),
        _ => {}
    }
    heapsmith_trace::silence_damaged_files();
    if std::env::args_os().len() == 1 {
        console::say_text(WELCOME);
        return ExitCode::from(console::exit_code(0));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return explained(&error),
    };
    if arguments.quiet {
        console::be_quiet();
    }
    if let Some(memory) = arguments.memory {
        heapsmith_trace::memory::set_budget(Bytes(memory));
    }
    let outcome = match arguments.command {
        Command::Record(arguments) => return end(commands::record::run(&arguments)),
        Command::Run(arguments) => return end(commands::run::run(&arguments)),
        Command::Race(arguments) => return end(commands::race::run(&arguments)),
        Command::Heaps(arguments) => commands::heaps::run(&arguments),
        Command::Workloads(arguments) => commands::workloads::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Emit(arguments) => commands::emit::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(arguments),
        Command::Explore(arguments) => commands::explore::run(&arguments),
        Command::Pick(arguments) => commands::pick::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Plan(arguments) => commands::plan::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Attack(arguments) => commands::attack::run(&arguments),
        Command::Bound(arguments) => commands::bound::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
        Command::Man(arguments) => commands::man::run(&arguments),
    };
    end(outcome.map(|()| 0))
}

fn end(outcome: Result<u8, failure::Failure>) -> ExitCode {
    let code = outcome.unwrap_or_else(|failure| {
        interrupt::settle();
        error!("heapsmith: {}", failure.message());
        failure.code()
    });
    ExitCode::from(console::exit_code(code))
}

/// Prints the help or the version, or what is wrong with the arguments.
fn explained(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    if error.use_stderr() {
        return ExitCode::from(2);
    }
    console::printed(printed);
    ExitCode::from(console::exit_code(0))
}
