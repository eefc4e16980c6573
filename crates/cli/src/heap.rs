//! A heap that was named on the command line: a spec, a name of the catalogue, or what an exploration picked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use heapsmith_explore::{Exploration, Near, reserve_on, trace_file, worst_programs};
use heapsmith_limits::ProgramClass;
use heapsmith_replay::{Measures, Region, ReplayOptions, replay};
use heapsmith_spec::{Spec, is_name, resolve};
use heapsmith_trace::{Bytes, Trace};

use crate::args::Prefer;
use crate::console::note;
use crate::failure::Failure;
use crate::input;
use crate::quoted::quoted;

/// A heap, and how it was named.
pub struct Named {
    pub spec: Spec,
    pub by: By,
}

/// How a heap was named.
pub enum By {
    /// By its spec: it is meant as it was typed.
    Spec,
    /// By a name of the catalogue: the allocator is meant, with whatever alignment it is to have.
    Name,
    /// As the pick of an exploration, a design of this number, or none if it is a form of one: it is what was measured, on each trace; how it holds on changed copies; and the pages
    /// that it touched, where they were measured on the one trace that there is.
    Exploration {
        dir: PathBuf,
        design: Option<u32>,
        measured: Vec<(String, Measures)>,
        holds: Option<String>,
        touched: Option<Bytes>,
        /// The region to reserve for it, where that was measured.
        reserve: Option<Bytes>,
        /// The region that was asked for.
        asked: Option<u64>,
        /// Those that are as the traces, of which the heap needs most for; none where a trace asks for nothing.
        programs: Option<ProgramClass>,
    },
}

/// The heap that was named.
pub fn named(heap: &OsStr, prefer: Option<Prefer>) -> Result<Named, Failure> {
    let (dir, text) = (Path::new(heap), heap.to_string_lossy());
    // A folder that happens to be called as a heap is hides nothing; its name may be no text, a spec is. Of
    // what is a heap only the name of a reading has a slash.
    match resolve(&text) {
        Err(_) if dir.is_dir() || text.contains('/') => {}
        Ok(_) if prefer.is_some() => {
            return Err(Failure::wrong_use(format!(
                "--prefer picks from a folder of `explore`, and {text} is a heap: leave it out"
            )));
        }
        spec => return Ok(Named { spec: spec?, by: if is_name(&text) { By::Name } else { By::Spec } }),
    }
    let exploration = Exploration::open(dir)?;
    let pick = pick(&exploration, dir, prefer)?;
    note!("the pick of {}: {}", dir.display(), exploration.rows[pick].design.spec);
    Ok(design(&exploration, dir, pick))
}

/// The heap of an exploration's answer that refuses nothing in a region of these bytes: the pick, or the nearest to it that has one.
pub fn guaranteed(heap: &OsStr, prefer: Option<Prefer>) -> Result<(Named, u64), Failure> {
    let dir = Path::new(heap);
    if !dir.is_dir() {
        return Err(Failure::wrong_use(
            "--guaranteed is about the answer of an exploration: name its folder; `heapsmith bound SPEC` is about any heap",
        ));
    }
    let exploration = Exploration::open(dir)?;
    let pick = pick(&exploration, dir, prefer)?;
    if let Some(bytes) = exploration.proven_region(pick) {
        note!("the pick of {}: {}", dir.display(), exploration.rows[pick].design.spec);
        return Ok((design(&exploration, dir, pick), bytes));
    }
    let near = exploration.nearest_with_region(pick).ok_or_else(|| {
        Failure::job(format!(
            "{} names no heap with a guarantee: `heapsmith pick {} --prefer bounded` picks one if there is any",
            dir.display(),
            quoted(dir)
        ))
    })?;
    note!("next to the pick of {}, for {}: {}", dir.display(), near.price, near.spec);
    let own = exploration.rows.iter().position(|row| near.heap == Near::Design(row.design.number));
    if let Some(index) = own {
        return Ok((design(&exploration, dir, index), near.region));
    }
    let mut measured = Vec::new();
    for number in 0..exploration.traces.len() {
        let trace = input::packed(&Trace::read(trace_file(dir, number))?)?;
        let measures = replay(&near.spec, &trace, &mut Region::for_trace(&trace)?, ReplayOptions::MEASURE)?;
        measured.push((exploration.traces[number].clone(), measures));
    }
    let programs = programs(&exploration, &near.spec);
    let (reserve, asked) = (exploration.reserve_of(&near.spec), exploration.asked_region());
    let dir = dir.to_owned();
    let by = By::Exploration { dir, design: None, measured, holds: None, touched: None, reserve, asked, programs };
    Ok((Named { spec: near.spec, by }, near.region))
}

fn pick(exploration: &Exploration, dir: &Path, prefer: Option<Prefer>) -> Result<usize, Failure> {
    exploration
        .pick(prefer.map_or(exploration.question.preference, Into::into))
        .ok_or_else(|| Failure::job(format!("{} has no pick: {}", dir.display(), exploration.no_pick())))
}

/// Those that are as the traces, of which a heap needs most for.
fn programs(exploration: &Exploration, spec: &Spec) -> Option<ProgramClass> {
    worst_programs(&exploration.programs, spec).map(|(_, class, _)| class)
}

/// A design of an exploration, with what is known of it.
fn design(exploration: &Exploration, dir: &Path, index: usize) -> Named {
    let row = &exploration.rows[index];
    // In the region that is promised, which may be smaller than what it takes where there is plenty.
    let measures = exploration.measures_in_region(index).unwrap_or(&row.measures);
    let measured = exploration.traces.iter().cloned().zip(measures.iter().cloned()).collect();
    let holds = exploration.holds_words(index);
    let pages = exploration.pages_of(&exploration.name(index)).filter(|pages| pages.events == exploration.events());
    let touched = pages.filter(|_| exploration.traces.len() == 1).map(|pages| pages.touched);
    let programs = programs(exploration, &row.design.spec);
    let design = Some(row.design.number);
    let (reserve, asked) = (exploration.reserve(index), exploration.asked_region());
    let by = By::Exploration { dir: dir.to_owned(), design, measured, holds, touched, reserve, asked, programs };
    Named { spec: row.design.spec.clone(), by }
}

impl Named {
    /// The pages that it touched, where they were measured on the one trace that there is.
    pub fn touched(&self) -> Option<Bytes> {
        match &self.by {
            By::Exploration { touched, .. } => *touched,
            _ => None,
        }
    }

    /// How it holds on changed copies of the traces that it was explored on.
    pub fn holds(&self) -> Option<&str> {
        match &self.by {
            By::Exploration { holds, .. } => holds.as_deref(),
            _ => None,
        }
    }

    /// The programs that are as the traces that it was explored on.
    pub fn programs(&self) -> Option<ProgramClass> {
        match self.by {
            By::Exploration { programs, .. } => programs,
            _ => None,
        }
    }

    /// The region to reserve for it on the traces that it was explored on; none where it has none, or that was not measured and is not now.
    pub fn reserve(&self) -> Result<Option<Bytes>, Failure> {
        let By::Exploration { dir, measured, reserve, .. } = &self.by else { return Ok(None) };
        if reserve.is_some() || self.spec.regions().is_some() {
            return Ok(*reserve);
        }
        let kept = |number| input::packed(&Trace::read(trace_file(dir, number))?);
        let traces = (0..measured.len()).map(kept).collect::<Result<Vec<_>, Failure>>()?;
        Ok(reserve_on(&self.spec, &traces, None)?.map(|(bytes, _)| bytes))
    }

    /// The region that the exploration was asked for, of which it is.
    pub fn asked_region(&self) -> Option<u64> {
        match self.by {
            By::Exploration { asked, .. } => asked,
            _ => None,
        }
    }

    /// What was measured of it, with the names of traces.
    pub fn measured(&self) -> &[(String, Measures)] {
        match &self.by {
            By::Exploration { measured, .. } => measured,
            _ => &[],
        }
    }
}

/// A pick that malloc would have to change. Nothing changes what was measured, so it has to be explored for malloc.
pub fn unsuited_pick(dir: &Path, spec: &Spec) -> Failure {
    Failure::wrong_use(format!(
        "the pick of {} aligns payloads to {} bytes, and malloc needs {}: it would be another heap than the one that was \
         measured. Explore for programs with --target host",
        dir.display(),
        spec.alignment,
        Spec::MALLOC_ALIGNMENT
    ))
}
