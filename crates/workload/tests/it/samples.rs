//! The repository's own samples are large enough to tell designs apart.

use std::path::PathBuf;

use heapsmith_trace::{PackedTrace, Statistics, Trace};
use heapsmith_workload::load;

fn read(workload: &str, name: &str) -> Trace {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    load(&path, Some(workload), &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn captures_are_long_and_queue() {
    for name in ["ftp.pcap.xz", "web.pcap.xz", "mixed.pcapng.xz"] {
        for workload in ["drr", "easyport"] {
            let trace = read(workload, name);
            let statistics = Statistics::of(&trace).unwrap();
            assert!(statistics.allocations >= 50_000, "{name}: {}", statistics.allocations);
            assert!((200..10_000).contains(&statistics.blocks_peak), "{name}: {}", statistics.blocks_peak);
            assert_eq!(statistics.blocks_left, 0, "{name}");
            assert!((0.3..0.95).contains(&statistics.top_share(2)), "{name}");
            let packed = PackedTrace::new(&trace).unwrap();
            assert_eq!(packed.slots as u64, statistics.blocks_peak);
            assert_eq!(packed.requested_peak, statistics.requested_peak);
        }
    }
}

#[test]
fn the_log_has_small_blocks() {
    let trace = read("url", "web.log.xz");
    let header = trace.sites.iter().position(|site| site == "header");
    let header = header.map(|site| site as u32);
    let requests = trace.events.iter().filter(|event| event.site == header).count();
    assert!(requests >= 10_000, "{requests}");
    let statistics = Statistics::of(&trace).unwrap();
    assert_eq!(statistics.sizes[0].size.0, 8);
}
