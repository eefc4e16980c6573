//! Robson's lower bound compared with what his adversary reaches here, in his units.
//!
//! The theory knows no headers. So a unit is the smallest block, sizes are 1, 2, 4 … 2^log units of whole blocks, and
//! a block counts as live with its header; control words are left out. Then a heap of this workspace is a heap of the
//! theory, and the adversary must reach M/2·log2 n + M − n + 1 units on every one that moves nothing.
//!
//! Sources: Robson 1971, An estimate of the store size necessary for dynamic storage allocation; Robson 1974, Bounds
//! for some functions concerning dynamic storage allocation.

use heapsmith_spec::Spec;

use super::adversary::{Charge, region_for, run};
use super::construct::robson;
use super::model::BlockModel;
use super::{AttackError, AttackOutcome};
use crate::bound::{Demand, ProgramClass, units_of_any_allocator};

/// What Robson's adversary reached, in units of the smallest block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forced {
    /// Units of the footprint.
    pub reached: u64,
    /// Units that his theorem names.
    pub bound: u64,
    /// What was done.
    pub outcome: AttackOutcome,
}

/// Lets Robson's adversary attack the heap of `spec` with at most `live` units live, in sizes of up to 2^`log` units.
///
/// # Errors
///
/// The heap cannot be made, or has no blocks with headers of a word.
pub fn forced(spec: &Spec, live: u64, log: u32) -> Result<Forced, AttackError> {
    let header = u64::from(spec.word.bytes());
    let one = ProgramClass::new(1, 1, 1).expect("a program");
    let unit = Demand::new(spec, one).map_err(AttackError::Refuses)?.min_block();
    let program = ProgramClass {
        live: live * unit,
        max_size: (unit << log) - header,
        min_size: unit - header,
        max_blocks: live,
        reallocates: false,
        alignment: 1,
        out_of_order: false,
    };
    let demand = Demand::new(spec, program).map_err(AttackError::Refuses)?;
    if demand.min_block() != unit || demand.largest_block() != unit << log {
        return Err(AttackError::Refuses("blocks of this heap are no powers of two of its smallest".to_owned()));
    }
    let plan = robson(&BlockModel::Heap(&demand));
    let mut region = region_for(spec, program)?;
    // A round frees and asks for no more blocks than there are units.
    let operations = (2 * live * (u64::from(log) + 1)) as usize;
    let outcome =
        run(spec, program, Charge::WithHeader(header), &mut region, operations, |adversary| plan.carry_out(adversary))?;
    let reached = (outcome.footprint - demand.control) / unit;
    Ok(Forced { reached, bound: units_of_any_allocator(live, log), outcome })
}
