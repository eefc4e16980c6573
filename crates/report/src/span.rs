//! A stretch of an axis: its ends, its ticks, and where a value lies on it.

use crate::number::thousands;
use crate::places::quantile;

/// Values that spread by more than this factor are drawn by their logarithm.
const WIDE: f64 = 20.0;
/// What must not be missed, but is farther out than this factor, is left out all the same.
const FAR: f64 = 3.0;
/// Ticks of a linear stretch, roughly.
const TICKS: f64 = 7.0;

/// A stretch of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The value at its begin.
    pub low: f64,
    /// The value at its end.
    pub high: f64,
    /// Whether equal factors are equal lengths.
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
            return Span::linear(0.0, 1.0);
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
        Span::linear(lowest - margin, high + margin)
    }

    /// A linear stretch.
    pub fn linear(low: f64, high: f64) -> Span {
        let high = if high > low { high } else { low + 1.0 };
        Span { low, high, logarithmic: false }
    }

    /// A linear stretch from nothing to a little above the largest value.
    pub fn from_zero(max: f64) -> Span {
        Span::linear(0.0, if max > 0.0 { max * 1.06 } else { 1.0 })
    }

    /// A logarithmic stretch; its ends are above 0.
    pub fn logarithmic(low: f64, high: f64) -> Span {
        let low = if low > 0.0 && low.is_finite() { low } else { 1.0 };
        Span { low, high: if high > low { high } else { low * 10.0 }, logarithmic: true }
    }

    /// The stretch of all values times `scale`.
    pub fn scaled(&self, scale: f64) -> Span {
        Span { low: self.low * scale, high: self.high * scale, ..*self }
    }

    /// The place of a value in the range: 0 at its low end, 1 at its high end.
    pub fn share(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
    }

    /// Whether a value lies on the stretch.
    pub fn shows(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.share(value))
    }

    /// Values for ticks: 1, 2 and 5 times powers of ten.
    pub fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            let raw = (self.high - self.low) / TICKS;
            let power = 10_f64.powf(raw.log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|&step| step >= raw);
            let step = step.unwrap_or(10.0 * power);
            let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
            return (first..=last).map(|place| place as f64 * step).collect();
        }
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = match decades {
            _ if decades > 4.0 => &[1.0],
            _ if decades > 1.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        };
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let every = if decades > 10.0 { 3 } else { 1 };
        let powers = (first..=last).filter(|power| power % every == 0);
        let values = powers.flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        values.filter(|&value| self.shows(value)).collect()
    }
}

/// A value at an axis: no more digits than it needs.
pub fn tick(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 1000.0 => thousands(size.round() as u64),
        _ if size >= 100.0 => size.round().to_string(),
        _ if size >= 0.001 || size == 0.0 => format!("{}", (value * 10_000.0).round() / 10_000.0),
        _ => format!("{value:.0e}"),
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
    }

    #[test]
    fn nothing_to_show_is_still_a_view() {
        assert!(Span::of(&[], &[], &[]).shows(0.5));
        assert!(Span::of(&[0.1], &[], &[0.1]).shows(0.1));
    }

    #[test]
    fn ticks_are_few_and_on_the_stretch() {
        for span in [
            Span::linear(-3.0, 120.0),
            Span::from_zero(0.013),
            Span::logarithmic(1.1, 2.9),
            Span::logarithmic(3.0, 171.0),
            Span::logarithmic(1.0, 1e9),
            Span::linear(0.0, 0.0),
        ] {
            let ticks = span.ticks();
            assert!((2..=12).contains(&ticks.len()), "{span:?}: {ticks:?}");
            assert!(ticks.iter().all(|&value| span.shows(value)), "{span:?}: {ticks:?}");
        }
        assert_eq!([0.0, 0.25, 12.5, 120.0, 10_000.0].map(tick), ["0", "0.25", "12.5", "120", "10,000"]);
    }
}
