//! `heapsmith run` from outside: the program's behaviour is unchanged, and its statistics are written.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Once;
use std::thread::sleep;
use std::time::{Duration, Instant};

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    // The first run of all may compile the library, and says so.
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        let first = command(dir, &["run", "--heap", "list", "--library", "built-in", "--", "true"]);
        assert!(first.status.success(), "{}", errors(&first));
    });
    command(dir, arguments)
}

fn command(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("COLUMNS", "1000").env("XDG_CACHE_HOME", dir.join("cache"));
    command.args(arguments).output().expect("the command runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_program_keeps_its_streams_and_its_exit_code_on_any_heap() {
    let dir = tempfile::tempdir().expect("a folder");
    for heap in ["tlsf", "lea-2.7.2", "freelists(16..=512 step 16) bins(log) word=8 threads=lists", "phk"] {
        let script = "ls / | sort -r | tail -1; echo two >&2; exit 7";
        let output = heapsmith(dir.path(), &["run", "--heap", heap, "--check", "--", "sh", "-c", script]);
        assert_eq!(output.status.code(), Some(7), "{heap}: {}", errors(&output));
        assert_eq!(output.stdout, b"bin\n", "{heap}");
        assert_eq!(errors(&output), "two\n", "{heap}");
    }
    let output = heapsmith(dir.path(), &["run", "--heap", "tlsf", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(output.status.code(), Some(137));
    assert!(errors(&output).contains("sh was ended by signal 9"), "{}", errors(&output));
}

#[test]
fn statistics_of_the_program_and_of_those_that_it_starts() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("elsewhere");
    std::fs::create_dir(&folder).expect("a folder");
    let script = "cd elsewhere; sort /etc/passwd >/dev/null; exit 0";
    let output = heapsmith(dir.path(), &["run", "--heap", "tlsf", "--stats", "run.json", "--", "sh", "-c", script]);
    assert!(output.status.success(), "{}", errors(&output));
    let text = std::fs::read_to_string(dir.path().join("run.json")).expect("statistics of the shell");
    let shell: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let number = |key: &str| shell[key].as_u64().unwrap_or_else(|| panic!("{key}: {text}"));
    assert!(number("requested_peak") > 0 && number("footprint_peak") >= number("requested_peak"), "{text}");
    assert!(number("allocations") >= number("frees"), "{text}");
    assert!(number("minor_faults") > 0 && number("resident_peak") > 100_000, "{text}");
    assert_eq!(shell["heap"], "tlsf(second-level=5) align=16");
    assert_eq!(shell["heaps"].as_array().map(Vec::len), Some(1));
    let others = std::fs::read_dir(dir.path()).expect("a folder").flatten().filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("run.json.") && name["run.json.".len()..].parse::<u32>().is_ok()
    });
    assert!(others.count() >= 1, "sort has its own, where the shell was started");
}

#[test]
fn resident_memory_is_the_programs_and_a_full_disk_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |stats: &str| {
        let program = ["grep", "VmHWM", "/proc/self/status"];
        heapsmith(dir.path(), &[&["run", "--heap", "tlsf", "--stats", stats, "--"], &program[..]].concat())
    };
    let output = run("run.json");
    assert!(output.status.success(), "{}", errors(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let itself = said.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("kilobytes");
    let text = std::fs::read_to_string(dir.path().join("run.json")).expect("statistics");
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let peak = statistics["resident_peak"].as_u64().expect("bytes") / 1024;
    assert!(peak.abs_diff(itself) < 1024, "{peak} KB, and the program says {itself}");
    let full = run("/dev/full");
    assert!(errors(&full).contains("heapsmith: cannot write /dev/full: "), "{}", errors(&full));
}

#[test]
fn a_program_that_the_heap_does_not_reach_is_told_and_shows_in_the_exit_code() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |program: &[&str]| heapsmith(dir.path(), &[&["run", "--heap", "tlsf", "--"], program].concat());
    let output = run(&["env", "-i", "echo", "ran"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(4), &b"ran\n"[..]));
    let told = errors(&output);
    assert!(told.contains("env did not run on the heap: env became echo") && told.contains("LD_PRELOAD"), "{told}");
    let output = run(&["env", "-i", "false"]);
    assert_eq!(output.status.code(), Some(1), "the program's own");
    let output = run(&["env", "echo", "ran"]);
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
}

#[test]
fn what_cannot_run_says_why() {
    let dir = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str], code: i32, why: &str| {
        let output = heapsmith(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(output.stdout.is_empty() && errors(&output).contains(why), "{}", errors(&output));
    };
    refused(&["run", "--heap", "stack", "--", "echo", "ran"], 2, "last in, first out");
    refused(&["run", "--heap", "list word=2", "--", "echo", "ran"], 2, "word=4 or word=8");
    refused(&["run", "--heap", "tlssf", "--", "echo", "ran"], 2, "did you mean `tlsf`?");
    refused(&["run", "--heap", "tlsf", "--", "no-such-program"], 4, "cannot run no-such-program");
    refused(&["run", "--heap", "tlsf", "--stats", "no/such/folder", "--", "echo"], 4, "no/such/folder");
    refused(&["run", "--heap", "tlsf", "--stats", "s", "--signal", "KILL", "--", "echo"], 2, "USR2");
    std::fs::write(dir.path().join("static.c"), "int main(void) { return 5; }\n").expect("a file");
    let compiled = Command::new("cc").args(["-static", "-o", "static", "static.c"]).current_dir(dir.path()).status();
    assert!(compiled.is_ok_and(|status| status.success()), "install build-essential");
    refused(&["run", "--heap", "tlsf", "--", "./static"], 4, "linked statically");
    std::fs::write(dir.path().join("narrow"), b"\x7fELF\x01\x01\x01\0").expect("a file");
    refused(&["run", "--heap", "tlsf", "--", "./narrow"], 4, "32 bits");
}

#[test]
fn a_program_with_an_address_of_malloc_of_its_own_runs_on_the_heap() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "#include <stdlib.h>\nvoid *(*volatile how)(size_t) = malloc;\nint main(void) { return !how(100); }\n";
    std::fs::write(dir.path().join("stub.c"), text).expect("a file");
    let compile = ["-no-pie", "-fno-pic", "-o", "stub", "stub.c"];
    let compiled = Command::new("cc").args(compile).current_dir(dir.path()).status();
    assert!(compiled.is_ok_and(|status| status.success()), "install build-essential");
    let output = heapsmith(dir.path(), &["run", "--heap", "tlsf", "--", "./stub"]);
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
}

#[test]
fn what_the_heap_did_is_printed_also_without_a_promise_and_what_was_asked_of_it_is_recorded() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = ["run", "--heap", "tlsf", "--stats", "--record", "asked", "--", "sort", "/etc/passwd"];
    let output = heapsmith(dir.path(), &run);
    let told = errors(&output);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("peak footprint") && told.contains("pages touched"), "{told}");
    assert!(!told.contains("promised"), "nobody promised anything: {told}");
    let traces = std::fs::read_dir(dir.path().join("asked")).expect("a folder").count();
    assert_eq!(traces, 1, "{told}");
}

#[test]
fn what_compiles_the_library_ends_with_the_command() {
    let dir = tempfile::tempdir().expect("a folder");
    // A command that is newer than the library compiles it.
    let copy = dir.path().join("heapsmith");
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_heapsmith")).arg(&copy).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let cargo = dir.path().join("cargo");
    let script = "#!/bin/sh\ncd $(dirname $0)\nsleep 100 &\necho $! > started; mv started sleeper; wait\n";
    std::fs::write(&cargo, script).expect("a file");
    std::fs::set_permissions(&cargo, PermissionsExt::from_mode(0o755)).expect("a script");
    let mut command = Command::new(&copy);
    command.args(["run", "--heap", "list", "--library", "built-in", "--", "true"]).current_dir(dir.path());
    command.env("CARGO", &cargo).env("XDG_CACHE_HOME", dir.path().join("cache"));
    let mut child = command.spawn().expect("the command runs");
    let patiently = |what: &str, is_so: &dyn Fn() -> bool| {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < until, "{what}");
            sleep(Duration::from_millis(20));
        }
    };
    patiently("nothing is compiled", &|| dir.path().join("sleeper").exists());
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let sleeper = std::fs::read_to_string(dir.path().join("sleeper")).expect("a number");
    let status = format!("/proc/{}/status", sleeper.trim());
    let has_ended = || std::fs::read_to_string(&status).map_or(true, |status| status.contains("State:\tZ"));
    patiently("what the compiler started runs on", &has_ended);
}
