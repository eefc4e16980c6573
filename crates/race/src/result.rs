//! What a race found: a value, which knows nothing of processes.

use crate::entrant::Kind;
use crate::load::LoadFigures;
use crate::measure::Measure;
use crate::statistics::{Change, median};

/// Rounds below which no interval is said: resamples of fewer say little.
pub const MIN_ROUNDS: usize = 6;

/// A race, finished or interrupted.
#[derive(Debug, Clone, PartialEq)]
pub struct Race {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The load command of a server.
    pub load: Option<String>,
    /// What orders and resamples are drawn with.
    pub seed: u64,
    /// Whether the standard output was compared: it is not where the program's own differs from run to run.
    pub output_compared: bool,
    /// Whether it came to its end.
    pub is_finished: bool,
    /// Who took part; the first is the baseline.
    pub entrants: Vec<Raced>,
    /// What was measured, in the order of the runs.
    pub runs: Vec<Run>,
}

/// An entrant, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raced {
    /// What tables call it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Why it left the race.
    pub left: Option<Left>,
}

/// Why an entrant left a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// It is what the program has anyway.
    Same,
    /// It did not serve the program: why.
    NoEffect(String),
    /// The program failed on it, or printed something else: what.
    Wrong(String),
}

impl Left {
    /// In words.
    pub fn words(&self) -> &str {
        match self {
            Left::Same => "the program has it anyway",
            Left::NoEffect(why) | Left::Wrong(why) => why,
        }
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its round, counted from 0.
    pub round: u32,
    /// Whose it is, by number.
    pub entrant: usize,
    /// Seconds of processors.
    pub processors: f64,
    /// Seconds by the clock.
    pub clock: f64,
    /// Bytes resident at the peak; 0 where the program ended before a sample was taken.
    pub peak: u64,
    /// Bytes resident on average; 0 likewise.
    pub mean: f64,
    /// What the load command printed.
    pub load: LoadFigures,
}

impl Race {
    /// The runs of an entrant.
    pub fn runs_of(&self, entrant: usize) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.entrant == entrant)
    }

    /// The values of an entrant in a measure, in the order of its runs, as far as they are known.
    pub fn values(&self, entrant: usize, measure: Measure) -> Vec<f64> {
        self.runs_of(entrant).map(|run| measure.of(run)).filter(|value| *value > 0.0).collect()
    }

    /// The median of an entrant in a measure; none before its first run.
    pub fn median(&self, entrant: usize, measure: Measure) -> Option<f64> {
        median(&self.values(entrant, measure))
    }

    /// Rounds of which the entrant and the baseline both have their run.
    pub fn rounds(&self, entrant: usize) -> usize {
        self.pairs(entrant, Measure::Clock).len()
    }

    /// An entrant's values and the baseline's, round by round.
    fn pairs(&self, entrant: usize, measure: Measure) -> Vec<(f64, f64)> {
        let baseline = |round: u32| self.runs_of(0).find(|run| run.round == round);
        let pair = |run: &Run| Some((measure.of(run), measure.of(baseline(run.round)?)));
        self.runs_of(entrant).filter_map(pair).filter(|(own, baseline)| *own > 0.0 && *baseline > 0.0).collect()
    }

    /// The ratio of an entrant to the baseline; none before [`MIN_ROUNDS`] rounds, and of the baseline itself.
    pub fn change(&self, entrant: usize, measure: Measure) -> Option<Change> {
        let pairs = self.pairs(entrant, measure);
        (entrant > 0 && pairs.len() >= MIN_ROUNDS).then(|| Change::of(&pairs, self.seed)).flatten()
    }

    /// The median of a figure that the load command printed, over the runs of an entrant.
    pub fn load_median(&self, entrant: usize, of: impl Fn(&LoadFigures) -> Option<f64>) -> Option<f64> {
        median(&self.runs_of(entrant).filter_map(|run| of(&run.load)).collect::<Vec<_>>())
    }

    /// The entrant, other than the baseline, with the lowest ratio of a measure among those whose ratio of another is, by its whole
    /// interval, no more than `limit`, and whose own interval is below 1.
    pub fn best(&self, measure: Measure, other: Measure, limit: f64) -> Option<(usize, Change, Change)> {
        let found = (1..self.entrants.len()).filter(|&entrant| self.entrants[entrant].left.is_none());
        let known =
            found.filter_map(|entrant| Some((entrant, self.change(entrant, measure)?, self.change(entrant, other)?)));
        let better = known.filter(|(_, own, other)| own.high < 1.0 && other.high <= limit);
        better.min_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio))
    }

    /// Widest interval of all entrants that are still in the race, over processor time and peak memory, as half of its width; none
    /// while one has too few rounds.
    pub fn widest(&self) -> Option<f64> {
        let entrants = (1..self.entrants.len()).filter(|&entrant| self.entrants[entrant].left.is_none());
        let measures = [Measure::Processors, Measure::Peak];
        let each = entrants.flat_map(|entrant| measures.map(|measure| self.change(entrant, measure)));
        each.map(|change| change.map(|change| change.half_width()))
            .try_fold(0.0, |widest: f64, half| Some(widest.max(half?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A race of a baseline and of one that takes `ratio` of its time, and twice its memory.
    pub fn made(ratio: f64, rounds: u32) -> Race {
        let raced = |name: &str, kind| Raced { name: name.to_owned(), kind, left: None };
        let run = |round: u32, entrant: usize| {
            let slow = 1.0 + f64::from(round % 3) * 0.5;
            let processors = slow * if entrant == 0 { 1.0 } else { ratio };
            let peak = 1000 << entrant;
            Run { round, entrant, processors, clock: processors, peak, mean: 10.0, load: LoadFigures::default() }
        };
        Race {
            command: vec!["true".to_owned()],
            load: None,
            seed: 1,
            output_compared: true,
            is_finished: true,
            entrants: vec![
                raced("as it is", Kind::AsIs { library: None }),
                raced("other", Kind::AsIs { library: None }),
            ],
            runs: (0..rounds).flat_map(|round| [run(round, 1), run(round, 0)]).collect(),
        }
    }

    #[test]
    fn a_ratio_is_of_runs_of_the_same_round() {
        let race = made(0.9, 9);
        let change = race.change(1, Measure::Processors).expect("nine rounds");
        assert!(
            (change.ratio - 0.9).abs() < 1e-9 && change.half_width() < 1e-9,
            "{change:?}: rounds were slow together"
        );
        assert_eq!(race.change(1, Measure::Peak).map(|change| change.ratio.round()), Some(2.0));
        assert_eq!(race.change(0, Measure::Peak), None);
        assert_eq!(made(0.9, 5).change(1, Measure::Processors), None, "too few rounds");
    }

    #[test]
    fn the_best_keeps_the_limit_of_the_other_measure() {
        let race = made(0.9, 9);
        assert_eq!(race.best(Measure::Processors, Measure::Peak, 1.0), None, "it takes twice the memory");
        assert_eq!(race.best(Measure::Processors, Measure::Peak, 2.1).map(|found| found.0), Some(1));
        assert_eq!(made(1.1, 9).best(Measure::Processors, Measure::Peak, 2.1), None, "it is slower");
        assert!(race.widest().is_some_and(|widest| widest < 1e-9));
    }

    #[test]
    fn a_round_without_its_baseline_is_no_pair() {
        let mut race = made(0.9, 9);
        race.runs.retain(|run| !(run.entrant == 0 && run.round > 6));
        assert_eq!(race.rounds(1), 7);
    }
}
