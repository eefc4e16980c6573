//! What takes a trace event by event, so that no reader has to hold one as a whole.
//!
//! ```text
//!   file, importer, workload ──► slice ──► threads ──► perturbed ──► copies ──► collections ──► Trace
//!          (source)                     (transforms)                                        │   TraceWriter
//!                                                                                           │   Packer
//!                                                                                           └─  Profiler
//! ```
//!
//! A source names a site or a label before the first event that uses it, stops early when
//! its sink is full, and calls `end` once.

use crate::{Event, Trace, TraceError, memory};

/// Takes a trace event by event.
pub trait Sink {
    /// Takes the next event.
    ///
    /// # Errors
    ///
    /// What this sink cannot take: an event that no heap could serve, a full disk.
    fn take(&mut self, event: Event) -> Result<(), TraceError>;

    /// Learns the name of a call site. Sites are numbered from 0 and named in order.
    fn name_site(&mut self, _name: &str) {}

    /// Learns the text of a mark. Labels are numbered from 0 and named in order.
    fn name_label(&mut self, _text: &str) {}

    /// Whether further events would be ignored.
    fn is_full(&self) -> bool {
        false
    }

    /// No event follows.
    ///
    /// # Errors
    ///
    /// As [`take`](Sink::take): what was held back may come now.
    fn end(&mut self) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Two sinks that take the same trace: the one may be full before the other.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        if !self.0.is_full() {
            self.0.take(event)?;
        }
        if self.1.is_full() { Ok(()) } else { self.1.take(event) }
    }

    fn name_site(&mut self, name: &str) {
        self.0.name_site(name);
        self.1.name_site(name);
    }

    fn name_label(&mut self, text: &str) {
        self.0.name_label(text);
        self.1.name_label(text);
    }

    fn is_full(&self) -> bool {
        self.0.is_full() && self.1.is_full()
    }

    fn end(&mut self) -> Result<(), TraceError> {
        self.0.end()?;
        self.1.end()
    }
}

/// What holds a sink is one.
macro_rules! forward {
    ($holder:ty) => {
        impl<S: Sink + ?Sized> Sink for $holder {
            fn take(&mut self, event: Event) -> Result<(), TraceError> {
                (**self).take(event)
            }

            fn name_site(&mut self, name: &str) {
                (**self).name_site(name);
            }

            fn name_label(&mut self, text: &str) {
                (**self).name_label(text);
            }

            fn is_full(&self) -> bool {
                (**self).is_full()
            }

            fn end(&mut self) -> Result<(), TraceError> {
                (**self).end()
            }
        }
    };
}

forward!(&mut S);
forward!(Box<S>);

/// A trace in memory takes everything that the budget of memory allows.
impl Sink for Trace {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        memory::reserve_one(&mut self.events)?;
        self.events.push(event);
        Ok(())
    }

    fn name_site(&mut self, name: &str) {
        self.sites.push(name.to_owned());
    }

    fn name_label(&mut self, text: &str) {
        self.labels.push(text.to_owned());
    }
}

impl Trace {
    /// Hands this trace to a sink.
    ///
    /// # Errors
    ///
    /// The first that the sink gives.
    pub fn send(&self, sink: &mut dyn Sink) -> Result<(), TraceError> {
        self.sites.iter().for_each(|site| sink.name_site(site));
        self.labels.iter().for_each(|label| sink.name_label(label));
        for event in &self.events {
            if sink.is_full() {
                break;
            }
            sink.take(*event)?;
        }
        sink.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Origin};

    #[test]
    fn a_trace_sent_to_a_trace_is_the_same() {
        let mut trace = Trace::new(Origin::new("test", ""));
        trace.sites = vec!["here".to_owned()];
        trace.labels = vec!["now".to_owned()];
        trace.events = vec![Event::at(3, Action::Mark { label: 0 }), Event::at(4, Action::Free { id: 1 })];
        let mut copy = Trace::new(trace.origin.clone());
        trace.send(&mut &mut copy).unwrap();
        assert_eq!(copy, trace);
    }

    #[test]
    fn two_sinks_take_the_same_trace_each_as_far_as_it_goes() {
        let mut trace = Trace::new(Origin::new("test", ""));
        trace.sites = vec!["here".to_owned()];
        trace.labels = vec!["now".to_owned()];
        trace.events = vec![Event::at(3, Action::Mark { label: 0 }), Event::at(4, Action::Mark { label: 0 })];
        let (mut whole, mut part) = (Trace::new(trace.origin.clone()), Trace::new(trace.origin.clone()));
        let first = crate::Transforms { slice: Some(crate::Slice::first(1)), ..Default::default() };
        let mut both = (&mut whole, first.before(&mut part));
        assert!(!both.is_full());
        trace.send(&mut both).unwrap();
        drop(both);
        assert_eq!((&whole, &part.events[..]), (&trace, &trace.events[..1]));
        assert_eq!((&part.sites, &part.labels), (&trace.sites, &trace.labels));
    }
}
