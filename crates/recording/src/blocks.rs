//! From addresses to blocks: what is live where, and the events of the trace.
//!
//! A reallocation takes its block off the old address when it begins, and puts it, under
//! the same id, at the new one when it ends: in between, another thread may get the
//! old place.

use std::collections::HashMap;

use heapsmith_trace::{Action, ByIds, Bytes, Event, Nanoseconds};

use crate::lives::Lives;
use crate::merge::ABOUT;
use crate::outgoing::{Going, Outgoing};
use crate::remarks::Remarks;
use crate::sites::Sites;
use crate::stream::{Act, Stamped};
use crate::trace::COLLECTION;

/// How ticks become time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub start: u64,
    /// Nanoseconds of a tick.
    pub tick: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    id: u64,
    size: u64,
    /// Who asked for it last.
    thread: u32,
    /// When.
    ticks: u64,
}

/// A reallocation that has begun.
#[derive(Debug, Clone, Copy)]
enum Moving {
    Known {
        from: u64,
        block: Live,
    },
    Unknown,
    /// Of a block whose end is written already.
    Anew,
}

/// The blocks that are live; the events go to a sink.
pub(crate) struct Blocks<'sink> {
    pub outgoing: Outgoing<'sink>,
    pub sites: Sites,
    /// That of the event that is taken in.
    site: Option<u32>,
    pub rate: Rate,
    /// Ticks after which events are not all there.
    pub last: u64,
    live: HashMap<u64, Live, ByIds>,
    /// Blocks at addresses that another block has before them after all.
    aside: HashMap<u64, Live, ByIds>,
    moving: HashMap<u32, Moving, ByIds>,
    next_id: u64,
    ticks: u64,
    time: u64,
    pub allocations: u64,
    pub lives: Lives,
    pub collections: u64,
    pub remarks: Remarks,
}

impl<'sink> Blocks<'sink> {
    pub fn new(rate: Rate, last: u64, sites: Sites, outgoing: Outgoing<'sink>) -> Blocks<'sink> {
        Blocks {
            outgoing,
            site: None,
            sites,
            rate,
            last,
            live: HashMap::default(),
            aside: HashMap::default(),
            moving: HashMap::default(),
            next_id: 0,
            ticks: 0,
            time: 0,
            allocations: 0,
            lives: Lives::default(),
            collections: 0,
            remarks: Remarks::default(),
        }
    }

    /// Whether its address has to change before this event can be.
    pub fn has_to_wait(&self, event: &Stamped) -> bool {
        let live = self.live.contains_key(&event.act.address());
        match event.act {
            Act::Allocate { .. } | Act::ReallocateEnds { .. } => live,
            Act::Free { .. } | Act::ReallocateBegins { .. } => !live,
            Act::Collection => false,
        }
    }

    /// Whether a block is live at this address.
    pub fn has(&self, address: u64) -> bool {
        self.live.contains_key(&address)
    }

    /// Whether another thread began a block at this address at about the same time, where this event begins one.
    pub fn begun_before(&self, event: &Stamped) -> bool {
        let block = self.live.get(&event.act.address()).filter(|_| event.act.begins());
        block.is_some_and(|block| block.thread != event.thread && block.ticks.abs_diff(event.ticks) < ABOUT)
    }

    /// Takes a block off its address until that is free again.
    pub fn put_aside(&mut self, address: u64) {
        let block = self.live.remove(&address);
        block.map(|block| self.aside.insert(address, block));
    }

    /// Takes the block off its address.
    fn take(&mut self, address: u64) -> Option<Live> {
        let block = self.live.remove(&address)?;
        if !self.aside.is_empty()
            && let Some(next) = self.aside.remove(&address)
        {
            self.live.insert(address, next);
        }
        Some(block)
    }

    /// The block at this address was freed by a thread whose event is spent; whether there was one.
    pub fn end(&mut self, address: u64, thread: u32) -> bool {
        let block = self.take(address);
        block.map(|block| self.free(thread, address, block)).is_some()
    }

    /// A thread reallocates a block that another one has ended, as it seemed. That is taken back if it is not too late; else the
    /// block goes on as a new one.
    pub fn begin_after_all(&mut self, thread: u32, address: u64, other: u32) {
        let block = self.outgoing.take_back(address, other);
        let moving = block.map_or(Moving::Anew, |block| Moving::Known { from: address, block });
        self.moving.insert(thread, moving);
    }

    /// Whether no event is wanted any more.
    pub fn is_full(&self) -> bool {
        self.outgoing.refused.is_some() || self.outgoing.sink.is_full()
    }

    /// Takes in an event.
    pub fn apply(&mut self, event: &Stamped) {
        if event.ticks > self.last {
            return;
        }
        self.site = event.stack.as_ref().map(|stack| self.sites.number(stack, &mut *self.outgoing.sink));
        self.lives.note(event.thread, event.ticks);
        let since = event.ticks.saturating_sub(self.rate.start);
        self.ticks = self.ticks.max(event.ticks);
        self.time = self.time.max((since as f64 * self.rate.tick) as u64);
        match event.act {
            Act::Allocate { address, size, alignment } => self.allocate(event, address, size, alignment),
            Act::Free { address } => match self.take(address) {
                Some(block) => self.free(event.thread, address, block),
                None => self.remarks.unknown_frees += 1,
            },
            Act::ReallocateBegins { address } => {
                let moving = match self.take(address) {
                    Some(block) => Moving::Known { from: address, block },
                    None => Moving::Unknown,
                };
                self.moving.insert(event.thread, moving);
            }
            Act::ReallocateEnds { address, size } => self.reallocated(event, address, size),
            Act::Collection => {
                if self.collections == 0 {
                    self.outgoing.sink.name_label(COLLECTION);
                }
                self.collections += 1;
                self.push(event.thread, Action::Mark { label: 0 }, 0, 0, None);
            }
        }
    }

    fn reallocated(&mut self, event: &Stamped, address: u64, size: u64) {
        let (thread, ticks) = (event.thread, event.ticks);
        let moving = self.moving.remove(&thread).unwrap_or(Moving::Unknown);
        match (moving, address, size) {
            (Moving::Known { from, block }, 0, 0) => self.free(thread, from, block),
            (Moving::Known { from, block }, 0, _) => {
                self.remarks.failed_reallocations += 1;
                self.live.insert(from, block);
            }
            (Moving::Known { block, .. }, _, _) => {
                self.make_room(thread, address);
                self.push(thread, Action::Reallocate { id: block.id, size: Bytes(size) }, size, block.size, None);
                self.live.insert(address, Live { id: block.id, size, thread, ticks });
            }
            (Moving::Anew, 0, _) => {}
            (Moving::Anew, _, _) => self.allocate(event, address, size, 0),
            (Moving::Unknown, 0, 0) => self.remarks.unknown_frees += 1,
            (Moving::Unknown, 0, _) => {}
            (Moving::Unknown, _, _) => {
                self.remarks.unknown_reallocations += 1;
                self.allocate(event, address, size, 0);
            }
        }
    }

    fn allocate(&mut self, event: &Stamped, address: u64, size: u64, alignment: u64) {
        let (thread, ticks) = (event.thread, event.ticks);
        self.make_room(thread, address);
        let id = self.next_id;
        self.next_id += 1;
        self.allocations += 1;
        self.push(thread, Action::Allocate { id, size: Bytes(size), alignment }, size, 0, None);
        self.live.insert(address, Live { id, size, thread, ticks });
    }

    fn free(&mut self, thread: u32, address: u64, block: Live) {
        self.push(thread, Action::Free { id: block.id }, 0, block.size, Some((address, block)));
    }

    /// Frees a block that must be gone, as its place is allocated again.
    fn make_room(&mut self, thread: u32, address: u64) {
        if let Some(block) = self.live.remove(&address) {
            self.remarks.missed_frees += 1;
            self.free(thread, address, block);
        }
    }

    fn push(&mut self, thread: u32, action: Action, adds: u64, takes: u64, freed: Option<(u64, Live)>) {
        let asks = matches!(action, Action::Allocate { .. } | Action::Reallocate { .. });
        let site = self.site.filter(|_| asks);
        let event = Event { time: Nanoseconds(self.time), thread, site, action };
        self.outgoing.push(Going { event, ticks: self.ticks, adds, takes, freed });
    }
}
