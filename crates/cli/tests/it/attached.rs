//! `heapsmith record --pid`: programs that run already, and run on.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use crate::trust::is_root;

/// Sends a process a signal.
fn kill(process: u32, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// A program that runs, and what it prints.
struct Program {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it, and waits for its first line.
    fn start(command: &mut Command) -> Program {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it prints");
        assert_eq!(line, "begun\n");
        Program { child, output }
    }

    fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Ends it; every block that it looked at was right.
    fn ends_well(mut self) {
        kill(self.child.id(), "TERM");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("it prints");
        assert_eq!(rest, "0 wrong\n");
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// Words of the tables of a process's modules that lead to a recorder.
fn words_to_the_recorder(process: &str) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect("its map");
    let mappings = maps.lines().map(|line| {
        let (range, rest) = line.split_once(' ').expect("a range");
        let (start, end) = range.split_once('-').expect("two addresses");
        let number = |text: &str| u64::from_str_radix(text, 16).expect("an address");
        (number(start)..number(end), rest)
    });
    let (recorders, others): (Vec<_>, Vec<_>) = mappings.partition(|(_, rest)| rest.contains("/heapsmith-recorder-"));
    assert!(!recorders.is_empty(), "it stays loaded");
    let memory = std::fs::File::open(format!("/proc/{process}/mem")).expect("its memory");
    let tables = others
        .iter()
        .filter(|(_, rest)| !rest.starts_with("r-x") && (rest.ends_with("/exchange") || rest.contains("/libc.so")));
    let words = tables.flat_map(|(range, _)| {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        memory.read_exact_at(&mut bytes, range.start).expect("its memory");
        bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect::<Vec<u64>>()
    });
    words.filter(|word| recorders.iter().any(|(range, _)| range.contains(word))).count()
}

/// A test that fails leaves nothing running.
impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn compiled(dir: &Path, options: &[&str]) -> PathBuf {
    compiled_of(dir, "exchange", options)
}

/// One of the programs that recordings are tested with.
fn compiled_of(dir: &Path, name: &str, options: &[&str]) -> PathBuf {
    let source = format!("{}/../recording/tests/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let program = dir.join(name);
    let made = Command::new("cc").args(["-O1", "-pthread"]).args(options).arg(source).arg("-o").arg(&program).status();
    assert!(made.expect("a compiler").success());
    program
}

fn record(dir: &Path, process: &str, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("COLUMNS", "1000").args(["record", "--pid", process]).args(options);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the list says of the one process, with which it ends.
fn row(output: &Output) -> serde_json::Value {
    let said = errors(output);
    let list = &said[said.find("[\n").expect("a list")..];
    serde_json::from_str::<serde_json::Value>(list).expect("it ends with JSON")[0].take()
}

/// The only trace in a folder, which replays with every block verified. Says how many events it has.
fn events(dir: &Path, folder: &str) -> u64 {
    let traces: Vec<PathBuf> =
        std::fs::read_dir(dir.join(folder)).expect("a folder").flatten().map(|entry| entry.path()).collect();
    assert!(traces.len() == 1 && traces[0].extension().is_some_and(|end| end == "parquet"), "{traces:?}");
    let replay = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(["replay", "--verify", "--heap", "tlsf"])
        .arg(&traces[0])
        .output()
        .expect("the command runs");
    assert!(replay.status.success(), "{}", errors(&replay));
    let head = errors(&replay);
    let words: Vec<&str> = head.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "events,").expect("a number of events");
    words[at - 1].replace(',', "").parse().expect("a number")
}

#[test]
fn threads_are_recorded_for_a_while_as_often_as_one_likes() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = Program::start(Command::new(compiled(dir.path(), &[])).arg("3"));
    for options in [&["--sites"][..], &[], &[]] {
        let folder = "traces";
        let options = [&["--for", "1s", "-o", folder], options].concat();
        let output = record(dir.path(), &program.id(), &options).output().expect("it runs");
        assert!(output.status.success(), "{}", errors(&output));
        let said = errors(&output);
        assert!(said.contains("it runs on") && said.contains("slow-down:"), "{said}");
        assert!(said.contains("from before the recording"), "{said}");
        assert!(events(dir.path(), folder) > 1000);
        assert_eq!(words_to_the_recorder(&program.id()), 0);
        // The next one goes by the same name.
        std::fs::remove_dir_all(dir.path().join(folder)).expect("it is removed");
    }
    program.ends_well();
}

/// There, what the program takes from a library has an address in the program.
#[test]
fn a_program_at_a_fixed_address_is_recorded() {
    for binding in ["-Wl,-z,lazy", "-Wl,-z,now"] {
        let dir = tempfile::tempdir().expect("a folder");
        let program = Program::start(Command::new(compiled(dir.path(), &["-no-pie", "-fno-pic", binding])).arg("2"));
        let options = ["--for", "1", "-o", "traces", "--format", "json"];
        let output = record(dir.path(), &program.id(), &options).output().expect("it runs");
        assert!(output.status.success(), "{}", errors(&output));
        let row = row(&output);
        let count = |name: &str| row[name].as_u64().expect("a number");
        // Half of the blocks are reallocated: only where malloc is not recorded are they mostly unknown.
        assert!(count("allocations") > 10 * count("unknown_reallocations"), "{row}");
        assert!(events(dir.path(), "traces") > 1000);
        program.ends_well();
    }
}

#[test]
fn a_thread_that_was_held_has_its_registers_as_they_were() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = Program::start(&mut Command::new(compiled_of(dir.path(), "registers", &["-mno-red-zone"])));
    for folder in ["one", "two", "three"] {
        let options = ["--for", "1", "-o", folder, "--format", "json"];
        let output = record(dir.path(), &program.id(), &options).output().expect("it runs");
        assert!(output.status.success(), "{}", errors(&output));
        let row = row(&output);
        assert_eq!(row["threads"], 1);
        assert!(events(dir.path(), folder) > 10);
    }
    program.ends_well();
}

/// It is held at its calls of the allocator, and later at those of the recorder's hooks.
#[test]
fn a_program_that_makes_no_system_call_is_recorded() {
    for (options, folders) in
        [(&["-pie", "-fPIE"][..], &["one", "two", "three"][..]), (&["-no-pie", "-fno-pic"], &["one"])]
    {
        let dir = tempfile::tempdir().expect("a folder");
        let program = Program::start(&mut Command::new(compiled_of(dir.path(), "busy", options)));
        for folder in folders {
            let options = ["--for", "1", "-o", folder, "--format", "json"];
            let output = record(dir.path(), &program.id(), &options).output().expect("it runs");
            assert!(output.status.success(), "{}", errors(&output));
            let row = row(&output);
            assert!(row["unknown_frees"].as_u64().expect("a number") <= 64 && row["missed_frees"] == 0, "{row}");
            assert!(events(dir.path(), folder) > 1000);
        }
        program.ends_well();
    }
}

#[test]
fn an_interrupt_ends_the_recording_and_not_the_program() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = Program::start(Command::new(compiled(dir.path(), &[])).arg("1"));
    let child = record(dir.path(), &program.id(), &["-o", "traces"]).spawn().expect("it runs");
    std::thread::sleep(Duration::from_secs(1));
    kill(child.id(), "INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(events(dir.path(), "traces") > 1000);
    program.ends_well();
}

#[test]
fn one_command_records_at_a_time_and_the_next_takes_over_from_one_that_was_killed() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = Program::start(Command::new(compiled(dir.path(), &[])).arg("2"));
    let mut first = record(dir.path(), &program.id(), &["-o", "first"]).spawn().expect("it runs");
    std::thread::sleep(Duration::from_secs(1));
    let second = record(dir.path(), &program.id(), &["--for", "1", "-o", "second"]).output().expect("it runs");
    assert_eq!(second.status.code(), Some(4));
    assert!(errors(&second).contains("recorded by another heapsmith"), "{}", errors(&second));
    assert!(!dir.path().join("second").exists(), "nothing is left behind");
    first.kill().expect("it is killed");
    first.wait().expect("it is gone");
    let third = record(dir.path(), &program.id(), &["--for", "1", "-o", "third"]).output().expect("it runs");
    assert!(third.status.success(), "{}", errors(&third));
    assert!(events(dir.path(), "third") > 1000);
    program.ends_well();
}

#[test]
fn a_program_that_ends_meanwhile_leaves_a_whole_trace() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = Program::start(Command::new(compiled(dir.path(), &[])).arg("2"));
    let child = record(dir.path(), &program.id(), &["-o", "traces"]).spawn().expect("it runs");
    std::thread::sleep(Duration::from_secs(1));
    program.ends_well();
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("it has ended"), "{}", errors(&output));
    assert!(events(dir.path(), "traces") > 1000);
}

/// Such a process cannot write to the caller's folder, and perhaps does not see it.
#[test]
fn another_users_program_and_one_that_sees_other_files_are_recorded() {
    let dir = tempfile::tempdir().expect("a folder");
    if !is_root(dir.path()) {
        return;
    }
    let program = compiled(dir.path(), &[]).to_string_lossy().into_owned();
    // The folder of a test is its user's alone; the program is started from a copy.
    let public = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir();
    let public = public.expect("a folder").keep();
    let copy = public.join("exchange").to_string_lossy().into_owned();
    std::fs::copy(&program, &copy).expect("a copy");
    let as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", &copy, "2"];
    let elsewhere = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /var/tmp && exec \"$0\" 2", &copy];
    for (folder, command) in [("nobody", &as_nobody[..]), ("elsewhere", &elsewhere)] {
        let program = Program::start(Command::new(command[0]).args(&command[1..]));
        let output = record(dir.path(), &program.id(), &["--for", "1", "-o", folder]).output().expect("it runs");
        assert!(output.status.success(), "{folder}: {}", errors(&output));
        assert!(events(dir.path(), folder) > 1000);
        let left = Path::new("/proc").join(program.id()).join("root/var/tmp");
        let left = std::fs::read_dir(left).expect("its files").flatten().map(|entry| entry.file_name());
        let name = format!("heapsmith-{}-", program.id());
        assert_eq!(left.filter(|left| left.to_string_lossy().starts_with(&name)).count(), 0, "nothing is left behind");
        program.ends_well();
    }
    std::fs::remove_dir_all(public).expect("the folder is removed");
}

#[test]
fn what_cannot_be_recorded_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().expect("a folder");
    let refused = |process: &str, code: i32, why: &str| {
        let output = record(dir.path(), process, &["--for", "1"]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(errors(&output).contains(why), "{}", errors(&output));
        let left = std::fs::read_dir(dir.path()).expect("a folder").flatten().map(|entry| entry.file_name());
        assert_eq!(left.filter(|left| left != "exchange").count(), 0, "nothing is left behind");
    };
    refused("4194303", 2, "no process 4194303 runs");
    let program = Program::start(Command::new(compiled(dir.path(), &[])).arg("2"));
    let task = Path::new("/proc").join(program.id()).join("task");
    let threads = std::fs::read_dir(task).expect("threads").flatten().map(|entry| entry.file_name());
    let thread = threads.map(|name| name.to_string_lossy().into_owned()).find(|name| *name != program.id());
    refused(&thread.expect("a second thread"), 2, &format!("use --pid {}", program.id()));
    program.ends_well();
    let program = Program::start(Command::new(compiled(dir.path(), &["-static"])).arg("1"));
    refused(&program.id(), 4, "is linked statically");
    for (option, why) in [("--symbols", "heapsmith record --symbols 'je_*' -- PROGRAM"), ("--only", "leave --only out")]
    {
        let output = record(dir.path(), &program.id(), &[option, "je_*"]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }
    program.ends_well();
}
