//! `cargo xtask supply`: the code of others that is built in, and whether what is handed out can be built again.
//!
//! | part | what |
//! |---|---|
//! | deny | licences, sources, banned and doubled crates by cargo-deny, after `deny.toml` |
//! | advisories | known faults of the crates, by cargo-deny and a copy of RustSec's database whose date is printed |
//! | bill | `target/dist/heapsmith.cdx.json`: a bill of materials of the command, by cargo-cyclonedx |
//! | twice | the command built in two folders: the same bytes |

use std::path::{Path, PathBuf};

use crate::dist;
use crate::run::{Outcome, cargo, output, root, run, run_with, target};
use crate::tools;

/// Where advisories come from.
const DATABASE: &str = "https://github.com/RustSec/advisory-db";

/// What cargo-deny calls its clone of it.
const CLONE: &str = "advisory-db-3157b0e258782691";

/// The versions that are installed: of the registry, built in minutes.
const DENY: &str = "0.20.2";
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
            Part::Bill => bill(),
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

/// Looks for known faults in a copy of the database, which is put where cargo-deny would clone it to.
fn advisories(copy: Option<&Path>) -> Outcome {
    let folder = root().join("target/advisories");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    let from = copy.map_or_else(|| DATABASE.to_owned(), |copy| copy.display().to_string());
    let clone = folder.join(CLONE).display().to_string();
    output("git", &["clone", "--quiet", &from, &clone])
        .map_err(|why| format!("NOT RUN: the database cannot be cloned; --advisories DIR names a copy of it: {why}"))?;
    let date = output("git", &["-C", &clone, "log", "-1", "--format=%cs, commit %h"])?;
    eprintln!("xtask: advisories as of {}", date.trim());
    let program = installed("cargo-deny", DENY)?.display().to_string();
    run(&program, &["--locked", "--offline", "check", "advisories"])
}

/// Writes what the command of this commit is made of. The tool writes into every crate's folder, and names places on this
/// machine: so it is given a clone, whose place is taken out of what it wrote.
fn bill() -> Outcome {
    let program = installed("cargo-cyclonedx", CYCLONEDX)?.display().to_string();
    let sources = clone("bill")?;
    let manifest = sources.join("crates/cli/Cargo.toml");
    let manifest_name = manifest.display().to_string();
    // The same commit gives the same bytes.
    let time = output("git", &["log", "-1", "--format=%ct"])?;
    let arguments =
        ["cyclonedx", "--quiet", "--manifest-path", &manifest_name, "--format", "json", "--spec-version", "1.5"];
    let only = ["--features", "carry", "--target", dist::MUSL, "--override-filename", "heapsmith.cdx"];
    run_with(&program, &[("SOURCE_DATE_EPOCH", time.trim())], &[&arguments[..], &only].concat())?;
    let made = manifest.with_file_name("heapsmith.cdx.json");
    let text = std::fs::read_to_string(&made).map_err(|error| format!("cannot read {}: {error}", made.display()))?;
    let text = text.replace(&sources.display().to_string(), "/heapsmith");
    let kept = target().join("dist/heapsmith.cdx.json");
    std::fs::create_dir_all(target().join("dist")).map_err(|error| format!("cannot make target/dist: {error}"))?;
    std::fs::write(&kept, text).map_err(|error| format!("cannot write {}: {error}", kept.display()))?;
    eprintln!("xtask: {} lists what the command is made of", kept.display());
    Ok(())
}

/// A clone of this commit in a folder below the target folder.
fn clone(name: &str) -> Result<PathBuf, String> {
    let sources = target().join("supply").join(name);
    if sources.exists() {
        std::fs::remove_dir_all(&sources).map_err(|error| format!("cannot empty {}: {error}", sources.display()))?;
    }
    output("git", &["clone", "--quiet", &root().display().to_string(), &sources.display().to_string()])?;
    Ok(sources)
}

/// Builds the command of this commit in two folders, and compares.
fn twice() -> Outcome {
    tools::install(&[tools::CC, tools::MUSL])?;
    let made = ["one", "another/deeper"].map(|name| -> Result<Vec<u8>, String> {
        let sources = clone(name)?;
        let command = dist::built(&sources, &sources.join("target"))?;
        std::fs::read(&command).map_err(|error| format!("cannot read {}: {error}", command.display()))
    });
    let [one, another] = made;
    let (one, another) = (one?, another?);
    let different = one.iter().zip(&another).filter(|(one, another)| one != another).count();
    if one.len() != another.len() || different > 0 {
        let why = format!("{} and {} bytes, of which {different} differ", one.len(), another.len());
        return Err(format!("two builds of one commit differ: {why}: {}", target().join("supply").display()));
    }
    eprintln!("xtask: two builds in two folders have the same {} bytes", one.len());
    Ok(())
}
