//! Several regions: what is certain of all of them together.
//!
//! The blocks in one region are those of a program of the same class: at most as many bytes live, in requests of the same
//! sizes, as a block that moves in or out is an allocation or a free there. So
//!
//! - no region is used beyond the bound F of one region, nor beyond its size: the footprint is at most the sum of the smaller
//!   of both;
//! - a region that has room for F refuses nothing. A request is refused only where every region refuses it, so *one* such
//!   region is enough for the heap to refuse nothing;
//! - where no block is resized, each region may have room for the bound of the requests that *begin in it* instead: then none
//!   refuses, so nothing spills over, and each keeps to these requests. The bounds add up, and an operation is one of its
//!   region. They are smaller, as sizes are closer to one another. A resized block stays in its region whatever its size, so
//!   programs that reallocate have the first argument alone.
//!
//! Regions that are each too small have no such guarantee, however large they are together: a program chooses how its bytes
//! divide, a region may serve more than it is bound to, and then be left in pieces that refuse less.

use heapsmith_spec::{NamedRegion, Regions, Spec};

use super::buddy::begins_as_one_block;
use super::control::empty_footprint;
use super::{Bound, Demand, ProgramClass, Term, WorstCase, bound_of, bound_within, shown};

/// The bound of a heap in these regions.
pub(super) fn bound(spec: &Spec, regions: &Regions, program: ProgramClass) -> Bound {
    if let Some(bound) = divided(spec, regions, program) {
        return bound;
    }
    // Where control words grow with the region, those of the largest are above those of all.
    let largest = regions.regions.iter().map(|region| region.size).max();
    let one = bound_within(&spec.in_one_region(), program, largest);
    let worst_case = match begins_as_one_block(&spec.pool) {
        true => WorstCase::none(WITH_REGION),
        false => worst_case(regions, one.worst_case.clone()),
    };
    let (Some(footprint), Some(needed)) = (one.footprint, one.room) else {
        return Bound {
            any_allocator: one.any_allocator,
            ..Bound::none(format!("of one region: {}", one.why_none), worst_case)
        };
    };
    let used = spec.in_one_region().max_footprint();
    let Some(holder) = regions.regions.iter().find(|region| region.size.min(used) >= needed) else {
        let why = format!(
            "no region alone has room for the bound of the whole program, {} bytes, and for several together nothing is proven: \
             the program chooses how its bytes divide, and a region that served more than it is bound to may refuse less later",
            shown(needed)
        );
        return Bound { any_allocator: one.any_allocator, ..Bound::none(why, worst_case) };
    };
    let max = |region: &NamedRegion| used_of(region, spec, footprint);
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
        room: Some(regions.size()),
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

/// Why an operation of regions has no number where each begins as one block.
const WITH_REGION: &str = "it grows with the region";

/// Bytes of a region that are used at most, where a heap of one region uses this many.
fn used_of(region: &NamedRegion, spec: &Spec, footprint: u64) -> u64 {
    if begins_as_one_block(&spec.pool) { region.size } else { region.size.min(footprint) }
}

/// A free is one of its region. What regions cost that refuse is not counted in the worst case of one with room.
fn worst_case(regions: &Regions, one: WorstCase) -> WorstCase {
    if regions.regions.len() == 1 {
        return one;
    }
    let formula = format!("a free: {}; an allocation: no number is derived for regions that refuse", one.formula);
    WorstCase { allocate: None, free: one.free, formula }
}

/// What begins in a region, and its bound.
struct Begun<'s> {
    region: &'s NamedRegion,
    class: ProgramClass,
    bound: Bound,
}

/// The bound where each region has room for the requests that begin in it; none where one has not, or they may mix.
fn divided(spec: &Spec, regions: &Regions, program: ProgramClass) -> Option<Bound> {
    if program.reallocates {
        return None;
    }
    let one = spec.in_one_region();
    let (mut parts, mut begun) = (Vec::new(), Vec::new());
    for (region, sizes) in regions.regions.iter().zip(beginning(regions, program)) {
        let Some((min_size, max_size)) = sizes else {
            parts.push(empty_footprint(&one, Some(region.size)).ok()?.min(region.size));
            continue;
        };
        let class = ProgramClass { min_size, max_size, ..program };
        // A request that a heap refuses by its size would go on to another region.
        let serves_all = Demand::new(&one, class).is_ok_and(|demand| demand.program.max_size == max_size);
        let bound = bound_within(&one, class, Some(region.size));
        if !serves_all || bound.room? > region.size.min(one.max_footprint()) {
            return None;
        }
        parts.push(used_of(region, spec, bound.footprint?));
        begun.push(Begun { region, class, bound });
    }
    let sizes = |Begun { region, class, .. }: &Begun<'_>| {
        format!("{} to {} bytes in {}", class.min_size, class.max_size, region.name)
    };
    let sizes: Vec<String> = begun.iter().map(sizes).collect();
    let room =
        "room in each region for the bound of the requests that begin in it, so that nothing spills over".to_owned();
    let of_each = begun.iter().flat_map(|Begun { region, bound, .. }| {
        bound.requires.iter().map(|of_one| format!("of {}: {of_one}", region.name))
    });
    Some(Bound {
        footprint: Some(parts.iter().sum()),
        region: Some(regions.size()),
        room: Some(regions.size()),
        formula: "the sum of F(r) over the regions r".to_owned(),
        terms: vec![Term::new(
            "F(r)",
            "the bound of a heap in one region for the requests that begin in r, control words where none does",
            sizes.join(", "),
        )],
        numbers: parts.iter().map(|&part| shown(part)).collect::<Vec<_>>().join(" + "),
        source: begun.first()?.bound.source,
        requires: std::iter::once(room).chain(of_each).collect(),
        why_none: String::new(),
        worst_case: if begins_as_one_block(&spec.pool) { WorstCase::none(WITH_REGION) } else { worst_of_each(&begun) },
        any_allocator: bound_of(&one, program).any_allocator,
    })
}

/// The worst operation where each is one of its region.
fn worst_of_each(begun: &[Begun<'_>]) -> WorstCase {
    let max = |of: fn(&WorstCase) -> Option<u64>| {
        begun.iter().map(|begun| of(&begun.bound.worst_case)).try_fold(0, |max, one| Some(max.max(one?)))
    };
    let formula = |Begun { region, bound, .. }: &Begun<'_>| format!("{}: {}", region.name, bound.worst_case.formula);
    WorstCase {
        allocate: max(|worst_case| worst_case.allocate),
        free: max(|worst_case| worst_case.free),
        formula: begun.iter().map(formula).collect::<Vec<_>>().join("; "),
    }
}

/// The smallest and the largest request of the program that begin in each region; none where none does.
fn beginning(regions: &Regions, program: ProgramClass) -> Vec<Option<(u64, u64)>> {
    let above = regions.regions.iter().filter_map(|region| region.up_to.map(|up_to| up_to.saturating_add(1)));
    let inside = above.filter(|&size| size > program.min_size && size <= program.max_size);
    let mut steps: Vec<u64> = std::iter::once(program.min_size).chain(inside).collect();
    steps.sort_unstable();
    steps.dedup();
    let mut sizes: Vec<Option<(u64, u64)>> = vec![None; regions.regions.len()];
    for (number, &from) in steps.iter().enumerate() {
        let to = steps.get(number + 1).map_or(program.max_size, |next| next - 1);
        let begun = &mut sizes[regions.first_for(from)];
        *begun = Some(begun.map_or((from, to), |(min, max)| (min.min(from), max.max(to))));
    }
    sizes
}
