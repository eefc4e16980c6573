//! Sweeps of the paper's space for the figures: 10,000 designs on some inputs, with the seconds that it took.

use std::path::Path;
use std::time::Instant;

use heapsmith_explore::{Exploration, Space, Store, Sweep, SweepError, sweep};
use heapsmith_output::Scratch;
use heapsmith_trace::PackedTrace;

use crate::error::ExperimentError;
use crate::input::Input;
use crate::network::applications::Application;
use crate::setting::Setting;

/// The levels of the paper.
const SPACE: &str = include_str!("space.toml");

/// A finished sweep.
pub(crate) struct Swept {
    /// What it found.
    pub exploration: Exploration,
    /// Seconds for all designs.
    pub seconds: f64,
    /// Events that were replayed, over all heaps.
    pub events: u64,
    /// Heaps that are different on these inputs.
    pub heaps: usize,
}

/// Sweeps the paper's space on inputs of an application.
pub(crate) fn swept(
    setting: &mut Setting<'_>,
    application: &Application,
    inputs: &[Input],
    part: (usize, usize),
) -> Result<Swept, ExperimentError> {
    let traces = inputs.iter().map(|&input| setting.packed(input)).collect::<Result<Vec<PackedTrace>, _>>()?;
    swept_on(setting, application.name, &traces, part)
}

/// Sweeps the paper's space on traces of an application.
pub(crate) fn swept_on(
    setting: &mut Setting<'_>,
    application: &str,
    traces: &[PackedTrace],
    part: (usize, usize),
) -> Result<Swept, ExperimentError> {
    // The experiments' tests make it.
    let space = Space::of("classic", SPACE, traces).expect("the text is sound");
    let dir = Scratch::new()?;
    let mut store = Store::begin(&path(dir.path()), &space, traces, "heapsmith reproduce")?;
    let job = Sweep::exhaustive(&space, traces, setting.jobs, setting.stop);
    let (start, mut failed) = (Instant::now(), Ok(()));
    let outcome = sweep(&job, &mut store, &mut |progress| {
        let (done, of) = (part.0 * progress.total + progress.designs, part.1 * progress.total);
        let doing = format!("{} of {} designs on {}", progress.designs, progress.total, application);
        if let Err(error) = setting.step(done, of, &doing) {
            failed = Err(error);
        }
    });
    match outcome {
        Ok(_) => {}
        Err(SweepError::Interrupted) => return Err(ExperimentError::Interrupted),
        Err(error) => return Err(error.into()),
    }
    failed?;
    let heaps = space.unique().count();
    let events = traces.iter().map(|trace| trace.events.len() as u64).sum::<u64>() * heaps as u64;
    Ok(Swept { exploration: Exploration::load(&store)?, seconds: start.elapsed().as_secs_f64(), events, heaps })
}

fn path(dir: &Path) -> std::path::PathBuf {
    dir.join(Store::FILE)
}
