//! A steady program drawn from the sizes that it asks for, how often, and how many live.
//!
//! ```text
//!   size, rate, live ──► arrivals: a Poisson process; the size by its share of the rate
//!                   └──► lifetimes: exponential, with the mean live / rate (Little's law)
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | of the beginning | by live blocks | time 0 | exponential after that |
//! | arriving | by rate | its arrival | its lifetime later |
//!
//! Little's law: in a steady state the blocks of a size that are live on average are its
//! rate times their mean lifetime. An exponential lifetime has no memory, so the blocks that
//! are live at the beginning live on as long as fresh ones do, and the trace is steady from
//! its first arrival on. It is cut off after `events` events, with its blocks live.
//!
//! A distribution is that of a whole fleet or program; `blocks` says how large a part of it
//! is drawn: both rates and live blocks are scaled so that this many live on average, which
//! leaves lifetimes alone. Time is scaled to one arrival a microsecond. A size with a rate
//! and no live block is freed at once; one with live blocks and no rate lives from the
//! beginning to the end.
//!
//! Source of the form: `fleetbench/tcmalloc/distributions` of the repository
//! google/fleetbench. J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations
//! Research 9 (1961).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use heapsmith_trace::{Draws, LARGEST_REQUEST, Nanoseconds};

use crate::error::LoadError;
use crate::input::{Format, Input, Rate, rates};
use crate::settings::Settings;
use crate::tape::{Block, Tape};
use crate::workload::{KEEP_DAMAGED, Parameter, Run, SEED, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "distribution",
    about: "a steady program drawn from a size distribution: arrivals by rate, lifetimes by Little's law",
    source: "google/fleetbench, tcmalloc distributions; J. D. C. Little, Operations Research 9 (1961)",
    input: "size distribution (size, rate, live)",
    parameters: &[
        Parameter { name: "events", default: "200000", about: "length of the trace" },
        Parameter { name: "blocks", default: "2000", about: "blocks that are live on average" },
        SEED,
        KEEP_DAMAGED,
    ],
    formats: &[Format::Distribution],
    run: Run::Input(run),
};

/// Nanoseconds between arrivals on average.
const STEP: f64 = 1000.0;

fn run<'s>(input: Input, settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let events = settings.number("events", 1, 1 << 32, "events from 1 to 4294967296")?;
    let blocks = settings.number("blocks", 1, 1 << 24, "blocks from 1 to 16777216")?;
    let seed = settings.seed()?;
    let path = input.path.clone();
    let rates = rates(input, settings.keep_damaged()?)?;
    if rates.iter().any(|rate| rate.size > LARGEST_REQUEST.0) {
        return Err(LoadError::Nothing { path, what: "distribution of sizes that a program could ask for" });
    }
    let mut program = SizesProgram::new(tape, &rates, blocks, Draws::new(seed));
    program.begin();
    while program.events < events && !program.tape.is_full() {
        program.step();
    }
    Ok(program.tape)
}

struct SizesProgram<'r, 's> {
    rates: &'r [Rate],
    /// The rates added up.
    sums: Vec<f64>,
    /// How many of the distribution's live blocks one block of the workload represents, inverted.
    part: f64,
    draws: Draws,
    now: f64,
    next_arrival: f64,
    /// Blocks by the nanosecond of their end, and by number among equals.
    due: BinaryHeap<Reverse<(u64, u64)>>,
    live: HashMap<u64, Block>,
    births: u64,
    events: u64,
    tape: Tape<'s>,
}

impl<'r, 's> SizesProgram<'r, 's> {
    fn new(tape: Tape<'s>, rates: &'r [Rate], blocks: u64, draws: Draws) -> SizesProgram<'r, 's> {
        let live: f64 = rates.iter().map(|rate| rate.live).sum();
        let part = if live > 0.0 { blocks as f64 / live } else { 1.0 };
        let sums = rates.iter().scan(0.0, |sum, rate| {
            *sum += rate.rate;
            Some(*sum)
        });
        let sums = sums.collect();
        let (due, live) = (BinaryHeap::new(), HashMap::new());
        let (now, next_arrival, births, events) = (0.0, 0.0, 0, 0);
        SizesProgram { rates, sums, part, draws, now, next_arrival, due, live, births, events, tape }
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// Allocates what lives at the beginning: of each size its live blocks, with a fraction
    /// as the chance of one more.
    fn begin(&mut self) {
        for rate in self.rates {
            let expected = rate.live * self.part;
            let blocks = expected.floor() as u64 + u64::from(self.draws.uniform() < expected.fract());
            (0..blocks).for_each(|_| self.allocate(*rate));
        }
        self.next_arrival = self.draws.exponential() * STEP;
    }

    /// The next event: a death, or an arrival.
    fn step(&mut self) {
        match self.due.peek() {
            Some(&Reverse((end, number))) if end as f64 <= self.next_arrival => {
                self.due.pop();
                if let Some(block) = self.live.remove(&number) {
                    self.tape.free(Nanoseconds(end), block);
                    self.events += 1;
                }
            }
            _ => {
                self.now = self.next_arrival;
                self.next_arrival += self.draws.exponential() * STEP;
                let place = self.draws.uniform() * self.total();
                let index = self.sums.partition_point(|&sum| sum <= place).min(self.rates.len() - 1);
                self.allocate(self.rates[index]);
            }
        }
    }

    fn allocate(&mut self, rate: Rate) {
        let block = self.tape.allocate_unnamed(Nanoseconds(self.now as u64), rate.size);
        self.events += 1;
        let number = self.births;
        self.births += 1;
        self.live.insert(number, block);
        if rate.rate > 0.0 {
            // Lifetimes are live / rate in the file's time, in which our part has part × total arrivals.
            let mean = rate.live / rate.rate * self.part * self.total() * STEP;
            let end = self.now + mean * self.draws.exponential();
            self.due.push(Reverse((end as u64, number)));
        }
    }
}
