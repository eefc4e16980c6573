//! The library in a folder of a test's own, and programs in C that are compiled there and run on it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_launch::{Library, preloading};

pub struct Bench(tempfile::TempDir);

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a folder"));
        std::fs::write(bench.library(), Library::Malloc.bytes().expect("the library")).expect("the library is written");
        bench
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn library(&self) -> PathBuf {
        self.0.path().join("preload.so")
    }

    pub fn compile(&self, source: &str, arguments: &[&str]) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
        let to = self.0.path().join(source).with_extension("");
        let output = Command::new("cc")
            .args(["-O1", "-g", "-pthread", "-fno-builtin", "-Wall", "-Wno-use-after-free", "-o"])
            .args([&to, &from])
            .args(arguments)
            .output()
            .expect("cc runs; install build-essential");
        assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
        to
    }

    pub fn on(&self, heap: &str, program: &[&OsStr]) -> Command {
        let words: Vec<_> = program.iter().map(|word| (*word).to_owned()).collect();
        let mut command = preloading(&self.library(), &words);
        command.env("HEAPSMITH_HEAP", heap).env("HEAPSMITH_CHECK", "1");
        command
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
