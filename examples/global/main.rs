//! A program whose every allocation comes from an emitted heap, in a mebibyte of its static memory.
//!
//! `word_heap.rs` next to it was written by `heapsmith emit 'tlsf word=8' --lang rust --name word_heap`; the
//! only other thing that the program needs is the crate `heapsmith`, which has no dependencies.

mod word_heap;

use std::collections::BTreeMap;

use heapsmith::{Fixed, Global, Heap, Spin, StaticRegion};

static REGION: StaticRegion<{ 1 << 20 }> = StaticRegion::new();
#[global_allocator]
static HEAP: Global<word_heap::WordHeap<Fixed<'static>>, Spin, { 1 << 20 }> = Global::new(&REGION, word_heap::heap);

/// Counts the words of a text, on four threads at once.
fn count(text: &str) -> BTreeMap<String, usize> {
    let counts: Vec<BTreeMap<String, usize>> = std::thread::scope(|scope| {
        let count = || {
            let mut counts = BTreeMap::new();
            for word in text.split_whitespace().cycle().take(10_000) {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
            counts
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut all = BTreeMap::new();
    for (word, number) in counts.into_iter().flatten() {
        *all.entry(word).or_default() += number;
    }
    all
}

fn main() {
    for (word, number) in count("the heap that ships is the heap that was measured") {
        println!("{number:>6} {word}");
    }
    let sound = HEAP.with(|heap| heap.check().is_ok() && heap.footprint_peak() < 1 << 20);
    assert_eq!(sound, Some(true));
    println!("the heap is sound");
}
