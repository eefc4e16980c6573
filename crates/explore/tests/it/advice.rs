//! Whether to change, and what is picked where some heaps could not go on.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Advice, Constraint, Exploration, Goal, Objective, Plan, Preference, Question, run};
use heapsmith_trace::{Action, Bytes, Draws, Event, PackedTrace, Trace};

/// Two sizes of one class, of which some tens are live.
fn blocks() -> Trace {
    let mut trace = Trace::default();
    let mut draws = Draws::new(5);
    let mut live = Vec::new();
    let mut push = |action| trace.events.push(Event::at(trace.events.len() as u64, action));
    for id in 0..2_000 {
        push(Action::Allocate { id, size: Bytes(if draws.below(2) == 0 { 60 } else { 64 }), alignment: 0 });
        live.push(id);
        if live.len() > 40 {
            push(Action::Free { id: live.swap_remove(draws.below(live.len() as u64) as usize) });
        }
    }
    trace
}

fn explored(heaps: &str, question: Question) -> Exploration {
    let dir = tempfile::tempdir().expect("a folder");
    let space = format!("[[family]]\nname = \"few\"\nheap = [{heaps}]\n");
    let (stop, trace) = (AtomicBool::new(false), blocks());
    let traces = [PackedTrace::new(&trace).expect("a sound trace")];
    let plan = Plan { space: ("few", &space), question, ..Plan::new(dir.path(), &traces, &stop) };
    let mut write = |_: usize, path: &Path| trace.write(path);
    run(&plan, &mut write, &mut ()).expect("not interrupted").exploration
}

const CLASSES: &str = "\"classes(16..=4096 double)\"";
const BOTH: &str = "\"classes(16..=4096 double)\", \"list(order=address, fit=best)\"";

fn picked(heaps: &str, question: Question) -> String {
    let exploration = explored(heaps, question);
    exploration.rows[exploration.picked().expect("a pick")].design.spec.to_string()
}

#[test]
fn a_heap_that_never_joins_is_picked_only_where_nothing_else_serves() {
    for robust in [true, false] {
        let of = |preference| Question { preference, robust, ..Question::default() };
        let exploration = explored(BOTH, of(Preference::Speed));
        let accesses = |index: usize| exploration.points[index].get(Objective::Accesses);
        assert!(accesses(0) < accesses(1), "classes are the faster ones");
        for preference in [Preference::Memory, Preference::Speed, Preference::Balanced] {
            let pick = picked(BOTH, of(preference));
            assert!(pick.starts_with("list("), "{preference}, robust {robust}: {pick}");
            assert!(picked(CLASSES, of(preference)).starts_with("classes("), "there is nothing else");
        }
    }
    let bounded = Question { preference: Preference::Bounded, ..Question::default() };
    assert!(picked(BOTH, bounded).starts_with("classes("), "its bound is the lowest");
}

#[test]
fn a_bound_that_is_a_little_cheaper_is_not_paid_for_with_memory() {
    let heaps = "\"tlsf\", \"half-fit\", \"tlsf(second-level=4)\", \"freelists(64) tlsf\", \"freelists(64) half-fit\", \
                 \"knuth-buddy\"";
    let exploration = explored(heaps, Question { preference: Preference::Bounded, ..Question::default() });
    let proven = |index: usize| exploration.proven(index);
    let all: Vec<_> = (0..exploration.rows.len()).filter_map(proven).collect();
    let cheapest = all.iter().map(|proven| proven.accesses).min().expect("some are proven") as f64;
    let near = all.iter().filter(|proven| proven.accesses as f64 * 0.95 <= cheapest);
    let pick = exploration.picked().and_then(proven).expect("a pick with a proof");
    assert_eq!(near.map(|proven| proven.region).min(), Some(pick.region), "{all:?}");
    assert!(all.len() > 3, "{all:?}");
}

#[test]
fn a_baseline_that_refuses_in_the_region_that_is_asked_for_is_to_be_changed() {
    let of = |max: Option<u64>| {
        let limit = max.map(|max| Constraint { objective: Objective::MinRegion, max: max as f64 });
        let goal = Goal { constraints: limit.into_iter().collect(), ..Goal::default() };
        Question { goal, baseline: Some("tlsf".parse().expect("a baseline")), ..Question::default() }
    };
    let list = "\"list(order=address, fit=best)\"";
    let unlimited = explored(list, of(None));
    let verdict = unlimited.verdict(0, Preference::Balanced);
    assert!(verdict.memory.is_some() && verdict.remark.is_none(), "{verdict:?}");
    let bytes = unlimited.reserve(0).expect("it was found").0;
    let limited = explored(list, of(Some(bytes)));
    let verdict = limited.verdict(0, Preference::Balanced);
    assert_eq!((verdict.advice, verdict.memory, verdict.work), (Advice::Change, None, None), "{verdict:?}");
    let remark = verdict.remark.expect("a reason");
    assert!(remark.starts_with("it refuses ") && remark.ends_with(&format!(" requests in {bytes} bytes")), "{remark}");
}
