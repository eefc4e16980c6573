//! The replayable form of a trace.
//!
//! ```text
//!   offset  0               8           12          13          14          16
//!           ├── size (u64) ─┼ slot (u32)┼ operation ┼ alignment ┼ gap (u16) ┤
//! ```
//!
//! Four events share a cache line, and a slot is an index into a table that is as long as
//! the most blocks ever live at once: the replay loop needs no hashing and no allocation.
//! Marks are left out, as no heap sees them.
//!
//! Cost of packing: one hash look-up an event, 16 bytes an event.

use std::hash::Hasher;

use twox_hash::XxHash64;

use crate::live::{Change, Ledger, told_apart};
use crate::tally::ThreadTally;
use crate::{Action, Bytes, Event, Gap, Nanoseconds, Origin, PackedEvents, Sink, Trace, TraceError, memory};

/// What a packed event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Fills the slot with a block of the event's size and alignment.
    Allocate = 0,
    /// Empties the slot; the event's size is 0.
    Free = 1,
    /// Gives the slot's block the event's size.
    Reallocate = 2,
}

/// An event of a [`PackedTrace`], 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct PackedEvent {
    /// Requested bytes; 0 for a free.
    pub size: u64,
    /// The block's place in the table of live blocks.
    pub slot: u32,
    /// What to do.
    pub operation: Operation,
    /// The alignment's logarithm to base 2; 0 for the heap's own.
    pub alignment_log2: u8,
    /// Time since the event before, marks left out.
    pub gap: Gap,
}

const _: () = assert!(size_of::<PackedEvent>() == 16);

impl PackedEvent {
    /// The alignment in bytes; 1 when the heap's own will do.
    pub fn alignment(self) -> u64 {
        1 << self.alignment_log2
    }
}

/// A trace that every event of which has been checked, ready to be replayed any number of
/// times on any number of threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedTrace {
    /// The events without marks.
    pub events: PackedEvents,
    /// Length of the table of live blocks: the most blocks live at once.
    pub slots: usize,
    /// The peak live bytes, as requested.
    pub requested_peak: Bytes,
    /// Number of allocations.
    pub allocations: u64,
    /// Number of frees.
    pub frees: u64,
    /// Number of reallocations.
    pub reallocations: u64,
    /// All bytes ever requested, by allocations and by reallocations.
    pub requested_total: Bytes,
    /// The gaps of all events; zero where the trace has no times.
    pub duration: Nanoseconds,
    /// The same for equal events on every machine: names the trace in stored results.
    pub fingerprint: u64,
    /// The trace's name, as [`Trace::name`] gives it.
    pub name: String,
    /// What the program took of processors while it was recorded, where that is known ([`Origin::processor_time`]).
    pub processor_time: Option<Nanoseconds>,
    /// Threads that make at least a hundredth of the operations, all of which replay makes in one; 0 where they are not known.
    pub threads: usize,
}

impl PackedTrace {
    /// Packs a trace.
    ///
    /// # Errors
    ///
    /// The number and cause of the first event that no heap could serve: a free of an
    /// unknown id or a second free, an allocation of a live id, a reallocation of an id
    /// that is not live, a size above [`LARGEST_REQUEST`](crate::LARGEST_REQUEST), an
    /// alignment that is no power of two. And [`TraceError::Sampled`].
    pub fn new(trace: &Trace) -> Result<PackedTrace, TraceError> {
        trace.origin.whole()?;
        let mut packer = Packer::default();
        memory::grow(&mut packer.events, trace.events.len())?;
        for event in &trace.events {
            packer.take(*event).map_err(|error| told_apart(error, &trace.events))?;
        }
        Ok(packer.finish(&trace.origin))
    }

    /// The coarsest alignment that is asked for, in bytes; 1: none beyond a heap's own. Cost: a pass over the events.
    pub fn coarsest_alignment(&self) -> u64 {
        let requests = self.events.iter().filter(|event| event.operation != Operation::Free);
        requests.map(|event| event.alignment()).max().unwrap_or(1)
    }

    /// This trace, if there is anything in it for a heap.
    ///
    /// # Errors
    ///
    /// [`TraceError::NoAllocations`].
    pub fn checked(self) -> Result<PackedTrace, TraceError> {
        match self.events.is_empty() {
            true => Err(TraceError::NoAllocations { name: self.name }),
            false => Ok(self),
        }
    }

    pub(crate) fn empty(name: String) -> PackedTrace {
        PackedTrace {
            events: Vec::new().into(),
            slots: 0,
            requested_peak: Bytes(0),
            allocations: 0,
            frees: 0,
            reallocations: 0,
            requested_total: Bytes(0),
            duration: Nanoseconds(0),
            fingerprint: 0,
            name,
            processor_time: None,
            threads: 0,
        }
    }

    /// Counts the event of this number, from 1.
    pub(crate) fn count(&mut self, event: &PackedEvent, record: u64) -> Result<(), TraceError> {
        let counter = match event.operation {
            Operation::Allocate => &mut self.allocations,
            Operation::Free => &mut self.frees,
            Operation::Reallocate => &mut self.reallocations,
        };
        *counter += 1;
        self.duration = Nanoseconds(self.duration.0.saturating_add(event.gap.nanoseconds()));
        let total = self.requested_total.0.checked_add(event.size);
        self.requested_total =
            Bytes(total.ok_or(TraceError::TooMuch { record, cause: "more than 2^64 bytes are requested in all" })?);
        Ok(())
    }
}

/// Packs events as they come: 16 bytes an event and the live set are all that it holds.
#[derive(Debug)]
pub struct Packer {
    ledger: Ledger,
    clock: Clock,
    events: Vec<PackedEvent>,
    threads: ThreadTally,
    /// Everything but the events.
    packed: PackedTrace,
}

impl Default for Packer {
    fn default() -> Packer {
        Packer {
            ledger: Ledger::default(),
            clock: Clock::default(),
            events: Vec::new(),
            threads: ThreadTally::default(),
            packed: PackedTrace::empty(String::new()),
        }
    }
}

impl Packer {
    /// The packed trace, with what is known of its program.
    pub fn finish(self, origin: &Origin) -> PackedTrace {
        PackedTrace { processor_time: origin.processor_time(), ..self.finish_as(origin.name()) }
    }

    /// The packed trace of no program, under a name.
    pub fn finish_as(self, name: String) -> PackedTrace {
        let Packer { ledger, events, threads, packed, .. } = self;
        let fingerprint = fingerprint(&events);
        let (slots, requested_peak) = (ledger.slots as usize, ledger.peak);
        PackedTrace {
            events: events.into(),
            slots,
            requested_peak,
            fingerprint,
            name,
            threads: threads.allocating(),
            ..packed
        }
    }
}

impl Sink for Packer {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let thread = event.thread;
        if let Some(event) = pack(&mut self.ledger, &mut self.clock, &event)? {
            self.packed.count(&event, self.ledger.events)?;
            self.threads.count(thread);
            memory::reserve_one(&mut self.events)?;
            self.events.push(event);
        }
        Ok(())
    }
}

/// The latest time of the events that were packed.
#[derive(Debug, Default)]
struct Clock(Option<Nanoseconds>);

impl Clock {
    /// The time until then; none for the first event, and where time goes backwards.
    fn gap_until(&mut self, time: Nanoseconds) -> Gap {
        let before = self.0.unwrap_or(time);
        self.0 = Some(before.max(time));
        Gap::of(time.since(before))
    }
}

/// The next event of a ledger, packed; none for a mark.
fn pack(ledger: &mut Ledger, clock: &mut Clock, event: &Event) -> Result<Option<PackedEvent>, TraceError> {
    let change = ledger.apply(event)?;
    let alignment = match event.action {
        Action::Allocate { alignment, .. } if alignment != 0 => alignment,
        _ => 1,
    };
    let (operation, slot, size) = match change {
        Change::Allocated(block) => (Operation::Allocate, block.slot, block.size),
        Change::Freed(block) => (Operation::Free, block.slot, Bytes(0)),
        Change::Reallocated(block) => (Operation::Reallocate, block.slot, block.size),
        Change::Marked => return Ok(None),
    };
    let (alignment_log2, gap) = (alignment.trailing_zeros() as u8, clock.gap_until(event.time));
    Ok(Some(PackedEvent { size: size.0, slot, operation, alignment_log2, gap }))
}

/// Compares events, as they come, with a packed trace: the live set is all that it holds.
#[derive(Debug)]
pub struct Comparison<'p> {
    ledger: Ledger,
    clock: Clock,
    expected: &'p [PackedEvent],
    compared: usize,
    same: bool,
}

impl Comparison<'_> {
    /// Begins at the first event.
    pub fn with(packed: &PackedTrace) -> Comparison<'_> {
        Comparison {
            ledger: Ledger::default(),
            clock: Clock::default(),
            expected: &packed.events,
            compared: 0,
            same: true,
        }
    }

    /// Whether the packed trace is that of the events that came.
    pub fn is_same(&self) -> bool {
        self.same && self.compared == self.expected.len()
    }
}

impl Sink for Comparison<'_> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        if let Some(event) = pack(&mut self.ledger, &mut self.clock, &event)? {
            self.same &= self.expected.get(self.compared) == Some(&event);
            self.compared += 1;
        }
        Ok(())
    }
}

/// Hashes the fields, not the memory, so that padding and byte order do not matter.
pub(crate) fn fingerprint(events: &[PackedEvent]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    let mut buffer = Vec::with_capacity(1024 * 16);
    for group in events.chunks(1024) {
        buffer.clear();
        for event in group {
            buffer.extend_from_slice(&event.size.to_le_bytes());
            buffer.extend_from_slice(&event.slot.to_le_bytes());
            buffer.push(event.operation as u8);
            buffer.push(event.alignment_log2);
            buffer.extend_from_slice(&event.gap.bits().to_le_bytes());
        }
        hasher.write(&buffer);
    }
    hasher.finish()
}
