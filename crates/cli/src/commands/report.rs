//! `heapsmith report`: the page of a finished exploration.

use heapsmith_explore::{Exploration, Store, trace_file};
use heapsmith_limits::{Lines, PlacementEffort};
use heapsmith_output::{Inputs, Output};
use heapsmith_report::{PageInput, page};
use heapsmith_trace::{PackedTrace, Trace};

use crate::args::Report;
use crate::commands::answer::{Answer, Page};
use crate::console::note;
use crate::failure::Failure;
use crate::{input, open, progress};

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
    let preference = arguments.prefer.map_or(exploration.question.preference, Into::into);
    let folder = arguments.dir.to_string_lossy();
    let race = heapsmith_race::read(&arguments.dir).map_err(Failure::bad_input)?;
    let page = PageInput {
        exploration: &exploration,
        traces: &traces,
        lines: &lines,
        folder: &folder,
        preference,
        elapsed: None,
        race: race.as_ref(),
    };
    let (is_standard, is_stream) = (output.is_standard(), output.is_stream());
    write(&page, output)?;
    // A page on standard output is all that is there.
    if is_standard {
        return Ok(());
    }
    note!("wrote {}", out.display());
    if let Some(pick) = exploration.pick(preference) {
        let answer = Answer::new(&exploration, &lines, preference, pick);
        answer.print(arguments.showing, &arguments.dir, Page::At(&out))?;
    }
    match arguments.open {
        true if is_stream => Err(Failure::wrong_use(format!("cannot open {}: it is no file", out.display()))),
        true => open::page(&out),
        false => Ok(()),
    }
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
