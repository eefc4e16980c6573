//! What `bound` and `attack` are asked about: heaps, and the limits of programs.

use std::ffi::OsStr;

use heapsmith_limits::ProgramClass;
use heapsmith_spec::{Spec, catalogue};
use heapsmith_trace::plural;

use crate::args::Programs;
use crate::console::note;
use crate::failure::Failure;
use crate::heap::{self, Named};

/// A heap under the name that it was given, or that it has in the catalogue.
pub struct Limited {
    pub name: String,
    pub spec: Spec,
    /// The programs that are as the traces of an exploration, where it is the pick of one.
    programs: Option<ProgramClass>,
}

/// The heaps as they were named; `all` is the whole catalogue, a folder the pick of its exploration.
pub fn heaps(names: &[String]) -> Result<Vec<Limited>, Failure> {
    let mut heaps = Vec::new();
    for name in names {
        if name == "all" {
            for entry in catalogue() {
                heaps.push(Limited { name: entry.name.to_owned(), spec: entry.spec.parse()?, programs: None });
            }
            continue;
        }
        let named = heap::named(OsStr::new(name), None)?;
        let programs = named.programs();
        let Named { spec, by } = named;
        let name = if matches!(by, heap::By::Exploration { .. }) { spec.to_string() } else { name.clone() };
        heaps.push(Limited { name, spec, programs });
    }
    Ok(heaps)
}

/// The programs that were asked about: the limits that are given, and for the others those of an exploration that is named.
pub fn programs(asked: &Programs, heaps: &[Limited]) -> Result<ProgramClass, Failure> {
    let mut explored = heaps.iter().filter_map(|heap| heap.programs);
    let own = explored.next();
    if explored.any(|other| Some(other) != own) {
        return Err(Failure::wrong_use("the programs of several explorations differ: ask about one folder at a time"));
    }
    let missing = |option: &str| {
        Failure::wrong_use(format!(
            "{option} is missing: give the limits of the program, or name the folder of an exploration, whose traces have them"
        ))
    };
    let live = asked.live.or(own.map(|own| own.live)).ok_or_else(|| missing("--max-live"))?;
    let max_size = asked.max_size.or(own.map(|own| own.max_size)).ok_or_else(|| missing("--max-size"))?;
    let min_size = asked.min_size.or(own.map(|own| own.min_size)).unwrap_or(1);
    let blocks = asked.max_blocks.or(own.map(|own| own.max_blocks)).unwrap_or(u64::MAX);
    let program = ProgramClass::new(live, max_size, min_size).map_err(Failure::wrong_use)?.within_blocks(blocks);
    if program.live < live {
        let blocks = plural(program.max_blocks, "block", "blocks");
        note!("{blocks} of at most {max_size} bytes have {} live, not {live}", program.live);
    }
    Ok(ProgramClass {
        reallocates: asked.reallocations || own.is_some_and(|own| own.reallocates),
        alignment: asked.align.map_or_else(|| own.map_or(1, |own| own.alignment), u64::from),
        out_of_order: own.is_some_and(|own| own.out_of_order),
        ..program
    })
}
