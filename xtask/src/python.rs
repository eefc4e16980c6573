//! `cargo xtask python`: the Python package, built, installed into a fresh environment, and tried.
//!
//! ```text
//!   python3 -m venv ──▶ pip install python/[test] ──▶ pytest: package, cluster, notebooks, stubs
//!                        (maturin: a wheel)      └──▶ --bench: bench/results/python.md
//! ```
//!
//! Everything lies under the target folder; nothing is installed beside it but Debian's `python3-venv`.

use std::path::PathBuf;

use crate::run::{Outcome, output, root, run_with, target};
use crate::tools;

/// What is done.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Measure instead: a cluster's speed with one and two workers, the driver's limit, the overhead of `replay`
    #[arg(long)]
    bench: bool,
    /// Only tests whose names match, as pytest's -k takes them
    #[arg(long, value_name = "EXPRESSION")]
    only: Option<String>,
    /// The command `heapsmith` [default: it is built]
    #[arg(long)]
    command: Option<PathBuf>,
}

impl Arguments {
    /// Its tests, beside a command that was built before.
    pub fn with(command: PathBuf) -> Arguments {
        Arguments { command: Some(command), ..Arguments::default() }
    }
}

/// The least Python that the package takes, as its `pyproject.toml` says.
const MIN: (u32, u32) = (3, 11);

/// Builds, installs and tries the package.
pub fn python(arguments: &Arguments) -> Outcome {
    tools::install(&[tools::CC, tools::PYTHON])?;
    new_enough()?;
    let environment = fresh_environment()?;
    let bin = environment.join("bin");
    let program = |name: &str| bin.join(name).display().to_string();
    // The wheel is built with the crates that the other tests build too, into the same folder; one that is measured is
    // optimised, as a user's is.
    let built = target().display().to_string();
    let profile = if arguments.bench { "--profile release" } else { "--profile dev" };
    let wanted = format!("{}[test]", root().join("python").display());
    run_with(
        &program("pip"),
        &[("CARGO_TARGET_DIR", &built), ("MATURIN_PEP517_ARGS", profile)],
        &["install", "--quiet", "--disable-pip-version-check", &wanted],
    )?;
    if arguments.bench {
        let results = root().join("bench/results").display().to_string();
        return run_with(&program("python"), &[], &["python/bench.py", "--out", &results]);
    }
    let command = arguments.command.clone().map_or_else(tools::command, Ok)?.display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", bin.display());
    let environment = [("HEAPSMITH_COMMAND", command.as_str()), ("PATH", path.as_str())];
    let mut words =
        vec!["--config-file", "python/pyproject.toml", "--rootdir", "python", "python/tests", "--durations", "5"];
    words.extend(arguments.only.iter().flat_map(|only| ["-k", only]));
    run_with(&program("pytest"), &environment, &words)
}

/// An empty virtual environment.
fn fresh_environment() -> Result<PathBuf, String> {
    let environment = target().join("python/venv");
    let folder = environment.display().to_string();
    let make = || run_with("python3", &[], &["-m", "venv", "--clear", &folder]);
    if make().is_err() || !environment.join("bin/pip").exists() {
        // Debian keeps pip's part of it in a package of its own.
        tools::install_packages(&["python3-venv", "python3-pip"])
            .map_err(|error| format!("{error}; a virtual environment needs python3-venv: install it as root"))?;
        make()?;
    }
    Ok(environment)
}

/// Whether the Python that is there is new enough.
fn new_enough() -> Outcome {
    let (major, minor) = MIN;
    let ask = "import sys; print(*sys.version_info[:2])";
    let found = output("python3", &["-c", ask])?;
    let version: Vec<u32> = found.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    match version[..] {
        [a, b] if (a, b) >= MIN => Ok(()),
        _ => Err(format!(
            "the Python package needs Python {major}.{minor} or later, and python3 is {}: put a later one first on PATH",
            found.trim().replace(' ', ".")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_python_is_that_of_the_package() {
        let project = std::fs::read_to_string(root().join("python/pyproject.toml")).expect("a file");
        let (major, minor) = MIN;
        assert!(project.contains(&format!("requires-python = \">={major}.{minor}\"")));
        let manifest = std::fs::read_to_string(root().join("python/Cargo.toml")).expect("a file");
        assert!(manifest.contains(&format!("abi3-py{major}{minor}")));
    }
}
