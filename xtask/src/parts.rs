//! The parts of a long verb: what each took, by the clock and of the processors, and what could not be run.

use std::time::{Duration, Instant};

use crate::run::Outcome;

/// What was run, and what was not.
#[derive(Default)]
pub struct Parts {
    done: Vec<Part>,
    left_out: Vec<String>,
}

/// A part that ended.
struct Part {
    name: &'static str,
    took: Duration,
    /// Of all processes that it started; none if the system does not report it.
    processors: Option<Duration>,
}

impl Parts {
    /// Runs a part and keeps what it took.
    pub fn run(&mut self, name: &'static str, part: impl FnOnce() -> Outcome) -> Outcome {
        let (began, before) = (Instant::now(), processor_time());
        let outcome = part();
        let processors = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
        self.done.push(Part { name, took: began.elapsed(), processors });
        outcome
    }

    /// Says at once, and once more at the end, that something is not run.
    pub fn leave_out(&mut self, what: String) {
        eprintln!("xtask: NOT RUN: {what}");
        self.left_out.push(what);
    }

    /// What each part took, their sum, and what was left out.
    pub fn tell(&self) {
        eprint!("{}", self.table());
    }

    /// The same, as lines.
    pub fn table(&self) -> String {
        let sum = |each: fn(&Part) -> Duration| self.done.iter().map(each).sum::<Duration>();
        let total = Part {
            name: "in all",
            took: sum(|part| part.took),
            processors: self.done.iter().map(|part| part.processors).sum(),
        };
        let mut lines: Vec<String> = self.done.iter().chain([&total]).map(Part::line).collect();
        lines.extend(self.left_out.iter().map(|what| format!("NOT RUN: {what}")));
        lines.into_iter().map(|line| format!("xtask: {line}\n")).collect()
    }
}

impl Part {
    fn line(&self) -> String {
        let clock = |time: Duration| format!("{:>3} min {:>2} s", time.as_secs() / 60, time.as_secs() % 60);
        let processors =
            self.processors.map_or_else(String::new, |time| format!("{:>6} s of processors", time.as_secs()));
        format!("{:<16} {} {processors}", self.name, clock(self.took))
    }
}

/// Processor time of all processes that this one started and that ended, and of theirs.
pub fn processor_time() -> Option<Duration> {
    children(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The times of children in a line of `/proc/self/stat`: fields 16 and 17, in hundredths of a second.
fn children(stat: &str) -> Option<Duration> {
    // The program's name may hold anything, and ends with the last parenthesis; field 3 follows.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(16)? + ticks(17)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read_behind_a_name_with_parentheses() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 100 900 0 0 11 12 130 25 20 0 1 0 5 0 0";
        assert_eq!(children(stat), Some(Duration::from_millis(1550)));
        assert_eq!(children("no stat"), None);
    }

    #[test]
    fn a_table_has_a_sum_and_says_what_was_left_out() {
        let mut parts = Parts::default();
        parts.run("one", || Ok(())).expect("nothing failed");
        parts.run("two", || Err("no".to_owned())).expect_err("it failed");
        parts.leave_out("three".to_owned());
        let table = parts.table();
        let words: Vec<&str> = table.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
        assert_eq!(words, ["one", "two", "in", "NOT"]);
    }
}
