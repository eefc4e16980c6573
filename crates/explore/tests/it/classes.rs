//! Free lists with optimal classes, compared with those for saved bytes on the bundled samples.

use std::path::Path;

use heapsmith_explore::Space;
use heapsmith_spec::build::{lists_in_words, words_for};
use heapsmith_spec::{Layer, Spec};
use heapsmith_trace::{Bytes, LiveSizes, PackedTrace};
use heapsmith_workload::load;

const SAMPLES: [(&str, Option<&str>); 9] = [
    ("ftp.pcap.xz", Some("drr")),
    ("mixed.pcapng.xz", Some("easyport")),
    ("web.pcap.xz", Some("easyport")),
    ("web.log.xz", Some("url")),
    ("programs/espresso.parquet", None),
    ("programs/parser.parquet", None),
    ("perl/perfect.parquet", None),
    ("java/antlr.parquet", None),
    ("java/h2.parquet", None),
];

/// The beginning of a sample.
fn trace(sample: &str, workload: Option<&str>) -> PackedTrace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let mut trace = load(&path, workload, &[]).expect("the sample reads");
    trace.events.truncate(40_000);
    PackedTrace::new(&trace).expect("a sound trace")
}

/// The blocks of a heap's free lists in bytes, ascending, each with the smallest block that its list serves.
fn lists(spec: &Spec) -> Vec<(Bytes, Bytes)> {
    let Some(Layer::FreeLists(lists)) = spec.layers.first() else { panic!("{spec} has no free lists") };
    let bytes = |words: usize| Bytes(words as u64 * u64::from(spec.word.bytes()));
    lists_in_words(spec, lists).into_iter().map(|(low, high)| (bytes(low), bytes(high))).collect()
}

#[test]
fn optimal_classes_waste_no_more_live_bytes_than_those_for_saved_bytes() {
    let text = |lists: usize| {
        format!(
            "[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\nfreelists = [\"saved {lists}\", \"optimal {lists}\"]\n\
             word = [4, 8]\nalign = [\"word\", 16]"
        )
    };
    let (mut better, mut compared) = (0, 0);
    for (sample, workload) in SAMPLES {
        let traces = [trace(sample, workload)];
        let live = LiveSizes::of(&traces);
        for count in [1, 2, 4, 8, 16, 64] {
            let space = Space::of("a test", &text(count), &traces).expect("it is a space");
            let (saved, optimal) = space.designs.split_at(4);
            for (saved, optimal) in saved.iter().zip(optimal) {
                let block = |size: Bytes| {
                    let words = words_for(&optimal.spec, size.0).expect("a block holds it") as u64;
                    Some(Bytes(words * u64::from(optimal.spec.word.bytes())))
                };
                let blocks = live.rounded(block);
                let [saved, optimal] = [saved, optimal].map(|design| lists(&design.spec));
                assert!(optimal.windows(2).all(|pair| pair[0].1 < pair[1].0), "{sample}: {optimal:?}");
                assert!(optimal[0].0 <= blocks.sizes[0].size, "{sample}: the smallest size is served: {optimal:?}");
                assert_eq!(optimal.last().map(|list| list.1), blocks.sizes.last().map(|size| size.size), "{sample}");
                let [mut saved, optimal]: [Vec<Bytes>; 2] =
                    [saved, optimal].map(|lists| lists.into_iter().map(|list| list.1).collect());
                assert_eq!(optimal, blocks.optimal(count), "{sample}: the lists are the optimal classes");
                // What is larger than all of its lists, none of them serves. Without that its lists are classes...
                let largest = *saved.last().expect("a list");
                let served: Vec<_> = blocks.sizes.iter().copied().filter(|size| size.size <= largest).collect();
                let served = LiveSizes { sizes: served, operations: blocks.operations };
                assert!(served.excess(&served.optimal(count)) <= served.excess(&saved), "{sample}, {count} lists");
                // ...and with it, once its last list reaches to the largest size.
                *saved.last_mut().expect("a list") = *optimal.last().expect("a list");
                let [by_saved, by_optimal]: [u128; 2] =
                    [&saved, &optimal].map(|classes: &Vec<Bytes>| blocks.excess(classes));
                assert!(by_optimal <= by_saved, "{sample}, {count} lists: {by_optimal} and {by_saved}");
                better += usize::from(by_optimal < by_saved);
                compared += 1;
            }
        }
    }
    println!("better in {better} of {compared}");
    assert!(better * 2 > compared, "{better} of {compared}");
}
