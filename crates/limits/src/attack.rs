//! Programs that are made to hurt one heap.
//!
//! ```text
//!   constructions of the literature ─┐
//!                                    ├─ plans ─▶ adversary on the real heap ─▶ tape, footprint, accesses
//!   search: the best, changed ───────┘                    ▲ sees every offset
//!                                                         │
//!   random programs with as many operations ─▶ what chance alone makes of the same limits
//! ```
//!
//! A reference allocator is attacked in a process of its own ([`attack_peer`]).
//!
//! The tape of an attack is a trace as any other: replayed on the same heap it has the same footprint to the byte.
//!
//! An attack is one program, so it is a lower bound of the worst case; [`bound()`](crate::bound::bound) is an upper
//! bound. Where both meet the worst case is known.

mod adversary;
mod chain;
mod chance;
mod comb;
mod construct;
mod model;
mod peer;
mod plan;
mod random;
mod search;
mod sieve;
mod tape;
mod target;
mod theory;

use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_replay::{PeerProcessError, Region, ReplayError};
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

pub use adversary::{Adversary, AttackOutcome, Block, Charge, region_for, run};
pub use chain::Chain;
pub use comb::{Comb, Tooth};
pub use peer::{PeerTarget, attack_peer, peer_region};
pub use plan::{Carve, Plan, Round, Shrink};
pub use random::Random;
pub use sieve::Keep;
pub use tape::{Tape, TapeStep};
pub use theory::{Forced, forced};

use crate::bound::{Demand, ProgramClass};
use model::BlockModel;
use search::PlanSearch;
use target::{HeapTarget, Target};

/// What an attack is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AttackGoal {
    /// The largest footprint.
    #[default]
    Footprint,
    /// The most accesses of one operation.
    Accesses,
    /// A refused request, with as little live as possible: for a region of a certain size.
    Refusal,
}

/// How an attack is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttackOptions {
    /// What it is after.
    pub goal: AttackGoal,
    /// Where the search begins.
    pub seed: u64,
    /// Plans that the search tries beyond the constructions.
    pub rounds: usize,
    /// Operations that one program has at most.
    pub operations: usize,
    /// Bytes of the region; none: as large as no program needs.
    pub region: Option<Bytes>,
}

impl Default for AttackOptions {
    fn default() -> AttackOptions {
        AttackOptions { goal: AttackGoal::Footprint, seed: 1, rounds: 200, operations: 200_000, region: None }
    }
}

/// The best attack that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// What it came to, with its operations.
    pub outcome: AttackOutcome,
    /// The construction that it is, or began as, or that it is a random program.
    pub by: String,
    /// What was carried out; none of a random program.
    pub plan: Option<Plan>,
    /// Plans that were tried.
    pub tried: usize,
    /// The best random programs with as many operations.
    pub chance: Chance,
    /// Whether it was stopped before it had tried all.
    pub stopped: bool,
    /// Bytes of the region that it was made in.
    pub region: Bytes,
}

/// What random programs came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chance {
    /// The largest footprint of any.
    pub footprint: u64,
    /// The most accesses of one operation of any.
    pub accesses_max: u64,
    /// How many there were.
    pub programs: usize,
    /// Of these, how many the heap refused a request.
    pub refused: usize,
}

/// How far an attack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Plans tried.
    pub tried: usize,
    /// Plans in all.
    pub all: usize,
    /// The best so far.
    pub best: u64,
}

/// Why there is no attack.
#[derive(Debug, thiserror::Error)]
pub enum AttackError {
    /// The heap serves no such program.
    #[error("{0}")]
    Refuses(String),
    /// The heap cannot be made.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The reference allocator cannot be run.
    #[error(transparent)]
    Peer(#[from] PeerProcessError),
}

/// Attacks the heap of `spec` with programs within the limits of `program`, until all is tried or `stop` is set.
///
/// # Errors
///
/// The heap cannot be made, or refuses every request of the program.
pub fn attack(
    spec: &Spec,
    program: ProgramClass,
    options: AttackOptions,
    stop: &AtomicBool,
    progress: impl FnMut(Progress),
) -> Result<Attack, AttackError> {
    let demand = Demand::new(spec, program).map_err(AttackError::Refuses)?;
    let mut region = options.region.map_or_else(|| region_for(spec, program), Region::exactly)?;
    let bytes = region.size();
    let mut target = HeapTarget { spec, region: &mut region, bytes };
    attack_target(&mut target, &BlockModel::Heap(&demand), bytes, options, stop, progress)
}

/// Attacks what has blocks like `blocks`, in a region of `region` bytes.
fn attack_target(
    target: &mut dyn Target,
    blocks: &BlockModel<'_, '_>,
    region: Bytes,
    options: AttackOptions,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Attack, AttackError> {
    let program = blocks.program();
    let mut search = PlanSearch::new(blocks, options.seed);
    let mut constructions = construct::constructions(blocks).into_iter();
    let all = constructions.len() + options.rounds;
    let mut best: Option<Attack> = None;
    let (mut tried, mut stopped) = (0, false);
    while tried < all {
        // One is always tried, so that there is something to show.
        if best.is_some() && stop.load(Ordering::Relaxed) {
            stopped = true;
            break;
        }
        let (by, plan) = match constructions.next() {
            Some((by, plan)) => (by.to_owned(), plan),
            None => match search.next() {
                Some(plan) => (String::new(), plan),
                None => break,
            },
        };
        let outcome = target.play(program, options.operations, &mut |adversary| plan.carry_out(adversary))?;
        tried += 1;
        let score = options.goal.of(&outcome);
        search.note(plan.clone(), score);
        if best.as_ref().is_none_or(|best| score > options.goal.of(&best.outcome)) {
            let mut by = if by.is_empty() { format!("search, round {}", tried + options.rounds - all) } else { by };
            if matches!(plan, Plan::Aligned(_)) {
                by += ", every request aligned";
            }
            best = Some(Attack { outcome, by, plan: Some(plan), tried, chance: Chance::default(), stopped, region });
        }
        progress(Progress { tried, all, best: best.as_ref().map_or(0, |best| options.goal.of(&best.outcome)) });
    }
    let Some(best) = best else { return Err(AttackError::Refuses("there is no plan for such sizes".to_owned())) };
    let operations = best.outcome.tape.steps.len();
    let (goal, mut luckiest) = (options.goal, None::<AttackOutcome>);
    let chance = chances(target, program, operations, |outcome| {
        if luckiest.as_ref().is_none_or(|other| goal.of(&outcome) > goal.of(other)) {
            luckiest = Some(outcome);
        }
    })?;
    let best = Attack { tried, stopped, chance, ..best };
    Ok(match luckiest.filter(|outcome| goal.of(outcome) > goal.of(&best.outcome)) {
        Some(outcome) => Attack { outcome, by: "a random program".to_owned(), plan: None, ..best },
        None => best,
    })
}

/// Attacks the heap of `spec` with one construction, that for first fit in address order (Robson 1977): sizes double, and
/// the blocks stay that leave no hole for the next size.
///
/// # Errors
///
/// The heap cannot be made, or refuses every request of the program.
pub fn attack_by_gaps(spec: &Spec, program: ProgramClass, max_operations: usize) -> Result<AttackOutcome, AttackError> {
    let demand = Demand::new(spec, program).map_err(AttackError::Refuses)?;
    let plan = construct::gaps(&BlockModel::Heap(&demand));
    let mut region = region_for(spec, program)?;
    Ok(run(spec, demand.program, Charge::Requests, &mut region, max_operations, |a| plan.carry_out(a))?)
}

impl AttackGoal {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            AttackGoal::Footprint => "footprint",
            AttackGoal::Accesses => "accesses",
            AttackGoal::Refusal => "refusal",
        }
    }

    /// What an outcome is worth.
    pub fn of(self, outcome: &AttackOutcome) -> u64 {
        match self {
            AttackGoal::Footprint => outcome.footprint,
            AttackGoal::Accesses => outcome.accesses_max,
            AttackGoal::Refusal => outcome.refused.map_or(outcome.footprint, |_| u64::MAX - outcome.live),
        }
    }
}

/// The worst that random programs of this many operations did, in requests that the heap serves.
///
/// # Errors
///
/// The heap cannot be made, or refuses every request of the program.
pub fn by_chance(
    spec: &Spec,
    program: ProgramClass,
    region: &mut Region,
    operations: usize,
) -> Result<Chance, AttackError> {
    let program = Demand::new(spec, program).map_err(AttackError::Refuses)?.program;
    let bytes = region.size();
    chances(&mut HeapTarget { spec, region, bytes }, program, operations, |_| {})
}

/// The same, with what each came to.
fn chances(
    target: &mut dyn Target,
    program: ProgramClass,
    operations: usize,
    mut each: impl FnMut(AttackOutcome),
) -> Result<Chance, AttackError> {
    let mut worst_case = Chance::default();
    chance::random_programs(target, program, operations, |outcome| {
        worst_case.footprint = worst_case.footprint.max(outcome.footprint);
        worst_case.accesses_max = worst_case.accesses_max.max(outcome.accesses_max);
        worst_case.programs += 1;
        worst_case.refused += usize::from(outcome.refused.is_some());
        each(outcome);
    })?;
    Ok(worst_case)
}
