//! The corpus through every target, without a fuzzer: what was found stays found.

use heapsmith_fuzz::{TARGETS, Target};

/// Bytes of all files of the corpus, and of one.
const ALL: usize = 300_000;
const ONE: usize = 40_000;

/// The files of a target's corpus, each with its name.
fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = target.corpus();
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("a file")))
        .collect();
    files.sort();
    files
}

/// Tries bytes that were made of a file; a finding names both.
fn attempt(target: &Target, file: &str, change: &str, bytes: &[u8]) {
    let tried = std::panic::catch_unwind(|| target.attempt(bytes));
    assert!(tried.is_ok(), "{}: {file}, {change}", target.name);
}

/// One test, as the memory that an attempt takes is that of the process.
#[test]
fn the_corpus_and_lengths_that_lie_are_read_or_refused() {
    heapsmith_trace::silence_damaged_files();
    for target in &TARGETS {
        // The first attempt makes what is kept for all.
        let _ = std::panic::catch_unwind(|| target.attempt(b""));
        for (file, bytes) in corpus(target) {
            attempt(target, &file, "as it is", &bytes);
            attempt(target, &file, "cut in two", &bytes[..bytes.len() / 2]);
            lengths_that_lie(target, &file, &bytes);
        }
    }
}

/// Places of a file that are changed.
const PLACES: usize = 40;

/// Every word of a file, or some of many, as the largest and as a large number; in either order of bytes they are as bad.
fn lengths_that_lie(target: &Target, file: &str, bytes: &[u8]) {
    let step = (bytes.len() / PLACES).max(1);
    for at in (0..bytes.len().saturating_sub(4)).step_by(step) {
        for lie in [[0xff, 0xff, 0xff, 0xff], [0xff, 0xff, 0xff, 0x7f], [0, 0, 0, 0x10]] {
            let mut changed = bytes.to_vec();
            changed[at..at + 4].copy_from_slice(&lie);
            attempt(target, file, &format!("{lie:x?} at {at}"), &changed);
        }
    }
}

#[test]
fn every_target_has_a_small_corpus() {
    let mut folders: Vec<String> = TARGETS[0]
        .corpus()
        .parent()
        .expect("the corpus")
        .read_dir()
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    names.sort();
    assert_eq!(folders, names);
    let sizes: Vec<(String, usize)> =
        TARGETS.iter().flat_map(corpus).map(|(file, bytes)| (file, bytes.len())).collect();
    assert!(TARGETS.iter().all(|target| !corpus(target).is_empty()));
    assert!(sizes.iter().all(|(_, size)| *size <= ONE), "{sizes:?}");
    assert!(sizes.iter().map(|(_, size)| size).sum::<usize>() <= ALL);
}
