//! A stretch of a trace, by events or by time.
//!
//! Blocks that live when the stretch begins are allocated at its beginning, the oldest
//! first, with the sizes that they have then: so every free and reallocation in the stretch
//! finds its block, and the heap begins as full as it was. Blocks that live when the
//! stretch ends stay live.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::through::Transform;
use crate::live::{Change, Ledger};
use crate::{Action, Event, Nanoseconds, Sink, TraceError};

/// A place in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// This many events from the beginning.
    Event(u64),
    /// The first event at this time or later.
    Time(Nanoseconds),
}

impl Place {
    fn is_reached(self, index: u64, time: Nanoseconds) -> bool {
        match self {
            Place::Event(event) => index >= event,
            Place::Time(from) => time >= from,
        }
    }
}

/// A stretch of a trace: `FROM..TO`, without `TO` itself; either may be left out.
///
/// Numbers are events, counted from 0 (`..1000` are the first thousand); numbers with a
/// unit (`ns`, `us`, `ms`, `s`, `min`) are times since the trace began (`1.5s..2s`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    from: Option<Place>,
    to: Option<Place>,
}

impl Slice {
    /// The first events, up to this number.
    pub fn first(events: u64) -> Slice {
        Slice { from: None, to: Some(Place::Event(events)) }
    }
}

const UNITS: [(&str, f64); 6] = [("min", 60e9), ("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

fn place(text: &str) -> Result<Option<Place>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(event) = text.replace('_', "").parse() {
        return Ok(Some(Place::Event(event)));
    }
    let timed = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let time = timed.and_then(|(number, factor)| Some(number.trim().parse::<f64>().ok()? * factor));
    match time {
        Some(time) if (0.0..1.8e19).contains(&time) => Ok(Some(Place::Time(Nanoseconds(time.round() as u64)))),
        _ => Err(format!("{text:?} is no place in a trace: write a number of events, or a time such as 1.5s or 20ms")),
    }
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Slice, String> {
        let (from, to) = text.split_once("..").ok_or("write it as FROM..TO, ..TO or FROM..")?;
        let slice = Slice { from: place(from)?, to: place(to)? };
        let is_empty = match (slice.from, slice.to) {
            (Some(Place::Event(from)), Some(Place::Event(to))) => from >= to,
            (Some(Place::Time(from)), Some(Place::Time(to))) => from >= to,
            (None, Some(Place::Event(0))) => true,
            _ => false,
        };
        if is_empty {
            Err(format!("{text} ends where it begins: write FROM..TO with TO above FROM"))
        } else {
            Ok(slice)
        }
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |place: Option<Place>| match place {
            None => String::new(),
            Some(Place::Event(event)) => event.to_string(),
            Some(Place::Time(time)) => format!("{}ns", time.0),
        };
        write!(f, "{}..{}", text(self.from), text(self.to))
    }
}

/// Lets a stretch through.
pub(super) struct Sliced {
    slice: Slice,
    /// Events taken.
    events: u64,
    begun: bool,
    ended: bool,
    /// What lives before the stretch begins.
    live: Ledger,
    /// The allocation of each of these blocks with its size by now, by the event that made it.
    births: BTreeMap<u64, Event>,
}

impl Sliced {
    pub fn new(slice: Slice) -> Sliced {
        let (live, births) = (Ledger::default(), BTreeMap::new());
        Sliced { slice, events: 0, begun: slice.from.is_none(), ended: false, live, births }
    }

    /// Follows an event before the stretch.
    fn remember(&mut self, event: Event) -> Result<(), TraceError> {
        match self.live.apply(&event)? {
            Change::Allocated(block) => drop(self.births.insert(block.born, event)),
            Change::Freed(block) => drop(self.births.remove(&block.born)),
            Change::Reallocated(block) => {
                if let Some(Event { action: Action::Allocate { size, .. }, .. }) = self.births.get_mut(&block.born) {
                    *size = block.size;
                }
            }
            Change::Marked => {}
        }
        Ok(())
    }

    fn begin(&mut self, time: Nanoseconds, to: &mut dyn Sink) -> Result<(), TraceError> {
        self.begun = true;
        self.live = Ledger::default();
        std::mem::take(&mut self.births).into_values().try_for_each(|event| to.take(Event { time, ..event }))
    }
}

impl Transform for Sliced {
    fn take(&mut self, event: Event, to: &mut dyn Sink) -> Result<(), TraceError> {
        let index = self.events;
        self.events += 1;
        if self.ended || self.slice.to.is_some_and(|end| end.is_reached(index, event.time)) {
            self.ended = true;
            return Ok(());
        }
        if !self.begun {
            if !self.slice.from.is_some_and(|from| from.is_reached(index, event.time)) {
                return self.remember(event);
            }
            self.begin(event.time, to)?;
        }
        to.take(event)?;
        // The source need not come again to learn that it is over.
        self.ended = matches!(self.slice.to, Some(Place::Event(end)) if self.events >= end);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.ended
    }
}
