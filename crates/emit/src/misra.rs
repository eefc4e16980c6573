//! What cppcheck's rules of MISRA C:2012 say of emitted C.
//!
//! The source notes its deviations where they are, each with its reason. Two rules are left out altogether: 15.5, as functions
//! return where they are done, which the source says; and 12.1, for which cppcheck loses the parentheses in a macro.

use std::io;
use std::path::Path;
use std::process::{Command, Output};

/// The rules that are left out, as cppcheck names them.
pub const MISRA_LEFT_OUT: [&str; 2] = ["misra-c2012-15.5", "misra-c2012-12.1"];

/// What <stdint.h> and <limits.h> define on 64 bits, which cppcheck does not read.
pub(crate) const STANDARD: [&str; 7] = [
    "-DSIZE_MAX=0xFFFFFFFFFFFFFFFFU",
    "-DUINT32_MAX=0xFFFFFFFFU",
    "-DUINT64_MAX=0xFFFFFFFFFFFFFFFFU",
    "-DUINT_MAX=0xFFFFFFFFU",
    "-DULONG_MAX=0xFFFFFFFFFFFFFFFFU",
    "-DULLONG_MAX=0xFFFFFFFFFFFFFFFFU",
    "-DUINT64_C(x)=x##ULL",
];

/// Begins a line of what cppcheck found, before the rule.
const FOUND: &str = "found ";

/// What was found in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misra {
    /// Deviations that the source does not justify: `misra-c2012-11.4 at heap.c:154`.
    pub unjustified: Vec<String>,
    /// Lines of the source and its headers that justify one.
    pub justified: usize,
    /// The version of cppcheck: `Cppcheck 2.10`.
    pub by: String,
}

/// Why nothing is known.
#[derive(Debug, thiserror::Error)]
pub enum MisraError {
    /// There is no cppcheck.
    #[error("cannot run cppcheck: {0}; install it (on Debian: cppcheck)")]
    Missing(#[from] io::Error),
    /// It did not look at the source.
    #[error("cppcheck failed: {0}")]
    Failed(String),
}

/// Looks at a source of C and the headers next to it that it includes. Cost: a run of cppcheck, about a second.
///
/// # Errors
///
/// There is no cppcheck, or it did not look at the source: it has no rules, or does not understand a line.
pub fn misra(source: &Path) -> Result<Misra, MisraError> {
    let version = Command::new("cppcheck").arg("--version").output()?;
    let mut cppcheck = Command::new("cppcheck");
    cppcheck.args(["--addon=misra", "--std=c11", "--inline-suppr", "--quiet"]);
    cppcheck.args(MISRA_LEFT_OUT.map(|rule| format!("--suppress={rule}")));
    cppcheck.arg(format!("--template={FOUND}{{id}} at {{file}}:{{line}}")).args(STANDARD).arg(source);
    let output = cppcheck.output()?;
    Ok(Misra {
        unjustified: unjustified(&output)?,
        justified: justified(source)?,
        by: String::from_utf8_lossy(&version.stdout).trim().to_owned(),
    })
}

fn unjustified(output: &Output) -> Result<Vec<String>, MisraError> {
    let [found, said] = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (rules, others): (Vec<&str>, Vec<&str>) =
        found.lines().filter_map(|line| line.strip_prefix(FOUND)).partition(|line| line.starts_with("misra-"));
    // What it does not understand, it does not look at.
    match others.first() {
        None if output.status.success() => Ok(rules.into_iter().map(str::to_owned).collect()),
        None => Err(MisraError::Failed([said, found].concat().trim().to_owned())),
        Some(other) => Err(MisraError::Failed((*other).to_owned())),
    }
}

fn justified(source: &Path) -> io::Result<usize> {
    let folder = source.parent().unwrap_or(Path::new(""));
    let text = std::fs::read_to_string(source)?;
    let included = text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
    let headers: Vec<String> =
        included.map(|name| std::fs::read_to_string(folder.join(name))).collect::<io::Result<_>>()?;
    let marked = |text: &String| text.lines().filter(|line| line.contains("cppcheck-suppress")).count();
    Ok([text].iter().chain(&headers).map(marked).sum())
}
