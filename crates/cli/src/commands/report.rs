//! `heapsmith report`: the page of a finished exploration.

use std::path::{Path, PathBuf};

use heapsmith_explore::{Exploration, Preference, Store};
use heapsmith_report::{PageInput, page};
use heapsmith_trace::Trace;

use crate::args::Report;
use crate::failure::Failure;
use crate::progress;

/// Name of the page in an exploration's folder.
pub const PAGE: &str = "report.html";

pub fn run(arguments: &Report) -> Result<(), Failure> {
    let store = Store::open(&arguments.dir.join(Store::FILE))?;
    let exploration = Exploration::load(&store)?;
    if !store.finished()? || exploration.points.is_empty() {
        return Err(Failure::bad_input(format!(
            "{} holds {} of {} designs: run the `heapsmith explore` command that began it again, and it goes on",
            arguments.dir.display(),
            exploration.rows.len(),
            exploration.designs
        )));
    }
    let traces = (0..exploration.traces.len())
        .map(|number| Trace::read(trace_file(&arguments.dir, number)))
        .collect::<Result<Vec<_>, _>>()?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.dir.join(PAGE));
    write(&exploration, &traces, arguments.prefer.into(), None, &out)?;
    eprintln!("wrote {}", out.display());
    Ok(())
}

/// Where an exploration keeps its trace of this number.
pub fn trace_file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("trace-{}.parquet", number + 1))
}

/// Writes the page.
pub fn write(
    exploration: &Exploration,
    traces: &[Trace],
    preference: Preference,
    elapsed: Option<f64>,
    out: &Path,
) -> Result<(), Failure> {
    let spinner = progress::spinner("drawing the page");
    let html = page(&PageInput { exploration, traces, preference, elapsed })?;
    std::fs::write(out, html).map_err(|error| Failure::writing(out, &error))?;
    spinner.finish_and_clear();
    Ok(())
}
