//! Programs that restrict their system calls (seccomp), where what they forbid themselves ends them.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use heapsmith_launch::{Effect, Ended, Library, Witness, Witnessed, preloading};

use crate::bench::Bench;

/// Runs `forbids.c` with a library before its allocator.
fn forbids(bench: &Bench, library: &Path, heap: &str, megabytes: &str) -> Witnessed {
    let words: [OsString; 2] = [bench.folder().join("forbids").into(), megabytes.into()];
    let witness = Witness::new().expect("a page");
    let mut command = preloading(&[library], &words);
    // Statistics cannot be written at the end, and that must not end the program either.
    command.env("HEAPSMITH_HEAP", heap).env("HEAPSMITH_STATS", bench.folder().join("statistics"));
    witness.announce(&mut command);
    witness.wait(&mut command.spawn().expect("it starts")).expect("it ends")
}

#[test]
fn a_program_that_may_not_map_memory_goes_on_with_what_is_mapped() {
    let bench = Bench::new();
    let own = Command::new(bench.compile("forbids.c", &[])).arg("8").status().expect("it runs");
    assert_eq!(own.code(), Some(0), "without a library");
    let lists = "freelists(16..=1024 step 16) bins(log) word=8 threads=lists";
    for heap in ["tlsf", lists, "list word=8 threads=each", "guard(quarantine=16) tlsf word=8"] {
        let seen = forbids(&bench, &bench.library(), heap, "8");
        assert_eq!((seen.ended, seen.effect), (Ended::Code(0), Effect::Took), "{heap}");
        // More than is mapped ahead: there is no memory, and that is said rather than asked for.
        assert_eq!(forbids(&bench, &bench.library(), heap, "100").ended, Ended::Code(3), "{heap}");
    }
    let recorder = bench.folder().join("recorder.so");
    std::fs::write(&recorder, Library::Recorder.bytes().expect("the library")).expect("the library is written");
    assert_eq!(forbids(&bench, &recorder, "", "8").ended, Ended::Code(0), "recorded");
}

#[test]
fn an_end_by_a_forbidden_call_says_what_the_library_calls() {
    let told = |signal, library| Ended::Signal(signal).by_signal("it".as_ref(), library).expect("a signal");
    assert_eq!(told(9, Library::Malloc), "it was ended by signal 9");
    let told = [told(31, Library::Malloc), told(31, Library::Recorder)];
    assert!(
        told.iter().all(|told| told.contains("signal 31 (SIGSYS): a filter of system calls (seccomp)")),
        "{told:?}"
    );
    assert!(told[0].ends_with("that calls mmap, munmap, mremap, madvise and futex"), "{}", told[0]);
    assert!(told[1].contains("fallocate"), "{}", told[1]);
    assert_eq!(Ended::Code(31).by_signal("it".as_ref(), Library::Malloc), None);
}
