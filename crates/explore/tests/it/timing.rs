//! Timing at the end of an exploration, as an observer sees it.

use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_explore::{Observer, Plan, RunError, Stage, Strategy, SweepError, TimingPlan, Work, run};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};

const SPACE: &str = r#"
[[family]]
name = "small"
heap = "list(order=address)"
[family.levels]
fit = [0, 100]
"#;

/// Asks to stop as soon as something is timed, and notes the stages.
struct Impatient<'s> {
    stop: &'s AtomicBool,
    times: bool,
    stages: Vec<String>,
}

impl Observer for Impatient<'_> {
    fn stage(&mut self, stage: Stage<'_>) {
        self.times = stage == Stage::Times;
        self.stages.push(format!("{stage:?}"));
    }

    fn work(&mut self, _at: Work<'_>) {
        self.stop.fetch_or(self.times, Ordering::Relaxed);
    }
}

#[test]
fn an_interrupt_while_timing_ends_the_stage_as_well() {
    let mut trace = Trace::new(Origin::new("pairs", ""));
    for id in 0..200 {
        trace.events.push(Event::at(2 * id, Action::Allocate { id, size: Bytes(40 + id % 7), alignment: 0 }));
        trace.events.push(Event::at(2 * id + 1, Action::Free { id }));
    }
    let (traces, dir) = ([PackedTrace::new(&trace).expect("a sound trace")], tempfile::tempdir().expect("a folder"));
    let stop = AtomicBool::new(false);
    let plan = Plan {
        space: ("small", SPACE),
        search: Some(Strategy::Exhaustive),
        timing: TimingPlan::rounds(3, false),
        ..Plan::new(dir.path(), &traces, &stop)
    };
    let mut observer = Impatient { stop: &stop, times: false, stages: Vec::new() };
    let ended = run(&plan, &mut |_, path| trace.write(path), &mut observer).expect_err("it was asked to stop");
    assert!(matches!(ended, RunError::Sweep(SweepError::Interrupted)), "{ended}");
    // A progress bar is shown from a stage until the next one.
    let last: Vec<&str> = observer.stages.iter().rev().take(2).map(String::as_str).collect();
    assert_eq!(last, ["Idle", "Times"]);
}
