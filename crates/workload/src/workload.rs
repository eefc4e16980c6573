//! What a workload is, and the list of them.

use heapsmith_import::importers;

use crate::error::{LoadError, nearest};
use crate::input::{Format, Input};
use crate::settings::Settings;
use crate::tape::Tape;
use crate::{distribution, drr, easyport, url};

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
    pub(crate) run: fn(Input, &mut Settings) -> Result<Tape, LoadError>,
}

/// The parameter of every workload that says what to do about damaged input.
pub(crate) const KEEP_DAMAGED: Parameter = Parameter {
    name: "keep-damaged",
    default: "no",
    about: "yes takes what a damaged capture holds before the damage, and leaves out the lines of \
            a log that do not parse; no refuses the file",
};

/// Every workload there is.
pub fn workloads() -> &'static [Workload] {
    const ALL: &[Workload] = &[drr::WORKLOAD, easyport::WORKLOAD, url::WORKLOAD, distribution::WORKLOAD];
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

/// The names of the workloads that read a format, for messages.
pub(crate) fn fitting(format: Format) -> String {
    let fits = workloads().iter().filter(|workload| workload.formats.contains(&format));
    fits.map(|workload| workload.name).collect::<Vec<_>>().join(" or ")
}
