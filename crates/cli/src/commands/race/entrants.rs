//! The entrants of a race: the program as it is, heaps, reference allocators.

use std::ffi::OsString;
use std::path::Path;

use heapsmith_explore::{Exploration, Objective};
use heapsmith_launch::why_nothing_will_be_preloaded;
use heapsmith_peers::{Configured, Deployed, inherited_knobs};
use heapsmith_race::{Entrant, Kind, Proof};
use heapsmith_spec::Spec;
use heapsmith_trace::plural;

use crate::args::Race;
use crate::commands::explore::knobs;
use crate::commands::run::serving::{self, Asked};
use crate::console::note;
use crate::failure::Failure;
use crate::heap::{self, By, Named};
use crate::quoted::quoted;

/// Everything that is raced, the baseline first.
pub fn of(arguments: &Race) -> Result<Vec<Entrant>, Failure> {
    let picks = arguments.heap.iter().any(|named| Path::new(named).is_dir());
    if !picks && (arguments.prefer.is_some() || arguments.runners_up > 0) {
        return Err(Failure::wrong_use("--prefer and --runners-up are of a folder of `explore`: name one with --heap"));
    }
    let mut entrants = vec![Entrant::as_is()];
    for named in &arguments.heap {
        heaps(&mut entrants, named, arguments)?;
    }
    references(&mut entrants, arguments)?;
    if entrants.len() < 2 {
        return Err(Failure::wrong_use("there is nothing to race: name --heap or --peer"));
    }
    let program = &arguments.command[0];
    if let Some(why) = why_nothing_will_be_preloaded(program) {
        return Err(Failure::environment(format!("cannot run {} on another heap: {why}", program.display())));
    }
    Ok(entrants)
}

/// A heap that was named; of an exploration its pick, and runners-up; of one of knobs what it proposes, and the defaults.
fn heaps(entrants: &mut Vec<Entrant>, text: &OsString, arguments: &Race) -> Result<(), Failure> {
    let dir = Path::new(text);
    if knobs::is_in(dir) {
        for configured in knobs::proposed(dir, arguments.runners_up as usize)? {
            let is_default = configured.knobs().next().is_none();
            entrants.push(installed(&configured, is_default)?);
        }
        return Ok(());
    }
    if knobs::is_unfinished(dir) {
        return Err(Failure::wrong_use(format!(
            "{} has a search of knobs that was interrupted: the same `heapsmith explore` resumes it",
            quoted(dir)
        )));
    }
    let named = heap::named(text, arguments.prefer.filter(|_| dir.is_dir()))?;
    let Named { spec, by } = &named;
    let shown = text.to_string_lossy();
    let By::Exploration { dir, design: Some(design), .. } = by else {
        entrants.push(heap(&shown, &spec.for_malloc()?, None)?);
        return Ok(());
    };
    if spec.for_malloc()? != *spec {
        return Err(heap::unsuited_pick(dir, spec));
    }
    let name = |design: u32| format!("{}: design {design}", shown.trim_end_matches('/'));
    entrants.push(heap(&name(*design), spec, Some(*design))?);
    for (design, spec) in runners_up(dir, *design, arguments.runners_up as usize)? {
        entrants.push(heap(&name(design), &spec, Some(design))?);
    }
    Ok(())
}

/// Designs of an exploration's front that serve malloc, those with the least product of footprint and accesses first.
fn runners_up(dir: &Path, pick: u32, count: usize) -> Result<Vec<(u32, Spec)>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let exploration = Exploration::open(dir)?;
    let product = |&index: &usize| {
        let point = &exploration.points[index];
        (1.0 + point.get(Objective::Fragmentation)) * point.get(Objective::Accesses).max(1.0)
    };
    let mut front: Vec<usize> = exploration.front.clone();
    front.sort_by(|a, b| product(a).total_cmp(&product(b)));
    let design = |index: usize| {
        let design = &exploration.rows[index].design;
        (design.number, design.spec.clone())
    };
    let suits = |spec: &Spec| spec.for_malloc().is_ok_and(|suited| suited == *spec);
    let others = front.into_iter().map(design).filter(|(number, spec)| *number != pick && suits(spec));
    let found: Vec<(u32, Spec)> = others.take(count).collect();
    if found.len() < count {
        let more = plural(found.len() as u64, "more design", "more designs");
        note!("{} has {more} on its front for malloc", dir.display());
    }
    Ok(found)
}

fn heap(name: &str, spec: &Spec, design: Option<u32>) -> Result<Entrant, Failure> {
    // A pick was measured with every request in its region.
    let map_from = design.map(|_| isize::MAX as u64);
    let library = serving::library(Asked::default(), spec, map_from)?;
    let mut environment = vec![("HEAPSMITH_HEAP".to_owned(), OsString::from(spec.to_string()))];
    environment.extend(map_from.map(|bytes| ("HEAPSMITH_MAP_FROM".to_owned(), bytes.to_string().into())));
    Ok(Entrant {
        name: name.to_owned(),
        kind: Kind::Heap { spec: spec.to_string(), design },
        preload: Some(library),
        unset: Vec::new(),
        environment,
        proof: Proof::Witness,
        unless_own: false,
    })
}

/// Reference allocators: those that were named, or all that are installed.
fn references(entrants: &mut Vec<Entrant>, arguments: &Race) -> Result<(), Failure> {
    for text in &arguments.peer {
        let configured: Configured = text.parse().map_err(Failure::wrong_use)?;
        entrants.push(installed(&configured, false)?);
    }
    if arguments.no_peers || !arguments.peer.is_empty() {
        return Ok(());
    }
    for deployed in Deployed::ALL {
        match reference(&Configured::plain(deployed), true) {
            Some(entrant) if entrants.iter().any(|known| known.kind == entrant.kind) => {}
            Some(entrant) => entrants.push(entrant),
            None => note!("{} does not take part, as it is not installed ({})", deployed.name(), deployed.package()),
        }
    }
    Ok(())
}

/// A reference allocator that was named.
fn installed(configured: &Configured, unless_own: bool) -> Result<Entrant, Failure> {
    reference(configured, unless_own).ok_or_else(|| {
        let (name, package) = (configured.allocator().name(), configured.allocator().package());
        Failure::environment(format!("{name} is not installed: install {package}, or race without it"))
    })
}

/// A reference allocator; none where it is not installed.
fn reference(configured: &Configured, unless_own: bool) -> Option<Entrant> {
    let library = configured.allocator().library()?;
    let environment = configured.environment().into_iter().map(|(name, value)| (name, value.into())).collect();
    Some(Entrant {
        name: configured.to_string(),
        kind: Kind::Reference { library: library.display().to_string(), line: configured.line() },
        preload: Some(library),
        unset: inherited_knobs(),
        environment,
        proof: Proof::Binding,
        unless_own,
    })
}
