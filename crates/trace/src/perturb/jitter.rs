//! Other sizes.
//!
//! A size s becomes a whole number between s − share × s and s + share × s, each as likely. It is at least 1
//! and at most what a trace may hold; a request of 0 bytes stays one. Alignments are left alone.
//!
//! By default every distinct size is drawn once: a program whose structure has one field more asks for the new
//! size wherever it asked for the old, and sizes that were popular still are. Or each request is drawn by itself, as with
//! texts and buffers whose lengths come from outside. Or nothing is drawn, and every size grows or shrinks by the same
//! bytes, as where every structure gets a field, or pointers have another width; no size shrinks below its half.

use std::fmt;
use std::str::FromStr;

use super::Share;
use crate::{Action, Bytes, Draws, Event, LARGEST_REQUEST};

/// How sizes are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// Each distinct size becomes another, within this share of it.
    Sizes(Share),
    /// Each request by itself.
    Requests(Share),
    /// Every size by this many bytes.
    Bytes(i32),
}

impl Jitter {
    pub(super) fn apply(self, events: &mut [Event], seed: u64) {
        let mut draws = Draws::new(seed);
        for event in events {
            let (Action::Allocate { size, .. } | Action::Reallocate { size, .. }) = &mut event.action else { continue };
            *size = match self {
                Jitter::Sizes(share) => jittered(*size, share, &mut of_size(seed, *size)),
                Jitter::Requests(share) => jittered(*size, share, &mut draws),
                Jitter::Bytes(change) => shifted(*size, change),
            };
        }
    }
}

/// The draws of a size: they depend on nothing else in the trace.
fn of_size(seed: u64, size: Bytes) -> Draws {
    Draws::new(Draws::new(seed).bits() ^ Draws::new(size.0).bits())
}

fn jittered(size: Bytes, share: Share, draws: &mut Draws) -> Bytes {
    if size.0 == 0 {
        return size;
    }
    let max = (size.0 as f64 * share.value()) as u64;
    Bytes(draws.between((size.0 - max).max(1), (size.0 + max).min(LARGEST_REQUEST.0)))
}

fn shifted(size: Bytes, change: i32) -> Bytes {
    if size.0 == 0 {
        return size;
    }
    let bytes = size.0.saturating_add_signed(change.into());
    Bytes(bytes.clamp(size.0.div_ceil(2), LARGEST_REQUEST.0.max(size.0)))
}

impl FromStr for Jitter {
    type Err = String;

    fn from_str(text: &str) -> Result<Jitter, String> {
        if let Some(share) = text.strip_prefix("each=") {
            return share.parse().map(Jitter::Requests);
        }
        if text.starts_with(['+', '-']) {
            return match text.parse() {
                Ok(0) | Err(_) => Err("write a number of bytes with its sign, such as +8".to_owned()),
                Ok(bytes) => Ok(Jitter::Bytes(bytes)),
            };
        }
        text.parse().map(Jitter::Sizes)
    }
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Jitter::Sizes(share) => write!(f, "{share}"),
            Jitter::Requests(share) => write!(f, "each={share}"),
            Jitter::Bytes(bytes) => write!(f, "{bytes:+}"),
        }
    }
}
