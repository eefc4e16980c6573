//! The parent of a play.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use heapsmith_peers::{Configured, inherited_knobs};

use crate::scenario::Scenario;

/// The first argument of a command that is run as such a child: it hands the others to [`crate::play_child`].
pub const PLAY_CHILD: &str = "--play-of";

/// What was measured of one play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Played {
    /// Most bytes of anonymous memory, beyond those before the play.
    pub peak: u64,
    /// The same on average.
    pub mean: u64,
    /// Pages that were touched for the first time.
    pub faults: u64,
    /// Nanoseconds of processors, but for what threads waited for their turn at a block.
    pub processors: u64,
    /// Nanoseconds by the clock.
    pub clock: u64,
    /// Requests that were refused.
    pub failed: u64,
}

impl Played {
    /// The median of every figure.
    pub fn median(plays: &[Played]) -> Played {
        let of = |figure: fn(&Played) -> u64| {
            let mut values: Vec<u64> = plays.iter().map(figure).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        Played {
            peak: of(|played| played.peak),
            mean: of(|played| played.mean),
            faults: of(|played| played.faults),
            processors: of(|played| played.processors),
            clock: of(|played| played.clock),
            failed: of(|played| played.failed),
        }
    }
}

/// Why a play gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The library is not installed.
    #[error("{name} is not installed: install {package}")]
    Absent {
        /// The allocator.
        name: &'static str,
        /// The package that brings it.
        package: &'static str,
    },
    /// The system refused.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// No changed copy can be made of the trace.
    #[error(transparent)]
    Trace(#[from] heapsmith_trace::TraceError),
    /// The child ended without a result.
    #[error("the trace cannot be played on {allocator}: {said}")]
    Child {
        /// What it was to be played on.
        allocator: String,
        /// What the child said.
        said: String,
    },
}

/// What a trace is played on: a library that is preloaded, and what its environment says.
#[derive(Debug, Clone)]
pub struct Served {
    /// Its name, where something is said of it.
    pub name: String,
    /// The library.
    pub library: PathBuf,
    /// Variables of the child's environment.
    pub environment: Vec<(String, String)>,
}

impl Served {
    /// By a reference allocator that is installed.
    ///
    /// # Errors
    ///
    /// [`PlayError::Absent`].
    pub fn by(configured: &Configured) -> Result<Served, PlayError> {
        let allocator = configured.allocator();
        let absent = || PlayError::Absent { name: allocator.name(), package: allocator.package() };
        let library = allocator.library().ok_or_else(absent)?;
        Ok(Served { name: configured.to_string(), library, environment: configured.environment() })
    }
}

/// Plays scenarios in children.
#[derive(Debug, Clone)]
pub struct Player {
    /// The command that is run with [`PLAY_CHILD`] as its first argument.
    pub command: PathBuf,
    /// The longest that a play may take by its times, in seconds: longer ones go faster. 0 plays as fast as it goes.
    pub seconds: f64,
}

impl Player {
    /// What the times of a scenario are multiplied by.
    pub fn pace(&self, scenario: &Scenario) -> f64 {
        if scenario.seconds() > 0.0 { (self.seconds / scenario.seconds()).min(1.0) } else { 0.0 }
    }

    /// Plays a scenario on an allocator.
    ///
    /// # Errors
    ///
    /// [`PlayError`].
    pub fn play(&self, served: &Served, scenario: &Scenario) -> Result<Played, PlayError> {
        let system = |what| move |source| PlayError::System { what, source };
        let mut command = Command::new(&self.command);
        for name in inherited_knobs() {
            command.env_remove(name);
        }
        let mut child = command
            .arg(PLAY_CHILD)
            .arg(&served.library)
            .arg(self.pace(scenario).to_string())
            .args(scenario.numbers().iter().map(u64::to_string))
            .envs(served.environment.iter().map(|(name, value)| (name, value)))
            .env("LD_PRELOAD", &served.library)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(system("running the command again"))?;
        let sent = child.stdin.take().map_or(Ok(()), |mut input| scenario.send(&mut input));
        let output = child.wait_with_output().map_err(system("waiting for the child"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match (&numbers[..], output.status.success()) {
            (&[peak, mean, faults, processors, clock, failed], true) => {
                sent.map_err(system("sending the trace"))?;
                Ok(Played { peak, mean, faults, processors, clock, failed })
            }
            _ => {
                let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                let said = if told.is_empty() { format!("the child ended with {}", output.status) } else { told };
                Err(PlayError::Child { allocator: served.name.clone(), said })
            }
        }
    }
}
