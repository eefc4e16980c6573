//! What can go wrong between a file and its trace.

use std::io;
use std::path::{Path, PathBuf};

use heapsmith_import::{ImportError, over_budget};
use heapsmith_trace::TraceError;
use heapsmith_trace::memory::OverBudget;

/// Whose fault an error is; a command chooses its exit code by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The caller asked for something that there is not.
    WrongUse,
    /// The file is not what it should be.
    BadInput,
    /// The system refused.
    Environment,
}

/// Why [`load()`](crate::load()) gave no trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No workload or importer of that name.
    #[error("there is no workload or importer {name:?}{}; there are {known}", did_you_mean(.near))]
    UnknownWorkload {
        /// What was asked for.
        name: String,
        /// The name that is most like it, if one is.
        near: Option<String>,
        /// All names.
        known: String,
    },
    /// No workload of the name after `workload:`.
    #[error("there is no workload {name:?} that works without a file{}; there are {known}", did_you_mean(.near))]
    UnknownAlone {
        /// What was asked for.
        name: String,
        /// The name that is most like it, if one is.
        near: Option<String>,
        /// All names of such workloads.
        known: String,
    },
    /// A workload that reads a file was named in place of one.
    #[error("{workload} reads {wants}: name the file, and add --as {workload}")]
    NeedsInput {
        /// The workload.
        workload: &'static str,
        /// What it reads.
        wants: &'static str,
    },
    /// A workload that needs no file got one.
    #[error("{workload} reads no file: write workload:{workload} in place of the file, and leave out --as")]
    NeedsNoInput {
        /// The workload.
        workload: &'static str,
    },
    /// A workload that reads a trace got something else.
    #[error(
        "{} is not a trace, which {workload} reads: make one with `heapsmith import` or `heapsmith record` first",
        path.display()
    )]
    WantsTrace {
        /// The file.
        path: PathBuf,
        /// The workload.
        workload: &'static str,
    },
    /// A heap for a recorded program that is smaller than what lives in it.
    #[error("java: heap={heap} is too small: {min} bytes live at once; give at least that, or leave it at auto")]
    HeapTooSmall {
        /// The heap that was asked for.
        heap: String,
        /// The least that would do.
        min: u64,
    },
    /// A workload was named in place of a file, and another by `--as`.
    #[error("workload:{workload} says what makes the trace: leave out --as")]
    NamedTwice {
        /// The workload in place of the file.
        workload: &'static str,
    },
    /// The input is no trace, and nothing says what to make of it.
    #[error("{} is {what}, not a trace: say what to make of it with --as {fits}", path.display())]
    NoWorkload {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// The workloads that take it.
        fits: String,
    },
    /// The workload does not read this kind of input.
    #[error(
        "{} is {what}, which {workload} does not read (its input: {wants}); {fits} does",
        path.display()
    )]
    WrongInput {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// The workload.
        workload: &'static str,
        /// What the workload reads.
        wants: &'static str,
        /// The workloads that take it.
        fits: String,
    },
    /// A workload or parameters were named for a file that is a trace already.
    #[error("{} is a trace already: leave out --as and --set", path.display())]
    AlreadyTrace {
        /// The file.
        path: PathBuf,
    },
    /// No parameter of that name.
    #[error("{workload} has no parameter {name:?}{}; it has {known}", did_you_mean(.near))]
    UnknownParameter {
        /// The workload.
        workload: &'static str,
        /// What was set.
        name: String,
        /// The name that is most like it, if one is.
        near: Option<String>,
        /// All names.
        known: String,
    },
    /// A parameter's value makes no sense.
    #[error("{workload}: {name}={value} makes no sense; it takes {wanted}")]
    BadParameter {
        /// The workload.
        workload: &'static str,
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// What would make sense.
        wanted: &'static str,
    },
    /// The file cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Reading stopped: the system refused, or the compression is damaged.
    #[error("cannot read {} {place}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// How far reading came.
        place: String,
        /// What the system or the decoder said.
        source: io::Error,
    },
    /// Holding what was read so far takes more memory than the budget allows.
    #[error("{}: {place}: {source}", path.display())]
    OverBudget {
        /// The file.
        path: PathBuf,
        /// How far reading came.
        place: String,
        /// The budget.
        source: OverBudget,
    },
    /// The file has no bytes.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file is of no known kind.
    #[error(
        "unrecognised input format: {}. Pass --as NAME; `heapsmith workloads` lists the formats",
        path.display()
    )]
    Unrecognized {
        /// The file.
        path: PathBuf,
    },
    /// A capture of a kind of network that is not read.
    #[error("{} has link type {number}; read are {known}", path.display())]
    LinkType {
        /// The file.
        path: PathBuf,
        /// Its link type.
        number: i32,
        /// The link types that are read.
        known: &'static str,
    },
    /// A record of a capture is damaged.
    #[error(
        "{}: record {record}: {cause}; --set keep-damaged=yes takes what comes before it",
        path.display()
    )]
    Record {
        /// The file.
        path: PathBuf,
        /// The record, from 1.
        record: u64,
        /// What was wrong.
        cause: String,
    },
    /// A line of a log or list does not parse.
    #[error("{}: line {line}: {cause}: {text}; --set keep-damaged=yes leaves such lines out", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What was wrong.
        cause: &'static str,
        /// The line's beginning.
        text: String,
    },
    /// A good file with nothing in it to work on.
    #[error("{} holds no {what}", path.display())]
    Nothing {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        what: &'static str,
    },
    /// The file could not be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The trace file could not be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl LoadError {
    /// Reading stopped at `place`: the budget of memory is exceeded, or what the system or a decoder says.
    pub(crate) fn reading(path: &Path, place: String, source: io::Error) -> LoadError {
        let path = path.to_owned();
        match over_budget(&source) {
            Some(source) => LoadError::OverBudget { path, place, source },
            None => LoadError::Read { path, place, source },
        }
    }

    /// This error with the name of what was read, where it is about its events and does not name it itself.
    pub(crate) fn of(self, path: &Path) -> LoadError {
        match self {
            LoadError::Trace(error) => LoadError::Trace(error.of(&path.display())),
            LoadError::Import(ImportError::Trace(error)) => {
                LoadError::Import(ImportError::Trace(error.of(&path.display())))
            }
            named => named,
        }
    }

    /// Whose fault this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            LoadError::UnknownWorkload { .. }
            | LoadError::UnknownAlone { .. }
            | LoadError::NeedsInput { .. }
            | LoadError::NeedsNoInput { .. }
            | LoadError::WantsTrace { .. }
            | LoadError::NamedTwice { .. }
            | LoadError::HeapTooSmall { .. }
            | LoadError::NoWorkload { .. }
            | LoadError::WrongInput { .. }
            | LoadError::AlreadyTrace { .. }
            | LoadError::UnknownParameter { .. }
            | LoadError::BadParameter { .. } => ErrorKind::WrongUse,
            LoadError::OverBudget { .. } => ErrorKind::Environment,
            LoadError::Open { source, .. } if source.kind() != io::ErrorKind::NotFound => ErrorKind::Environment,
            // A decoder's complaint has no error number of the system's.
            LoadError::Read { source, .. } if source.raw_os_error().is_some() => ErrorKind::Environment,
            LoadError::Import(error) if error.is_environment() => ErrorKind::Environment,
            LoadError::Trace(error) if error.is_environment() => ErrorKind::Environment,
            _ => ErrorKind::BadInput,
        }
    }
}

fn did_you_mean(near: &Option<String>) -> String {
    match near {
        Some(near) => format!(" (did you mean {near}?)"),
        None => String::new(),
    }
}

/// The one of `known` that `name` was probably meant to be.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    known
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|&(likeness, _)| likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}
