//! A recording as a trace.

use heapsmith_trace::{Bytes, Nanoseconds, Origin, Sink, Trace};

use crate::RecordingError;
use crate::blocks::{Blocks, Rate};
use crate::file::Recording;
use crate::format::header;
use crate::java::Java;
use crate::merge::{Merge, Until};
use crate::outgoing::Outgoing;
use crate::remarks::{Remarks, Stopped};
use crate::sites::{Named, Sites};
use crate::stream::{Reading, Stream};

/// A recording as a trace, with what is shown of it.
#[derive(Debug)]
pub struct Recorded {
    /// The trace.
    pub trace: Trace,
    /// Number of events.
    pub events: u64,
    /// Events that stood before the one of another thread that made them possible, and were put behind it.
    pub reordered: u64,
    /// The process.
    pub process: u64,
    /// Its parent.
    pub parent: u64,
    /// The name of its program.
    pub program: String,
    /// Number of allocations.
    pub allocations: u64,
    /// Number of threads.
    pub threads: u32,
    /// The peak live bytes, as requested.
    pub live_peak: Bytes,
    /// What the recording could not say.
    pub remarks: Remarks,
    /// What there is to say where the objects of a Java virtual machine were recorded.
    pub java: Option<Java>,
}

/// The text of the mark of a garbage collection.
pub const COLLECTION: &str = "garbage collection";

/// Makes a trace of a recording.
///
/// # Errors
///
/// What cannot be read, or is damaged, with the block and what was wrong.
pub fn decode(recording: &Recording) -> Result<Recorded, RecordingError> {
    let mut trace = Trace::default();
    let mut recorded = decode_to(recording, &mut trace)?;
    trace.origin = recorded.trace.origin;
    recorded.trace = trace;
    Ok(recorded)
}

/// Hands the events of a recording to `sink`, in order, and keeps none: memory is a block for
/// every thread, and 32 bytes or so for every live block. The returned trace has no events.
///
/// # Errors
///
/// As [`decode`], and what the sink refuses.
pub fn decode_to(recording: &Recording, sink: &mut dyn Sink) -> Result<Recorded, RecordingError> {
    let mut merge = Merge::default();
    merge.streams = recording.windows.iter().map(|records| Stream::of(&recording.source, records)).collect();
    let outgoing = Outgoing::to(Box::new(sink));
    let mut blocks = Blocks::new(rate(recording)?, last(recording), Sites::new(named(recording)?), outgoing);
    merge.run(Until::End, &mut blocks)?;
    blocks.outgoing.end();
    let Blocks { allocations, lives, collections, remarks: counted, outgoing, .. } = blocks;
    let Outgoing { peak, events, refused, mut sink, .. } = outgoing;
    refused.map_or(Ok(()), Err)?;
    sink.end()?;
    let (program, remarks) = (program(recording), remarks(recording, counted));
    let java = Java::of(recording, collections);
    let mut trace = Trace::new(origin(recording, &program, &remarks, java.as_ref())?);
    trace.origin.set_ended_threads(&lives.ended(merge.take_ended()));
    Ok(Recorded {
        trace,
        events,
        reordered: merge.woken,
        process: recording.process(),
        parent: recording.parent(),
        program,
        allocations,
        threads: lives.count(),
        live_peak: Bytes(peak),
        remarks,
        java,
    })
}

/// Ticks after which events are not all there.
pub(crate) fn last(recording: &Recording) -> u64 {
    if recording.word(header::STOPPED) == 0 { u64::MAX } else { recording.word(header::STOP_TICKS) }
}

/// What the words of sites are.
pub(crate) fn named(recording: &Recording) -> Result<Named, RecordingError> {
    let is_java = recording.word(header::JAVA) == 1;
    Ok(if is_java { Named::Class } else { Named::Frames(recording.modules()?) })
}

/// The name of the program.
pub(crate) fn program(recording: &Recording) -> String {
    let program = recording.program();
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// What was counted of what could not be said, and what the header says of that.
pub(crate) fn remarks(recording: &Recording, counted: Remarks) -> Remarks {
    let stopped = i32::try_from(recording.word(header::STOPPED)).unwrap_or(i32::MAX);
    Remarks {
        unrecordable: recording.word(header::UNRECORDABLE),
        attached: recording.word(header::ATTACHED) == 1,
        resumed: recording.is_resumed(),
        own_functions: recording.is_of_own_functions(),
        no_modules: recording.word(header::NO_MODULES) == 1,
        stopped: Stopped::of(stopped),
        ..counted
    }
}

pub(crate) fn origin(
    recording: &Recording,
    program: &str,
    remarks: &Remarks,
    java: Option<&Java>,
) -> Result<Origin, RecordingError> {
    let mut origin = Origin::new("record", program);
    let mut set = |name: &str, value: String| origin.settings.push((name.to_owned(), value));
    set("arguments", recording.arguments().to_string());
    set("process", recording.process().to_string());
    set("parent", recording.parent().to_string());
    let counts = [
        ("unknown-frees", remarks.unknown_frees),
        ("unknown-reallocations", remarks.unknown_reallocations),
        ("missed-frees", remarks.missed_frees),
        ("failed-reallocations", remarks.failed_reallocations),
        ("unrecordable", remarks.unrecordable),
    ];
    for (name, count) in counts {
        if count > 0 {
            set(name, count.to_string());
        }
    }
    if remarks.attached {
        set("attached", "1".to_owned());
    }
    for (name, value) in java.iter().flat_map(|java| java.settings()) {
        set(name, value.to_string());
    }
    if let Some(stopped) = remarks.stopped {
        set("stopped", stopped.to_string());
    }
    if recording.word(header::ASKS_SIZES) == 1 {
        origin.set_asks_sizes();
    }
    match recording.word(header::PROCESSOR_TIME) {
        // Of its traces none has all that it did.
        time if time > 0 && !recording.is_resumed() => origin.set_processor_time(Nanoseconds(time)),
        _ => {}
    }
    match recording.word(header::SAMPLE) {
        0 | 1 => {}
        every => origin.set_sample(every),
    }
    origin.modules = recording.modules()?.into_iter().map(|module| module.named).collect();
    Ok(origin)
}

/// The counter runs evenly, so the two readings of the clock that are farthest apart give its rate.
fn rate(recording: &Recording) -> Result<Rate, RecordingError> {
    let mut end = Reading { ticks: recording.word(header::END_TICKS), time: recording.word(header::END_TIME) };
    for records in &recording.windows {
        let mut stream = Stream::of_last(&recording.source, records);
        while stream.next()?.is_some() {}
        end = end.max(stream.reading().unwrap_or(end));
    }
    Ok(rate_up_to(recording, end))
}

/// The rate by the recording's beginning and another reading.
pub(crate) fn rate_up_to(recording: &Recording, end: Reading) -> Rate {
    let start = Reading { ticks: recording.word(header::START_TICKS), time: recording.word(header::START_TIME) };
    let (ticks, time) = (end.ticks.saturating_sub(start.ticks), end.time.saturating_sub(start.time));
    let counter = recording.word(header::COUNTER) == 1;
    let tick = if counter && ticks > 0 && time > 0 { time as f64 / ticks as f64 } else { 1.0 };
    Rate { start: start.ticks, tick }
}
