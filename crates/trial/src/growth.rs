//! How the cost of an operation grows with the number of live blocks.
//!
//! Random sizes and random lifetimes: as many blocks as asked for are live, and
//! one after another is replaced. Accesses are counted, no time is taken, so the
//! outcome is the same on every machine.

#![allow(unsafe_code)]

use std::ptr::NonNull;

use heapsmith_spec::build::BuildError;
use heapsmith_spec::{BinOrder, BlockFactors, Coalescing, Each, ListOrder, Pool, Spec};

use crate::random::Random;
use crate::region::{Counted, Memory, on};

/// What operations cost while this many blocks were live.
#[derive(Clone, Debug, PartialEq)]
pub struct Churned {
    /// Blocks.
    pub live: usize,
    /// Mean accesses of an operation, in the second half.
    pub mean: f64,
    /// Accesses that one operation in a thousand exceeds, in the second half.
    pub p999: u64,
    /// The most accesses of an operation, from the first replaced block on.
    pub max: u64,
}

/// Bytes of a region for each live block: four times the mean size, for what is lost between blocks.
const ROOM: usize = 1600;

/// Replaces blocks at random on the heap of `spec` while `live` stay live.
pub fn churn(spec: &Spec, live: usize) -> Result<Churned, BuildError> {
    Ok(churn_within(spec, live, u64::MAX)?.unwrap_or(Churned { live, mean: f64::NAN, p999: 0, max: 0 }))
}

/// As [`churn`]; nothing comes of it if the heap refuses a request, or needs more than `budget` accesses in all.
pub fn churn_within(spec: &Spec, live: usize, budget: u64) -> Result<Option<Churned>, BuildError> {
    let bytes = live * ROOM + (1 << 16);
    on(spec, &mut Memory::new(bytes), bytes, |heap| Churn { heap, budget, random: Random::new(0x5EED), spec }.run(live))
}

struct Churn<'h> {
    heap: &'h mut Counted<'h>,
    budget: u64,
    random: Random,
    spec: &'h Spec,
}

impl Churn<'_> {
    fn allocate(&mut self) -> Option<NonNull<u8>> {
        let size = match self.spec.pool {
            Pool::Fixed(fixed) => 1 + self.random.below(fixed.size as usize),
            _ => self.random.magnitude(8, 8),
        };
        (self.heap.meter().accesses <= self.budget).then(|| self.heap.allocate(size, 1)).flatten()
    }

    fn run(mut self, live: usize) -> Option<Churned> {
        let mut blocks: Vec<_> = (0..live).map(|_| self.allocate()).collect::<Option<_>>()?;
        // A bump gets nothing back: its region serves each block once more.
        let rounds = if matches!(self.spec.pool, Pool::Bump(_)) { live } else { 2 * live.max(10_000) };
        let mut costs = Vec::with_capacity(2 * rounds);
        for _ in 0..rounds {
            let which = if self.spec.pool.frees_in_order() { live - 1 } else { self.random.below(live) };
            let before = self.heap.meter().accesses;
            // SAFETY: the block is live, and another takes its place.
            unsafe { self.heap.deallocate(blocks[which]) };
            let between = self.heap.meter().accesses;
            blocks[which] = self.allocate()?;
            costs.extend([between - before, self.heap.meter().accesses - between]);
        }
        self.heap.check().ok()?;
        let max = costs.iter().copied().max()?;
        let second = &mut costs[rounds..];
        let mean = second.iter().sum::<u64>() as f64 / second.len() as f64;
        let p999 = second.len() * 999 / 1000;
        Some(Churned { live, mean, p999: *second.select_nth_unstable(p999).1, max })
    }
}

/// What is claimed of the slope of accesses over live blocks, both as logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Below 0.1: trees, skip lists, bins without a sorted list, two-level segregated fit, half-fit, buddy systems.
    Flat,
    /// About 1: every block is looked at.
    Linear,
    /// Nothing is claimed.
    Nothing,
}

/// What is claimed of a heap.
pub fn wanted(spec: &Spec) -> Wanted {
    let blocks = |factors: &BlockFactors| match (factors.coalesce, factors.tags) {
        // Every block is looked at on each call.
        (Coalescing::EveryCall, _) => Wanted::Linear,
        // The block before is found from the first one on, unless nothing coalesces; a miss sweeps all blocks.
        (_, false) | (Coalescing::Deferred, _) => Wanted::Nothing,
        _ => Wanted::Flat,
    };
    match &spec.pool {
        Pool::Tree(tree) => blocks(&tree.factors),
        Pool::SkipList(list) => blocks(&list.factors),
        // A sorted list is walked through to insert: linear in the bin.
        Pool::Bins(bins) if bins.each == Each::List && bins.order == BinOrder::Size => Wanted::Nothing,
        Pool::Bins(bins) => blocks(&bins.factors),
        Pool::Tlsf(_) | Pool::HalfFit(_) | Pool::Buddy(_) => Wanted::Flat,
        Pool::List(list) if list.order == ListOrder::Implicit => Wanted::Linear,
        Pool::List(list) if list.factors.coalesce == Coalescing::EveryCall => Wanted::Linear,
        _ => Wanted::Nothing,
    }
}

impl Wanted {
    /// Whether a slope is as claimed.
    pub fn holds(self, slope: f64) -> bool {
        match self {
            Wanted::Flat => slope < 0.1,
            Wanted::Linear => (0.8..1.2).contains(&slope),
            Wanted::Nothing => true,
        }
    }
}

/// The slope of the line through the logarithms of live blocks and mean accesses, by least squares.
pub fn slope(points: &[Churned]) -> f64 {
    let logs: Vec<_> = points.iter().map(|point| ((point.live as f64).ln(), point.mean.ln())).collect();
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let shared: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    shared / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}
