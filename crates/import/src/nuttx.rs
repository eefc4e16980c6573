//! The text of NuttX's notes in memory: `trace dump`, or what `/dev/note/ram` gives.
//!
//! ```text
//!   # tracer: nop
//!      hello-7   [0]   1.250000000: tracing_mark_write: C|7|Heap Usage|4096|malloc: heap: 0x2000a000 size:48, address: 0x2000b0f8
//!      hello-7   [0]   1.250100000: sched_waking: comm=init pid=3 target_cpu=0
//!      hello-7   [0]   1.250200000: tracing_mark_write: C|7|Heap Usage|4048|free: heap: 0x2000a000 size:48, address: 0x2000b0f8
//!   task-number   [core]   seconds
//! ```
//!
//! The size is that of the node: with its header and rounded where NuttX has its usual heap, and without one where it has TLSF
//! (`CONFIG_MM_TLSF_MANAGER`). What was asked for is not recorded, nor are alignments and callers. A reallocation in place is a
//! free and an allocation. `add` and `remove` are regions of a heap; the notes of several heaps are one trace. Every other note is
//! left alone. Times count from the first note of a heap.
//!
//! Notes that were overwritten leave no mark: a free of a block whose allocation is gone is left out, and counted.
//!
//! Source: the repository apache/nuttx, `drivers/note/noteram_driver.c`, `mm/mm_heap` and `mm/tlsf`.

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::{hexadecimal, seconds, whole};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::Head;

pub(crate) const IMPORTER: Importer = Importer {
    name: "nuttx",
    about: "NuttX's notes of its heap, as text",
    source: "apache/nuttx, drivers/note/noteram_driver.c",
    input: "a NuttX trace dump",
    parameters: &[KEEP_DAMAGED],
    begins: |head: &Head| head.lines().iter().any(|line| Note::of(line).is_some_and(|note| note.is_known())),
    format: Format::Text(|| Box::new(Nuttx::default())),
};

/// A note, taken apart as far as all are equal.
struct Note<'l> {
    time: u64,
    what: &'l str,
}

impl<'l> Note<'l> {
    fn of(line: &'l str) -> Option<Note<'l>> {
        // A task's name may have anything in it, brackets too.
        let mut rest = line;
        while let Some((_, after)) = rest.split_once(" [") {
            let note = || {
                let (core, after) = after.split_once("] ")?;
                let (time, what) = after.trim_start().split_once(": ")?;
                let (_, fraction) = time.split_once('.')?;
                // Linux writes such lines with microseconds.
                let is_core = whole(core).is_some() && fraction.len() == 9;
                is_core.then_some(Note { time: seconds(time)?, what })
            };
            if let Some(note) = note() {
                return Some(note);
            }
            rest = after;
        }
        None
    }

    fn is_known(&self) -> bool {
        let words = ["tracing_mark_write: ", "sched_switch: ", "sched_wak", "irq_handler_", "sys_"];
        words.iter().any(|word| self.what.starts_with(word))
    }
}

/// What a note says of a heap.
struct Usage<'l> {
    task: u64,
    action: &'l str,
    size: u64,
    address: u64,
}

impl<'l> Usage<'l> {
    /// None where the note is of something else; an error where it is cut off.
    fn of(what: &'l str) -> Option<Result<Usage<'l>, &'static str>> {
        let (task, rest) = what.strip_prefix("tracing_mark_write: C|")?.split_once("|Heap Usage|")?;
        let usage = || {
            let (_, rest) = rest.split_once('|')?;
            let (action, rest) = rest.split_once(": heap: ")?;
            let (_, rest) = rest.split_once(" size:")?;
            let (size, address) = rest.split_once(", address: ")?;
            Some(Usage { task: whole(task)?, action, size: whole(size)?, address: hexadecimal(address)? })
        };
        Some(usage().ok_or("not `C|TASK|Heap Usage|USED|ACTION: heap: ADDRESS size:SIZE, address: ADDRESS`"))
    }
}

#[derive(Default)]
struct Nuttx {
    began: Option<u64>,
}

impl Text for Nuttx {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        let Some(note) = Note::of(line) else { return Ok(()) };
        let Some(usage) = Usage::of(note.what) else { return Ok(()) };
        let Usage { task, action, size, address } = usage?;
        recording.fact("sizes", "of NuttX's nodes: rounded, and with their header unless the heap is TLSF");
        let began = *self.began.get_or_insert(note.time);
        recording.time = Nanoseconds(note.time.saturating_sub(began));
        recording.on_thread(task);
        match action {
            "malloc" => recording.allocate(address, size, 0),
            "free" => recording.free(address),
            "add" | "remove" => Ok(()),
            _ => Err("an action of a heap that is none of malloc, free, add and remove".into()),
        }
    }

    fn end(&mut self, recording: &mut Recording<'_>) -> Taken {
        if recording.has_begun() || recording.is_full() {
            return Ok(());
        }
        Err(Refusal::Incomplete(
            "its notes have no allocation; build NuttX with CONFIG_SCHED_INSTRUMENTATION_HEAP=y, or use `heapsmith record --board`",
        ))
    }
}
