//! Single numbers that only some values of are allowed.

use super::{Fault, Place};
use crate::ast::{BinLayout, Spec, Tlsf, WordSize};
use crate::problem::Problem;

/// What is wrong with looking at that many percent of a list.
pub(crate) fn depth_problem(percent: u64) -> Option<Problem> {
    match percent {
        0 => Some(Problem::DepthZero),
        1..=100 => None,
        _ => Some(Problem::DepthAbove(percent)),
    }
}

/// What is wrong with that many bins for each doubling.
pub(crate) fn per_doubling_problem(bins: u64) -> Option<Problem> {
    let mut choices = BinLayout::PER_DOUBLING_CHOICES.into_iter();
    let known = choices.any(|choice| u64::from(choice) == bins);
    (!known).then_some(Problem::PerDoubling(bins))
}

/// What is wrong with dividing powers of two that often in half.
pub(crate) fn second_level_problem(level: u64) -> Option<Problem> {
    let known = (1..=u64::from(Tlsf::MAX_SECOND_LEVEL)).contains(&level);
    (!known).then_some(Problem::SecondLevel(level))
}

/// What is wrong with aligning to that many bytes in a heap of that word.
pub(super) fn alignment_problem(alignment: u64, word: WordSize) -> Option<Fault> {
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
