//! How the cost of an operation grows with the number of live blocks: accesses counted, no time
//! taken, so the outcome is the same on every machine. Random sizes and random lifetimes.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use heapsmith::{Counting, Fixed, Heap};
use heapsmith_spec::build::with_dyn_heap;

/// The state of a random number generator (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    /// A size of 8 to 2047 bytes; every magnitude is as frequent.
    fn size(&mut self) -> usize {
        let power = 8 << self.below(8);
        power + self.below(power)
    }
}

/// What operations cost.
struct Cost {
    mean: f64,
    most: u64,
}

/// Replaces blocks at random while as many stay live, and measures in the second half.
fn churn(heap: &mut dyn Heap<Meter = Counting>, live: usize) -> Cost {
    let mut random = Random(0x5EED);
    let mut blocks: Vec<_> = (0..live).map(|_| heap.allocate(random.size(), 1).expect("the region has room")).collect();
    let rounds = 2 * live.max(10_000);
    let (mut sum, mut most, mut count) = (0, 0, 0);
    for round in 0..rounds {
        let which = random.below(live);
        let before = heap.meter().accesses;
        // SAFETY: the block is live, and another takes its place.
        unsafe { heap.deallocate(blocks[which]) };
        let between = heap.meter().accesses;
        blocks[which] = heap.allocate(random.size(), 1).expect("the region has room");
        let after = heap.meter().accesses;
        most = most.max(between - before).max(after - between);
        if round >= rounds / 2 {
            (sum, count) = (sum + after - before, count + 2);
        }
    }
    heap.check().expect("a sound heap");
    Cost { mean: sum as f64 / f64::from(count), most }
}

/// What operations cost on the heap of `spec` with so many live blocks.
fn cost(spec: &str, live: usize) -> Cost {
    let bytes = live * 1600 + (1 << 16);
    let mut memory = vec![MaybeUninit::<u64>::uninit(); bytes / 8];
    let spec = spec.parse().expect("a spec");
    let mut cost = None;
    let source = Fixed::new(&mut memory);
    with_dyn_heap(&spec, source, Counting::default(), &mut |heap| cost = Some(churn(heap, live))).expect("a heap");
    cost.expect("the heap was made")
}

/// The slope of the line through the logarithms, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let shared: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    shared / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}

#[test]
fn accesses_hardly_grow_with_the_live_blocks() {
    for spec in [
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
        let points = [1_000, 10_000, 100_000].map(|live| (live as f64, cost(spec, live).mean));
        let slope = slope(&points);
        println!("{spec}: {:.1} {:.1} {:.1} accesses, slope {slope:.3}", points[0].1, points[1].1, points[2].1);
        assert!(slope < 0.1, "{spec}: slope {slope:.3} over {points:?}");
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
        let most = [1_000, 100_000].map(|live| cost(spec, live).most);
        println!("{spec}: at most {most:?} accesses");
        assert!(most.iter().all(|&most| most <= heapsmith::index::TwoLevel::BOUND), "{spec}: {most:?}");
    }
}
