//! Traces of Android's `memory_replay`.
//!
//! ```text
//!   186: malloc 0xb6027400 1024              thread: call address size
//!   186: calloc 0xb6027400 4 256             count and size
//!   186: memalign 0xb6027400 64 1024         alignment and size
//!   187: realloc 0xb6028000 0xb6027400 2048  new address, old address, size
//!   187: free 0xb6028000
//!   187: thread_done 0x0
//! ```
//!
//! Later versions append the call's begin and end in nanoseconds; the begin is taken as its
//! time, counted from the first.
//!
//! Source: Android Open Source Project, `platform/system/extras`, `memory_replay/README.md`.

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::{hexadecimal, whole};
use crate::recording::{Recording, Taken};

pub(crate) const IMPORTER: Importer = Importer {
    name: "memory-replay",
    about: "what Android's memory_replay plays back",
    source: "Android Open Source Project, platform/system/extras, memory_replay",
    input: "an Android memory_replay trace",
    parameters: &[KEEP_DAMAGED],
    begins: |head| head.lines().first().is_some_and(|line| Call::of(line).is_some()),
    format: Format::Text(|| Box::new(MemoryReplay::default())),
};

/// A line, taken apart.
struct Call<'l> {
    thread: u64,
    name: &'l str,
    address: u64,
    numbers: Vec<u64>,
    time: Option<u64>,
}

impl<'l> Call<'l> {
    fn of(line: &'l str) -> Option<Call<'l>> {
        let (thread, rest) = line.split_once(':')?;
        let mut fields = rest.split_ascii_whitespace();
        let name = fields.next()?;
        let arguments = match name {
            "malloc" => 1,
            "calloc" | "memalign" | "aligned_alloc" | "realloc" => 2,
            "free" | "thread_done" => 0,
            _ => return None,
        };
        let address = hexadecimal(fields.next()?)?;
        let mut numbers: Vec<u64> = fields.map(whole).collect::<Option<_>>()?;
        let time = match numbers.len() - arguments.min(numbers.len()) {
            0 if numbers.len() == arguments => None,
            2 => Some(numbers[arguments]),
            _ => return None,
        };
        numbers.truncate(arguments);
        Some(Call { thread: whole(thread)?, name, address, numbers, time })
    }
}

#[derive(Default)]
struct MemoryReplay {
    began: Option<u64>,
}

impl Text for MemoryReplay {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        let call = Call::of(line).ok_or("not `THREAD: CALL ADDRESS NUMBERS` of a call that is known")?;
        recording.on_thread(call.thread);
        if let Some(time) = call.time {
            let began = *self.began.get_or_insert(time);
            recording.time = Nanoseconds(time.saturating_sub(began));
        }
        match (call.name, &call.numbers[..]) {
            ("malloc", &[_]) | ("calloc" | "memalign" | "aligned_alloc", _) if call.address == 0 => {
                recording.failed();
                Ok(())
            }
            ("malloc", &[size]) => recording.allocate(call.address, size, 0),
            ("calloc", &[count, size]) => {
                let size = count.checked_mul(size).ok_or("count times size is more than 2^64 bytes")?;
                recording.allocate(call.address, size, 0)
            }
            ("memalign" | "aligned_alloc", &[alignment, size]) => recording.allocate(call.address, size, alignment),
            ("realloc", &[old, size]) => recording.reallocate(old, call.address, size),
            ("free", _) => recording.free(call.address),
            _ => Ok(()),
        }
    }
}
