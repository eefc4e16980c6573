//! What the environment asks for; `heapsmith run` writes it.
//!
//! | variable | meaning |
//! |---|---|
//! | `HEAPSMITH_HEAP` | the heap: a spec, or a name of the catalogue |
//! | `HEAPSMITH_MAP_FROM` | requests of at least this many bytes are mapped separately |
//! | `HEAPSMITH_STATS` | a file for the statistics of each process, written when it ends; `-` for standard error |
//! | `HEAPSMITH_STARTED_BY` | the process whose child writes to that very file; other processes write next to it |
//! | `HEAPSMITH_RECORD` | a folder for a recording of each process: what it asks of its heap, as `heapsmith record` writes it |
//! | `HEAPSMITH_SIGNAL` | the number of a signal that writes them at run time |
//! | `HEAPSMITH_SITES` | frames of the call sites in reports of heap errors |
//! | `HEAPSMITH_CHECK` | verify every heap when the process ends |
//! | `HEAPSMITH_OPERATORS` | `off`: a guard does not hold `new` and `delete` against each other |
//! | `HEAPSMITH_SEED` | the number that decides which requests a guard samples; else each process draws one |

use core::ffi::CStr;
use std::ffi::CString;

use heapsmith_sharing::MAP_FROM;
use heapsmith_spec::{Spec, resolve};

use crate::diagnostics;

/// The heap of a library that is preloaded without a spec. With `bins(log)`, a server's loop that `cargo xtask server` runs
/// for minutes comes to hold twice as much.
const DEFAULT: &str = "freelists(16..=1024 step 16) bins(lea) word=8";

/// What the environment asks for.
#[derive(Debug)]
pub struct Settings {
    /// The heap, fit for `malloc`.
    pub spec: Spec,
    /// Requests of at least this many bytes are mapped separately.
    pub map_from: usize,
    /// Whether `map_from` stays as it is: it was asked for.
    pub map_from_fixed: bool,
    /// A file for statistics.
    pub stats: Option<CString>,
    /// The process whose child writes them to that very file; others write next to it.
    pub started_by: Option<i32>,
    /// Whether what is asked of the heap is recorded.
    pub records: bool,
    /// A signal that writes them.
    pub signal: Option<i32>,
    /// Frames of a call site; 0 for none.
    pub frames: usize,
    /// Whether heaps are verified at the end.
    pub check: bool,
    /// Whether a guard knows what made each block.
    pub operators: bool,
    /// What decides which requests are sampled.
    pub seed: Option<usize>,
}

/// The value of an environment variable that is not empty.
fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: the name ends with a zero.
    let text = unsafe { libc::getenv(name.as_ptr()) };
    if text.is_null() {
        return None;
    }
    // SAFETY: the environment's values end with a zero, and live as long as nobody sets them anew: copied at once.
    Some(unsafe { CStr::from_ptr(text) }).filter(|text| !text.is_empty())
}

fn number(name: &CStr) -> Option<usize> {
    let text = variable(name)?;
    let number = text.to_str().ok().and_then(|text| text.parse().ok());
    Some(number.unwrap_or_else(|| diagnostics::stop(&[name.to_bytes(), b" is not a number: ", text.to_bytes()])))
}

impl Settings {
    /// The settings of this process; ends it where they make no sense.
    pub fn of_environment() -> Settings {
        let text = variable(c"HEAPSMITH_HEAP").map_or(DEFAULT, |text| {
            text.to_str().unwrap_or_else(|_| diagnostics::stop(&[b"HEAPSMITH_HEAP is no text"]))
        });
        let map_from = number(c"HEAPSMITH_MAP_FROM");
        Settings {
            spec: heap(text).unwrap_or_else(|why| diagnostics::stop(&[b"HEAPSMITH_HEAP: ", why.as_bytes()])),
            map_from: map_from.unwrap_or(MAP_FROM),
            map_from_fixed: map_from.is_some(),
            stats: variable(c"HEAPSMITH_STATS").map(CStr::to_owned),
            started_by: number(c"HEAPSMITH_STARTED_BY").and_then(|id| i32::try_from(id).ok()),
            records: variable(c"HEAPSMITH_RECORD").is_some(),
            signal: number(c"HEAPSMITH_SIGNAL").and_then(|signal| i32::try_from(signal).ok()),
            frames: number(c"HEAPSMITH_SITES").unwrap_or(0),
            check: variable(c"HEAPSMITH_CHECK").is_some(),
            operators: variable(c"HEAPSMITH_OPERATORS") != Some(c"off"),
            seed: number(c"HEAPSMITH_SEED"),
        }
    }
}

/// The heap of a text, fit for `malloc`; or why there is none.
pub fn heap(text: &str) -> Result<Spec, String> {
    let spec = resolve(text).map_err(|error| error.to_string())?;
    spec.for_malloc().map_err(|error| error.to_string())
}
