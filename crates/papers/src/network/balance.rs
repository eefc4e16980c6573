//! What the paper says of the design that it chooses, and of factors together: read from the sweeps of Table 2.

use heapsmith_explore::{Exploration, Objective, Preference, distance};

use crate::answer::Answer;
use crate::network::pairs::Grid;
use crate::outcome::Outcome;
use crate::shown::{listed, percent, thousands};

/// An application's sweep, and how many lists the paper chooses for it.
pub(crate) struct Chosen<'e> {
    /// The application.
    pub application: &'static str,
    /// Lists of the chosen design.
    pub lists: usize,
    /// The sweep.
    pub exploration: &'e Exploration,
}

/// A point of fragmentation: less is little.
const LITTLE: f64 = 0.01;

/// States them all.
pub(crate) fn state(outcome: &mut Outcome, all: &[Chosen<'_>]) {
    balanced(outcome, all);
    little_inside(outcome, all);
    interact(outcome, all);
    third_list(outcome, all);
}

/// Whether the chosen design is the most balanced: has the least product of memory and accesses, or loses to no design in
/// both by more than a hundredth.
fn balanced(outcome: &mut Outcome, all: &[Chosen<'_>]) {
    let (mut found, mut is_pick, mut is_best) = (Vec::new(), true, true);
    for Chosen { application, lists, exploration } in all {
        let grid = Grid::of(exploration);
        let Some(index) = grid.recommended_design(*lists) else { continue };
        let product = |index: usize| {
            let point = &exploration.points[index];
            (1.0 + point.get(Objective::Fragmentation)) * point.get(Objective::Accesses)
        };
        let Some(pick) = exploration.nominal_pick(Preference::Balanced) else { continue };
        let over = [Objective::Fragmentation, Objective::Accesses];
        let behind = distance(&exploration.points[index], &exploration.points, &over);
        let (served, own) =
            ((0..exploration.points.len()).filter(|&at| exploration.points[at].is_compared()), product(index));
        let better = served.filter(|&at| product(at) < own).count();
        is_pick &= product(pick) == own || better == 0;
        is_best &= behind <= LITTLE;
        found.push(format!(
            "{application}: {} designs have a smaller product, the balanced pick is {}, the chosen one {} behind the front",
            thousands(better as u64),
            exploration.rows[pick].design.spec,
            percent(behind),
        ));
    }
    outcome.state("000:chosen-is-most-balanced", found.join("; "), Answer::of_readings([is_pick, is_best]));
}

/// What first fit with full splitting leaves inside blocks: in the chosen design, and in all that have both.
fn little_inside(outcome: &mut Outcome, all: &[Chosen<'_>]) {
    let (mut found, mut in_all, mut in_one) = (Vec::new(), true, true);
    for Chosen { application, lists, exploration } in all {
        let grid = Grid::of(exploration);
        let every = grid.first_fit_and_fully_splitting(Objective::Internal);
        let one = grid.recommended(*lists, Objective::Internal).unwrap_or(f64::NAN);
        let max = every.iter().copied().fold(0.0, f64::max);
        in_all &= max < LITTLE;
        in_one &= one < LITTLE;
        found.push(format!(
            "{application}: {} in the chosen design, at most {} in all {}",
            percent(one),
            percent(max),
            every.len()
        ));
    }
    outcome.state(
        "000:first-fit-and-splitting-leave-little-inside",
        found.join("; "),
        Answer::of_readings([in_all, in_one]),
    );
}

/// Whether best fit costs more where more is split: over all designs, and in those that the paper's own would be.
fn interact(outcome: &mut Outcome, all: &[Chosen<'_>]) {
    let (mut found, mut in_pairs, mut in_one, mut itself) = (Vec::new(), true, true, true);
    for Chosen { application, lists, exploration } in all {
        let grid = Grid::of(exploration);
        let costs: Vec<f64> = grid.best_fit_by_splitting();
        let one = grid.best_fit_in_recommended_by_splitting(*lists);
        let rises = |costs: &[f64]| costs.first().zip(costs.last()).is_some_and(|(none, full)| full > none);
        in_pairs &= rises(&costs);
        in_one &= rises(&one);
        let splitting = grid.splitting_with_best_fit();
        itself &= splitting > 0.0;
        let said = |costs: &[f64]| {
            listed(&[costs.first(), costs.last()].map(|cost| cost.map_or_else(String::new, |&cost| percent(cost))))
        };
        found.push(format!(
            "{application}: {} in the median pair, {} in the chosen design; splitting adds {} to best fit in the median pair",
            said(&costs),
            said(&one),
            percent(splitting),
        ));
    }
    let found = format!("accesses that best fit adds without splitting and with all of it: {}", found.join("; "));
    outcome.state("000:best-fit-costs-more-with-splitting", found, Answer::of_readings([in_pairs, in_one, itself]));
}

/// What the third list, which the paper adds for URL switching alone, adds to external fragmentation.
fn third_list(outcome: &mut Outcome, all: &[Chosen<'_>]) {
    let Some(url) = all.iter().find(|one| one.lists == 3) else { return };
    let grid = Grid::of(url.exploration);
    let [two, three] = [2, 3].map(|lists| grid.recommended(lists, Objective::External).unwrap_or(f64::NAN));
    let found = format!("{}: {} with two lists, {} with three", url.application, percent(two), percent(three));
    outcome.state("000:third-list-costs-little", found, three - two <= LITTLE);
}
