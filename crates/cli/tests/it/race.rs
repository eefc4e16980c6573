//! `race`: programs on several allocators, in turns.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    for variable in ["HEAPSMITH_LIBRARY", "CC"] {
        command.env_remove(variable);
    }
    command.current_dir(dir).env("COLUMNS", "80").env("XDG_CACHE_HOME", dir.join("cache")).arg("race").args(arguments);
    command
}

fn race(dir: &Path, arguments: &[&str]) -> Output {
    command(dir, arguments).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
    text(&output.stdout)
}

/// Standard error as one line.
fn said(output: &Output) -> String {
    text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kept(dir: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(dir.join("race.json")).expect("a race")).expect("JSON")
}

fn runs(race: &Value) -> usize {
    race["runs"].as_array().expect("runs").len()
}

#[test]
fn every_allocator_runs_once_in_a_round_and_the_answer_fits_a_screen() {
    let dir = tempfile::tempdir().expect("a folder");
    // Long enough for samples of its memory on a busy machine.
    let script = "sleep 0.1; sort /etc/passwd";
    let arguments =
        ["--runs", "7", "--heap", "tlsf", "--peer", "libc(arena_max=1)", "-o", "out", "--", "sh", "-c", script];
    let output = race(dir.path(), &arguments);
    let table = told(&output);
    assert!(table.lines().count() <= 12 && table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for shown in ["as it is (libc)", "tlsf", "peer:libc(arena_max=1)", "\nAnswer     ", "\nPage       out/race.html\n"]
    {
        assert!(table.contains(shown), "{shown} is not in\n{table}");
    }
    let race = kept(&dir.path().join("out"));
    assert_eq!((runs(&race), &race["finished"], &race["output_compared"]), (21, &true.into(), &true.into()));
    let orders: Vec<Vec<u64>> = race["runs"]
        .as_array()
        .expect("runs")
        .chunks(3)
        .map(|round| round.iter().map(|run| run["entrant"].as_u64().expect("a number")).collect())
        .collect();
    assert!(orders.iter().all(|order| [0, 1, 2].iter().all(|entrant| order.contains(entrant))), "{orders:?}");
    assert!(orders.iter().any(|order| *order != orders[0]), "orders are drawn: {orders:?}");
    for run in race["runs"].as_array().expect("runs") {
        let (peak, mean) =
            (run["peak_resident"].as_f64().expect("bytes"), run["mean_resident"].as_f64().expect("bytes"));
        assert!(peak >= 400e3 && mean <= peak, "{run}");
        assert!(run["wall_time"].as_f64().is_some_and(|seconds| seconds > 0.0), "{run}");
    }
    let page = std::fs::read_to_string(dir.path().join("out/race.html")).expect("a page");
    assert!(page.contains("peer:libc(arena_max=1)") && page.contains("plot-race"), "the page has the race");
}

#[test]
fn memory_that_a_child_shares_counts_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let script = "import os, time\nheld = b'x' * (64 << 20)\nchild = os.fork()\ntime.sleep(0.4)\nif child: os.wait()";
    let arguments = ["--runs", "2", "--heap", "tlsf", "--no-peers", "-o", "out", "--", "python3", "-c", script];
    told(&race(dir.path(), &arguments));
    for run in kept(&dir.path().join("out"))["runs"].as_array().expect("runs") {
        let peak = run["peak_resident"].as_f64().expect("bytes");
        assert!((64e6..110e6).contains(&peak), "{run}");
    }
}

#[test]
fn rows_for_programs_have_every_figure_and_each_is_described() {
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["--runs", "6", "--heap", "tlsf", "--no-peers", "--format", "json", "--", "cat", "/etc/passwd"];
    let rows: Vec<Value> = serde_json::from_str(&told(&race(dir.path(), &arguments))).expect("an array");
    assert_eq!(rows.len(), 2);
    let (low, ratio) = (rows[1]["cpu_low"].as_f64(), rows[1]["cpu_change"].as_f64());
    assert!(low.is_some_and(|low| ratio.is_some_and(|ratio| low <= ratio)), "{}", rows[1]);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/results.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let absent: Vec<&String> =
        rows[0].as_object().expect("a row").keys().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(absent.is_empty(), "not in results.md: {absent:?}");
}

#[test]
fn another_output_or_exit_code_ends_an_allocators_race_with_code_1() {
    let dir = tempfile::tempdir().expect("a folder");
    let script = "case \"$LD_PRELOAD\" in *heapsmith*) echo another;; *) echo right;; esac";
    let output =
        race(dir.path(), &["--runs", "1", "--heap", "tlsf", "--no-peers", "-o", "out", "--", "sh", "-c", script]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let why = "tlsf leaves the race: its output is wrong: line 1 is \"another\", not \"right\"";
    assert!(said(&output).contains(why), "{}", said(&output));
    assert_eq!(kept(&dir.path().join("out"))["entrants"][1]["left"]["kind"], "wrong");
    let script = "case \"$LD_PRELOAD\" in *heapsmith*) exit 3;; *) exit 0;; esac";
    let output = race(dir.path(), &["--runs", "1", "--heap", "tlsf", "--no-peers", "--", "sh", "-c", script]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(said(&output).contains("it ended with exit code 3 and not with exit code 0"));
    let output = race(dir.path(), &["--runs", "1", "--heap", "tlsf", "--no-peers", "--", "sh", "-c", "echo $$"]);
    assert!(said(&output).contains("only exit codes are compared"), "{}", said(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn an_allocator_that_does_not_serve_the_program_leaves_the_race_with_code_4() {
    let dir = tempfile::tempdir().expect("a folder");
    let clean = ["--", "env", "-i", "/bin/echo", "ran"];
    let output = race(dir.path(), &[&["--runs", "1", "--heap", "tlsf", "--peer", "libc"], &clean[..]].concat());
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let why = "tlsf leaves the race: env became echo, which ran without the library";
    assert!(said(&output).contains(why), "{}", said(&output));
    let fails = race(dir.path(), &["--heap", "tlsf", "--no-peers", "--", "sh", "-c", "kill -SEGV $$"]);
    assert_eq!(fails.status.code(), Some(4));
    assert!(said(&fails).contains("the program fails as it is: signal 11 ended it"), "{}", said(&fails));
    let fails = race(dir.path(), &["--heap", "tlsf", "--no-peers", "--", "sh", "-c", "echo no >&2; exit 5"]);
    assert_eq!(fails.status.code(), Some(4));
    let why = "the program fails as it is: it ended with exit code 5; it said: no";
    assert!(said(&fails).contains(why), "{}", said(&fails));
}

#[test]
fn what_a_search_of_knobs_proposes_is_raced_with_the_defaults() {
    let dir = tempfile::tempdir().expect("a folder");
    let knobs = dir.path().join("knobs");
    std::fs::create_dir(&knobs).expect("a folder");
    let table = |answer: &str| {
        let rows = format!(
            "allocator,peak,cpu_time,tried_as,answer\npeer:libc,3000,0.1,default,no\n\
             peer:libc(top_pad=0),2000,0.2,levels,{answer}\n\
             \"peer:libc(arena_max=1, top_pad=0)\",1000,0.3,levels,no\npeer:libc(arena_max=9),900,0.4,greenmalloc,no\n"
        );
        std::fs::write(knobs.join("knobs.csv"), rows).expect("a table");
    };
    // Long enough for samples of its memory on a busy machine.
    let program = ["--", "sh", "-c", "sleep 0.1; sort /etc/passwd"];
    let raced = |more: &[&str]| {
        let arguments = ["--runs", "1", "--no-peers", "--heap", "knobs"];
        let output = race(dir.path(), &[&arguments[..], more, &program].concat());
        let ranked = told(&output).contains("\nRanking    of 3 configurations played and raced: peak memory ");
        assert_eq!(ranked, more == ["--runners-up", "3"], "{}", told(&output));
        let race = kept(&knobs);
        let entrants = race["entrants"].as_array().expect("entrants").clone();
        entrants.iter().map(|entrant| entrant["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    table("yes");
    assert_eq!(raced(&[])[1..], ["peer:libc", "peer:libc(top_pad=0)"]);
    let both = ["peer:libc", "peer:libc(top_pad=0)", "peer:libc(arena_max=1, top_pad=0)"];
    assert_eq!(raced(&["--runners-up", "3"])[1..], both);
    table("no");
    let output = race(dir.path(), &[&["--heap", "knobs"], &program[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("keep all defaults: --runners-up 3 races"), "{}", said(&output));
    assert_eq!(raced(&["--runners-up", "1"])[1..], both[..2]);
}

#[test]
fn what_the_user_has_set_for_an_allocator_is_set_for_the_program_as_it_is_alone() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = ["--", "sh", "-c", "echo ${GLIBC_TUNABLES:-none} >> seen; sleep 0.1"];
    let peers = ["--runs", "1", "--no-peers", "--peer", "libc", "--peer", "libc(mxfast=0)", "-o", "out"];
    let mut command = command(dir.path(), &[&peers[..], &program].concat());
    told(&command.env("GLIBC_TUNABLES", "glibc.malloc.mxfast=64").output().expect("the command runs"));
    let seen = std::fs::read_to_string(dir.path().join("seen")).expect("lines");
    let seen: std::collections::BTreeSet<&str> = seen.lines().collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["glibc.malloc.mxfast=0", "glibc.malloc.mxfast=64", "none"]);
}

#[test]
fn what_is_asked_for_wrongly_is_said_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    for (arguments, why) in [
        (&["--peer", "jemalloc(narenas=0)"][..], "narenas=0 of peer:jemalloc: write a whole number from 1 to 4095"),
        (&["--peer", "libc(arenas=2)"], "peer:libc has no knob \"arenas\"; it has: arena_max,"),
        (&["--no-peers"], "there is nothing to race: name --heap or --peer"),
        (&["--runs", "2", "--budget", "5m"], "cannot be used with"),
        (&["--heap", "tlsf", "--ready", "true"], "--load <COMMAND>"),
    ] {
        let output = race(dir.path(), &[arguments, &["--", "echo", "ran"]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(said(&output).contains(why), "{}", said(&output));
        assert!(!dir.path().join("race-echo").exists(), "{arguments:?}");
    }
}

#[test]
fn a_server_is_loaded_once_it_listens_and_its_latencies_are_kept() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/race/server.c");
    let built = Command::new("cc").args(["-O1", "-w", "-o"]).arg(dir.path().join("server")).arg(source).status();
    assert!(built.is_ok_and(|status| status.success()), "install build-essential");
    let load = ["--load", "./server socket load", "--runs", "2", "--heap", "tlsf", "--no-peers"];
    let output = race(dir.path(), &[&load, &["--format", "json", "--", "./server", "socket"][..]].concat());
    let rows: Vec<Value> = serde_json::from_str(&told(&output)).expect("an array");
    for row in &rows {
        assert_eq!((&row["p50_ms"], &row["p99_ms"], &row["requests_per_s"]), (&1.0.into(), &4.0.into(), &250.into()));
    }
    let failing = race(dir.path(), &["--load", "false", "--heap", "tlsf", "--no-peers", "--", "./server", "socket"]);
    assert_eq!(failing.status.code(), Some(4));
    assert!(said(&failing).contains("the load command ended with exit status: 1"), "{}", said(&failing));
    let server = dir.path().join("server").display().to_string();
    let daemon = format!("setsid {server} socket >/dev/null 2>&1 & exit 0");
    let daemon = ["--load", "true", "--heap", "tlsf", "--no-peers", "--", "sh", "-c", &daemon];
    let daemon = race(dir.path(), &daemon);
    assert_eq!(daemon.status.code(), Some(4));
    assert!(said(&daemon).contains("the server went into the background"), "{}", said(&daemon));
    let left = Command::new("pgrep").args(["-f", &format!("^{server} ")]).output().expect("pgrep is there");
    assert!(left.stdout.is_empty(), "it runs on: {}", text(&left.stdout));
}

#[test]
fn an_interrupt_keeps_the_runs_and_the_same_command_continues() {
    let dir = tempfile::tempdir().expect("a folder");
    let arguments =
        ["--runs", "5", "--heap", "tlsf", "--no-peers", "-o", "out", "--", "sh", "-c", "sleep 0.2; echo done"];
    let mut first = command(dir.path(), &arguments);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let began = Instant::now();
    let measured = || {
        std::fs::read(dir.path().join("out/race.json"))
            .is_ok_and(|text| serde_json::from_slice(&text).is_ok_and(|race: Value| runs(&race) >= 3))
    };
    while !measured() {
        assert!(began.elapsed() < Duration::from_secs(120), "runs are kept as they come");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &first.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let status = first.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    let before = kept(&dir.path().join("out"));
    assert!(runs(&before) >= 3 && before["finished"] == false, "{before}");
    told(&race(dir.path(), &arguments));
    let after = kept(&dir.path().join("out"));
    assert!(after["finished"] == true && after["runs"][0] == before["runs"][0], "the first run is still there");
    assert_eq!(after["runs"].as_array().expect("runs").iter().map(|run| run["round"].as_u64()).max(), Some(Some(4)));
}
