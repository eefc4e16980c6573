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
        // What is undefined in C++ stays as it is written: without optimisation, and without warnings.
        let (compiler, options) = match from.extension().is_some_and(|extension| extension == "cpp") {
            true => ("c++", ["-std=c++17", "-O0", "-w"]),
            false => ("cc", ["-O1", "-Wall", "-Wno-use-after-free"]),
        };
        let output = Command::new(compiler)
            .args(options)
            .args(["-g", "-pthread", "-fno-builtin", "-o"])
            .args([&to, &from])
            .args(arguments)
            .output()
            .expect("cc and c++ run; install build-essential");
        assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
        to
    }

    pub fn on(&self, heap: &str, program: &[&OsStr]) -> Command {
        let words: Vec<_> = program.iter().map(|word| (*word).to_owned()).collect();
        let mut command = preloading(&[&self.library()], &words);
        command.env("HEAPSMITH_HEAP", heap).env("HEAPSMITH_CHECK", "1");
        command
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
