//! Random programs as blocks with a birth and a death, so that a change of the program is a change of its blocks.

use heapsmith_trace::{Action, Bytes, Draws, Event, Nanoseconds, Origin, Trace};

/// A block that a program allocates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    pub size: u64,
    /// When it is allocated, and freed; none is never. No two moments of a program are the same.
    pub birth: u64,
    pub death: Option<u64>,
}

/// What a program allocates, in any order.
#[derive(Debug, Clone, PartialEq)]
pub struct Program(pub Vec<Block>);

/// Bytes of the blocks that lie between others at the start, and that nothing later fits into.
pub const SHORT: u64 = 96;
/// The smallest size of all blocks after the start.
const MIN: u64 = 200;

impl Program {
    /// A program of a seed: a start of short-lived blocks, then long-lived ones, and a steady state of larger blocks.
    pub fn random(seed: u64) -> Program {
        let mut draws = Draws::new(seed);
        let (start, steady) = (draws.between(20, 40), draws.between(150, 250));
        let mut blocks = Vec::new();
        // Moments are multiples of 1000, each with a number of its own below it.
        let mut number = 0;
        let mut moment = |time: u64| {
            number += 1;
            time * 1_000_000 + number
        };
        for index in 0..start {
            let (birth, death) = (moment(1 + index), moment(200));
            blocks.push(Block { size: SHORT, birth, death: Some(death) });
        }
        for index in 0..start {
            blocks.push(Block { size: 48, birth: moment(100 + index), death: Some(moment(1_000_000)) });
        }
        let mean = draws.between(20, 60) as f64;
        for index in 0..steady {
            let birth = 300 + index * 5;
            let life = 1 + (draws.exponential() * mean * 5.0) as u64;
            let size = draws.between(MIN, 2000);
            blocks.push(Block { size, birth: moment(birth), death: Some(moment(birth + life)) });
        }
        Program(blocks)
    }

    /// Peak live bytes.
    pub fn peak(&self) -> u64 {
        let mut changes: Vec<(u64, i64)> = Vec::new();
        for block in &self.0 {
            changes.push((block.birth, block.size as i64));
            changes.extend(block.death.map(|death| (death, -(block.size as i64))));
        }
        changes.sort_unstable();
        let mut live = 0;
        changes
            .into_iter()
            .map(|(_, change)| {
                live += change;
                live as u64
            })
            .max()
            .unwrap_or(0)
    }

    /// The last moment before the end of the blocks that live until it.
    pub fn moments(&self) -> u64 {
        self.0.iter().map(|block| block.birth).max().unwrap_or(0)
    }

    /// Its trace.
    pub fn trace(&self) -> Trace {
        let mut moments: Vec<(u64, Action)> = Vec::new();
        for (block, id) in self.0.iter().zip(0..) {
            moments.push((block.birth, Action::Allocate { id, size: Bytes(block.size), alignment: 0 }));
            moments.extend(block.death.map(|death| (death, Action::Free { id })));
        }
        moments.sort_by_key(|(moment, _)| *moment);
        let mut trace = Trace::new(Origin::new("program", "random"));
        trace.events = moments.into_iter().map(|(moment, action)| Event::at(moment, action)).collect();
        trace
    }
}

/// The same program as another recording would have it: other ids, times, threads, and marks.
pub fn rewritten(trace: &Trace, seed: u64) -> Trace {
    let mut draws = Draws::new(seed);
    let mut ids: Vec<u64> = (0..trace.events.len() as u64).collect();
    draws.shuffle(&mut ids);
    let (scale, shift) = (draws.between(1, 9), draws.below(1_000_000));
    let mut other = Trace::new(Origin::new("another", "random"));
    other.labels.push("a mark".to_owned());
    for event in &trace.events {
        if draws.happens(0.05) {
            other.events.push(Event {
                time: Nanoseconds(event.time.0 * scale + shift),
                ..Event::at(0, Action::Mark { label: 0 })
            });
        }
        let action = match event.action {
            Action::Allocate { id, size, alignment } => Action::Allocate { id: ids[id as usize], size, alignment },
            Action::Free { id } => Action::Free { id: ids[id as usize] },
            Action::Reallocate { id, size } => Action::Reallocate { id: ids[id as usize], size },
            mark => mark,
        };
        let time = Nanoseconds(event.time.0 * scale + shift);
        other.events.push(Event { time, thread: draws.below(8) as u32, action, ..*event });
    }
    other
}
