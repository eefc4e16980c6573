//! Another order of segments.
//!
//! ```text
//!   segments   A: a a X a │ B: b b b │ C: c X c        X: events of a block that lives across a cut
//!   shuffled   B: b b X b │ C: c c   │ A: a a X a      they stay in the first and in the last place
//! ```
//!
//! The trace is cut into parts of equally many events, or before each mark. A block that is allocated and freed in one
//! segment goes where the segment goes. One that lives across a cut does not: its events stay in the place (the
//! first, the second …) that they were in, as far along as they were there, so that their order is kept. Every event
//! comes once, and blocks of a segment meet each other as they did; whom else they meet has changed.
//!
//! Times go on from one segment to the next as they went inside it.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::{Action, Draws, Event, Nanoseconds, TraceError};

/// Where a trace is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cuts {
    /// Before each mark.
    Marks,
    /// Into this many parts, or one per event if there are fewer events.
    Parts(u32),
}

impl Cuts {
    pub(super) fn apply(self, events: Vec<Event>, seed: u64) -> Result<Vec<Event>, TraceError> {
        let segments = self.segments(&events)?;
        let stays = crossing(&events, &segments);
        let mut order: Vec<usize> = (0..segments.len()).collect();
        Draws::new(seed ^ 0x5348_5546_464c_4521).shuffle(&mut order);
        let mut out: Vec<Event> = Vec::with_capacity(events.len());
        let mut now = events.first().map_or(Nanoseconds(0), |event| event.time);
        for (place, &segment) in segments.iter().zip(&order) {
            let from = &segments[segment];
            let begun = now;
            let first = events.get(from.start).map_or(Nanoseconds(0), |event| event.time);
            for index in merged(place, from, &stays) {
                let event = events[index];
                if !stays[index] {
                    now = now.max(Nanoseconds(begun.0.saturating_add(event.time.since(first).0)));
                }
                out.push(Event { time: now, ..event });
            }
        }
        Ok(out)
    }

    fn segments(self, events: &[Event]) -> Result<Vec<Range<usize>>, TraceError> {
        let count = events.len();
        let mut cuts: Vec<usize> = match self {
            Cuts::Marks => {
                let is_mark = |index: &usize| matches!(events[*index].action, Action::Mark { .. });
                (1..count).filter(is_mark).collect()
            }
            Cuts::Parts(parts) => {
                // A part holds an event at least.
                let parts = u128::from(parts.max(1)).min(count as u128);
                (1..parts).map(|part| (part * count as u128 / parts) as usize).collect()
            }
        };
        if self == Cuts::Marks && cuts.is_empty() {
            return Err(TraceError::NoMarks);
        }
        cuts.insert(0, 0);
        cuts.push(count);
        Ok(cuts.windows(2).map(|cut| cut[0]..cut[1]).collect())
    }
}

/// Of each event whether it is one of a block that lives across a cut. A block that is never freed lives across all that follow.
fn crossing(events: &[Event], segments: &[Range<usize>]) -> Vec<bool> {
    // Of each block the segment that it lives in, if it is one.
    let mut homes: HashMap<u64, Option<usize>> = HashMap::new();
    for (segment, range) in segments.iter().enumerate() {
        let mut live: HashMap<u64, ()> = HashMap::new();
        for event in &events[range.clone()] {
            match event.action {
                Action::Allocate { id, .. } => {
                    homes.insert(id, Some(segment));
                    live.insert(id, ());
                }
                Action::Free { id } | Action::Reallocate { id, .. } if homes.get(&id) != Some(&Some(segment)) => {
                    homes.insert(id, None);
                }
                Action::Free { id } => drop(live.remove(&id)),
                Action::Reallocate { .. } | Action::Mark { .. } => {}
            }
        }
        if segment + 1 < segments.len() {
            homes.extend(live.into_keys().map(|id| (id, None)));
        }
    }
    let stays = |event: &Event| match event.action {
        Action::Allocate { id, .. } | Action::Free { id } | Action::Reallocate { id, .. } => {
            homes.get(&id) == Some(&None)
        }
        Action::Mark { .. } => false,
    };
    events.iter().map(stays).collect()
}

/// What stays of one segment and what moves of another, each as far along as it was.
fn merged(place: &Range<usize>, from: &Range<usize>, stays: &[bool]) -> Vec<usize> {
    let along =
        |index: usize, range: &Range<usize>| (index - range.start) as u128 * (1 << 40) / range.len().max(1) as u128;
    let staying = place.clone().filter(|&index| stays[index]).map(|index| (along(index, place), index));
    let moving = from.clone().filter(|&index| !stays[index]).map(|index| (along(index, from), index));
    let mut all: Vec<(u128, usize)> = staying.chain(moving).collect();
    // Of a mark and what stays, the mark first: it begins its segment.
    all.sort_by_key(|&(along, index)| (along, stays[index]));
    all.into_iter().map(|(_, index)| index).collect()
}

impl FromStr for Cuts {
    type Err = String;

    fn from_str(text: &str) -> Result<Cuts, String> {
        match text.parse() {
            _ if text == "marks" => Ok(Cuts::Marks),
            Ok(parts @ 2..) => Ok(Cuts::Parts(parts)),
            _ => Err("write marks, or a number of parts from 2 on".to_owned()),
        }
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cuts::Marks => f.write_str("marks"),
            Cuts::Parts(parts) => write!(f, "{parts}"),
        }
    }
}
