//! How the cost of an operation grows with the number of live blocks: accesses counted, no time
//! taken, so the outcome is the same on every machine. Random sizes and random lifetimes.

use heapsmith_spec::{Spec, resolve};
use heapsmith_trial::{Churned, Wanted, churn, slope, wanted};

fn spec(text: &str) -> Spec {
    resolve(text).unwrap_or_else(|error| panic!("{error}"))
}

/// What operations cost on the heap of `text` with this many live blocks.
fn cost(text: &str, live: usize) -> Churned {
    churn(&spec(text), live).expect("a heap")
}

#[test]
fn accesses_hardly_grow_with_the_live_blocks() {
    for heap in [
        "tree",
        "skiplist",
        "tlsf",
        "half-fit",
        "bins(log)",
        "bins(lea)",
        "bins(lea, order=fifo)",
        "bins(log(16))",
        "bins(log, each=tree)",
        "bins(lea, each=tree)",
        "bins(lea, each=skiplist)",
        "tree word=8",
        "skiplist word=8",
    ] {
        let points = [1_000, 10_000, 100_000].map(|live| cost(heap, live));
        let slope = slope(&points);
        let [few, some, many] = points.map(|point| point.mean);
        println!("{heap}: {few:.1} {some:.1} {many:.1} accesses, slope {slope:.3}");
        assert_eq!(wanted(&spec(heap)), Wanted::Flat, "{heap}");
        assert!(Wanted::Flat.holds(slope), "{heap}: slope {slope:.3}");
    }
}

#[test]
fn an_implicit_list_looks_at_every_block() {
    for heap in ["list(order=implicit, fit=best)", "list(order=implicit, tags=off)"] {
        let slope = slope(&[100, 1_000, 4_000].map(|live| cost(heap, live)));
        println!("{heap}: slope {slope:.3}");
        assert!(wanted(&spec(heap)) == Wanted::Linear && Wanted::Linear.holds(slope), "{heap}: slope {slope:.3}");
    }
}

/// A sorted list in a bin of several sizes is walked through to insert, and to its end to find, and gets
/// longer: linear in the bin by nature. A tree in the same bin does not care.
#[test]
fn a_tree_in_each_bin_is_flatter_than_a_list() {
    let at = |spec: &str, live| cost(spec, live).mean;
    for layout in ["lea", "log"] {
        let list = [1_000, 100_000].map(|live| at(&format!("bins({layout}, order=size)"), live));
        let tree = [1_000, 100_000].map(|live| at(&format!("bins({layout}, each=tree)"), live));
        assert!(list[1] > 3.0 * list[0] && tree[1] < 1.5 * tree[0], "{layout}: {list:?} {tree:?}");
    }
}

/// What `tries` bounds: without it the search of an unsorted bin is longer in a larger heap.
#[test]
fn an_unsorted_bin_is_searched_no_further_in_a_larger_heap() {
    for layout in ["lea", "log"] {
        let growth = |tries| {
            let [small, large] =
                [1_000, 100_000].map(|live| cost(&format!("bins({layout}, tries={tries})"), live).mean);
            large / small
        };
        let (bounded, whole) = (growth("8"), growth("all"));
        assert!(bounded < 1.1 && whole > 1.5, "{layout}: {bounded:.2} times with a bound, {whole:.2} without");
    }
}

#[test]
fn constant_time_has_a_bound() {
    for spec in ["tlsf", "half-fit", "tlsf(second-level=6) word=8", "tlsf(second-level=1)"] {
        let max = [1_000, 100_000].map(|live| cost(spec, live).max);
        println!("{spec}: at most {max:?} accesses");
        assert!(max.iter().all(|&max| max <= heapsmith::parts::TwoLevel::BOUND), "{spec}: {max:?}");
    }
}
