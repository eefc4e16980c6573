//! Workloads that need no file: the same for the same parameters, and as their sources say.

use std::path::Path;

use heapsmith_trace::{Action, PackedTrace, Statistics, Trace};
use heapsmith_workload::{ErrorKind, LoadError, PREFIX, load, workloads};

fn settings(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn tried(name: &str, given: &[(&str, &str)]) -> Result<Trace, LoadError> {
    load(Path::new(&format!("{PREFIX}{name}")), None, &settings(given))
}

fn computed(name: &str, given: &[(&str, &str)]) -> Trace {
    tried(name, given).unwrap_or_else(|error| panic!("{error}"))
}

fn statistics(name: &str, given: &[(&str, &str)]) -> Statistics {
    Statistics::of(&computed(name, given)).unwrap()
}

fn wrong(name: &str, given: &[(&str, &str)]) -> String {
    let error = tried(name, given).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongUse, "{error}");
    error.to_string()
}

/// What each gives with its defaults: the same on every machine, and in later versions.
///
/// treeadd and bisort ask for the same nodes; their clocks differ by the work between.
const FINGERPRINTS: &[(&str, &str)] = &[
    ("modem", "34251bab552e6b64"),
    ("random-half", "e0046bc86d576f26"),
    ("sizes", "c012c27f185d5791"),
    ("every-other", "3a5d88e3cc0cc58d"),
    ("treeadd", "57a85ae17ec7e1f4"),
    ("bisort", "57a85ae17ec7e1f4"),
    ("perimeter", "68bda828b3110d2b"),
    ("voronoi", "9febf81bc45c0793"),
    ("health", "bfb350e9bd968dfc"),
    ("cfrac", "4e5d060aecedcad7"),
];

#[test]
fn defaults_give_one_trace_on_every_machine() {
    let alone: Vec<&str> = workloads().iter().filter(|known| known.is_alone()).map(|known| known.name).collect();
    let found: Vec<(&str, String)> = alone
        .iter()
        .map(|name| {
            let packed = PackedTrace::new(&computed(name, &[])).unwrap();
            (*name, format!("{:016x}", packed.fingerprint))
        })
        .collect();
    let wanted: Vec<(&str, String)> = FINGERPRINTS.iter().map(|(name, print)| (*name, (*print).to_owned())).collect();
    assert_eq!(found, wanted);
}

#[test]
fn every_parameter_refuses_nonsense_and_says_what_it_takes() {
    for workload in workloads().iter().filter(|known| known.is_alone()) {
        for parameter in workload.parameters {
            let text = wrong(workload.name, &[(parameter.name, "nonsense")]);
            let begins = format!("{}: {}=nonsense makes no sense; it takes ", workload.name, parameter.name);
            assert!(text.starts_with(&begins), "{text}");
        }
        assert!(!workload.source.is_empty() && workload.input == "nothing");
        assert_eq!(computed(workload.name, &[]).name(), workload.name);
    }
}

#[test]
fn a_seed_changes_what_is_drawn() {
    for workload in workloads().iter().filter(|known| known.is_alone()) {
        if workload.parameters.iter().any(|parameter| parameter.name == "seed") {
            let other = computed(workload.name, &[("seed", "2")]);
            assert_ne!(other.events, computed(workload.name, &[]).events, "{}", workload.name);
        }
    }
}

#[test]
fn the_door_says_how_a_workload_is_named() {
    assert!(wrong("random-hlaf", &[]).contains("did you mean random-half?"));
    assert!(wrong("drr", &[]).contains("name the file, and add --as drr"));
    let here = Path::new(file!());
    let error = load(here, Some("sizes"), &[]).unwrap_err();
    assert!(error.to_string().contains("write workload:sizes in place of the file"), "{error}");
    assert_eq!(error.kind(), ErrorKind::WrongUse);
    let twice = load(Path::new("workload:sizes"), Some("drr"), &[]).unwrap_err();
    assert_eq!((twice.kind(), twice.to_string().contains("leave out --as")), (ErrorKind::WrongUse, true), "{twice}");
    assert!(load(Path::new("workload:sizes"), Some("sizes"), &[]).is_ok());
    assert!(wrong("sizes", &[("cuont", "3")]).contains("did you mean count?"));
}

#[test]
fn half_of_the_random_requests_is_freed() {
    for (requests, freed) in [(10, 5), (11, 5), (10_000, 5_000)] {
        let statistics = statistics("random-half", &[("requests", &requests.to_string())]);
        assert_eq!((statistics.allocations, statistics.frees), (requests, freed));
        assert_eq!(statistics.blocks_peak, requests, "nothing is freed before the last request");
    }
    let trace = computed("random-half", &[]);
    let sizes = trace.events.iter().filter_map(|event| match event.action {
        Action::Allocate { size, .. } => Some(size.0),
        _ => None,
    });
    let sizes: Vec<u64> = sizes.collect();
    assert_eq!((sizes.iter().min(), sizes.iter().max()), (Some(&1), Some(&1024)));
    let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
    // Five times the deviation of such a mean.
    assert!((mean - 512.5).abs() < 15.0, "{mean}");
    let freed = trace.events.iter().filter_map(|event| match event.action {
        Action::Free { id } => Some(id),
        _ => None,
    });
    let freed: Vec<u64> = freed.collect();
    let rising = freed.windows(2).filter(|pair| pair[0] < pair[1]).count();
    assert!((2_300..2_700).contains(&rising), "in a random order: {rising} of 4999 steps go up");
    assert!(wrong("random-half", &[("min", "9"), ("max", "8")]).contains("max=8 makes no sense"));
}

#[test]
fn sizes_come_in_turn() {
    let found = statistics("sizes", &[]);
    assert_eq!((found.allocations, found.frees, found.requested_peak.0), (60, 0, 10 * (64 + 256 + 512 + 7168)));
    let found = statistics("sizes", &[("sizes", "8, 24"), ("count", "3"), ("free", "yes")]);
    assert_eq!((found.allocations, found.blocks_left, found.requested_peak.0), (6, 0, 96));
    let freed = computed("sizes", &[("count", "1"), ("free", "yes")]);
    let last = freed.events.iter().rev().find(|event| matches!(event.action, Action::Free { .. })).unwrap();
    assert_eq!(last.action, Action::Free { id: 1 }, "the first is freed last");
    assert!(wrong("sizes", &[("sizes", "64,,8")]).contains("commas between"));
}

#[test]
fn every_other_object_dies_before_the_larger_request() {
    let trace = computed("every-other", &[("objects", "9"), ("size", "16"), ("larger", "40")]);
    let mut freed = Vec::new();
    for event in &trace.events {
        match event.action {
            Action::Free { id } => freed.push(id),
            Action::Allocate { id: 10, size, .. } => assert_eq!((size.0, &freed[..]), (40, &[9, 7, 5, 3, 1][..])),
            _ => {}
        }
    }
    assert_eq!(trace.labels, ["collection", "larger request", "end"]);
    assert!(wrong("every-other", &[("larger", "12")]).contains("above `size`"));
}

/// Mean bytes of a request, and how many there are.
fn mean(found: &Statistics) -> (f64, u64) {
    (found.requested_total.0 as f64 / found.allocations as f64, found.allocations)
}

#[test]
fn trees_have_their_nodes_at_the_papers_sizes() {
    for depth in [1, 5, 14] {
        let depth_text = depth.to_string();
        let nodes = (1 << depth) - 1;
        for name in ["treeadd", "bisort"] {
            assert_eq!(mean(&statistics(name, &[("depth", &depth_text)])), (24.0, nodes), "{name}");
            assert_eq!(mean(&statistics(name, &[("depth", &depth_text), ("pointer", "4")])), (12.0, nodes), "{name}");
        }
    }
    let trace = computed("treeadd", &[("depth", "10"), ("rounds", "2")]);
    assert_eq!(trace.labels, ["tree built", "sum 1023", "end"]);
    // Three words to write a node, and three to read it in each round.
    assert_eq!(trace.events.last().unwrap().time.0, 9 * 1023);
    let (size, nodes) = mean(&statistics("perimeter", &[]));
    assert_eq!((size, nodes % 4), (48.0, 1), "a root and quarters by four");
    assert_eq!(mean(&statistics("perimeter", &[("pointer", "4")])).0, 28.0);
}

#[test]
fn the_perimeter_is_that_of_both_circles() {
    let trace = computed("perimeter", &[("depth", "10")]);
    // In steps of pixels a circle is as long as the square around it: 4 × 1024 and 4 × 512.
    assert!(trace.labels.contains(&"perimeter 6144".to_owned()), "{:?}", trace.labels);
}

#[test]
fn the_diagram_has_the_edges_of_a_triangulation() {
    let trace = computed("voronoi", &[("points", "3000")]);
    let edges: u64 = trace.labels.iter().find_map(|label| label.strip_suffix(" edges")?.parse().ok()).unwrap();
    assert!((3 * 3000 - 3 - 100..3 * 3000 - 6).contains(&edges), "{edges}");
    let found = Statistics::of(&trace).unwrap();
    assert_eq!(found.blocks_left, 3000 + edges);
    assert!(found.frees > 0, "merging deletes edges");
    let sizes: Vec<u64> = found.sizes.iter().map(|size| size.size.0).collect();
    assert_eq!(sizes, [64, 40]);
}

#[test]
fn hospitals_treat_who_falls_ill() {
    let found = statistics("health", &[]);
    assert!((24.0..24.5).contains(&mean(&found).0), "{:?}", mean(&found));
    assert!(found.frees > found.allocations / 3, "places in lists come and go: {} {}", found.frees, found.allocations);
}

#[test]
fn what_ends_free_leaves_nothing() {
    for name in ["treeadd", "bisort", "perimeter", "voronoi", "health"] {
        let found = statistics(name, &[("free", "yes")]);
        assert_eq!(found.blocks_left, 0, "{name}");
        assert!(statistics(name, &[]).blocks_left > 1000, "{name}");
    }
}

#[test]
fn numbers_are_factored() {
    for (number, factors) in [
        ("1000036000099", ["1000003", "1000033"]),
        // Morrison and Brillhart's own example.
        ("13290059", ["3119", "4261"]),
        ("121932633334857493", ["123456791", "987654323"]),
    ] {
        let trace = computed("cfrac", &[("number", number)]);
        let [one, other] = factors;
        let found = [format!("{one} times {other}"), format!("{other} times {one}")];
        assert!(trace.labels.iter().any(|label| found.contains(label)), "{number}: {:?}", trace.labels);
        let found = Statistics::of(&trace).unwrap();
        assert_eq!(found.blocks_left, 0);
        assert!(mean(&found).0 < 16.0, "small blocks: {:?}", mean(&found));
    }
    for no_factors in ["1000003", "12", "1000000", "1002001", "12x", ""] {
        assert!(wrong("cfrac", &[("number", no_factors)]).contains("not prime and no power"), "{no_factors}");
    }
}
