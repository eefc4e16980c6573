//! Where a workload writes down what it allocates and frees.

use heapsmith_trace::{Action, Bytes, Event, Nanoseconds, Origin, Trace};

/// A block of the workload, to be given back to [`Tape::free`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block(u64);

/// The events of a workload so far. Ids count up and are never used twice.
///
/// A [`Block`] cannot be copied and is used up by its free, so a workload that frees a
/// block twice does not compile.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    events: Vec<Event>,
    sites: Vec<String>,
    labels: Vec<String>,
    blocks: u64,
}

/// A place in the workload that allocates, named for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site(u32);

impl Tape {
    /// Makes a name for the blocks of one kind.
    pub fn site(&mut self, name: &str) -> Site {
        self.sites.push(name.to_owned());
        Site(self.sites.len() as u32 - 1)
    }

    /// Writes down an allocation.
    pub fn allocate(&mut self, time: Nanoseconds, site: Site, size: u64) -> Block {
        self.blocks += 1;
        let id = self.blocks;
        let action = Action::Allocate { id, size: Bytes(size), alignment: 0 };
        self.events.push(Event { site: Some(site.0), ..Event::at(time.0, action) });
        Block(id)
    }

    /// Writes down an allocation that no place is named for.
    pub fn allocate_unnamed(&mut self, time: Nanoseconds, size: u64) -> Block {
        self.blocks += 1;
        let id = self.blocks;
        self.events.push(Event::at(time.0, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        Block(id)
    }

    /// Writes down a free.
    pub fn free(&mut self, time: Nanoseconds, block: Block) {
        let action = Action::Free { id: block.0 };
        self.events.push(Event::at(time.0, action));
    }

    /// Marks a place.
    pub fn mark(&mut self, time: Nanoseconds, label: &str) {
        let known = self.labels.iter().position(|known| known == label);
        let index = known.unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        let action = Action::Mark { label: index as u32 };
        self.events.push(Event::at(time.0, action));
    }

    /// The whole as a trace.
    pub fn into_trace(self, origin: Origin) -> Trace {
        Trace { events: self.events, labels: self.labels, sites: self.sites, ..Trace::new(origin) }
    }
}
