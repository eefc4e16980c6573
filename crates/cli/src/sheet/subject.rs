//! What a sheet is about: the traces of an exploration, those that were named, or none.

use std::path::{Path, PathBuf};

use heapsmith_explore::{Exploration, Preference, trace_file};
use heapsmith_report::{percent, thousands};
use heapsmith_spec::{Spec, Target};
use heapsmith_trace::{PackedTrace, Trace, plural};

use super::lines::Lines;
use crate::args::{Emit, Language};
use crate::failure::Failure;
use crate::heap::{By, Named};
use crate::input;
use crate::quoted::{quoted, word};

/// What the figures are worked out on, and where their files go.
pub struct Subject {
    pub traces: Vec<PackedTrace>,
    /// Where each was read: a path, or `workload:NAME`.
    pub files: Vec<PathBuf>,
    pub out: PathBuf,
    /// The exploration whose pick it is, and the folder.
    exploration: Option<(Exploration, PathBuf)>,
    /// The pick, where the traces are those that it was explored on.
    pick: Option<usize>,
}

impl Subject {
    /// The traces that are named; else those of the folder; else none.
    pub fn of(arguments: &Emit, named: &Named) -> Result<Subject, Failure> {
        let out = arguments.out.clone();
        let explored = match &named.by {
            By::Exploration { dir, design, .. } => Some((Exploration::open(dir)?, dir, *design)),
            By::Spec | By::Name => None,
        };
        if !arguments.trace.is_empty() {
            let traces = arguments.trace.iter().map(|path| input::stream_packed(path, &arguments.reading));
            let (traces, files) = (traces.collect::<Result<_, _>>()?, arguments.trace.clone());
            let exploration = explored.map(|(exploration, dir, _)| (exploration, dir.clone()));
            return Ok(Subject { traces, files, out, exploration, pick: None });
        }
        let Some((exploration, dir, design)) = explored else {
            return Ok(Subject { traces: Vec::new(), files: Vec::new(), out, exploration: None, pick: None });
        };
        let files: Vec<PathBuf> = (0..exploration.traces.len()).map(|number| trace_file(dir, number)).collect();
        let traces = files.iter().map(|file| input::packed(&Trace::read(file)?)).collect::<Result<_, Failure>>()?;
        let pick = exploration.rows.iter().position(|row| Some(row.design.number) == design);
        Ok(Subject { traces, files, out, exploration: Some((exploration, dir.clone())), pick })
    }

    /// Where the heap will live, where that was said to `explore`.
    pub fn target(&self) -> Option<&'static Target> {
        self.exploration.as_ref().map(|(exploration, _)| exploration.target)
    }

    /// The target as a figure.
    pub fn words(&self) -> String {
        self.target().map_or_else(
            || "none was named, as by `explore --target`: code and instructions are those of a Cortex-M3".to_owned(),
            |target| target.name.to_owned(),
        )
    }

    /// Bytes that a region may have, on the target and as was asked for; none where nothing limits them.
    pub fn room(&self) -> Option<u64> {
        let (exploration, _) = self.exploration.as_ref()?;
        // What was asked is of these traces alone.
        if self.pick.is_some() { exploration.room() } else { exploration.target.max_region }
    }

    /// The region that was asked for when these traces were explored.
    pub fn asked_region(&self) -> Option<u64> {
        self.pick.and_then(|_| self.exploration.as_ref()?.0.asked_region())
    }

    /// How to get a heap for which something is proven, where nothing is of this one.
    pub fn with_proof(&self) -> String {
        let Some((exploration, dir)) = &self.exploration else {
            return "`explore TRACE --target cortex-m --prefer bounded` finds a heap with a proof".to_owned();
        };
        let bounded = exploration.question.preference != Preference::Bounded && exploration.has_bounded();
        match self.pick.and_then(|pick| exploration.nearest_with_region(pick)) {
            Some(near) => {
                let (heap, spec, price, region) = (near.heap, &near.spec, near.price, thousands(near.region));
                format!("{heap}, {spec}, takes {price}, and is never refused in {region} bytes")
            }
            None if exploration.room().zip(exploration.any_allocator()).is_some_and(|(room, needed)| needed > room) => {
                let needed = exploration.any_allocator().map_or_else(String::new, thousands);
                format!("some such program needs {needed} bytes on any heap that moves no block")
            }
            None if bounded => format!("`heapsmith pick {} --prefer bounded` picks a heap with a proof", quoted(dir)),
            None => "`explore TRACE --space wide --prefer bounded` may find a heap with a proof".to_owned(),
        }
    }

    /// How the pick does where the program differs from the traces, in the words of the exploration.
    pub fn add_exploration(&self, lines: &mut Lines, spec: &Spec) {
        let Some((pick, (exploration, _))) = self.pick.zip(self.exploration.as_ref()) else { return };
        // Where a proof was asked for, it is a figure of its own.
        if let Some(words) = exploration.holds(pick).and_then(|_| exploration.holds_words(pick)) {
            lines.add("elsewhere", &words);
        }
        let spec = spec.to_string();
        for row in exploration.evaluated.iter().filter(|row| row.name == "pick" && row.heap == spec) {
            let how = match row.failed {
                0 => format!(
                    "at most {} more than its peak live bytes, {} from its Pareto front",
                    percent(row.fragmentation),
                    percent(row.distance)
                ),
                failed => format!("REFUSES {} in a large region", plural(failed, "request", "requests")),
            };
            lines.add("hold-out", &format!("{}: {how}; not in the figures above", row.trace));
        }
    }
}

/// Whether a sheet can be worked out of what was asked for: of a region that is reserved, on traces that a check can read again.
pub fn verify(arguments: &Emit) -> Result<(), Failure> {
    if arguments.lang == Some(Language::So) {
        return Err(Failure::wrong_use(
            "--sheet is about the RAM that firmware reserves, and --lang so serves malloc in pages of the system: take --lang c, or \
             measure a program on it with `heapsmith race`",
        ));
    }
    let import = |path: &Path| format!("`heapsmith import {} -o board.parquet`", word(&path.to_string_lossy()));
    let is_read_once = |path: &&PathBuf| path.as_os_str() == "-" || path.exists() && !path.is_file() && !path.is_dir();
    if let Some(path) = arguments.trace.iter().find(is_read_once) {
        return Err(Failure::wrong_use(format!(
            "--sheet writes a check file, which reads the trace again, and {} is no file: write it into one first, with {}, and \
             name that with --trace",
            path.display(),
            import(path)
        )));
    }
    let reading = &arguments.reading;
    let is_changed =
        reading.input_format.is_some() || !reading.set.is_empty() || !reading.transforms().settings().is_empty();
    match arguments.trace.first().filter(|_| is_changed) {
        Some(path) => Err(Failure::wrong_use(format!(
            "--sheet writes a check file, which reads the trace as it is: write what is meant into a file first, with {} and the \
             same options, and name that with --trace",
            import(path)
        ))),
        None => Ok(()),
    }
}

/// The path of a file from a folder, which may not be there yet: what a file in that folder names it by.
pub fn from_folder(folder: &Path, file: &Path) -> std::io::Result<PathBuf> {
    let (folder, file) = (resolved(folder)?, file.canonicalize()?);
    let same = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(same).map(|_| Path::new(".."));
    Ok(up.chain(file.components().skip(same).map(|part| Path::new(part.as_os_str()))).collect())
}

/// A path without links, as far as it is there.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Err(_), Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
        (resolved, ..) => resolved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_from_a_folder_that_is_not_there_yet() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(dir.path().join("traces")).expect("it is made");
        let file = dir.path().join("traces/board.csv");
        std::fs::File::open(dir.path()).expect("it is there");
        assert!(from_folder(&dir.path().join("heap"), &file).is_err(), "there is no such file");
        let from = |folder: &str| from_folder(&dir.path().join(folder), &dir.path().join("traces")).expect("a path");
        assert_eq!(from("heap"), Path::new("../traces"));
        assert_eq!(from("out/heap"), Path::new("../../traces"));
        assert_eq!(from("."), Path::new("traces"));
    }
}
