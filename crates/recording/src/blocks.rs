//! From addresses to blocks: what is live where, and the events of the trace.
//!
//! A reallocation takes its block off the old address when it begins, and puts it, under
//! the same id, at the new one when it ends: in between, another thread may get the
//! old place.

use std::collections::HashMap;

use heapsmith_trace::{Action, ByIds, Bytes, Event, Nanoseconds, Sink, TraceError};

use crate::sites::Sites;
use crate::stream::{Act, Stamped};
use crate::trace::{COLLECTION, Remarks};

/// How ticks become time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub start: u64,
    /// Nanoseconds of a tick.
    pub tick: f64,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    id: u64,
    size: u64,
    /// Who asked for it last.
    thread: u32,
}

/// A reallocation that has begun.
#[derive(Debug, Clone, Copy)]
enum Moving {
    Known { from: u64, block: Live },
    Unknown,
}

/// The blocks that are live; the events go to a sink.
pub(crate) struct Blocks<'sink> {
    sink: &'sink mut dyn Sink,
    sites: Sites,
    /// That of the event that is taken in.
    site: Option<u32>,
    rate: Rate,
    /// Ticks after which events are not all there.
    last: u64,
    live: HashMap<u64, Live, ByIds>,
    moving: HashMap<u32, Moving, ByIds>,
    next_id: u64,
    live_bytes: u64,
    time: u64,
    pub peak: u64,
    pub allocations: u64,
    pub threads: u32,
    pub events: u64,
    pub collections: u64,
    pub remarks: Remarks,
    /// Why the sink takes nothing more.
    pub refused: Option<TraceError>,
}

impl<'sink> Blocks<'sink> {
    pub fn new(rate: Rate, last: u64, sites: Sites, sink: &'sink mut dyn Sink) -> Blocks<'sink> {
        Blocks {
            sink,
            site: None,
            sites,
            rate,
            last,
            live: HashMap::default(),
            moving: HashMap::default(),
            next_id: 0,
            live_bytes: 0,
            time: 0,
            peak: 0,
            allocations: 0,
            threads: 0,
            events: 0,
            collections: 0,
            remarks: Remarks::default(),
            refused: None,
        }
    }

    /// The address that has to change before this event can be.
    pub fn waits_for(&self, event: &Stamped) -> Option<u64> {
        let address = event.act.address();
        let waits = match event.act {
            Act::Allocate { .. } | Act::ReallocateEnds { .. } => self.live.contains_key(&address),
            Act::Free { .. } | Act::ReallocateBegins { .. } => !self.live.contains_key(&address),
            Act::Collection => false,
        };
        waits.then_some(address)
    }

    /// Whether this takes a live block that another thread asked for.
    pub fn is_anothers(&self, event: &Stamped) -> bool {
        let takes = matches!(event.act, Act::Free { .. } | Act::ReallocateBegins { .. });
        takes && self.live.get(&event.act.address()).is_some_and(|block| block.thread != event.thread)
    }

    /// Whether no event is wanted any more.
    pub fn is_full(&self) -> bool {
        self.refused.is_some() || self.sink.is_full()
    }

    /// Takes in an event.
    pub fn apply(&mut self, event: &Stamped) {
        if event.ticks > self.last {
            return;
        }
        self.site = event.stack.as_ref().map(|stack| self.sites.number(stack, self.sink));
        self.threads = self.threads.max(event.thread.saturating_add(1));
        let since = event.ticks.saturating_sub(self.rate.start);
        self.time = self.time.max((since as f64 * self.rate.tick) as u64);
        match event.act {
            Act::Allocate { address, size, alignment } => self.allocate(event.thread, address, size, alignment),
            Act::Free { address } => match self.live.remove(&address) {
                Some(block) => self.free(event.thread, block),
                None => self.remarks.unknown_frees += 1,
            },
            Act::ReallocateBegins { address } => {
                let moving = match self.live.remove(&address) {
                    Some(block) => Moving::Known { from: address, block },
                    None => Moving::Unknown,
                };
                self.moving.insert(event.thread, moving);
            }
            Act::ReallocateEnds { address, size } => self.reallocated(event.thread, address, size),
            Act::Collection => {
                if self.collections == 0 {
                    self.sink.name_label(COLLECTION);
                }
                self.collections += 1;
                self.push(event.thread, Action::Mark { label: 0 });
            }
        }
    }

    fn reallocated(&mut self, thread: u32, address: u64, size: u64) {
        let moving = self.moving.remove(&thread).unwrap_or(Moving::Unknown);
        match (moving, address, size) {
            (Moving::Known { block, .. }, 0, 0) => self.free(thread, block),
            (Moving::Known { from, block }, 0, _) => {
                self.remarks.failed_reallocations += 1;
                self.live.insert(from, block);
            }
            (Moving::Known { block, .. }, _, _) => {
                self.make_room(thread, address);
                self.push(thread, Action::Reallocate { id: block.id, size: Bytes(size) });
                self.live_bytes = self.live_bytes.saturating_sub(block.size);
                self.add(address, Live { id: block.id, size, thread });
            }
            (Moving::Unknown, 0, 0) => self.remarks.unknown_frees += 1,
            (Moving::Unknown, 0, _) => {}
            (Moving::Unknown, _, _) => {
                self.remarks.unknown_reallocations += 1;
                self.allocate(thread, address, size, 0);
            }
        }
    }

    fn allocate(&mut self, thread: u32, address: u64, size: u64, alignment: u64) {
        self.make_room(thread, address);
        let id = self.next_id;
        self.next_id += 1;
        self.allocations += 1;
        self.push(thread, Action::Allocate { id, size: Bytes(size), alignment });
        self.add(address, Live { id, size, thread });
    }

    fn free(&mut self, thread: u32, block: Live) {
        self.live_bytes = self.live_bytes.saturating_sub(block.size);
        self.push(thread, Action::Free { id: block.id });
    }

    /// Frees a block that must be gone, as its place is allocated again.
    fn make_room(&mut self, thread: u32, address: u64) {
        if let Some(block) = self.live.remove(&address) {
            self.remarks.missed_frees += 1;
            self.free(thread, block);
        }
    }

    fn add(&mut self, address: u64, block: Live) {
        // Only a damaged file has sums that do not fit; a replay of its trace reports it.
        self.live_bytes = self.live_bytes.saturating_add(block.size);
        self.peak = self.peak.max(self.live_bytes);
        self.live.insert(address, block);
    }

    fn push(&mut self, thread: u32, action: Action) {
        self.events += 1;
        if self.refused.is_none() {
            let asks = matches!(action, Action::Allocate { .. } | Action::Reallocate { .. });
            let site = self.site.filter(|_| asks);
            let event = Event { time: Nanoseconds(self.time), thread, site, action };
            self.refused = self.sink.take(event).err();
        }
    }
}
