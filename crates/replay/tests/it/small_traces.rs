//! Traces of a few requests are served by every heap that is meant for whole programs.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_spec::{Pool, Spec, catalogue};
use heapsmith_trace::{Action, Bytes, Draws, Event, PackedTrace, Trace};

/// This many requests of sizes up to `largest`, a third of them freed again.
fn trace(requests: u64, largest: u64) -> PackedTrace {
    let mut draws = Draws::new(requests);
    let mut trace = Trace::default();
    for id in 0..requests {
        let size = Bytes(1 + draws.below(largest));
        trace.events.push(Event::at(id, Action::Allocate { id, size, alignment: 0 }));
        if id % 3 == 2 {
            trace.events.push(Event::at(id, Action::Free { id: id - 1 }));
        }
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

#[test]
fn every_heap_for_whole_programs_serves_a_small_trace() {
    let sizes =
        [(1, 16), (14, 64), (20, 1000), (31, 4000), (40, 64), (55, 300), (64, 3000), (80, 24), (99, 2000), (124, 700)];
    for entry in catalogue() {
        let spec: Spec = entry.spec.parse().expect("a spec of the catalogue");
        if matches!(spec.pool, Pool::Stack(_) | Pool::Fixed(_)) {
            continue;
        }
        for (requests, largest) in sizes {
            let trace = trace(requests, largest);
            let mut region = Region::for_trace(&trace).expect("memory");
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::VERIFY);
            let measures = measures.unwrap_or_else(|error| panic!("{} on {requests} requests: {error}", entry.name));
            assert_eq!(measures.failed, 0, "{} on {requests} requests of up to {largest} bytes", entry.name);
        }
    }
}
