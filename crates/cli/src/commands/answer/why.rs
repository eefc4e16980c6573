//! Main effects and interactions, and the trade-offs next to the pick.

use heapsmith_explore::{CLOSE, Effect, Exploration, Finding, NEAR, Objective, Preference, Strategy, interactions};

use crate::console::say;
use crate::table::{Table, none, number, percent, text};

/// The strongest interactions of two factors.
pub fn together(exploration: &Exploration, family: usize) {
    const SHOWN: usize = 3;
    let factors = &exploration.families.0[family].factors;
    let pairs = interactions(exploration, family);
    for objective in [Objective::Fragmentation, Objective::Accesses] {
        let mut own: Vec<_> = pairs.iter().filter(|pair| pair.objective == objective).collect();
        own.sort_by(|a, b| b.share.total_cmp(&a.share));
        let shown = own.iter().take(SHOWN).map(|pair| {
            let (a, b) = pair.factors;
            format!("{} with {} {:.1}%", factors[a].name, factors[b].name, pair.share * 100.0)
        });
        say!("  interactions, {}: {}", objective.words(), shown.collect::<Vec<_>>().join(", "));
    }
}

/// Compares the pick with that of the usual space, if a wider space was explored.
pub fn beside_usual(exploration: &Exploration, preference: Preference, pick: usize) {
    let Some(usual) = exploration.usual_pick(preference) else { return };
    let all = |index: usize| {
        let shown = exploration.question.goal.objectives.iter().map(|&objective| {
            format!("{} {}", objective.words(), objective.shown(exploration.points[index].get(objective)))
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    say!("  with {}", all(pick));
    say!("  the usual space gives {}", exploration.rows[usual].design.spec);
    say!("    with {}; the pick is not worse in any objective", all(usual));
    let far = |a: usize, b: usize| {
        let at = |index: usize, objective| exploration.points[index].get(objective);
        exploration.question.goal.objectives.iter().any(|&one| at(a, one) < at(b, one) * (1.0 - CLOSE))
    };
    if let Some(trading) = exploration.trading_pick(preference).filter(|&trading| far(trading, pick)) {
        say!("  with a trade-off between objectives: {}", exploration.rows[trading].design.spec);
        say!("    with {}", all(trading));
    }
}

pub fn without_effects(exploration: &Exploration) -> String {
    if exploration.search == Strategy::Halving {
        return "No main effects: they are means over all designs, and not all were replayed on whole traces \
                (use --search exhaustive)"
            .to_owned();
    }
    format!(
        "No main effects: {} designs were cut short (--prune). Run the command again without --prune to replay \
         them",
        exploration.pruned
    )
}

pub fn effects_table(exploration: &Exploration, family: usize, effects: &[Effect]) -> Table {
    let mut table = Table::new(&[
        "factor",
        "fragmentation",
        "none",
        "full",
        "internal",
        "external",
        "accesses",
        "none ",
        "full ",
        "max",
    ]);
    let of = |factor: usize, objective| effects.iter().find(|e| e.factor == factor && e.objective == objective);
    for (index, factor) in exploration.families.0[family].factors.iter().enumerate() {
        let share = |objective| of(index, objective).map_or_else(none, |effect| percent(effect.share));
        let mean = |objective: Objective, mean: fn(&Effect) -> f64| {
            let item = |mean: f64| if objective.is_share() { percent(mean) } else { number(mean, 1) };
            of(index, objective).map_or_else(none, |effect| item(mean(effect)))
        };
        table.row([
            text(&factor.name),
            share(Objective::Fragmentation),
            mean(Objective::Fragmentation, Effect::first),
            mean(Objective::Fragmentation, Effect::last),
            share(Objective::Internal),
            share(Objective::External),
            share(Objective::Accesses),
            mean(Objective::Accesses, Effect::first),
            mean(Objective::Accesses, Effect::last),
            share(Objective::MaxOp),
        ]);
    }
    let rest = |objective| {
        let shares = effects.iter().filter(|effect| effect.objective == objective).map(|effect| effect.share);
        percent((1.0 - shares.sum::<f64>()).max(0.0))
    };
    table.row([
        text("interactions"),
        rest(Objective::Fragmentation),
        none(),
        none(),
        rest(Objective::Internal),
        rest(Objective::External),
        rest(Objective::Accesses),
        none(),
        none(),
        rest(Objective::MaxOp),
    ]);
    table
}

pub fn recommended(exploration: &Exploration, finding: &Finding) {
    for design in &finding.recommended {
        let point = &exploration.points[design.index];
        let place = if design.on_front {
            "on the Pareto front".to_owned()
        } else if design.holds() {
            format!("near the Pareto front (distance {:.1}%, limit {:.0}%)", design.distance * 100.0, NEAR * 100.0)
        } else {
            format!("not near the Pareto front: distance {:.1}%", design.distance * 100.0)
        };
        say!(
            "  {} lists: {place}; fragmentation {:.1}%, {:.2} metadata accesses per operation",
            design.lists,
            point.get(Objective::Fragmentation) * 100.0,
            point.get(Objective::Accesses)
        );
    }
    let max = |shares: &[(String, f64)]| {
        let each = shares.iter().map(|(name, share)| format!("{name} {:.1}%", share * 100.0));
        each.collect::<Vec<_>>().join(", ")
    };
    if !finding.fragmentation.is_empty() {
        say!("  shares of the variance of fragmentation: {}", max(&finding.fragmentation));
    }
}

/// What the pick's neighbours on the front trade.
pub fn reason(exploration: &Exploration, pick: usize) {
    let at = |index: usize| {
        let point = &exploration.points[index];
        (point.get(Objective::Fragmentation) * 100.0, point.get(Objective::Accesses))
    };
    let (fragmentation, accesses) = at(pick);
    say!("  fragmentation {fragmentation:.1}%, {accesses:.2} metadata accesses per operation");
    let place = exploration.front_2d.iter().position(|&member| exploration.points[member] == exploration.points[pick]);
    let Some(place) = place else { return };
    if let Some(&tighter) = place.checked_sub(1).and_then(|before| exploration.front_2d.get(before)) {
        let (less, more) = at(tighter);
        say!(
            "  the next design with less memory saves {:.2} points of fragmentation and costs {:.2} accesses per operation",
            fragmentation - less,
            more - accesses
        );
    }
    if let Some(&faster) = exploration.front_2d.get(place + 1) {
        let (more, less) = at(faster);
        say!(
            "  the next design with less work saves {:.2} accesses per operation and costs {:.2} points of fragmentation",
            accesses - less,
            more - fragmentation
        );
    }
}
