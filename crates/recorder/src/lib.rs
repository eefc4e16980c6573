//! The library that is preloaded into a program to record what it allocates.
//!
//! ```text
//!   program ──malloc──▶ hooks ──▶ real ──▶ the allocator that the program would have
//!                         │
//!                         ▼
//!                      thread ──▶ window, mapped ──full──▶ block, written behind the file
//! ```
//!
//! The command `heapsmith record` sets `LD_PRELOAD` and `HEAPSMITH_RECORD`, the folder for
//! the recordings; every process that inherits both writes a file of its own
//! ([`format`](mod@format)). Without `HEAPSMITH_RECORD` everything is only passed on.
//!
//! Where a program has an allocator of its own, [`own_functions`] puts the hooks there.
//!
//! Into a program that runs already, `heapsmith record --pid` loads it, and calls what is in [`attach`].
//!
//! Into a program that is linked statically, `heapsmith record` puts it before the first instruction, compiled without a C
//! library (`heapsmith_alone`). Of this crate that has [`own_functions`] alone, and [`alone`] begins it.
//!
//! Invariants:
//!
//! - **No hook allocates, locks or formats.** The way of an event is a few stores; once in
//!   some 20,000 events it is a write of 256 KiB.
//! - **What was published is in the file**, whatever ends the process: the window is mapped.
//! - **A forked child never writes to its parent's file**: all state is in pages that a child sees as zeros.
//! - **No descriptor stays open**, and none of the program's is touched.
//! - **The program sees no difference**: `errno` is kept, its allocator is the one that it had.
//!
//! Cost of an event: see [`thread`]; of its call site, where they are recorded: [`unwind`].

#![no_std]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the recorder knows Linux on x86-64, as heapsmith-capture does");

#[cfg(heapsmith_alone)]
mod alone;
#[cfg(not(heapsmith_alone))]
mod attach;
#[cfg(not(heapsmith_alone))]
mod bootstrap;
mod c_library;
#[cfg(not(heapsmith_alone))]
mod hooks;
#[cfg(not(heapsmith_alone))]
mod next_symbol;
mod own_functions;

heapsmith_capture::freestanding!();

#[cfg(not(heapsmith_alone))]
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = begin;

#[cfg(not(heapsmith_alone))]
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = heapsmith_capture::cold::end_of_process;

extern "C" fn begin() {
    heapsmith_capture::cold::begin_program();
    own_functions::begin();
}
