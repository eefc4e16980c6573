//! A heap that was named on the command line: a spec, a name of the catalogue, or what an exploration picked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use heapsmith_explore::Exploration;
use heapsmith_limits::{ProgramClass, bound_of};
use heapsmith_replay::Measures;
use heapsmith_spec::{Spec, is_name, resolve};
use heapsmith_trace::Bytes;

use crate::args::Prefer;
use crate::console::note;
use crate::failure::Failure;

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
    /// As the pick of an exploration, a design of this number: it is what was measured, on each trace; how it holds on changed copies; and the pages
    /// that it touched, where they were measured on the one trace that there is.
    Exploration {
        dir: PathBuf,
        design: u32,
        measured: Vec<(String, Measures)>,
        holds: Option<String>,
        touched: Option<Bytes>,
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
        spec => return Ok(Named { spec: spec?, by: if is_name(&text) { By::Name } else { By::Spec } }),
    }
    let exploration = Exploration::open(dir)?;
    let pick = exploration
        .pick(prefer.map_or(exploration.question.preference, Into::into))
        .ok_or_else(|| Failure::job(format!("{} has no pick: {}", dir.display(), exploration.no_pick())))?;
    let row = &exploration.rows[pick];
    note!("the pick of {}: {}", dir.display(), row.design.spec);
    let measured = exploration.traces.iter().cloned().zip(row.measures.iter().cloned()).collect();
    let holds = exploration.holds_words(pick);
    let pages = exploration.pages_of(&exploration.name(pick)).filter(|pages| pages.events == exploration.events());
    let touched = pages.filter(|_| exploration.traces.len() == 1).map(|pages| pages.touched);
    let needed = |class: &ProgramClass| bound_of(&row.design.spec, *class).region.unwrap_or(u64::MAX);
    let classes = exploration.programs.iter().map(|programs| programs.map(|programs| programs.class()));
    let programs = classes.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max_by_key(needed));
    let by = By::Exploration { dir: dir.to_owned(), design: row.design.number, measured, holds, touched, programs };
    Ok(Named { spec: row.design.spec.clone(), by })
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
