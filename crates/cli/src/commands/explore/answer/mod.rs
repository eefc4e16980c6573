//! What an exploration tells on the terminal.

mod evaluated;
mod front;
mod lines;
mod why;

use std::path::Path;

use heapsmith_explore::{
    Agreement, CLOSE, Effect, Exploration, FINALISTS, Finding, Objective, Preference, Store, Strategy,
};
use heapsmith_limits::Lines;

use crate::args::Format;
use crate::commands::report;
use crate::console::say;
use crate::failure::Failure;

/// What is told.
pub struct Answer<'a> {
    pub exploration: &'a Exploration,
    /// The reference lines of each trace.
    pub lines: &'a [Lines],
    pub preference: Preference,
    /// Index of the pick.
    pub pick: usize,
    /// The family whose effects are told.
    pub family: usize,
}

impl Answer<'_> {
    /// Prints the front, the catalogue, the effects and the finding; to programs, the first two.
    pub fn print(&self, effects: &[Effect], finding: &Finding, format: Format) -> Result<(), Failure> {
        let Answer { exploration, preference, pick, family, .. } = *self;
        let people = format == Format::Table;
        if people {
            say!("\nThe front: designs that no other beats in both fragmentation and accesses");
            if exploration.search == Strategy::Halving {
                say!(
                    "{} of {} designs were replayed whole; of the others it is known that they are behind on slices of the \
                 traces, and not what the whole would say",
                    exploration.rows.len(),
                    exploration.designs
                );
            }
            goal(exploration);
        }
        self.front(finding, people).print(format)?;
        if people && let Some(timing) = exploration.timings.first() {
            say!(
                "ns/op: measured alone, median of {} rounds; the null allocator: {:.1}",
                timing.rounds,
                timing.null_allocator
            );
        }
        if people && !exploration.pages.is_empty() {
            say!(
                "touched-page overhead: most bytes in pages that a child process touched with payloads written, over the \
             bytes requested; ours and peers alike"
            );
        }
        if people {
            if effects.is_empty() {
                say!("\n{}", why::without_effects(exploration));
            } else {
                say!("\nWhat explains the differences: share of the variance, and the mean from no use to full use");
                why::effects_table(exploration, family, effects).print(format)?;
                why::together(exploration, family);
            }
            if !finding.recommended.is_empty() {
                say!(
                    "\nMamagkakis et al. 2006 recommend two or three free lists, first fit, full splitting, full coalescing:"
                );
                why::recommended(exploration, finding);
            }
            if !exploration.evaluated.is_empty() {
                say!("\nOn traces that the choice was not made for: what it has beyond the pick by the oracle");
                evaluated::table(&exploration.evaluated).print(format)?;
                evaluated::warnings(&exploration.evaluated);
            }
            say!("\nThe pick\n  {}", exploration.rows[pick].design.spec);
            why::reason(exploration, pick);
            why::beside_classic(exploration, preference, pick);
            self.reference_lines();
        }
        Ok(())
    }
}

/// What a search had found of the true front, with this many designs of all replayed whole.
pub fn agreement(agreement: &Agreement, found: usize, whole: usize) {
    let share = |part: usize, of: usize| format!("{part} of {of} ({:.1}%)", part as f64 * 100.0 / of.max(1) as f64);
    say!("\nThe search beside replaying every design: {} of {} designs were replayed whole", found, whole);
    say!(
        "  over fragmentation and accesses: recall {}, within {:.0}% {}, hypervolume ratio {:.4}",
        share(agreement.found, agreement.places),
        CLOSE * 100.0,
        share(agreement.close, agreement.places),
        agreement.hypervolume
    );
    say!(
        "  over all chosen objectives: recall {}, within {:.0}% {}",
        share(agreement.found_all, agreement.places_all),
        CLOSE * 100.0,
        share(agreement.close_all, agreement.places_all)
    );
}

/// What was asked for, where it is not the usual.
fn goal(exploration: &Exploration) {
    let goal = &exploration.goal;
    if goal.objectives != Objective::FRONT {
        let names: Vec<&str> = goal.objectives.iter().map(|objective| objective.words()).collect();
        say!("The pick is of the front over {}: {} designs", names.join(", "), exploration.front.len());
    }
    for constraint in &goal.constraints {
        let kept = exploration.points.iter().filter(|p| p.failed == 0 && p.get(constraint.objective) <= constraint.max);
        let of = if constraint.objective.is_counted() { exploration.rows.len() } else { FINALISTS };
        say!(
            "{} of at most {}: {} of {of} designs keep it",
            constraint.objective.words(),
            constraint.objective.shown(constraint.max),
            kept.count()
        );
    }
}

/// Why there is no pick.
pub fn nothing(exploration: &Exploration) -> Failure {
    let served = exploration.points.iter().filter(|point| point.failed == 0).count();
    if served == 0 {
        return Failure::job("every design refused a request of these traces: there is nothing to pick");
    }
    let best = |objective| {
        let all = exploration.points.iter().filter(|point| point.failed == 0).map(|point| point.get(objective));
        objective.shown(all.fold(f64::INFINITY, f64::min))
    };
    let each = exploration.goal.constraints.iter().map(|constraint| {
        format!(
            "{} of at most {} (the least of any design is {})",
            constraint.objective.words(),
            constraint.objective.shown(constraint.max),
            best(constraint.objective)
        )
    });
    Failure::job(format!(
        "no design keeps every constraint: {}; loosen one, or try --space wide",
        each.collect::<Vec<_>>().join(", ")
    ))
}

/// Where everything lies.
pub fn next_steps(dir: &Path) {
    say!("\n{}", dir.join(report::PAGE).display());
    say!("  the page: open it in a browser; beside it {}, results.csv, results.parquet", Store::FILE);
    say!("heapsmith emit {} --lang c -o OUT", dir.display());
    say!("  the pick as C11 for firmware; --lang rust: as a type; --lang so: as a library to preload");
}
