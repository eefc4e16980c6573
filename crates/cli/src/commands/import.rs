//! `heapsmith import`: any input as a trace file, or as a file for other tools.

use std::path::Path;

use heapsmith_import::{CsvWriter, RepWriter};
use heapsmith_trace::{Event, Origin, Profiler, Sink, TraceError, TraceWriter, plural};

use crate::args::Import;
use crate::console::note;
use crate::failure::Failure;
use crate::{input, output};

pub fn run(arguments: &Import) -> Result<(), Failure> {
    let out = &arguments.out;
    let mut import = Importing { profiler: Profiler::new(1), writer: Writer::create(out, &arguments.file)? };
    let origin = match arguments.follow {
        true => input::send_live(&arguments.file, arguments.baud, &arguments.reading, &mut import)?,
        false => input::send_sampled(&arguments.file, &arguments.reading, &mut import)?,
    };
    let Importing { profiler, writer } = import;
    let statistics = profiler.finish().statistics;
    if statistics.allocations == 0 {
        return Err(Failure::bad_input(format!("{} holds no allocations", origin.name())));
    }
    if let Some(every) = origin.sample().filter(|_| !matches!(writer, Writer::Trace(_))) {
        return Err(Failure::bad_input(format!(
            "{} is a sample: one block in {every} was recorded, which {} could not say: write a .parquet file",
            origin.name(),
            out.display()
        )));
    }
    writer.finish(&origin)?;
    note!(
        "{}: {}, at most {} in {} live at once, written to {}",
        origin.name(),
        plural(statistics.events, "event", "events"),
        statistics.requested_peak,
        plural(statistics.blocks_peak, "block", "blocks"),
        out.display()
    );
    Ok(())
}

/// What is written, by the ending of the file's name.
enum Writer {
    Trace(Box<TraceWriter>),
    Rep(RepWriter),
    Csv(CsvWriter),
}

impl Writer {
    fn create(path: &Path, file: &Path) -> Result<Writer, Failure> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        Ok(match ending.as_deref() {
            Some("rep") => Writer::Rep(RepWriter::to(output::named(path, [file])?)?),
            Some("csv") => Writer::Csv(CsvWriter::to(output::named(path, [file])?)?),
            _ => Writer::Trace(Box::new(TraceWriter::to(output::binary(path, [file])?)?)),
        })
    }

    fn sink(&mut self) -> &mut dyn Sink {
        match self {
            Writer::Trace(writer) => &mut **writer,
            Writer::Rep(writer) => writer,
            Writer::Csv(writer) => writer,
        }
    }

    fn finish(self, origin: &Origin) -> Result<(), TraceError> {
        match self {
            Writer::Trace(writer) => writer.finish(origin),
            Writer::Rep(writer) => writer.finish(),
            Writer::Csv(writer) => writer.finish(),
        }
    }
}

/// Checks every event by what it does to the live blocks, and writes it.
struct Importing {
    profiler: Profiler,
    writer: Writer,
}

impl Sink for Importing {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.profiler.take(event)?;
        self.writer.sink().take(event)
    }

    fn name_site(&mut self, name: &str) {
        self.writer.sink().name_site(name);
    }

    fn name_label(&mut self, text: &str) {
        self.writer.sink().name_label(text);
    }
}
