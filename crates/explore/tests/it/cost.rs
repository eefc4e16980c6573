//! Work is ranked by the counted cost where memory is behind caches, and by accesses elsewhere.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{
    Ask, Constraint, Exploration, Goal, Objective, Plan, Preference, Question, TimingPlan, ask, run,
};
use heapsmith_replay::{Region, cost};
use heapsmith_spec::{Spec, Target};
use heapsmith_trace::{Action, Bytes, Draws, Event, PackedTrace, Trace};

/// Lists of structures that die in another order than they were made.
fn program() -> Trace {
    let mut trace = Trace::default();
    let (mut draws, mut live) = (Draws::new(3), Vec::new());
    let mut put = |action| trace.events.push(Event::at(trace.events.len() as u64, action));
    for id in 0..6_000 {
        put(Action::Allocate { id, size: Bytes(16 * draws.between(1, 12)), alignment: 0 });
        live.push(id);
        if live.len() > 400 {
            put(Action::Free { id: live.swap_remove(draws.between(0, 400) as usize) });
        }
    }
    trace
}

/// Pages compute much between few accesses, buddies the other way round.
const SPACE: &str = "[[family]]\nname = \"small\"\nheap = [\"pages(page=4096, min=16, search=word)\", \"buddy(estranged)\", \
                     \"tree(red-black, fit=best)\"]\n[family.levels]\nword = [4, 8]\n";

fn packed() -> PackedTrace {
    PackedTrace::new(&program()).expect("a sound trace")
}

fn explored(dir: &Path, target: &'static Target, question: Question) -> Exploration {
    let stop = AtomicBool::new(false);
    let traces = [packed()];
    let plan = Plan { space: ("small", SPACE), question, target, ..Plan::new(dir, &traces, &stop) };
    let mut write = |_: usize, path: &Path| program().write(path);
    run(&plan, &mut write, &mut ()).expect("not interrupted").exploration
}

/// What the heap of a design costs an operation.
fn counted(spec: &Spec) -> f64 {
    let trace = packed();
    cost(spec, &trace, &mut Region::for_trace(&trace).expect("memory")).expect("it is replayed").per_operation()
}

fn value(exploration: &Exploration, index: usize, objective: Objective) -> f64 {
    exploration.points[index].get(objective)
}

fn min(exploration: &Exploration, objective: Objective) -> f64 {
    exploration.points.iter().map(|point| point.get(objective)).fold(f64::INFINITY, f64::min)
}

fn fastest() -> Question {
    Question { preference: Preference::Speed, robust: false, ..Question::default() }
}

#[test]
fn on_a_host_the_fastest_is_what_has_the_min_cost_and_for_the_papers_what_takes_the_fewest_accesses() {
    let dirs: [_; 2] = std::array::from_fn(|_| tempfile::tempdir().expect("a folder"));
    let host = explored(dirs[0].path(), Target::host(), fastest());
    let pick = host.picked().expect("a pick");
    assert_eq!(host.work(), Objective::Cost);
    assert_eq!(value(&host, pick, Objective::Cost), min(&host, Objective::Cost));
    assert!(value(&host, pick, Objective::Accesses) > min(&host, Objective::Accesses), "accesses rank otherwise");
    let spec = &host.rows[pick].design.spec;
    assert!((value(&host, pick, Objective::Cost) - counted(spec)).abs() < 0.011, "in hundredths of {}", counted(spec));
    assert_eq!(Exploration::open(dirs[0].path()).expect("finished").picked(), Some(pick), "the folder knows it");
    let papers = explored(dirs[1].path(), Target::network_2006(), fastest());
    let pick = papers.picked().expect("a pick");
    assert_eq!(papers.work(), Objective::Accesses);
    assert_eq!(value(&papers, pick, Objective::Accesses), min(&papers, Objective::Accesses));
    assert_eq!(min(&papers, Objective::Cost), f64::INFINITY, "nothing is counted that nobody asked for");
}

#[test]
fn the_cost_is_an_objective_and_a_constraint_of_any_target() {
    let dir = tempfile::tempdir().expect("a folder");
    let usual = explored(dir.path(), Target::network_2006(), fastest());
    let objectives = vec![Objective::Fragmentation, Objective::Cost];
    let goal = |max: f64| Goal {
        objectives: objectives.clone(),
        constraints: vec![Constraint { objective: Objective::Cost, max }],
    };
    let stop = AtomicBool::new(false);
    let ask_for = |max: f64| {
        let question = Question { goal: goal(max), ..fastest() };
        let timing = TimingPlan::default();
        ask(&Ask { dir: dir.path(), question, jobs: 1, timing, stop: &stop }, &mut ()).expect("it is counted now")
    };
    let found = ask_for(1e6);
    let pick = found.pick.expect("a pick");
    let best = min(&found.exploration, Objective::Cost);
    assert_eq!(value(&found.exploration, pick, Objective::Cost), best);
    assert!(found.exploration.front.contains(&pick));
    let known = found.exploration.points.iter().filter(|point| point.get(Objective::Cost).is_finite()).count();
    assert_eq!(known, usual.rows.len(), "every design of a small space is a finalist");
    assert_eq!(ask_for(best - 0.01).pick, None, "no design costs less than the min");
}

#[test]
fn a_baseline_that_is_a_spec_is_compared_by_what_ranks_the_designs() {
    for (target, by) in [(Target::host(), Objective::Cost), (Target::network_2006(), Objective::Accesses)] {
        let dir = tempfile::tempdir().expect("a folder");
        let name = "half-fit word=8 align=16";
        let question = Question { baseline: Some(name.parse().expect("a baseline")), ..fastest() };
        let exploration = explored(dir.path(), target, question);
        let pick = exploration.picked().expect("a pick");
        let verdict = exploration.verdict(pick, Preference::Speed);
        assert_eq!(verdict.by, by);
        let own = if by == Objective::Cost {
            value(&exploration, pick, by) / counted(&name.parse().expect("a spec"))
        } else {
            value(&exploration, pick, by) / exploration.baseline_objectives().expect("it was replayed").get(by)
        };
        assert!((verdict.work.expect("it was counted") - own).abs() < 0.01, "{verdict:?}, {own}");
        let read = Exploration::open(dir.path()).expect("finished");
        assert_eq!(read.verdict(pick, Preference::Speed), verdict, "the folder knows it");
    }
}
