//! Whether a library took effect, on programs that it reaches and programs that it does not.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use heapsmith_launch::{
    Effect, Ended, Library, Witness, Witnessed, preloading, why_it_had_no_effect, why_nothing_will_be_preloaded,
};

use crate::bench::Bench;

fn witnessed(library: &Path, command: &[&OsStr]) -> Witnessed {
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    let witness = Witness::new().expect("a page");
    let mut command = preloading(&[library], &command);
    witness.announce(command.env("HEAPSMITH_HEAP", "tlsf").stdout(Stdio::null()));
    witness.wait(&mut command.spawn().expect("the program starts")).expect("the program ends")
}

fn words<'w>(words: &'w [&'w str]) -> Vec<&'w OsStr> {
    words.iter().map(OsStr::new).collect()
}

/// Both libraries that are preloaded, each in a file.
fn libraries(bench: &Bench) -> [std::path::PathBuf; 2] {
    let recorder = bench.folder().join("recorder.so");
    std::fs::write(&recorder, Library::Recorder.bytes().expect("the library")).expect("the library is written");
    [bench.library(), recorder]
}

#[test]
fn programs_that_a_library_reaches_are_known_however_they_end() {
    let bench = Bench::new();
    for library in libraries(&bench) {
        let took = |command: &[&str], ended: Ended| {
            let seen = witnessed(&library, &words(command));
            assert_eq!((seen.ended, &seen.effect), (ended, &Effect::Took), "{library:?} {command:?}");
        };
        took(&["ls"], Ended::Code(0));
        took(&["sh", "-c", "ls | cat; exit 7"], Ended::Code(7));
        took(&["env", "A=1", "bash", "-c", "exec ls"], Ended::Code(0));
        took(&["python3", "-c", "import os; os._exit(5)"], Ended::Code(5));
        took(&["bash", "-c", "kill -9 $$"], Ended::Signal(9));
        took(&["bash", "-c", "(env -i true); true"], Ended::Code(0));
    }
}

#[test]
fn programs_that_a_library_does_not_reach_say_why() {
    let bench = Bench::new();
    let own = bench.compile("own.c", &[]);
    for library in libraries(&bench) {
        let missed = |command: &[&OsStr], effect: Effect, why: &str| {
            let seen = witnessed(&library, command);
            assert_eq!((seen.ended, &seen.effect), (Ended::Code(0), &effect), "{library:?} {command:?}");
            let told = why_it_had_no_effect(command[0], &seen.effect).expect("a reason");
            assert!(told.contains(why), "{told}");
        };
        missed(&words(&["env", "-i", "true"]), Effect::Became("true".to_owned()), "env became true");
        missed(&words(&["sh", "-c", "exec env -i true"]), Effect::Became("true".to_owned()), "clean environment");
        missed(&[own.as_os_str()], Effect::OtherMalloc, "allocator of its own");
    }
    let nowhere = bench.folder().join("nowhere.so");
    assert_eq!(witnessed(&nowhere, &words(&["true"])).effect, Effect::NotLoaded);
}

#[test]
fn programs_that_no_library_fits_are_told_before_they_start() {
    let bench = Bench::new();
    let told = |program: &OsStr| why_nothing_will_be_preloaded(program);
    let statically = bench.compile("own.c", &["-static"]);
    assert!(told(statically.as_os_str()).is_some_and(|why| why.contains("linked statically")));
    let script = bench.folder().join("script");
    std::fs::write(&script, format!("#!{} -e\nsome text\n", statically.display())).expect("a file");
    assert!(told(script.as_os_str()).is_some_and(|why| why.contains("linked statically")), "its interpreter is");
    // The header of a program of 32 bits; where the C library for them is, a whole one.
    let narrow = bench.folder().join("narrow");
    std::fs::write(&narrow, b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0").expect("a file");
    assert!(told(narrow.as_os_str()).is_some_and(|why| why.contains("32 bits")));
    let set = bench.compile("waits.c", &[]);
    std::fs::set_permissions(&set, std::fs::Permissions::from_mode(0o4755)).expect("its owner may");
    assert_eq!(told(set.as_os_str()), None, "its owner gains nothing by the bit, and the library is loaded");
    for program in ["ls", "sh", "python3", "perl", "no-such-program"] {
        assert_eq!(told(program.as_ref()), None, "{program}");
    }
}
