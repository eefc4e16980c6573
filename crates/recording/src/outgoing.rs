//! The events of the trace on their way to a sink. Where several threads are recorded the latest ones are held for a moment,
//! as one of them may turn out to be another block's.

use std::collections::VecDeque;

use heapsmith_trace::{Event, Sink, TraceError};

use crate::blocks::Live;
use crate::merge::ABOUT;

/// An event, and what it does to the bytes that are live.
pub(crate) struct Going {
    pub event: Event,
    pub ticks: u64,
    pub adds: u64,
    pub takes: u64,
    /// The block that it frees, and where that was.
    pub freed: Option<(u64, Live)>,
}

/// What goes to a sink, and what is counted of it.
pub(crate) struct Outgoing<'sink> {
    pub sink: Box<dyn Sink + 'sink>,
    held: VecDeque<Going>,
    /// Ticks for which an event is held.
    patience: u64,
    live_bytes: u64,
    pub peak: u64,
    pub events: u64,
    /// Why the sink takes nothing more.
    pub refused: Option<TraceError>,
}

impl<'sink> Outgoing<'sink> {
    pub fn to(sink: Box<dyn Sink + 'sink>) -> Outgoing<'sink> {
        Outgoing { sink, held: VecDeque::new(), patience: 0, live_bytes: 0, peak: 0, events: 0, refused: None }
    }

    /// Holds events from now on.
    pub fn hold(&mut self) {
        self.patience = 2 * ABOUT;
    }

    pub fn push(&mut self, going: Going) {
        if self.patience == 0 {
            return self.send(&going);
        }
        let now = going.ticks;
        self.held.push_back(going);
        while let Some(first) = self.held.front()
            && first.ticks.saturating_add(self.patience) < now
        {
            self.send_first();
        }
    }

    /// Takes back that a thread has freed the block at an address, if that is not gone yet.
    pub fn take_back(&mut self, address: u64, thread: u32) -> Option<Live> {
        let is_it = |going: &Going| going.event.thread == thread && going.freed.is_some_and(|(at, _)| at == address);
        let at = self.held.iter().rposition(is_it)?;
        self.held.remove(at)?.freed.map(|(_, block)| block)
    }

    /// Sends all that is held.
    pub fn end(&mut self) {
        while !self.held.is_empty() {
            self.send_first();
        }
    }

    fn send_first(&mut self) {
        if let Some(first) = self.held.pop_front() {
            self.send(&first);
        }
    }

    fn send(&mut self, going: &Going) {
        self.events += 1;
        // Only a damaged file has sums that do not fit; a replay of its trace reports it.
        self.live_bytes = self.live_bytes.saturating_sub(going.takes).saturating_add(going.adds);
        self.peak = self.peak.max(self.live_bytes);
        if self.refused.is_none() {
            self.refused = self.sink.take(going.event).err();
        }
    }
}
