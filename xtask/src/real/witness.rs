//! Whose malloc a program called: what `xtask/real/witness.c` reported from inside each of its processes.

use std::path::{Path, PathBuf};

/// Whose malloc it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// That of this library.
    Library(PathBuf),
    /// That of the library that `heapsmith run` preloads, wherever it lies, with a heap named to it.
    Run,
}

/// What one process told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The shared object that has malloc.
    pub library: PathBuf,
    /// The program's name.
    pub program: String,
    /// The spec in `HEAPSMITH_HEAP`.
    pub heap: String,
}

/// Every line of a witness's file.
pub fn parse(text: &str) -> Result<Vec<Witness>, String> {
    let parse = |line: &str| {
        let mut parts = line.split('\t').skip(1);
        let (library, program, heap) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Witness { library: library.into(), program: file_name(program), heap: heap.to_owned() })
    };
    text.lines().map(|line| parse(line).ok_or_else(|| format!("a witness said {line:?}"))).collect()
}

fn file_name(program: &str) -> String {
    Path::new(program).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Checks that the process that does the work was there, and that no process called another malloc.
pub fn check(witnesses: &[Witness], process: &str, expected: &Expected) -> Result<(), String> {
    if !witnesses.iter().any(|witness| witness.program == process) {
        let seen: Vec<&str> = witnesses.iter().map(|witness| witness.program.as_str()).collect();
        return Err(format!("no process {process} told whose malloc it calls: only {}", seen.join(", ")));
    }
    match witnesses.iter().find(|witness| !witness.is(expected)) {
        None => Ok(()),
        Some(witness) => Err(format!("{} called malloc of {}", witness.program, witness.library.display())),
    }
}

impl Witness {
    fn is(&self, expected: &Expected) -> bool {
        match expected {
            Expected::Library(library) => self.library.canonicalize().is_ok_and(|path| path == *library),
            Expected::Run => {
                file_name(&self.library.display().to_string()).contains("heapsmith") && !self.heap.is_empty()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expected, check, parse};

    /// A library that is certainly there: this test's own program.
    fn library() -> std::path::PathBuf {
        std::env::current_exe().and_then(|path| path.canonicalize()).expect("this test's program")
    }

    /// Another file that is there.
    const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

    #[test]
    fn a_process_with_another_malloc_is_found() {
        let ours = library().display().to_string();
        let text = format!("7\t{ours}\tsh\t\n8\t{ours}\t/usr/bin/perl\t\n");
        let expected = Expected::Library(library());
        assert_eq!(check(&parse(&text).expect("two witnesses"), "perl", &expected), Ok(()));
        let other = format!("{text}9\t{OTHER}\tperl\t\n");
        let error = check(&parse(&other).expect("three witnesses"), "perl", &expected).expect_err("another malloc");
        assert!(error.contains(OTHER), "{error}");
    }

    #[test]
    fn the_process_that_works_must_have_been_there() {
        let text = format!("7\t{}\tsh\t\n", library().display());
        let error =
            check(&parse(&text).expect("a witness"), "perl", &Expected::Library(library())).expect_err("no perl");
        assert!(error.contains("perl") && error.contains("sh"), "{error}");
    }

    #[test]
    fn heapsmith_run_is_told_by_its_library_and_its_heap() {
        let told = |line: &str| check(&parse(line).expect("a witness"), "perl", &Expected::Run);
        assert_eq!(told("7\t/cache/libheapsmith_preload.so\tperl\ttlsf\n"), Ok(()));
        assert!(told("7\t/cache/libheapsmith_preload.so\tperl\t\n").is_err());
        assert!(told("7\t/lib/libc.so.6\tperl\ttlsf\n").is_err());
    }

    #[test]
    fn a_broken_line_is_an_error() {
        assert!(parse("7\t/lib/libc.so.6\n").is_err());
    }
}
