//! The traces and heaps that a check file names.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use heapsmith_check::{CheckFile, HeapInput, HeapSource, Source, TraceInput};
use heapsmith_explore::Store;
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::PackedTrace;
use heapsmith_workload::PREFIX;

use super::in_folder;
use crate::args::{Prefer, Reading};
use crate::failure::Failure;
use crate::{heap, input};

/// Reads what a check file names, relative to its folder.
pub struct Inputs<'f> {
    file: &'f CheckFile,
}

impl<'f> Inputs<'f> {
    pub fn of(file: &'f CheckFile) -> Inputs<'f> {
        Inputs { file }
    }

    /// What is read, so that no output is one of them.
    pub fn paths(&self) -> Vec<PathBuf> {
        let traces = self.file.traces.iter().map(|trace| self.path(trace, None));
        let stores = self.file.heaps.iter().filter_map(|heap| match &heap.source {
            HeapSource::Exploration { dir, .. } => Some(in_folder(self.file.folder(), dir).join(Store::FILE)),
            HeapSource::Spec(_) => None,
        });
        traces.chain(stores).collect()
    }

    fn path(&self, trace: &TraceInput, base: Option<&Path>) -> PathBuf {
        let file = Path::new(&trace.file);
        match trace.file.starts_with(PREFIX) {
            true => file.to_owned(),
            false => in_folder(base.unwrap_or(self.file.folder()), file),
        }
    }

    /// A failure, with the line of the check file that is about what failed.
    fn at(&self, line: usize, named: &str, failure: &Failure) -> Failure {
        failure.within(format_args!("{}:{line}: {named}", self.file.path.display()))
    }
}

impl Source for Inputs<'_> {
    type Error = Failure;

    fn trace(&mut self, input: &TraceInput, base: Option<&Path>) -> Result<PackedTrace, Failure> {
        let named = format!("trace {:?}", input.name);
        let wrong = |what: String| self.at(input.line, &named, &Failure::wrong_use(what));
        let reading = Reading::of_options(&input.options).map_err(wrong)?;
        if base.is_some() && Path::new(&input.file).is_absolute() {
            return Err(wrong(format!(
                "{} is absolute, so the base's folder has no other version of it: write it relative to the check file",
                input.file
            )));
        }
        let path = self.path(input, base);
        let trace = input::stream_packed(&path, &reading).map_err(|failure| self.at(input.line, &named, &failure))?;
        input::announce(&trace);
        Ok(trace)
    }

    fn heap(&mut self, input: &HeapInput) -> Result<Spec, Failure> {
        let at = |failure: Failure| self.at(input.line, &format!("heap {:?}", input.name), &failure);
        match &input.source {
            HeapSource::Spec(text) => resolve(text).map_err(|error| at(error.into())),
            HeapSource::Exploration { dir, prefer } => {
                let prefer = prefer.as_deref().map(preference).transpose().map_err(at)?;
                let dir = in_folder(self.file.folder(), dir);
                if !dir.is_dir() {
                    return Err(at(Failure::bad_input(format!("{} is no folder of an exploration", dir.display()))));
                }
                heap::named(&OsString::from(dir), prefer).map(|named| named.spec).map_err(at)
            }
        }
    }
}

fn preference(name: &str) -> Result<Prefer, Failure> {
    Prefer::from_str(name, false).map_err(|_| {
        let names: Vec<String> = Prefer::value_variants()
            .iter()
            .filter_map(Prefer::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        Failure::wrong_use(format!("{name:?} is no preference: write one of {}", names.join(", ")))
    })
}
