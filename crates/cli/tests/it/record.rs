//! `heapsmith record` from outside: what the program keeps, and what is left behind.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn heapsmith(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("COLUMNS", "1000").env("XDG_CACHE_HOME", dir.join("cache"));
    command
}

fn record(dir: &Path, options: &[&str], program: &[&str]) -> Output {
    heapsmith(dir).arg("record").args(options).arg("--").args(program).output().expect("the command runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn traces(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("a folder").flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[test]
fn a_program_keeps_its_streams_and_its_exit_code() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = record(dir.path(), &[], &["sh", "-c", "cat; echo two >&2; exit 7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(output.stdout, b"", "nothing but what the program says");
    assert!(errors(&output).starts_with("two\n"), "{}", errors(&output));
    assert!(dir.path().join("record-sh").is_dir());
}

#[test]
fn every_process_leaves_a_trace_that_replays_with_every_block_verified() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = record(dir.path(), &["-o", "traces", "--format", "json"], &["sh", "-c", "ls / | sort; exit 0"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = errors(&output);
    let rows: serde_json::Value =
        serde_json::from_str(&shown[shown.find("[\n").expect("a list")..]).expect("the list is JSON");
    let programs: Vec<&str> = rows.as_array().expect("rows").iter().filter_map(|row| row["program"].as_str()).collect();
    assert!(programs.contains(&"ls") && programs.contains(&"sort"), "{programs:?}");
    let traces = traces(&dir.path().join("traces"));
    assert_eq!(traces.len(), programs.len());
    assert!(traces.iter().all(|path| path.extension().is_some_and(|end| end == "parquet")), "{traces:?}");
    let replay = heapsmith(dir.path())
        .arg("replay")
        .args(&traces)
        .args(["--verify", "--check", "50", "--heap", "lea-2.7.2", "--heap", "list(fit=best)"])
        .output()
        .expect("the command runs");
    assert!(replay.status.success(), "{}", errors(&replay));
}

#[test]
fn a_program_that_a_signal_ends_is_reported_as_shells_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = record(dir.path(), &["-o", "traces"], &["sh", "-c", "ls >/dev/null; kill -9 $$"]);
    assert_eq!(output.status.code(), Some(137));
    assert!(errors(&output).contains("was ended by signal 9"), "{}", errors(&output));
    assert!(traces(&dir.path().join("traces")).len() >= 2);
}

/// Counts the signals that it gets until there is a file `end`, and says how many there were.
const COUNTS: &str = "n=0; trap 'n=$((n+1)); touch got' INT TERM; touch begun; until test -e end; do sleep 0.05; done; \
                      echo got $n >&2; exit 3";

/// Waits until a program has made a file.
fn await_file(dir: &Path, name: &str) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !dir.join(name).exists() {
        assert!(std::time::Instant::now() < until, "there is no {name}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_signal_to_the_command_alone_is_the_programs() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(dir.path());
    command.args(["record", "-o", "out", "--", "sh", "-c", COUNTS]).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("the command runs");
    await_file(dir.path(), "begun");
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    await_file(dir.path(), "got");
    std::fs::write(dir.path().join("end"), "").expect("a file");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "the program decides: {}", errors(&output));
    assert!(errors(&output).starts_with("got 1\n"), "{}", errors(&output));
    assert!(!traces(&dir.path().join("out")).is_empty(), "what it allocated is kept");
}

#[test]
fn ctrl_c_of_a_terminal_reaches_the_program_once() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("counts"), COUNTS).expect("a file");
    // A shell that waited for the command would get the signal, too, and end by it.
    let typed = format!("exec {} record -o out -- sh counts", env!("CARGO_BIN_EXE_heapsmith"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &typed, "/dev/null"]).current_dir(dir.path());
    script.env("XDG_CACHE_HOME", dir.path().join("cache"));
    let piped = std::process::Stdio::piped;
    let mut child = script.stdin(piped()).stdout(piped()).spawn().expect("script is there");
    await_file(dir.path(), "begun");
    child.stdin.as_mut().expect("a pipe").write_all(b"\x03").expect("a terminal");
    await_file(dir.path(), "got");
    // A second would come at once.
    std::thread::sleep(std::time::Duration::from_millis(500));
    std::fs::write(dir.path().join("end"), "").expect("a file");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(3) && said.contains("got 1\r\n"), "{said}");
}

#[test]
fn a_recording_that_was_left_is_read_like_any_trace() {
    let dir = tempfile::tempdir().expect("a folder");
    // The shell ends before its child, which the command finds still running.
    let shell = "(x=$(seq 9); touch begun; sleep 5; x=$(seq 200)) >/dev/null 2>&1 & \
        until test -e begun; do sleep 0.05; done";
    let output = record(dir.path(), &["-o", "left"], &["bash", "-c", shell]);
    assert_eq!(output.status.code(), Some(0));
    assert!(errors(&output).contains("still runs"), "{}", errors(&output));
    std::thread::sleep(std::time::Duration::from_secs(7));
    let left = traces(&dir.path().join("left"));
    let left = left.iter().find(|path| path.extension().is_some_and(|end| end == "recording")).expect("a recording");
    let import = heapsmith(dir.path()).arg("import").arg(left).args(["-o", "left.parquet"]).output().expect("it runs");
    assert!(import.status.success(), "{}", errors(&import));
    let mut bytes = std::fs::read(left).expect("a file");
    let at = bytes.len() - 1;
    bytes.truncate(at.min(256 * 1024 + 70));
    std::fs::write(dir.path().join("cut.recording"), bytes).expect("a file");
    let inspect = heapsmith(dir.path()).args(["inspect", "cut.recording"]).output().expect("it runs");
    assert_eq!(inspect.status.code(), Some(3));
    assert!(errors(&inspect).contains("is damaged in block 1"), "{}", errors(&inspect));
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = record(dir.path(), &[], &["no-such-program"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(errors(&output).contains("cannot run no-such-program"), "{}", errors(&output));
}

#[test]
fn a_command_that_was_copied_alone_has_its_library_or_says_where_it_needs_room() {
    let dir = tempfile::tempdir().expect("a folder");
    let copy = dir.path().join("heapsmith");
    std::fs::copy(env!("CARGO_BIN_EXE_heapsmith"), &copy).expect("a copy");
    let run = |variable: &str, value: &Path| {
        let mut command = Command::new(&copy);
        command.env(variable, value).env("COLUMNS", "1000").current_dir(dir.path());
        command.args(["record", "-o", "out", "--", "ls"]);
        loop {
            match command.output() {
                // A process that another test has just forked holds the copy open for writing until it executes its program.
                Err(why) if why.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                ran => return ran.expect("the copy runs"),
            }
        }
    };
    let output = run("XDG_CACHE_HOME", &dir.path().join("cache"));
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(traces(&dir.path().join("out")).len(), 1);
    std::fs::write(dir.path().join("taken"), "").expect("a file");
    let output = run("XDG_CACHE_HOME", &dir.path().join("taken"));
    assert_eq!(output.status.code(), Some(4));
    let shown = errors(&output);
    assert!(shown.contains("library to preload is missing") && shown.contains("HEAPSMITH_LIBRARY"), "{shown}");
    let output = run("HEAPSMITH_LIBRARY", &dir.path().join("with blank.so"));
    assert_eq!(output.status.code(), Some(4));
    assert!(errors(&output).contains("no path with blanks"), "{}", errors(&output));
    let output = run("HEAPSMITH_LIBRARY", &dir.path().join("mine.so"));
    assert!(output.status.success() && dir.path().join("mine.so").exists(), "{}", errors(&output));
}

/// Every file below a folder.
fn files(dir: &Path) -> Vec<PathBuf> {
    let (folders, mut files): (Vec<_>, Vec<_>) = traces(dir).into_iter().partition(|path| path.is_dir());
    folders.iter().for_each(|folder| files.extend(self::files(folder)));
    files
}

#[test]
fn a_full_disk_is_said_once_and_at_80_columns_the_list_is_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = dir.path().join("a-program-of-a-long-name");
    std::fs::copy("/usr/bin/sort", &program).expect("a copy");
    let mut narrow = heapsmith(dir.path());
    narrow.env("COLUMNS", "80").args(["record", "-o", "out", "--"]).arg(&program).arg("/etc/passwd");
    let output = narrow.output().expect("the command runs");
    assert!(!errors(&output).contains("too narrow"), "{}", errors(&output));
    assert!(errors(&output).lines().all(|line| line.chars().count() <= 80), "{}", errors(&output));
    // Room for the recording, and none for the trace; only root may mount.
    let script =
        "mkdir small && mount -t tmpfs -o size=264k none small && exec \"$0\" record -o small/out -- sort /etc/passwd";
    let mut full = Command::new("unshare");
    full.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_heapsmith")]).current_dir(dir.path());
    let output = full.env("XDG_CACHE_HOME", dir.path().join("cache")).output().expect("unshare is there");
    let said = errors(&output);
    if !said.contains("ermi") {
        assert_eq!((output.status.code(), said.matches("No space left").count()), (Some(4), 1), "{said}");
        assert!(said.contains("is kept, for heapsmith import: "), "{said}");
    }
}

#[test]
fn recordings_of_one_program_at_once_each_have_a_folder_of_their_own() {
    let dir = tempfile::tempdir().expect("a folder");
    for options in [&[][..], &["-o", "asked/for"][..]] {
        let script = "for i in 1 2 3 4 5; do ls / | sort >/dev/null; done; exit 3";
        let start = || {
            let mut command = heapsmith(dir.path());
            command.arg("record").args(options).args(["--", "sh", "-c", script]).stderr(std::process::Stdio::piped());
            command.spawn().expect("the command runs")
        };
        let both = [start(), start()].map(|child| child.wait_with_output().expect("it ends"));
        let folders = both.each_ref().map(|output| {
            let shown = errors(output);
            assert_eq!(output.status.code(), Some(3), "{shown}");
            let (_, rest) = shown.split_once("the traces are in ").expect("the folder is named");
            let (folder, next) = rest.split_once("; next:\n  heapsmith explore ").expect("the next command");
            let named = next.lines().next().expect("a file");
            assert!(named.starts_with(folder) && dir.path().join(named).is_file(), "{shown}");
            folder.to_owned()
        });
        let names = folders.each_ref().map(|folder| {
            let inside = traces(&dir.path().join(folder)).into_iter().filter(|path| path.is_file());
            inside.filter_map(|path| Some(path.file_name()?.to_owned())).collect::<std::collections::BTreeSet<_>>()
        });
        assert!(names.iter().all(|names| names.len() >= 11), "the shell, and ten that it started: {names:?}");
        assert!(names[0].is_disjoint(&names[1]), "no process is in both: {names:?}");
    }
    let left: Vec<_> =
        files(dir.path()).into_iter().filter(|path| path.extension() == Some("recording".as_ref())).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_program_that_the_recorder_does_not_reach_is_told_and_shows_in_the_exit_code() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = record(dir.path(), &[], &["env", "-i", "true"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(errors(&output).contains("env became true, which ran without the library"), "{}", errors(&output));
    let output = record(dir.path(), &[], &["env", "-i", "false"]);
    assert_eq!(output.status.code(), Some(1), "the program's own");
    std::fs::write(dir.path().join("idle.c"), "int main(void) { return 0; }\n").expect("a file");
    let compiled = Command::new("cc").args(["-o", "idle", "idle.c"]).current_dir(dir.path()).status();
    assert!(compiled.is_ok_and(|status| status.success()), "install build-essential");
    let output = record(dir.path(), &[], &["./idle"]);
    assert_eq!(output.status.code(), Some(0), "it was reached, and asked for nothing: {}", errors(&output));
    let output = record(dir.path(), &[], &["sh", "-c", "ulimit -f 1; exec sort /etc/passwd"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(!output.stdout.is_empty() && errors(&output).contains("ulimit -f"), "{}", errors(&output));
}

#[test]
fn a_java_program_leaves_a_trace_of_its_objects_that_replays_with_every_block_verified() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../recording/tests/programs/Trees.java");
    let compiled = Command::new("javac").arg("-d").arg(dir.path()).arg(source).status();
    assert!(compiled.is_ok_and(|status| status.success()), "install default-jdk-headless");
    let options = ["--java", "--java-collect", "256K", "-o", "traces", "--format", "json"];
    let output = record(dir.path(), &options, &["java", "-cp", ".", "Trees", "8", "10"]);
    let shown = errors(&output);
    assert_eq!((output.status.code(), output.stdout), (Some(0), b"2550\n".to_vec()), "{shown}");
    assert!(shown.contains("collections; an object's death is known when one finds it\n"), "{shown}");
    assert!(shown.contains("were there before the program began"), "{shown}");
    let rows: serde_json::Value =
        serde_json::from_str(&shown[shown.find("[\n").expect("a list")..]).expect("the list is JSON");
    assert_eq!((rows.as_array().map(Vec::len), rows[0]["program"].as_str()), (Some(1), Some("java")));
    assert!(rows[0]["allocations"].as_u64() > Some(2550), "{rows}");
    let heaps = ["--heap", "buddy(knuth)", "--heap", "buddy(estranged)"];
    let traces = traces(&dir.path().join("traces"));
    let replay = heapsmith(dir.path())
        .arg("replay")
        .args(&traces)
        .args(["--verify", "--check", "1000"])
        .args(heaps)
        .output()
        .expect("the command runs");
    assert!(replay.status.success(), "{}", errors(&replay));
}

#[test]
fn a_program_that_is_no_jvm_and_options_that_make_no_sense_say_why() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = record(dir.path(), &["--java"], &["ls"]);
    assert_eq!(output.status.code(), Some(4));
    let shown = errors(&output);
    assert!(shown.contains("nothing of ls itself was recorded") && shown.contains("leave out --java"), "{shown}");
    let output = record(dir.path(), &["--java-collect", "64K"], &["ls"]);
    assert_eq!(output.status.code(), Some(2));
    let output = record(dir.path(), &["--java", "--java-collect", "0"], &["ls"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("above 0"), "{}", errors(&output));
}

#[test]
fn only_the_traces_of_named_programs_are_kept_and_all_where_none_has_the_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let script = ["sh", "-c", "ls / | sort; exit 0"];
    let output = record(dir.path(), &["-o", "sorted", "--only", "sort"], &script);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let kept = traces(&dir.path().join("sorted"));
    let [kept] = &kept[..] else { panic!("{kept:?}: {}", errors(&output)) };
    assert!(kept.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sort-")), "{kept:?}");
    assert!(errors(&output).contains("left out (--only): "), "{}", errors(&output));
    let output = record(dir.path(), &["-o", "two", "--only", "sort", "--only", "ls", "--quiet"], &script);
    assert_eq!(traces(&dir.path().join("two")).len(), 2, "{}", errors(&output));
    assert_eq!(errors(&output), "", "quiet");
    let output = record(dir.path(), &["-o", "one", "--only", "sort", "--only", "gcc"], &script);
    assert!(errors(&output).contains("no program is called gcc: "), "{}", errors(&output));
    assert_eq!(traces(&dir.path().join("one")).len(), 1, "{}", errors(&output));
    std::os::unix::fs::symlink("/usr/bin/sort", dir.path().join("order")).expect("a link");
    let linked = ["sh", "-c", "ls / | ./order; exit 0"];
    let output = record(dir.path(), &["-o", "linked", "--only", "order"], &linked);
    assert_eq!(
        traces(&dir.path().join("linked")).len(),
        1,
        "by the name that it was started with: {}",
        errors(&output)
    );
    let output = record(dir.path(), &["-o", "none", "--only", "gcc"], &script);
    assert!(errors(&output).contains("no program is called gcc, so all traces are kept"), "{}", errors(&output));
    assert!(traces(&dir.path().join("none")).len() >= 2);
}

#[test]
fn symbols_of_a_program_that_a_script_starts_are_asked_of_the_program() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("start"), "#!/bin/sh\nexec ./own\n").expect("a file");
    std::fs::set_permissions(dir.path().join("start"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a script");
    let output = record(dir.path(), &["--symbols", "je_*"], &["./start"]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let why = "is a script, whose file defines no je_*: start the program that does, directly, after --";
    assert!(errors(&output).contains(why), "{}", errors(&output));
    let output = record(dir.path(), &["--symbols", "je_*"], &["sh", "start"]);
    assert!(errors(&output).contains("start that one directly, after --"), "{}", errors(&output));
}

#[test]
fn a_program_that_allocates_beside_malloc_gets_a_hint() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = "#include <stdlib.h>\nvoid *mi_malloc(unsigned long n) { return malloc(n); }\n\
                  int main(void) { return !mi_malloc(64); }\n";
    std::fs::write(dir.path().join("own.c"), source).expect("a file");
    for name in ["own", "python3.9"] {
        let compiled = Command::new("cc").args(["-o", name, "own.c"]).current_dir(dir.path()).status();
        assert!(compiled.expect("cc runs").success());
    }
    let said = errors(&record(dir.path(), &[], &["./own"]));
    assert!(said.contains("this program links its own allocator, mimalloc"), "{said}");
    assert!(!said.contains("PYTHONMALLOC"), "{said}");
    let said = errors(&record(dir.path(), &[], &["./python3.9"]));
    assert!(said.contains("PYTHONMALLOC=malloc"), "{said}");
    let mut command = heapsmith(dir.path());
    let output = command.env("PYTHONMALLOC", "malloc").args(["record", "--", "./python3.9"]).output();
    assert!(!errors(&output.expect("it starts")).contains("PYTHONMALLOC"), "it was given");
    let said = errors(&record(dir.path(), &[], &["sort", "/dev/null"]));
    assert!(!said.contains("own allocator"), "{said}");
    let next = said.lines().last().expect("a line").trim();
    assert!(next.starts_with("heapsmith explore record-sort/sort-"), "the next command is the last line: {said}");
}

#[test]
fn a_program_is_recorded_on_the_allocator_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    // Grows into what it has, as redis does.
    let source = "#include <malloc.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                  int main(void) { char *text = malloc(100); const char *set = getenv(\"GLIBC_TUNABLES\");\n\
                  printf(\"%s\", set ? set : \"\"); free(realloc(text, malloc_usable_size(text))); return 0; }\n";
    std::fs::write(dir.path().join("grow.c"), source).expect("a file");
    let compiled = Command::new("cc").args(["-o", "grow", "grow.c"]).current_dir(dir.path()).status();
    assert!(compiled.expect("cc runs").success());
    let output = record(dir.path(), &["-o", "on", "--peer", "libc(mxfast=0)"], &["./grow"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "glibc.malloc.mxfast=0", "{}", errors(&output));
    let inspected = |folder: &str| {
        let output = heapsmith(dir.path()).arg("inspect").args(traces(&dir.path().join(folder))).output();
        String::from_utf8_lossy(&output.expect("it starts").stdout).into_owned()
    };
    let shown = inspected("on");
    for said in ["\n  allocator=libc\n", "\n  asks-sizes=1\n", "\n  processor-ms="] {
        assert!(shown.contains(said), "{said} is not in\n{shown}");
    }
    record(dir.path(), &["-o", "own"], &["sort", "/dev/null"]);
    let shown = inspected("own");
    assert!(!shown.contains("allocator=") && !shown.contains("asks-sizes"), "{shown}");
    let output = record(dir.path(), &["--peer", "nedmalloc"], &["./grow"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("there are: libc, jemalloc, mimalloc, tcmalloc"), "{}", errors(&output));

    // What the program asks makes a difference.
    let explore = |folders: &[&str]| {
        let traces = folders.iter().flat_map(|folder| traces(&dir.path().join(folder)));
        let knobs = ["--space", "knobs", "--peer", "libc", "--pace", "0", "-o", "knobs"];
        heapsmith(dir.path()).arg("explore").args(traces).args(knobs).output().expect("the command runs")
    };
    record(dir.path(), &["-o", "grown"], &["./grow"]);
    let output = explore(&["grown"]);
    assert!(errors(&output).contains("heapsmith record --peer libc records it there"), "{}", errors(&output));
    let output = explore(&["grown", "on", "on"]);
    assert!(output.status.success() && !errors(&output).contains("record --peer"), "{}", errors(&output));
}
