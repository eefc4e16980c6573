//! The tables that are printed, and whether the target holds.

use std::fmt::Write;

use super::compare::{Compared, Row};
use super::figures::{Best, Figures};
use super::program::Time;

/// A program's table: a line for each allocator, absolute figures with their ratios to glibc's.
pub fn of_program(compared: &Compared) -> String {
    let program = compared.program;
    let mut text = format!("\n{}: {}; {} calls of malloc\n", program.name, program.about, grouped(compared.calls));
    let _ = writeln!(
        text,
        "  {:<12} {:>9} {:>6}  {:>9} {:>6}  {:>9} {:>6}  output",
        "", "clock", "", "processor", "", "peak", ""
    );
    let glibc = compared.rows.first().and_then(Figures::of);
    for row in &compared.rows {
        let _ = writeln!(text, "  {:<12} {}", row.allocator, line(row, glibc));
    }
    text
}

fn line(row: &Row, glibc: Option<Figures>) -> String {
    if let Some(failure) = &row.failure {
        return format!("{:>9} {:>6}  {:>9} {:>6}  {:>9} {:>6}  WRONG: {failure}", "-", "", "-", "", "-", "");
    }
    let (Some(figures), Some(glibc)) = (Figures::of(row), glibc) else {
        return "did not run".to_owned();
    };
    let by = figures.by(glibc);
    format!(
        "{:>7.2} s {:>5.2}x  {:>7.2} s {:>5.2}x  {:>6.1} MB {:>5.2}x  right",
        figures.clock,
        by.clock,
        figures.processors,
        by.processors,
        figures.peak / 1e6,
        by.peak
    )
}

/// For each program the best of our heaps, and whether it takes at most glibc's time and peak.
pub fn summary(all: &[Compared]) -> String {
    let mut text = format!(
        "\nLoad of the machine, whatever runs on it: {} in the last 1, 5 and 15 minutes\n\
         Best heap of heapsmith, ratios to glibc; target: one heap with at most its time and its peak\n  \
         {:<13} {:<20} {:<20} {:<27} target\n",
        load(),
        "",
        "in time",
        "in peak",
        "in both: time, peak"
    );
    for compared in all {
        let of = match compared.program.time {
            Time::Processors => "of processors",
            Time::Clock => "by the clock",
        };
        let _ = match Best::of(compared) {
            None => writeln!(text, "  {:<13} no heap got through it", compared.program.name),
            Some(Best { time, peak, both }) => writeln!(
                text,
                "  {:<13} {:<13} {:>4.2}x  {:<13} {:>4.2}x  {:<13} {:>4.2}x {:>4.2}x  {}, time {of}",
                compared.program.name,
                time.allocator,
                time.time,
                peak.allocator,
                peak.peak,
                both.allocator,
                both.time,
                both.peak,
                if both.holds() { "met" } else { "MISSED" },
            ),
        };
    }
    text
}

/// Processes that wanted a processor: times by the clock say little where these were more than there are processors.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().take(3).collect::<Vec<_>>().join(", ")
}

/// What failed, a line each.
pub fn failures(all: &[Compared]) -> Vec<String> {
    let rows = all.iter().flat_map(|compared| compared.rows.iter().map(move |row| (compared.program.name, row)));
    rows.filter_map(|(name, row)| Some(format!("{name} on {}: {}", row.allocator, row.failure.as_ref()?))).collect()
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|part| std::str::from_utf8(part).unwrap_or_default()).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::{failures, grouped, of_program, summary};
    use crate::real::figures::tests::compared;

    #[test]
    fn a_programs_table_has_absolute_figures_and_ratios() {
        let text = of_program(&compared());
        let line = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).expect(name).to_owned();
        assert!(text.contains("1,234,567 calls"), "{text}");
        assert!(line("lists").ends_with("1.10 s  1.10x     0.55 s  1.10x    83.9 MB  0.80x  right"), "{text}");
        assert!(line("buddy").ends_with("WRONG: killed by signal 11"), "{text}");
    }

    #[test]
    fn the_summary_names_the_best_and_a_missed_target() {
        let text = summary(&[compared()]);
        let line = text.lines().last().expect("a program");
        assert!(line.contains("tree          0.90x  lists         0.80x  lists         1.10x 0.80x  MISSED"), "{text}");
        let mut good = compared();
        good.rows[2].runs.push(crate::real::figures::tests::row("", None, &[(1000, 90)]).runs.remove(0));
        assert!(summary(&[good]).contains("1.00x 0.80x  met"));
    }

    #[test]
    fn failures_name_program_and_allocator() {
        assert_eq!(failures(&[compared()]), ["python-tests on buddy: killed by signal 11"]);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([7, 1_000, 12_345_678].map(grouped), ["7", "1,000", "12,345,678"]);
    }
}
