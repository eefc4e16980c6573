//! How the threads of a program share heaps, whatever serves them: the library that `heapsmith run` preloads, where threads
//! are real and memory is the system's, or a counted replay, where they take turns.
//!
//! ```text
//!   request ─▶ route ─▶ threads=one     the first arena
//!                    ├▶ threads=each    the thread's own arena; a block of another's goes on that one's remote free list
//!                    ├▶ threads=lists   the thread's lists ──none there, too many──▶ the first arena, some blocks at once
//!                    └▶ threads=owned   the same, from spans of the thread; a block of another's goes on that one's queue
//! ```
//!
//! An [`Arena`] is a heap behind its lock; what has the arenas, knows the calling thread and maps memory is a [`Shared`].
//!
//! | `threads=` | a request takes | memory beyond that of one heap, at most |
//! |---|---|---|
//! | `one` | a lock and the heap | none |
//! | `each` | its thread's heap, whose lock nobody else wants | what each thread had live at once at its peak |
//! | `lists` | its thread's lists; rarely the lock and the pool | an eighth of what is live or 4 MiB, and 32 KiB a thread ([`budget`]) |
//! | `lists(N)` | the same | the same, and no more than N bytes a thread |
//! | `owned` | the same | twice that: what others freed may be as much again ([`owners`]); and spans of threads that are not full |

pub mod budget;
pub mod lists;
mod map_from;
pub mod owners;
pub mod remote_free;
mod route;
mod sizes;
pub mod surplus;

pub use budget::Budget;
pub use lists::Lists;
pub use map_from::{MAP_FROM, raised};
pub use owners::Owners;
pub use remote_free::RemoteFree;
pub use route::{Arena, Shared, allocate, free};
pub use sizes::{Held, Sizes, Told};
pub use surplus::{Due, Surplus};
