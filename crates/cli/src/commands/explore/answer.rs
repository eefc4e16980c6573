//! The answer of an exploration on the terminal.

mod evaluated;
mod front;
mod lines;
mod why;

use std::path::Path;

use heapsmith_explore::{
    Advice, Agreement, CLOSE, Effect, Exploration, FINALISTS, Finding, Found, NoPick, Objective, Preference, Store,
    Strategy, Verdict, asked,
};
use heapsmith_limits::Lines;
use heapsmith_report::thousands;

use crate::args::Format;
use crate::commands::report;
use crate::console::say;
use crate::failure::Failure;
use crate::table::UNRELIABLE;

/// The answer.
pub struct Answer<'a> {
    pub exploration: &'a Exploration,
    /// The reference lines of each trace; none leaves out what they say.
    pub lines: &'a [Lines],
    pub preference: Preference,
    /// Index of the pick.
    pub pick: usize,
    /// The family whose effects are shown.
    pub family: usize,
}

impl Answer<'_> {
    /// Prints the front, the catalogue, the effects and the finding; to programs, the first two.
    pub fn print(&self, effects: &[Effect], finding: &Finding, format: Format) -> Result<(), Failure> {
        let Answer { exploration, family, .. } = *self;
        let people = format == Format::Table;
        if people {
            say!("\nThe Pareto front: designs that no other beats in both fragmentation and metadata accesses");
            if exploration.search == Strategy::Halving {
                say!(
                    "{} of {} designs were replayed on whole traces; the others were worse on slices of the traces \
                     (--search exhaustive replays all)",
                    exploration.rows.len(),
                    exploration.designs
                );
            }
            goal(exploration);
        }
        self.front(finding, people).print(format)?;
        if people && let Some(timing) = exploration.timings.first() {
            say!(
                "ns/op: median of {} rounds, one heap at a time; the null allocator takes {:.1}",
                timing.rounds,
                timing.null_allocator
            );
        }
        if people && exploration.timings.iter().any(|timing| !timing.ns.is_reliable()) {
            say!("{}", UNRELIABLE);
        }
        if people && !exploration.pages.is_empty() {
            say!(
                "touched-page overhead: pages that a child process touches with all payloads written, beyond the peak of \
             requested bytes"
            );
        }
        if people {
            if effects.is_empty() {
                say!("\n{}", why::without_effects(exploration));
            } else {
                say!(
                    "\nMain effects: share of the variance that each factor explains, and the means without it and with full use"
                );
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
                say!("\nHold-out traces: the pick compared with the oracle pick");
                evaluated::table(&exploration.evaluated).print(format)?;
                evaluated::warnings(&exploration.evaluated);
            }
            self.reference_lines();
        }
        Ok(())
    }

    /// The pick compared with the baseline.
    pub fn verdict(&self) -> Verdict {
        self.exploration.verdict(self.pick, self.preference)
    }
}

/// Prints what is known as soon as the question is answered: the pick, whether it is worth a change, what it needs.
pub fn pick(exploration: &Exploration) {
    let (preference, Some(pick)) = (exploration.question.preference, exploration.picked()) else { return };
    say!("\nThe pick\n  {}", exploration.rows[pick].design.spec);
    let verdict = exploration.verdict(pick, preference);
    if verdict.counted || verdict.advice != Advice::None {
        say!("  {}", verdict.words());
    }
    if let Some(bytes) = exploration.min_region(pick) {
        say!("  RAM to reserve: {} bytes, the smallest region that serves every request", thousands(bytes.0));
    }
    if let Some((bytes, point)) = exploration.in_region(pick) {
        say!(
            "  in a region of {} bytes: {:.2} metadata accesses per operation, p99 {}, max {}",
            thousands(bytes.0),
            point.get(Objective::Accesses),
            point.get(Objective::P99),
            point.get(Objective::MaxOp)
        );
    }
    why::reason(exploration, pick);
    if let Some(words) = exploration.holds_words(pick) {
        say!("  {words}");
    }
    why::beside_classic(exploration, preference, pick);
}

/// What a search had found of the true front, with this many designs of all replayed whole.
pub fn agreement(agreement: &Agreement, found: usize, whole: usize) {
    let share = |part: usize, of: usize| format!("{part} of {of} ({:.1}%)", part as f64 * 100.0 / of.max(1) as f64);
    say!(
        "\nThe search compared with replaying every design: {} of {} designs were replayed on whole traces",
        found,
        whole
    );
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

/// The goal, where it is not the default.
fn goal(exploration: &Exploration) {
    let goal = &exploration.question.goal;
    if goal.objectives != Objective::FRONT {
        let names: Vec<&str> = goal.objectives.iter().map(|objective| objective.words()).collect();
        say!("The pick is on the Pareto front over {}: {} designs", names.join(", "), exploration.front.len());
    }
    for constraint in &goal.constraints {
        let kept = exploration.points.iter().filter(|p| p.failed == 0 && p.get(constraint.objective) <= constraint.max);
        let of = if constraint.objective.is_counted() { exploration.rows.len() } else { FINALISTS };
        say!(
            "{} of at most {}: {} of {of} designs meet it",
            constraint.objective.words(),
            constraint.objective.shown(constraint.max),
            kept.count()
        );
    }
}

/// Why nothing is picked, and how to ask otherwise.
pub fn nothing(found: &Found, dir: &Path) -> Failure {
    let why = found.exploration.no_pick();
    if let NoPick::Refusing { .. } = why {
        return Failure::job(format!("{why}; try --space wide"));
    }
    let before = match asked(dir) {
        Ok(question) if !found.kept => {
            format!("; {} still answers the question before: {}", dir.display(), question.words())
        }
        _ => String::new(),
    };
    Failure::job(format!(
        "{why}\nNothing measured is lost{before}\n`heapsmith pick {}` with other constraints asks again, without replaying; --space wide has more designs",
        dir.display()
    ))
}

/// The files that were written, and the next command.
pub fn next_steps(exploration: &Exploration, dir: &Path) {
    say!("\n{}", dir.join(report::PAGE).display());
    say!("  the report: open it in a browser. The same folder has {}, results.csv and results.parquet", Store::FILE);
    say!("heapsmith emit {} --lang c -o OUT", dir.display());
    if exploration.target.malloc {
        say!("  writes the pick as C11; --lang rust writes a Rust type, --lang so a library to preload");
        say!("heapsmith run --heap {} -- PROGRAM", dir.display());
        say!("  runs a program on the pick");
    } else {
        say!("  writes the pick as C11 for firmware; --lang rust writes a Rust type");
    }
}
