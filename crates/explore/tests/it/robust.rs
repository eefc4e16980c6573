//! The pick holds where the program differs from its trace.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{
    Ask, Constraint, Exploration, Goal, Near, OVERFITTED, Objective, Objectives, Plan, Preference, Question, Robust,
    Row, Space, Stage, ask, evaluate, run,
};
use heapsmith_spec::{Spec, WordSize};
use heapsmith_trace::{Action, Bytes, Draws, Event, PackedTrace, Trace};

/// A parser that builds a tree of nodes and texts, and frees all of it, some times over.
fn parser() -> Trace {
    let mut trace = Trace::default();
    let mut draws = Draws::new(7);
    let mut next = 0;
    for _ in 0..4 {
        let first = next;
        for _ in 0..600 {
            for size in [48, draws.between(5, 8)] {
                let action = Action::Allocate { id: next, size: Bytes(size), alignment: 0 };
                trace.events.push(Event::at(trace.events.len() as u64, action));
                next += 1;
            }
        }
        for id in first..next {
            trace.events.push(Event::at(trace.events.len() as u64, Action::Free { id }));
        }
    }
    trace
}

/// Packets of some sizes, of which up to this many are live.
fn packets(sizes: &[u64], live: u64) -> Trace {
    let mut trace = Trace::default();
    let mut draws = Draws::new(3);
    let mut push = |action| trace.events.push(Event::at(trace.events.len() as u64, action));
    let mut queue = Vec::new();
    for id in 0..1_000 {
        let size = sizes[draws.between(0, sizes.len() as u64 - 1) as usize];
        push(Action::Allocate { id, size: Bytes(size), alignment: 0 });
        queue.push(id);
        while queue.len() as u64 > draws.between(live / 2, live) {
            push(Action::Free { id: queue.remove(draws.between(0, queue.len() as u64 - 1) as usize) });
        }
    }
    queue.into_iter().for_each(|id| push(Action::Free { id }));
    trace
}

fn packed(trace: &Trace) -> PackedTrace {
    PackedTrace::new(trace).expect("a sound trace")
}

/// Plain first fit, the same with thresholds that the sizes of the parser just reach, and with lists of them.
const SPACE: &str = "[[family]]\nname = \"small\"\nheap = \"list(order=address)\"\n\
                     [family.levels]\nsplit = [0, 50, 100]\ncoalesce = [0, 50, 100]\n";

fn explored(dir: &Path, question: Question) -> Exploration {
    explored_in(("small", SPACE), dir, &parser(), question)
}

fn explored_in(space: (&str, &str), dir: &Path, trace: &Trace, question: Question) -> Exploration {
    let stop = AtomicBool::new(false);
    let traces = [packed(trace)];
    let plan = Plan { space, question, ..Plan::new(dir, &traces, &stop) };
    let mut write = |_: usize, path: &Path| trace.write(path);
    run(&plan, &mut write, &mut ()).expect("not interrupted").exploration
}

fn spec(exploration: &Exploration, index: usize) -> &Spec {
    &exploration.rows[index].design.spec
}

#[test]
fn a_threshold_that_another_size_switches_off_is_not_picked() {
    let dir = tempfile::tempdir().expect("a folder");
    let exploration = explored(dir.path(), Question::default());
    let of = |index: usize| exploration.holds(index).expect("a candidate");
    let trap = (0..exploration.rows.len()).find(|&index| {
        let spec = spec(&exploration, index).to_string();
        spec.contains("coalesce>=48") && exploration.holds(index).is_some()
    });
    let trap = of(trap.expect("a design whose threshold is the size of a node"));
    assert!(trap.is_overfitted(), "{trap:?}");
    let pick = exploration.picked().expect("a pick");
    let holds = of(pick);
    assert!(!holds.is_overfitted() && holds.distance <= OVERFITTED, "{holds:?}");
    assert_eq!(holds.copies, Robust::changes().count());
    assert!(spec(&exploration, pick).to_string().contains("coalesce=immediate"), "{}", spec(&exploration, pick));
    let words = exploration.holds_words(pick).expect("it was tried");
    assert!(words.starts_with("holds on 9 changed copies"), "{words}");
}

#[test]
fn the_pick_serves_sizes_that_its_trace_does_not_have() {
    let space = ("classic", Space::own_text("classic").expect("our own"));
    let (made, other) = (packets(&[16, 24, 25, 35, 39, 44, 69, 96], 150), packets(&[16, 64, 1008, 1456], 20));
    let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let exploration = explored_in(space, dirs[0].path(), &made, Question::default());
    let there = explored_in(space, dirs[1].path(), &other, Question { robust: false, ..Question::default() });
    let heaps = [exploration.picked(), exploration.nominal_pick(Preference::Balanced)]
        .map(|index| ("a pick".to_owned(), spec(&exploration, index.expect("a pick")).clone()));
    let rows = evaluate(&there, &packed(&other), &[packed(&made)], &heaps, Preference::Balanced).expect("replays");
    let [pick, nominal] = [0, 1].map(|row: usize| rows[row].accesses);
    // A hit of a free list has 3 accesses to allocate and 4 to free.
    assert!(pick < 4.0 && nominal > 6.0, "{pick} and {nominal} accesses: {heaps:?}");
}

/// Whether a place has over a tenth less memory for under a tenth more work than another, or the other way; a call costs two
/// accesses.
fn is_better_trade(this: &Objectives, other: &Objectives) -> bool {
    let of = |point: &Objectives| [1.0 + point.get(Objective::Fragmentation), point.get(Objective::Accesses) + 2.0];
    let ([memory, work], [other_memory, other_work]) = (of(this), of(other));
    let saves = |own: f64, other: f64, cost: f64, other_cost: f64| own * 1.1 < other && cost < other_cost * 1.1;
    saves(memory, other_memory, work, other_work) || saves(work, other_work, memory, other_memory)
}

#[test]
fn the_pick_gives_away_no_tenth_of_memory_for_less_of_work_nor_the_other_way() {
    let dir = tempfile::tempdir().expect("a folder");
    let space = ("classic", Space::own_text("classic").expect("our own"));
    let exploration = explored_in(space, dir.path(), &packets(&[16, 64, 525, 1008, 1456], 60), Question::default());
    let holds = |index: &usize| exploration.holds(*index).is_some_and(|holds| !holds.is_overfitted());
    let others: Vec<usize> = (0..exploration.rows.len()).filter(holds).collect();
    let trades = |index: usize| {
        let is_better = |&&other: &&usize| is_better_trade(&exploration.points[other], &exploration.points[index]);
        others.iter().filter(is_better).count()
    };
    assert_eq!(trades(exploration.picked().expect("a pick")), 0);
    assert!(others.iter().any(|&index| trades(index) > 0), "there are candidates that give away more");
}

#[test]
fn without_robustness_the_pick_is_that_of_the_traces_alone_and_nothing_more_is_replayed() {
    let dir = tempfile::tempdir().expect("a folder");
    let exploration = explored(dir.path(), Question { robust: false, ..Question::default() });
    assert_eq!(exploration.picked(), exploration.nominal_pick(Preference::Balanced));
    assert_eq!(exploration.robust.candidates(), 0);
    let robust = tempfile::tempdir().expect("a folder");
    let whole = explored(robust.path(), Question::default());
    assert_eq!(exploration.points, whole.points, "what is measured on the traces is the same");
    assert_eq!(exploration.front, whole.front);
}

#[test]
fn a_folder_knows_how_its_pick_holds_and_answers_alike_when_it_is_asked_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = explored(dir.path(), Question::default());
    let opened = Exploration::open(dir.path()).expect("finished");
    let pick = explored.picked().expect("a pick");
    assert_eq!(opened.picked(), Some(pick));
    assert_eq!(opened.holds(pick), explored.holds(pick));

    struct Silent;
    impl heapsmith_explore::Observer for Silent {
        fn stage(&mut self, stage: Stage<'_>) {
            assert!(!matches!(stage, Stage::Robust(..)), "everything is known");
        }
    }
    let stop = AtomicBool::new(false);
    let question = Question { preference: Preference::Memory, ..Question::default() };
    let timing = heapsmith_explore::TimingPlan::default();
    let again = Ask { dir: dir.path(), question, jobs: 1, timing, stop: &stop };
    let found = ask(&again, &mut Silent).expect("it is known");
    let pick = found.pick.expect("a pick");
    assert_eq!(found.exploration.holds(pick), explored.holds(pick));
}

#[test]
fn bounded_picks_what_is_proven_and_says_where_nothing_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let bounded = Question { preference: Preference::Bounded, ..Question::default() };
    let exploration = explored(dir.path(), bounded);
    let pick = exploration.picked().expect("lists that always join have a bound");
    let proven = exploration.proven(pick).expect("it is proven");
    let counted = |objective| exploration.points[pick].get(objective);
    assert!(counted(Objective::MaxOp) <= proven.accesses as f64);
    let others = (0..exploration.rows.len()).filter_map(|index| exploration.proven(index));
    assert_eq!(others.min(), Some(proven));
    assert!(exploration.holds_words(pick).is_some_and(|words| words.starts_with("proven")));
}

#[test]
fn the_nearest_design_with_a_guarantee_is_named_for_one_without() {
    let dir = tempfile::tempdir().expect("a folder");
    let exploration = explored(dir.path(), Question::default());
    let designs = 0..exploration.rows.len();
    let without = |&index: &usize| exploration.points[index].failed == 0 && exploration.proven_region(index).is_none();
    let found =
        designs.clone().filter(without).filter_map(|index| Some((index, exploration.nearest_with_region(index)?)));
    let found: Vec<_> = found.collect();
    assert!(!found.is_empty());
    for (index, near) in found {
        let number = |row: &Row| Near::Design(row.design.number);
        let named = exploration.rows.iter().position(|row| number(row) == near.heap).expect("its number");
        assert_eq!(exploration.proven_region(named), Some(near.region));
        let memory = |index: usize| 1.0 + exploration.points[index].get(Objective::Fragmentation);
        let work = |index: usize| exploration.points[index].get(Objective::Accesses);
        assert_eq!([near.price.memory, near.price.work], [memory(named) / memory(index), work(named) / work(index)]);
        let nearer = |&other: &usize| {
            let worse = (memory(other) / memory(index)).max(work(other) / work(index));
            exploration.points[other].is_compared()
                && near.price.beyond() > 0.0
                && worse - 1.0 < near.price.beyond() - 1e-9
        };
        let missed = designs.clone().filter(nearer).find(|&other| exploration.proven_region(other).is_some());
        assert_eq!(missed, None, "nearer to {index} than {near:?}");
    }
}

/// What is promised fits into the memory that there is: here less than any design is proven to need.
#[test]
fn nothing_is_promised_in_more_memory_than_there_is() {
    let [dir, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let space = ("two", "[[family]]\nname = \"two\"\nheap = [\"tlsf\", \"list(order=address)\"]\n");
    let explored = |dir: &Path, question| explored_in(space, dir, &parser(), question);
    let open = explored(dir.path(), Question { preference: Preference::Bounded, ..Question::default() });
    let proven = open.proven(open.picked().expect("a pick")).expect("it is proven");
    let goal = |max: u64| Goal {
        constraints: vec![Constraint { objective: Objective::MinRegion, max: max as f64 }],
        ..Goal::default()
    };
    let min = (0..open.rows.len()).filter_map(|index| open.region_without_limit(index)).min().expect("some");
    let asked = |max: u64| Question { preference: Preference::Bounded, goal: goal(max), ..Question::default() };
    let small = explored(other.path(), asked(min - 1));
    assert_eq!((small.room(), small.has_bounded()), (Some(min - 1), false));
    // A proof of the operation is better than none, but no promise of memory.
    let pick = small.picked().expect("what has a proof in more memory");
    assert!(
        small.proven(pick).is_none() && small.proven_without_limit(pick).is_some_and(|proven| proven.region >= min)
    );
    let balanced = small.pick(Preference::Balanced).expect("all is served in less");
    assert_eq!((small.proven_region(balanced), small.nearest_with_region(balanced)), (None, None));
    assert!(small.region_without_limit(balanced).is_none_or(|bytes| bytes >= min));
    assert_eq!(open.proven_region(open.picked().expect("a pick")), Some(proven.region));
}

/// Why no bound is proven: none is known of what is left, or no word names it.
#[test]
fn a_reason_for_no_proof_is_of_the_designs_that_are_left() {
    let [kept, short] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let bounded = || Question { preference: Preference::Bounded, ..Question::default() };
    // A design with a bound is there, but keeps no constraint.
    let space = ("two", "[[family]]\nname = \"two\"\nheap = [\"tlsf\", \"bump\"]\n");
    let constraints = vec![Constraint { objective: Objective::MaxOp, max: 8.0 }];
    let goal = Goal { constraints, ..Goal::default() };
    let exploration = explored_in(space, kept.path(), &parser(), Question { goal, ..bounded() });
    let left = (0..exploration.rows.len()).filter(|&index| exploration.points[index].is_compared());
    assert_eq!(left.map(|index| spec(&exploration, index).to_string()).collect::<Vec<_>>(), ["bump"]);
    let why = exploration.no_pick().to_string();
    assert!(why.contains("TLSF, half-fit"), "{why}");
    let space = ("one", "[[family]]\nname = \"one\"\nheap = [\"list(order=address) word=2\"]\n");
    let exploration = explored_in(space, short.path(), &packets(&[8, 2000], 12), bounded());
    let why = exploration.no_pick().to_string();
    assert!(exploration.picked().is_none() && why.contains("more than their words can name"), "{why}");
}

/// A program that may need more than words of four bytes can name: nothing is promised, and the same heap with words of eight
/// bytes is measured and named.
#[test]
fn a_region_that_words_cannot_name_is_promised_with_wider_ones() {
    let mut trace = Trace::default();
    let mut push = |id, size| {
        let action = Action::Allocate { id, size: Bytes(size), alignment: 0 };
        trace.events.push(Event::at(id, action));
    };
    (0..20_000).for_each(|id| push(id, 64));
    push(20_000, 1 << 20);
    let dir = tempfile::tempdir().expect("a folder");
    let (stop, traces) = (AtomicBool::new(false), [packed(&trace)]);
    let space = "[[family]]\nname = \"one\"\nheap = [\"freelists(72) tlsf\"]\n";
    let plan = Plan { space: ("one", space), ..Plan::new(dir.path(), &traces, &stop) };
    let mut write = |_: usize, path: &Path| trace.write(path);
    let exploration = run(&plan, &mut write, &mut ()).expect("not interrupted").exploration;
    let pick = exploration.picked().expect("a pick");
    assert_eq!((exploration.proven(pick), exploration.proven_region(pick)), (None, None));
    let near = exploration.nearest_with_region(pick).expect("wider words");
    assert!(matches!(near.heap, Near::Form(_)) && near.spec.word == WordSize::Eight, "{near:?}");
    assert!(near.region > 1 << 32 && near.price.memory > 1.0 && near.price.memory < 1.2, "{near:?}");
    // Another process reads what was measured.
    let opened = Exploration::open(dir.path()).expect("a finished exploration");
    assert_eq!(opened.nearest_with_region(pick), Some(near));
}
