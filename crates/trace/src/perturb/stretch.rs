//! Other lifetimes.
//!
//! ```text
//!   before   + · · ~ · · · - · · · · ·        a lifetime of 7 events
//!   after    + · · ~ · - · · · · · · ·        at least half of it, and not before the last ~
//!         or + · · ~ · · · · · · · · - ·      at most twice, and not after the last event
//! ```
//!
//! A share of the frees is moved, each by itself: a lifetime of l events becomes one of l × 2^u, u between −1 and 1,
//! each as likely. So what is expected to be longer is as likely to be shorter. A block that is never freed stays so. A free has the time of
//! the event that it then follows.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::Share;
use crate::{Action, Draws, Event};

/// The share of the frees that come earlier or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stretch(pub Share);

impl Stretch {
    pub(super) fn apply(self, events: Vec<Event>, seed: u64) -> Vec<Event> {
        let mut draws = Draws::new(seed ^ 0x5354_5245_5443_4821);
        // Of each live block: the event that allocated it, and the last that needs it.
        let mut live: HashMap<u64, (usize, usize)> = HashMap::new();
        // Where each event goes: behind the event of this number, or its own place.
        let mut places: Vec<(usize, bool, usize)> = Vec::with_capacity(events.len());
        let last = events.len().saturating_sub(1);
        for (index, event) in events.iter().enumerate() {
            let mut place = (index, false, index);
            match event.action {
                Action::Allocate { id, .. } => drop(live.insert(id, (index, index))),
                Action::Reallocate { id, .. } => {
                    live.entry(id).and_modify(|(_, needed)| *needed = index);
                }
                Action::Free { id } => {
                    if let Some((born, needed)) = live.remove(&id)
                        && draws.happens(self.0.value())
                    {
                        let length = stretched(index - born, &mut draws);
                        place = ((born + length).clamp(needed, last), true, index);
                    }
                }
                Action::Mark { .. } => {}
            }
            places.push(place);
        }
        places.sort_unstable();
        let moved = |&(behind, _, index): &(usize, bool, usize)| Event { time: events[behind].time, ..events[index] };
        places.iter().map(moved).collect()
    }
}

/// Between half and twice a length, each factor as likely as its inverse.
pub(super) fn stretched(length: usize, draws: &mut Draws) -> usize {
    // Without a function that machines round differently: 2^u is near 1 + u (u + 2) / 3 for u in [0, 1].
    let (exponent, is_longer) = (draws.uniform(), draws.happens(0.5));
    let factor = 1.0 + exponent * (exponent + 2.0) / 3.0;
    let length = length as f64;
    (if is_longer { length * factor } else { length / factor }) as usize
}

impl FromStr for Stretch {
    type Err = String;

    fn from_str(text: &str) -> Result<Stretch, String> {
        text.parse().map(Stretch)
    }
}

impl fmt::Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
