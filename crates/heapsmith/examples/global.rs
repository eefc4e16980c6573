//! A program whose every allocation comes from a heap of this crate.
//!
//! The heap is the catalogue's `first-fit` with free lists of its own word; it
//! lives in a megabyte of the program's static memory.
#![allow(unsafe_code)]

use std::collections::BTreeMap;

use heapsmith::index::AddressOrder;
use heapsmith::lock::Spin;
use heapsmith::{BlockPool, Fixed, Global, Heap, PolicyValues, Unmetered};

type Pool = BlockPool<u64, AddressOrder, PolicyValues, Fixed<'static>, Unmetered, true>;

// SAFETY: a static neither moves nor ends.
#[global_allocator]
static HEAP: Global<Pool, Spin, { 1 << 20 }> =
    unsafe { Global::new(|region| Pool::new(region, AddressOrder::default(), PolicyValues::default(), Unmetered)) };

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
