//! Random programs over one heap for as long as one likes.
//!
//! ```text
//!   seed ──▶ program ──▶ a new heap ──▶ Oracle
//!            seed % 64 = 0: 50,000 operations, verified every 128
//!            else:          20 to 200 operations in a small region, verified after each
//! ```
//!
//! A program is a function of its seed, so a failure is found again by the heap
//! and the seed of the program, whatever came before.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith_spec::build::BuildError;
use heapsmith_spec::{Spec, WordSize};

use crate::oracle::Oracle;
use crate::program::{Operation, Writer};
use crate::random::Random;
use crate::region::{Counted, Memory, on};
use crate::shrink::shrink;

/// One in this many programs is long.
const LONG_EVERY: u64 = 64;

/// The longest region that a program gets.
const LARGEST: usize = 256 * 1024;

/// A program of a seed.
#[derive(Clone, Copy, Debug)]
struct Plan {
    length: usize,
    region: usize,
    /// Operations from one verification to the next.
    every: usize,
}

impl Plan {
    fn of(seed: u64, word: WordSize) -> Self {
        let mut random = Random::new(!seed);
        // A word of two bytes reaches over 64 KiB less the flags of a header.
        let max = if word == WordSize::Two { 30 * 1024 } else { LARGEST };
        if seed.is_multiple_of(LONG_EVERY) {
            let region = random.one_of(&[16 << 10, 64 << 10, LARGEST]).min(max);
            return Plan { length: 50_000, region, every: 128 };
        }
        let region = random.one_of(&[1 << 10, 2 << 10, 4 << 10, 6 << 10, 16 << 10, 30 << 10]);
        Plan { length: 20 + random.below(180), region, every: 1 }
    }
}

/// A heap on trial.
#[derive(Debug)]
pub struct Trial {
    spec: Spec,
    memory: Memory,
}

/// A program that a heap failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The program's seed.
    pub seed: u64,
    /// Bytes of the region.
    pub region: usize,
    /// What broke when the short program was run.
    pub message: String,
    /// A short program that fails.
    pub program: Vec<Operation>,
    /// Operations until the program of the seed failed.
    pub before: usize,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.message)?;
        writeln!(
            f,
            "seed {}, operation {}; shortest program found, over {} bytes:",
            self.seed, self.before, self.region
        )?;
        self.program.iter().try_for_each(|operation| writeln!(f, "    {operation:?}"))
    }
}

/// Where a program broke, and what.
struct Broken {
    step: usize,
    message: String,
}

impl Trial {
    /// A trial of the heap of `spec`, which must be one that can be built.
    pub fn new(spec: Spec) -> Result<Self, BuildError> {
        let mut memory = Memory::new(LARGEST);
        on(&spec, &mut memory, Plan::of(0, spec.word).region, |_| ())?;
        Ok(Trial { spec, memory })
    }

    /// Runs the program of `seed`; returns how many operations that were.
    pub fn run(&mut self, seed: u64) -> Result<u64, Box<Failure>> {
        let plan = Plan::of(seed, self.spec.word);
        let mut writer = Writer::new(seed);
        let mut program = (0..plan.length).map(|_| writer.next());
        let region = self.region(plan.region);
        match self.attempt(&mut program, region, plan.every) {
            Ok(operations) => Ok(operations),
            Err(broken) => Err(Box::new(self.shortest(seed, plan, region, broken))),
        }
    }

    /// A region of at least `bytes` bytes that the heap accepts.
    fn region(&mut self, bytes: usize) -> usize {
        let mut bytes = bytes;
        while bytes < LARGEST && on(&self.spec, &mut self.memory, bytes, |_| ()).is_err() {
            bytes *= 2;
        }
        bytes
    }

    fn shortest(&mut self, seed: u64, plan: Plan, region: usize, broken: Broken) -> Failure {
        let mut writer = Writer::new(seed);
        let mut program: Vec<Operation> = (0..plan.length).map(|_| writer.next()).collect();
        program.truncate(broken.step + 1);
        // Verified after each operation, it breaks earlier.
        if let Err(earlier) = self.attempt(&mut program.iter().copied(), region, 1) {
            program.truncate(earlier.step + 1);
        }
        let program = shrink(program, |candidate| self.attempt(&mut candidate.iter().copied(), region, 1).is_err());
        let message = self.attempt(&mut program.iter().copied(), region, 1).err();
        let message = message.map_or_else(|| broken.message.clone(), |broken| broken.message);
        Failure { seed, region, message, program, before: broken.step }
    }

    /// Runs a program on a new heap, then frees what is live. A panic breaks it, too.
    fn attempt(
        &mut self,
        program: &mut dyn Iterator<Item = Operation>,
        region: usize,
        every: usize,
    ) -> Result<u64, Broken> {
        let mut step = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            on(&self.spec, &mut self.memory, region, |heap| perform(heap, program, every, &mut step))
        }));
        let message = match outcome {
            Ok(Ok(Ok(()))) => return Ok(step as u64),
            Ok(Ok(Err(message))) => message,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => match panic.downcast_ref::<String>() {
                Some(message) => format!("panic: {message}"),
                None => format!("panic: {}", panic.downcast_ref::<&str>().unwrap_or(&"without a message")),
            },
        };
        Err(Broken { step, message })
    }
}

/// Runs a program and frees what is live, verifying after every N operations; counts in `step`.
fn perform(
    heap: &mut Counted,
    program: &mut dyn Iterator<Item = Operation>,
    every: usize,
    step: &mut usize,
) -> Result<(), String> {
    let mut oracle = Oracle::default();
    while let Some(operation) = program.next().or_else(|| oracle.freeing()) {
        oracle.apply(heap, operation).map_err(|broken| format!("{operation:?}: {broken}"))?;
        *step += 1;
        if step.is_multiple_of(every) {
            oracle.verify(heap).map_err(|broken| format!("after {operation:?}: {broken}"))?;
        }
    }
    oracle.verify(heap)
}
