//! Two-level segregated fit and half-fit: a request looks only where every block serves.
//!
//! A request of `need` words is looked for in the lists of blocks from r words on, the next list's lower end: need
//! rounded up to a multiple of 2^(⌊log2 need⌋ − s), with 2^s lists a power of two (s = 0: half-fit, and r is the next
//! power of two). Holes of less than r words may be passed over, all else is as in [`holes`](super::holes).
//!
//! Sources: Ogasawara 1995 (half-fit); Masmano, Ripoll, Crespo, Real 2004 (TLSF). Neither prints a bound for the
//! footprint in the peak live bytes; Masmano et al. 2008 compare both by experiment.

use super::Found;
use super::demand::Demand;
use super::holes::with_holes;

const SOURCE: &str = "each hole stands before a live block and is smaller than the list that the request looks into: \
    counted here from the lists of Masmano et al. 2004 (TLSF) and Ogasawara 1995 (half-fit)";

pub(super) fn bound(demand: &Demand, second: u32) -> Found {
    let hole = |need: u64| list_ceil(second, need / demand.word) * demand.word - demand.granule;
    with_holes(demand, hole, SOURCE, "largest hole: n rounded up to its list, less a granule")
}

/// The lower end of the first list whose blocks all have `words`.
pub(super) fn list_ceil(second: u32, words: u64) -> u64 {
    let log = (words | 1).ilog2();
    if log < second { words } else { words.next_multiple_of(1 << (log - second)) }
}

#[cfg(test)]
mod tests {
    use super::list_ceil;

    #[test]
    fn requests_round_up_to_the_lower_end_of_a_list() {
        // 2^5 lists a power of two: from 64 words on they are 2 apart, from 1024 on 32.
        assert_eq!([31, 33, 65, 66, 1025].map(|words| list_ceil(5, words)), [31, 33, 66, 66, 1056]);
        assert_eq!([1, 2, 3, 5, 64, 65].map(|words| list_ceil(0, words)), [1, 2, 4, 8, 64, 128]);
    }
}
