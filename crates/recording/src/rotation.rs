//! A recording of days as traces that follow each other, each whole by itself, while its program runs on.
//!
//! ```text
//!   recording  ├ header ┤ windows … ┤ hole ┤ block ┤ block ┤ block ┆ still written
//!                                      │      └───────┬───────┘
//!                          trace N − 1 ┘              ▼
//!                                          trace N: what lived, then the events up to one moment
//! ```
//!
//! The program knows nothing of it. Its recording is read up to a moment that lies before the look at it: an event that
//! was not published by then is of a later trace, as is all that follows from it, so no thread's window has to be
//! stopped. What was read is marked in the windows, and its blocks become a hole in the file.
//!
//! The state of the reader goes from one trace to the next. Memory: what lives, a block for every thread, and the call
//! sites that there are.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use heapsmith_output::Output;
use heapsmith_trace::{Action, ByIds, Bytes, Event, Nanoseconds, Origin, Sink, Trace, TraceError, TraceWriter};
use rustix::fs::{FallocateFlags, fallocate};

use crate::blocks::Blocks;
use crate::file::{Recording, Source};
use crate::format::{GRANULE, header};
use crate::layout::{Block, Header, Layout, Mark};
use crate::merge::{Merge, Until};
use crate::outgoing::Outgoing;
use crate::sites::Sites;
use crate::stream::{Reading, Stream};
use crate::trace::{last, named, origin, program, rate_up_to, remarks};
use crate::{Recorded, RecordingError};

/// A recording that becomes one trace after another.
pub struct Rotation {
    recording: Recording,
    layout: Layout,
    /// The stream of each window, and up to where it was fed.
    fed: BTreeMap<u64, Fed>,
    merge: Merge,
    blocks: Blocks<'static>,
    part: Rc<RefCell<Part>>,
    /// Traces that were made.
    made: u64,
    /// The bytes of the file that are in them, about.
    length: u64,
    /// Ticks up to which they are.
    ticks: u64,
}

struct Fed {
    stream: usize,
    sequence: u64,
    bytes: usize,
}

impl Rotation {
    /// Opens the recording of a process, to be written to as well.
    ///
    /// # Errors
    ///
    /// As [`Recording::open`].
    #[allow(clippy::disallowed_methods, reason = "the process made it; words of it are written, and holes")]
    pub fn open(path: &Path) -> Result<Rotation, RecordingError> {
        let file = File::options().read(true).write(true).open(path);
        let file = file.map_err(|source| RecordingError::Read { path: path.to_owned(), source })?;
        Rotation::of(path, file)
    }

    /// Of a file that was opened so.
    pub(crate) fn of(path: &Path, file: File) -> Result<Rotation, RecordingError> {
        let recording = Recording::of(Source::read(path, file)?);
        let part = Rc::new(RefCell::new(Part::default()));
        let start = rate_up_to(&recording, Reading { ticks: 0, time: 0 });
        let ticks = start.start;
        let outgoing = Outgoing::to(Box::new(Taker(Rc::clone(&part))));
        let blocks = Blocks::new(start, u64::MAX, Sites::new(named(&recording)?), outgoing);
        Ok(Rotation {
            recording,
            layout: Layout::default(),
            fed: BTreeMap::new(),
            merge: Merge::default(),
            blocks,
            part,
            made: 0,
            length: 0,
            ticks,
        })
    }

    /// The recording, as it was when it was last looked at.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// How many traces were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Bytes of the file that are in no trace yet.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn grown(&self) -> Result<u64, RecordingError> {
        Ok(self.recording.source.length()?.saturating_sub(self.length))
    }

    /// Makes a trace of what is recorded by now, and takes that out of the recording. Where that is much more than `size` bytes,
    /// as the program is faster than this, it is of about as many.
    ///
    /// # Errors
    ///
    /// What cannot be read or written. The rotation is of no use then; the recording has what is in no trace yet.
    pub fn rotate(
        &mut self,
        size: u64,
        to: Output,
        amend: impl FnOnce(&Recording, &mut Origin),
    ) -> Result<Recorded, RecordingError> {
        let grown = self.grown()?;
        let now =
            Reading { ticks: ticks(self.recording.word(header::COUNTER) == 1).max(self.ticks), time: nanoseconds() };
        self.blocks.rate = rate_up_to(&self.recording, now);
        let earlier = if grown > 2 * size { self.moment_at(self.length + size)? } else { None };
        let until = earlier.unwrap_or(now.ticks);
        let recorded = self.write(Until::Ticks(until), to, amend)?;
        self.take_out()?;
        self.ticks = until;
        self.length += if earlier.is_some() { size } else { grown };
        Ok(recorded)
    }

    /// When the file had about this length, and later than the last trace: a block is written when its last event was.
    fn moment_at(&self, length: u64) -> Result<Option<u64>, RecordingError> {
        let source = &self.recording.source;
        for granule in length / GRANULE as u64..source.length()? / GRANULE as u64 {
            let Some(Header { window, bytes, .. }) = source.read_block_header(granule)? else { continue };
            if window != granule {
                let mut stream = Stream::new(source, Mark::default());
                stream.feed(Block { granule, sequence: 0, from: 0, bytes }, None);
                let mut last = 0;
                // One that is just being written ends in nothing that can be read.
                while let Ok(Some(event)) = stream.next() {
                    last = event.ticks;
                }
                if last > self.ticks {
                    return Ok(Some(last));
                }
            }
        }
        Ok(None)
    }

    /// Makes a trace of all that is left, of a process that has ended or whose recording has.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Rotation::rotate).
    pub fn finish(
        mut self,
        to: Output,
        amend: impl FnOnce(&Recording, &mut Origin),
    ) -> Result<Recorded, RecordingError> {
        self.write(Until::End, to, amend)
    }

    /// Writes the events up to there.
    fn write(
        &mut self,
        until: Until,
        to: Output,
        amend: impl FnOnce(&Recording, &mut Origin),
    ) -> Result<Recorded, RecordingError> {
        self.recording = Recording::of(self.recording.source.again()?);
        self.feed()?;
        // The modules of sites that were just fed are known by now.
        self.blocks.sites.set_named(named(&self.recording)?);
        self.blocks.last = last(&self.recording);
        self.part.borrow_mut().begin(TraceWriter::to(to)?)?;
        self.merge.run(until, &mut self.blocks)?;
        if until == Until::End {
            self.blocks.outgoing.end();
        }
        self.blocks.outgoing.refused.take().map_or(Ok(()), Err)?;
        self.made += 1;
        let (recording, program) = (&self.recording, program(&self.recording));
        let remarks = remarks(recording, std::mem::take(&mut self.blocks.remarks));
        let mut origin = origin(recording, &program, &remarks, None)?;
        origin.settings.push(("part".to_owned(), self.made.to_string()));
        origin.set_ended_threads(&self.blocks.lives.ended(self.merge.take_ended()));
        amend(recording, &mut origin);
        let mut part = self.part.borrow_mut();
        let counts = part.finish(&origin)?;
        Ok(Recorded {
            trace: Trace::new(origin),
            events: counts.events,
            reordered: std::mem::take(&mut self.merge.woken),
            process: recording.process(),
            parent: recording.parent(),
            program,
            allocations: counts.allocations,
            threads: self.blocks.lives.count(),
            live_peak: Bytes(counts.peak),
            remarks,
            java: None,
        })
    }

    /// Hands to the streams what has come. A window that its thread begins again meanwhile is looked at again.
    fn feed(&mut self) -> Result<(), RecordingError> {
        let source = Arc::clone(&self.recording.source);
        self.layout.look(&source)?;
        let windows: Vec<u64> = self.layout.windows.keys().copied().collect();
        for granule in windows {
            let next = self.merge.streams.len();
            let fed = self.fed.entry(granule).or_insert(Fed { stream: next, sequence: 0, bytes: 0 });
            if fed.stream == next {
                self.merge.streams.push(Stream::new(&source, Mark::default()));
            }
            let (block, words) = loop {
                let Some(window) = self.layout.windows.get(&granule) else { return Ok(()) };
                let (sequence, bytes) = (window.sequence, window.bytes);
                let from = if sequence == fed.sequence { fed.bytes.min(bytes) } else { 0 };
                let block = Block { granule, sequence, from, bytes };
                let words = source.read_block(block)?;
                if source.read_block_header(granule)?.is_some_and(|header| header.sequence == sequence) {
                    break (block, words);
                }
                self.layout.look(&source)?;
            };
            let Some(window) = self.layout.windows.get_mut(&granule) else { return Ok(()) };
            for sequence in fed.sequence..block.sequence {
                let Some(whole) = window.blocks.remove(&sequence) else {
                    return Err(source.damaged(granule, 0, format!("block {sequence} of its thread is missing")));
                };
                let from = if sequence == fed.sequence { fed.bytes } else { 0 };
                self.merge.streams[fed.stream].feed(Block { from, ..whole }, None);
            }
            self.merge.streams[fed.stream].feed(block, Some(words));
            (fed.sequence, fed.bytes) = (block.sequence, block.bytes);
        }
        Ok(())
    }

    /// Marks in the windows what is in traces, and gives its room back: who reads the file alone begins there.
    fn take_out(&mut self) -> Result<(), RecordingError> {
        let source = &self.recording.source;
        let failed = |error| RecordingError::Write { path: source.path().to_owned(), source: error };
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        for (&window, fed) in &self.fed {
            let mark = self.merge.mark(fed.stream);
            let words = [mark.sequence << 32 | mark.bytes as u64, mark.stacks].map(u64::to_le_bytes).concat();
            source.file().write_all_at(&words, window * GRANULE as u64 + 24).map_err(failed)?;
            for Block { granule, .. } in self.merge.streams[fed.stream].take_spent(mark) {
                let punched = fallocate(source.file(), hole, granule * GRANULE as u64, GRANULE as u64);
                punched.map_err(|error| failed(error.into()))?;
            }
        }
        Ok(())
    }
}

/// What is taken of a recording goes to its part.
struct Taker(Rc<RefCell<Part>>);

impl Sink for Taker {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.0.borrow_mut().take(event)
    }

    fn name_site(&mut self, name: &str) {
        self.0.borrow_mut().name_site(name);
    }
}

/// The trace that is written, with what goes from one to the next.
#[derive(Default)]
struct Part {
    writer: Option<TraceWriter>,
    counts: Counts,
    /// The names of all sites.
    sites: Vec<String>,
    /// The allocations of the blocks that live, with the sizes and sites that they have by now.
    live: HashMap<u64, Event, ByIds>,
    /// The time of the last event.
    time: Nanoseconds,
}

/// What is said of a part.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    events: u64,
    allocations: u64,
    live: u64,
    peak: u64,
}

impl Part {
    /// Begins a trace with what lives, the oldest block first.
    fn begin(&mut self, mut writer: TraceWriter) -> Result<(), TraceError> {
        self.sites.iter().for_each(|name| writer.name_site(name));
        self.writer = Some(writer);
        self.counts = Counts::default();
        let mut living: Vec<(u64, Event)> = std::mem::take(&mut self.live).into_iter().collect();
        living.sort_unstable_by_key(|(id, _)| *id);
        let time = self.time;
        living.into_iter().try_for_each(|(_, event)| self.take(Event { time, ..event }))
    }

    fn finish(&mut self, origin: &Origin) -> Result<Counts, TraceError> {
        self.writer.take().map_or(Ok(()), |writer| writer.finish(origin))?;
        Ok(self.counts)
    }

    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let Counts { events, allocations, live, peak } = &mut self.counts;
        *events += 1;
        self.time = event.time;
        match event.action {
            Action::Allocate { id, size, .. } => {
                *allocations += 1;
                *live = live.saturating_add(size.0);
                self.live.insert(id, event);
            }
            Action::Free { id } => {
                if let Some(Event { action: Action::Allocate { size, .. }, .. }) = self.live.remove(&id) {
                    *live = live.saturating_sub(size.0);
                }
            }
            Action::Reallocate { id, size: now } => {
                if let Some(block) = self.live.get_mut(&id) {
                    block.site = event.site.or(block.site);
                    if let Action::Allocate { size, .. } = &mut block.action {
                        *live = live.saturating_sub(size.0).saturating_add(now.0);
                        *size = now;
                    }
                }
            }
            Action::Mark { .. } => {}
        }
        *peak = (*peak).max(*live);
        self.writer.as_mut().map_or(Ok(()), |writer| writer.take(event))
    }

    fn name_site(&mut self, name: &str) {
        self.sites.push(name.to_owned());
        self.writer.iter_mut().for_each(|writer| writer.name_site(name));
    }
}

/// The ticks of the recorder's clock.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn ticks(counter: bool) -> u64 {
    heapsmith_capture::clock::ticks(counter)
}

/// Where there is no recorder, there is no event to be read.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn ticks(_: bool) -> u64 {
    0
}

/// Nanoseconds of the monotonic clock, which the recorder reads too.
pub(crate) fn nanoseconds() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
