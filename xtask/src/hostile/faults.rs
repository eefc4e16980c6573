//! A file system that fails: every single call in its turn, then the same command again without a failure.
//!
//! ```text
//!   unfaulted run ──▶ what is wanted, how many calls there are
//!   call N fails  ──▶ an error that names a file and what to do, or the answer that is wanted
//!   again         ──▶ the answer that is wanted, to the byte; no part of a file is left
//! ```
//!
//! `xtask/hostile/faults.c` is preloaded and makes the calls fail: one alone with an input/output error, or all from the Nth
//! on, as on a full disk. A case has every [`STEP`]th call of one kind.

use std::path::{Path, PathBuf};

use super::inputs::{STORED, files};
use super::kills::rows;
use super::launched::{Launch, Launched};
use super::{Case, Kind};

/// What runs on a file system that fails.
pub fn kinds() -> Vec<Kind> {
    let cases = CALLS.len() * FAULTS.len() * STEP;
    let kind = |name, quick, attempt| Kind { name, cases, quick, attempt };
    vec![
        kind("faults/explore", 2, |case| faults(case, &EXPLORING)),
        kind("faults/import", 4, |case| faults(case, &IMPORTING)),
        kind("faults/emit", 4, |case| faults(case, &EMITTING)),
        kind("faults/report", 4, |case| faults(case, &REPORTING)),
        kind("faults/record", 4, |case| faults(case, &RECORDING)),
    ]
}

/// From a call that a case lets fail to the next.
const STEP: usize = 24;

/// Kinds of calls, the rare ones first.
const CALLS: [&str; 5] = ["rename", "sync", "open", "read", "write"];

/// Errors by number, and whether they last: a bad spot of a disk, a full disk.
const FAULTS: [(&str, &str); 2] = [("5", "0"), ("28", "1")];

/// What was made, each with a name.
type Made = Vec<(String, Vec<u8>)>;

/// A command, what it needs, and what it makes.
struct Way {
    inputs: &'static [&'static str],
    words: &'static [&'static str],
    /// The exit code without a fault.
    code: i32,
    /// What it made.
    made: fn(&Path) -> Result<Made, String>,
}

const EXPLORING: Way = Way {
    inputs: &["trace.parquet", "few.toml"],
    words: &["explore", "trace.parquet", "--space", "few.toml", "--rounds", "0", "--no-peers", "--out", "store"],
    code: 0,
    made: |folder| {
        let rows = rows(&folder.join("store"))?;
        Ok(rows.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect())
    },
};

const IMPORTING: Way = Way {
    inputs: &["small.pcap"],
    words: &["import", "small.pcap", "--as", "drr", "--out", "out.parquet"],
    code: 0,
    made: |folder| contents(folder, "out.parquet"),
};

const EMITTING: Way = Way {
    inputs: &STORED,
    words: &["emit", "store", "--lang", "c", "--out", "emitted"],
    code: 0,
    made: |folder| contents(folder, "emitted"),
};

const REPORTING: Way = Way {
    inputs: &STORED,
    words: &["report", "store", "--out", "page.html"],
    code: 0,
    made: |folder| contents(folder, "page.html"),
};

/// Times of a recording are those of the clock: that a recorded program is not disturbed is what is compared.
const RECORDING: Way = Way {
    inputs: &[],
    words: &["record", "--out", "recorded", "--", "sh", "-c", "echo ran; exit 6"],
    code: 6,
    made: |folder| {
        let recorded = files(&folder.join("recorded"));
        let whole = recorded.iter().filter(|file| file.extension().is_some_and(|end| end == "parquet")).count();
        Ok(vec![("recorded traces".to_owned(), whole.to_string().into_bytes())])
    },
};

/// The file of a name, or all below a folder of that name.
fn contents(folder: &Path, name: &str) -> Result<Made, String> {
    let path = folder.join(name);
    let found = if path.is_dir() { files(&path) } else { vec![path] };
    let read = |path: PathBuf| match std::fs::read(&path) {
        Ok(bytes) => Ok((path.strip_prefix(folder).unwrap_or(&path).display().to_string(), bytes)),
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    };
    found.into_iter().map(read).collect()
}

/// Every [`STEP`]th call of a kind fails, each in a run of its own.
fn faults(case: &mut Case<'_>, way: &Way) -> Result<usize, String> {
    let (call, rest) = (CALLS[case.number % CALLS.len()], case.number / CALLS.len());
    let (error, lasts) = FAULTS[rest % FAULTS.len()];
    let whole = folder(case, way, "whole")?;
    let first = launch(case, way, &whole).run()?;
    if first.code != Some(way.code) {
        return Err(first.describe("failed without a fault"));
    }
    let wanted = (way.made)(&whole)?;
    let mut tried = 0;
    for number in (rest / FAULTS.len() + 1..).step_by(STEP) {
        let folder = folder(case, way, &format!("fault-{number}"))?;
        let ledger = Ledger::new(case)?;
        let mut faulted = launch(case, way, &folder);
        faulted
            .environment("LD_PRELOAD", case.place.inputs.path("faults.so"))
            .environment("FAULTS_UNDER", &folder)
            .environment("FAULTS_CALL", call)
            .environment("FAULTS_AT", number.to_string())
            .environment("FAULTS_ERROR", error)
            .environment("FAULTS_LASTS", lasts)
            .environment("FAULTS_LEDGER", &ledger.path);
        let faulted = faulted.run()?;
        let Some(failed) = ledger.failed()? else { break };
        let place = format!("after call {number} to {call} failed with error {error}, on {}", failed.display());
        verify(way, &folder, &failed, &wanted, &faulted).map_err(|why| faulted.describe(&format!("{why} {place}")))?;
        let again = launch(case, way, &folder).run()?;
        if again.code != Some(way.code) || (way.code == 0 && (way.made)(&folder)? != wanted) {
            return Err(again.describe(&format!("gives another answer {place}")));
        }
        if let Some(part) = files(&folder).iter().find(|file| file.extension().is_some_and(|end| end == "part")) {
            return Err(again.describe(&format!("left {} {place}", part.display())));
        }
        let _ = std::fs::remove_dir_all(&folder);
        tried += 1;
    }
    Ok(tried)
}

/// A new folder with the inputs, as the kernel names it.
fn folder(case: &Case<'_>, way: &Way, name: &str) -> Result<PathBuf, String> {
    case.copy_to(name, way.inputs)?;
    let folder = case.path(name);
    let made = std::fs::create_dir_all(&folder).and_then(|()| folder.canonicalize());
    made.map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

fn launch(case: &Case<'_>, way: &Way, folder: &Path) -> Launch {
    let mut launch = case.heapsmith(way.words);
    launch.inside(folder).within(120);
    launch
}

/// What errors advise: a person has to know how to go on.
const ADVICE: [&str; 5] = ["choose ", "again", "make room", "is kept, for", "delete "];

/// Whether a run in which a call failed ended as it should.
fn verify(way: &Way, folder: &Path, failed: &Path, wanted: &Made, launched: &Launched) -> Result<(), String> {
    if launched.code == Some(way.code) {
        // The file was not needed, or its place was taken by another.
        let same = (way.made)(folder)? == *wanted;
        // The exit code of a recorded program is its own; that it was not recorded is said.
        let said = way.code != 0 && launched.says("recorded") && ADVICE.iter().any(|words| launched.says(words));
        return if same || said { Ok(()) } else { Err("gives another answer and no error".to_owned()) };
    }
    launched.is_documented().map_err(|why| format!("ended badly ({why})"))?;
    let name = failed.file_name().unwrap_or_default().to_string_lossy();
    // A part and a journal are named by the file that they are of.
    let out = way.words.iter().skip_while(|word| **word != "--out").nth(1).copied().unwrap_or_default();
    if !launched.says(&name) && !launched.says(out) {
        return Err("named no file".to_owned());
    }
    // Of an input there is nothing to say but what the system says.
    let is_input = way.inputs.iter().any(|input| folder.join(input) == failed);
    match launched.code == Some(4) && !is_input && !ADVICE.iter().any(|words| launched.says(words)) {
        true => Err("did not say what to do".to_owned()),
        false => Ok(()),
    }
}

/// What the processes of a run count, as `faults.c` has it.
struct Ledger {
    path: PathBuf,
}

impl Ledger {
    fn new(case: &Case<'_>) -> Result<Ledger, String> {
        let ledger = Ledger { path: case.path("ledger") };
        case.write("ledger", [0; 8192])?;
        Ok(ledger)
    }

    /// The path of the first call that failed, if one did.
    fn failed(&self) -> Result<Option<PathBuf>, String> {
        let bytes =
            std::fs::read(&self.path).map_err(|error| format!("cannot read {}: {error}", self.path.display()))?;
        let failed = bytes[8..16].iter().any(|&byte| byte > 0);
        let path = bytes[16..].split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(failed.then(|| PathBuf::from(String::from_utf8_lossy(path).into_owned())))
    }
}
