//! What an importer reports of a program, written down as a valid trace.
//!
//! Recorders name blocks by addresses, which are used again, and see a program only in part:
//! an attached recorder misses what was allocated before. This is where that is put right,
//! in one way for all formats:
//!
//! | the file says | the trace gets | counted as |
//! |---|---|---|
//! | an address is allocated while it is live | its old block freed first | missed frees |
//! | an unknown address is freed, by a recorder | nothing | foreign frees |
//! | an unknown id is freed, in a list of ids | an error with its line | |
//! | an unknown address is reallocated | an allocation | foreign reallocations |
//! | a null pointer is freed | nothing | |
//! | a null pointer is reallocated | an allocation | |
//! | a block is reallocated to 0 bytes | its free, as glibc does it | |
//!
//! Ids of the trace count up and are never used twice. Memory: the live set.

use std::collections::HashMap;

use heapsmith_trace::{Action, Bytes, Event, LARGEST_REQUEST, Nanoseconds, Sink, TraceError, plural};

/// Why a record cannot be taken.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The record is damaged: what is wrong with it.
    Damaged(String),
    /// The file is good, and does not say what a trace needs: why, and what to record instead.
    Incomplete(&'static str),
    /// The sink does not take the trace.
    Sink(TraceError),
}

impl From<TraceError> for Refusal {
    fn from(error: TraceError) -> Refusal {
        Refusal::Sink(error)
    }
}

impl From<&str> for Refusal {
    fn from(cause: &str) -> Refusal {
        Refusal::Damaged(cause.to_owned())
    }
}

impl From<String> for Refusal {
    fn from(cause: String) -> Refusal {
        Refusal::Damaged(cause)
    }
}

/// The outcome of a record.
pub(crate) type Taken = Result<(), Refusal>;

/// Oddities of a recording, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Oddities {
    missed_frees: u64,
    foreign_frees: u64,
    foreign_reallocations: u64,
    aligned_reallocations: u64,
    failed: u64,
    left_out: u64,
}

/// Names of call sites that are kept; a program has fewer.
const MAX_SITES: usize = 1 << 20;

/// Writes a trace down from what a program's recorder says.
pub(crate) struct Recording<'s> {
    sink: &'s mut dyn Sink,
    /// Ids of the live blocks by address, or whatever the format names them by.
    live: HashMap<u64, u64>,
    births: u64,
    sites: u32,
    named: HashMap<String, u32>,
    /// The time of the next events, since the recording began.
    pub time: Nanoseconds,
    /// The thread of the next events.
    pub thread: u32,
    /// The call site of the next requests.
    pub site: Option<u32>,
    threads: HashMap<u64, u32>,
    oddities: Oddities,
    remarks: Vec<String>,
    /// What the trace's origin says of the file, by name.
    pub facts: Vec<(String, String)>,
}

impl<'s> Recording<'s> {
    pub fn new(sink: &'s mut dyn Sink) -> Recording<'s> {
        Recording {
            sink,
            live: HashMap::new(),
            births: 0,
            sites: 0,
            named: HashMap::new(),
            time: Nanoseconds(0),
            thread: 0,
            site: None,
            threads: HashMap::new(),
            oddities: Oddities::default(),
            remarks: Vec::new(),
            facts: Vec::new(),
        }
    }

    /// Whether something was allocated.
    pub fn has_begun(&self) -> bool {
        self.births > 0
    }

    /// Whether the sink wants no more.
    pub fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    /// Sets the thread by the number that the system gave it. The first is 0, the next 1.
    pub fn on_thread(&mut self, system: u64) {
        let next = self.threads.len() as u32;
        self.thread = *self.threads.entry(system).or_insert(next);
    }

    /// Makes a call site known; gives its number.
    pub fn name_site(&mut self, name: &str) -> u32 {
        self.sink.name_site(name);
        self.sites += 1;
        self.sites - 1
    }

    /// Sets the call site of the next requests by its name; an empty one is none.
    pub fn at_site(&mut self, name: &str) {
        self.site = match self.named.get(name) {
            _ if name.is_empty() => None,
            Some(&site) => Some(site),
            None if self.named.len() >= MAX_SITES => None,
            None => {
                let site = self.name_site(name);
                self.named.insert(name.to_owned(), site);
                Some(site)
            }
        };
    }

    /// Whether a block of this address is live.
    pub fn is_live(&self, address: u64) -> bool {
        self.live.contains_key(&address)
    }

    /// A block was allocated at an address. A live block there is freed first.
    pub fn allocate(&mut self, address: u64, size: u64, alignment: u64) -> Taken {
        check(size, alignment)?;
        if let Some(id) = self.live.remove(&address) {
            self.oddities.missed_frees += 1;
            self.put(Action::Free { id })?;
        }
        let id = self.births;
        self.births += 1;
        self.live.insert(address, id);
        self.put(Action::Allocate { id, size: Bytes(size), alignment })
    }

    /// The block at an address was freed, as a recorder saw it.
    pub fn free(&mut self, address: u64) -> Taken {
        if address == 0 {
            return Ok(());
        }
        match self.live.remove(&address) {
            Some(id) => self.put(Action::Free { id }),
            None => {
                self.oddities.foreign_frees += 1;
                Ok(())
            }
        }
    }

    /// The block with an id was freed, in a list where every block is known.
    pub fn free_known(&mut self, id: u64) -> Taken {
        match self.live.remove(&id) {
            Some(id) => self.put(Action::Free { id }),
            None => Err("the block that is freed is not live: it was freed before, or never allocated".into()),
        }
    }

    /// The block at `old` became one of `size` bytes at `new`.
    pub fn reallocate(&mut self, old: u64, new: u64, size: u64) -> Taken {
        check(size, 0)?;
        if old == 0 {
            return if new == 0 { Ok(()) } else { self.allocate(new, size, 0) };
        }
        if new == 0 && size > 0 {
            self.oddities.failed += 1;
            return Ok(());
        }
        if size == 0 && (new == 0 || new == old) {
            return self.free(old);
        }
        let Some(id) = self.live.remove(&old) else {
            self.oddities.foreign_reallocations += 1;
            return self.allocate(new, size, 0);
        };
        if let Some(missed) = self.live.insert(new, id) {
            self.oddities.missed_frees += 1;
            self.put(Action::Free { id: missed })?;
        }
        self.put(Action::Reallocate { id, size: Bytes(size) })
    }

    /// The live block at an address got a new size, known or not.
    pub fn resize(&mut self, address: u64, size: u64) -> Taken {
        check(size, 0)?;
        match self.live.get(&address) {
            Some(&id) => self.put(Action::Reallocate { id, size: Bytes(size) }),
            None => Err("the block that is reallocated is not live".into()),
        }
    }

    /// A request was refused by the program's own heap: no heap need serve it.
    pub fn failed(&mut self) {
        self.oddities.failed += 1;
    }

    /// A reallocation names an alignment, which no trace has.
    pub fn aligned_reallocation(&mut self) {
        self.oddities.aligned_reallocations += 1;
    }

    /// A record of no operation of a heap.
    pub fn left_out(&mut self) {
        self.oddities.left_out += 1;
    }

    /// Something else that is odd about the recording.
    pub fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// Something that a reader of the trace should know of its figures; said once for each name.
    pub fn fact(&mut self, name: &str, value: &str) {
        if self.facts.iter().all(|(known, _)| known != name) {
            self.facts.push((name.to_owned(), value.to_owned()));
        }
    }

    /// All that is live is gone, as where a board starts again.
    pub fn free_all(&mut self) -> Taken {
        let mut ids: Vec<u64> = self.live.drain().map(|(_, id)| id).collect();
        ids.sort_unstable();
        ids.into_iter().try_for_each(|id| self.put(Action::Free { id }))
    }

    /// The recording is over. What was odd about it, in words.
    pub fn end(self) -> Result<Vec<String>, TraceError> {
        self.sink.end()?;
        let Oddities { missed_frees, foreign_frees, foreign_reallocations, aligned_reallocations, failed, left_out } =
            self.oddities;
        let remarks = [
            (missed_frees, "free", "frees", "unseen: their addresses were allocated again"),
            (foreign_frees, "free", "frees", "of blocks never seen allocated, left out"),
            (
                foreign_reallocations,
                "reallocation",
                "reallocations",
                "of blocks never seen allocated, taken as allocations",
            ),
            (
                aligned_reallocations,
                "reallocation",
                "reallocations",
                "with an alignment, replayed at the heap's own, as C's realloc is",
            ),
            (failed, "request", "requests", "that the program's own heap refused, left out"),
            (left_out, "record", "records", "that no heap could follow, left out"),
        ];
        let told = remarks.into_iter().filter(|(count, ..)| *count > 0);
        let told = told.map(|(count, one, many, what)| format!("{} {what}", plural(count, one, many)));
        Ok(self.remarks.into_iter().chain(told).collect())
    }

    fn put(&mut self, action: Action) -> Taken {
        let site = match action {
            Action::Allocate { .. } | Action::Reallocate { .. } => self.site,
            Action::Free { .. } | Action::Mark { .. } => None,
        };
        Ok(self.sink.take(Event { time: self.time, thread: self.thread, site, action })?)
    }
}

/// Sizes and alignments that a trace may hold.
fn check(size: u64, alignment: u64) -> Taken {
    if size > LARGEST_REQUEST.0 {
        return Err(
            format!("a request of {size} bytes; the largest that a trace may hold is {}", LARGEST_REQUEST.0).into()
        );
    }
    if alignment != 0 && !alignment.is_power_of_two() {
        return Err(format!("alignment {alignment} is not a power of two").into());
    }
    Ok(())
}
