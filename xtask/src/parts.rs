//! The parts of a long verb: what each took, by the clock and of the processors, and what could not be run.

use std::fs::File;
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{Outcome, logged, processor_time, spent, target};

/// What was run, and what was not.
pub struct Parts {
    began: Instant,
    done: Vec<Part>,
    left_out: Vec<String>,
    /// The processor time so far: of this process's children, or where other parts run meanwhile of this thread's.
    spent: fn() -> Option<Duration>,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { began: Instant::now(), done: Vec::new(), left_out: Vec::new(), spent: processor_time }
    }
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
        let (began, before) = (Instant::now(), (self.spent)());
        let outcome = part();
        let processors = (self.spent)().zip(before).map(|(after, before)| after.saturating_sub(before));
        self.done.push(Part { name, took: began.elapsed(), processors });
        outcome
    }

    /// Runs parts side by side, as most leave a processor idle at times. Their programs are run by [`run_with`], which knows
    /// what each spent; what those of the second write goes to a file, which is shown if they fail.
    ///
    /// [`run_with`]: crate::run::run_with
    pub fn side_by_side(
        &mut self,
        first: impl FnOnce(&mut Parts) -> Outcome,
        second: impl FnOnce(&mut Parts) -> Outcome + Send,
    ) -> Outcome {
        let path = target().join("xtask-side.log");
        let log = File::create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let shared = || Parts { spent, ..Parts::default() };
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

#[cfg(test)]
mod tests {
    use super::*;

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
