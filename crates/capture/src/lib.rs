//! What the preloaded libraries share.
//!
//! ```text
//!   hook ──▶ record ──▶ event, thread ──▶ window, mapped ──full──▶ block, behind the file   recorder, agent
//!     │         └─ cold: no window, a full one, a fork
//!     └────▶ stack ──▶ unwind ──▶ cfi: the call site                                 recorder, preload
//!
//!   witness: whether a library took effect                                           recorder, preload, launch
//!   own_functions: a program's own allocator, by its code                           recorder, recording
//!   format: the bytes of a recording                                                 recorder, agent, recording
//! ```
//!
//! The crates `heapsmith-recorder` and `heapsmith-agent` write recordings with it, `heapsmith-preload` finds call sites
//! with it, and `heapsmith-recording` reads what was written by the same description ([`format`](mod@format)). It has no
//! dependencies and no `std`: its functions are called from inside `malloc`.
//!
//! Invariants:
//!
//! - **Nothing here allocates, locks or formats.** The way of an event is a few stores; once in
//!   some 20,000 events it is a write of 256 KiB.
//! - **What was published is in the file**, whatever ends the process: the window is mapped.
//! - **A forked child never writes to its parent's file**: all state is in pages that a child sees as zeros.
//! - **No descriptor stays open**, and none of the program's is touched.
//!
//! Cost of an event: see `thread`; of its call site, where they are recorded: `unwind`.
//!
//! All but the format knows Linux on x86-64: `local.rs` and `clock.rs` are what another processor needs.

#![no_std]

macro_rules! here {
    ($($(#[$note:meta])* $visibility:vis mod $name:ident;)*) => {
        $(
            #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
            $(#[$note])*
            $visibility mod $name;
        )*
    };
}

pub mod format;
mod freestanding;
pub mod own_functions;
pub mod stack;
pub mod witness;

here! {
    pub mod asked;
    mod cfi;
    pub mod clock;
    pub mod cold;
    pub mod current;
    pub mod event;
    pub mod local;
    mod module;
    mod naming;
    mod pages;
    pub mod process;
    pub mod record;
    pub mod reserve;
    mod sample;
    pub mod site;
    pub mod system;
    pub mod thread;
    pub mod unwind;
    pub mod window;
}
