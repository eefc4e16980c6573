//! The chain of truth: what is explored, what is emitted and what runs are one heap with one set of numbers.
//!
//! ```text
//!   record ─▶ explore ─▶ pick ─┬─▶ emit: C, and a library ─▶ the program on it ─┐
//!                              └─▶ run: the program on it ─▶ counted ───────────┴─▶ recorded meanwhile ─▶ replayed
//! ```
//!
//! A program is a test. A recording that was made while the program ran on the heap replays to what the heap counted, to the
//! byte. The first recording cannot: a program that looks at its environment or at addresses asks for other bytes in every
//! run. So it holds within what several recordings differ by, or [`SAME`] where they agree by chance.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

use serde_json::Value;

/// A difference of runs that is none.
const SAME: f64 = 0.02;

/// Three pools, with and without lists and in both words: seconds on any of the recordings.
const SPACE: &str = "[[family]]\nname = \"small\"\n\
                     heap = [\"list(order=address, fit=best)\", \"tlsf\", \"bins(log)\"]\n\
                     [family.levels]\nfreelists = [0, 16]\nword = [4, 8]\n";

/// A program with a short input.
struct Program {
    command: Vec<OsString>,
    environment: &'static [(&'static str, &'static str)],
    /// Whether it writes to all that it asks for, as a replay does to measure pages. Others touch fewer: these run a second
    /// time on a heap that writes zeros to what it hands out.
    writes_all: bool,
}

fn command(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Whether a program is there; says so where it is not.
fn is_there(name: &str) -> bool {
    let there = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        println!("NOT RUN: there is no {name} here, and the chain of truth is not shown on it");
    }
    there
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn the_c_compiler_runs_on_the_heap_that_was_explored() {
    if !is_there("gcc") {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let function = |number: usize| {
        let length = number % 7 + 1;
        format!(
            "struct s{number} {{ int a[{length}]; struct s{number} *n; }};\n\
             int f{number}(struct s{number} *p, int x) {{\n  int r = 0;\n  for (; p; p = p->n)\n    \
             for (int i = 0; i < {length}; i++) r += p->a[i] * x + {number};\n  return r;\n}}\n"
        )
    };
    std::fs::write(dir.path().join("a.c"), (0..8).map(function).collect::<String>()).expect("a file");
    // The compiler proper, and not the program that starts it.
    let path = Command::new("gcc").arg("-print-prog-name=cc1").output().expect("gcc runs");
    let path = String::from_utf8_lossy(&path.stdout).trim().to_owned();
    let command = command(&[&path, "-quiet", "-O1", "a.c", "-o", "a.s"]);
    holds(dir.path(), &Program { command, environment: &[], writes_all: false });
}

#[test]
fn sqlite_runs_on_the_heap_that_was_explored() {
    const SQL: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000)
        INSERT INTO t SELECT i, 'row '||i||' of many', i*1.5 FROM n;
        CREATE INDEX tb ON t(b); SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%9%'; DELETE FROM t WHERE a%3=0;
        SELECT a.b FROM t a JOIN t b ON a.a=b.a+1 ORDER BY a.b DESC LIMIT 3;";
    if is_there("sqlite3") {
        let dir = tempfile::tempdir().expect("a folder");
        let command = command(&["sqlite3", ":memory:", SQL]);
        holds(dir.path(), &Program { command, environment: &[], writes_all: true });
    }
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn perl_runs_on_the_heap_that_was_explored() {
    const SCRIPT: &str = r#"my %h; for my $i (1..3000) { $h{"k$i"} = "v" x ($i % 97);
        delete $h{"k".int($i/2)} if $i % 3 == 0 } print scalar(keys %h), "\n""#;
    if is_there("perl") {
        let dir = tempfile::tempdir().expect("a folder");
        let command = command(&["perl", "-e", SCRIPT]);
        holds(dir.path(), &Program { command, environment: &[("PERL_HASH_SEED", "0")], writes_all: true });
    }
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn python_runs_on_the_heap_that_was_explored() {
    const PYTHON: &str = "/usr/bin/python3";
    const SCRIPT: &str = "d={i: str(i)*3 for i in range(1500)}; l=[[j for j in range(i%30)] for i in range(300)]; \
                          s=sorted(d.values()); print(len(s), sum(map(len,l)))";
    if is_there(PYTHON) {
        let dir = tempfile::tempdir().expect("a folder");
        let command = command(&[PYTHON, "-S", "-c", SCRIPT]);
        let environment = &[("PYTHONMALLOC", "malloc"), ("PYTHONHASHSEED", "0")];
        holds(dir.path(), &Program { command, environment, writes_all: true });
    }
}

#[test]
fn git_runs_on_the_heap_that_was_explored() {
    if is_there("git") {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, step) in [("x", 97), ("y", 89)] {
            let lines = (0..2000).map(|line| format!("line {line} {}\n", line * line % step));
            std::fs::write(dir.path().join(name), lines.collect::<String>()).expect("a file");
        }
        let command = command(&["git", "diff", "--no-index", "x", "y"]);
        holds(dir.path(), &Program { command, environment: &[], writes_all: false });
    }
}

fn holds(dir: &Path, program: &Program) {
    std::fs::write(dir.join("small.toml"), SPACE).expect("a file");
    let recordings = ["first", "second", "third"].map(|name| recorded(dir, program, name, None));
    answer(dir, &recordings[0]);
    let spec = emitted(dir);
    let promised = replayed(dir, &recordings[0], &spec, &["--pages"]);

    let counted = run(dir, program);
    assert_eq!(counted["heap"].as_str(), Some(&spec[..]), "the heap that ran");
    let deployed = replayed(dir, &trace(&dir.join("deployed")), &spec, &[]);
    let operations: u64 = ["allocations", "frees", "reallocations"].map(|key| number(&counted, key)).iter().sum();
    assert_eq!(operations, number(&deployed, "operations"));
    for (of_heap, of_replay) in [
        ("refused", "failed"),
        ("requested_peak", "requested_peak"),
        ("footprint_peak", "footprint_peak"),
        ("footprint_mean", "footprint_mean"),
    ] {
        assert_eq!(number(&counted, of_heap), number(&deployed, of_replay), "{of_replay}: {counted}");
    }

    let others = recordings.each_ref().map(|recording| replayed(dir, recording, &spec, &[]));
    for figure in ["operations", "requested_peak", "footprint_peak", "footprint_mean"] {
        let figures = others.each_ref().map(|other| number(other, figure) as f64);
        let spread = figures.into_iter().fold(0.0, f64::max) - figures.into_iter().fold(f64::INFINITY, f64::min);
        let (first, now) = (figures[0], number(&deployed, figure) as f64);
        assert!((now - first).abs() <= spread.max(SAME * first), "{figure}: {figures:?} recorded, {now} deployed");
    }

    let [mean, peak] = ["touched_mean", "touched_peak"].map(|key| number(&counted, key));
    assert!(operations < 10_000 || (mean > 0 && mean <= peak), "{mean} bytes in pages on average, {peak} at the peak");
    let share = |counted: u64| counted as f64 / number(&promised, "touched_pages") as f64;
    let own = share(peak);
    let whole = if program.writes_all { own } else { share(touched_when_zeroed(dir, program, &spec)) };
    let name = program.command[0].display();
    println!("{name}: {own:.3} of the pages that were promised, {whole:.3} where all is written");
    assert!(own <= 1.1 && (0.9..=1.1).contains(&whole), "{own} of the pages that were promised, {whole} written whole");

    let peak = on_emitted_library(dir, program);
    assert_eq!(peak, number(&replayed(dir, &trace(&dir.join("emitted")), &spec, &[]), "footprint_peak"));
}

fn heapsmith(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache"));
    command
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    // That files differ is what git's diff says with a 1.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {errors}");
    assert!(!errors.contains("did not run on the heap") && !errors.contains("itself was recorded"), "{errors}");
    output
}

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("{key}: {of}"))
}

/// The one trace in a folder of recordings.
fn trace(folder: &Path) -> PathBuf {
    let files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// Records the program, on `preload` where that is said.
fn recorded(dir: &Path, program: &Program, name: &str, preload: Option<&str>) -> PathBuf {
    let mut command = heapsmith(dir);
    command.args(["record", "-o", name, "--"]).args(&program.command).envs(program.environment.iter().copied());
    preload.into_iter().for_each(|preload| {
        command.env("LD_PRELOAD", preload);
    });
    succeeded(&mut command);
    trace(&dir.join(name))
}

/// Explores until the answer is known; what would come after it is interrupted, and the answer stays.
fn answer(dir: &Path, recording: &Path) {
    let mut command = heapsmith(dir);
    command.arg("explore").arg(recording);
    command.args(["--target", "host", "--space", "small.toml", "--rounds", "0", "--no-peers", "-o", "explored"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the command starts");
    let mut output = child.stdout.take().expect("its output");
    output.read_exact(&mut [0]).expect("an answer");
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    output.read_to_end(&mut Vec::new()).expect("its output");
    child.wait().expect("it ends");
}

/// Emits the pick as C and as a library; its spec, which is in both.
fn emitted(dir: &Path) -> String {
    let specs = ["c", "so"].map(|lang| {
        let output = succeeded(heapsmith(dir).args(["emit", "explored", "--lang", lang, "-o", lang]));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let spec = errors.lines().find_map(|line| line.split_once("the pick of explored: ")).expect("the pick").1;
        let header = std::fs::read_to_string(dir.join(lang).join("my_heap.h")).expect("a header");
        let header = header.split_whitespace().filter(|word| *word != "*").collect::<Vec<_>>().join(" ");
        assert!(header.contains(spec), "{spec}: {header}");
        spec.to_owned()
    });
    assert_eq!(specs[0], specs[1]);
    specs[0].clone()
}

fn replayed(dir: &Path, recording: &Path, spec: &str, more: &[&str]) -> Value {
    let mut command = heapsmith(dir);
    command.arg("replay").arg(recording).args(["--heap", spec, "--format", "json"]).args(more);
    let rows: Value = serde_json::from_slice(&succeeded(&mut command).stdout).expect("JSON");
    rows[0].clone()
}

/// Runs the program on the pick, recorded meanwhile; what the heap counted.
fn run(dir: &Path, program: &Program) -> Value {
    // The first run of all may compile the library, and says so.
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        drop(succeeded(heapsmith(dir).args(["run", "--heap", "list", "--library", "built-in", "--", "true"])))
    });
    let mut command = heapsmith(dir);
    command.args(["run", "--heap", "explored", "--stats", "stats.json", "--record", "deployed", "--"]);
    let output = succeeded(command.args(&program.command).envs(program.environment.iter().copied()));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let head = told.lines().find(|line| line.starts_with("measure")).unwrap_or_else(|| panic!("a table: {told}"));
    assert!(head.contains("promised") && head.contains("counted"), "{told}");
    serde_json::from_slice(&std::fs::read(dir.join("stats.json")).expect("statistics")).expect("JSON")
}

/// The pages that the program touches on the heap where every block is written whole.
fn touched_when_zeroed(dir: &Path, program: &Program, spec: &str) -> u64 {
    let mut command = heapsmith(dir);
    command.args(["run", "--heap", &format!("zero {spec}"), "--stats", "zeroed.json", "--"]);
    succeeded(command.args(&program.command).envs(program.environment.iter().copied()));
    let text = std::fs::read(dir.join("zeroed.json")).expect("statistics");
    number(&serde_json::from_slice(&text).expect("JSON"), "touched_peak")
}

/// Runs the program on the emitted library, recorded meanwhile; the highest footprint as the library says.
fn on_emitted_library(dir: &Path, program: &Program) -> u64 {
    const PROBE: &str = "
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        size_t my_heap_malloc_footprint_peak(void);
        __attribute__((destructor)) static void tell(void)
        {
            char text[32], path[4096];
            const int length = snprintf(text, sizeof text, \"%zu\", my_heap_malloc_footprint_peak());
            (void)snprintf(path, sizeof path, \"%s-%d\", PATH, (int)getpid());
            const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            (void)!write(file, text, (size_t)length);
            (void)close(file);
        }";
    std::fs::write(dir.join("probe.c"), PROBE).expect("a file");
    let path = format!("-DPATH=\"{}\"", dir.join("peak").display());
    let cc = ["-shared", "-fPIC", "-o", "probe.so", "probe.c", &path];
    succeeded(Command::new("cc").args(cc).current_dir(dir));
    let [probe, library] = ["probe.so", "so/libmy_heap.so"].map(|name| dir.join(name).display().to_string());
    // The command that records runs on the library too; the name of the trace ends with the number of the program's process.
    let trace = recorded(dir, program, "emitted", Some(&format!("{probe}:{library}")));
    let name = trace.file_stem().expect("a name").to_string_lossy().into_owned();
    let (_, process) = name.rsplit_once('-').expect("a process");
    let text = std::fs::read_to_string(dir.join(format!("peak-{process}"))).expect("the probe wrote");
    text.parse().expect("a number")
}
