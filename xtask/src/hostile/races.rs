//! Two at once in one place: each gives its own answer, or says that the other is there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::inputs::{EXPLORE, EXPLORED, files};
use super::kills::rows;
use super::{Case, Kind, Launched};

/// What may be there twice.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind { name: "races/explore", cases: 40, quick: 1, attempt: explore },
        Kind { name: "races/goals", cases: 40, quick: 1, attempt: goals },
        Kind { name: "races/record", cases: 40, quick: 1, attempt: record },
        Kind { name: "races/read", cases: 40, quick: 1, attempt: read },
        Kind { name: "races/import", cases: 40, quick: 1, attempt: import },
        Kind { name: "races/libraries", cases: 20, quick: 1, attempt: libraries },
    ]
}

/// Starts all of these, each a little after the one before, and waits for all.
fn at_once<S: AsRef<std::ffi::OsStr>>(case: &mut Case<'_>, commands: &[Vec<S>]) -> Result<Vec<Launched>, String> {
    let mut running = Vec::new();
    for words in commands {
        running.push(case.heapsmith(words).within(120).start()?);
        std::thread::sleep(Duration::from_millis(case.draw.u64(..100)));
    }
    running.into_iter().map(|running| running.wait()).collect()
}

/// Two or three explorers with one command in one folder: who succeeds has the right rows, who does not says why.
fn explore(case: &mut Case<'_>) -> Result<usize, String> {
    case.copy(&EXPLORED)?;
    let words = [&EXPLORE[..], &["store"]].concat();
    let commands = vec![words.clone(); case.draw.usize(2..=3)];
    for launched in at_once(case, &commands)? {
        done_or_refused(&launched)?;
    }
    case.must_succeed(&words)?;
    let (wanted, found) = (rows(&case.place.inputs.path("store"))?, rows(&case.path("store"))?);
    match wanted.iter().zip(&found).find(|(wanted, found)| wanted != found) {
        None => Ok(commands.len()),
        Some(((name, _), _)) => Err(format!("explorers of one folder left other rows in {name}")),
    }
}

/// Two explorers that want different things in one folder: none prints the other's answer.
fn goals(case: &mut Case<'_>) -> Result<usize, String> {
    case.copy(&EXPLORED)?;
    let goal = |folder: &str, objectives: &str, more: &[&str]| {
        let words = [&EXPLORE[..], &[folder, "--format", "csv", "--objectives", objectives], more].concat();
        words.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let commands = |first, second| {
        vec![goal(first, "fragmentation,accesses", &[]), goal(second, "fragmentation,max", &["--prune"])]
    };
    let mut wanted = Vec::new();
    for words in commands("first", "second") {
        wanted.push(case.must_succeed(&words)?.out);
    }
    for (launched, wanted) in at_once(case, &commands("both", "both"))?.iter().zip(&wanted) {
        done_or_refused(launched)?;
        if launched.code == Some(0) && launched.out != *wanted {
            return Err(launched.describe("gave another answer while another explorer ran"));
        }
    }
    Ok(2)
}

/// Succeeded, or refused by what the environment is like.
fn done_or_refused(launched: &Launched) -> Result<(), String> {
    launched.is_documented()?;
    match launched.code {
        Some(0) => Ok(()),
        Some(4) if !launched.says("already exists") && !launched.says("No such file") => Ok(()),
        _ => Err(launched.describe("neither succeeded nor said that another is there")),
    }
}

/// Two recordings of one program at once, into the same folder: both succeed, each with its traces.
fn record(case: &mut Case<'_>) -> Result<usize, String> {
    let program = case.place.inputs.path("programs").to_string_lossy().into_owned();
    let folder: &[&str] = if case.draw.bool() { &["--out", "recorded"] } else { &[] };
    let words = [&["record"], folder, &["--", &program, "fork_storm"]].concat();
    for launched in at_once(case, &[words.clone(), words])? {
        if launched.code != Some(0) || launched.out != b"12\n" {
            return Err(launched.describe("did not record a program that succeeds, while another recording ran"));
        }
    }
    // The program, and forty-eight processes that it starts.
    let (traces, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files(case.folder()).into_iter().partition(|file| is_trace(file));
    if traces.len() != 2 * 49 || !others.is_empty() {
        return Err(format!("two recordings of 49 processes each left {} traces and {others:?}", traces.len()));
    }
    Ok(2)
}

fn is_trace(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "parquet")
}

/// Readers while an explorer runs: they read the results, or say that there are none yet.
fn read(case: &mut Case<'_>) -> Result<usize, String> {
    case.copy(&EXPLORED)?;
    let readers: [&[&str]; 3] = [
        &["report", "store", "--out", "page.html"],
        &["emit", "store", "--lang", "c", "--out", "emitted"],
        &["run", "--heap", "store", "--", "true"],
    ];
    let explore = [&EXPLORE[..], &["store"]].concat();
    let commands = [explore.clone(), case.choose(&readers).to_vec(), case.choose(&readers).to_vec(), explore];
    for launched in at_once(case, &commands)? {
        launched.is_documented()?;
    }
    Ok(commands.len())
}

/// Two imports into one file: it is whole.
fn import(case: &mut Case<'_>) -> Result<usize, String> {
    case.copy(&EXPLORED)?;
    let from = |size: &str| {
        ["import", "workload:random-half", "--set", size, "--out", "out.parquet"].map(str::to_owned).to_vec()
    };
    let commands = [from("requests=20000"), from("requests=30000"), from("requests=20000")];
    for launched in at_once(case, &commands)? {
        done_or_refused(&launched)?;
    }
    case.must_succeed(&["inspect", "out.parquet"])?;
    let left: Vec<PathBuf> = files(case.folder()).into_iter().filter(|file| !is_trace(file)).collect();
    match left.iter().find(|file| file.extension().is_none_or(|ending| ending != "toml")) {
        None => Ok(commands.len()),
        Some(file) => Err(format!("imports into one file left {}", file.display())),
    }
}

/// The first three runs of a user, at once: each finds the library, or puts it there.
fn libraries(case: &mut Case<'_>) -> Result<usize, String> {
    let cache = case.path("cache");
    let mut running = Vec::new();
    for verb in [&["run", "--heap", "tlsf"][..], &["record"], &["run", "--heap", "tlsf"], &["record", "--out", "other"]]
    {
        let words = [verb, &["--", "sh", "-c", "echo ran; exit 6"]].concat();
        running.push(case.heapsmith(&words).environment("XDG_CACHE_HOME", &cache).start()?);
    }
    let count = running.len();
    for running in running {
        let launched = running.wait()?;
        if launched.code != Some(6) || launched.out != b"ran\n" {
            return Err(launched.describe("did not start a program while others put the library there"));
        }
    }
    Ok(count)
}
