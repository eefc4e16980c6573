//! What ESP-IDF's script prints of a recording: `sysviewtrace_proc.py -p`.
//!
//! ```text
//!   [0.001650800] HEAP: Allocated 8 bytes @ 0x3ffb68a0 from task "main" on core 0 by:
//!   /esp-idf/components/heap/heap_caps.c:84
//!   /esp-idf/examples/system/sysview_tracing_heap_log/main/sysview_heap_log.c:83
//!
//!   [0.003606975] HEAP: Freed bytes @ 0x3ffb8010 from task "free0" on core 1 by: 0x40082e5f:0x400d9c2d
//!   [0.003606975] LOG: I (302) example: Got notify val 2
//!   =============== HEAP TRACE REPORT ===============
//! ```
//!
//! Where the script has the program, a caller is on each of the lines that follow; the call site is the first of them that is in no heap and
//! no C library of ESP-IDF. Otherwise it is the addresses. The report repeats what was never freed and is left out. The script prints
//! a request more than once before it knows which task runs: a line that is as the one before is one request.
//!
//! What the standalone mode prints (`heap_trace_dump()`) does not say when blocks were freed, and the script's JSON is made of a recording that
//! is smaller: both are refused, and what to read instead is said.
//!
//! Source: the repository espressif/esp-idf, `tools/esp_app_trace/espytrace/apptrace.py` and `components/heap/heap_trace_standalone.c`.

use std::collections::HashMap;

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::{hexadecimal, seconds, whole};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::Head;

pub(crate) const IMPORTER: Importer = Importer {
    name: "esp-idf",
    about: "what ESP-IDF's sysviewtrace_proc.py -p prints of a recording",
    source: "espressif/esp-idf, tools/esp_app_trace",
    input: "the output of ESP-IDF's sysviewtrace_proc.py",
    parameters: &[KEEP_DAMAGED],
    begins,
    format: Format::Text(|| Box::new(EspIdf::default())),
};

/// The first line of what the standalone mode prints.
const DUMP: &str = "====== Heap Trace:";
/// Parts of ESP-IDF between a program and its heap.
const LIBRARIES: [&str; 3] = ["/components/heap/", "/components/newlib/", "/components/esp_libc/"];
/// Names of tasks and interrupts that are distinguished.
const MAX_CONTEXTS: usize = 1 << 16;

fn begins(head: &Head) -> bool {
    let lines = head.lines();
    let is_json =
        lines.first().is_some_and(|line| line == "{") && lines.iter().any(|line| line.starts_with("\"ctx_name\":"));
    is_json
        || lines.iter().any(|line| {
            let is_event = line.starts_with("EVENT[") && line.contains(" - core[");
            is_event || line.contains(DUMP) || matches!(Entry::of(line), Some(Ok(_)))
        })
}

/// A request, taken apart.
#[derive(Clone)]
struct Entry {
    time: u64,
    /// None for a free.
    size: Option<u64>,
    address: u64,
    context: String,
    site: String,
}

impl Entry {
    /// None where the line is another; an error where it is cut off.
    fn of(line: &str) -> Option<Result<Entry, &'static str>> {
        let (time, rest) = line.strip_prefix('[')?.split_once("] HEAP: ")?;
        let entry = || {
            let (size, rest) = match rest.strip_prefix("Allocated ") {
                Some(rest) => {
                    let (size, rest) = rest.split_once(" bytes @ ")?;
                    (Some(whole(size)?), rest)
                }
                None => (None, rest.strip_prefix("Freed bytes @ ")?),
            };
            let (address, rest) = rest.split_once(" from ")?;
            let (context, rest) = rest.rsplit_once(" on core ")?;
            let (_, callers) = rest.split_once(" by:")?;
            let (context, site) = (context.to_owned(), callers.trim().to_owned());
            Some(Entry { time: seconds(time)?, size, address: hexadecimal(address)?, context, site })
        };
        Some(
            entry().ok_or(
                "not `[TIME] HEAP: Allocated SIZE bytes @ ADDRESS from TASK on core N by:`, nor `Freed bytes @ …`",
            ),
        )
    }
}

#[derive(Default)]
struct EspIdf {
    /// A request whose callers are being read.
    pending: Option<Entry>,
    /// The last request's line, which may come again.
    last: String,
    is_report: bool,
    contexts: HashMap<String, u64>,
}

impl Text for EspIdf {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        if line.contains(DUMP) {
            return Err(Refusal::Incomplete(
                "heap_trace_dump() does not say in which order blocks were freed; trace to the host instead \
                 (CONFIG_HEAP_TRACING_TOHOST, which writes an .svdat file), or use `heapsmith record --board`",
            ));
        }
        if line.starts_with("\"ctx_name\":") {
            return Err(Refusal::Incomplete(
                "it is JSON of sysviewtrace_proc.py; import the .svdat file that it was made of",
            ));
        }
        match Entry::of(line) {
            _ if self.is_report => Ok(()),
            Some(entry) if self.last == line => entry.map(drop).map_err(Refusal::from),
            Some(entry) => {
                self.send(recording)?;
                self.pending = Some(entry?);
                line.clone_into(&mut self.last);
                Ok(())
            }
            None if line.starts_with("===============") => {
                self.is_report = true;
                self.send(recording)
            }
            None if line.starts_with(['[', '=']) || line.starts_with("EVENT[") || line.starts_with("Processed ") => {
                self.send(recording)
            }
            None => {
                self.caller(line);
                Ok(())
            }
        }
    }

    fn salvage(&mut self, recording: &mut Recording<'_>) -> Taken {
        self.send(recording)
    }

    fn end(&mut self, recording: &mut Recording<'_>) -> Taken {
        self.send(recording)?;
        if recording.has_begun() || recording.is_full() {
            return Ok(());
        }
        Err(Refusal::Incomplete(
            "it has no requests of a heap but what was never freed; run sysviewtrace_proc.py with -p, or import the .svdat file",
        ))
    }
}

impl EspIdf {
    /// A line with a caller of the request before it.
    fn caller(&mut self, line: &str) {
        let Some(entry) = &mut self.pending else { return };
        let is_library = LIBRARIES.iter().any(|library| entry.site.contains(library));
        // A caller that the program's symbols do not know is `??:0`.
        if (entry.site.is_empty() || is_library) && !line.starts_with("??") {
            line.clone_into(&mut entry.site);
        }
    }

    fn send(&mut self, recording: &mut Recording<'_>) -> Taken {
        let Some(entry) = self.pending.take() else { return Ok(()) };
        recording.time = Nanoseconds(entry.time);
        let next = self.contexts.len() as u64;
        let known = self.contexts.get(&entry.context).copied();
        recording.on_thread(known.unwrap_or(next));
        if known.is_none() && self.contexts.len() < MAX_CONTEXTS {
            self.contexts.insert(entry.context, next);
        }
        // Where a block is freed is no site of a request.
        recording.at_site(entry.size.map_or("", |_| &entry.site));
        match entry.size {
            Some(_) if entry.address == 0 => {
                recording.failed();
                Ok(())
            }
            Some(size) => recording.allocate(entry.address, size, 0),
            None => recording.free(entry.address),
        }
    }
}
