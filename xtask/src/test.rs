//! `cargo xtask test` and `cargo xtask lint`.

use std::time::{Duration, Instant};

use crate::check32;
use crate::hardware;
use crate::hostile;
use crate::python;
use crate::real;
use crate::run::{Outcome, cargo, target};
use crate::tools;

/// Everything that must hold before a change lands; the time of each part is printed at the end.
pub fn test() -> Outcome {
    let mut parts = Parts::default();
    let outcome = all(&mut parts);
    parts.tell();
    outcome
}

fn all(parts: &mut Parts) -> Outcome {
    parts.run("tools", install)?;
    parts.run("lint", lint)?;
    // Built apart, so that the times tell building from running.
    parts.run("build", || cargo(&["test", "--workspace", "--all-features", "--no-run"]))?;
    parts.run("tests", || cargo(&["test", "--workspace", "--all-features"]))?;
    parts.run("whole spaces", spaces)?;
    // Cargo built the command beside its tests. Built alone it would be compiled again: without the tests' dependencies
    // others have fewer features.
    let command = target().join("debug/heapsmith");
    parts.run("real programs", || real::real(&real::Arguments::quick(command.clone())))?;
    parts.run("hostile", || hostile::hostile(&hostile::Arguments::quick(command.clone())))?;
    parts.run("hardware", hardware::quick)?;
    parts.run("python", || python::python(&python::Arguments::with(command.clone())))?;
    parts.run("32 bits", || match check32::prepare() {
        Ok(()) => check32::check32(check32::Which::Quick),
        Err(why) => {
            eprintln!("xtask: NOT RUN: the heaps' tests on 32 bits, since this machine cannot have them: {why}");
            Ok(())
        }
    })
}

fn install() -> Outcome {
    tools::install(&[
        tools::CC,
        tools::CXX,
        tools::BROWSER,
        tools::VALGRIND,
        tools::SQLITE,
        tools::PYTHON,
        tools::JAVA,
    ])?;
    tools::install(&tools::EMIT)?;
    // The firmware of `examples/cortex-m`.
    tools::install_target("thumbv7m-none-eabi")
}

/// Whole spaces are replayed, which plain `cargo test` leaves out.
fn spaces() -> Outcome {
    let which = ["--test", "it", "--", "--include-ignored", "--nocapture", "space::", "wide::"];
    cargo(&[&["test", "--workspace", "--all-features"], &which[..]].concat())
}

/// What was run, and for how long.
#[derive(Default)]
struct Parts {
    done: Vec<(&'static str, Duration)>,
}

impl Parts {
    fn run(&mut self, name: &'static str, part: impl FnOnce() -> Outcome) -> Outcome {
        let began = Instant::now();
        let outcome = part();
        self.done.push((name, began.elapsed()));
        outcome
    }

    fn tell(&self) {
        for (name, took) in &self.done {
            eprintln!("xtask: {name:<13} {:>2} min {:>2} s", took.as_secs() / 60, took.as_secs() % 60);
        }
    }
}

/// Format, clippy, docs.
pub fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])
}
