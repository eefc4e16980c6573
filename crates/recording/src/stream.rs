//! The records of one window after another, as events with the ticks of their stamps.

use std::rc::Rc;

use heapsmith_trace::LARGEST_REQUEST;

use crate::RecordingError;
use crate::file::{Block, Recording};
use crate::format::{
    ADDRESS_AT, ADDRESS_SHIFT, ALIGNMENT_AT, MAX_FRAMES, NEW_SITE, OPERATION_BITS, SITE_AT, TICK_BITS, header, mark,
    operation,
};
use crate::sites::Stack;

/// What a thread did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Allocate {
        address: u64,
        size: u64,
        alignment: u64,
    },
    Free {
        address: u64,
    },
    ReallocateBegins {
        address: u64,
    },
    /// Address 0: there was no memory, or the size was 0 and the block is free.
    ReallocateEnds {
        address: u64,
        size: u64,
    },
    /// A garbage collection is done.
    Collection,
}

/// An event of one thread.
#[derive(Debug)]
pub(crate) struct Stamped {
    pub ticks: u64,
    pub thread: u32,
    pub act: Act,
    /// Where it was asked for, if that is known.
    pub stack: Option<Rc<Stack>>,
}

/// What the clock said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reading {
    pub ticks: u64,
    pub time: u64,
}

/// The events of one window's blocks, one block in memory at a time.
#[derive(Debug)]
pub(crate) struct Stream<'recording> {
    recording: &'recording Recording,
    /// Blocks that are not read yet, the next one last.
    blocks: Vec<Block>,
    granule: u64,
    words: Vec<u64>,
    at: usize,
    ticks: u64,
    thread: u32,
    records: u64,
    reading: Option<Reading>,
    /// Whether it is of a Java virtual machine, which has marks in place of reallocations.
    java: bool,
    /// The stacks that the window named, by their numbers.
    stacks: Vec<Rc<Stack>>,
    /// That of the next block.
    stack: Option<Rc<Stack>>,
}

impl<'recording> Stream<'recording> {
    pub fn new(recording: &'recording Recording, blocks: &[Block]) -> Stream<'recording> {
        let blocks = blocks.iter().rev().copied().collect();
        Stream {
            recording,
            blocks,
            granule: 0,
            words: Vec::new(),
            at: 0,
            ticks: 0,
            thread: 0,
            records: 0,
            reading: None,
            java: recording.word(header::JAVA) == 1,
            stacks: Vec::new(),
            stack: None,
        }
    }

    /// What the clock said last, before the event that came last.
    pub fn reading(&self) -> Option<Reading> {
        self.reading
    }

    /// The next event.
    pub fn next(&mut self) -> Result<Option<Stamped>, RecordingError> {
        loop {
            let Some(word) = self.take()? else { return Ok(None) };
            self.records += 1;
            let rest = word >> OPERATION_BITS;
            let address = word >> ADDRESS_AT << ADDRESS_SHIFT;
            let short = rest & ((1 << TICK_BITS) - 1);
            let act = match word & ((1 << OPERATION_BITS) - 1) {
                operation::THREAD => {
                    self.thread = u32::try_from(rest).map_err(|_| self.damaged("a thread has no such number"))?;
                    continue;
                }
                operation::CLOCK => {
                    let time = self.second()?;
                    // A counter that steps back (a sleep, a virtual machine that moved) does not turn the order round.
                    self.ticks = self.ticks.max(rest);
                    self.reading = Some(Reading { ticks: rest, time });
                    continue;
                }
                operation::SITE if word != 0 => {
                    self.site(word)?;
                    continue;
                }
                operation::ALLOCATE_SMALL => Act::Allocate { address, size: short, alignment: 0 },
                operation => {
                    self.ticks += short;
                    self.full(operation, address)?
                }
            };
            let stack = if act.begins() { self.stack.take() } else { None };
            return Ok(Some(Stamped { ticks: self.ticks, thread: self.thread, act, stack }));
        }
    }

    /// The site of the next block. A number that was not assigned is none: who reads the last
    /// block of a window alone has not seen the names.
    fn site(&mut self, word: u64) -> Result<(), RecordingError> {
        let value = word >> SITE_AT;
        if word & NEW_SITE == 0 {
            let named = value
                .checked_sub(1)
                .and_then(|number| usize::try_from(number).ok())
                .and_then(|number| self.stacks.get(number));
            self.stack = named.cloned();
            return Ok(());
        }
        if value > MAX_FRAMES as u64 {
            return Err(self.damaged("a call site has more frames than there can be"));
        }
        let frames = (0..value).map(|_| self.second()).collect::<Result<_, _>>()?;
        let stack = Rc::new(Stack::new(frames));
        self.stacks.push(Rc::clone(&stack));
        self.stack = Some(stack);
        Ok(())
    }

    fn full(&mut self, operation: u64, address: u64) -> Result<Act, RecordingError> {
        Ok(match operation {
            operation::ALLOCATE => {
                let second = self.second()?;
                let (log2, size) = (second >> ALIGNMENT_AT, second & ((1 << ALIGNMENT_AT) - 1));
                if log2 > 63 || address == 0 || size > LARGEST_REQUEST.0 {
                    return Err(self.damaged("an allocation makes no sense"));
                }
                Act::Allocate { address, size, alignment: if log2 == 0 { 0 } else { 1 << log2 } }
            }
            operation::FREE => Act::Free { address },
            operation::MARK if self.java => match address >> ADDRESS_SHIFT {
                mark::COLLECTION => Act::Collection,
                _ => return Err(self.damaged("a mark has no known label")),
            },
            operation::REALLOCATE_BEGINS => Act::ReallocateBegins { address },
            operation::REALLOCATE_ENDS => match self.second()? {
                // The size of one that failed may be anything.
                size if address != 0 && size > LARGEST_REQUEST.0 => {
                    return Err(self.damaged("a reallocation makes no sense"));
                }
                size => Act::ReallocateEnds { address, size },
            },
            _ => return Err(self.damaged("a record is of no known kind")),
        })
    }

    fn second(&mut self) -> Result<u64, RecordingError> {
        match self.words.get(self.at) {
            Some(&word) => {
                self.at += 1;
                Ok(word)
            }
            None => Err(self.damaged("its last record is cut off")),
        }
    }

    /// The first word of the next record.
    fn take(&mut self) -> Result<Option<u64>, RecordingError> {
        while self.at == self.words.len() {
            let Some(block) = self.blocks.pop() else { return Ok(None) };
            self.granule = block.granule;
            self.words = self.recording.read_block(block)?;
            self.at = 0;
        }
        self.at += 1;
        Ok(Some(self.words[self.at - 1]))
    }

    fn damaged(&self, cause: &str) -> RecordingError {
        self.recording.damaged(self.granule, self.records.saturating_sub(1), cause)
    }
}

impl Act {
    /// Whether a block is at its address from now on; a site may precede it.
    pub fn begins(self) -> bool {
        matches!(self, Act::Allocate { .. } | Act::ReallocateEnds { .. })
    }

    /// Whether it ends the block at its address, or its time there.
    pub fn ends(self) -> bool {
        matches!(self, Act::Free { .. } | Act::ReallocateBegins { .. })
    }

    /// The address that the act is about; 0 for none.
    pub fn address(self) -> u64 {
        match self {
            Act::Allocate { address, .. }
            | Act::Free { address }
            | Act::ReallocateBegins { address }
            | Act::ReallocateEnds { address, .. } => address,
            Act::Collection => 0,
        }
    }
}
