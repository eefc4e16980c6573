//! Reading what workloads work on.
//!
//! ```text
//!   compression ──► detection ──► capture ─► frame ─► packets
//!   (.xz .gz .zst)  (content)  │                  └─► http ──┐
//!                              ├► frame_list ─► packets      │
//!                              ├► distribution ─► rates
//!                              └► log, tab_log, url_list ────┴─► requests
//! ```
//!
//! Everything streams: a file is never held as a whole, only what the workloads need of it
//! (24 bytes per packet, unless the link's rate is set; the text of a request).
//!
//! | limit | is |
//! |---|---|
//! | a line | 1 MB |
//! | a record of a capture | 64 MB, and a frame in it 16 MB |
//! | a compressed file | unpacks to 200 times its size at most, or to 256 MB (`heapsmith_import::unpacked`) |
//! | what is held of a file | the budget of memory (`heapsmith_trace::memory`) |

mod capture;
mod distribution;
mod format;
mod frame;
mod frame_list;
mod http;
mod lines;
mod log;
mod packets;
mod requests;
mod tab_log;
mod url_list;
mod wireless;

pub(crate) use distribution::{Rate, rates};
pub(crate) use format::{Format, Input};
pub(crate) use packets::{Packet, each_packet, packets};
pub(crate) use requests::{Request, requests};
