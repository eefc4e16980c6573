//! The figures of a heap for a firmware that somebody signs: one page, and the same lines in the head of the emitted source.
//!
//! ```text
//!   subject: traces, exploration ─┬─ memory   what was recorded, RAM for it and for changed copies, what is proven, an attack
//!                                 └─ work     the worst operation in accesses and in instructions
//!   emitted C ────────────────────── code     its size, its deviations from MISRA C
//! ```
//!
//! RAM, worst operation and guarantee are those of `explore`'s answer: the same functions find them. What is not known, as
//! nothing was recorded or a tool is missing, is said in its line, with how to get it. `NAME_check.toml` asserts what a replay
//! can verify, for `heapsmith check`.

mod assertions;
mod code;
mod known;
mod lines;
mod memory;
mod subject;
mod work;

use heapsmith_emit::{File, Name, Request, base_alignment};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::failure::Failure;
use assertions::Assertions;
use known::Known;
use lines::Lines;
pub use subject::{Subject, verify};

/// What was worked out.
pub struct Sheet {
    /// A figure a line, its name before it; a long one goes on in the next line.
    pub lines: Vec<String>,
    /// Bytes to reserve for the traces; none where there are none.
    pub reserve: Option<u64>,
    /// The page, and the assertions about it.
    pub files: Vec<File>,
}

/// Works out all figures of a heap whose C is `c`, for a folder of files at `subject.out`.
pub fn sheet(name: &Name, spec: &Spec, subject: &Subject, c: &[File]) -> Result<Sheet, Failure> {
    let known = Known::of(spec, subject)?;
    let mut lines = Lines::default();
    lines.add("target", &subject.words());
    let base = base(name, spec, subject)?;
    memory::add(&mut lines, spec, subject, known.as_ref(), base)?;
    work::add(&mut lines, spec, subject, known.as_ref());
    code::add(&mut lines, name, subject.target(), c)?;
    subject.add_exploration(&mut lines, spec);
    let assertions = known.as_ref().map(|known| Assertions { name, spec, subject, known }.file()).transpose()?;
    match &assertions {
        Some(file) => lines.add("kept true by", &format!("heapsmith check {}", file.name)),
        None => lines.add("kept true by", "nothing: there is no recording to check it on"),
    }
    let files = [page(name, spec, &lines)].into_iter().chain(assertions).collect();
    Ok(Sheet { lines: lines.0, reserve: known.map(|known| known.reserve.0), files })
}

/// What the region's address has to be a multiple of for the figures of the traces, if more than the heap wants.
fn base(name: &Name, spec: &Spec, subject: &Subject) -> Result<Option<u64>, Failure> {
    let coarsest = subject.traces.iter().map(PackedTrace::coarsest_alignment).max().unwrap_or(1);
    Ok(base_alignment(&Request::new(spec.clone(), name.clone()), coarsest)?)
}

fn page(name: &Name, spec: &Spec, lines: &Lines) -> File {
    let name = name.lower();
    let lines: String = lines.0.iter().map(|line| format!("{line}\n")).collect();
    let text = format!(
        "{name}_sheet.txt: the figures of the heap {name}, worked out by heapsmith {}.\n\n{spec}\n\n{lines}",
        env!("CARGO_PKG_VERSION")
    );
    File::new(format!("{name}_sheet.txt"), text)
}
