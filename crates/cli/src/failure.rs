//! What can go wrong, and the exit code that it gives.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | the job failed: a request that could not be served under `--verify`, an assertion of `check`, a heap that is wrong |
//! | 2 | wrong use: a bad spec, a bad option |
//! | 3 | a bad input file |
//! | 4 | the environment: a folder that cannot be written, a full disk, a missing tool, too little memory |
//! | 130 | interrupted; results are kept |
//! | 141 | standard output was closed before all was printed, as by SIGPIPE; files are whole |

use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

use heapsmith_emit::{CodeError, CompilerError, EmitError, SizeError};
use heapsmith_explore::{MeasureError, RunError, StoreError, SweepError};
use heapsmith_launch::LibraryError;
use heapsmith_limits::AttackError;
use heapsmith_output::Refusal;
use heapsmith_recording::{AttachError, RecordingError};
use heapsmith_replay::{PagesError, ReplayError, SubjectError};
use heapsmith_report::ReportError;
use heapsmith_spec::{MallocError, SpecError};
use heapsmith_trace::TraceError;
use heapsmith_workload::{ErrorKind, LoadError};

/// Why a command ended without what it was asked for.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The code of what the system refused.
    pub const ENVIRONMENT: u8 = 4;

    /// The job itself failed.
    pub fn job(message: impl Display) -> Failure {
        Failure { code: 1, message: message.to_string() }
    }

    /// It was asked for wrongly.
    pub fn wrong_use(message: impl Display) -> Failure {
        Failure { code: 2, message: message.to_string() }
    }

    /// An input file is bad.
    pub fn bad_input(message: impl Display) -> Failure {
        Failure { code: 3, message: message.to_string() }
    }

    /// The system refused.
    pub fn environment(message: impl Display) -> Failure {
        Failure { code: Failure::ENVIRONMENT, message: message.to_string() }
    }

    /// The user stopped it.
    pub fn interrupted(message: impl Display) -> Failure {
        Failure { code: 130, message: message.to_string() }
    }

    /// A program could not be started.
    pub fn cannot_run(program: &OsStr, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => "; write the program and its arguments after --",
            _ => "",
        };
        Failure::environment(format!("cannot run {}: {error}{hint}", program.display()))
    }

    /// A file or folder that cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Failure {
        if Refusal::of(error).is_some() {
            return Failure::wrong_use(format!("cannot write {}: {error}", path.display()));
        }
        Failure::environment(format!("cannot write {}: {error}; choose another path with --out or -o", path.display()))
    }

    /// The same, about an input under another name.
    pub fn about(self, path: &Path, named: &Path) -> Failure {
        let message = self.message.replace(&path.display().to_string(), &named.display().to_string());
        Failure { message, ..self }
    }

    /// The same, with where it was asked for before it.
    pub fn within(&self, place: impl Display) -> Failure {
        Failure { code: self.code, message: format!("{place}: {}", self.message) }
    }

    /// No private folder for temporary files.
    pub fn scratch(error: &io::Error) -> Failure {
        Failure::environment(format!("cannot write temporary files: {error}; set TMPDIR to another folder"))
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// The message for the user.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// So that it can come through a library that knows nothing of it.
impl std::error::Error for Failure {}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error.kind() {
            ErrorKind::WrongUse => Failure::wrong_use(error),
            ErrorKind::BadInput => Failure::bad_input(error),
            ErrorKind::Environment => Failure::environment(error),
        }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        match &error {
            TraceError::Write { path, source } => Failure::writing(path, source),
            error if error.is_environment() => Failure::environment(error),
            error => Failure::bad_input(error),
        }
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Failure {
        match error {
            RecordingError::Read { .. } | RecordingError::Write { .. } => Failure::environment(error),
            RecordingError::Trace(error) => error.into(),
            _ => Failure::bad_input(error),
        }
    }
}

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Failure {
        Failure::environment(error)
    }
}

impl From<AttachError> for Failure {
    fn from(error: AttachError) -> Failure {
        match error {
            AttachError::NoProcess(_) | AttachError::Thread { .. } => Failure::wrong_use(error),
            error => Failure::environment(error),
        }
    }
}

impl From<MallocError> for Failure {
    fn from(error: MallocError) -> Failure {
        Failure::wrong_use(format!("this heap cannot serve malloc: {error}"))
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Failure {
        Failure::wrong_use(error)
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Failure {
        match error {
            ReplayError::NoMemory { .. } | ReplayError::PeerTimes { .. } => Failure::environment(error),
            ReplayError::Build(_)
            | ReplayError::Peer(_)
            | ReplayError::TooMany { .. }
            | ReplayError::OfRegions { .. } => Failure::wrong_use(error),
            ReplayError::Fault { .. } | ReplayError::Stopped => Failure::job(error),
        }
    }
}

impl From<AttackError> for Failure {
    fn from(error: AttackError) -> Failure {
        match error {
            AttackError::Refuses(_) => Failure::wrong_use(error),
            AttackError::Replay(error) => error.into(),
            AttackError::Peer(_) => Failure::environment(error),
        }
    }
}

impl From<SubjectError> for Failure {
    fn from(error: SubjectError) -> Failure {
        Failure::wrong_use(error)
    }
}

impl From<PagesError> for Failure {
    fn from(error: PagesError) -> Failure {
        match error {
            PagesError::System { .. } | PagesError::Memory { .. } => Failure::environment(error),
            PagesError::Child { .. } => Failure::job(error),
            PagesError::Replay(error) => error.into(),
            PagesError::Subject(error) => error.into(),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        match error {
            StoreError::Folder { path, source } => Failure::writing(&path, &source),
            StoreError::Sqlite { .. } | StoreError::Disk { .. } | StoreError::Busy { .. } | StoreError::Lock { .. } => {
                Failure::environment(error)
            }
            StoreError::Other { .. } => Failure::wrong_use(error),
            StoreError::NotAFile { .. }
            | StoreError::NotAStore { .. }
            | StoreError::Missing { .. }
            | StoreError::Unfinished { .. } => Failure::bad_input(error),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Failure {
        match error {
            SweepError::Replay(error) => error.into(),
            SweepError::Store(error) => error.into(),
            SweepError::Threads(_) => Failure::environment(error),
            SweepError::Workers(_) => Failure::job(error),
            SweepError::Interrupted => Failure::interrupted(error),
        }
    }
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Failure {
        match error {
            MeasureError::Replay(error) => error.into(),
            MeasureError::Pages(error) => error.into(),
            MeasureError::Store(error) => error.into(),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::WrongUse(_) | RunError::Unknown(_) | RunError::Space { .. } => Failure::wrong_use(error),
            RunError::Trace(error) => error.into(),
            RunError::Sweep(error) => error.into(),
            RunError::Measure(error) => error.into(),
            RunError::CodeSize(error) => {
                error.downcast::<CodeError>().map_or_else(Failure::job, |error| (*error).into())
            }
            RunError::Write { path, source } => Failure::writing(&path, &source),
        }
    }
}

impl From<EmitError> for Failure {
    fn from(error: EmitError) -> Failure {
        match error {
            EmitError::Template(_) => Failure::job(error),
            _ => Failure::wrong_use(error),
        }
    }
}

impl From<CompilerError> for Failure {
    fn from(error: CompilerError) -> Failure {
        match error {
            CompilerError::Failed { .. } => Failure::job(error),
            _ => Failure::environment(error),
        }
    }
}

impl From<SizeError> for Failure {
    fn from(error: SizeError) -> Failure {
        Failure::environment(error)
    }
}

impl From<CodeError> for Failure {
    fn from(error: CodeError) -> Failure {
        match error {
            CodeError::Emit(error) => error.into(),
            _ => Failure::environment(error),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        Failure::job(error)
    }
}
