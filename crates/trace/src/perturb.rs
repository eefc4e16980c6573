//! Traces as they might have been: other sizes, other lifetimes, another order of phases.
//!
//! ```text
//!   events ──► jitter ──► stretch ──► shuffle ──► events        each with a seed, each valid
//! ```
//!
//! A heap that suits a trace alone may owe it to an accident: a size that just fits, a free that comes just
//! before a request. What still suits these traces does not. The order is always this one.
//!
//! | what | keeps | changes |
//! |---|---|---|
//! | [`Jitter`] | every event, its order, its alignment; that equal sizes are equal, unless each request is drawn | sizes |
//! | [`Stretch`] | every allocation and reallocation in its order, every size | when a share of the blocks is freed |
//! | [`Cuts`] | every event; the order of events of each block, and inside each segment | the order of segments |
//! | [`with_another`] | every event in its order | another program's events between them |
//!
//! A block of a valid trace is never freed before it was allocated or last reallocated, and one that was freed is
//! still freed: so what comes out is a valid trace. The same seed gives the same trace on every machine.
//!
//! Cost: the whole trace in memory (64 bytes an event), O(n log n).

mod jitter;
mod joined;
mod shuffle;
mod stretch;

use std::fmt;
use std::str::FromStr;

pub use jitter::Jitter;
pub use shuffle::Cuts;
pub use stretch::Stretch;

use crate::live::{Change, Ledger};
use crate::{Action, Bytes, Event, Nanoseconds, Operation, PackedTrace, Packer, Sink, TraceError};

/// A part of a whole, in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

impl Share {
    /// This many percent.
    ///
    /// ```
    /// assert_eq!(heapsmith_trace::Share::percent(10), "10%".parse().unwrap());
    /// ```
    pub const fn percent(percent: u32) -> Share {
        Share(percent.saturating_mul(100))
    }

    /// As a number: 0.1 of 10%.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1e4
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        match number {
            Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(Share((percent * 100.0).round().max(1.0) as u32)),
            Some(_) => Err("write a share above 0% and of at most 100%".to_owned()),
            None => Err("write a share with its sign, such as 10%".to_owned()),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.0) / 100.0)
    }
}

/// What is changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Perturbation {
    /// Sizes.
    pub jitter: Option<Jitter>,
    /// Lifetimes.
    pub stretch: Option<Stretch>,
    /// The order of segments.
    pub shuffle: Option<Cuts>,
}

impl Perturbation {
    /// Whether nothing is changed.
    pub fn is_nothing(&self) -> bool {
        *self == Perturbation::default()
    }

    /// What is changed, as names and values of the command's options.
    pub fn settings(&self) -> Vec<(String, String)> {
        let named = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
        let all = [
            named("jitter", self.jitter.map(|jitter| jitter.to_string())),
            named("stretch", self.stretch.map(|stretch| stretch.to_string())),
            named("shuffle", self.shuffle.map(|cuts| cuts.to_string())),
        ];
        all.into_iter().flatten().collect()
    }

    /// The events changed.
    ///
    /// # Errors
    ///
    /// The first event that no heap could serve; segments between marks where there are none.
    pub(crate) fn apply(&self, events: Vec<Event>, seed: u64) -> Result<Vec<Event>, TraceError> {
        let mut events = named_anew(events)?;
        if let Some(jitter) = self.jitter {
            jitter.apply(&mut events, seed);
        }
        if let Some(stretch) = self.stretch {
            events = stretch.apply(events, seed);
        }
        match self.shuffle {
            Some(cuts) => cuts.apply(events, seed),
            None => Ok(events),
        }
    }
}

/// A trace as it might have been. Its name says what was changed.
///
/// A packed trace has no marks, so [`Cuts::Marks`] leave it as it is.
///
/// ```
/// use heapsmith_trace::{perturb, Action, Bytes, Event, Jitter, PackedTrace, Perturbation, Share, Trace};
///
/// let mut trace = Trace::default();
/// trace.events = vec![Event::at(0, Action::Allocate { id: 1, size: Bytes(1000), alignment: 0 })];
/// let trace = PackedTrace::new(&trace)?;
/// let how = Perturbation { jitter: Some(Jitter::Sizes(Share::percent(10))), ..Perturbation::default() };
/// let other = perturb(&trace, how, 7);
/// assert!((900..=1100).contains(&other.requested_peak.0));
/// assert_eq!(perturb(&trace, how, 7), other);
/// # Ok::<(), heapsmith_trace::TraceError>(())
/// ```
pub fn perturb(trace: &PackedTrace, how: Perturbation, seed: u64) -> PackedTrace {
    let shuffle = how.shuffle.filter(|cuts| *cuts != Cuts::Marks);
    let settings: Vec<String> = how.settings().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    let name = format!("{}, {} seed={seed}", trace.name, settings.join(" "));
    let events = Perturbation { shuffle, ..how }.apply(unpacked(trace), seed);
    packed(events.expect("what is made of a valid trace is one"), name)
}

/// Events that were made of a valid trace. They were not at any time: what comes in between was changed.
fn packed(events: Vec<Event>, name: String) -> PackedTrace {
    let mut packer = Packer::default();
    let packed = events.into_iter().try_for_each(|event| packer.take(Event { time: Nanoseconds(0), ..event }));
    packed.expect("what is made of a valid trace is one");
    packer.finish_as(name)
}

/// A trace with another program next to it, which has a tenth of all events and requests of other sizes.
///
/// ```
/// use heapsmith_trace::{Action, Bytes, Event, PackedTrace, Trace, with_another};
///
/// let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(100), alignment: 0 });
/// let trace = PackedTrace::new(&Trace { events: (0..90).map(allocate).collect(), ..Trace::default() })?;
/// assert_eq!(with_another(&trace, 7).events.len(), 100);
/// # Ok::<(), heapsmith_trace::TraceError>(())
/// ```
pub fn with_another(trace: &PackedTrace, seed: u64) -> PackedTrace {
    packed(joined::joined(trace, unpacked(trace), seed), format!("{}, with another program seed={seed}", trace.name))
}

/// The events of a packed trace; their times are their numbers, their ids are slots.
fn unpacked(trace: &PackedTrace) -> Vec<Event> {
    let event = |(index, event): (usize, &crate::PackedEvent)| {
        let (id, size) = (u64::from(event.slot), Bytes(event.size));
        // An alignment of 1 and none are packed alike.
        let alignment = if event.alignment_log2 == 0 { 0 } else { event.alignment() };
        let action = match event.operation {
            Operation::Allocate => Action::Allocate { id, size, alignment },
            Operation::Free => Action::Free { id },
            Operation::Reallocate => Action::Reallocate { id, size },
        };
        Event::at(index as u64, action)
    };
    trace.events.iter().enumerate().map(event).collect()
}

/// The same events with an id for each block, as an id may come again before its block's free does.
fn named_anew(mut events: Vec<Event>) -> Result<Vec<Event>, TraceError> {
    let mut live = Ledger::default();
    for event in &mut events {
        match live.apply(event)? {
            Change::Allocated(block) | Change::Reallocated(block) | Change::Freed(block) => {
                event.action = event.action.of_block(block.born);
            }
            Change::Marked => {}
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests;
