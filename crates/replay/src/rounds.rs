//! How often something is timed, and what its rounds say together.
//!
//! ```text
//!   rounds    ├── asked for ──┤├── more, of what disagrees ──┤     every subject has its turn in each
//!   sorted    x1 [x2 x3 x4 median x6 x7 x8] x9                    the interval of the median
//! ```
//!
//! A machine that others use too is slow for seconds at a time, and a median over such rounds is a number like any other.
//! So a time has its interval: the narrowest pair of rounds, equally far from both ends, between which the true median
//! lies with a probability of 95% (order statistics, so whatever the distribution: David and Nagaraja 2003, §7.1). Fewer
//! than six rounds have no such pair: there the interval is all of them.
//!
//! Rounds agree where the interval is no wider than a tenth of the median. What disagrees is timed for more rounds, up to a
//! bound, in turns with the null allocator as before; what still disagrees has no time that anybody should go by.

use std::fmt;

/// A median with its interval, in nanoseconds an operation. Prints as the median, or as unreliable with the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median round.
    pub median: f64,
    /// Lower end of the interval of the median.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
}

impl Spread {
    /// What the median's interval may be wide, as a share of the median.
    pub const TOLERANCE: f64 = 0.1;

    /// The median of these rounds, of which there is one at least.
    pub fn of(rounds: &[f64]) -> Spread {
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let outer = outside(sorted.len());
        Spread { median: sorted[sorted.len() / 2], low: sorted[outer], high: sorted[sorted.len() - 1 - outer] }
    }

    /// Whether the rounds agree, so that the median may be gone by.
    pub fn is_reliable(&self) -> bool {
        self.high - self.low <= Spread::TOLERANCE * self.median
    }

    /// The median where it is reliable.
    pub fn reliable(&self) -> Option<f64> {
        self.is_reliable().then_some(self.median)
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reliable() {
            Some(median) => write!(f, "{median:.1}"),
            None => write!(f, "unreliable ({:.1} to {:.1})", self.low, self.high),
        }
    }
}

/// How many of the sorted rounds lie outside of the interval on either side.
fn outside(rounds: usize) -> usize {
    /// The chance that the median lies beyond one end of the interval.
    const BEYOND: f64 = 0.025;
    // Beyond this 2^-n is no number any more, and the normal distribution is as good.
    if rounds > 1000 {
        let rounds = rounds as f64;
        return (rounds / 2.0 - 0.98 * rounds.sqrt()) as usize;
    }
    // The median lies below the k-th round where fewer than k of n rounds came out below it: binomial, by halves.
    let (mut chance, mut sum, mut outside) = (0.5_f64.powi(rounds as i32), 0.0, 0);
    for below in 0..rounds / 2 {
        sum += chance;
        if sum > BEYOND {
            break;
        }
        outside = below;
        chance *= (rounds - below) as f64 / (below + 1) as f64;
    }
    outside
}

/// Rounds of `subjects`, of which number 0 is what the others are compared with: `rounds` of each, then up to `more` of
/// those whose rounds disagree, and of number 0. `turn` times one and gives nanoseconds an operation. Gives the rounds of
/// each, in order.
///
/// # Errors
///
/// The first of `turn`.
pub(crate) fn sample<E>(
    subjects: usize,
    rounds: usize,
    more: usize,
    turn: &mut dyn FnMut(Turn) -> Result<f64, E>,
) -> Result<Vec<Vec<f64>>, E> {
    let mut times = vec![Vec::with_capacity(rounds); subjects];
    let mut all: Vec<usize> = (0..subjects).collect();
    let (mut done, mut total, mut last) = (0, rounds * subjects, rounds);
    let mut round = 0;
    while round < last {
        for place in 0..all.len() {
            // Each round begins with another, so that none always follows the same.
            let subject = all[(round + place) % all.len()];
            times[subject].push(turn(Turn { subject, done, total })?);
            done += 1;
        }
        round += 1;
        if round == last && last < rounds + more {
            all.retain(|&subject| subject == 0 || !Spread::of(&times[subject]).is_reliable());
            if all.iter().any(|&subject| subject > 0) {
                last = (last + rounds).min(rounds + more);
                total += (last - round) * all.len();
            }
        }
    }
    Ok(times)
}

/// A turn of one subject, and how far all are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Whose it is.
    pub subject: usize,
    /// Turns that were had.
    pub done: usize,
    /// Turns that there are, as far as is known by now.
    pub total: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_median_covers_it_in_19_of_20_cases() {
        // Tables of order statistics: 6 rounds are the first with an interval, of 9 it leaves out one at each end.
        assert_eq!([1, 5, 6, 8, 9, 12, 15, 20, 36].map(outside), [0, 0, 0, 0, 1, 2, 3, 5, 11]);
        assert_eq!(outside(1000), 468);
        assert_eq!(outside(1001), 469, "the normal distribution goes on where the binomial ends");
        let spread = Spread::of(&[9.0, 1.0, 5.0, 4.0, 6.0, 3.0, 7.0, 2.0, 8.0]);
        assert_eq!((spread.low, spread.median, spread.high), (2.0, 5.0, 8.0));
    }

    #[test]
    fn one_slow_round_of_nine_is_no_disagreement_and_three_are() {
        let quiet = [9.0, 9.1, 9.0, 8.9, 94.0, 9.0, 9.2, 9.1, 9.0];
        assert_eq!(Spread::of(&quiet).to_string(), "9.0");
        let busy = [9.0, 94.4, 9.0, 8.9, 94.0, 9.0, 60.0, 9.1, 9.0];
        assert_eq!(Spread::of(&busy).to_string(), "unreliable (9.0 to 94.0)");
        assert_eq!(Spread::of(&busy).reliable(), None);
    }

    /// Times by a script: what subject `number` takes in its turn `round`.
    fn scripted(script: impl Fn(usize, usize) -> f64, more: usize) -> (Vec<Vec<f64>>, Vec<Turn>) {
        let (mut turns, mut had) = (Vec::new(), [0; 3]);
        let times = sample::<()>(3, 5, more, &mut |turn| {
            turns.push(turn);
            had[turn.subject] += 1;
            Ok(script(turn.subject, had[turn.subject] - 1))
        });
        (times.expect("nothing fails"), turns)
    }

    fn rounds_of(times: &[Vec<f64>]) -> Vec<usize> {
        times.iter().map(Vec::len).collect()
    }

    #[test]
    fn what_agrees_has_the_rounds_that_were_asked_for_in_turns() {
        let (times, turns) = scripted(|subject, _| subject as f64 + 1.0, 15);
        assert_eq!(times, [[1.0; 5], [2.0; 5], [3.0; 5]]);
        let order: Vec<usize> = turns.iter().map(|turn| turn.subject).collect();
        assert_eq!(order[..9], [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert!(turns.iter().enumerate().all(|(place, turn)| (turn.done, turn.total) == (place, 15)));
    }

    #[test]
    fn what_disagrees_is_timed_again_with_the_null_allocator_until_it_agrees() {
        // Subject 1 was disturbed in its first two rounds; subject 2 never.
        let (times, turns) = scripted(|subject, round| if subject == 1 && round < 2 { 90.0 } else { 9.0 }, 15);
        assert_eq!(rounds_of(&times), [15, 15, 5], "five rounds more leave the slow two inside of the interval");
        assert_eq!(Spread::of(&times[1]).reliable(), Some(9.0));
        assert_eq!(turns.last().map(|turn| (turn.done + 1, turn.total)), Some((35, 35)));
    }

    #[test]
    fn what_never_agrees_is_given_up_after_a_bounded_number_of_rounds_and_is_unreliable() {
        let (times, _) = scripted(|subject, round| if subject == 1 && round % 2 == 0 { 94.4 } else { 8.9 }, 15);
        assert_eq!(rounds_of(&times), [20, 20, 5]);
        assert_eq!(Spread::of(&times[1]).to_string(), "unreliable (8.9 to 94.4)");
        assert_eq!(Spread::of(&times[2]).to_string(), "8.9", "its neighbour is none the worse");
    }
}
