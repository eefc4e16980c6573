//! Hostile programs under `run` and `record`: each must print and end as it does in a plain run.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::inputs::files;
use super::{Case, Kind, Launched};

/// Every program in every mode.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind { name: "programs/run", cases: 416, quick: 12, attempt: |case| compare_with_plain(case, &RUN) },
        Kind { name: "programs/record", cases: 104, quick: 4, attempt: |case| compare_with_plain(case, &RECORD) },
    ]
}

/// Heaps of every kind of structure, and every way that threads share them.
const RUN: [&[&str]; 8] = [
    &["run", "--heap", "tlsf word=8"],
    &["run", "--heap", "tlsf word=8 threads=each", "--check"],
    &["run", "--heap", "freelists(16..=1024 step 16) bins(log) word=8 threads=lists"],
    &["run", "--heap", "guard list(fit=best) word=8", "--sites"],
    &["run", "--heap", "lea-2.7.2", "--check"],
    &["run", "--heap", "phk", "--stats", "stats.json", "--signal", "USR2"],
    &["run", "--heap", "freelists(8..=512 step 8) tree(red-black) word=8 threads=lists", "--check"],
    &["run", "--heap", "buddy(knuth) word=8 threads=each", "--map-from", "64K"],
];

/// Ways to record.
const RECORD: [&[&str]; 2] = [&["record", "--out", "recorded"], &["record", "--out", "recorded", "--sites=16"]];

/// Runs one program plain and in one mode.
fn compare_with_plain(case: &mut Case<'_>, modes: &[&[&str]]) -> Result<usize, String> {
    let program = case.place.inputs.path("programs");
    let names = case.place.inputs.read("programs.txt")?;
    let names: Vec<&str> = std::str::from_utf8(&names).map_err(|error| error.to_string())?.lines().collect();
    // A quick trial, which tries a few, meets programs and modes of all kinds.
    let at = case.number * 31 % (names.len() * modes.len());
    let (name, mode) = (names[at % names.len()], modes[at / names.len()]);
    let plain = case.program(&program, &[name]).run()?;
    let words = mode.iter().map(std::ffi::OsStr::new).chain(["--".as_ref(), program.as_os_str(), name.as_ref()]);
    let hostile = case.heapsmith(&words.collect::<Vec<_>>()).within(120).run()?;
    ends_alike(&plain, &hostile)?;
    if mode[0] == "record" {
        recorded(case, name, &hostile)?;
    }
    Ok(1)
}

fn ends_alike(plain: &Launched, hostile: &Launched) -> Result<(), String> {
    if hostile.late || hostile.says("panicked at") {
        return Err(hostile.describe("did not end in time, or panicked"));
    }
    let wanted = plain.code.or(plain.signal.map(|signal| 128 + signal));
    if hostile.code != wanted {
        return Err(hostile.describe(&format!("did not end with {}, as the plain program does", wanted.unwrap_or(0))));
    }
    if hostile.out != plain.out {
        let (is, was) = (hostile.out.escape_ascii(), plain.out.escape_ascii());
        return Err(hostile.describe(&format!("printed {is} where the program prints {was}")));
    }
    Ok(())
}

/// Every process left a trace that can be read, unless it is said why not.
fn recorded(case: &Case<'_>, name: &str, hostile: &Launched) -> Result<(), String> {
    let traces: Vec<_> = files(&case.path("recorded")).into_iter().filter(|file| is_trace(file)).collect();
    if traces.is_empty() && hostile.err.is_empty() {
        return Err(hostile.describe(&format!("recorded nothing of {name}, and did not say so")));
    }
    for trace in traces.iter().take(3) {
        case.must_succeed(&["inspect".as_bytes(), trace.as_os_str().as_bytes()].map(std::ffi::OsStr::from_bytes))?;
    }
    Ok(())
}

fn is_trace(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "parquet")
}
