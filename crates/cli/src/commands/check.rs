//! `heapsmith check`: assertions about heaps on traces.

use std::path::{Path, PathBuf};

use heapsmith_check::{Base, CheckFile, EXAMPLE, Report, Saved, check, junit, sarif};
use heapsmith_output::Output;

use crate::args::{Check, ReportFormat};
use crate::console::{self, note};
use crate::failure::Failure;
use crate::output;

mod inputs;
mod verdicts;

use inputs::Inputs;

pub fn run(arguments: &Check) -> Result<(), Failure> {
    let Some(path) = &arguments.file else {
        console::hand_over(EXAMPLE.as_bytes());
        return Ok(());
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        let path = path.display();
        Failure::bad_input(format!(
            "{path} cannot be read as a check file: {error}; `heapsmith check --print-example` prints one"
        ))
    })?;
    let file = CheckFile::parse(path, &text).map_err(Failure::wrong_use)?;
    let (base, named) = base(&file, arguments)?;
    // Before anything is replayed: what will not be written is said at once.
    let mut inputs = Inputs::of(&file);
    let mut read: Vec<PathBuf> = inputs.paths().into_iter().chain([path.clone()]).collect();
    // Saving over the base renews it: it was read to its end.
    let save = arguments.save.as_deref().map(|save| output::beside_text(save, &read)).transpose()?;
    read.extend(named);
    let out = arguments.out.as_deref().map(|out| output::named(out, &read)).transpose()?;
    let report = check(&file, &base, &mut inputs)?;
    let answer = match arguments.format {
        ReportFormat::Text => verdicts::text(&report, console::columns().filter(|_| out.is_none()))?,
        ReportFormat::Junit => junit(&report),
        ReportFormat::Sarif => sarif(&report),
    };
    match out {
        Some(out) => {
            if !out.is_standard() {
                console::say_text(&verdicts::text(&report, console::columns())?);
            }
            put(out, &answer)?;
        }
        None if arguments.format == ReportFormat::Text => console::say_text(&answer),
        None => console::hand_over(answer.as_bytes()),
    }
    if let Some(save) = save {
        put(save, &report.figures.to_json())?;
    }
    verdict(&report)
}

fn put(output: Output, text: &str) -> Result<(), Failure> {
    let (path, is_stream) = (output.path().to_owned(), output.is_stream());
    output.put(text).map_err(|error| Failure::writing(&path, &error))?;
    if !is_stream {
        note!("wrote {}", path.display());
    }
    Ok(())
}

/// What the check compares with, and the file that it is in.
fn base(file: &CheckFile, arguments: &Check) -> Result<(Base, Option<PathBuf>), Failure> {
    let named = arguments.base.clone().or_else(|| file.base.as_ref().map(|base| file.folder().join(base)));
    let Some(path) = named else { return Ok((Base::None, None)) };
    if !file.needs_base() {
        return Err(Failure::wrong_use(format!(
            "no assertion of {} compares with a base: add max_growth or max_drop to one, or leave the base away",
            file.path.display()
        )));
    }
    if path.is_dir() {
        return Ok((Base::Folder(path), None));
    }
    if arguments.save.is_some() && matches!(path.try_exists(), Ok(false)) {
        note!("heapsmith: there is no {} yet: nothing is compared, and the figures are saved", path.display());
        return Ok((Base::None, None));
    }
    let unread =
        |error: &dyn std::fmt::Display| Failure::bad_input(format!("cannot compare with {}: {error}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| {
        unread(&format!("{error}; `heapsmith check FILE.toml --save FILE` writes figures to compare with"))
    })?;
    let saved = Saved::parse(&text).map_err(|error| unread(&error))?;
    Ok((Base::Saved(saved), Some(path)))
}

/// The end of a check: nothing where all assertions hold, else the sentences of those that do not.
fn verdict(report: &Report) -> Result<(), Failure> {
    let (failed, impossible) = (report.failed().count(), report.impossible().count());
    let sentences = report.verdicts.iter().filter_map(|verdict| verdict.outcome.sentence());
    let sentences: String = sentences.map(|sentence| format!("\n{sentence}")).collect();
    let all = report.verdicts.len();
    match (failed, impossible) {
        (0, 0) => Ok(()),
        (0, some) => Err(Failure::wrong_use(format!("{some} of {all} assertions could not be evaluated{sentences}"))),
        (some, 0) => Err(Failure::job(format!("{some} of {all} assertions failed{sentences}"))),
        (failed, impossible) => Err(Failure::job(format!(
            "{failed} of {all} assertions failed, {impossible} could not be evaluated{sentences}"
        ))),
    }
}

/// A path of a check file, from where the command runs.
fn in_folder(folder: &Path, path: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() { path.to_owned() } else { folder.join(path) }
}
