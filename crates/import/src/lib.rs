//! What other tools record of a program's allocations, read into traces; and traces written
//! for other tools.
//!
//! ```text
//!   file ─ unpacked ─ its content ──► importer ─► Recording ─► any Sink
//!   (.xz .gz .zst)                       (a format)  (addresses to ids, what is odd mended)
//! ```
//!
//! An importer reads record by record and holds only the live blocks of the program, so a
//! file of any length takes bounded memory. Lists of lifetimes and recordings of several cores
//! are the exception: they have to be sorted, at 40 bytes a buffer and 48 a request. What a file
//! may ask for is limited: a line has 1 MB at most (`lines`), a compressed file unpacks to 200
//! times its size at most (`compression`), names and stacks have the limits that their modules
//! state, and all of it together keeps within the budget of memory (`heapsmith_trace::memory`).
//! What a format leaves open, and what its importer makes of that, is in the importer's module.
//!
//! | importer | file |
//! |---|---|
//! | `board` | the recorder for boards, `trace/heapsmith_trace.c` |
//! | `systemview` | SEGGER SystemView, with heap events of ESP-IDF or of SEGGER |
//! | `esp-idf` | what ESP-IDF's script prints of such a recording |
//! | `nuttx` | NuttX's notes, as text |
//! | `rep` | CS:APP malloc lab |
//! | `memory-replay` | Android's `memory_replay` |
//! | `heaptrack` | heaptrack, raw and interpreted |
//! | `bytehound` | bytehound's replay export |
//! | `mtrace` | glibc's `mtrace()` |
//! | `calls` | ltrace, strace |
//! | `wee-alloc` | wee_alloc's test traces |
//! | `lifetimes` | CSV of `id,lower,upper,size` |
//! | `csv` | CSV of events |

#![forbid(unsafe_code)]

mod board;
mod bytehound;
mod calls;
mod compression;
mod csv;
mod error;
mod esp_idf;
mod export;
mod heaptrack;
mod importer;
mod lifetimes;
mod lines;
mod memory_replay;
mod mtrace;
mod number;
mod nuttx;
mod recording;
mod registry;
mod rep;
mod source;
mod systemview;
mod wee_alloc;

pub use compression::{over_budget, unpacked};
pub use error::ImportError;
pub use export::{CsvWriter, RepWriter, pprof};
pub use importer::{Importer, Parameter};
pub use lifetimes::{Buffer, buffers};
pub use registry::{Imported, import, import_live, importer, importers};
