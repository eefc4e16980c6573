//! Recordings of boards: the recorder that is handed out, and what comes live.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use heapsmith_trace::Trace;
use tempfile::TempDir;

fn heapsmith() -> Command {
    Command::new(env!("CARGO_BIN_EXE_heapsmith"))
}

/// A program that records 20 requests and ends without an end, and its stream.
fn stream(folder: &TempDir) -> Vec<u8> {
    let recorder = folder.path().join("recorder");
    let written = heapsmith().args(["record", "--board"]).arg(&recorder).output().expect("it runs");
    let said = String::from_utf8_lossy(&written.stderr).into_owned();
    assert!(written.status.success() && said.contains("wrote ") && said.contains("heapsmith_trace.h"), "{said}");
    let source = folder.path().join("main.c");
    let program = "#include \"heapsmith_trace.h\"\nint main(void) { for (unsigned long at = 1; at <= 10; at++) { \
                   heapsmith_trace_allocate((void *)(at * 64), at, 0); if (at > 1) heapsmith_trace_free((void *)(at * 64)); } \
                   heapsmith_trace_drain(); return 0; }\n";
    std::fs::write(&source, program).expect("it is written");
    let mut cc = Command::new("cc");
    cc.arg("-DHEAPSMITH_TRACE_FILE").arg("-I").arg(&recorder).arg(&source).arg(recorder.join("heapsmith_trace.c"));
    assert!(cc.arg("-o").arg(folder.path().join("main")).status().expect("cc runs").success());
    let program = Command::new(folder.path().join("main")).current_dir(folder.path()).status();
    assert!(program.expect("it runs").success());
    std::fs::read(folder.path().join("heap.trace")).expect("its stream")
}

fn events(path: &Path) -> usize {
    Trace::read(path).expect("a trace").events.len()
}

#[test]
fn the_recorder_that_is_handed_out_makes_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    stream(&folder);
    let out = folder.path().join("board.parquet");
    let import = heapsmith().arg("import").arg(folder.path().join("heap.trace")).arg("-o").arg(&out).output();
    let said = String::from_utf8_lossy(&import.expect("it runs").stderr).into_owned();
    assert!(said.contains("19 events, at most"), "{said}");
    assert_eq!(events(&out), 19);
}

#[test]
fn what_comes_live_is_written_at_its_end_and_at_ctrl_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let stream = stream(&folder);
    let (fifo, out) = (folder.path().join("port"), folder.path().join("live.parquet"));
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    for interrupted in [false, true] {
        let mut import = heapsmith();
        import.arg("import").arg(&fifo).args(["--follow", "-o"]).arg(&out).stderr(Stdio::piped());
        let child = import.spawn().expect("it runs");
        let mut port = File::options().write(true).open(&fifo).expect("a pipe");
        // A part of a mark, then a part of an event.
        for part in [&stream[..11], &stream[11..100], &stream[100..104]] {
            port.write_all(part).expect("it is read");
            thread::sleep(Duration::from_millis(150));
        }
        if interrupted {
            let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(kill.expect("kill runs").success());
        } else {
            port.write_all(&stream[104..]).expect("it is read");
            drop(port);
        }
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let whole = if interrupted { (104 - 24) / 8 - 2 } else { 19 };
        assert!(events(&out) >= whole && events(&out) <= 19, "{said}");
        assert!(said.contains("ends within an event") || said.contains("live at once"), "{said}");
    }
}

#[test]
fn live_reading_refuses_what_it_cannot_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("live.parquet");
    let refused = |arguments: &[&str], code: i32, why: &str| {
        let mut import = heapsmith();
        let output =
            import.arg("import").args(arguments).arg("--follow").arg("-o").arg(&out).stdin(Stdio::null()).output();
        let output = output.expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!out.exists(), "nothing is left");
    };
    refused(&["/dev/zero"], 4, "cannot set /dev/zero");
    refused(&["nowhere"], 4, "cannot open nowhere");
    refused(&[env!("CARGO_MANIFEST_DIR"), "--as", "drr"], 2, "none of it");
    refused(&["Cargo.toml"], 3, "no recording that is known");
    refused(&["Cargo.toml", "--baud", "115200"], 2, "no serial port");
}
