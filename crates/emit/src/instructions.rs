//! What a heap takes on a processor of firmware: instructions, counted by an emulated Cortex-M3.
//!
//! ```text
//!   trace ──▶ events.h ─┐
//!   spec ──▶ C ─────────┼──▶ cortex_m3::run ──▶ "ticks max refused" ──▶ Instructions
//!   board/play.c ───────┘
//! ```

use std::fmt::Write;

use heapsmith_output::Scratch;
use heapsmith_spec::{Spec, WordSize};
use heapsmith_trace::{Operation, PackedEvent, PackedTrace};

use crate::code::{self, CodeError};
use crate::cortex_m3::{self, NANOSECONDS_PER_INSTRUCTION, NANOSECONDS_PER_TICK};

/// Bytes of the board's memory that a heap gets.
const REGION: u64 = 3 << 20;
/// The same where words have two bytes: what such a heap reaches, and behind free lists half of that.
const SMALL_REGION: u64 = 15 << 10;

/// Instructions of a heap's functions, as they are called by a program compiled at `-Os`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instructions {
    /// Operations that were played.
    pub operations: u64,
    /// Of an operation, on average.
    pub mean: f64,
    /// Of the operation that took most.
    pub max: f64,
    /// Requests that were refused, of what the board's memory has no room for.
    pub refused: u32,
}

/// An emulated board that plays the beginning of a trace on one heap after another.
///
/// Cost: a run of a compiler and of an emulator, about 0.3 s, for every call of [`Emulated::of`].
#[derive(Debug)]
pub struct Emulated {
    scratch: Scratch,
    events: String,
    operations: u64,
}

impl Emulated {
    /// With the first `max` events of a trace.
    ///
    /// # Errors
    ///
    /// [`CodeError::Scratch`], if there is no folder for temporary files.
    pub fn new(trace: &PackedTrace, max: usize) -> Result<Emulated, CodeError> {
        let events = &trace.events[..max.min(trace.events.len())];
        let scratch = Scratch::new()?;
        for (name, text) in cortex_m3::BOARD {
            scratch.write(name, text)?;
        }
        scratch.write("play.c", include_str!("../board/play.c"))?;
        Ok(Emulated { scratch, events: listed(events), operations: events.len() as u64 })
    }

    /// The instructions of a heap; none if it cannot be emitted.
    ///
    /// # Errors
    ///
    /// A compiler or an emulator that is missing or fails; files that cannot be written.
    pub fn of(&self, spec: &Spec) -> Result<Option<Instructions>, CodeError> {
        if !code::write(spec, "my_heap", &self.scratch)? {
            return Ok(None);
        }
        let region = if spec.word == WordSize::Two { SMALL_REGION } else { REGION };
        self.scratch.write("events.h", format!("{}#define REGION {region}U\n", self.events))?;
        let printed = cortex_m3::run(self.scratch.path(), &["play.c", "my_heap.c"])?;
        let numbers: Option<Vec<u32>> = printed.split_whitespace().map(|number| number.parse().ok()).collect();
        let Some(&[all, longest, refused]) = numbers.as_deref() else { return Err(CodeError::Output(printed)) };
        let instructions =
            |ticks: u32| f64::from(ticks) * f64::from(NANOSECONDS_PER_TICK) / f64::from(NANOSECONDS_PER_INSTRUCTION);
        let operations = self.operations;
        let (mean, max) = (instructions(all) / operations.max(1) as f64, instructions(longest).round());
        Ok(Some(Instructions { operations, mean, max, refused }))
    }
}

/// Counts the instructions of heaps on the beginnings of several traces, each heap's once in a row.
#[derive(Debug, Default)]
pub struct InstructionCounter {
    /// One a trace; none before the first heap.
    boards: Option<Vec<Emulated>>,
    last: Option<(Spec, Option<Instructions>)>,
}

impl InstructionCounter {
    /// Events that are played, of all traces together.
    pub const EVENTS: usize = 10_000;

    /// The instructions of a heap over all traces, the same number of events of each; none if it cannot be emitted, or
    /// refuses a request in the memory of the board. The traces are those of the first call.
    ///
    /// # Errors
    ///
    /// Those of [`Emulated::new`] and [`Emulated::of`].
    pub fn of(&mut self, spec: &Spec, traces: &[PackedTrace]) -> Result<Option<Instructions>, CodeError> {
        if let Some((known, instructions)) = &self.last
            && known == spec
        {
            return Ok(*instructions);
        }
        let boards = match &mut self.boards {
            Some(boards) => boards,
            empty => {
                let share = InstructionCounter::EVENTS / traces.len().max(1);
                empty.insert(traces.iter().map(|trace| Emulated::new(trace, share)).collect::<Result<_, _>>()?)
            }
        };
        let each = boards.iter().map(|board| board.of(spec)).collect::<Result<Option<Vec<_>>, _>>()?;
        let served = each.filter(|each| each.iter().all(|one| one.refused == 0));
        let instructions = served.map(|each| {
            let operations: u64 = each.iter().map(|one| one.operations).sum();
            let all: f64 = each.iter().map(|one| one.mean * one.operations as f64).sum();
            let max = each.iter().map(|one| one.max).fold(0.0, f64::max);
            Instructions { operations, mean: all / operations.max(1) as f64, max, refused: 0 }
        });
        self.last = Some((spec.clone(), instructions));
        Ok(instructions)
    }
}

/// The events as C. Blocks that are not live together share a slot.
fn listed(events: &[PackedEvent]) -> String {
    let mut text = "enum kind { ALLOCATE, ALLOCATE_ALIGNED, REALLOCATE, FREE };\n\
                    static const struct event { uint32_t slot; uint32_t size; uint8_t kind; uint8_t alignment; } events[] = {\n"
        .to_owned();
    let mut slots = 0;
    for event in events {
        slots = slots.max(event.slot + 1);
        let kind = match event.operation {
            Operation::Allocate if event.alignment_log2 == 0 => "ALLOCATE",
            Operation::Allocate => "ALLOCATE_ALIGNED",
            Operation::Reallocate => "REALLOCATE",
            Operation::Free => "FREE",
        };
        // A program of 32 bits cannot ask for more; this much is refused.
        let size = event.size.min(u64::from(u32::MAX));
        // Writing to a string does not fail.
        let _ = writeln!(text, "{{ {}U, {size}U, {kind}, {}U }},", event.slot, event.alignment_log2);
    }
    let _ = writeln!(text, "}};\n#define EVENTS {}U\n#define SLOTS {}U", events.len(), slots.max(1));
    text
}
