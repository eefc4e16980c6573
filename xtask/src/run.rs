//! Running other programs from the workspace's root.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every verb gives: nothing, or what went wrong.
pub type Outcome = Result<(), String>;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into)
}

/// Runs a program and fails if it does.
pub fn run(program: &str, arguments: &[&str]) -> Outcome {
    run_with(program, &[], arguments)
}

thread_local! {
    /// Where programs that this thread runs write, if not where this process does.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Does a job on this thread; what the programs that it runs write goes to `log`.
pub fn logged<T>(log: File, job: impl FnOnce() -> T) -> T {
    LOG.set(Some(log));
    let done = job();
    LOG.set(None);
    done
}

/// Runs a program with more in its environment.
pub fn run_with(program: &str, environment: &[(&str, &str)], arguments: &[&str]) -> Outcome {
    eprintln!("xtask: {program} {}", arguments.join(" "));
    let failed = |error: std::io::Error| format!("cannot run {program}: {error}");
    let mut command = Command::new(program);
    command.args(arguments).envs(environment.iter().copied()).current_dir(root());
    LOG.with_borrow(|log| {
        let Some(log) = log else { return Ok(()) };
        command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        Ok(())
    })
    .map_err(failed)?;
    let status = command.status().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("{program} {} failed: {status}", arguments.join(" "))) }
}

/// Runs a program and returns what it wrote, or what it said went wrong.
pub fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{program} {} failed:\n{}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)))
}

/// Runs cargo.
pub fn cargo(arguments: &[&str]) -> Outcome {
    run(env!("CARGO"), arguments)
}

/// Runs cargo with more in its environment.
pub fn cargo_with(environment: &[(&str, &str)], arguments: &[&str]) -> Outcome {
    run_with(env!("CARGO"), environment, arguments)
}

/// Whether a program can be run, with the words that follow its name.
pub fn is_there(program: &str) -> bool {
    let mut words = program.split_whitespace();
    let name = words.next().unwrap_or(program);
    Command::new(name).args(words).arg("--version").output().is_ok_and(|output| output.status.success())
}
