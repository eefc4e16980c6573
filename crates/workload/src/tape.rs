//! Where a workload writes down what it allocates and frees.
//!
//! Events go to the sink as they come, so a workload holds what it computes with and nothing that
//! grows with its trace. Once the sink wants no more, or refuses an event, what is written down is dropped; a
//! workload looks at [`Tape::is_full`] where it can end early.

use heapsmith_trace::{Action, Bytes, Event, Nanoseconds, Sink, TraceError, memory};

/// A block of the workload, which [`Tape::free`] takes back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block(u64);

/// Events from one question for memory to the next.
const STEP: u64 = 1 << 16;

/// The events of a workload on their way. Ids count up and are never used twice.
///
/// A [`Block`] cannot be copied and is used up by its free, so a workload that frees a
/// block twice does not compile.
pub(crate) struct Tape<'s> {
    sink: &'s mut dyn Sink,
    sites: u32,
    labels: Vec<String>,
    blocks: u64,
    events: u64,
    /// What the sink said when it refused an event.
    refusal: Option<TraceError>,
}

/// A place in the workload that allocates, named for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site(u32);

impl<'s> Tape<'s> {
    /// A tape that hands what is written down to `sink`.
    pub fn new(sink: &'s mut dyn Sink) -> Tape<'s> {
        Tape { sink, sites: 0, labels: Vec::new(), blocks: 0, events: 0, refusal: None }
    }

    /// Makes a name for the blocks of one kind.
    pub fn site(&mut self, name: &str) -> Site {
        self.sink.name_site(name);
        self.sites += 1;
        Site(self.sites - 1)
    }

    /// Writes down an allocation.
    pub fn allocate(&mut self, time: Nanoseconds, site: Site, size: u64) -> Block {
        self.born(time, Some(site.0), size)
    }

    /// Writes down an allocation that no place is named for.
    pub fn allocate_unnamed(&mut self, time: Nanoseconds, size: u64) -> Block {
        self.born(time, None, size)
    }

    fn born(&mut self, time: Nanoseconds, site: Option<u32>, size: u64) -> Block {
        self.blocks += 1;
        let id = self.blocks;
        let action = Action::Allocate { id, size: Bytes(size), alignment: 0 };
        self.put(Event { site, ..Event::at(time.0, action) });
        Block(id)
    }

    /// Writes down a free.
    pub fn free(&mut self, time: Nanoseconds, block: Block) {
        self.put(Event::at(time.0, Action::Free { id: block.0 }));
    }

    /// Marks a place.
    pub fn mark(&mut self, time: Nanoseconds, label: &str) {
        let known = self.labels.iter().position(|known| known == label);
        let index = known.unwrap_or_else(|| {
            self.sink.name_label(label);
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        self.put(Event::at(time.0, Action::Mark { label: index as u32 }));
    }

    /// Whether what is written down from here on is dropped.
    pub fn is_full(&self) -> bool {
        self.refusal.is_some() || self.sink.is_full()
    }

    /// No event follows.
    ///
    /// # Errors
    ///
    /// The first that the sink gave, or that there was no memory for what it and the workload hold.
    pub fn end(self) -> Result<(), TraceError> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => self.sink.end(),
        }
    }

    fn put(&mut self, event: Event) {
        if self.is_full() {
            return;
        }
        self.events += 1;
        let within = if self.events.is_multiple_of(STEP) { memory::check() } else { Ok(()) };
        let taken = within.map_err(TraceError::from).and_then(|()| self.sink.take(event));
        self.refusal = taken.err();
    }
}
