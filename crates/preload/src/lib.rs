//! `malloc` and its relatives over the heap of a spec, for programs that are run unmodified.
//!
//! ```text
//!   program ──malloc──▶ hooks ──▶ serve ──▶ thread: lists, or the thread's home ──▶ home ──▶ heap ──▶ region
//!                                   ├─────▶ mapped: large blocks
//!                                   └─────▶ page_guard, with the layer `guard`: blocks between inaccessible pages
//! ```
//!
//! `heapsmith run` sets `LD_PRELOAD` to the library and says in the environment what it wants
//! ([`settings`]); the library serves every process that has both. A spec's option `threads` says how threads share; what
//! that is, is in the crate `heapsmith-sharing`, which counted replays share.
//!
//! Invariants:
//!
//! - **No function of the library calls `malloc`.** What it needs itself comes from [`own_memory`].
//! - **The program sees no difference**: results and `errno` are those of the C library ([`hooks`]).
//! - **A process with one thread takes no locks** ([`futex`]).

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the library knows Linux on x86-64; local.rs is what another processor needs");

pub mod arena;
pub mod code;
mod diagnostics;
mod fault;
mod filter;
pub mod futex;
mod heap_error;
pub mod hooks;
pub mod lifecycle;
mod local;
pub mod mapped;
pub mod operators;
pub mod own_memory;
pub mod page_guard;
pub mod pages;
pub mod process;
mod record;
pub mod restricted;
pub mod serve;
pub mod settings;
pub mod site;
pub mod statistics;
pub mod table;
mod thread;
pub mod tracker;

#[cfg(heapsmith_library)]
#[global_allocator]
static ARENA: own_memory::OwnMemory = own_memory::OwnMemory::new();

#[cfg(heapsmith_library)]
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = lifecycle::start;

#[cfg(heapsmith_library)]
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = lifecycle::end;
