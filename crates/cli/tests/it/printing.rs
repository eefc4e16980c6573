//! Printing to difficult places: closed pipes, full disks, control characters, secrets.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

fn heapsmith(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).current_dir(dir).env("COLUMNS", "100");
    command
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// A device that is always full.
fn full() -> Stdio {
    std::fs::File::options().write(true).open("/dev/full").expect("/dev/full").into()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A command of every verb that prints and writes nothing.
const PRINTING: [&[&str]; 10] = [
    &["--help"],
    &["--version"],
    &["heaps"],
    &["heaps", "--format", "csv"],
    &["workloads"],
    &["inspect", "workload:sizes"],
    &["replay", "workload:sizes", "--heap", "tlsf", "--format", "json"],
    &["bound", "tlsf", "--max-live", "20K", "--max-size", "512"],
    &["attack", "bump", "--max-live", "1K", "--max-size", "64", "--rounds", "1", "--operations", "100"],
    &["explore", "--print-space", "classic"],
];

#[test]
fn a_pipe_that_is_closed_ends_a_command_quietly() {
    let dir = tempfile::tempdir().expect("a folder");
    for arguments in PRINTING {
        let output = heapsmith(dir.path(), arguments).stdout(closed()).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(141), "{arguments:?}: {}", said(&output));
        assert!(!said(&output).contains("pipe") && !said(&output).contains("panicked"), "{}", said(&output));
        let status = heapsmith(dir.path(), arguments).stdout(Stdio::null()).stderr(closed()).status();
        assert_eq!(status.expect("the command runs").code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_told_with_exit_code_4() {
    let dir = tempfile::tempdir().expect("a folder");
    for arguments in PRINTING {
        let output = heapsmith(dir.path(), arguments).stdout(full()).output().expect("the command runs");
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("cannot print to standard output: No space left"), "{}", said(&output));
        let status = heapsmith(dir.path(), arguments).stdout(Stdio::null()).stderr(full()).status();
        assert_eq!(status.expect("the command runs").code(), Some(0), "{arguments:?}");
    }
    let mut missing = heapsmith(dir.path(), &["inspect", "no-such-file"]);
    assert_eq!(missing.stderr(full()).status().expect("the command runs").code(), Some(3));
}

/// A space of two designs.
const SPACE: &str = r#"[[family]]
name = "two"
heap = "list(order=address)"

[family.levels]
freelists = [0]
fit = [0, 100]
split = [100]
coalesce = [100]
"#;

/// Options of an exploration that takes no time.
const QUICK: [&str; 8] = ["--space", "two.toml", "--rounds", "0", "--no-peers", "--jobs", "4", "--out"];

fn folder_with_space() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("two.toml"), SPACE).expect("a file");
    dir
}

#[test]
fn an_exploration_whose_pipes_are_closed_goes_on_to_its_end() {
    let dir = folder_with_space();
    let out = std::ffi::OsStr::from_bytes(b"caf\xe9");
    let mut command = heapsmith(dir.path(), &["explore", "workload:every-other", "--set", "objects=64"]);
    let status = command.args(QUICK).arg(out).stdout(closed()).stderr(closed()).status().expect("the command runs");
    assert_eq!(status.code(), Some(141));
    for name in ["results.csv", "results.parquet", "report.html"] {
        assert!(dir.path().join(out).join(name).exists(), "{name}");
    }
    // And a folder whose name is no text is one like any other.
    let emit = heapsmith(dir.path(), &["emit"]).arg(out).args(["--lang", "rust", "-o"]).arg(out).output();
    let emit = emit.expect("the command runs");
    assert!(emit.status.success(), "{}", said(&emit));
}

#[test]
fn fewer_threads_than_asked_for_are_no_reason_to_fail() {
    let dir = folder_with_space();
    // The limit does not hold for root, so root becomes another user first, who must be let in: one that no other process is of, as
    // all of a user's count.
    let mut command = Command::new("sh");
    command.args([
        "-c",
        r#"cp "$0" "$1/heapsmith" && chmod 777 "$1" && cd "$1" || exit 99
        become=; [ "$(id -u)" = 0 ] && become="setpriv --reuid=$((20000 + $$ % 40000)) --regid=65534 --clear-groups"
        shift; exec $become prlimit --nproc=3 ./heapsmith explore workload:every-other --set objects=64 "$@""#,
    ]);
    command.arg(env!("CARGO_BIN_EXE_heapsmith")).arg(dir.path()).args(QUICK).arg("out");
    let output = command.output().expect("sh runs");
    assert!(output.status.success(), "{:?}: {}", output.status, said(&output));
    assert!(!said(&output).contains("panicked"), "{}", said(&output));
    assert!(dir.path().join("out/results.csv").exists());
}

#[test]
fn no_text_of_a_file_reaches_the_terminal_as_a_command() {
    let dir = folder_with_space();
    let evil = "\x1b]0;owned\x07\u{9b}31m\u{202e}";
    let mut trace = Trace::new(Origin::new(format!("{evil}program"), format!("{evil}source")));
    trace.origin.settings = vec![(format!("{evil}key"), format!("{evil}value\nline"))];
    trace.sites = vec![format!("{evil}site")];
    trace.labels = vec![format!("{evil}label")];
    let allocate = Action::Allocate { id: 0, size: Bytes(8), alignment: 0 };
    trace.events = vec![Event { site: Some(0), ..Event::at(0, allocate) }, Event::at(1, Action::Mark { label: 0 })];
    trace.write(dir.path().join("t.parquet")).expect("a trace");
    std::fs::write(dir.path().join(format!("{evil}.log")), format!("= Start\n{evil}\n")).expect("a file");
    let bad = format!("{evil}.log");
    for arguments in [
        &["inspect", "t.parquet", "--html", "t.html"][..],
        &["replay", "t.parquet", "--heap", "tlsf"],
        &["replay", "t.parquet", "--heap", "tlsf", "--format", "json"],
        &[&["explore", "t.parquet"], &QUICK[..], &["out"]].concat(),
        &["inspect", &bad, "--as", "mtrace"],
    ] {
        let output = heapsmith(dir.path(), arguments).output().expect("the command runs");
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            let obeyed = text.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
            assert_eq!(obeyed, None, "{arguments:?}: {text:?}");
        }
        assert!(!(output.stdout.is_empty() && output.stderr.is_empty()));
    }
    let page = std::fs::read_to_string(dir.path().join("t.html")).expect("a page");
    assert!(!page.chars().any(|c| matches!(c, '\x1b' | '\x07' | '\u{9b}' | '\u{202e}')));
}

#[test]
fn a_password_in_a_command_line_is_in_no_trace_unless_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    for (options, kept) in [(&[][..], false), (&["--keep-command"], true)] {
        let out = if kept { "kept" } else { "left-out" };
        let mut command = heapsmith(dir.path(), &["record", "-o", out]);
        command.env("XDG_CACHE_HOME", dir.path().join("cache")).args(options);
        let output = command.args(["--", "sort", "--parallel=1", "--random-source=hunter2", "/dev/null"]).output();
        let output = output.expect("the command runs");
        let traces: Vec<_> = std::fs::read_dir(dir.path().join(out)).expect("a folder").flatten().collect();
        assert_eq!(traces.len(), 1, "{}", said(&output));
        let path = traces[0].path();
        let bytes = std::fs::read(&path).expect("a trace");
        assert_eq!(String::from_utf8_lossy(&bytes).contains("hunter2"), kept, "{options:?}");
        let shown = heapsmith(dir.path(), &["inspect"]).arg(&path).output().expect("the command runs");
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("record of sort") && shown.contains("arguments=3"), "{shown}");
    }
}
