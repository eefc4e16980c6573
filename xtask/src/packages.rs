//! The distribution's package manager: one call for all packages, which waits until the lock is free.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{Outcome, is_there};

/// How long another program may hold the lock: an upgrade of a machine that was just started takes minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Installs packages by their names in one call, whether they are there or not.
pub fn install(packages: &[&str]) -> Outcome {
    update()?;
    all_of(packages)
}

/// Installs those of `packages` that can be had, in one call; gives the others, each with why.
pub fn install_some<'a>(packages: &[&'a str]) -> Vec<(&'a str, String)> {
    if packages.is_empty() {
        return Vec::new();
    }
    if !is_there("apt-get") {
        let why = "only Debian's package manager is known to this command: install it by hand".to_owned();
        return packages.iter().map(|&package| (package, why.clone())).collect();
    }
    // Without new lists, those that are there may still have the packages.
    let stale = update().err();
    let (some, others): (Vec<&str>, Vec<&str>) = packages.iter().partition(|package| simulate(&[package]).is_ok());
    let mut missing: Vec<(&str, String)> =
        others.into_iter().map(|package| (package, "no package source has it".to_owned())).collect();
    if !some.is_empty()
        && let Err(why) = all_of(&some)
    {
        missing.extend(some.into_iter().map(|package| (package, why.clone())));
    }
    if let (Some(why), false) = (stale, missing.is_empty()) {
        eprintln!("xtask: the lists of packages may be old: {why}");
    }
    missing
}

fn update() -> Outcome {
    apt_get(&["update", "--quiet"])
}

fn all_of(packages: &[&str]) -> Outcome {
    apt_get(&[&["install", "--quiet", "--yes", "--no-install-recommends"], packages].concat())
}

fn simulate(packages: &[&str]) -> Outcome {
    let arguments = [&["install", "--simulate", "--quiet", "--quiet"], packages].concat();
    let output = Command::new("apt-get").args(&arguments).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Runs apt-get, again and again while another program holds a lock that it needs. There are three: of installing, which
/// it can wait for, and of the lists and of the files that it loads, which it cannot.
fn apt_get(arguments: &[&str]) -> Outcome {
    let began = Instant::now();
    let patience = format!("DPkg::Lock::Timeout={}", PATIENCE.as_secs());
    eprintln!("xtask: apt-get {}", arguments.join(" "));
    let mut waits = false;
    loop {
        let (succeeded, said) = attempt(&[&["-o", &patience], arguments].concat())?;
        if succeeded {
            return Ok(());
        }
        if !is_held(&said) || began.elapsed() > PATIENCE {
            return Err(format!("apt-get {} failed: {}", arguments.join(" "), said.trim()));
        }
        if !waits {
            eprintln!("xtask: another program holds the package manager's lock; waiting for it");
            waits = true;
        }
        sleep(Duration::from_secs(2));
    }
}

/// One call, and what it said on standard error, which is passed on.
fn attempt(arguments: &[&str]) -> Result<(bool, String), String> {
    let cannot = |error| format!("cannot run apt-get: {error}");
    let mut apt_get = Command::new("apt-get");
    apt_get.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").env("LC_ALL", "C").stderr(Stdio::piped());
    let mut apt_get = apt_get.spawn().map_err(cannot)?;
    let mut said = String::new();
    for line in apt_get.stderr.take().into_iter().flat_map(|errors| BufReader::new(errors).lines()) {
        let line = line.map_err(cannot)?;
        if !is_held(&line) {
            eprintln!("{line}");
        }
        said.push_str(&line);
        said.push('\n');
    }
    Ok((apt_get.wait().map_err(cannot)?.success(), said))
}

/// Whether apt-get failed since another program holds a lock.
fn is_held(said: &str) -> bool {
    ["Could not get lock", "Unable to lock", "Unable to acquire the dpkg frontend lock"]
        .iter()
        .any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::is_held;

    #[test]
    fn a_held_lock_is_told_from_other_errors() {
        assert!(is_held("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"));
        assert!(is_held("E: Unable to lock the download directory"));
        assert!(!is_held("E: Unable to locate package no-such-package"));
    }
}
