//! The memory that reading may take: a budget of the process, and whether it is exceeded.
//!
//! ```text
//!   set_budget, or a share of the smallest of: control group, MemAvailable, RLIMIT_AS
//!                      │
//!                      ▼
//!        budget  ◄── compared with ──►  resident memory of the process, without shared pages
//!                      ▲
//!     every source asks as it reads: an unpacked file every 4 MB, a trace file every batch of
//!     rows, a workload every 65,536 events; a list that grows asks before it takes more
//! ```
//!
//! A source asks, not who holds the events: whatever grows while a source runs (a trace, a table of
//! live blocks, call stacks of an importer, a transform) is in the resident memory. Between two
//! questions a source adds a few megabytes at most. What a file asks for in one piece (a page of a
//! trace file, a dictionary of a decoder) has a limit of its own where it is read.
//!
//! Cost: a read of `/proc/self/statm`, 2 µs. Where the system has no `/proc`, only what is asked for in one piece
//! is refused.

mod system;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Bytes;

/// The budget; 0 until it is set or asked for.
static BUDGET: AtomicU64 = AtomicU64::new(0);

/// Growth below this is not worth a question.
const SMALL: usize = 1 << 20;

/// More memory would be needed than the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it takes more than the {budget} of memory that reading may take; --memory SIZE allows more, --limit EVENTS reads less"
)]
pub struct OverBudget {
    /// The budget.
    pub budget: Bytes,
}

/// Sets the budget of this process.
pub fn set_budget(budget: Bytes) {
    BUDGET.store(budget.0.max(1), Ordering::Relaxed);
}

/// The budget of this process. Where none was set: three quarters of the memory that the system or
/// its control group has left, or a third of the address space where that is limited and less.
pub fn budget() -> Bytes {
    match BUDGET.load(Ordering::Relaxed) {
        0 => {
            let found = system::share();
            // Two threads that ask first find much the same; the first counts.
            let set = BUDGET.compare_exchange(0, found.0.max(1), Ordering::Relaxed, Ordering::Relaxed);
            Bytes(set.map_or_else(|earlier| earlier, |_| found.0.max(1)))
        }
        set => Bytes(set),
    }
}

/// Whether this process is within its budget.
///
/// # Errors
///
/// [`OverBudget`] where it is not.
pub fn check() -> Result<(), OverBudget> {
    room_for(0)
}

/// Whether there is room for this many bytes in one piece.
///
/// # Errors
///
/// [`OverBudget`] where there is not.
pub fn room_for(bytes: u64) -> Result<(), OverBudget> {
    let budget = budget();
    match system::resident().saturating_add(bytes) <= budget.0 {
        true => Ok(()),
        false => Err(OverBudget { budget }),
    }
}

/// Makes room for one more item, as `push` does, but within the budget.
///
/// # Errors
///
/// [`OverBudget`] where the list would exceed the budget, or the system has no more memory.
#[inline]
pub fn reserve_one<T>(list: &mut Vec<T>) -> Result<(), OverBudget> {
    match list.len() < list.capacity() {
        true => Ok(()),
        false => grow(list, list.len().max(64)),
    }
}

/// Makes room for this many more items, within the budget.
///
/// # Errors
///
/// As [`reserve_one`].
#[cold]
pub fn grow<T>(list: &mut Vec<T>, more: usize) -> Result<(), OverBudget> {
    let over = |_| OverBudget { budget: budget() };
    let bytes = more.saturating_mul(size_of::<T>());
    if bytes < SMALL {
        return list.try_reserve(more).map_err(over);
    }
    // Near the budget a list grows by smaller steps rather than not at all.
    let steps = [more, more / 4, more / 16].into_iter().filter(|&step| step > 0);
    for step in steps {
        if room_for((step * size_of::<T>()) as u64).is_ok() {
            return list.try_reserve_exact(step).map_err(over);
        }
    }
    Err(OverBudget { budget: budget() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_and_not_asked_for() {
        let mut list: Vec<u64> = Vec::new();
        assert!(grow(&mut list, usize::MAX / 64).is_err());
        assert!(room_for(u64::MAX).is_err());
        assert_eq!(list.capacity(), 0);
        reserve_one(&mut list).unwrap();
        assert!(list.capacity() >= 1);
    }

    #[test]
    fn a_budget_is_there_without_being_set() {
        assert!(budget().0 > 1 << 20, "{}", budget());
    }
}
