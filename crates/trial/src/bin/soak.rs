//! `cargo xtask soak`: random programs over every heap for minutes.

use std::process::ExitCode;

use clap::Parser;
use heapsmith_spec::resolve;
use heapsmith_trial::{Trial, heaps, heaps_in_regions};
use indicatif::{ProgressBar, ProgressStyle};

/// Random programs over every heap, against an oracle.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask soak", bin_name = "cargo xtask soak")]
struct Arguments {
    /// Names of the catalogue or specs; all of the catalogue and every kind of pool by default
    heaps: Vec<String>,
    /// Operations on each heap
    #[arg(long, default_value_t = 10_000_000)]
    operations: u64,
    /// Seed of the first program; the next has the next seed. Where an interrupted run resumes
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let all = heaps().chain(heaps_in_regions()).map(str::to_owned).collect();
    let heaps = if arguments.heaps.is_empty() { all } else { arguments.heaps };
    // A panic is a failure of the heap and is reported with its program.
    std::panic::set_hook(Box::new(|_| ()));
    let mut failed = Vec::new();
    for heap in &heaps {
        match soak(heap, arguments.operations, arguments.seed) {
            Ok(summary) => println!("{heap}: {summary}"),
            Err(failure) => {
                println!("{heap}: FAILED\n{failure}");
                failed.push(heap.as_str());
            }
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("{} of {} heaps failed: {}", failed.len(), heaps.len(), failed.join("; "));
    ExitCode::FAILURE
}

fn soak(heap: &str, operations: u64, seed: u64) -> Result<String, String> {
    let spec = resolve(heap).map_err(|error| error.to_string())?;
    let mut trial = Trial::new(spec).map_err(|error| error.to_string())?;
    let template = "{msg} {bar:24.cyan/blue} {human_pos}/{human_len} operations  {eta} left  {prefix}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(operations).with_style(style).with_message(heap.to_owned());
    let (mut done, mut next) = (0, seed);
    while done < operations {
        done += trial.run(next).map_err(|failure| {
            bar.finish_and_clear();
            format!("{failure}again: cargo xtask soak '{heap}' --seed {} --operations 1", failure.seed)
        })?;
        next += 1;
        bar.set_position(done);
        bar.set_prefix(format!("seed {next}"));
    }
    let seconds = bar.elapsed().as_secs_f64();
    bar.finish_and_clear();
    Ok(format!("{done} operations in {} programs, seeds {seed} to {}, {seconds:.0} s", next - seed, next - 1))
}
