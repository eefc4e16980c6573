//! The raw results: a line for every round of every program on every allocator.

use std::fmt::Write;
use std::path::Path;

use super::compare::{Compared, Row};
use crate::origin::{Machine, commit};
use crate::run::Outcome;

/// Writes them, with the machine and the commit in comments before them.
pub fn write(all: &[Compared], path: &Path) -> Outcome {
    let Machine { processor, processors, system, compiler } = Machine::here();
    let commit = commit()?;
    let text = format!(
        "# cargo xtask real: every run; peak: most bytes resident in one process of the program\n\
         # {processor}, {processors} processors, {system}, {compiler}, commit {commit}\n{}",
        lines(all)
    );
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn lines(all: &[Compared]) -> String {
    let mut text = "program,malloc_calls,allocator,heap,round,clock_ns,processors_ns,peak_bytes,output\n".to_owned();
    for compared in all {
        for row in &compared.rows {
            let Row { allocator, spec, runs, failure } = row;
            let start =
                format!("{},{},{allocator},{}", compared.program.name, compared.calls, field(spec.unwrap_or("")));
            for (round, run) in runs.iter().enumerate() {
                let (clock, processors) = (run.clock.as_nanos(), run.processors.as_nanos());
                let _ = writeln!(text, "{start},{},{clock},{processors},{},right", round + 1, run.peak);
            }
            if let Some(failure) = failure {
                let _ = writeln!(text, "{start},{},,,,{}", runs.len() + 1, field(failure));
            }
        }
    }
    text
}

/// A field of CSV: in quotes, with quotes doubled.
fn field(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::real::figures::tests::compared;

    #[test]
    fn every_round_has_a_line_and_a_failure_too() {
        let text = lines(&[compared()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 9 + 1);
        assert_eq!(lines[2], "python-tests,1234567,glibc,\"\",2,1000000000,500000000,115343360,right");
        assert_eq!(lines[10], "python-tests,1234567,buddy,\"buddy(estranged)\",2,,,,\"killed by signal 11\"");
    }
}
