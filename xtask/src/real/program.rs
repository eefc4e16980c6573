//! What a program is here: how its inputs are made, how it is started, and what of its output is compared.
//!
//! ```text
//!   Program ──prepare──▶ Inputs          once
//!      └─────task(inputs, scratch)──▶ Task    for every run, in a scratch folder that is empty
//! ```

use std::path::{Path, PathBuf};

use crate::run::{Outcome, root};
use crate::tools::Tool;

/// A real program with something to do.
pub struct Program {
    /// What it is called on the command line and in tables.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Whether several of its threads allocate, so that heaps that differ in what becomes of threads differ here.
    pub threads: bool,
    /// Whether it is a test of allocators, which does nothing else; of these the clock counts, of others processor time.
    pub benchmark: bool,
    /// Calls of malloc that it makes at the very least; one that makes fewer goes past what is preloaded.
    pub min_calls: u64,
    /// Packages that it needs.
    pub tools: &'static [Tool],
    /// Makes its inputs.
    pub prepare: fn(&Inputs) -> Outcome,
    /// How it is run, in a scratch folder.
    pub task: fn(&Inputs, &Path) -> Task,
}

/// Where a program's inputs lie, and how large they are.
pub struct Inputs {
    /// A folder of the program's own.
    pub folder: PathBuf,
    /// Whether everything is to be small.
    pub quick: bool,
}

impl Inputs {
    /// A number that says how much there is to do.
    pub fn amount(&self, whole: u32, quick: u32) -> String {
        if self.quick { quick } else { whole }.to_string()
    }

    /// The path of an input.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// The path of a sample program.
    pub fn sample(&self, name: &str) -> String {
        root().join("xtask/real").join(name).display().to_string()
    }
}

/// A program and its arguments.
pub type Words = Vec<String>;

/// Words from text without spaces inside them.
pub fn words(text: &[&str]) -> Words {
    text.iter().map(|&word| word.to_owned()).collect()
}

/// One run of a program: what to start, and what its output is.
pub struct Task {
    /// What is started, with the allocator.
    pub command: Words,
    /// More for its environment.
    pub environment: Vec<(&'static str, String)>,
    /// The process that does the work, by the name of its program.
    pub process: &'static str,
    /// Whether it is linked with an allocator other than the C library's, which has to be put aside for that.
    pub brings_allocator: bool,
    /// For a server: what its clients do.
    pub client: Option<Client>,
    /// Run afterwards without the allocator: what they print belongs to the output.
    pub evidence: Vec<Words>,
    /// What of the standard output is the same in every run.
    pub lasting: fn(&str) -> String,
    /// What must be in the output, whatever it is on glibc.
    pub proof: &'static str,
}

impl Task {
    /// A program whose whole output is compared.
    pub fn new(process: &'static str, command: Words) -> Task {
        Task {
            command,
            environment: Vec::new(),
            process,
            brings_allocator: false,
            client: None,
            evidence: Vec::new(),
            lasting: str::to_owned,
            proof: "",
        }
    }
}

/// What a server's clients do, none of them with the allocator.
pub struct Client {
    /// Succeeds as soon as the server answers.
    pub ready: Words,
    /// In this order, and timed.
    pub steps: Vec<Step>,
    /// Ends the server.
    pub stop: Words,
}

/// One thing that clients do.
pub struct Step {
    /// The client.
    pub command: Words,
    /// Whether its output is the same in every run.
    pub compared: bool,
}
