//! What a workload is, and the list of them.
//!
//! | kind | reads | named by |
//! |---|---|---|
//! | [`Run::Input`] | a capture, a log, a list | `FILE --as NAME` |
//! | [`Run::Trace`] | a trace | `TRACE --as NAME` |
//! | [`Run::Alone`] | nothing: it computes | `workload:NAME` in place of a file |

use std::path::Path;

use heapsmith_import::importers;
use heapsmith_trace::Sink;

use crate::error::{LoadError, nearest};
use crate::input::{Format, Input};
use crate::load::Loaded;
use crate::settings::Settings;
use crate::tape::Tape;
use crate::{cfrac, distribution, drr, easyport, every_other, java, modem, netbench, pointer, random_half, sizes, url};

pub use heapsmith_import::Parameter;

/// An application in miniature.
#[derive(Debug, Clone, Copy)]
pub struct Workload {
    /// Its name, as in `--as NAME`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Where it comes from: authors, year, section.
    pub source: &'static str,
    /// What it reads.
    pub input: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// The formats that it reads, as `input` says in words.
    pub(crate) formats: &'static [Format],
    /// Does the work; may put values that it found out itself into the settings.
    pub(crate) run: Run,
}

impl Workload {
    /// Whether it works without a file, under the name `workload:NAME`.
    pub fn is_alone(&self) -> bool {
        matches!(self.run, Run::Alone(_))
    }
}

/// The prefix of a workload that needs no file, in place of a file's name.
pub const PREFIX: &str = "workload:";

/// What a workload needs for its work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// A file of one of its formats.
    Input(FromInput),
    /// A trace, which it hands on changed.
    Trace(FromTrace),
    /// Nothing.
    Alone(Alone),
}

/// Computes, and gives the tape back.
pub(crate) type Alone = for<'s> fn(&mut Settings, Tape<'s>) -> Result<Tape<'s>, LoadError>;
/// Works on an open file, and gives the tape back.
pub(crate) type FromInput = for<'s> fn(Input, &mut Settings, Tape<'s>) -> Result<Tape<'s>, LoadError>;
/// Hands a trace on, changed.
pub(crate) type FromTrace = fn(&Path, &mut Settings, &mut dyn Sink) -> Result<Loaded, LoadError>;

/// The `input` of a workload that needs none.
pub(crate) const NOTHING: &str = "nothing";

/// The parameter of every workload that says what to do about damaged input.
pub(crate) const KEEP_DAMAGED: Parameter = Parameter {
    name: "keep-damaged",
    default: "no",
    about: "yes takes what a damaged capture holds before the damage, and leaves out the lines of \
            a log that do not parse; no refuses the file",
};

/// The parameter of every workload that draws random numbers.
pub(crate) const SEED: Parameter =
    Parameter { name: "seed", default: "1", about: "of the draws; the same seed gives the same trace" };

/// Every workload there is.
pub fn workloads() -> &'static [Workload] {
    const ALL: &[Workload] = &[
        drr::WORKLOAD,
        easyport::WORKLOAD,
        url::WORKLOAD,
        netbench::WORKLOAD,
        distribution::WORKLOAD,
        modem::WORKLOAD,
        java::WORKLOAD,
        random_half::WORKLOAD,
        sizes::WORKLOAD,
        every_other::WORKLOAD,
        pointer::TREEADD,
        pointer::BISORT,
        pointer::PERIMETER,
        pointer::VORONOI,
        pointer::HEALTH,
        cfrac::WORKLOAD,
    ];
    ALL
}

/// The workload of a name.
pub fn workload(name: &str) -> Option<&'static Workload> {
    workloads().iter().find(|workload| workload.name == name)
}

/// The error for a name that is none of a workload or an importer.
pub(crate) fn unknown(name: &str) -> LoadError {
    let workloads = || workloads().iter().map(|workload| workload.name);
    let names = || workloads().chain(importers().iter().map(|importer| importer.name));
    LoadError::UnknownWorkload {
        name: name.to_owned(),
        near: nearest(name, names()),
        known: names().collect::<Vec<_>>().join(", "),
    }
}

/// The error for a name after [`PREFIX`] that is none of a workload.
pub(crate) fn unknown_alone(name: &str) -> LoadError {
    let names = || workloads().iter().filter(|workload| workload.is_alone()).map(|workload| workload.name);
    LoadError::UnknownAlone {
        name: name.to_owned(),
        near: nearest(name, names()),
        known: names().collect::<Vec<_>>().join(", "),
    }
}

/// The names of the workloads that read a format, for messages.
pub(crate) fn fitting(format: Format) -> String {
    let fits = workloads().iter().filter(|workload| workload.formats.contains(&format));
    fits.map(|workload| workload.name).collect::<Vec<_>>().join(" or ")
}
