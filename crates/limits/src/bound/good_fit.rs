//! Two-level segregated fit and half-fit: a request looks only where every block serves.
//!
//! A request of `need` words is looked for in the lists of blocks from r words on, the next list's lower end: need
//! rounded up to a multiple of 2^(⌊log2 need⌋ − s), with 2^s lists a power of two (s = 0: half-fit, and r is the next
//! power of two). Holes of less than r words may be passed over, all else is as in [`holes`](super::holes).
//!
//! Sources: Ogasawara 1995 (half-fit); Masmano, Ripoll, Crespo, Real 2004 (TLSF). Neither prints a bound for the
//! footprint in the peak live bytes; Masmano et al. 2008 compare both by experiment.

use heapsmith::parts::TwoLevel;

use super::Found;
use super::demand::Demand;
use super::holes::{Wilderness, with_holes};

const SOURCE: &str = "each hole is before a live block and smaller than the list that the request looks into: \
    counted here from the lists of Masmano et al. 2004 (TLSF) and Ogasawara 1995 (half-fit)";

pub(super) fn bound(demand: &Demand, second: u32) -> Found {
    let meaning = "largest hole: n rounded up to its list, less a granule";
    with_holes(demand, demand.retained(), |need| passed_over(demand, second, need), Wilderness::Apart, SOURCE, meaning)
}

/// Bytes of the largest hole that a request for `need` bytes passes over.
pub(super) fn passed_over(demand: &Demand, second: u32, need: u64) -> u64 {
    let looked_in = TwoLevel::new(second, (need / demand.word) as usize).largest() as u64;
    looked_in * demand.word - demand.granule
}
