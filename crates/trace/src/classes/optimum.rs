//! The best classes, by dynamic programming.
//!
//! ```text
//!   sizes     0   1   2   3   4   5   6   7          a class serves the sizes from one cut to the next,
//!           │   │ . │ . │   │ . │ . │ . │   │        each at the price of the last of them
//!   cuts    0   1       3   4           7   8
//! ```
//!
//! `best(n, j)`, the smallest excess of the first `j` sizes in `n` classes, is the minimum over `i` of `best(n - 1, i)` and the
//! excess of one class for the sizes from `i` to `j`. That excess meets the inequality of quadrangles: for i ≤ i' ≤ j ≤ j'
//! `excess(i, j) + excess(i', j') ≤ excess(i, j') + excess(i', j)`, as the sizes from `i` to `i'` cost no less at the
//! price of `j'` than at that of `j`. So the smallest `i` of a minimum does not fall as `j` grows, and halving finds all of a row in
//! O(s log s).
//!
//! Cuts are found without a table of all rows: the middle cut from one half of the classes counted from the left and the
//! other half counted from the right, then each side by itself. That is twice the work, and rows of `s` numbers are all that is kept.
//!
//! Numbers are exact: 2^36 operations with blocks of 2^56 bytes fit.
//!
//! Source: the inequality is Monge's; halving for rows of such minima, and sides by themselves, are textbook methods (Galil
//! and Park 1992, "Dynamic programming with convexity, concavity and sparsity"; Hirschberg 1975).

use super::LiveSize;

/// The cuts behind the classes with the smallest excess: `classes` of them, or as many as there are sizes; the last is the
/// number of sizes.
pub(super) fn ends(sizes: &[LiveSize], classes: usize) -> Vec<usize> {
    let mut ends = Vec::with_capacity(classes.min(sizes.len()));
    Sums::of(sizes).cut(0, sizes.len(), classes.min(sizes.len()), &mut ends);
    ends
}

/// Sums up to each cut.
struct Sums {
    /// The last size before a cut; 0 for the first cut.
    size: Vec<u64>,
    /// Of live blocks.
    live: Vec<u128>,
    /// Of their bytes.
    bytes: Vec<u128>,
}

impl Sums {
    fn of(sizes: &[LiveSize]) -> Sums {
        let mut sums = Sums { size: vec![0], live: vec![0], bytes: vec![0] };
        let (mut live, mut bytes) = (0, 0);
        for one in sizes {
            live += one.live;
            bytes += u128::from(one.size.0) * one.live;
            sums.size.push(one.size.0);
            sums.live.push(live);
            sums.bytes.push(bytes);
        }
        sums
    }

    /// Of one class for the sizes between two cuts.
    fn excess(&self, from: usize, to: usize) -> u128 {
        u128::from(self.size[to]) * (self.live[to] - self.live[from]) - (self.bytes[to] - self.bytes[from])
    }

    /// Appends the ends of the best `classes` classes between two cuts, which have at least as many sizes between them.
    fn cut(&self, from: usize, to: usize, classes: usize, ends: &mut Vec<usize>) {
        match classes {
            0 => {}
            1 => ends.push(to),
            _ if classes == to - from => ends.extend(from + 1..=to),
            _ => {
                let (left, right) = (classes / 2, classes - classes / 2);
                let below = best(to - from, left, |i, j| self.excess(from + i, from + j));
                let above = best(to - from, right, |i, j| self.excess(to - j, to - i));
                let middles = left..=to - from - right;
                let middle = middles.min_by_key(|&middle| below[middle] + above[to - from - middle]);
                let middle = from + middle.unwrap_or(left);
                self.cut(from, middle, left, ends);
                self.cut(middle, to, right, ends);
            }
        }
    }
}

/// The smallest excess of the first `j` of `sizes` sizes in `classes` classes, for each `j` from `classes` on; those before
/// mean nothing.
fn best(sizes: usize, classes: usize, excess: impl Fn(usize, usize) -> u128) -> Vec<u128> {
    let mut row: Vec<u128> = (0..=sizes).map(|j| excess(0, j)).collect();
    for class in 2..=classes {
        let mut next = row.clone();
        Row { before: &row, excess: &excess }.fill(&mut next[class..], class, class - 1, sizes - 1);
        row = next;
    }
    row
}

/// A row of minima, made of the row before.
struct Row<'r, E> {
    before: &'r [u128],
    excess: E,
}

impl<E: Fn(usize, usize) -> u128> Row<'_, E> {
    /// Fills the minima of the cuts from `first` on, which begin their last class at one of the cuts `low..=high`.
    fn fill(&self, minima: &mut [u128], first: usize, low: usize, high: usize) {
        if minima.is_empty() {
            return;
        }
        let middle = minima.len() / 2;
        let to = first + middle;
        let (mut smallest, mut at) = (u128::MAX, low);
        for from in low..=high.min(to - 1) {
            let sum = self.before[from] + (self.excess)(from, to);
            if sum < smallest {
                (smallest, at) = (sum, from);
            }
        }
        minima[middle] = smallest;
        let (left, right) = minima.split_at_mut(middle);
        self.fill(left, first, low, at);
        self.fill(&mut right[1..], to + 1, at, high);
    }
}
