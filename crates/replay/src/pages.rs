//! Memory by the pages that a process touches: a measure for heaps and reference allocators alike.
//!
//! ```text
//!   parent                                child: the same command, run again for one subject
//!   ──────                                ────────────────────────────────────────────────
//!   events ───────── standard input ────▶ kept in one block; stack touched
//!                                         pages of anonymous memory now: the base
//!                                         the allocator is made;
//!                                         replay, every payload written whole;
//!                                         at the peak, at the end and between: pages now
//!   touched ◀─────── standard output ──── the most there ever was, less the base and what the loop itself keeps
//! ```
//!
//! A footprint says how much of its region a heap took, to the byte. Nobody can ask that
//! of an allocator that talks to the system, and which pages it holds at the end says little of
//! one that gives pages back. So the system is asked, while the replay runs, how much private
//! memory the process has written (`/proc/self/smaps_rollup`, which counts page tables, not
//! estimates). The measure includes what an allocator keeps for itself wherever it keeps it,
//! and is coarse: whole pages. What a library touches before `main` begins, as jemalloc does, is not in it. Huge pages are switched off, as one would hide 2 MB of untouched memory.
//!
//! The child does as little as it can before its base: of the C library's own `malloc`, which serves
//! the child too, next to nothing was used and freed before.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use heapsmith_dispatch::with_dyn_heap;
use heapsmith_peers::{Allocator, Work, with_peer, without_huge_pages};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, Gap, Operation, PackedEvent, PackedTrace, memory};

use crate::error::ReplayError;
use crate::live::null_allocator;
use crate::min_region::full_region;
use crate::region::Region;
use crate::slots::Slots;
use crate::subject::{Subject, SubjectError};

/// The first argument of a command that is run as such a child: it hands the others to [`pages_child`].
pub const PAGES_CHILD: &str = "--pages-of";

/// The memory of one subject on one trace, by pages touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TouchedPages {
    /// Most bytes in pages touched since the replay began.
    pub touched: Bytes,
    /// Peak live bytes, as requested, of the events that were replayed.
    pub requested_peak: Bytes,
    /// Requests that were refused.
    pub failed: u64,
    /// Events that were replayed.
    pub events: u64,
}

impl TouchedPages {
    /// `touched / requested_peak − 1`: the fragmentation in this measure.
    pub fn fragmentation(&self) -> f64 {
        if self.requested_peak.0 == 0 {
            return 0.0;
        }
        self.touched.0 as f64 / self.requested_peak.0 as f64 - 1.0
    }
}

/// Why the pages could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum PagesError {
    /// The child could not be run, or the system does not report pages.
    #[error("memory cannot be measured by pages: {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Payloads are written, and there is no memory for them.
    #[error(
        "memory is not measured by pages: payloads take {needed}, and {budget} may be taken; --memory SIZE allows more"
    )]
    Memory {
        /// What all payloads take that are live at once.
        needed: Bytes,
        /// What may be taken ([`memory::budget`]).
        budget: Bytes,
    },
    /// The child ended without a result.
    #[error("memory of {subject} cannot be measured by pages: {said}")]
    Child {
        /// What it should have measured.
        subject: String,
        /// What it said, or how it ended.
        said: String,
    },
    /// The subject cannot be made.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The subject is none.
    #[error(transparent)]
    Subject(#[from] SubjectError),
}

fn system(what: &'static str) -> impl Fn(io::Error) -> PagesError {
    move |source| PagesError::System { what, source }
}

/// How many of `jobs` children may replay a trace at once, so that their payloads are within the budget of memory.
///
/// # Errors
///
/// [`PagesError::Memory`] where that is none.
pub fn pages_at_once(jobs: usize, trace: &PackedTrace) -> Result<usize, PagesError> {
    within(jobs, trace.requested_peak, memory::budget())
}

fn within(jobs: usize, needed: Bytes, budget: Bytes) -> Result<usize, PagesError> {
    match budget.0 / needed.0.max(1) {
        0 => Err(PagesError::Memory { needed, budget }),
        many => Ok(jobs.min(usize::try_from(many).unwrap_or(usize::MAX))),
    }
}

/// Measures `subject` on the first `events` events of `trace` in a child process: `command` is run with
/// [`PAGES_CHILD`] as its first argument.
pub fn pages(
    command: &Path,
    subject: &Subject,
    trace: &PackedTrace,
    events: usize,
) -> Result<TouchedPages, PagesError> {
    let events = &trace.events[..trace.events.len().min(events)];
    let region = region_of(subject, trace)?;
    let mut child = Command::new(command)
        .arg(PAGES_CHILD)
        .arg(subject.to_string())
        .args([region.0, trace.slots as u64, events.len() as u64].map(|number| number.to_string()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(system("running the command again"))?;
    let sent = child.stdin.take().map_or(Ok(()), |mut input| send(events, &mut input));
    let output = child.wait_with_output().map_err(system("waiting for the child"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match (&numbers[..], output.status.success()) {
        (&[touched, requested_peak, failed], true) => {
            sent.map_err(system("sending the trace"))?;
            let (touched, requested_peak) = (Bytes(touched), Bytes(requested_peak));
            Ok(TouchedPages { touched, requested_peak, failed, events: events.len() as u64 })
        }
        _ => {
            let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let said = if told.is_empty() { format!("the child ended with {}", output.status) } else { told };
            Err(PagesError::Child { subject: subject.to_string(), said })
        }
    }
}

/// The region of the child: for a heap with a table at its end the one to reserve for it, as in a longer one the table would lie on
/// pages apart.
fn region_of(subject: &Subject, trace: &PackedTrace) -> Result<Bytes, PagesError> {
    let to_reserve = match with_table(subject) {
        Some(spec) => full_region(spec, trace, &mut Region::for_trace(trace)?)?,
        None => None,
    };
    Ok(to_reserve.unwrap_or_else(|| Region::size_for(trace)))
}

/// The heap, if it has a table at the end of its region.
fn with_table(subject: &Subject) -> Option<&Spec> {
    subject.spec().filter(|spec| spec.regions().is_none() && spec.pool.has_table())
}

/// Bytes of an event on the pipe.
const EVENT: usize = 16;
/// Events that are sent at once.
const GROUP: usize = 256;

pub(crate) fn send(events: &[PackedEvent], to: &mut impl Write) -> io::Result<()> {
    for group in events.chunks(GROUP) {
        let mut bytes = Vec::with_capacity(GROUP * EVENT);
        for event in group {
            bytes.extend_from_slice(&event.size.to_le_bytes());
            bytes.extend_from_slice(&event.slot.to_le_bytes());
            bytes.extend_from_slice(&[event.operation as u8, event.alignment_log2, 0, 0]);
        }
        to.write_all(&bytes)?;
    }
    Ok(())
}

pub(crate) fn receive(from: &mut impl Read, count: usize) -> io::Result<Vec<PackedEvent>> {
    let mut events = Vec::with_capacity(count);
    let mut bytes = [0_u8; EVENT * GROUP];
    while events.len() < count {
        let group = &mut bytes[..EVENT * GROUP.min(count - events.len())];
        from.read_exact(group)?;
        for event in group.chunks_exact(EVENT) {
            let (size, remainder) = event.split_at(8);
            let (slot, remainder) = remainder.split_at(4);
            events.push(PackedEvent {
                size: size.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)),
                slot: slot.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)),
                operation: match remainder[0] {
                    0 => Operation::Allocate,
                    1 => Operation::Free,
                    _ => Operation::Reallocate,
                },
                alignment_log2: remainder[1],
                gap: Gap::NONE,
            });
        }
    }
    Ok(events)
}

/// The child: measures what the arguments after [`PAGES_CHILD`] say, on the events of `input`, and returns what
/// its parent expects on standard output.
pub fn pages_child(arguments: &[String], input: &mut impl Read) -> Result<String, PagesError> {
    without_huge_pages();
    let wrong = || PagesError::Child { subject: arguments.join(" "), said: "wrong arguments for a child".to_owned() };
    let [subject, numbers @ ..] = arguments else { return Err(wrong()) };
    let numbers: Vec<usize> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
    let [region, slots, count] = numbers[..] else { return Err(wrong()) };
    let subject = if *subject == Subject::Nothing.to_string() { Subject::Nothing } else { subject.parse()? };
    let events = receive(input, count).map_err(system("receiving the trace"))?;
    let bytes = Bytes(region as u64);
    let mut region = if with_table(&subject).is_some() { Region::exactly(bytes) } else { Region::new(bytes) }?;
    let source = match subject.spec() {
        Some(spec) => region.source_for(spec, Bytes(u64::MAX))?,
        None => region.source(Bytes(u64::MAX)),
    };
    touch_stack();
    let base = base().map_err(system(LOOKING))?;
    let work = Touched { events: &events, slots, writes: subject != Subject::Nothing, base };
    let (touched, requested_peak, failed) = match &subject {
        Subject::Nothing => work.run(null_allocator()),
        Subject::Peer(peer) => with_peer(*peer, source, work).map_err(ReplayError::from)?,
        Subject::Heap(spec) | Subject::Compiled(spec, _) => {
            with_dyn_heap(spec, source, |heap| work.run(heap)).map_err(ReplayError::from)?
        }
    }
    .map_err(system(LOOKING))?;
    Ok(format!("{touched} {requested_peak} {failed}\n"))
}

const LOOKING: &str = "reading /proc/self/smaps_rollup";

/// Touches as much of the stack as anything below may use: what is on it while an allocator is made is none
/// of the allocator's memory.
#[inline(never)]
pub(crate) fn touch_stack() {
    let buffer = black_box([1_u8; 256 << 10]);
    black_box(&buffer);
}

/// The private memory before anything is measured.
fn base() -> io::Result<u64> {
    // The first look touches what looking needs.
    private_bytes()?;
    private_bytes()
}

/// Looks at the pages between events, in addition to those at the peak and at the end.
const LOOKS: usize = 64;

/// A replay that writes every payload.
struct Touched<'t> {
    events: &'t [PackedEvent],
    slots: usize,
    writes: bool,
    /// Private bytes before the allocator was made, which may itself have touched pages.
    base: u64,
}

impl Work for Touched<'_> {
    /// Bytes in pages touched, the most bytes requested, requests refused.
    type Output = io::Result<(u64, u64, u64)>;

    fn run<A: Allocator>(self, mut allocator: A) -> Self::Output {
        let without = private_bytes()?;
        // Kept until the end: freed memory would serve the C library's allocator again without being touched anew.
        let mut sizes = vec![0; self.slots];
        let (requested_peak, peak) = peak(self.events, &mut sizes);
        let between = self.events.len().div_ceil(LOOKS).max(1);
        let mut slots = Slots::new(self.slots);
        // What this loop needs for itself is none of the allocator's memory.
        let base = self.base + private_bytes()?.saturating_sub(without);
        let (mut max, mut failed) = (base, 0);
        for (index, event) in self.events.iter().enumerate() {
            let served = slots.step(&mut allocator, event);
            failed += u64::from(!served);
            if self.writes && served && event.operation != Operation::Free {
                slots.fill(event.slot, event.size, index as u64);
            }
            if index == peak || index % between == between - 1 {
                max = max.max(private_bytes()?);
            }
        }
        max = max.max(private_bytes()?);
        drop(sizes);
        Ok((max - base, requested_peak, failed))
    }
}

/// The peak live bytes, as requested, and the event that first reaches it; `sizes` has a 0 for each slot.
fn peak(events: &[PackedEvent], sizes: &mut [u64]) -> (u64, usize) {
    let (mut live, mut max, mut at) = (0_u64, 0, 0);
    for (index, event) in events.iter().enumerate() {
        let size = &mut sizes[event.slot as usize];
        live = live - *size + event.size;
        *size = event.size;
        if live > max {
            (max, at) = (live, index);
        }
    }
    (max, at)
}

/// Bytes of private memory that this process has written and still has.
pub(crate) fn private_bytes() -> io::Result<u64> {
    // On the stack: the measure must not ask the allocator that it measures.
    let mut buffer = [0_u8; 4096];
    let length = File::open("/proc/self/smaps_rollup")?.read(&mut buffer)?;
    let text = std::str::from_utf8(&buffer[..length]).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:"));
    let kilobytes = line.and_then(|remainder| remainder.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map(|number| number << 10).ok_or_else(|| io::Error::other("it has no line \"Anonymous:\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(operation: Operation, slot: u32, size: u64) -> PackedEvent {
        PackedEvent { size, slot, operation, alignment_log2: 3, gap: Gap::NONE }
    }

    #[test]
    fn events_arrive_as_they_were_sent() {
        let events: Vec<PackedEvent> = (0..1000)
            .map(|n| {
                event([Operation::Allocate, Operation::Free, Operation::Reallocate][n % 3], n as u32, (n as u64) << 33)
            })
            .collect();
        let mut bytes = Vec::new();
        send(&events, &mut bytes).expect("memory");
        assert_eq!(receive(&mut bytes.as_slice(), events.len()).expect("all of them"), events);
        assert!(receive(&mut &bytes[1..], events.len()).is_err());
    }

    #[test]
    fn no_more_payloads_are_written_at_once_than_there_is_memory_for() {
        let gigabytes = |number: u64| Bytes(number << 30);
        assert_eq!(within(4, Bytes(0), gigabytes(1)).ok(), Some(4));
        assert_eq!(within(4, gigabytes(5), gigabytes(64)).ok(), Some(4));
        assert_eq!(within(4, gigabytes(5), gigabytes(12)).ok(), Some(2));
        let refused = within(4, gigabytes(5), gigabytes(4)).expect_err("there is not enough").to_string();
        assert!(refused.contains("payloads take 5.0 GB, and 4.0 GB may be taken"), "{refused}");
    }

    #[test]
    fn the_peak_is_the_maximum_of_live_bytes() {
        use Operation::{Allocate, Free, Reallocate};
        let events = [
            event(Allocate, 0, 10),
            event(Allocate, 1, 20),
            event(Reallocate, 0, 25),
            event(Free, 1, 0),
            event(Allocate, 1, 15),
        ];
        assert_eq!(peak(&events, &mut [0; 2]), (45, 2));
    }

    #[test]
    fn memory_counts_once_it_is_written() {
        if private_bytes().is_err() {
            eprintln!("NOT RUN: this system has no /proc/self/smaps_rollup");
            return;
        }
        // Other tests of this process take and free memory meanwhile, so it is tried again, with memory that is new.
        let mut held: Vec<Vec<u8>> = Vec::new();
        let mut counts = || {
            let before = private_bytes().expect("it is there");
            let mut memory: Vec<u8> = Vec::with_capacity(8 << 20);
            let reserved = private_bytes().expect("it is there");
            memory.resize(8 << 20, 1);
            black_box(&memory);
            let written = private_bytes().expect("it is there");
            held.push(memory);
            (reserved.abs_diff(before), written.saturating_sub(reserved))
        };
        let tries: Vec<(u64, u64)> = (0..20).map(|_| counts()).collect();
        let is_right = |&(reserved, written): &(u64, u64)| reserved < 1 << 20 && (7 << 20..9 << 20).contains(&written);
        assert!(tries.iter().any(is_right), "{tries:?}");
    }
}
