//! Effects of spaces that a user edited.

use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Exploration, Preference, Space, Store, Sweep, sweep};
use heapsmith_report::{PageInput, page};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};

fn trace() -> Trace {
    let mut trace = Trace::new(Origin::new("drr", "small"));
    for id in 0..40_u64 {
        let size = Bytes(16 + id * 7 % 100);
        trace.events.push(Event::at(id, Action::Allocate { id, size, alignment: 0 }));
        if id % 3 == 1 {
            trace.events.push(Event::at(id, Action::Free { id: id - 1 }));
        }
    }
    trace
}

/// The page of a space on the small trace.
fn page_of(text: &str) -> String {
    let trace = trace();
    let traces = [PackedTrace::new(&trace).expect("a sound trace")];
    let space = Space::of("edited", text, &traces).expect("a space");
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::begin(&folder.path().join(Store::FILE), &space, &traces, "a test").expect("a store");
    let stop = AtomicBool::new(false);
    sweep(&Sweep::exhaustive(&space, &traces, 2, &stop), &mut store, &mut |_| {}).expect("a sweep");
    let exploration = Exploration::load(&store).expect("results");
    let traces = std::slice::from_ref(&trace);
    let preference = Preference::Balanced;
    page(&PageInput {
        exploration: &exploration,
        traces,
        lines: &[],
        folder: "out",
        preference,
        elapsed: None,
        race: None,
    })
    .expect("a page")
}

#[test]
fn a_space_without_one_of_the_papers_factors_has_a_page() {
    let classic = Space::own_text("classic").expect("ours");
    for missing in ["freelists", "fit", "split", "coalesce"] {
        let edited: Vec<&str> = classic.lines().filter(|line| !line.starts_with(&format!("{missing} ="))).collect();
        assert_eq!(edited.len() + 1, classic.lines().count(), "{missing}");
        let html = page_of(&edited.join("\n"));
        assert!(html.contains("paper − −"), "without {missing} the signs of the others are shown");
    }
}

#[test]
fn signs_of_the_paper_are_told_of_its_factors_alone_in_any_order() {
    let html = page_of(
        "[[family]]\nname = \"classic\"\nheap = \"list\"\n[family.levels]\norder = [\"lifo\", \"address\"]\nsplit = [0, 100]\n",
    );
    let (_, effects) = html.split_once("<section id=\"effects\"").expect("a section");
    let (effects, _) = effects.split_once("</section>").expect("its end");
    let rows: Vec<&str> = effects.split("<tr").filter(|row| row.contains("class=\"paper\"")).collect();
    assert_eq!(rows.len(), 1, "of splitting");
    assert!(rows[0].contains("Split") && rows[0].contains("paper none"), "{}", rows[0]);
}
