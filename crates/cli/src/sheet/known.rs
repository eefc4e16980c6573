//! What the figures of a heap on traces come from, found once.

use heapsmith_explore::{Objectives, Programs, Proven, proven, proven_region, reserve_on, worst_programs};
use heapsmith_limits::{Bound, ProgramClass};
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

use super::subject::Subject;
use crate::failure::Failure;

/// What is known of a heap on the traces.
pub struct Known {
    /// RAM to reserve.
    pub reserve: Bytes,
    /// The values there.
    pub there: Objectives,
    /// What is proven of memory and of every operation, in the memory that there is.
    pub proven: Option<Proven>,
    /// Accesses that no operation exceeds until a request is refused, were there not as much memory.
    pub accesses: Option<u64>,
    /// Bytes in which nothing is refused, if there are as many.
    pub region: Option<u64>,
    /// The trace whose programs need most, with their class and bound; none where a trace asks for nothing.
    pub worst: Option<(usize, ProgramClass, Bound)>,
}

impl Known {
    /// None without a trace.
    pub fn of(spec: &Spec, subject: &Subject) -> Result<Option<Known>, Failure> {
        let traces = &subject.traces;
        if traces.is_empty() {
            return Ok(None);
        }
        let Some((reserve, there)) = reserve_on(spec, traces, subject.asked_region())? else {
            return Err(Failure::job(format!(
                "{spec} refuses requests of what was recorded, so there is nothing to sign: `heapsmith replay TRACE --heap \
                 '{spec}'` shows which; `heapsmith explore TRACE` finds a heap that serves all of them"
            )));
        };
        let programs: Vec<Option<Programs>> = traces.iter().map(Programs::of).collect();
        let worst = worst_programs(&programs, spec);
        let has_room = |bytes: u64| subject.room().is_none_or(|room| bytes <= room);
        let without_limit = proven(&programs, spec);
        let until_refused = without_limit.filter(|proven| proven.is_until_refused || has_room(proven.region));
        let accesses = until_refused.map(|proven| proven.accesses);
        let proven = without_limit.filter(|proven| has_room(proven.region));
        let region = proven_region(&programs, spec).filter(|&bytes| has_room(bytes));
        Ok(Some(Known { reserve, there, proven, accesses, region, worst }))
    }
}
