//! What a test answers to a claim, and the three ways to come to an answer.
//!
//! | what is measured | the answer |
//! |---|---|
//! | one number, exact | [`Answer::from`] a condition |
//! | the same under several readings of the paper | [`Answer::of_readings`] |
//! | an interval, against a bound | [`Interval::is_above`], [`Interval::is_below`] |
//! | a number that the paper prints | [`Agreement::of`]: too much is no agreement either |

use serde::{Deserialize, Serialize};

/// What is found of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It holds under every reading that was tried.
    Holds,
    /// It holds under some readings of the paper, and not under others.
    SomeReadings,
    /// It does not hold.
    DoesNot,
    /// The interval of what was measured holds both.
    Undecided,
    /// It cannot be tested here.
    Untestable,
}

impl Answer {
    /// Every answer, in the order of the summary.
    pub const ALL: [Answer; 5] =
        [Answer::Holds, Answer::SomeReadings, Answer::DoesNot, Answer::Undecided, Answer::Untestable];

    /// As it is written in the register.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Holds => "holds",
            Answer::SomeReadings => "some-readings",
            Answer::DoesNot => "does-not",
            Answer::Undecided => "undecided",
            Answer::Untestable => "untestable",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Answer::Holds => "holds",
            Answer::SomeReadings => "holds under some readings",
            Answer::DoesNot => "does not hold",
            Answer::Undecided => "undecided",
            Answer::Untestable => "cannot be tested here",
        }
    }

    /// The answer to a claim that was tested under several readings: whether it holds under each.
    pub fn of_readings(holds: impl IntoIterator<Item = bool>) -> Answer {
        let (mut some, mut all, mut any) = (false, true, false);
        for holds in holds {
            (some, all, any) = (some || holds, all && holds, true);
        }
        match (any, all, some) {
            (false, ..) => Answer::Untestable,
            (_, true, _) => Answer::Holds,
            (_, _, true) => Answer::SomeReadings,
            _ => Answer::DoesNot,
        }
    }

    /// The answer to a claim of two parts, each of which has one: it holds where both do, and does not where one does
    /// not.
    pub fn and(self, other: Answer) -> Answer {
        let order = |answer| match answer {
            Answer::Holds => 0,
            Answer::SomeReadings => 1,
            Answer::Untestable => 2,
            Answer::Undecided => 3,
            Answer::DoesNot => 4,
        };
        if order(self) >= order(other) { self } else { other }
    }
}

impl From<bool> for Answer {
    /// A condition on exact numbers.
    fn from(holds: bool) -> Answer {
        if holds { Answer::Holds } else { Answer::DoesNot }
    }
}

/// Where a median lies: an interval that holds it with a stated confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// The median of what was measured.
    pub median: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of the median of `values` with a confidence of 95%, by order statistics (the sign test); none
    /// for fewer than six values, which have none.
    pub fn of_median(values: &[f64]) -> Option<Interval> {
        let count = values.len();
        if count < 6 {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        // The largest rank k such that P(Binomial(n, 1/2) < k) stays under 2.5%.
        let (mut term, mut below, mut rank) = (0.5_f64.powi(count as i32), 0.0, 0);
        while below + term <= 0.025 {
            below += term;
            term *= (count - rank) as f64 / (rank + 1) as f64;
            rank += 1;
        }
        let rank = rank.max(1);
        Some(Interval { low: sorted[rank - 1], median: middle, high: sorted[count - rank] })
    }

    /// Whether it lies above a bound; undecided where the bound is inside.
    pub fn is_above(&self, bound: f64) -> Answer {
        if self.low > bound {
            Answer::Holds
        } else if self.high < bound {
            Answer::DoesNot
        } else {
            Answer::Undecided
        }
    }

    /// Whether it lies below a bound; undecided where the bound is inside.
    pub fn is_below(&self, bound: f64) -> Answer {
        if self.high < bound {
            Answer::Holds
        } else if self.low > bound {
            Answer::DoesNot
        } else {
            Answer::Undecided
        }
    }
}

/// How a number compares with one that the paper prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Within the tolerance.
    Agrees,
    /// Above it: a saving that is far larger does not confirm a small one.
    Overshoots,
    /// Below it.
    FallsShort,
}

impl Agreement {
    /// `found` against the paper's `printed`, with a tolerance to both sides in the same unit.
    pub fn of(found: f64, printed: f64, tolerance: f64) -> Agreement {
        match found - printed {
            difference if difference > tolerance => Agreement::Overshoots,
            difference if difference < -tolerance => Agreement::FallsShort,
            _ => Agreement::Agrees,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Agreement::Agrees => "as in the paper",
            Agreement::Overshoots => "more than in the paper",
            Agreement::FallsShort => "less than in the paper",
        }
    }
}

impl From<Agreement> for Answer {
    fn from(agreement: Agreement) -> Answer {
        Answer::from(agreement == Agreement::Agrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_that_differ_are_some() {
        let answer = |holds: &[bool]| Answer::of_readings(holds.iter().copied());
        assert_eq!(answer(&[true, true]), Answer::Holds);
        assert_eq!(answer(&[true, false]), Answer::SomeReadings);
        assert_eq!(answer(&[false]), Answer::DoesNot);
        assert_eq!(answer(&[]), Answer::Untestable);
    }

    #[test]
    fn the_weaker_part_decides() {
        for answer in Answer::ALL {
            assert_eq!(answer.and(Answer::Holds), answer);
            assert_eq!(Answer::DoesNot.and(answer), Answer::DoesNot);
        }
        assert_eq!(Answer::SomeReadings.and(Answer::Undecided), Answer::Undecided);
    }

    #[test]
    fn a_bound_inside_the_interval_is_undecided() {
        let interval = Interval { low: 1.0, median: 2.0, high: 3.0 };
        assert_eq!(
            [0.5, 2.5, 3.5].map(|bound| interval.is_above(bound)),
            [Answer::Holds, Answer::Undecided, Answer::DoesNot]
        );
        assert_eq!(
            [0.5, 2.5, 3.5].map(|bound| interval.is_below(bound)),
            [Answer::DoesNot, Answer::Undecided, Answer::Holds]
        );
    }

    /// The ranks are those of tables of the sign test: 6 values need all of them, 10 leave out one at each end, 100
    /// leave out 39.
    #[test]
    fn the_interval_of_a_median_has_the_ranks_of_the_sign_test() {
        let interval = |count: usize| {
            let values: Vec<f64> = (1..=count).rev().map(|value| value as f64).collect();
            Interval::of_median(&values).map(|interval| (interval.low, interval.median, interval.high))
        };
        assert_eq!(interval(5), None);
        assert_eq!(interval(6), Some((1.0, 3.5, 6.0)));
        assert_eq!(interval(10), Some((2.0, 5.5, 9.0)));
        assert_eq!(interval(11), Some((2.0, 6.0, 10.0)));
        assert_eq!(interval(100), Some((40.0, 50.5, 61.0)));
    }

    #[test]
    fn a_saving_that_is_far_larger_does_not_confirm_a_small_one() {
        assert_eq!(Agreement::of(0.951, 0.0164, 0.05), Agreement::Overshoots);
        assert_eq!(Agreement::of(0.02, 0.0164, 0.05), Agreement::Agrees);
        assert_eq!(Agreement::of(0.39, 0.88, 0.05), Agreement::FallsShort);
        assert_eq!(Answer::from(Agreement::Overshoots), Answer::DoesNot);
    }
}
