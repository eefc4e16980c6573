//! What is left by runs that were killed.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Command;

use heapsmith_output::Output;

use crate::{names, read};

#[test]
fn what_a_killed_run_left_is_removed_and_what_another_run_writes_is_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let victim = dir.path().join("victim");
    std::fs::write(&victim, "kept").expect("a file");
    let mut running = Output::create(dir.path().join("running")).expect("it can be written");
    running.write_all(b"half").expect("written");
    let parts = names(dir.path());
    let part = parts.iter().find(|name| name.starts_with(".heapsmith-")).expect("a part");
    // As a run leaves them that is killed, and what only looks like one.
    for name in [".heapsmith-k1lled.part", ".heapsmith-older.parquet.part", ".other.part"] {
        std::fs::write(dir.path().join(name), "left").expect("a file");
    }
    symlink(&victim, dir.path().join(".heapsmith-link.part")).expect("a link");
    let fifo = dir.path().join(".heapsmith-fifo.part");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    // Another process: this one has looked into the folder already.
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "parts::writes_a_file"])
        .env("HEAPSMITH_TEST_OUTPUT", dir.path().join("other"))
        .output()
        .expect("it runs");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let mut expected = vec![".heapsmith-fifo.part", ".heapsmith-link.part", part, ".other.part", "other", "victim"];
    expected.sort_unstable();
    assert_eq!(names(dir.path()), expected);
    running.finish().expect("it takes its place");
    assert_eq!(read(&dir.path().join("running")), "half");
    assert_eq!(read(&victim), "kept");
}

/// The child of the test above, and nothing by itself.
#[test]
fn writes_a_file() {
    let Some(path) = std::env::var_os("HEAPSMITH_TEST_OUTPUT") else { return };
    Output::create(path).and_then(|output| output.put("whole")).expect("written");
}
