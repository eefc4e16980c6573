//! What a started program notes in a page of the command that started it, so that the command knows whether a library
//! took effect.
//!
//! ```text
//!   command ──VARIABLE: /proc/PID/fd/N──▶ library: maps the page, notes ──▶ command, once the program has ended
//! ```
//!
//! The page is a file without a name. It is mapped before the program's first instruction, so a note is a store: no limit, no
//! full disk and no filter of system calls keeps it away. A forked child has no page.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod notes;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use notes::{begin, ended, refused, untold};

/// The first word: `HSWITNES`, as a little-endian number.
pub const MAGIC: u64 = u64::from_le_bytes(*b"HSWITNES");
/// Bytes of the page.
pub const BYTES: usize = 4096;
/// The environment variable with the page's path.
pub const VARIABLE: &str = "HEAPSMITH_WITNESS";
/// The environment variable with the command's process, whose child is the started program.
pub const STARTED_BY: &str = "HEAPSMITH_STARTED_BY";

/// Words of the page. Those of the started program are about the last of the programs that it was, as it may become another.
pub mod word {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// How many programs it was that had the library.
    pub const LOADED: usize = 1;
    /// 1 once it has ended in order.
    pub const ENDED: usize = 2;
    /// 1 where another `malloc` than the library's serves it: one that is linked into it.
    pub const OTHER_MALLOC: usize = 3;
    /// The system's error that kept its recording from beginning; 0 for none.
    pub const REFUSED: usize = 4;
    /// Two words: its name, as the system knows it, ended by a zero.
    pub const NAME: usize = 5;
    /// Programs of other processes that had the library, and those of them whose recording could not begin.
    pub const OTHERS: usize = 7;
    /// The second of these.
    pub const OTHERS_REFUSED: usize = 8;
    /// 1 where its statistics could not be written whole.
    pub const UNTOLD: usize = 9;
}
