//! `heapsmith record` of programs that run for long: one block in N, and traces that follow each other.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn heapsmith(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("COLUMNS", "1000").env("XDG_CACHE_HOME", dir.join("cache"));
    command
}

fn run(dir: &Path, arguments: &[&str]) -> Output {
    heapsmith(dir).args(arguments).output().expect("the command runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// One of the programs that recordings are tested with, as PROGRAM of the folder.
fn compile(dir: &Path, name: &str) {
    let source = format!("{}/../recording/tests/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let options = ["-O1", "-g", "-pthread", "-fno-builtin", "-w", "-o", name];
    let compiled = Command::new("cc").args(options).arg(source).current_dir(dir).status();
    assert!(compiled.expect("install build-essential").success());
}

/// The traces below a folder, in the order of their names.
fn traces(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("a folder").flatten().map(|entry| entry.path().display().to_string());
    let mut found: Vec<String> = entries.filter(|path| path.ends_with(".parquet")).collect();
    found.sort();
    found
}

/// A folder with a recording of one block in 16 of a program that leaks 100,000 of 200,000 blocks.
fn sampled() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder");
    compile(dir.path(), "leaks");
    let output = run(dir.path(), &["record", "--sample", "16", "--sites", "-o", "out", "--", "./leaks"]);
    let said = errors(&output);
    assert!(output.status.success() && said.contains("one block in 16 was recorded"), "{said}");
    assert!(said.lines().last().is_some_and(|next| next.trim().starts_with("heapsmith inspect out/leaks-")), "{said}");
    let trace = traces(&dir.path().join("out")).remove(0);
    (dir, trace)
}

#[test]
fn a_sample_is_shown_as_what_is_to_be_expected_of_the_program() {
    let (dir, trace) = sampled();
    let near = |found: &serde_json::Value, exact: f64| {
        let found = found.as_f64().expect("a number");
        assert!((found - exact).abs() < exact * 0.15, "{found}, and not about {exact}");
    };
    let shown = run(dir.path(), &["inspect", &trace]);
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(text.contains("\none block in 16 was recorded: counts and bytes are estimates"), "{text}");
    assert!(text.contains("\nabout ") && text.contains("blocks never freed, with a standard error of "), "{text}");
    assert!(text.contains(" blocks never freed, by main (leaks.c:"), "{text}");
    let rows = |more: &[&str]| -> serde_json::Value {
        let output = run(dir.path(), &[&["inspect", &trace, "--format", "json"], more].concat());
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let sites = rows(&["--sites"]);
    // Those that were reallocated have most bytes.
    near(&sites[0]["blocks_never_freed"], 20_000.0);
    near(&sites[1]["blocks_never_freed"], 80_000.0);
    assert_eq!(sites[0]["sampled"], 16);
    let sizes = rows(&[]);
    let requests: f64 = sizes.as_array().expect("rows").iter().filter_map(|row| row["requests"].as_f64()).sum();
    near(&requests.into(), 220_000.0);
    // A part of it is one of a sample, too, and so is a copy.
    let copied = run(dir.path(), &["import", &trace, "--limit", "5000", "-o", "part.parquet"]);
    assert!(copied.status.success(), "{}", errors(&copied));
    let part = run(dir.path(), &["inspect", "part.parquet"]);
    let part = String::from_utf8_lossy(&part.stdout);
    assert!(part.contains("sample=16\n") && part.contains("\nabout 80,000 allocations"), "{part}");
    let page = run(dir.path(), &["inspect", &trace, "--html", "page.html"]);
    assert!(page.status.success(), "{}", errors(&page));
    let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
    assert!(page.contains("One block in 16 was recorded"));
}

#[test]
fn a_sample_is_not_taken_for_all_that_a_program_asked_for() {
    let (dir, trace) = sampled();
    std::fs::write(
        dir.path().join("check.toml"),
        format!("[trace.leaks]\nfile = {trace:?}\n[heap.one]\nspec = \"list\"\n[[assert]]\nmeasure = \"footprint_peak\"\nmax = \"1G\"\n"),
    )
    .expect("a file");
    for arguments in [
        &["replay", &trace, "--heap", "list"][..],
        &["replay", &trace, "--heap", "list", "--threaded"],
        &["replay", &trace, "--heap", "peer:libc(top_pad=0)", "--pace", "0"],
        &["explore", &trace, "-o", "answer"],
        &["explore", &trace, "--space", "knobs", "--peer", "libc", "--pace", "0", "-o", "knobs"],
        &["check", "check.toml"],
        &["plan", &trace, "-o", "plan"],
        &["emit", "list", "--lang", "c", "--trace", &trace, "-o", "c"],
        &["inspect", &trace, "--lower-bound"],
        &["inspect", &trace, "--classes", "4"],
    ] {
        let output = run(dir.path(), arguments);
        let said = errors(&output);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
        let why = "one block in 16 was recorded. What lies between those is not known";
        assert!(
            said.contains(why) && said.contains("Record it without --sample to replay it"),
            "{arguments:?}: {said}"
        );
    }
    for (arguments, why) in [
        (&["import", &trace, "-o", "out.csv"][..], "write a .parquet file"),
        (&["import", &trace, "-o", "out.rep"], "write a .parquet file"),
        (&["inspect", &trace, "--copies", "3"], "leave out --jitter, --stretch, --shuffle, --copies and --gc-every"),
    ] {
        let output = run(dir.path(), arguments);
        assert!(output.status.code() == Some(3) && errors(&output).contains(why), "{arguments:?}: {}", errors(&output));
    }
    assert!(
        ["answer", "knobs", "plan", "c", "out.csv", "out.rep"].iter().all(|out| !dir
            .path()
            .join(out)
            .join("x")
            .exists())
    );
    let output = run(dir.path(), &["record", "--sample", "16", "--java", "--", "java"]);
    assert!(output.status.code() == Some(2) && errors(&output).contains("leave out --sample"), "{}", errors(&output));
    let output = run(dir.path(), &["record", "--sample", "1", "--", "ls"]);
    assert!(output.status.code() == Some(2) && errors(&output).contains("from 2 to 1000000"), "{}", errors(&output));
}

/// The functions of the program pool.
const OWN: &str =
    "pool_malloc,pool_calloc,pool_realloc,pool_reallocarray,pool_free,pool_memalign,pool_valloc,pool_posix_memalign";

#[test]
fn own_functions_and_a_program_that_runs_already_are_sampled_too() {
    let dir = tempfile::tempdir().expect("a folder");
    compile(dir.path(), "pool");
    let output = run(dir.path(), &["record", "--sample", "4", "--symbols", OWN, "-o", "own", "--", "./pool"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(!errors(&output).contains("left out: "), "every end is of a block that was recorded: {}", errors(&output));
    compile(dir.path(), "exchange");
    let mut program =
        Command::new(dir.path().join("exchange")).stdout(std::process::Stdio::null()).spawn().expect("it starts");
    let process = program.id().to_string();
    let output = run(dir.path(), &["record", "--pid", &process, "--sample", "8", "--for", "1s", "-o", "pid"]);
    let ended = program.kill().and_then(|()| program.wait());
    assert!(output.status.success() && ended.is_ok(), "{}", errors(&output));
    for folder in ["own", "pid"] {
        let trace = traces(&dir.path().join(folder)).remove(0);
        let shown = run(dir.path(), &["inspect", &trace]);
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(
            text.contains("\nabout ") && !text.contains("about 0 allocations"),
            "{folder}: {text}{}",
            errors(&shown)
        );
    }
}

/// A program that exchanges blocks between threads until a signal ends it, recorded in parts.
fn rotating(dir: &Path, options: &[&str]) -> Child {
    compile(dir, "exchange");
    let mut command = heapsmith(dir);
    command.args(["record", "--rotate", "1M", "-o", "out", "--format", "json"]).args(options);
    command.args(["--", "./exchange", "4"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Waits for a trace of this number, and gives the number of its process.
fn await_part(dir: &Path, number: u32) -> String {
    let until = Instant::now() + Duration::from_secs(60);
    let end = format!(".{number}.parquet");
    loop {
        let found = if dir.is_dir() { traces(dir) } else { Vec::new() };
        if let Some(part) = found.iter().find(|path| path.ends_with(&end)) {
            return part.rsplit_once('-').and_then(|(_, part)| part.split('.').next()).expect("a number").to_owned();
        }
        assert!(Instant::now() < until, "there is no part {number}: {found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kill(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, process]).status().is_ok_and(|status| status.success()));
}

#[test]
fn a_long_recording_becomes_traces_that_are_each_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let child = rotating(dir.path(), &["--keep", "3", "--sites"]);
    await_part(&out, 5);
    kill("-TERM", &child.id().to_string());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.stdout.ends_with(b"0 wrong\n"), "the program ran as always: {}", errors(&output));
    let said = errors(&output);
    let rows: serde_json::Value = serde_json::from_str(&said[said.find("[\n").expect("a list")..]).expect("JSON");
    let kept = traces(&out);
    assert_eq!((kept.len(), rows.as_array().map(Vec::len)), (3, Some(3)), "{kept:?} {rows}");
    assert_eq!(std::fs::read_dir(&out).expect("a folder").count(), 3, "and no recording");
    let replay =
        [&["replay"], &kept.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--verify", "--heap", "lea-2.7.2"]];
    let replayed = run(dir.path(), &replay.concat());
    assert!(replayed.status.success(), "{}", errors(&replayed));
    for trace in &kept {
        let shown = run(dir.path(), &["inspect", trace]);
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(text.contains("  part=") && text.contains("by work (exchange.c:"), "{text}");
    }
}

#[test]
fn a_heapsmith_that_is_killed_leaves_its_traces_and_a_recording() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let mut child = rotating(dir.path(), &["--sample", "2"]);
    let process = await_part(&out, 2);
    child.kill().and_then(|()| child.wait()).expect("it is killed");
    std::thread::sleep(Duration::from_millis(200));
    kill("-TERM", &process);
    std::thread::sleep(Duration::from_millis(200));
    let recording = format!("out/exchange-{process}.recording");
    let output = run(dir.path(), &["import", &recording, "-o", "left.parquet"]);
    assert!(
        output.status.success() && errors(&output).contains("in traces of its own (--rotate)"),
        "{}",
        errors(&output)
    );
    for trace in traces(&out).iter().map(String::as_str).chain(["left.parquet"]) {
        let shown = run(dir.path(), &["inspect", trace]);
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(text.contains("one block in 2 was recorded"), "{trace}: {text}{}", errors(&shown));
    }
}

#[test]
fn a_program_that_runs_already_and_the_children_of_one_are_rotated_too() {
    let dir = tempfile::tempdir().expect("a folder");
    ["exchange", "threads", "leaks"].iter().for_each(|name| compile(dir.path(), name));
    let mut program =
        Command::new(dir.path().join("exchange")).arg("4").stdout(Stdio::null()).spawn().expect("it starts");
    let process = program.id().to_string();
    let options = ["--pid", &process, "--rotate", "1M", "--keep", "2", "--sites", "--for", "4s", "-o", "pid"];
    let output = run(dir.path(), &[&["record"], &options[..]].concat());
    let ended = program.kill().and_then(|()| program.wait());
    assert!(output.status.success() && ended.is_ok(), "{}", errors(&output));
    assert_eq!(traces(&dir.path().join("pid")).len(), 2, "{}", errors(&output));
    let script = "./leaks; ./threads & ./threads; wait";
    let options = ["--rotate", "1M", "--only", "threads", "-o", "family", "--", "sh", "-c", script];
    let output = run(dir.path(), &[&["record"], &options[..]].concat());
    assert!(output.status.success(), "{}", errors(&output));
    let family = traces(&dir.path().join("family"));
    assert!(family.len() >= 4 && family.iter().all(|path| path.contains("/threads-")), "{family:?}");
    assert_eq!(family.iter().filter(|path| path.ends_with(".1.parquet")).count(), 2, "{family:?}");
    for trace in family {
        let output = run(dir.path(), &["replay", &trace, "--verify", "--heap", "list"]);
        assert!(output.status.success(), "{trace}: {}", errors(&output));
    }
    for (options, why) in [
        (&["--rotate", "1K"][..], "write 1M or more"),
        (&["--keep", "3"], "--rotate"),
        (&["--rotate", "1M", "--java"], "leave out --rotate"),
    ] {
        let output = run(dir.path(), &[&["record"], options, &["--", "java"]].concat());
        assert!(output.status.code() == Some(2) && errors(&output).contains(why), "{options:?}: {}", errors(&output));
    }
}
