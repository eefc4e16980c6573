//! A program whose every allocation comes from a heap of this crate.
//!
//! The heap is first fit with links of eight bytes; it lives in a megabyte of the program's static memory.

use std::collections::BTreeMap;

use heapsmith::{FirstFit, Fixed, Global, Heap, Spin, StaticRegion, Unmetered};

/// Words of eight bytes: regions beyond 4 GiB.
type Large = FirstFit<Fixed<'static>, u64>;

static REGION: StaticRegion<{ 1 << 20 }> = StaticRegion::new();
#[global_allocator]
static HEAP: Global<Large, Spin, { 1 << 20 }> = Global::new(&REGION, |region| Large::metered(region, Unmetered));

/// Counts words on several threads, all in the heap.
pub fn main() {
    let text = "the heap that the program uses is the heap that was measured";
    let counts: Vec<BTreeMap<String, usize>> = std::thread::scope(|scope| {
        let count = || {
            let mut counts = BTreeMap::new();
            for word in text.split(' ').cycle().take(1200) {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
            counts
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(counts.iter().all(|count| count["heap"] == 200));
    let (footprint, peak, sound) =
        HEAP.with(|heap| (heap.footprint(), heap.footprint_peak(), heap.check().is_ok())).expect("it was used");
    assert!(sound && footprint <= peak && peak < 1 << 20);
    println!("{} words counted in a heap of {peak} bytes at most", 4 * 1200);
}
