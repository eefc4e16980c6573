//! The folder that outcomes are written to.
//!
//! ```text
//!   DIR/papers.md, papers.html       every outcome that DIR/papers holds, in the papers' order
//!   DIR/papers/NAME.csv              the data
//!   DIR/papers/NAME*.svg             the figures
//!   DIR/papers/NAME.json             statements, tables: what the pages are made of
//! ```
//!
//! F1. A file appears whole or not at all; no file is replaced that is not an outcome (`heapsmith_output`).
//! F2. `NAME.json` is written last, so what the pages show has its data and its figures.
//! F3. The pages are made of the folder alone, so an experiment that is run by itself, or before an interrupt,
//!     takes its place among those that were run earlier.

use std::io;
use std::path::{Path, PathBuf};

use heapsmith_output::{Output, Refusal};
use heapsmith_report::{Reproduced, ReproducedPaper, ShownTable, reproduction};

use crate::experiment::{Experiment, papers};
use crate::markdown::markdown;
use crate::outcome::{Kept, Outcome, Statement, Verdict};
use crate::page::{answered, good, row, says, summary};
use crate::registry::experiments;
use crate::shown::Shown;

/// Why the folder could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file cannot be written.
    #[error("cannot write {}: {source}; choose another folder with -o", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A kept outcome is not one.
    #[error("{} is no outcome of this version ({cause}): remove it, and run `heapsmith reproduce` again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: serde_json::Error,
    },
}

/// The folder.
#[derive(Debug, Clone)]
pub struct Folder {
    dir: PathBuf,
}

/// Name of the folder inside the folder that holds data and figures.
const INSIDE: &str = "papers";

impl Folder {
    /// The folder at `dir`, made if it is not there; an error if nothing can be written to it, or if it holds
    /// something else than outcomes under the names of outcomes.
    pub fn open(dir: &Path) -> Result<Folder, FolderError> {
        let (folder, inside) = (Folder { dir: dir.to_owned() }, dir.join(INSIDE));
        let claimed = heapsmith_output::ResultsFolder::claim(&inside, holds_outcomes);
        let claimed = claimed.map_err(|source| FolderError::Write { path: inside, source })?;
        let foreign = folder.page_files().into_iter().find(|page| claimed.is_new() && page.symlink_metadata().is_ok());
        match foreign {
            Some(path) => Err(FolderError::Write { path, source: Refusal::NotOurs.into() }),
            None => Ok(folder),
        }
    }

    /// Keeps an outcome: its data, its figures, and what the pages need. Figures that an earlier run left and this
    /// one does not have are removed.
    pub fn keep(&self, experiment: &Experiment, outcome: &Outcome) -> Result<(), FolderError> {
        let kept = Kept::of(experiment.name, outcome);
        if let Ok(earlier) = self.kept(experiment) {
            let files = earlier.iter().flat_map(|earlier| &earlier.figures);
            for (file, _) in files.filter(|(file, _)| kept.figures.iter().all(|(now, _)| now != file)) {
                let _ = std::fs::remove_file(self.inside(file));
            }
        }
        self.write(&self.inside(&format!("{}.csv", experiment.name)), &outcome.csv)?;
        for (figure, (file, _)) in outcome.figures.iter().zip(&kept.figures) {
            self.write(&self.inside(file), &figure.svg)?;
        }
        let path = self.inside(&format!("{}.json", experiment.name));
        let json =
            serde_json::to_string_pretty(&kept).map_err(|cause| FolderError::Damaged { path: path.clone(), cause })?;
        self.write(&path, &format!("{json}\n"))
    }

    /// What is kept of an experiment; none if it was never run.
    pub fn kept(&self, experiment: &Experiment) -> Result<Option<Kept>, FolderError> {
        let path = self.inside(&format!("{}.json", experiment.name));
        match std::fs::read_to_string(&path) {
            Ok(json) => serde_json::from_str(&json).map(Some).map_err(|cause| FolderError::Damaged { path, cause }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(FolderError::Read { path, source }),
        }
    }

    /// Writes `papers.md` and `papers.html`; returns their paths.
    pub fn pages(&self) -> Result<[PathBuf; 2], FolderError> {
        let mut kept = Vec::new();
        for experiment in experiments() {
            kept.extend(self.kept(experiment)?.map(|kept| (experiment, kept)));
        }
        let [md, html] = self.page_files();
        let answered = answered(&kept);
        let (summary, rows) = (summary(&answered), answered.iter().map(row).collect::<Vec<_>>());
        self.write(&md, &markdown(&kept, &summary, &rows, INSIDE))?;
        let papers = papers().into_iter().map(|paper| {
            let of_paper = kept.iter().filter(|(experiment, _)| experiment.paper == paper);
            let experiments =
                of_paper.map(|(experiment, kept)| self.reproduced(experiment, kept)).collect::<Result<_, _>>()?;
            let (number, title, citation) = (paper.number.into(), paper.title.into(), paper.citation.into());
            Ok(ReproducedPaper { number, title, citation, experiments })
        });
        let papers: Vec<ReproducedPaper> = papers.collect::<Result<_, FolderError>>()?;
        self.write(&html, &reproduction(&papers, &summary, &rows))?;
        Ok([md, html])
    }

    fn reproduced(&self, experiment: &Experiment, kept: &Kept) -> Result<Reproduced, FolderError> {
        let figure = |(file, caption): &(String, String)| {
            let path = self.inside(file);
            let svg = std::fs::read_to_string(&path).map_err(|source| FolderError::Read { path, source })?;
            Ok((svg, caption.clone()))
        };
        let statement = |s: &Statement| (says(s), s.found.clone(), s.answer.words().to_owned(), good(s.answer));
        Ok(Reproduced {
            name: experiment.name.into(),
            place: experiment.place.into(),
            title: experiment.title.into(),
            claim: experiment.claim.into(),
            verdict: kept.verdict().words().into(),
            good: match kept.verdict() {
                Verdict::Holds => Some(true),
                Verdict::DoesNot => Some(false),
                _ => None,
            },
            found: kept.found.clone(),
            statements: kept.statements.iter().map(statement).collect(),
            differs: experiment.differs.into(),
            figures: kept.figures.iter().map(figure).collect::<Result<_, FolderError>>()?,
            tables: kept.tables.iter().map(table).collect(),
            data: format!("{INSIDE}/{}.csv", experiment.name),
        })
    }

    fn inside(&self, file: &str) -> PathBuf {
        self.dir.join(INSIDE).join(file)
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), FolderError> {
        let written = Output::create(path).and_then(|output| output.put(text));
        written.map_err(|source| FolderError::Write { path: path.to_owned(), source })
    }

    fn page_files(&self) -> [PathBuf; 2] {
        ["papers.md", "papers.html"].map(|name| self.dir.join(name))
    }
}

/// Whether a folder holds something of an experiment.
fn holds_outcomes(inside: &Path) -> bool {
    let names = inside.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    names.any(|name| experiments().iter().any(|experiment| name.starts_with(experiment.name)))
}

fn table(shown: &Shown) -> ShownTable {
    let row = |row: &Vec<crate::Value>| row.iter().map(|value| (value.shown(), value.number())).collect();
    ShownTable {
        caption: shown.caption.clone(),
        columns: shown.columns.clone(),
        rows: shown.rows.iter().map(row).collect(),
    }
}
