//! The agent in virtual machines that are too old, or can do too little: the program runs, and standard error says why
//! nothing is recorded.

use std::path::Path;
use std::process::Command;

use heapsmith_launch::Library;
use heapsmith_recording::{Launch, why_no_jvm_was_recorded};

use super::INSTALL;

#[test]
fn a_jvm_that_is_too_old_or_can_do_too_little_is_told_so_and_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (machine, agent) = (folder.path().join("machine"), folder.path().join("agent.so"));
    std::fs::write(&agent, Library::Agent.bytes().expect("the library")).expect("the agent is written");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/machine.c");
    let compiled = Command::new("cc").args(["-Wall", "-Werror", "-o"]).arg(&machine).arg(source).arg("-ldl").status();
    assert!(compiled.is_ok_and(|status| status.success()), "the program compiles: {INSTALL}");
    let expected = [
        ("old", "is older than Java 11"),
        ("lies", "is older than Java 11"),
        ("poor", "has no can_generate_sampled_object_alloc_events"),
        ("refuses", "does not grant"),
    ];
    for (kind, says) in expected {
        let output = Command::new(&machine)
            .arg(&agent)
            .arg(kind)
            .env("HEAPSMITH_RECORD", folder.path())
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{kind}: the program runs: {errors}");
        assert!(errors.contains(says) && errors.contains("nothing of this JVM is recorded"), "{kind}: {errors}");
        assert!(errors.contains("JDK"), "{kind}: it says how to mend it: {errors}");
        assert!(Launch::recordings(folder.path()).expect("a folder").is_empty(), "{kind}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_said_and_the_program_runs() {
    let place = super::Place::new();
    let output = Command::new("java")
        .args(["-Xint", "-cp", ".", "Trees", "3", "1"])
        .current_dir(place.folder.path())
        .env("JAVA_TOOL_OPTIONS", format!("-agentpath:{}", place.agent().display()))
        .env("HEAPSMITH_RECORD", place.folder.path().join("nowhere"))
        .output();
    let output = output.unwrap_or_else(|error| panic!("java: {error}: {INSTALL}"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "7\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no file can be written"));
}

#[test]
fn a_program_that_is_no_jvm_is_told_to_leave_the_option_out() {
    let why = why_no_jvm_was_recorded("ls".as_ref());
    assert!(why.contains("heapsmith record -- ls") && why.contains("JDK 11 or later"), "{why}");
}
