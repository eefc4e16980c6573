//! The tables that are printed, and whether the target holds.

use std::fmt::Write;

use super::compare::{Compared, Row};
use super::figures::Figures;
use super::target::{self, Target};

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

/// For each program the heap that the target asks for, and whether it holds; then all programs together.
pub fn summary(all: &[Compared]) -> String {
    let mut text = format!(
        "\nTarget: one heap of heapsmith with no more peak than glibc, and the processor time of the fastest other\n\
         allocator, within the interval; of tests of allocators mimalloc's peak and time by the clock. To glibc, means of rounds:\n  \
         {:<13} {:<17} {:>5} {:>6} {:>11}   {:<9} {:<23} target\n",
        "", "heap", "time", "peak", "other time", "fastest", "time of heap to its"
    );
    for compared in all {
        let _ = writeln!(text, "  {:<13} {}", compared.program.name, verdict(compared));
    }
    if let Some((time, peak)) = target::means(all) {
        let holds = if time <= target::TIME && peak <= 1.0 { "met" } else { "MISSED" };
        let _ = writeln!(
            text,
            "Geometric means without tests of allocators: time {time:.3}, peak {peak:.3}; target {:.2} and 1.00: {holds}",
            target::TIME
        );
    }
    text
}

fn verdict(compared: &Compared) -> String {
    let Some(target) = Target::of(compared) else {
        return "no heap got through it".to_owned();
    };
    let holds = if target.holds() { "met" } else { "MISSED" };
    let Target { heap, time, peak, other_time, other, to_other, .. } = target;
    let to_other = to_other.map_or("one round".to_owned(), |mean| mean.to_string());
    format!("{heap:<17} {time:>5.2} {peak:>6.2} {other_time:>11.2}   {other:<9} {to_other:<23} {holds}")
}

/// How busy the machine was, whatever ran on it.
pub fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<f64> = load.split_whitespace().take(3).filter_map(|number| number.parse().ok()).collect();
    busy(&load, std::thread::available_parallelism().map_or(1, usize::from))
}

/// The two threads of a program here count as two.
fn busy(load: &[f64], processors: usize) -> String {
    let max = load.iter().copied().fold(0.0, f64::max);
    let remark = if max > processors as f64 + 1.0 { ": times by the clock are those of a busy machine" } else { "" };
    let load: Vec<String> = load.iter().map(|load| format!("{load:.1}")).collect();
    format!("\nLoad of the last 1, 5 and 15 minutes on {processors} processors: {}{remark}\n", load.join(", "))
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
    use super::{busy, failures, grouped, of_program, summary};
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
    fn the_summary_names_the_heap_and_a_missed_target() {
        let text = summary(&[compared()]);
        let line = |start: &str| text.lines().find(|line| line.trim().starts_with(start)).expect("a line").to_owned();
        let figures = line("python-tests");
        let figures: Vec<&str> = figures.split_whitespace().collect();
        assert_eq!(figures[..6], ["python-tests", "lists", "0.81", "0.80", "0.81", "peer"], "{text}");
        assert_eq!(figures.last(), Some(&"MISSED"), "{text}");
        assert!(line("Geometric").contains("time 0.812, peak 0.800; target 0.90 and 1.00: met"), "{text}");
    }

    #[test]
    fn a_busy_machine_is_told() {
        assert!(busy(&[7.5, 2.0, 1.0], 2).contains("busy machine"));
        assert!(!busy(&[2.5, 2.0, 1.0], 2).contains("busy machine"));
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
