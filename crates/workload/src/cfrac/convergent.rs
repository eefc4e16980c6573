//! The continued fraction of a square root.
//!
//! ```text
//!   √M = q0 + 1/(q1 + 1/(q2 + …))       P' = q Q - P     Q' = (M - P'²) / Q     q' = (g + P') / Q'
//!   A' = q' A + A before (mod N)        A² ≡ ± Q' (mod N), minus for the first, third, …
//! ```
//!
//! g is √M rounded down. Source: Morrison and Brillhart 1975, section 2.

use super::number::Number;

/// Where the expansion is.
pub(super) struct Convergents<'s> {
    multiplied: Number<'s>,
    target: Number<'s>,
    root: Number<'s>,
    p: Number<'s>,
    q: Number<'s>,
    quotient: Number<'s>,
    numerator: Number<'s>,
    numerator_before: Number<'s>,
    negative: bool,
    ended: bool,
}

impl<'s> Convergents<'s> {
    /// At the beginning of √`multiplied`; numerators are kept modulo `target`.
    pub fn new(multiplied: &Number<'s>, target: &Number<'s>) -> Convergents<'s> {
        let root = multiplied.square_root();
        let one = root.over(&root);
        Convergents {
            p: root.minus(&root),
            q: one.clone(),
            quotient: root.clone(),
            numerator: root.modulo(target),
            numerator_before: one,
            negative: false,
            ended: root.times(&root).equals(multiplied),
            multiplied: multiplied.clone(),
            target: target.clone(),
            root,
        }
    }

    /// The next Q, and whether the square of the [`numerator`](Self::numerator) is its
    /// negative; none if the fraction begins to repeat.
    pub fn step(&mut self) -> Option<(Number<'s>, bool)> {
        if self.ended {
            return None;
        }
        self.p = self.quotient.times(&self.q).minus(&self.p);
        self.q = self.multiplied.minus(&self.p.times(&self.p)).over(&self.q);
        self.negative = !self.negative;
        self.quotient = self.root.plus(&self.p).over(&self.q);
        let next = self.quotient.times(&self.numerator).plus(&self.numerator_before).modulo(&self.target);
        self.numerator_before = std::mem::replace(&mut self.numerator, next);
        self.ended = self.q.is(1);
        Some((self.q.clone(), self.negative))
    }

    /// The numerator that the last [`step`](Self::step) spoke of.
    pub fn numerator(&self) -> Number<'s> {
        self.numerator_before.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::Memory;
    use super::*;
    use crate::program::Recorder;

    #[test]
    fn squares_of_numerators_are_q_or_its_negative() {
        let memory = Memory::new(Recorder::unheard());
        let target = memory.parse("13290059").unwrap();
        let mut convergents = Convergents::new(&target, &target);
        // The first Q of the table in Morrison and Brillhart 1975 for this number.
        let mut first = Vec::new();
        for _ in 0..200 {
            let (q, negative) = convergents.step().unwrap();
            let numerator = convergents.numerator();
            let square = numerator.times(&numerator).modulo(&target);
            let wanted = if negative { target.minus(&q) } else { q.clone() };
            assert!(square.equals(&wanted), "{numerator} squared is {square}, not {wanted}");
            first.push(q.to_string());
        }
        assert_eq!(first[0], (13_290_059_u64 - 3645 * 3645).to_string());
    }

    #[test]
    fn a_fraction_that_repeats_ends() {
        let memory = Memory::new(Recorder::unheard());
        let seven = memory.small(7);
        let mut convergents = Convergents::new(&seven, &memory.small(1_000_003));
        let found: Vec<String> = std::iter::from_fn(|| convergents.step()).map(|(q, _)| q.to_string()).collect();
        assert_eq!(found, ["3", "2", "3", "1"]);
    }
}
