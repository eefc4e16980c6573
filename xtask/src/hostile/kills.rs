//! Processes killed in the middle, and what is left: an exploration resumes and ends with the same rows, an import is
//! whole or not there, a recording is a beginning.

use std::path::Path;
use std::time::{Duration, Instant};

use super::inputs::{EXPLORE, EXPLORED, files};
use super::launched::{Launch, signal};
use super::{Case, Kind};

/// What is killed.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind { name: "kills/explore", cases: 252, quick: 1, attempt: explore },
        Kind { name: "kills/import", cases: 40, quick: 1, attempt: import },
        Kind { name: "kills/record", cases: 100, quick: 1, attempt: record },
    ]
}

/// Kills of one case.
const KILLS: usize = 4;

/// Ways to explore, each of which has its own parts in the middle of which it can be killed.
const WAYS: [&[&str]; 12] = [
    &[],
    &["--jobs", "1"],
    &["--jobs", "8"],
    &["--prune"],
    &["--prune", "--jobs", "1"],
    &["--search", "halving"],
    &["--search", "halving", "--prune"],
    &["--compare-search", "--search", "halving"],
    &["--objectives", "fragmentation,accesses,min_region"],
    &["--holdout", "drr.parquet"],
    &["--perturb", "2"],
    &["--prefer", "memory", "--max-region", "1M"],
];

/// An exploration that is killed again and again ends with the rows of one that is not.
fn explore(case: &mut Case<'_>) -> Result<usize, String> {
    let way = WAYS[case.number % WAYS.len()];
    let launch = |case: &Case<'_>, folder: &Path| {
        let mut launch = case.heapsmith(&EXPLORE);
        launch.arguments(&["store"]).arguments(way).inside(folder).within(120);
        launch
    };
    case.copy_to("whole", &EXPLORED)?;
    let whole = case.path("whole");
    let began = Instant::now();
    let first = launch(case, &whole).run()?;
    let time = began.elapsed();
    if first.code != Some(0) {
        return Err(first.describe("failed without a kill"));
    }
    let wanted = rows(&whole.join("store"))?;
    let (mut kills, mut folders) = (0, 0);
    while kills < KILLS {
        folders += 1;
        let killed = format!("killed-{folders}");
        case.copy_to(&killed, &EXPLORED)?;
        let killed = case.path(killed);
        // Towards its end an exploration that resumes is shorter than the first: it then ends before it is killed.
        while kills < KILLS {
            let mut running = launch(case, &killed).start()?;
            if !running.runs_after(time.mul_f64(case.draw.f64()))? {
                running.wait()?.is_documented()?;
                break;
            }
            running.kill()?;
            kills += 1;
        }
        let last = launch(case, &killed).run()?;
        if last.code != Some(0) {
            return Err(last.describe(&format!("did not go on after {kills} kills")));
        }
        let found = rows(&killed.join("store"))?;
        for ((name, wanted), (_, found)) in wanted.iter().zip(&found) {
            if wanted != found {
                return Err(last.describe(&format!("has other rows in {name} after {kills} kills")));
            }
        }
    }
    Ok(kills)
}

/// What an exploration found: its files, and the rows of its store in an order of their own.
pub fn rows(store: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let mut all = Vec::new();
    for name in ["results.csv", "results.parquet"] {
        let path = store.join(name);
        all.push((name, std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?));
    }
    let mut sqlite = Launch::new("sqlite3", store);
    let dump = sqlite.arguments(&["results.sqlite", ".dump"]).run()?;
    if dump.code != Some(0) {
        return Err(dump.describe("cannot read the store"));
    }
    let mut lines: Vec<&[u8]> = dump.out.split(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    all.push(("results.sqlite", lines.join(&b'\n')));
    Ok(all)
}

/// An import that is killed leaves the whole file or none; the next one is as the first would have been.
fn import(case: &mut Case<'_>) -> Result<usize, String> {
    let words = ["import", "workload:random-half", "--set", "requests=30000", "--out", "out.parquet"];
    let began = Instant::now();
    case.must_succeed(&words)?;
    let time = began.elapsed();
    let out = case.path("out.parquet");
    let read = || std::fs::read(&out).map_err(|error| format!("cannot read {}: {error}", out.display()));
    let wanted = read()?;
    for _ in 0..KILLS {
        if case.draw.bool() {
            std::fs::remove_file(&out).map_err(|error| format!("cannot remove {}: {error}", out.display()))?;
        }
        let mut running = case.heapsmith(&words).start()?;
        if running.runs_after(time.mul_f64(case.draw.f64()))? {
            running.kill()?;
        }
        if out.exists() && read()? != wanted {
            return Err("a killed import left a part of its trace".to_owned());
        }
        case.must_succeed(&words)?;
        if read()? != wanted {
            return Err("an import after a kill gave another trace".to_owned());
        }
    }
    Ok(KILLS)
}

/// A recording that was killed is a beginning of what the program did, or it is refused; the next one is not disturbed.
fn record(case: &mut Case<'_>) -> Result<usize, String> {
    let program = case.place.inputs.path("programs");
    let mut words: Vec<&std::ffi::OsStr> = ["record", "--out", "recorded"].iter().map(std::ffi::OsStr::new).collect();
    if case.draw.bool() {
        words.push("--sites".as_ref());
    }
    words.extend(["--".as_ref(), program.as_os_str(), "counts".as_ref()]);
    let mut running = case.heapsmith(&words).start()?;
    running.runs_after(Duration::from_millis(case.draw.u64(1..400)))?;
    match case.draw.u8(..2) {
        // The command alone, and what it started when this goes; or all at once.
        0 => running.kill()?,
        _ => signal("KILL", running.id()),
    }
    drop(running);
    for (number, recording) in files(&case.path("recorded")).into_iter().enumerate() {
        let out = format!("{number}.csv");
        let recording = recording.to_string_lossy().into_owned();
        let imported = case.must_end_well(&["import", &recording, "--out", &out])?;
        if imported.code == Some(0) {
            let text =
                std::fs::read_to_string(case.path(&out)).map_err(|error| format!("cannot read {out}: {error}"))?;
            counts_on(&text).map_err(|why| imported.describe(&why))?;
        }
    }
    case.must_succeed(&["record", "--out", "recorded", "--", "true"])?;
    Ok(1)
}

/// Whether the sizes from 1000 on are those that `counts` asks for, none left out.
fn counts_on(csv: &str) -> Result<(), String> {
    let sizes =
        csv.lines().filter(|line| line.starts_with("allocate")).filter_map(|line| line.split(',').nth(2)?.parse().ok());
    let sizes: Vec<u64> = sizes.skip_while(|&size| size != 1000).collect();
    match sizes.iter().zip(0..).find(|&(&size, count)| size != 1000 + count % 5000) {
        None => Ok(()),
        Some((size, count)) => Err(format!("allocation {count} of the recording has {size} bytes")),
    }
}
