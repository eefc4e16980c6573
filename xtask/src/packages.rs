//! The distribution's package manager: one call for all packages, which waits until the lock is free.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{Outcome, is_there};

/// A package manager with the options of Debian's.
struct AptGet<'a> {
    program: &'a str,
    /// How long another program may hold the lock.
    patience: Duration,
    /// Between two attempts.
    pause: Duration,
}

/// The machine's own. An upgrade of a machine that was just started takes minutes.
const SYSTEM: AptGet<'_> =
    AptGet { program: "apt-get", patience: Duration::from_secs(15 * 60), pause: Duration::from_secs(2) };

/// Installs packages by their names in one call, whether they are there or not.
pub fn install(packages: &[&str]) -> Outcome {
    SYSTEM.update()?;
    SYSTEM.all_of(packages)
}

/// Installs those of `packages` that can be had, in one call; gives the others, each with why. What no package source has
/// is said before anything is installed.
pub fn install_some<'p>(packages: &[&'p str]) -> Vec<(&'p str, String)> {
    SYSTEM.install_some(packages)
}

impl AptGet<'_> {
    fn install_some<'p>(&self, packages: &[&'p str]) -> Vec<(&'p str, String)> {
        if packages.is_empty() {
            return Vec::new();
        }
        if !is_there(self.program) {
            let why = "only Debian's package manager is known to this command: install it by hand".to_owned();
            return packages.iter().map(|&package| (package, why.clone())).collect();
        }
        // Without new lists, those that are there may still have the packages.
        if let Err(why) = self.update() {
            eprintln!("xtask: the lists of packages may be old: {why}");
        }
        let (some, others): (Vec<&str>, Vec<&str>) =
            packages.iter().partition(|package| self.simulate(&[package]).is_ok());
        if !others.is_empty() {
            eprintln!("xtask: no package source has {}", others.join(", "));
        }
        let mut missing: Vec<(&str, String)> =
            others.into_iter().map(|package| (package, "no package source has it".to_owned())).collect();
        if !some.is_empty()
            && let Err(why) = self.all_of(&some)
        {
            missing.extend(some.into_iter().map(|package| (package, why.clone())));
        }
        missing
    }

    fn update(&self) -> Outcome {
        self.run(&["update", "--quiet"])
    }

    fn all_of(&self, packages: &[&str]) -> Outcome {
        self.run(&[&["install", "--quiet", "--yes", "--no-install-recommends"], packages].concat())
    }

    fn simulate(&self, packages: &[&str]) -> Outcome {
        let arguments = [&["install", "--simulate", "--quiet", "--quiet"], packages].concat();
        let output = Command::new(self.program).args(&arguments).output().map_err(|error| error.to_string())?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    }

    /// Runs it, again and again while another program holds a lock that it needs. There are three: of installing, which
    /// it can wait for, and of the lists and of the files that it loads, which it cannot.
    fn run(&self, arguments: &[&str]) -> Outcome {
        let began = Instant::now();
        let patience = format!("DPkg::Lock::Timeout={}", self.patience.as_secs());
        eprintln!("xtask: apt-get {}", arguments.join(" "));
        let mut waits = false;
        loop {
            let (succeeded, said) = self.attempt(&[&["-o", &patience], arguments].concat())?;
            if succeeded {
                return Ok(());
            }
            if !is_held(&said) || began.elapsed() > self.patience {
                return Err(format!("apt-get {} failed: {}", arguments.join(" "), said.trim()));
            }
            if !waits {
                eprintln!("xtask: another program holds the package manager's lock; waiting for it");
                waits = true;
            }
            sleep(self.pause);
        }
    }

    /// One call, and what it said on standard error, which is passed on.
    fn attempt(&self, arguments: &[&str]) -> Result<(bool, String), String> {
        let cannot = |error| format!("cannot run apt-get: {error}");
        let mut apt_get = Command::new(self.program);
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
}

/// Whether apt-get failed since another program holds a lock.
fn is_held(said: &str) -> bool {
    ["Could not get lock", "Unable to lock", "Unable to acquire the dpkg frontend lock"]
        .iter()
        .any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A package manager that notes how it was called, whose lock another program holds for two calls, and whose sources
    /// have all but `no-such-package`.
    const PLAYED: &str = r#"#!/bin/sh
cd "${0%/*}"
case "$*" in
--version) exit 0 ;;
*--simulate*no-such-package*) exit 100 ;;
*--simulate*) exit 0 ;;
esac
[ "$1" = -o ] && shift 2
echo "$*" >>calls
if [ "$1" = "$(cat locked 2>/dev/null)" ] && [ "$(grep -c "^$1" calls)" -le 2 ]; then
    echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt-get)" >&2
    exit 100
fi
"#;

    /// Installs `packages` while another program locks what `locked` does; gives what is missing, and the calls.
    fn installed<'p>(locked: &str, patience: Duration, packages: &[&'p str]) -> (Vec<(&'p str, String)>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("apt-get");
        fs::write(&program, PLAYED).expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        fs::write(folder.path().join("locked"), locked).expect("a file");
        // What another test starts meanwhile has the script open for writing until it is a program of its own.
        while Command::new(&program).arg("--version").status().is_err() {
            sleep(Duration::from_millis(1));
        }
        let program = program.display().to_string();
        let apt_get = AptGet { program: &program, patience, pause: Duration::ZERO };
        let missing = apt_get.install_some(packages);
        let calls = fs::read_to_string(folder.path().join("calls")).expect("it was called");
        (missing, calls.lines().map(str::to_owned).collect())
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn all_packages_are_installed_in_one_call_but_those_that_cannot_be_had() {
        let (missing, calls) = installed("", LONG, &["one", "no-such-package", "two"]);
        assert_eq!(missing, [("no-such-package", "no package source has it".to_owned())]);
        assert_eq!(calls, ["update --quiet", "install --quiet --yes --no-install-recommends one two"]);
    }

    #[test]
    fn a_held_lock_of_lists_or_packages_is_waited_for() {
        for locked in ["update", "install"] {
            let (missing, calls) = installed(locked, LONG, &["one"]);
            assert!(missing.is_empty(), "{missing:?}");
            assert_eq!(calls.iter().filter(|call| call.starts_with(locked)).count(), 3);
        }
    }

    #[test]
    fn a_lock_that_is_never_released_is_an_error_that_names_it() {
        let (missing, calls) = installed("install", Duration::ZERO, &["one"]);
        assert!(matches!(&missing[..], [("one", why)] if why.contains("Could not get lock")), "{missing:?}");
        assert_eq!(calls.len(), 2);
    }

    #[test]
    fn a_held_lock_is_told_from_other_errors() {
        assert!(is_held("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"));
        assert!(is_held("E: Unable to lock the download directory"));
        assert!(!is_held("E: Unable to locate package no-such-package"));
    }
}
