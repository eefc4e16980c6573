//! Programs that fragment a heap: blocks of powers of two, so that nothing is lost inside them, and never more of them
//! live than a share of the heap.

use heapsmith_trace::PackedTrace;

use crate::error::ExperimentError;
use crate::looking_glass::programs::RandomProgram;

/// Bytes of a header with an owner word: a request of so much less fills its block.
const HEADER: u64 = 8;
/// Binary logarithms of the smallest and the largest block.
const ORDERS: (u64, u64) = (6, 12);

/// How blocks come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Of random sizes, from a window that drifts from small to large and back; random ones are freed.
    Drifting,
    /// Of one size until the share is reached; every other one is freed, and the next are twice as large.
    Doubling,
    /// Random ones are freed until half are left, and one size, at random, fills the share again.
    Filling,
}

impl Shape {
    pub const ALL: [Shape; 3] = [Shape::Drifting, Shape::Doubling, Shape::Filling];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Drifting => "drifting sizes",
            Shape::Doubling => "every other, doubling",
            Shape::Filling => "half freed, one size",
        }
    }

    /// A program of this many requests, with at most `max` bytes of blocks live.
    pub fn program(self, requests: u64, max: u64, seed: u64) -> Result<PackedTrace, ExperimentError> {
        let mut load = Load { program: RandomProgram::new(self.name(), seed), live: Vec::new(), bytes: 0, max };
        let mut done = 0;
        while done < requests {
            done += match self {
                Shape::Drifting => load.drift(done, requests),
                Shape::Doubling => load.double(),
                Shape::Filling => load.fill(),
            };
        }
        load.program.packed()
    }
}

struct Load {
    program: RandomProgram,
    live: Vec<(u64, u64)>,
    bytes: u64,
    max: u64,
}

impl Load {
    /// Whether one more block of this size is within the share.
    fn has_room(&self, block: u64) -> bool {
        self.bytes + block <= self.max
    }

    fn allocate(&mut self, block: u64) {
        let id = self.program.allocate(block - HEADER);
        self.live.push((id, block));
        self.bytes += block;
    }

    fn free(&mut self, at: usize) {
        let (id, block) = self.live.remove(at);
        self.program.free(id);
        self.bytes -= block;
    }

    fn free_random(&mut self) {
        let at = self.program.below(self.live.len() as u64) as usize;
        self.free(at);
    }

    /// One request, of one of three sizes; the smallest of them rises and falls twenty times.
    fn drift(&mut self, done: u64, requests: u64) -> u64 {
        let span = ORDERS.1 - ORDERS.0 - 1;
        let phase = done * 20 * 2 * span / requests % (2 * span);
        let lowest = ORDERS.0 + phase.min(2 * span - 1 - phase);
        let block = 1 << (lowest + self.program.below(3)).min(ORDERS.1);
        while !self.has_room(block) {
            self.free_random();
        }
        self.allocate(block);
        1
    }

    /// A round of every size; then all are freed.
    fn double(&mut self) -> u64 {
        let mut done = 0;
        for order in ORDERS.0..=ORDERS.1 {
            while self.has_room(1 << order) {
                self.allocate(1 << order);
                done += 1;
            }
            for at in (0..self.live.len()).rev().step_by(2) {
                self.free(at);
            }
        }
        while !self.live.is_empty() {
            self.free(self.live.len() - 1);
        }
        done
    }

    fn fill(&mut self) -> u64 {
        let half = self.bytes / 2;
        while self.bytes > half {
            self.free_random();
        }
        let block = 1 << (ORDERS.0 + self.program.below(ORDERS.1 - ORDERS.0 + 1));
        let mut done = 0;
        while self.has_room(block) {
            self.allocate(block);
            done += 1;
        }
        // No block of this size is within the share: a smaller one is next.
        done.max(1)
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::Operation;

    use super::*;

    #[test]
    fn no_more_is_live_than_the_share_and_every_request_fills_its_block() {
        for shape in Shape::ALL {
            let trace = shape.program(3000, 50_000, 1).expect("a trace");
            let (mut sizes, mut live, mut max) = (vec![0; trace.slots], 0, 0);
            for event in &trace.events {
                let slot = &mut sizes[event.slot as usize];
                if event.operation == Operation::Free {
                    live -= std::mem::take(slot);
                } else {
                    *slot = event.size + HEADER;
                    assert!(slot.is_power_of_two() && (64..=4096).contains(slot), "{}: {slot}", shape.name());
                    live += *slot;
                    max = max.max(live);
                }
            }
            assert!((45_000..=50_000).contains(&max), "{}: {max}", shape.name());
        }
    }
}
