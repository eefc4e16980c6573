//! Traces played with real threads on a reference allocator with its knobs, or on a heap of `heapsmith run`, in a process of its own.
//!
//! ```text
//!   Trace ─▶ Scenario ──standard input──▶ child: the same command, LD_PRELOAD and knobs in its environment
//!            (steps by thread)               a thread plays the events of each thread, a block's order kept by waiting
//!   Played ◀────────standard output──────  anonymous memory sampled, faults, processor time
//! ```
//!
//! What heaps of heapsmith do is counted; what an allocator does in threads, with time and with the system's
//! pages, can only be measured. The child calls the C library's functions by their names, so whatever was preloaded serves
//! them, as it would serve a program.
//!
//! | kept of the program | how |
//! |---|---|
//! | the thread that does each operation | a thread for each; the first is the process's main thread |
//! | the order of the operations on a block | a count in each block's place; a thread waits until its turn has come |
//! | the order of other operations | roughly: after every [`heapsmith_trace::PART`] events threads wait until all of them are done |
//! | when a thread ends | as recorded: with its last operation, or after one has begun; who begins later waits until it is gone |
//! | when operations happen | at their times, where the play is paced; else one after another |
//! | what the program writes | a byte in every page of a block |
//!
//! Invariants, which SAFETY comments name:
//!
//! - **W1**: the place of a block is used by the thread whose turn it is, and by no other.
//! - **W2**: a mapping lives until its process ends.
#![allow(unsafe_code)]

mod child;
mod mapping;
mod play;
mod scenario;
mod search;
mod threads;
mod used;

pub use child::play_child;
pub use play::{PLAY_CHILD, PlayError, Played, Player, Served};
pub use scenario::Scenario;
pub use search::{Found, Kept, Origin, Program, Search, Tried, WORTH, search};
