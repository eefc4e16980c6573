//! The answer of an exploration on the terminal.

mod evaluated;
mod front;
mod lines;
mod summary;
mod why;

use std::path::Path;

use heapsmith_explore::{
    Agreement, CLOSE, Constraint, Effect, Exploration, FINALISTS, Finding, Found, Nearest, NoPick, Objective,
    Preference, Strategy, Verdict, asked, effects, finding,
};
use heapsmith_limits::Lines;
use heapsmith_report::thousands;
use heapsmith_trace::{Bytes, plural};

use crate::args::{Format, Showing};
use crate::console::{note, say};
use crate::failure::Failure;
use crate::fit::{shortened, width};
use crate::quoted::quoted;
use crate::table::UNRELIABLE;

pub use summary::Page;

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

impl<'a> Answer<'a> {
    /// The answer of an exploration for a preference, with its pick.
    pub fn new(exploration: &'a Exploration, lines: &'a [Lines], preference: Preference, pick: usize) -> Answer<'a> {
        let family = exploration.classic().unwrap_or(usize::from(exploration.rows[pick].design.family));
        Answer { exploration, lines, preference, pick, family }
    }

    /// Prints the answer: to people the summary, after the tables where they are asked for; to programs the front and the
    /// catalogue.
    pub fn print(&self, showing: Showing, dir: &Path, page: Page<'_>) -> Result<(), Failure> {
        let effects = effects(self.exploration, self.family);
        let finding = finding(self.exploration, &effects);
        if showing.format != Format::Table {
            return self.front(&finding, false).print(showing.format);
        }
        if showing.table {
            self.tables(&effects, &finding)?;
            say!();
        }
        summary::print(self, dir, page);
        Ok(())
    }

    /// The front, the catalogue, the effects, the finding, hold-out traces, bounds, and what is next to the pick.
    fn tables(&self, effects: &[Effect], finding: &Finding) -> Result<(), Failure> {
        let Answer { exploration, family, .. } = *self;
        say!("The Pareto front: designs that no other beats in both fragmentation and metadata accesses");
        if exploration.search == Strategy::Halving {
            say!(
                "{} of {} designs were replayed on whole traces; the others were worse on slices of the traces \
                 (--search exhaustive replays all)",
                exploration.rows.len(),
                exploration.designs
            );
        }
        goal(exploration);
        self.front(finding, true).print(Format::Table)?;
        remarks(exploration);
        if effects.is_empty() {
            say!("\n{}", why::without_effects(exploration));
        } else {
            say!(
                "\nMain effects: share of the variance that each factor explains, and the means without it and with full use"
            );
            why::effects_table(exploration, family, effects).print(Format::Table)?;
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
            evaluated::table(&exploration.evaluated).print(Format::Table)?;
            evaluated::warnings(&exploration.evaluated);
        }
        self.reference_lines();
        self.pick();
        Ok(())
    }

    /// The pick as it is, what its neighbours trade, and how it holds.
    fn pick(&self) {
        let Answer { exploration, preference, pick, .. } = *self;
        let design = &exploration.rows[pick].design;
        say!("\nThe pick, design {}\n  {}", design.number, design.spec);
        say!("  {}", self.verdict().words());
        why::reason(exploration, pick);
        if let Some(words) = exploration.holds_words(pick) {
            say!("  {words}");
        }
        why::beside_usual(exploration, preference, pick);
    }

    /// The pick compared with the baseline.
    pub fn verdict(&self) -> Verdict {
        self.exploration.verdict(self.pick, self.preference)
    }
}

/// What the columns of the front mean.
fn remarks(exploration: &Exploration) {
    if let Some(timing) = exploration.timings.first() {
        say!(
            "ns/op: median of {} rounds, one at a time, {}; the null allocator takes {:.1}",
            timing.rounds,
            exploration.timed_as().unwrap_or_default(),
            timing.null_allocator
        );
    }
    if exploration.timings.iter().any(|timing| !timing.ns.is_reliable()) {
        say!("{}", UNRELIABLE);
    }
    if exploration.work() == Objective::Cost {
        say!(
            "cost/op: model cycles, counted of the designs that may be picked: instructions, dependent loads, lines of a \
             model cache. Speed is ranked by it"
        );
    }
    if !exploration.pages.is_empty() {
        say!(
            "touched-page overhead: pages that a child process touches with all payloads written, beyond the peak of \
             requested bytes"
        );
    }
}

/// Says what is known before times are measured: the pick, and what it needs.
pub fn early(exploration: &Exploration) {
    let Some(pick) = exploration.picked() else { return };
    let number = exploration.rows[pick].design.number;
    let reserve = exploration
        .reserve(pick)
        .map_or_else(String::new, |Bytes(bytes)| format!(", {} bytes of RAM to reserve", thousands(bytes)));
    note!("the pick is design {number}{reserve}; times and what they are compared with follow");
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
        let designs = plural(exploration.front.len() as u64, "design", "designs");
        say!("The pick is on the Pareto front over {}: {designs}", names.join(", "));
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

/// Columns of a line where nothing is picked, and of a question in it at least.
const WIDTH: usize = 80;
const MIN_WORDS: usize = 20;

/// Why nothing is picked, and how to ask otherwise: in fewer lines than an answer has.
pub fn nothing(found: &Found, dir: &Path) -> Failure {
    let why = found.exploration.no_pick();
    if let NoPick::Refusing { .. } = why {
        let live = found.exploration.programs.iter().flatten().map(|programs| programs.class().live).max();
        return Failure::job(match found.exploration.room().zip(live) {
            Some((room, live)) if live > room => {
                format!("{why}: {} bytes are live, and a region has {}", thousands(live), thousands(room))
            }
            Some((room, live)) => format!(
                "{why}: {} bytes are live, and a region has {}: try --space wide",
                thousands(live),
                thousands(room)
            ),
            None => format!("{why}; try --space wide"),
        });
    }
    let before = match asked(dir) {
        Ok(question) if !found.kept => {
            let still = format!("\n{} still answers the question before: ", dir.display());
            let words = shortened(&question.words(), WIDTH.saturating_sub(width(&still)).max(MIN_WORDS));
            still + &words
        }
        _ => String::new(),
    };
    Failure::job(format!(
        "{}{before}\nNothing is lost: `heapsmith pick {}` asks otherwise, without replaying",
        missing(&why),
        quoted(dir)
    ))
}

/// Missed constraints that are shown one by one: with the lines around them no more than an answer has.
const MISSES: usize = 7;

/// Why there is no pick; where constraints are missed, a line for each with the design that comes nearest.
fn missing(why: &NoPick) -> String {
    let NoPick::Missing(misses) = why else { return why.to_string() };
    let shown = if misses.len() > MISSES + 1 { MISSES } else { misses.len() };
    let lines = misses[..shown].iter().map(|miss| {
        let Constraint { objective, max } = miss.constraint;
        let limit = format!("\n  {} of at most {}: ", objective.words(), objective.shown(max));
        limit
            + &match &miss.nearest {
                None => "not measured, as others are missed".to_owned(),
                Some(Nearest { number, value, .. }) if *value <= max => format!("design {number}, not with the others"),
                Some(Nearest { number, value, .. }) => {
                    format!("nearest {} of design {number}", objective.shown(*value))
                }
            }
    });
    let more = match misses.len() - shown {
        0 => String::new(),
        more => format!("\n  and {more} more constraints, none of which is met with the others"),
    };
    format!("no design meets every constraint{}{more}", lines.collect::<String>())
}
