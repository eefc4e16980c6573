//! What form the live bytes of a trace have: spikes, a plateau or a ramp.
//!
//! Mamagkakis et al. (2006, §5, Figure 3) name these forms and show pictures; what follows
//! is this crate's own reading of them, in numbers. Live bytes are taken as their mean over
//! each stretch of a [`LiveCurve`](super::LiveCurve), as a share of the trace's peak.
//!
//! | form | when |
//! |---|---|
//! | ramp | the peak comes after 2/5 of the trace; up to it the stretches rise (rank correlation with their order at least 0.9) and lie at 35% to 65% of the peak on average |
//! | plateau | otherwise, where at least 2/3 of the trace lies above half of the peak |
//! | fat spikes | otherwise, where at least a tenth of the trace lies above half of the peak |
//! | thin spikes | otherwise |

use std::fmt;

use super::curve::Stretches;
use super::ranks::rank_correlation;
use crate::Bytes;

/// A form of memory usage over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing was ever live.
    Empty,
    /// Short excursions far above what is live otherwise.
    ThinSpikes,
    /// Longer excursions.
    FatSpikes,
    /// A level that is held.
    Plateau,
    /// A steady rise.
    Ramp,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Form::Empty => "empty",
            Form::ThinSpikes => "thin spikes",
            Form::FatSpikes => "fat spikes",
            Form::Plateau => "plateau",
            Form::Ramp => "ramp",
        })
    }
}

/// The form of a trace's live bytes, and the numbers that decided it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// The form.
    pub form: Form,
    /// Live bytes on average, as a share of the peak.
    pub mean: f64,
    /// Share of the trace in which more than half of the peak is live.
    pub above_half: f64,
    /// How often live bytes rise above half of the peak, counted again after they fell below a
    /// quarter, as far as the stretches show.
    pub spikes: u64,
    /// How steadily live bytes rise up to the peak: −1 to 1.
    pub rise: f64,
}

impl Shape {
    pub(super) fn of(stretches: &Stretches, peak: Bytes) -> Shape {
        let means: Vec<f64> = stretches.means().map(|live| live / peak.0.max(1) as f64).collect();
        let count = means.len();
        if peak == Bytes(0) || count == 0 {
            return Shape { form: Form::Empty, mean: 0.0, above_half: 0.0, spikes: 0, rise: 0.0 };
        }
        let mean = average(&means);
        let above_half = means.iter().filter(|&&live| live > 0.5).count() as f64 / count as f64;
        let top = (0..count).max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0);
        let before = &means[..=top];
        let places: Vec<(f64, f64)> = before.iter().enumerate().map(|(place, &live)| (place as f64, live)).collect();
        let rise = rank_correlation(&places);
        let late = (top + 1) as f64 >= 0.4 * count as f64;
        let form = match () {
            _ if count > 8 && late && rise >= 0.9 && (0.35..=0.65).contains(&average(before)) => Form::Ramp,
            _ if above_half >= 2.0 / 3.0 => Form::Plateau,
            _ if above_half >= 0.1 => Form::FatSpikes,
            _ => Form::ThinSpikes,
        };
        Shape { form, mean, above_half, spikes: spikes(stretches, peak), rise }
    }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn spikes(stretches: &Stretches, peak: Bytes) -> u64 {
    let (mut spikes, mut high) = (0, false);
    for (lowest, highest) in stretches.extremes() {
        if high {
            high = lowest.0 >= peak.0 / 4;
        } else if highest.0 > peak.0 / 2 {
            spikes += 1;
            high = true;
        }
    }
    spikes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nanoseconds;

    fn shape(live: impl Iterator<Item = u64>) -> Shape {
        let mut stretches = Stretches::new(100);
        let mut peak = 0;
        for live in live {
            stretches.push(Nanoseconds(0), Bytes(live), 1);
            peak = peak.max(live);
        }
        Shape::of(&stretches, Bytes(peak))
    }

    #[test]
    fn forms_are_told_apart() {
        let ramp = shape((0..10_000).map(|at| at + at % 7));
        assert_eq!(ramp.form, Form::Ramp, "{ramp:?}");
        let fallen = shape((0..10_000).map(|at| if at < 7000 { at } else { 10 }));
        assert_eq!(fallen.form, Form::Ramp, "{fallen:?}");
        let plateau = shape((0..10_000).map(|at| if at < 100 { at * 10 } else { 1000 + at % 13 }));
        assert_eq!(plateau.form, Form::Plateau, "{plateau:?}");
        let thin = shape((0..10_000).map(|at| if at % 1000 == 0 { 5000 } else { 10 }));
        assert_eq!((thin.form, thin.spikes), (Form::ThinSpikes, 10), "{thin:?}");
        let fat = shape((0..10_000).map(|at| if at % 1000 < 300 { 5000 } else { 10 }));
        assert_eq!((fat.form, fat.spikes), (Form::FatSpikes, 10), "{fat:?}");
        // Each of the 200 stretches of 64 events begins high and falls; a stretch that ends a
        // rise cannot begin another.
        let saw = shape((0..12_800).map(|at| if at % 64 < 5 { 5000 } else { 10 }));
        assert_eq!(saw.spikes, 100, "{saw:?}");
        assert_eq!(shape(std::iter::empty()).form, Form::Empty);
        assert_eq!(shape([0, 0].into_iter()).form, Form::Empty);
    }
}
