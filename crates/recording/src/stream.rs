//! The records of one window after another, as events with the ticks of their stamps.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use heapsmith_capture::stack::{hash, place};
use heapsmith_trace::{ByIds, LARGEST_REQUEST};

use crate::RecordingError;
use crate::file::{Records, Source};
use crate::format::{
    ADDRESS_AT, ADDRESS_SHIFT, ALIGNMENT_AT, MAX_FRAMES, NEW_SITE, OPERATION_BITS, SITE_AT, THREAD_ENDS, TICK_BITS,
    header, mark, operation,
};
use crate::layout::{Block, Mark};
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
    /// Up to where its window was read before it.
    pub after: Mark,
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
pub(crate) struct Stream {
    source: Arc<Source>,
    /// Blocks that are not read yet, with those that had to be read at once.
    blocks: VecDeque<(Block, Option<Vec<u64>>)>,
    /// The one that is read.
    block: Block,
    words: Vec<u64>,
    at: usize,
    /// Words of the first block whose events are in an earlier trace.
    dropped: usize,
    ticks: u64,
    thread: u32,
    records: u64,
    reading: Option<Reading>,
    /// Whether it is of a Java virtual machine, which has marks in place of reallocations.
    java: bool,
    /// The stacks that the window named and may name again, by their numbers.
    stacks: HashMap<u64, Rc<Stack>, ByIds>,
    /// The stacks that the window named.
    named: u64,
    /// The numbers of those that it remembers, by their places there.
    remembered: HashMap<u64, u64, ByIds>,
    /// What `named` was when this sequence began.
    named_before: u64,
    /// That of the next block.
    stack: Option<Rc<Stack>>,
    /// Blocks that were read.
    spent: Vec<Block>,
    /// Threads that ended, and when.
    ended: Vec<(u32, u64)>,
}

impl Stream {
    /// The records of a window as a recording has them.
    pub fn of(source: &Arc<Source>, records: &Records) -> Stream {
        let mut stream = Stream::new(source, records.mark);
        records.blocks.iter().for_each(|&block| stream.feed(block, None));
        stream
    }

    /// Of the records of the last block alone.
    pub fn of_last(source: &Arc<Source>, records: &Records) -> Stream {
        let mut stream = Stream::new(source, Mark::default());
        records.blocks.last().into_iter().for_each(|&block| stream.feed(block, None));
        stream
    }

    /// A window without records, which begin at a mark.
    pub fn new(source: &Arc<Source>, mark: Mark) -> Stream {
        Stream {
            source: Arc::clone(source),
            blocks: VecDeque::new(),
            block: Block { granule: 0, sequence: mark.sequence, from: 0, bytes: 0 },
            words: Vec::new(),
            at: 0,
            dropped: mark.bytes / 8,
            ticks: 0,
            thread: 0,
            records: 0,
            reading: None,
            java: source.word(header::JAVA) == 1,
            stacks: HashMap::default(),
            named: mark.stacks,
            remembered: HashMap::default(),
            named_before: mark.stacks,
            stack: None,
            spent: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// More records, which come behind those that there are.
    pub fn feed(&mut self, block: Block, words: Option<Vec<u64>>) {
        self.blocks.push_back((block, words));
    }

    /// Up to where records were read.
    pub fn mark(&self) -> Mark {
        let Block { sequence, from, .. } = self.block;
        Mark { sequence, bytes: from + self.at * 8, stacks: self.named_before }
    }

    /// Blocks that were all read, and lie before a mark.
    pub fn take_spent(&mut self, mark: Mark) -> Vec<Block> {
        self.spent.extract_if(.., |block| block.sequence < mark.sequence).collect()
    }

    /// Threads whose ends were read since this was asked last, and their ticks.
    pub fn take_ended(&mut self) -> Vec<(u32, u64)> {
        std::mem::take(&mut self.ended)
    }

    /// What the clock said last, before the event that came last.
    pub fn reading(&self) -> Option<Reading> {
        self.reading
    }

    /// The next event.
    pub fn next(&mut self) -> Result<Option<Stamped>, RecordingError> {
        if !self.has_more()? {
            return Ok(None);
        }
        let after = self.mark();
        loop {
            let Some(word) = self.take()? else { return Ok(None) };
            self.records += 1;
            let rest = word >> OPERATION_BITS;
            let address = word >> ADDRESS_AT << ADDRESS_SHIFT;
            let short = rest & ((1 << TICK_BITS) - 1);
            let act = match word & ((1 << OPERATION_BITS) - 1) {
                operation::THREAD if word & THREAD_ENDS != 0 => {
                    let number = (word & !THREAD_ENDS) >> OPERATION_BITS;
                    self.ended.extend(u32::try_from(number).map(|number| (number, self.ticks)));
                    continue;
                }
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
            if self.at <= self.dropped {
                continue;
            }
            return Ok(Some(Stamped { ticks: self.ticks, thread: self.thread, act, after, stack }));
        }
    }

    /// The site of the next block. A number that was not assigned is none: who reads the last
    /// block of a window alone has not seen the names.
    fn site(&mut self, word: u64) -> Result<(), RecordingError> {
        let value = word >> SITE_AT;
        if word & NEW_SITE == 0 {
            self.stack = value.checked_sub(1).and_then(|number| self.stacks.get(&number)).cloned();
            return Ok(());
        }
        if value > MAX_FRAMES as u64 {
            return Err(self.damaged("a call site has more frames than there can be"));
        }
        let frames = (0..value).map(|_| self.second()).collect::<Result<Vec<_>, _>>()?;
        // A window of days names one stack again and again. Of a class the place is that of a number that is not here.
        if !self.java
            && let Some(forgotten) = self.remembered.insert(place(hash(&frames)) as u64, self.named)
        {
            self.stacks.remove(&forgotten);
        }
        let stack = Rc::new(Stack::new(frames));
        self.stacks.insert(self.named, Rc::clone(&stack));
        self.named += 1;
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
        let has_more = self.has_more()?;
        self.at += usize::from(has_more);
        Ok(has_more.then(|| self.words[self.at - 1]))
    }

    /// Whether there is a record, of which the block is in memory then.
    fn has_more(&mut self) -> Result<bool, RecordingError> {
        while self.at == self.words.len() {
            let Some((block, words)) = self.blocks.pop_front() else { return Ok(false) };
            if block.sequence > self.block.sequence {
                self.spent.extend((self.block.granule != 0).then_some(self.block));
                (self.named_before, self.dropped) = (self.named, 0);
            }
            self.words = words.map_or_else(|| self.source.read_block(block), Ok)?;
            (self.block, self.at) = (block, 0);
        }
        Ok(true)
    }

    fn damaged(&self, cause: &str) -> RecordingError {
        self.source.damaged(self.block.granule, self.records.saturating_sub(1), cause)
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
