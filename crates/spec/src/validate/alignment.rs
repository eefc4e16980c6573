//! Which alignments a heap may have.

use super::{Fault, Place};
use crate::ast::{Spec, WordSize};
use crate::problem::Problem;

/// The problem with this alignment, in bytes, in a heap of this word.
pub(super) fn problem(alignment: u64, word: WordSize) -> Option<Fault> {
    let word = word.bytes();
    let problem = if !alignment.is_power_of_two() {
        Problem::AlignmentNotPower(alignment)
    } else if alignment < u64::from(word) {
        Problem::AlignmentBelowWord { alignment, word }
    } else if alignment > u64::from(Spec::MAX_ALIGNMENT) {
        Problem::AlignmentAbove(alignment)
    } else {
        return None;
    };
    let powers = std::iter::successors(Some(word), |power| Some(power * 2));
    let allowed = powers.take_while(|power| *power <= Spec::MAX_ALIGNMENT);
    Some(Fault::new(Place::Alignment, problem).or(allowed))
}
