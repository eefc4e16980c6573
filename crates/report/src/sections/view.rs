//! The part of a plane that a figure shows first.

use crate::number::{rounded, thousands};
use crate::places::quantile;
use crate::plot::Part;

/// Values that spread by more than this factor are drawn by their logarithm.
const WIDE: f64 = 20.0;
/// What must not be missed, but is farther out than this factor, is left out all the same.
const FAR: f64 = 3.0;

/// A stretch of an axis.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    low: f64,
    high: f64,
    /// Whether the axis is logarithmic.
    pub logarithmic: bool,
}

impl Span {
    /// A stretch with everything in `must` and most of `all`; with what of
    /// `should` is not too far out.
    pub fn of(must: &[f64], should: &[f64], all: &[f64]) -> Span {
        let every = || must.iter().chain(should).chain(all).copied();
        let lowest = every().fold(f64::INFINITY, f64::min);
        let highest = every().fold(f64::NEG_INFINITY, f64::max);
        if !(lowest.is_finite() && highest.is_finite()) {
            return Span { low: 0.0, high: 1.0, logarithmic: false };
        }
        let logarithmic = lowest > 0.0 && highest > WIDE * lowest;
        // Being far out costs little room on a logarithmic axis.
        let (shown, far) = if logarithmic { (0.995, FAR * FAR) } else { (0.95, FAR) };
        let max = must.iter().copied().fold(quantile(all.to_vec(), shown).unwrap_or(lowest), f64::max);
        let high = should.iter().copied().filter(|&value| value <= far * max).fold(max, f64::max);
        if logarithmic {
            let margin = (high / lowest).powf(0.04);
            return Span { low: lowest / margin, high: high * margin, logarithmic };
        }
        let margin = (high - lowest).max(high.abs() * 0.01).max(1e-4) * 0.05;
        Span { low: lowest - margin, high: high + margin, logarithmic }
    }

    /// The axis that shows the stretch, of values times `scale`.
    pub fn axis(&self, axis: Part, scale: f64) -> Part {
        let (low, high) = (self.low * scale, self.high * scale);
        if !self.logarithmic {
            return axis.with("range", vec![rounded(low), rounded(high)]);
        }
        let steps = |power: i32| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(power));
        let values: Vec<f64> = (-3..8).flat_map(steps).map(rounded).collect();
        let text = |&value: &f64| if value < 1.0 { value.to_string() } else { thousands(value as u64) };
        let texts: Vec<String> = values.iter().map(text).collect();
        axis.with("type", "log")
            .with("tickvals", values)
            .with("ticktext", texts)
            .with("range", vec![rounded(low.log10()), rounded(high.log10())])
    }

    /// The place of a value in the range: 0 at its low end, 1 at its high end.
    pub fn share(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
    }

    /// A value in the axis's own coordinates.
    pub fn coordinate(&self, value: f64) -> f64 {
        rounded(if self.logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value })
    }

    /// Whether a value lies on the stretch.
    pub fn shows(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.share(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_decide_a_linear_view() {
        let all: Vec<f64> = (0..100).map(f64::from).chain([1500.0]).collect();
        let span = Span::of(&[0.0, 50.0], &[120.0, 1200.0], &all);
        assert!(!span.logarithmic && span.shows(120.0) && !span.shows(1200.0) && !span.shows(1500.0));
    }

    #[test]
    fn wide_spreads_are_logarithmic() {
        let span = Span::of(&[1.0], &[], &[1.0, 10.0, 100.0]);
        assert!(span.logarithmic && span.shows(1.0) && span.shows(100.0));
        assert!((span.share(10.0) - 0.5).abs() < 1e-9);
        assert_eq!(span.coordinate(100.0), 2.0);
    }

    #[test]
    fn nothing_to_show_is_still_a_view() {
        assert!(Span::of(&[], &[], &[]).shows(0.5));
        assert!(Span::of(&[0.1], &[], &[0.1]).shows(0.1));
    }
}
