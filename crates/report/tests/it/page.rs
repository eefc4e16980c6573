//! The page of a small exploration.

use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, OnceLock};

use heapsmith_explore::{
    Exploration, NoPick, Objective, Paged, Preference, Space, Store, Sweep, measure_catalogue, sweep,
};
use heapsmith_limits::Lines;
use heapsmith_peers::Peer;
use heapsmith_report::{PageInput, ReportError, page};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};

const NAME: &str = "<script>alert('x')</script> & \"more\"";

/// Packets of two sizes, with others between, first in, first out, a queue of growing length.
fn trace() -> Trace {
    let mut trace = Trace::new(Origin::new("drr", NAME));
    let mut queue = std::collections::VecDeque::new();
    for id in 0..120_u64 {
        let size = [66, 1514, 66, 1514, 100 + id][id as usize % 5];
        trace.events.push(Event::at(id * 1_000_000, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        queue.push_back(id);
        if id % 3 != 0 {
            let id = queue.pop_front().expect("something is queued");
            trace.events.push(Event::at(id * 1_000_000 + 7, Action::Free { id }));
        }
    }
    trace
}

fn exploration() -> &'static (Exploration, Trace) {
    static EXPLORATION: OnceLock<(Exploration, Trace)> = OnceLock::new();
    EXPLORATION.get_or_init(|| {
        let trace = trace();
        let traces = [PackedTrace::new(&trace).expect("a sound trace")];
        let folder = tempfile::tempdir().expect("a folder");
        let space = Space::classic(&traces);
        let command = "heapsmith explore <in> --as drr";
        let mut store = Store::begin(&folder.path().join(Store::FILE), &space, &traces, command).expect("a store");
        let stop = AtomicBool::new(false);
        let job = Sweep::exhaustive(&space, &traces, 2, &stop);
        sweep(&job, &mut store, &mut |_| {}).expect("a sweep");
        measure_catalogue(&mut store, &traces, &AtomicBool::new(false)).expect("a catalogue");
        let mut exploration = Exploration::load(&store).expect("results");
        let pick = exploration.pick(Preference::Balanced).expect("a pick");
        let mut named = exploration.named(&[pick], &[Peer::Rlsf]);
        exploration.retime(&mut store, &traces, &mut named, 1, None, &mut |_| true).expect("times");
        // Memory by pages needs a command that is run again, which the tests of the command have.
        exploration.pages = exploration
            .timings
            .iter()
            .zip(1..)
            .map(|(timing, number)| Paged {
                name: timing.name.clone(),
                touched: Bytes(number << 12),
                fragmentation: number as f64 / 100.0,
                failed: 0,
                events: traces[0].events.len() as u64,
            })
            .collect();
        (exploration, trace)
    })
}

/// The reference lines of the trace.
fn lines() -> &'static Lines {
    static LINES: LazyLock<Lines> = LazyLock::new(|| {
        let packed = PackedTrace::new(&exploration().1).expect("a sound trace");
        Lines::of(&packed, heapsmith_limits::PlacementEffort::QUICK)
    });
    &LINES
}

fn input(preference: Preference) -> PageInput<'static> {
    let (exploration, trace) = exploration();
    let lines = std::slice::from_ref(lines());
    let traces = std::slice::from_ref(trace);
    PageInput { exploration, traces, lines, folder: "out folder", preference, elapsed: Some(1.25), race: None }
}

#[test]
fn every_section_is_there_in_order() {
    let html = page(&input(Preference::Balanced)).expect("a page");
    let sections = [
        "pick",
        "designs",
        "why",
        "live",
        "sizes",
        "effects",
        "finding",
        "limits",
        "front",
        "all",
        "catalogue",
        "peers",
    ];
    let places: Vec<usize> = sections
        .iter()
        .map(|id| html.find(&format!("<section id=\"{id}\"")).unwrap_or_else(|| panic!("no section {id}")))
        .collect();
    assert!(places.is_sorted());
    for figure in
        ["plot-designs", "plot-live-0", "plot-room-0", "plot-sizes-0", "plot-effect-0", "plot-effect-3", "plot-peers"]
    {
        assert!(html.contains(&format!("<div class=\"plot\" id=\"{figure}\"")), "no figure {figure}");
    }
}

#[test]
fn peers_are_shown_where_they_were_measured() {
    let html = page(&input(Preference::Balanced)).expect("a page");
    assert!(html.contains("the fastest reference allocator (rlsf)"));
    let (exploration, _) = exploration();
    let without = Exploration { pages: Vec::new(), ..exploration.clone() };
    let html = page(&PageInput { exploration: &without, ..input(Preference::Balanced) }).expect("a page");
    assert!(!html.contains("plot-peers"));
}

#[test]
fn a_page_of_designs_cut_short_says_so_and_knows_no_effects() {
    let (exploration, _) = exploration();
    let pick = exploration.pick(Preference::Balanced).expect("a pick");
    let mut pruned = Exploration { pruned: 4_321, ..exploration.clone() };
    // One design that is missing is enough: what is left is no factorial.
    let missing = (0..pruned.rows.len()).rev().find(|index| !pruned.front_2d.contains(index) && *index != pick);
    let last = missing.expect("a design off the front");
    pruned.rows.truncate(last);
    pruned.points.truncate(last);
    for indexes in [&mut pruned.front, &mut pruned.front_2d] {
        indexes.retain(|&index| index < last);
    }
    let html = page(&PageInput { exploration: &pruned, ..input(Preference::Balanced) }).expect("a page");

    assert!(!html.contains("plot-effect-0") && html.contains("4,321 of the designs were cut short"));
    assert!(html.contains("4,321 designs, cut short, as they could no longer reach a front"));
}

#[test]
fn every_result_stands_between_a_lower_bound_and_a_bound() {
    let html = page(&input(Preference::Balanced)).expect("a page");
    assert!(html.contains("plot-limits") && html.contains("Between the lower bound and the worst case"));

    assert!(html.contains("live at the peak; an offline placement needs"), "{html}");
    // A pick with free lists has a region that refuses no such program; first fit has a bound, as a share above the lower bound.
    assert!(
        html.contains("refuses no program with this peak and these requests")
            && html.contains("free lists can hold on to memory")
    );
    let card = html.split("<dt>").find(|part| part.starts_with("Most expensive operation<")).expect("a card");
    assert!(
        card.contains("never refused in") && !card.contains("no guarantee"),
        "the first card says the same: {card}"
    );
    let row = html.split("<tr").find(|row| row.contains(">first-fit<") && row.contains(">list(order=address"));
    assert!(row.is_some_and(|row| row.matches('%').count() == 2), "{row:?}");
    let without = page(&PageInput { lines: &[], ..input(Preference::Balanced) }).expect("a page");
    assert!(!without.contains("plot-limits"));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let html = page(&input(Preference::Balanced)).expect("a page");
    assert!(html.contains("default-src 'none'"), "the policy that forbids loading");
    assert!(html.len() < 1_500_000, "{} bytes", html.len());

    assert_eq!(html.matches("href=").count(), html.matches("href=\"#").count(), "links stay on the page");
    for load in [" src=", "url(", "@import", "fetch(", "http://", "https://"] {
        assert!(!html.contains(load), "{load}");
    }
}

#[test]
fn names_from_data_cannot_become_elements() {
    let html = page(&input(Preference::Balanced)).expect("a page");

    assert!(!html.contains("<script>alert"), "a trace's name became a script");
    assert!(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"));
    assert!(html.contains("heapsmith explore &lt;in&gt; --as drr"));
}

#[test]
fn the_pick_follows_the_preference() {
    use Preference::{Balanced, Bounded, Memory, Speed};
    for preference in [Balanced, Bounded, Memory, Speed] {
        let html = page(&input(preference)).expect("a page");
        let (exploration, _) = exploration();
        let pick = exploration.pick(preference).expect("a pick");
        let spec = exploration.rows[pick].design.spec.to_string().replace('>', "&gt;");
        assert!(html.contains(&format!("<code id=\"pick-spec\">{spec}</code>")), "{preference:?}");
    }
}

#[test]
fn the_same_exploration_gives_the_same_page() {
    let once = page(&input(Preference::Balanced)).expect("a page");
    assert!(once == page(&input(Preference::Balanced)).expect("a page"));
}

#[test]
fn input_that_does_not_fit_together_is_refused() {
    let (exploration, trace) = exploration();
    let none = PageInput { traces: &[], ..input(Preference::Balanced) };
    assert!(matches!(page(&none), Err(ReportError::Traces { expected: 1, given: 0 })));

    let mut refusing = exploration.clone();
    refusing.points.iter_mut().for_each(|point| point.failed = 1);
    let refusing = PageInput { exploration: &refusing, ..input(Preference::Balanced) };
    assert!(matches!(page(&refusing), Err(ReportError::NoPick(NoPick::Refusing { designs: 10_000 }))));

    let empty = Exploration { rows: Vec::new(), points: Vec::new(), ..exploration.clone() };
    let empty = PageInput { exploration: &empty, ..input(Preference::Balanced) };
    assert!(matches!(page(&empty), Err(ReportError::NoResults)));

    let mut damaged = trace.clone();
    damaged.events.push(Event::at(0, Action::Free { id: 9_999 }));
    let damaged = PageInput { traces: &[damaged], ..input(Preference::Balanced) };
    assert!(matches!(page(&damaged), Err(ReportError::Trace(_))));
}

#[test]
fn what_refused_requests_is_listed_and_not_drawn() {
    let (exploration, _) = exploration();
    let mut refusing = exploration.clone();
    let entry = &mut refusing.catalogue[0];
    entry.name = "refuser".to_owned();
    entry.objectives.failed = 5;
    entry.objectives.set(Objective::Fragmentation, -0.77);
    let off_front = (0..refusing.points.len()).find(|index| !refusing.front_2d.contains(index)).expect("a design");
    refusing.points[off_front].failed = 7;
    refusing.points[off_front].set(Objective::Fragmentation, -0.66);
    let html = page(&PageInput { exploration: &refusing, ..input(Preference::Balanced) }).expect("a page");
    let (_, figure) = html.split_once("id=\"plot-designs\"").expect("the figure");
    let (figure, after) = figure.split_once("</figure>").expect("its end");
    for drawn in ["refuser", "-77", "-66", "designs that refused"] {
        assert!(!figure.contains(drawn), "{drawn} is drawn");
    }
    let text = format!("{}{after}", html.split("id=\"plot-designs\"").next().unwrap_or_default());
    assert!(text.contains("1 design and refuser (5 requests)"), "both are listed");
}
