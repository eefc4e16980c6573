//! The agent in real Java virtual machines, on programs that are compiled here.

mod agent;
mod objects;
mod slots;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heapsmith_launch::Library;
use heapsmith_recording::{JavaLaunch, Launch, Recorded, Recording, decode};
use heapsmith_trace::Bytes;

/// What the tests need, said where it is missing.
const INSTALL: &str = "install default-jdk-headless and build-essential";

/// A folder with the programs' classes and the agent's recordings.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let compiled = Command::new("javac")
            .arg("-d")
            .arg(folder.path())
            .args([programs.join("Trees.java"), programs.join("Arrays.java")])
            .status();
        assert!(compiled.is_ok_and(|status| status.success()), "javac compiles the programs: {INSTALL}");
        std::fs::write(folder.path().join("agent.so"), Library::Agent.bytes().expect("the library"))
            .expect("the agent is written");
        Place { folder }
    }

    fn agent(&self) -> PathBuf {
        self.folder.path().join("agent.so")
    }

    fn recordings(&self) -> Vec<PathBuf> {
        Launch::recordings(self.folder.path()).expect("a folder")
    }

    /// Starts a command with the agent.
    fn start(&self, command: &[&str], gc_every: Option<u64>) -> Output {
        let agent = self.agent();
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        let launch =
            JavaLaunch { command: &command, agent: &agent, folder: self.folder.path(), gc_every: gc_every.map(Bytes) };
        let output = launch.command().current_dir(self.folder.path()).output();
        output.unwrap_or_else(|error| panic!("{}: {error}: {INSTALL}", command[0].display()))
    }

    /// Runs a Java program, and gives what it wrote and its recording.
    fn java(&self, options: &[&str], program: &[&str], gc_every: Option<u64>) -> (String, Recorded) {
        let command = [&["java", "-Xmx256m", "-cp", "."], options, program].concat();
        let output = self.start(&command, gc_every);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let recordings = self.recordings();
        assert_eq!(recordings.len(), 1, "{}", String::from_utf8_lossy(&output.stderr));
        let recorded = read(&recordings[0]);
        std::fs::remove_file(&recordings[0]).expect("the recording goes");
        (String::from_utf8_lossy(&output.stdout).trim().to_owned(), recorded)
    }
}

fn read(path: &Path) -> Recorded {
    decode(&Recording::open(path).expect("a recording")).expect("a whole recording")
}
