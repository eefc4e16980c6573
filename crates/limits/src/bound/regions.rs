//! Several regions: what is certain of all of them together.
//!
//! The blocks in one region are those of a program of the same class: at most as many bytes live, in requests of the same
//! sizes, as a block that moves in or out is an allocation or a free there. So
//!
//! - no region is used beyond the bound F of one region, nor beyond its size: the footprint is at most the sum of the smaller
//!   of both;
//! - a region that has room for F refuses nothing. A request is refused only where every region refuses it, so *one* such
//!   region is enough for the heap to refuse nothing.
//!
//! Regions that are each too small have no such guarantee, however large they are together: a program chooses how its bytes
//! divide, a region may serve more than it is bound to, and then be left in pieces that refuse less.

use heapsmith_spec::{NamedRegion, Regions, Spec};

use super::{Bound, ProgramClass, Term, WorstCase, bound_of, shown};

/// The bound of a heap in these regions.
pub(super) fn bound(spec: &Spec, regions: &Regions, program: ProgramClass) -> Bound {
    let one = bound_of(&spec.in_one_region(), program);
    let worst_case = worst_case(regions, one.worst_case.clone());
    let (Some(footprint), Some(needed)) = (one.footprint, one.region) else {
        return Bound {
            any_allocator: one.any_allocator,
            ..Bound::none(format!("of one region: {}", one.why_none), worst_case)
        };
    };
    let Some(holder) = regions.regions.iter().find(|region| region.size >= needed) else {
        let why = format!(
            "no region alone has room for the bound of the whole program, {} bytes, and for several together nothing is proven: \
             the program chooses how its bytes divide, and a region that served more than it is bound to may refuse less later",
            shown(needed)
        );
        return Bound { any_allocator: one.any_allocator, ..Bound::none(why, worst_case) };
    };
    let max = |region: &NamedRegion| region.size.min(footprint);
    let parts: Vec<String> = regions.regions.iter().map(|region| shown(max(region))).collect();
    let mut requires = vec![format!(
        "the region {}, which alone has room for the bound F of the whole program: a request is refused only where every region \
         refuses it",
        holder.name
    )];
    requires.extend(one.requires.into_iter().map(|of_one| format!("of each region: {of_one}")));
    let mut terms = vec![Term::new("F", "the bound of a heap in one region", shown(footprint))];
    terms.push(Term::new("S", "bytes of a region", "as the spec says"));
    Bound {
        footprint: Some(regions.regions.iter().map(max).sum()),
        region: Some(regions.size()),
        formula: format!("the sum over the regions of min(S, F), with F = {}", one.formula),
        terms: terms.into_iter().chain(one.terms).collect(),
        numbers: parts.join(" + "),
        source: one.source,
        requires,
        why_none: String::new(),
        worst_case,
        any_allocator: one.any_allocator,
    }
}

/// A free is one of its region. What regions cost that refuse is not counted in the worst case of one with room.
fn worst_case(regions: &Regions, one: WorstCase) -> WorstCase {
    if regions.regions.len() == 1 {
        return one;
    }
    let formula = format!("a free: {}; an allocation: no number is derived for regions that refuse", one.formula);
    WorstCase { allocate: None, free: one.free, formula }
}
