//! Sorts numbers by adaptive bitonic sorting in a binary tree, up and then down again.
//!
//! ```text
//!   the first 2^depth - 1 numbers lie in the tree, in the order of a walk from left to right;
//!   the last one, the spare, apart from it
//!
//!   sort:  left half up, right half down (a bitonic sequence), then merge
//!   merge: on one way down, whole subtrees change places instead of the numbers in them
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | node | a value and two pointers: 24 (12 with pointers of 4) | the tree is built | end |
//!
//! The numbers are drawn from a seed. Source: G. Bilardi, A. Nicolau, "Adaptive bitonic
//! sorting: an optimal parallel algorithm for shared-memory machines", SIAM Journal on
//! Computing 18 (1989); Olden (see [`super`]), program bisort, which Li, Mohanty and Kavi run
//! with 250,000 numbers: a tree of 17 levels.

use std::mem::swap;

use super::structure::{Field, size};
use super::{FREE, POINTER, pointer};
use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{NOTHING, Parameter, Run, SEED, Workload};
use heapsmith_trace::Draws;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "bisort",
    about: "sorts numbers in a binary tree by adaptive bitonic sorting, up and then down",
    source: "Bilardi, Nicolau: Adaptive bitonic sorting, SIAM Journal on Computing 18 (1989); \
             Rogers, Carlisle, Reppy, Hendren: Olden, ACM TOPLAS 17 (1995), program bisort",
    input: NOTHING,
    parameters: &[
        Parameter {
            name: "depth",
            default: "14",
            about: "levels of the tree, which sorts 2^depth numbers; 17 in Li, Mohanty, Kavi (2006)",
        },
        SEED,
        POINTER,
        FREE,
    ],
    formats: &[],
    run: Run::Alone(run),
};

struct Node {
    block: Block,
    value: u64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let depth = settings.number("depth", 1, 22, "levels from 1 to 22")?;
    let mut draws = Draws::new(settings.seed()?);
    let node = size(pointer(settings)?, &[Field::Int, Field::Pointer, Field::Pointer]);
    let frees = settings.switch(FREE.name)?;
    let mut program = Recorder::with_work(tape);
    let site = program.site("node");
    let mut tree = build(&mut program, site, node, depth, &mut draws);
    let spare = draws.below(1 << 31);
    program.mark("tree built");
    let mut sorter = Sorter { program: &mut program };
    let spare = sorter.sort(&mut tree, spare, false);
    sorter.program.mark("sorted up");
    sorter.sort(&mut tree, spare, true);
    program.mark("sorted down");
    if frees {
        free(&mut program, tree);
    }
    Ok(program.end())
}

/// Writes the three words of a node.
fn build(program: &mut Recorder, site: Site, size: u64, depth: u64, draws: &mut Draws) -> Node {
    let block = program.allocate(site, size);
    program.work(3);
    let value = draws.below(1 << 31);
    let mut half = || (depth > 1).then(|| Box::new(build(program, site, size, depth - 1, draws)));
    Node { block, value, left: half(), right: half() }
}

/// Reads the two pointers of a node.
fn free(program: &mut Recorder, node: Node) {
    program.work(2);
    [node.left, node.right].into_iter().flatten().for_each(|half| free(program, *half));
    program.free(node.block);
}

struct Sorter<'p, 's> {
    program: &'p mut Recorder<'s>,
}

impl Sorter<'_, '_> {
    /// Sorts a subtree with its spare, rising or falling, and gives the spare back.
    fn sort(&mut self, node: &mut Node, mut spare: u64, falling: bool) -> u64 {
        self.program.work(3);
        let (Some(left), Some(right)) = (&mut node.left, &mut node.right) else {
            if (node.value > spare) != falling {
                swap(&mut node.value, &mut spare);
                self.program.work(1);
            }
            return spare;
        };
        node.value = self.sort(left, node.value, falling);
        spare = self.sort(right, spare, !falling);
        self.program.work(1);
        self.merge(node, spare, falling)
    }

    /// Sorts a subtree whose numbers, with the spare, are bitonic: they rise and then fall, or
    /// would if they were turned in a circle.
    fn merge(&mut self, node: &mut Node, mut spare: u64, falling: bool) -> u64 {
        self.program.work(3);
        let swapped = (node.value > spare) != falling;
        if swapped {
            swap(&mut node.value, &mut spare);
            self.program.work(1);
        }
        let (Some(left), Some(right)) = (&mut node.left, &mut node.right) else {
            return spare;
        };
        self.exchange(left, right, swapped, falling);
        node.value = self.merge(left, node.value, falling);
        spare = self.merge(right, spare, falling);
        self.program.work(1);
        spare
    }

    /// Walks down both halves at once to the place from which on they must change places:
    /// what lies to one side of it changes as a whole subtree.
    fn exchange(&mut self, mut left: &mut Node, mut right: &mut Node, swapped: bool, falling: bool) {
        loop {
            self.program.work(2);
            let wrong = (left.value > right.value) != falling;
            if wrong {
                swap(&mut left.value, &mut right.value);
                let (one, other) =
                    if swapped { (&mut left.right, &mut right.right) } else { (&mut left.left, &mut right.left) };
                swap(one, other);
                self.program.work(6);
            }
            self.program.work(2);
            let (one, other) =
                if wrong == swapped { (&mut left.left, &mut right.left) } else { (&mut left.right, &mut right.right) };
            match (one, other) {
                (Some(one), Some(other)) => (left, right) = (one, other),
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(node: &Node, values: &mut Vec<u64>) {
        if let Some(left) = &node.left {
            walk(left, values);
        }
        values.push(node.value);
        if let Some(right) = &node.right {
            walk(right, values);
        }
    }

    #[test]
    fn numbers_are_sorted_up_and_down() {
        for (depth, seed) in (1..=9).flat_map(|depth| (0..8).map(move |seed| (depth, seed))) {
            let mut draws = Draws::new(seed);
            let mut program = Recorder::unheard();
            let site = program.site("node");
            let mut tree = build(&mut program, site, 24, depth, &mut draws);
            let mut spare = draws.below(1 << 31);
            let mut wanted = vec![spare];
            walk(&tree, &mut wanted);
            wanted.sort_unstable();
            for falling in [false, true] {
                spare = Sorter { program: &mut program }.sort(&mut tree, spare, falling);
                let mut found = Vec::new();
                walk(&tree, &mut found);
                found.push(spare);
                assert_eq!(found, wanted, "depth {depth}, seed {seed}");
                wanted.reverse();
            }
        }
    }
}
