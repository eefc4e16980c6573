//! A recording as a trace.

use heapsmith_trace::{Bytes, Origin, Sink, Trace};

use crate::RecordingError;
use crate::blocks::{Blocks, Rate};
use crate::file::Recording;
use crate::format::{LEFT, RESTRICTED_CALLS, header};
use crate::java::Java;
use crate::merge::merge;
use crate::outgoing::Outgoing;
use crate::sites::{Named, Sites};
use crate::stream::{Reading, Stream};

/// What a recording could not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Frees of blocks that were allocated before the recording began (in a parent, mostly); left out.
    pub unknown_frees: u64,
    /// Reallocations of such blocks; each is an allocation in the trace.
    pub unknown_reallocations: u64,
    /// Blocks whose place was allocated again without a free; the trace frees them then.
    pub missed_frees: u64,
    /// Reallocations for which there was no memory; left out.
    pub failed_reallocations: u64,
    /// Blocks at addresses that a record cannot hold; left out.
    pub unrecordable: u64,
    /// Call sites were asked for, and the program's C library cannot say which module an address is in.
    pub no_modules: bool,
    /// The program ran already when the recording began, so blocks from before are unknown.
    pub attached: bool,
    /// What ended the recording before the program ended.
    pub stopped: Option<Stopped>,
}

/// What ended a recording before its program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The system's error.
    Error(i32),
    /// The program restricted its system calls (seccomp), and what was kept ready for that was used up.
    RestrictedCalls,
    /// The command that had attached itself to the program was gone.
    Left,
}

impl Stopped {
    fn of(code: i32) -> Option<Stopped> {
        match code {
            0 => None,
            RESTRICTED_CALLS => Some(Stopped::RestrictedCalls),
            LEFT => Some(Stopped::Left),
            error => Some(Stopped::Error(error)),
        }
    }

    /// What it was, and what to do.
    pub fn advice(self) -> String {
        const FILE_TOO_LARGE: i32 = 27;
        match self {
            Stopped::RestrictedCalls => format!("{self}, and what it does then is not all recorded"),
            Stopped::Left => self.to_string(),
            Stopped::Error(FILE_TOO_LARGE) => {
                format!("{self}: the program's limit of the size of files (ulimit -f) is its recording's too")
            }
            Stopped::Error(_) => format!("{self}; make room, or choose another place with -o"),
        }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stopped::Error(error) => std::io::Error::from_raw_os_error(*error).fmt(to),
            Stopped::RestrictedCalls => to.write_str("the program restricted its system calls (seccomp)"),
            Stopped::Left => to.write_str("the heapsmith that recorded it was gone"),
        }
    }
}

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
    let stopped = i32::try_from(recording.word(header::STOPPED)).unwrap_or(i32::MAX);
    let last = if stopped == 0 { u64::MAX } else { recording.word(header::STOP_TICKS) };
    let is_java = recording.word(header::JAVA) == 1;
    let named = if is_java { Named::Class } else { Named::Frames(recording.modules()?) };
    let streams: Vec<_> = recording.windows.iter().map(|blocks| Stream::new(recording, blocks)).collect();
    let outgoing = Outgoing::to(&mut *sink, streams.len() > 1);
    let mut blocks = Blocks::new(rate(recording)?, last, Sites::new(named), outgoing);
    let reordered = merge(streams, &mut blocks)?;
    let Blocks { allocations, threads, collections, remarks: counted, mut outgoing, .. } = blocks;
    outgoing.end();
    let Outgoing { peak, events, refused, .. } = outgoing;
    refused.map_or(Ok(()), Err)?;
    sink.end()?;
    let program = recording.program();
    let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let remarks = Remarks {
        unrecordable: recording.word(header::UNRECORDABLE),
        attached: recording.word(header::ATTACHED) == 1,
        no_modules: recording.word(header::NO_MODULES) == 1,
        stopped: Stopped::of(stopped),
        ..counted
    };
    let java = Java::of(recording, collections);
    let trace = Trace::new(origin(recording, &program, &remarks, java.as_ref())?);
    Ok(Recorded {
        trace,
        events,
        reordered,
        process: recording.process(),
        parent: recording.parent(),
        program,
        allocations,
        threads,
        live_peak: Bytes(peak),
        remarks,
        java,
    })
}

fn origin(
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
    origin.modules = recording.modules()?.into_iter().map(|module| module.named).collect();
    Ok(origin)
}

/// The counter runs evenly, so the two readings of the clock that are farthest apart give its rate.
fn rate(recording: &Recording) -> Result<Rate, RecordingError> {
    let start = Reading { ticks: recording.word(header::START_TICKS), time: recording.word(header::START_TIME) };
    let mut end = Reading { ticks: recording.word(header::END_TICKS), time: recording.word(header::END_TIME) };
    for blocks in &recording.windows {
        let mut stream = Stream::new(recording, &blocks[blocks.len().saturating_sub(1)..]);
        while stream.next()?.is_some() {}
        end = end.max(stream.reading().unwrap_or(end));
    }
    let (ticks, time) = (end.ticks.saturating_sub(start.ticks), end.time.saturating_sub(start.time));
    let counter = recording.word(header::COUNTER) == 1;
    let tick = if counter && ticks > 0 && time > 0 { time as f64 / ticks as f64 } else { 1.0 };
    Ok(Rate { start: start.ticks, tick })
}
