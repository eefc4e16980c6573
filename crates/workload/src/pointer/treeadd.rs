//! Builds a balanced binary tree and adds the values in it.
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | node | a value and two pointers: 24 (12 with pointers of 4) | before its left half, then its right half is built | end; with `free=yes` after both halves |
//!
//! Source: Olden (see [`super`]), program treeadd: a recursive walk of a tree of `depth`
//! levels, 2^depth - 1 nodes. Li, Mohanty and Kavi run it with depth 20.

use super::structure::{Field, size};
use super::{FREE, POINTER, pointer};
use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{NOTHING, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "treeadd",
    about: "builds a balanced binary tree and adds the values in it",
    source: "Rogers, Carlisle, Reppy, Hendren: Olden, ACM TOPLAS 17 (1995), program treeadd",
    input: NOTHING,
    parameters: &[
        Parameter { name: "depth", default: "14", about: "levels of the tree; 20 in Li, Mohanty, Kavi (2006)" },
        Parameter { name: "rounds", default: "1", about: "how often the values are added up" },
        POINTER,
        FREE,
    ],
    formats: &[],
    run: Run::Alone(run),
};

struct Node {
    block: Block,
    value: u64,
    halves: Option<Box<[Node; 2]>>,
}

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let depth = settings.number("depth", 1, 24, "levels from 1 to 24")?;
    let rounds = settings.number("rounds", 1, 1000, "a whole number from 1 to 1000")?;
    let node = size(pointer(settings)?, &[Field::Int, Field::Pointer, Field::Pointer]);
    let frees = settings.switch(FREE.name)?;
    let mut program = Recorder::with_work(tape);
    let site = program.site("node");
    let tree = build(&mut program, site, node, depth);
    program.mark("tree built");
    for _ in 0..rounds {
        let sum = add(&mut program, &tree);
        program.mark(&format!("sum {sum}"));
    }
    if frees {
        free(&mut program, tree);
    }
    Ok(program.end())
}

/// Writes the three words of a node.
fn build(program: &mut Recorder, site: Site, size: u64, depth: u64) -> Node {
    let block = program.allocate(site, size);
    program.work(3);
    let halves = (depth > 1).then(|| Box::new([(); 2].map(|()| build(program, site, size, depth - 1))));
    Node { block, value: 1, halves }
}

/// Reads the three words of a node.
fn add(program: &mut Recorder, node: &Node) -> u64 {
    program.work(3);
    node.value + node.halves.iter().flat_map(|halves| halves.iter()).map(|half| add(program, half)).sum::<u64>()
}

/// Reads the two pointers of a node.
fn free(program: &mut Recorder, node: Node) {
    program.work(2);
    node.halves.into_iter().flat_map(|halves| *halves).for_each(|half| free(program, half));
    program.free(node.block);
}
