//! Real inputs, where they lie next to the workspace: what is known of them comes out.

use std::path::{Path, PathBuf};

use heapsmith_trace::{PackedTrace, Statistics, Trace};
use heapsmith_workload::load;

/// The folder of real inputs; says that it is left out where there is none.
fn data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("left out: {} is not there", path.display());
    None
}

fn read(workload: &str, path: &Path) -> Trace {
    load(path, Some(workload), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A capture: its name, number of packets, distinct sizes, and top sizes with their
/// percentages to one decimal.
type Capture = (&'static str, u64, usize, &'static [(u64, &'static str)]);

const CAPTURES: [Capture; 9] = [
    ("auckland-20000125.pcap.xz", 31249, 888, &[(40, "41.8"), (1500, "7.5"), (44, "5.3")]),
    ("wlan-probe-requests-20231214.pcap.xz", 27416, 81, &[(135, "25.1"), (177, "10.1")]),
    ("wlan-80211-home-20220727.pcap.xz", 20056, 95, &[(10, "35.7"), (26, "31.7")]),
    ("http-browsing-20130502.pcap.xz", 4631, 478, &[(1414, "47.6"), (66, "29.6")]),
    ("ftp-cwd-navigation-2016.pcap.xz", 8317, 24, &[(60, "17.0"), (82, "16.6")]),
    ("ftp-download-2019.pcap.xz", 1192, 28, &[(1506, "60.8"), (66, "34.8")]),
    ("ftp-ipv6-nasa-1998.pcap.xz", 1166, 25, &[(1514, "65.0"), (74, "17.4"), (1066, "13.0")]),
    ("industrial-mb2-20121112.pcap.xz", 13472, 216, &[(60, "18.6"), (61, "9.4")]),
    ("bellcore-pAug89-first100k.TL.xz", 100_001, 270, &[(1090, "27.2"), (162, "18.9")]),
];

#[test]
fn easyport_buffers_every_frame_of_every_capture() {
    for (name, packets, distinct, top) in CAPTURES {
        let Some(path) = data(&format!("pcap/{name}")) else { continue };
        let statistics = Statistics::of(&read("easyport", &path)).unwrap();
        assert_eq!(statistics.allocations, packets, "{name}");
        assert_eq!(statistics.distinct_sizes(), distinct, "{name}");
        assert_eq!(statistics.blocks_left, 0, "{name}");
        for (known, &(size, share)) in statistics.sizes.iter().zip(top) {
            let found = (known.size.0, format!("{:.1}", known.share * 100.0));
            assert_eq!(found, (size, share.to_owned()), "{name}");
        }
    }
}

#[test]
fn drr_allocates_every_packet_and_frees_it() {
    for (name, packets, ..) in CAPTURES {
        if name.contains("bellcore") {
            continue;
        }
        let Some(path) = data(&format!("pcap/{name}")) else { continue };
        let trace = read("drr", &path);
        let packet_site = trace.events.iter().filter(|event| event.site == Some(0));
        assert_eq!(packet_site.count() as u64, packets, "{name}");
        let packed = PackedTrace::new(&trace).unwrap();
        assert_eq!(packed.allocations, packed.frees, "{name}");
    }
}

#[test]
fn drr_has_the_classic_sizes_on_the_auckland_link() {
    let Some(path) = data("pcap/auckland-20000125.pcap.xz") else { return };
    let statistics = Statistics::of(&read("drr", &path)).unwrap();
    let sizes: Vec<u64> = statistics.sizes.iter().take(3).map(|known| known.size.0).collect();
    // The queue object, the acknowledgement, the full segment.
    assert_eq!(sizes, [64, 16, 1476]);
    assert!((100..2000).contains(&statistics.blocks_peak), "{}", statistics.blocks_peak);
}

#[test]
fn url_reads_logs_lists_and_captures() {
    for (name, requests) in [
        ("urls/nasa_19950701.tsv.xz", 9999),
        ("urls/nasa_19950801.tsv.xz", 9999),
        ("urls/kasztp-48k-urls.txt.xz", 48010),
        ("pcap/http-browsing-20130502.pcap.xz", 337),
    ] {
        let Some(path) = data(name) else { continue };
        let trace = read("url", &path);
        let header = trace.sites.iter().position(|site| site == "header").unwrap() as u32;
        let headers = trace.events.iter().filter(|event| event.site == Some(header));
        assert_eq!(headers.count(), requests, "{name}");
        let packed = PackedTrace::new(&trace).unwrap();
        assert_eq!(packed.allocations, packed.frees, "{name}");
    }
}

#[test]
fn traces_are_the_same_every_time_and_survive_a_file() {
    let Some(path) = data("pcap/http-browsing-20130502.pcap.xz") else { return };
    let folder = tempfile::tempdir().unwrap();
    for workload in ["drr", "easyport", "url"] {
        let trace = read(workload, &path);
        let file = folder.path().join(format!("{workload}.parquet"));
        trace.write(&file).unwrap();
        assert_eq!(Trace::read(&file).unwrap(), trace);
        assert_eq!(read(workload, &path), trace);
    }
}
