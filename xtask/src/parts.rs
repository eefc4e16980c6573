//! The parts of a long verb: what each took, by the clock and of the processors, and what could not be run.

use std::fs::File;
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{Outcome, logged, target};

/// What was run, and what was not.
pub struct Parts {
    began: Instant,
    done: Vec<Part>,
    left_out: Vec<String>,
    /// Whether other parts run meanwhile: nobody knows then whose processor time it was.
    is_shared: bool,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { began: Instant::now(), done: Vec::new(), left_out: Vec::new(), is_shared: false }
    }
}

/// A part that ended.
struct Part {
    name: &'static str,
    took: Duration,
    /// Of all processes that it started; none if the system does not report it, or other parts ran meanwhile.
    processors: Option<Duration>,
}

impl Parts {
    /// Runs a part and keeps what it took.
    pub fn run(&mut self, name: &'static str, part: impl FnOnce() -> Outcome) -> Outcome {
        let (began, before) = (Instant::now(), processor_time());
        let outcome = part();
        let processors = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
        let processors = processors.filter(|_| !self.is_shared);
        self.done.push(Part { name, took: began.elapsed(), processors });
        outcome
    }

    /// Runs parts side by side, as most leave a processor idle at times. What programs of the second write goes to a file,
    /// which is shown if they fail.
    pub fn side_by_side(
        &mut self,
        first: impl FnOnce(&mut Parts) -> Outcome,
        second: impl FnOnce(&mut Parts) -> Outcome + Send,
    ) -> Outcome {
        let path = target().join("xtask-side.log");
        let log = File::create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let shared = || Parts { is_shared: true, ..Parts::default() };
        let (mut one, mut other) = (shared(), shared());
        let (first, second) = thread::scope(|scope| {
            let second = scope.spawn(|| logged(log, || second(&mut other)));
            (first(&mut one), second.join().unwrap_or_else(|_| Err("a part of the test panicked".to_owned())))
        });
        for parts in [one, other] {
            self.done.extend(parts.done);
            self.left_out.extend(parts.left_out);
        }
        if second.is_err() {
            eprint!("{}", std::fs::read_to_string(&path).unwrap_or_default());
        }
        first.and(second)
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
        let total = Part { name: "in all", took: self.began.elapsed(), processors: processor_time() };
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
    fn parts_side_by_side_are_in_the_table_and_one_that_fails_is_a_failure() {
        let mut parts = Parts::default();
        let both =
            parts.side_by_side(|parts| parts.run("one", || Ok(())), |parts| parts.run("two", || Err("no".to_owned())));
        assert_eq!(both, Err("no".to_owned()));
        let table = parts.table();
        assert!(table.contains("one") && table.contains("two"), "{table}");
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
