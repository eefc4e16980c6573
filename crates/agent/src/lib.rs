//! The agent that a Java virtual machine (JVM) loads to record its objects.
//!
//! ```text
//!   program ──new──▶ JVM ──SampledObjectAlloc──▶ events: a tag, the class, a record
//!                     │                            │
//!                     ├──collection──▶ GarbageCollectionFinish ──▶ a mark
//!                     └──────────────▶ ObjectFree, for each tag ─▶ a record
//!                                                                 ▼
//!                                 thread, window, file (crates/capture)
//! ```
//!
//! The command `heapsmith record --java` names the agent in `JAVA_TOOL_OPTIONS`, so every JVM
//! that inherits it writes a recording in the recorder's format ([`format`](mod@format)). An object
//! moves during its life; its tag replaces its address: a number that is never used twice.
//!
//! Invariants:
//!
//! - **An object is recorded once**: by the one event that HotSpot has for every allocation.
//! - **No death before its birth**: an object is stamped while the JVM holds it for the event, and its death is
//!   reported by a collection that begins after that.
//! - **An event of a collection calls nothing of the JVM**, which allows nothing then.
//! - **What the JVM does not report is counted, not guessed**: objects that were there before the program began, and objects
//!   that are in the heap at the end without a tag (with HotSpot, what fills holes, and in later versions clones).
//!
//! What is seen: every object that is allocated from the JVM's live phase on (`VMInit`). What is not: the objects that
//! the JVM makes or maps before, and what its compiler never puts on the heap. A death is known when a collection
//! finds it, not when the last reference goes.
//!
//! Cost of an object: two calls into the JVM, which set its tag and read that of its class, each under a lock, and the JVM's slow
//! way of allocating instead of its fast one; about a microsecond. Of a collection: what the JVM needs for its table of
//! tags, and a record a death.
//!
//! Source: Java Virtual Machine Tool Interface, version 11 (Oracle, 2018): sections *Sampled Object Allocation*,
//! *Object Free*, *Set Heap Sampling Interval*, *Force Garbage Collection*.

#![no_std]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the agent writes as the recorder does, which knows Linux on x86-64");

mod begin;
mod class;
mod events;
mod jvmti;
pub mod slots;

heapsmith_capture::freestanding!();

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = heapsmith_capture::cold::end_of_process;
