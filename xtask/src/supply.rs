//! `cargo xtask supply`: the code of others that is built in, and whether what is handed out can be built again.
//!
//! | part | what |
//! |---|---|
//! | deny | licences, sources, banned and doubled crates by cargo-deny, after `deny.toml` |
//! | advisories | known faults of the crates, by cargo-audit and a copy of RustSec's database whose date is printed |
//! | bill | `target/dist/heapsmith.cdx.json`: a bill of materials of the command, by cargo-cyclonedx |
//! | twice | the command built in two folders: the same bytes |

use std::path::{Path, PathBuf};

use crate::dist;
use crate::run::{Outcome, cargo, output, root, run, run_with, target};
use crate::tools;

/// Where advisories come from.
const DATABASE: &str = "https://github.com/RustSec/advisory-db";

/// The versions that are installed: of the registry, built in minutes.
const DENY: &str = "0.20.2";
const AUDIT: &str = "0.22.2";
const CYCLONEDX: &str = "0.5.9";

/// Which parts, and with which advisories.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// One part alone
    part: Option<Part>,
    /// A clone of RustSec's database [default: it is cloned]
    #[arg(long, value_name = "DIR")]
    advisories: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Licences, sources, banned and doubled crates
    Deny,
    /// Known faults of the crates
    Advisories,
    /// A bill of materials of the command
    Bill,
    /// The command built twice: the same bytes
    Twice,
}

/// Does all of it; a part that fails does not stop those after it.
pub fn supply(arguments: &Arguments) -> Outcome {
    let parts = [Part::Deny, Part::Advisories, Part::Bill, Part::Twice];
    let wanted = parts.into_iter().filter(|&part| arguments.part.is_none_or(|only| only == part));
    let mut failed = Vec::new();
    for part in wanted {
        let outcome = match part {
            Part::Deny => deny(&["licenses", "bans", "sources"]),
            Part::Advisories => advisories(arguments.advisories.as_deref()),
            Part::Bill => bill().map(drop),
            Part::Twice => twice(),
        };
        if let Err(why) = outcome {
            failed.push(format!("{part:?}: {why}"));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// A program of a crate, installed into the target folder if it is not there.
fn installed(name: &str, version: &str) -> Result<PathBuf, String> {
    let folder = target().join("tools").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.exists() {
        let to = folder.display().to_string();
        cargo(&["install", "--quiet", "--locked", "--root", &to, name, "--version", version])?;
    }
    Ok(program)
}

fn deny(what: &[&str]) -> Outcome {
    let program = installed("cargo-deny", DENY)?.display().to_string();
    run(&program, &[&["--locked", "check"], what].concat())
}

/// Looks for known faults in a copy of the database.
fn advisories(copy: Option<&Path>) -> Outcome {
    let folder = target().join("advisories");
    let clone = folder.join("copy");
    let from = copy.map_or_else(|| DATABASE.to_owned(), |copy| copy.display().to_string());
    if clone.exists() {
        std::fs::remove_dir_all(&clone).map_err(|error| format!("cannot empty {}: {error}", clone.display()))?;
    }
    let cloned = clone.display().to_string();
    output("git", &["clone", "--quiet", &from, &cloned])
        .map_err(|why| format!("NOT RUN: the database cannot be cloned; --advisories DIR names a copy of it: {why}"))?;
    let date = output("git", &["-C", &cloned, "log", "-1", "--format=%cs %h"])?;
    eprintln!("xtask: advisories as of {}", date.trim());
    let program = installed("cargo-audit", AUDIT)?.display().to_string();
    run(&program, &["audit", "--db", &cloned, "--no-fetch", "--stale", "--deny", "unsound"])
}

/// Writes what the command is made of.
fn bill() -> Result<PathBuf, String> {
    let program = installed("cargo-cyclonedx", CYCLONEDX)?.display().to_string();
    let name = "heapsmith.cdx";
    let manifest = root().join("crates/cli/Cargo.toml").display().to_string();
    // The same commit gives the same bytes.
    let time = output("git", &["log", "-1", "--format=%ct"])?;
    let environment = [("SOURCE_DATE_EPOCH", time.trim())];
    let arguments = ["cyclonedx", "--manifest-path", &manifest, "--format", "json", "--describe", "binaries"];
    let only = ["--features", "carry", "--target", dist::MUSL, "--override-filename", name];
    run_with(&program, &environment, &[&arguments[..], &only].concat())?;
    let (made, kept) =
        (root().join("crates/cli").join(format!("{name}.json")), target().join("dist/heapsmith.cdx.json"));
    std::fs::create_dir_all(target().join("dist")).map_err(|error| format!("cannot make target/dist: {error}"))?;
    std::fs::rename(&made, &kept).map_err(|error| format!("cannot move {}: {error}", made.display()))?;
    eprintln!("xtask: {} lists what the command is made of", kept.display());
    Ok(kept)
}

/// Builds the command of this commit in two folders, and compares.
fn twice() -> Outcome {
    tools::install(&[tools::CC, tools::MUSL])?;
    let made = ["one", "another/deeper"].map(|name| -> Result<Vec<u8>, String> {
        let sources = target().join("twice").join(name);
        if sources.exists() {
            std::fs::remove_dir_all(&sources)
                .map_err(|error| format!("cannot empty {}: {error}", sources.display()))?;
        }
        let (from, to) = (root().display().to_string(), sources.display().to_string());
        output("git", &["clone", "--quiet", &from, &to])?;
        let command = dist::built(&sources, &sources.join("target"))?;
        std::fs::read(&command).map_err(|error| format!("cannot read {}: {error}", command.display()))
    });
    let [one, another] = made;
    let (one, another) = (one?, another?);
    let different = one.iter().zip(&another).filter(|(one, another)| one != another).count();
    if one.len() != another.len() || different > 0 {
        let why = format!("{} and {} bytes, of which {different} differ", one.len(), another.len());
        return Err(format!("two builds of one commit differ: {why}: {}", target().join("twice").display()));
    }
    eprintln!("xtask: two builds in two folders have the same {} bytes", one.len());
    Ok(())
}
