//! Whose allocators Tables 3 to 5 compare, and the readings of each: several, as the paper's Table 1 names few details.
//!
//! ```text
//!   windows-ce: 4 readings ─┐
//!   windows-xp: 2          ─┤
//!   lea-2.7.2:  3          ─┼─▶ 432 combinations, under each of which a claim is tested
//!   enea-ose:   3          ─┤
//!   uclinux:    2          ─┤
//!   proposed:   3 pools    ─┘
//! ```

use heapsmith_replay::{Measures, Region, ReplayOptions, at_peak, replay};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::PackedTrace;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::network::applications::Application;
use crate::shown::listed;

/// An operating system's allocator, with its readings as names of the catalogue; the first is the table's own words.
pub(crate) struct System {
    /// Its name.
    pub name: &'static str,
    /// Its readings.
    pub readings: &'static [&'static str],
}

/// The five of Table 1.
pub(crate) static SYSTEMS: [System; 5] = [
    System {
        name: "windows-ce",
        readings: &["windows-ce", "windows-ce/documented", "windows-ce/sweep", "windows-ce/neighbours"],
    },
    System { name: "windows-xp", readings: &["windows-xp", "windows-xp/coalescing"] },
    System { name: "lea-2.7.2", readings: &["lea-2.7.2", "lea-2.7.2/immediate", "lea-2.7.2/fast-bins"] },
    System { name: "enea-ose", readings: &["enea-ose", "enea-ose/searched", "enea-ose/one-list"] },
    System { name: "uclinux", readings: &["uclinux", "uclinux/pages"] },
];

/// The allocator that the paper proposes.
pub(crate) const PROPOSED: &str = "proposed";

/// The pool of the proposed allocator without its free lists: what becomes of a claim if they are taken away.
pub(crate) const ALONE: &str = "pool alone";

/// The orders that the pool behind the proposed free lists may have: the paper states none.
const POOLS: [&str; 3] = ["address", "lifo", "implicit"];

/// The proposed allocator with free lists of these sizes and a pool of this order.
pub(crate) fn proposed(sizes: &[u64], order: &str) -> Result<Spec, ExperimentError> {
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let lists = sizes.join(",");
    Ok(format!("freelists({lists}) list(order={order}, fit=first, split=always, coalesce=immediate)").parse()?)
}

/// A heap of the tables.
#[derive(Debug, Clone)]
pub(crate) struct Heap {
    /// Whose it is: a system's name, or [`PROPOSED`].
    pub of: &'static str,
    /// Which reading of it.
    pub reading: String,
    /// The heap.
    pub spec: Spec,
}

/// Every reading of every system, then the proposed allocator with each pool and the sizes that are most popular in
/// this traffic, and each pool alone.
pub(crate) fn heaps(popular: &[u64]) -> Result<Vec<Heap>, ExperimentError> {
    let mut heaps = Vec::new();
    for System { name, readings } in &SYSTEMS {
        for reading in *readings {
            heaps.push(Heap { of: name, reading: (*reading).to_owned(), spec: resolve(reading)? });
        }
    }
    for order in POOLS {
        let reading = format!("{PROPOSED}, pool by {order}");
        heaps.push(Heap { of: PROPOSED, reading, spec: proposed(popular, order)? });
    }
    for order in POOLS {
        let reading = format!("{ALONE} by {order}");
        let spec = format!("list(order={order}, fit=first, split=always, coalesce=immediate)").parse()?;
        heaps.push(Heap { of: ALONE, reading, spec });
    }
    Ok(heaps)
}

/// What a heap took on one input.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    /// Everything that was counted.
    pub measures: Measures,
    /// The paper's fragmentation: its formula has requested bytes and holes, and no headers or control words.
    pub fragmentation: f64,
    /// What blocks have at the peak beyond header and request, over the bytes requested.
    pub internal: f64,
    /// What is free or kept at the peak, over the bytes requested.
    pub external: f64,
}

/// Replays a heap. The headers that are left out are those of the blocks live at the peak.
pub(crate) fn taken(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Taken, ExperimentError> {
    let measures = replay(spec, trace, region, ReplayOptions::MEASURE)?;
    let peak = at_peak(spec, trace, region, &measures)?;
    let overhead = peak.headers.0 + peak.control.0;
    let requested = measures.requested_peak.0.max(1) as f64;
    let memory = measures.footprint_peak.0.saturating_sub(overhead) as f64;
    let fragmentation = (memory / requested - 1.0).max(0.0);
    let (internal, external) = (peak.padding.0 as f64 / requested, (peak.free.0 + peak.layers.0) as f64 / requested);
    Ok(Taken { measures, fragmentation, internal, external })
}

/// A heap's averages over the inputs of an application; none of what refused a request.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// Whose it is.
    pub of: &'static str,
    /// Which reading.
    pub reading: String,
    /// The paper's fragmentation on each input.
    pub each: Vec<f64>,
    /// Its mean.
    pub fragmentation: Option<f64>,
    /// Mean of what is lost inside blocks.
    pub internal: Option<f64>,
    /// Mean of what is lost between them.
    pub external: Option<f64>,
    /// Mean of the footprint over the request, less one.
    pub footprint: Option<f64>,
    /// Mean accesses an operation.
    pub accesses: Option<f64>,
}

impl Score {
    /// Of what a heap took on each input.
    pub fn of(heap: &Heap, taken: &[&Taken]) -> Score {
        let served = taken.iter().all(|taken| taken.measures.failed == 0) && !taken.is_empty();
        let mean = |of: fn(&Taken) -> f64| served.then(|| mean(taken.iter().map(|taken| of(taken))));
        Score {
            of: heap.of,
            reading: heap.reading.clone(),
            each: if served { taken.iter().map(|taken| taken.fragmentation).collect() } else { Vec::new() },
            fragmentation: mean(|taken| taken.fragmentation),
            internal: mean(|taken| taken.internal),
            external: mean(|taken| taken.external),
            footprint: mean(|taken| taken.measures.fragmentation()),
            accesses: mean(|taken| taken.measures.accesses_per_operation()),
        }
    }
}

/// The scores of these heaps on an application's inputs, and what each took on each.
pub(crate) fn scores(heaps: &[Heap], traces: &[&PackedTrace]) -> Result<Vec<Score>, ExperimentError> {
    let mut taken_by: Vec<Vec<Taken>> = heaps.iter().map(|_| Vec::new()).collect();
    for trace in traces {
        let mut region = Region::for_trace(trace)?;
        for (heap, own) in heaps.iter().zip(&mut taken_by) {
            own.push(taken(&heap.spec, trace, &mut region)?);
        }
    }
    Ok(heaps.iter().zip(&taken_by).map(|(heap, own)| Score::of(heap, &own.iter().collect::<Vec<_>>())).collect())
}

/// One reading of each system, and one of the proposed allocator.
#[derive(Debug, Clone)]
pub(crate) struct Combination<'s> {
    /// In the order of [`SYSTEMS`].
    pub systems: Vec<&'s Score>,
    /// The proposed allocator.
    pub proposed: &'s Score,
}

impl<'s> Combination<'s> {
    /// Every combination of the readings.
    pub fn all(scores: &'s [Score]) -> Vec<Combination<'s>> {
        Combination::with(scores, PROPOSED)
    }

    /// Every combination with these heaps in the place of the proposed allocator.
    pub fn with(scores: &'s [Score], proposed: &str) -> Vec<Combination<'s>> {
        let own = |name: &str| scores.iter().filter(|score| score.of == name).collect::<Vec<_>>();
        let mut chosen: Vec<Vec<&Score>> = vec![Vec::new()];
        for System { name, .. } in &SYSTEMS {
            let readings = own(name);
            let longer = |begun: &Vec<&'s Score>| {
                let begun = begun.clone();
                readings.iter().map(move |&score| begun.iter().copied().chain([score]).collect()).collect::<Vec<_>>()
            };
            chosen = chosen.iter().flat_map(longer).collect();
        }
        let proposed = own(proposed);
        let with = |systems: Vec<&'s Score>| {
            let one = |&proposed: &&'s Score| Combination { systems: systems.clone(), proposed };
            proposed.iter().map(one).collect::<Vec<_>>()
        };
        chosen.into_iter().flat_map(with).collect()
    }

    /// The first reading of each.
    pub fn first(scores: &'s [Score]) -> Option<Combination<'s>> {
        Combination::all(scores).into_iter().next()
    }

    /// Whether the proposed allocator has at most as much as each of these systems that served everything.
    pub fn does_not_exceed(&self, names: &[&str], of: fn(&Score) -> Option<f64>) -> bool {
        let own = of(self.proposed).unwrap_or(f64::NAN);
        let asked = self.systems.iter().filter(|score| names.contains(&score.of));
        asked.clone().all(|score| of(score).is_none_or(|theirs| own <= theirs))
    }

    /// The share that the proposed allocator saves of the systems' average.
    pub fn saved(&self, of: fn(&Score) -> Option<f64>) -> f64 {
        let known: Vec<f64> = self.systems.iter().filter_map(|score| of(score)).collect();
        1.0 - of(self.proposed).unwrap_or(f64::NAN) / mean(known.iter().copied())
    }

    /// The largest share that it saves on one input beside one system.
    pub fn saved_at_best(&self) -> f64 {
        let pairs = self.systems.iter().flat_map(|score| score.each.iter().zip(&self.proposed.each));
        pairs.map(|(theirs, own)| 1.0 - own / theirs.max(1e-9)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The systems' names by a value, ascending.
    pub fn order(&self, of: fn(&Score) -> Option<f64>) -> Vec<&'static str> {
        let mut systems: Vec<&&Score> = self.systems.iter().collect();
        let value = |score: &Score| of(score).unwrap_or(f64::INFINITY);
        systems.sort_by(|a, b| value(a).total_cmp(&value(b)));
        systems.into_iter().map(|score| score.of).collect()
    }

    /// Whether the systems are in the order of these values; where two of them are equal, any order is.
    pub fn is_ordered_as(&self, values: &[f64; 5], of: fn(&Score) -> Option<f64>) -> bool {
        let own: Vec<f64> = self.systems.iter().map(|score| of(score).unwrap_or(f64::INFINITY)).collect();
        let pairs = (0..5).flat_map(|a| (0..5).map(move |b| (a, b)));
        pairs.into_iter().all(|(a, b)| values[a] >= values[b] || own[a] <= own[b])
    }

    fn has(&self, reading: &str) -> bool {
        self.proposed.reading == reading || self.systems.iter().any(|score| score.reading == reading)
    }
}

/// A claim under every combination: the answer, and under how many it holds, with the readings that decide it.
pub(crate) fn evaluated(all: &[Combination<'_>], holds: impl Fn(&Combination<'_>) -> bool) -> (Answer, String) {
    let (yes, no): (Vec<_>, Vec<_>) = all.iter().partition(|&combination| holds(combination));
    let answer =
        Answer::of_readings(all.iter().map(|combination| yes.iter().any(|one| std::ptr::eq(*one, combination))));
    let (some, of) = (yes.len(), all.len());
    let text = match answer {
        Answer::Holds => format!("under all {of} combinations of readings"),
        Answer::DoesNot => format!("under none of {of} combinations of readings"),
        _ => format!("under {some} of {of} combinations of readings{}", deciding(all, &yes, &no)),
    };
    (answer, text)
}

/// The readings with which it always holds, and those with which it never does.
fn deciding(all: &[Combination<'_>], yes: &[&Combination<'_>], no: &[&Combination<'_>]) -> String {
    let mut readings: Vec<&str> = Vec::new();
    for score in all.iter().flat_map(|one| one.systems.iter().copied().chain([one.proposed])) {
        if !readings.contains(&score.reading.as_str()) {
            readings.push(&score.reading);
        }
    }
    let without = |set: &[&Combination<'_>]| -> Vec<&str> {
        readings.iter().copied().filter(|reading| !set.iter().any(|one| one.has(reading))).collect()
    };
    let said = |word: &str, names: Vec<&str>| match names.len() {
        0 => String::new(),
        _ => format!("; {word} with {}", listed(&names)),
    };
    said("always", without(no)) + &said("never", without(yes))
}

/// The mean; of nothing it is no number.
pub(crate) fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// The median: of an even number the mean of the two in the middle; of nothing it is no number.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count => (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0,
    }
}

/// The sizes that the paper proposes for an application.
pub(crate) fn of_paper(application: &Application) -> Result<Heap, ExperimentError> {
    let reading = format!("{PROPOSED}, the paper's sizes");
    Ok(Heap { of: "the paper's sizes", reading, spec: resolve(application.proposed)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(of: &'static str, reading: &str, fragmentation: f64) -> Score {
        let value = Some(fragmentation);
        let (each, reading) = (vec![fragmentation], reading.to_owned());
        Score {
            of,
            reading,
            each,
            fragmentation: value,
            internal: value,
            external: value,
            footprint: value,
            accesses: value,
        }
    }

    fn five(first: &[(&str, f64)], proposed: f64) -> Vec<Score> {
        let first = first.iter().map(|&(reading, value)| score("windows-ce", reading, value));
        let others = SYSTEMS[1..].iter().map(|system| score(system.name, system.name, 0.5));
        first.chain(others).chain([score(PROPOSED, "pool", proposed)]).collect()
    }

    #[test]
    fn a_claim_says_which_reading_decides_it() {
        let scores = five(&[("kind", 0.1), ("unkind", 0.3)], 0.2);
        let all = Combination::all(&scores);
        assert_eq!(all.len(), 2);
        let names: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
        let (answer, text) = evaluated(&all, |one| one.does_not_exceed(&names, |score| score.fragmentation));
        assert_eq!(answer, Answer::SomeReadings);
        assert_eq!(text, "under 1 of 2 combinations of readings; always with unkind; never with kind");
        assert_eq!(evaluated(&all, |_| true).0, Answer::Holds);
        assert_eq!(evaluated(&all, |_| false).1, "under none of 2 combinations of readings");
    }

    #[test]
    fn savings_are_of_the_average_and_at_best_beside_one_system() {
        let scores = five(&[("one", 1.0)], 0.1);
        let one = Combination::first(&scores).expect("a combination");
        assert!((one.saved(|score| score.fragmentation) - (1.0 - 0.1 / 0.6)).abs() < 1e-9);
        assert!((one.saved_at_best() - 0.9).abs() < 1e-9);
        assert_eq!(one.order(|score| score.fragmentation)[4], "windows-ce");
        assert!(one.is_ordered_as(&[9.0, 3.0, 3.0, 3.0, 3.0], |score| score.fragmentation));
        assert!(!one.is_ordered_as(&[1.0, 3.0, 3.0, 3.0, 3.0], |score| score.fragmentation));
    }

    #[test]
    fn the_combinations_are_the_product_of_the_readings() {
        let heaps = heaps(&[16, 1464]).expect("every reading is a heap");
        let count: usize = SYSTEMS.iter().map(|system| system.readings.len()).product();
        let scores: Vec<Score> = heaps.iter().map(|heap| score(heap.of, &heap.reading, 1.0)).collect();
        assert_eq!(Combination::all(&scores).len(), count * POOLS.len());
        assert_eq!((median([3.0, 1.0, 2.0]), median([1.0, 2.0])), (2.0, 1.5));
    }
}
