//! Heaps whose blocks keep their size for ever.
//!
//! Nothing is split or joined, so a block that was cut for one size stays in that size's supply. A new one is cut only
//! when every block that could serve is used: so for each size there are as many as were used at one time.
//!
//! - *Classes*: blocks of a class are used by its own requests alone, each of at least the bytes where the class
//!   begins. With b bytes in a block: C + Σ b·⌊live / first request of the class⌋, no count above that of live blocks. Free lists before them may round
//!   smaller requests up to a size between two classes, and these take free blocks of the class above: then
//!   C + Σ b·(1 + ⌊(live − r) / s⌋), r the first request that needs b, s the first that may get it.
//! - *Lists, bins and trees that never split nor coalesce*: a block may also be used by smaller requests, of the
//!   least size at worst: C + Σ b·(1 + ⌊(live − r) / least⌋), r the first request that needs b.
//!
//! No size needs all of it at once; a program that asks for one size after another does, so the sum over the sizes is
//! what such a heap is made to need (Wilson et al. 1995 on segregated storage: the worst case grows with the sizes).

use super::demand::{Demand, saturated};
use super::{Found, Term, shown};

/// Sizes are summed one by one up to this many; beyond, bounded together.
const MAX_SIZES: u64 = 20_000;

pub(super) fn classes(demand: &Demand) -> Found {
    let quarantined = demand.quarantined();
    let mut shared = false;
    let (bytes, sizes) = sum(demand, |first, block| {
        let user = demand.first_user(block);
        shared |= user < first;
        at_once(demand, first, user) + quarantined
    });
    if !shared {
        return found(demand, bytes, sizes, "C + Σ over the classes of b·(⌊L/r⌋ + q)");
    }
    let mut found = found(demand, bytes, sizes, "C + Σ over the block sizes of b·(1 + ⌊(L − r)/s⌋ + q)");
    found.terms.push(Term::new("s", "bytes of the smallest request that may get a block of b", "each size"));
    found
}

pub(super) fn whole_blocks(demand: &Demand) -> Found {
    let min_size = demand.program.min_size;
    let quarantined = demand.quarantined();
    let (bytes, sizes) = sum(demand, |first, _| at_once(demand, first, min_size) + quarantined);
    found(demand, bytes, sizes, "C + Σ over the block sizes of b·(1 + ⌊(L − r)/l⌋ + q)")
}

/// Blocks that are used at once when one is cut for a request of `first` bytes, the others by requests of `user` bytes or more.
fn at_once(demand: &Demand, first: u64, user: u64) -> u64 {
    let (others, count) = demand.others(first);
    1 + (others / user).min(count)
}

fn found(demand: &Demand, bytes: u64, sizes: u64, formula: &'static str) -> Found {
    Found {
        footprint: demand.control.saturating_add(bytes),
        formula,
        terms: vec![
            Term::new("C", "bytes before the first block", shown(demand.control)),
            Term::new("L", "most bytes requested and live", shown(demand.program.live)),
            Term::new("l", "bytes of the smallest request", shown(demand.program.min_size)),
            Term::new("b, r", "bytes of a block, and of the smallest request that needs it", "each size"),
            Term::new("q", "blocks in quarantine", shown(demand.quarantined())),
            Term::new("sizes", "block sizes that requests need", shown(sizes)),
        ],
        numbers: format!("{} + {}", shown(demand.control), shown(bytes)),
        source: "one size after another, each supply as large as its own most live: counted here; Wilson et al. 1995, §3.6",
    }
}

/// The sum of block × count over all block sizes, and how many there are.
fn sum(demand: &Demand, mut count: impl FnMut(u64, u64) -> u64) -> (u64, u64) {
    let (mut total, mut sizes) = (0_u128, 0);
    let mut first = demand.program.min_size;
    while let Some(block) = demand.need(first) {
        sizes += 1;
        total += u128::from(block) * u128::from(count(first, block));
        if block == demand.largest_block() {
            break;
        }
        if sizes == MAX_SIZES {
            let (remainder, more) = remainder(demand, block, count(first, block));
            return (saturated(total + remainder), sizes + more);
        }
        first = demand.first_request(block + 1);
    }
    (saturated(total), sizes)
}

/// No less than the sum over the sizes above `block`, of each of which there are at most `count`.
fn remainder(demand: &Demand, block: u64, count: u64) -> (u128, u64) {
    let more = (demand.largest_block() - block) / demand.granule;
    let max = demand.largest_block();
    (u128::from(max) * u128::from(count) * u128::from(more), more)
}
