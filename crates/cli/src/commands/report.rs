//! `heapsmith report`: the page of a finished exploration.

use heapsmith_explore::{Exploration, Store, trace_file};
use heapsmith_limits::{Lines, PlacementEffort};
use heapsmith_output::{Inputs, Output};
use heapsmith_report::{PageInput, page};
use heapsmith_trace::{PackedTrace, Trace};

use crate::args::Report;
use crate::console::note;
use crate::failure::Failure;
use crate::{input, progress};

/// Name of the page in an exploration's folder.
pub const PAGE: &str = "report.html";

pub fn run(arguments: &Report) -> Result<(), Failure> {
    let exploration = Exploration::open(&arguments.dir)?;
    let traces = (0..exploration.traces.len())
        .map(|number| Trace::read(trace_file(&arguments.dir, number)))
        .collect::<Result<Vec<_>, _>>()?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.dir.join(PAGE));
    let kept = (0..exploration.traces.len()).map(|number| trace_file(&arguments.dir, number));
    let inputs = Inputs::of(kept.chain([arguments.dir.join(Store::FILE)]));
    let output = Output::named(&out, &inputs).map_err(|error| Failure::writing(&out, &error))?;
    let packed = traces.iter().map(input::packed).collect::<Result<Vec<_>, _>>()?;
    let lines = lines(&packed);
    let page = PageInput {
        exploration: &exploration,
        traces: &traces,
        lines: &lines,
        folder: &arguments.dir.to_string_lossy(),
        preference: arguments.prefer.map_or(exploration.question.preference, Into::into),
        elapsed: None,
    };
    write(&page, output)?;
    note!("wrote {}", out.display());
    Ok(())
}

/// The reference lines of traces.
pub fn lines(traces: &[PackedTrace]) -> Vec<Lines> {
    let spinner = progress::spinner("searching for an offline placement");
    let lines = traces.iter().map(|trace| Lines::of(trace, PlacementEffort::QUICK)).collect();
    spinner.finish_and_clear();
    lines
}

/// Writes the page.
pub fn write(input: &PageInput<'_>, output: Output) -> Result<(), Failure> {
    let spinner = progress::spinner("drawing the page");
    let html = page(input)?;
    let out = output.path().to_owned();
    output.put(html).map_err(|error| Failure::writing(&out, &error))?;
    spinner.finish_and_clear();
    Ok(())
}
