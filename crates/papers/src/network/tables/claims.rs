//! What Tables 3 to 5 claim, under every combination of readings.

use super::shown::names;
use super::{LEFT, Paper, Row, TOLERANCE};
use crate::answer::{Agreement, Answer};
use crate::network::applications::DRR;
use crate::network::readings::{Combination, PROPOSED, SYSTEMS, Score, evaluated};
use crate::outcome::Outcome;
use crate::shown::{digits, listed, percent};

fn name(paper: &Paper, claim: &str) -> String {
    format!("000:table-{}-{claim}", paper.table)
}

const FIVE: [&str; 5] = [SYSTEMS[0].name, SYSTEMS[1].name, SYSTEMS[2].name, SYSTEMS[3].name, SYSTEMS[4].name];

/// Which of the allocators have more, and which are slower.
pub(super) fn ordered(outcome: &mut Outcome, paper: &Paper, all: &[Combination<'_>], alone: &[Combination<'_>]) {
    let (answer, text) = evaluated(all, |one| one.does_not_exceed(&FIVE, |score| score.fragmentation));
    let (_, footprint) = evaluated(all, |one| one.does_not_exceed(&FIVE, |score| score.footprint));
    let (_, lists) = evaluated(alone, |one| one.does_not_exceed(&FIVE, |score| score.fragmentation));
    outcome.state(
        name(paper, "least-fragmentation"),
        format!(
            "{}: {text}. By footprint: {footprint}. Of its pool without free lists: {lists}",
            spread(all, |score| score.fragmentation, percent)
        ),
        answer,
    );
    let slower = if paper.table == 5 { &FIVE[..2] } else { &FIVE[..] };
    let (answer, text) = evaluated(all, |one| one.does_not_exceed(slower, |score| score.accesses));
    outcome.state(
        name(paper, "faster"),
        format!("accesses an operation: {}: {text}", spread(all, |score| score.accesses, digits)),
        answer,
    );
    if paper.table == 5 {
        let others = ["lea-2.7.2", "enea-ose", "uclinux"];
        let (answer, text) =
            evaluated(all, |one| others.iter().all(|other| !one.does_not_exceed(&[other], |s| s.accesses)));
        outcome.state(name(paper, "three-are-faster"), text, answer);
    }
    let (answer, text) = evaluated(all, |one| one.is_ordered_as(&paper.percents, |score| score.fragmentation));
    let first = all.first().map(|one| listed(&one.order(|score| score.fragmentation))).unwrap_or_default();
    outcome.state(name(paper, "order-of-fragmentation"), format!("{text}; by Table 1's words {first}"), answer);
    let (answer, text) = evaluated(all, |one| one.is_ordered_as(&paper.seconds, |score| score.accesses));
    let first = all.first().map(|one| listed(&one.order(|score| score.accesses))).unwrap_or_default();
    outcome.state(name(paper, "order-of-time"), format!("{text}; by Table 1's words {first}"), answer);
}

/// The range of a value of each allocator over its readings.
fn spread(all: &[Combination<'_>], of: fn(&Score) -> Option<f64>, said: fn(f64) -> String) -> String {
    let each = FIVE.iter().chain([&PROPOSED]).map(|&name| {
        let scores = all.iter().flat_map(|one| one.systems.iter().copied().chain([one.proposed]));
        let known: Vec<f64> = scores.filter(|score| score.of == name).filter_map(of).collect();
        let (min, max) = known.iter().fold((f64::INFINITY, 0.0), |(min, max): (f64, f64), &v| (min.min(v), max.max(v)));
        match said(min) == said(max) {
            _ if known.is_empty() => format!("{name} refused"),
            true => format!("{name} {}", said(min)),
            false => format!("{name} {} to {}", said(min), said(max)),
        }
    });
    listed(&each.collect::<Vec<_>>())
}

/// The tolerance of [`near_best`].
const WITHIN_AT_BEST: &str = "within ten points, and half to twice as much left,";

/// A saving at best against the paper's: within the tolerance, and what is left of the fragmentation is of the same size.
pub(crate) fn near_best(found: f64, printed: f64) -> Agreement {
    match (1.0 - found) / (1.0 - printed) {
        left if left > LEFT => Agreement::FallsShort,
        left if left < 1.0 / LEFT => Agreement::Overshoots,
        _ => Agreement::of(found, printed, TOLERANCE),
    }
}

/// How much the proposed allocator saves, on average and at best.
pub(super) fn saved(outcome: &mut Outcome, paper: &Paper, all: &[Combination<'_>]) {
    let on_average = |one: &Combination<'_>| one.saved(|score| score.fragmentation);
    let near: fn(f64, f64) -> Agreement = |found, printed| Agreement::of(found, printed, TOLERANCE);
    for (claim, printed, of, agreed, tolerance) in [
        (
            "saves-fragmentation",
            paper.saved,
            &on_average as &dyn Fn(&Combination<'_>) -> f64,
            near,
            "within ten points",
        ),
        ("saves-at-best", paper.at_best, &|one: &Combination<'_>| one.saved_at_best(), near_best, WITHIN_AT_BEST),
    ] {
        let agreement = |one: &Combination<'_>| agreed(of(one), printed);
        let (answer, text) = evaluated(all, |one| agreement(one) == Agreement::Agrees);
        let count = |wanted: Agreement| all.iter().filter(|one| agreement(one) == wanted).count();
        let (min, max) = all.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let first = all.first().map_or(f64::NAN, of);
        outcome
            .state(
                name(paper, claim),
                format!(
                    "{} by Table 1's words, {} to {} over the readings: {tolerance} of the paper's {text}; {} in {} and {} in \
                     {}",
                    percent(first),
                    percent(min),
                    percent(max),
                    Agreement::Overshoots.words(),
                    count(Agreement::Overshoots),
                    Agreement::FallsShort.words(),
                    count(Agreement::FallsShort),
                ),
                answer,
            )
            .with("saved", first);
    }
}

/// Enea OSE's best fit is the slowest, which the paper explains by the blocks that it passes.
pub(super) fn slowest(outcome: &mut Outcome, paper: &Paper, all: &[Combination<'_>]) {
    if paper.table == 5 {
        return;
    }
    let (answer, text): (Answer, String) =
        evaluated(all, |one| one.order(|score| score.accesses).last() == Some(&"enea-ose"));
    outcome.state(name(paper, "enea-is-slowest"), text, answer);
}

/// The paper's busiest trace is a ramp, and the worst for every allocator; here it is an overloaded link.
pub(super) fn ramp(outcome: &mut Outcome, rows: &[Row]) {
    let Some(busy) = DRR.beside.first() else { return };
    let worst = |of: fn(&Row) -> f64| {
        let is_worst = |&row: &&Row| rows.iter().filter(|one| one.reading == row.reading).all(|one| of(one) <= of(row));
        rows.iter().filter(|row| row.input == busy.name).filter(is_worst).count()
    };
    let heaps = names(rows).len();
    let (fragmentation, accesses) = (worst(|row| row.fragmentation_without_headers), worst(|row| row.accesses_per_op));
    outcome.state(
        "000:ramp-is-worst",
        format!(
            "on {} {fragmentation} of {heaps} heaps have most fragmentation and {accesses} most accesses of all inputs",
            busy.name
        ),
        fragmentation == heaps && accesses == heaps,
    );
}

/// The formula of section 3 has no headers: of Windows CE as it is documented, the table's 5% is what is left without them.
pub(super) fn without_headers(outcome: &mut Outcome, scores: &[Score]) {
    let Some(score) = scores.iter().find(|score| score.reading == "windows-ce/documented") else { return };
    let (Some(without), Some(with)) = (score.fragmentation, score.footprint) else { return };
    let agrees = |share: f64| Agreement::of(share, 0.05, 0.01) == Agreement::Agrees;
    outcome
        .state(
            "000:formula-has-no-headers",
            format!("{}: {} without headers, {} with them", score.reading, percent(without), percent(with)),
            agrees(without) && !agrees(with),
        )
        .with("fragmentation of Windows CE", without);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_is_as_near_as_what_is_left_of_it() {
        assert_eq!(
            [0.88, 0.95, 0.96, 0.98, 0.99].map(|found| near_best(found, 0.9782)),
            [Agreement::FallsShort, Agreement::FallsShort, Agreement::Agrees, Agreement::Agrees, Agreement::Overshoots]
        );
        assert_eq!(near_best(0.65, 0.5016), Agreement::Overshoots);
    }
}
