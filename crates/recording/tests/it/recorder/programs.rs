//! Programs compiled for the tests, and run with the recorder in front of their allocator.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use heapsmith_launch::{Ended, Library, Witness, Witnessed};
use heapsmith_recording::{Launch, OwnFunctions, Recorded, Recording, decode};
use heapsmith_trace::{Action, PackedTrace};

/// A folder with the library, a program, and the program's recordings.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench { folder: tempfile::tempdir().expect("a folder") };
        std::fs::write(bench.library(), Library::Recorder.bytes().expect("the library"))
            .expect("the library is written");
        std::fs::create_dir(bench.recordings()).expect("a folder");
        bench
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn library(&self) -> PathBuf {
        self.path().join("recorder.so")
    }

    pub fn recordings(&self) -> PathBuf {
        self.path().join("recordings")
    }

    /// Compiles a program of this folder.
    pub fn compile(&self, source: &str) -> OsString {
        self.compile_with(source, &[])
    }

    /// Compiles a library of this folder, which is loaded between the recorder and the C library.
    pub fn compile_library(&self, source: &str) -> OsString {
        self.compile_with(source, &["-shared".as_ref(), "-fPIC".as_ref()])
    }

    /// Compiles with more arguments.
    pub fn compile_with(&self, source: &str, arguments: &[&OsStr]) -> OsString {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
        let to = self.path().join(source).with_extension("");
        let compiler = if source.ends_with(".cpp") { "c++" } else { "cc" };
        let output = Command::new(compiler)
            .args(["-O1", "-pthread", "-fno-builtin", "-w", "-o"])
            .args([&to, &from])
            .args(arguments)
            .output()
            .unwrap_or_else(|error| panic!("{compiler}: {error}; install build-essential"));
        assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
        to.into_os_string()
    }

    /// Runs a program to its end; its recordings are in the folder then.
    pub fn run(&self, command: &[OsString]) -> Ended {
        self.start(command).wait().expect("the program ends").into()
    }

    /// Runs a program to its end, and returns whether the recorder took effect.
    pub fn witnessed(&self, command: &[OsString]) -> Witnessed {
        let (library, folder) = (self.library(), self.recordings());
        let witness = Witness::new().expect("a page");
        let mut command =
            Launch { command, library: &library, folder: &folder, frames: 0, every: 1, allocator: None, own: None }
                .command();
        witness.announce(&mut command);
        let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
        witness.wait(&mut child).expect("the program ends")
    }

    /// Starts a program.
    pub fn start(&self, command: &[OsString]) -> Child {
        self.start_with_sites(command, 0)
    }

    /// Starts a program, to record this many frames of call sites.
    pub fn start_with_sites(&self, command: &[OsString], frames: u8) -> Child {
        self.start_on(command, frames, None)
    }

    /// Starts a program, to record its own functions.
    pub fn start_on(&self, command: &[OsString], frames: u8, own: Option<&OwnFunctions>) -> Child {
        let (library, folder) = (self.library(), self.recordings());
        let launch = Launch { command, library: &library, folder: &folder, frames, every: 1, allocator: None, own };
        launch.command().stdout(Stdio::null()).spawn().expect("the program starts")
    }

    /// Runs a program to its end, with one block in `every` recorded and call sites of one frame.
    pub fn run_sampled(&self, command: &[OsString], every: u32) -> Ended {
        let (library, folder) = (self.library(), self.recordings());
        let launch =
            Launch { command, library: &library, folder: &folder, frames: 1, every, allocator: None, own: None };
        launch.command().stdout(Stdio::null()).status().expect("the program runs").into()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        Launch::recordings(&self.recordings()).expect("the folder is there")
    }

    /// All recordings as traces; each must be one that can be replayed.
    pub fn recorded(&self) -> Vec<Recorded> {
        let files = self.files();
        files.iter().map(|file| read(file)).collect()
    }

    /// The only recording.
    pub fn only(&self) -> Recorded {
        let mut recorded = self.recorded();
        assert_eq!(recorded.len(), 1);
        recorded.remove(0)
    }
}

/// A recording as a trace that can be replayed.
pub fn read(file: &Path) -> Recorded {
    let recorded = Recording::open(file).and_then(|recording| decode(&recording)).expect("a good recording");
    let packed = PackedTrace::new(&recorded.trace).expect("a trace that a heap can serve");
    assert_eq!(packed.requested_peak, recorded.live_peak);
    recorded
}

/// How often this size was allocated.
pub fn allocations_of(recorded: &Recorded, bytes: u64) -> usize {
    let events = recorded.trace.events.iter();
    events.filter(|event| matches!(event.action, Action::Allocate { size, .. } if size.0 == bytes)).count()
}

pub fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}
