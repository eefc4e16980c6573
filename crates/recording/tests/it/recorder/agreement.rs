//! Programs that everybody has, recorded, and counted once more by Valgrind.
//!
//! Both replace the same functions, so the peak live bytes agree to the byte,
//! and so does the number of allocations. They agree for programs that allocate the same
//! whatever else runs. A program that copies its environment (a shell, Perl, git)
//! or sizes its heap by the machine's free memory (a compiler) allocates a little more or
//! less under either; such programs are recorded here and replayed, but not compared.

use std::collections::HashMap;
use std::ffi::OsString;
use std::process::Command;

use heapsmith_launch::Ended;
use heapsmith_recording::Remarks;

use super::programs::{Bench, words};

/// Peak live bytes, and number of allocations, as Valgrind sees them.
fn by_valgrind(command: &[OsString]) -> (u64, u64) {
    let output = Command::new("valgrind")
        .args(["--trace-malloc=yes", "--leak-check=no", "--run-libc-freeres=no", "--run-cxx-freeres=no"])
        .args(command)
        .output()
        .expect("valgrind: install the package valgrind");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut live, mut now, mut peak, mut allocations) = (HashMap::new(), 0, 0, 0);
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let Some((function, arguments, result)) = call(line) else { continue };
        let freed = match function {
            "free" | "realloc" => arguments[0],
            _ => 0,
        };
        if let Some(size) = live.remove(&freed) {
            now -= size;
        }
        let size = match function {
            "malloc" => arguments[0],
            "calloc" => arguments[0] * arguments[1],
            "realloc" | "memalign" => *arguments.last().expect("a size"),
            "free" => continue,
            other => panic!("{other} in {line}"),
        };
        allocations += u64::from(freed == 0);
        now += size;
        peak = now.max(peak);
        live.insert(result, size);
    }
    (peak, allocations)
}

/// `--1234-- calloc(0x0,3,8) = 0x4A2C040`: function, arguments, result.
fn call(line: &str) -> Option<(&str, Vec<u64>, u64)> {
    let (_, call) = line.strip_prefix("--")?.split_once("-- ")?;
    let (function, rest) = call.split_once('(')?;
    let (arguments, result) = rest.split_once(')')?;
    if !function.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return None;
    }
    let number = |text: &str| match text.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        // `memalign(al 16, size 40)` names its numbers.
        None => text.trim().rsplit(' ').next()?.parse().ok(),
    };
    let arguments = arguments.split(',').map(number).collect::<Option<Vec<u64>>>()?;
    let result = result.rsplit_once("= ").and_then(|(_, result)| number(result)).unwrap_or(0);
    Some((function, arguments, result))
}

fn agrees(command: &[&str]) {
    let (command, bench) = (words(command), Bench::new());
    assert_eq!(bench.run(&command), Ended::Code(0));
    let recorded = bench.only();
    assert_eq!((recorded.live_peak.0, recorded.allocations), by_valgrind(&command), "{command:?}");
    assert_eq!(recorded.remarks, Remarks::default());
}

/// A folder that is the same on every machine.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn sqlite_agrees_with_valgrind() {
    let script = "create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<2000) \
                  insert into t select x, x*x from c; select a%7, sum(b) from t group by 1;";
    agrees(&["sqlite3", ":memory:", script]);
}

#[test]
fn ls_agrees_with_valgrind() {
    agrees(&["ls", "-lR", SOURCES]);
}

#[test]
fn sort_agrees_with_valgrind() {
    agrees(&["sort", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
}

#[test]
fn tar_agrees_with_valgrind() {
    agrees(&["tar", "cf", "/dev/null", "-C", SOURCES, "spec"]);
}

#[test]
fn diff_agrees_with_valgrind() {
    agrees(&["diff", "-r", concat!(env!("CARGO_MANIFEST_DIR"), "/src"), concat!(env!("CARGO_MANIFEST_DIR"), "/src")]);
}

#[test]
fn a_compiler_and_an_interpreter_are_recorded_with_their_children() {
    let bench = Bench::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/count.c");
    let object = bench.path().join("object.o").display().to_string();
    assert_eq!(bench.run(&words(&["gcc", "-c", source, "-o", &object])), Ended::Code(0));
    let names: Vec<String> = bench.recorded().into_iter().map(|one| one.program).collect();
    assert!(names.iter().any(|name| name == "cc1") && names.len() >= 3, "{names:?}");
    let bench = Bench::new();
    let script =
        "import json, threading; [threading.Thread(target=json.dumps, args=([1, 2],)).start() for _ in range(3)]";
    assert_eq!(bench.run(&words(&["python3", "-c", script])), Ended::Code(0));
    let recorded = bench.recorded();
    let python = recorded.iter().find(|one| one.program.starts_with("python3")).expect("python's recording");
    assert_eq!(python.remarks, Remarks::default());
    assert!(python.threads >= 4 && python.allocations > 500);
}
