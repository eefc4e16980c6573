//! `cargo xtask python`: the Python package, built, installed into a fresh environment, and tried.
//!
//! ```text
//!   python3 -m venv ──▶ pip install python/[test] ──▶ pytest: package, cluster, notebooks, stubs
//!                        (maturin: a wheel)      └──▶ --bench: bench/results/python.md
//! ```
//!
//! Everything lies under the target folder; nothing else is installed but Debian's `python3-venv`.
//!
//! `cargo xtask test` makes no wheel, for which cargo would compile all heaps with other features, and starts no cluster:
//! it puts the module that was compiled with the other tests next to the package's sources, and has Python look there.

use std::path::PathBuf;

use crate::run::{Outcome, output, root, run_with, target};
use crate::tools;

/// What the quick tests import in addition to the standard library, of what `pyproject.toml` names.
const QUICK: [&str; 8] = ["pyarrow", "numpy", "pandas", "polars", "matplotlib", "tqdm", "pytest", "mypy"];

/// What is done.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Measure instead: a cluster's speed with one and two workers, the driver's limit, the overhead of `replay`
    #[arg(long)]
    bench: bool,
    /// Without a wheel, clusters and notebooks: on the module and the command that `cargo xtask test` compiled
    #[arg(long)]
    quick: bool,
    /// Only tests whose names match, as pytest's -k takes them
    #[arg(long, value_name = "EXPRESSION")]
    only: Option<String>,
    /// The command `heapsmith` [default: it is built]
    #[arg(long)]
    command: Option<PathBuf>,
}

/// The least Python that the package takes, as its `pyproject.toml` says.
const MIN: (u32, u32) = (3, 11);

/// Builds, installs and tries the package.
pub fn python(arguments: &Arguments) -> Outcome {
    tools::install(&[tools::CC, tools::PYTHON, tools::VENV])?;
    new_enough()?;
    if arguments.quick {
        return quick();
    }
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

/// The tests of the package without those on clusters and the notebooks, on the module that was compiled with the tests
/// of all packages, and on the command that was compiled along.
fn quick() -> Outcome {
    let bin = fresh_environment()?.join("bin");
    let program = |name: &str| bin.join(name).display().to_string();
    run_with(&program("pip"), &[], &[&["install", "--quiet", "--disable-pip-version-check"], &QUICK[..]].concat())?;
    let package = laid_out()?.display().to_string();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let command = target().join("debug/heapsmith").display().to_string();
    let environment = [
        ("HEAPSMITH_COMMAND", command.as_str()),
        ("PATH", path.as_str()),
        ("PYTHONPATH", package.as_str()),
        ("MYPYPATH", package.as_str()),
    ];
    let tests = ["--config-file", "python/pyproject.toml", "--rootdir", "python", "python/tests", "--durations", "5"];
    let left_out = ["--ignore", "python/tests/test_cluster.py", "--ignore", "python/tests/test_notebooks.py"];
    run_with(&program("pytest"), &environment, &[&tests[..], &left_out].concat())
}

/// The package's sources with the module next to them, as a wheel would have them.
fn laid_out() -> Result<PathBuf, String> {
    let folder = target().join("python/package");
    let package = folder.join("heapsmith");
    let failed = |error: std::io::Error| format!("cannot lay the package out in {}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&package).map_err(failed)?;
    for entry in std::fs::read_dir(root().join("python/lib/heapsmith")).map_err(failed)?.flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), package.join(entry.file_name())).map_err(failed)?;
        }
    }
    std::fs::copy(target().join("debug/deps/lib_native.so"), package.join("_native.abi3.so")).map_err(failed)?;
    Ok(folder)
}

/// An empty virtual environment.
fn fresh_environment() -> Result<PathBuf, String> {
    let environment = target().join("python/venv");
    let folder = environment.display().to_string();
    run_with("python3", &[], &["-m", "venv", "--clear", &folder])?;
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
