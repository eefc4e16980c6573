//! Metering: the deterministic cost of an operation.
//!
//! *Accesses* are metadata words read and written in the region: control words,
//! headers, boundary tags and links. *Visits* are the blocks that a search examines.
//! Both depend on the design and the requests alone, never on the machine.
//!
//! [`Unmetered`] has no size and no effect, so an unmetered heap carries no
//! trace of any of this.

use crate::sealed::Sealed;

/// How a request was served (Donahue et al. 2001, Figure 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ServePath {
    /// By a block that was free and taken whole.
    AtOnce,
    /// By splitting a larger free block.
    AfterSplit,
    /// Only after free blocks were coalesced, or a layer gave its blocks back.
    AfterCoalescing,
    /// By taking never-used memory.
    ByGrowing,
    /// Only after other blocks were moved.
    AfterDefragmentation,
}

impl ServePath {
    /// Number of ways.
    pub const WAYS: usize = 5;
}

/// Receives counts of a heap's work. No other crate can implement it: one that panics would leave
/// a heap in the middle of an operation.
pub trait Meter: Sealed + Copy + Default {
    /// A metadata word was read.
    fn read(&mut self) {}
    /// A metadata word was written.
    fn write(&mut self) {}
    /// A search examined a block.
    fn visit(&mut self) {}
    /// The search unit carried out an instruction, in one cycle.
    fn unit(&mut self) {}
    /// A request was served in this way.
    fn served(&mut self, _way: ServePath) {}
    /// Adds what another meter counted from `before` to `now`.
    fn add(&mut self, _before: &Self, _now: &Self) {}
}

/// Reports nothing and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unmetered;

impl Sealed for Unmetered {}
impl Sealed for Counting {}

impl Meter for Unmetered {}

/// Counts everything that a heap reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counting {
    /// Metadata words read and written.
    pub accesses: u64,
    /// Blocks that searches examined.
    pub visits: u64,
    /// Instructions of the search unit, of one cycle each (pages with `Hardware` search alone have any).
    pub unit: u64,
    /// Requests by the way they were served, in the order of [`ServePath`].
    pub served: [u64; ServePath::WAYS],
}

impl Meter for Counting {
    #[inline(always)]
    fn read(&mut self) {
        self.accesses += 1;
    }
    #[inline(always)]
    fn write(&mut self) {
        self.accesses += 1;
    }
    #[inline(always)]
    fn visit(&mut self) {
        self.visits += 1;
    }
    #[inline(always)]
    fn unit(&mut self) {
        self.unit += 1;
    }
    #[inline(always)]
    fn served(&mut self, way: ServePath) {
        self.served[way as usize] += 1;
    }
    fn add(&mut self, before: &Self, now: &Self) {
        self.accesses += now.accesses - before.accesses;
        self.visits += now.visits - before.visits;
        self.unit += now.unit - before.unit;
        let ways = before.served.iter().zip(now.served);
        self.served.iter_mut().zip(ways).for_each(|(sum, (before, now))| *sum += now - before);
    }
}
