//! Values of options and inputs that nobody could mean, and inputs that are no files.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).current_dir(dir).output().expect("the command runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_number_that_no_job_could_mean_is_wrong_use() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = "workload:sizes";
    for (verb, option, value) in [
        ("explore", "--rounds", "9223372036854775807"),
        ("explore", "--jobs", "18446744073709551615"),
        ("explore", "--jobs", "0"),
        ("explore", "--perturb", "4294967295"),
        ("explore", "--copies", "4294967295"),
        ("explore", "--copies", "0"),
        ("explore", "--shuffle", "4294967295"),
        ("explore", "--shuffle", "0"),
        ("explore", "--max-fragmentation", "NaN"),
        ("explore", "--max-accesses=-1", ""),
        ("explore", "--gc-every", "0"),
        ("explore", "--memory", "0"),
        ("inspect", "--effort", "18446744073709551615"),
    ] {
        let mut arguments = vec![verb, input, option];
        arguments.extend(Some(value).filter(|value| !value.is_empty()));
        arguments.extend(["--lower-bound"].iter().filter(|_| verb == "inspect"));
        let output = heapsmith(dir.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(option.split('=').next().unwrap_or(option)), "{}", said(&output));
    }
    for (option, value) in [
        ("--rounds", "65535"),
        ("--loop", "4294967295"),
        ("--over-time=4294967295", ""),
        ("--check", "0"),
        ("--region", "1E9"),
    ] {
        let mut arguments = vec!["replay", input, "--heap", "tlsf", option];
        arguments.extend(Some(value).filter(|value| !value.is_empty()));
        assert_eq!(heapsmith(dir.path(), &arguments).status.code(), Some(2), "{arguments:?}");
    }
    let attack = ["attack", "bump", "--max-live", "1K", "--max-size", "64", "--rounds", "9223372036854775807"];
    assert_eq!(heapsmith(dir.path(), &attack).status.code(), Some(2));
}

#[test]
fn a_region_of_a_byte_serves_nothing_on_any_peer() {
    let dir = tempfile::tempdir().expect("a folder");
    let output =
        heapsmith(dir.path(), &["replay", "workload:sizes", "--heap", "peer:all", "--region", "1", "--format", "csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn an_event_that_makes_no_sense_is_told_with_its_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut trace = Trace::new(Origin::new("made", "up"));
    let allocate = Action::Allocate { id: 0, size: Bytes(8), alignment: 0 };
    trace.events = vec![Event::at(0, allocate), Event::at(1, allocate)];
    trace.write(dir.path().join("t.parquet")).expect("a trace");
    for (arguments, name) in [
        (&["inspect", "t.parquet"][..], "t.parquet"),
        (&["replay", "t.parquet", "--heap", "tlsf"], "t.parquet"),
        (&["import", "t.parquet", "-o", "u.rep"], "t.parquet"),
        (&["explore", "t.parquet", "-o", "out"], "made of up"),
    ] {
        let output = heapsmith(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", said(&output));
        let wanted = format!("{name}: event 2: allocation of block 0, which is live already");
        assert!(said(&output).contains(&wanted), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn a_file_that_is_missing_is_bad_input() {
    let dir = tempfile::tempdir().expect("a folder");
    for arguments in [
        &["inspect", "none.parquet"][..],
        &["inspect", "none", "--as", "mtrace"],
        &["import", "none.pcap", "--as", "drr", "-o", "x.parquet"],
        &["replay", "none", "--heap", "tlsf"],
        &["explore", "none"],
        &["report", "none"],
    ] {
        let output = heapsmith(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("none"), "{}", said(&output));
    }
    assert_eq!(std::fs::read_dir(dir.path()).expect("the folder").count(), 0, "nothing was begun");
}

#[test]
fn a_pipe_is_read_as_the_file_it_stands_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut trace = Trace::new(Origin::new("made", "up"));
    trace.events = vec![Event::at(0, Action::Allocate { id: 0, size: Bytes(8), alignment: 0 })];
    trace.write(dir.path().join("t.parquet")).expect("a trace");
    std::fs::write(dir.path().join("t.rep"), "20000\n1\n2\n1\na 0 512\nf 0\n").expect("a file");
    let piped = |file: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        command
            .args(arguments)
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let bytes = std::fs::read(dir.path().join(file)).expect("a file");
        // A command that refuses its input does not read it.
        let _ = child.stdin.take().expect("a pipe").write_all(&bytes);
        child.wait_with_output().expect("it ends")
    };
    for (file, name) in [("t.parquet", "made of up"), ("t.rep", "rep of stdin")] {
        let (direct, through) = (heapsmith(dir.path(), &["inspect", file]), piped(file, &["inspect", "/dev/stdin"]));
        assert_eq!(through.status.code(), Some(0), "{}", said(&through));
        let shown = String::from_utf8_lossy(&through.stdout).into_owned();
        assert_eq!(shown, String::from_utf8_lossy(&direct.stdout).replace("of t.rep", "of stdin"));
        assert!(shown.starts_with(name), "{shown}");
    }
    std::fs::write(dir.path().join("bad.rep"), "20000\n1\n2\n1\na 0 512\nf 7\n").expect("a file");
    let bad = piped("bad.rep", &["inspect", "/dev/stdin"]);
    assert_eq!(bad.status.code(), Some(3));
    assert!(said(&bad).contains("/dev/stdin: line 6"), "{}", said(&bad));
    std::fs::write(dir.path().join("long"), vec![b'a'; 3 << 20]).expect("a file");
    let long = piped("long", &["inspect", "/dev/stdin", "--memory", "1M"]);
    assert_eq!(long.status.code(), Some(4), "{}", said(&long));
    assert!(said(&long).contains("/dev/stdin gives more than 1.0 MB"), "{}", said(&long));
    let device = heapsmith(dir.path(), &["inspect", "/dev/zero"]);
    assert_eq!(device.status.code(), Some(3), "{}", said(&device));
    assert!(said(&device).contains("/dev/zero is a device"), "{}", said(&device));
}
