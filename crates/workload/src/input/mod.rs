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
//! (24 bytes a packet; the text of a request).

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
pub(crate) use packets::{Packet, packets};
pub(crate) use requests::{Request, requests};
