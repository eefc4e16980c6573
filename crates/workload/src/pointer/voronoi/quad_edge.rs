//! Edges of a subdivision of the plane and of its dual at once.
//!
//! ```text
//!   quad-edge: │ 0: e   │ 1: e turned │ 2: e reversed │ 3: e turned back │
//!              each: origin, next edge counterclockwise around its origin
//! ```
//!
//! Source: Guibas and Stolfi 1985, sections 4 to 6.

use crate::program::Recorder;
use crate::tape::{Block, Site};

/// A point of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub x: i64,
    pub y: i64,
}

/// One of the four edges of a quad-edge: four times its number, and which of the four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge(usize);

impl Edge {
    fn turned(self, quarters: usize) -> Edge {
        Edge(self.0 & !3 | (self.0 + quarters) & 3)
    }

    /// The edge that crosses it, from right to left.
    pub fn rotated(self) -> Edge {
        self.turned(1)
    }

    /// The same edge from its other end.
    pub fn reversed(self) -> Edge {
        self.turned(2)
    }
}

/// All edges, with the program that allocates them.
pub(super) struct Edges<'p, 's> {
    pub program: Recorder<'s>,
    site: Site,
    size: u64,
    pub points: &'p [Point],
    /// The next around the origin, for each edge.
    next: Vec<Edge>,
    /// The origin, for each edge; of no meaning for those of the dual.
    origin: Vec<usize>,
    /// For each quad-edge, none when it is deleted.
    blocks: Vec<Option<Block>>,
}

impl<'p, 's> Edges<'p, 's> {
    /// No edges yet, over these points.
    pub fn new(mut program: Recorder<'s>, size: u64, points: &'p [Point]) -> Edges<'p, 's> {
        let site = program.site("edge");
        Edges { program, site, size, points, next: Vec::new(), origin: Vec::new(), blocks: Vec::new() }
    }

    /// An edge between two points that is connected to nothing.
    pub fn draw(&mut self, from: usize, to: usize) -> Edge {
        let first = self.next.len();
        self.blocks.push(Some(self.program.allocate(self.site, self.size)));
        self.program.work(8);
        self.next.extend([first, first + 3, first + 2, first + 1].map(Edge));
        self.origin.extend([from, usize::MAX, to, usize::MAX]);
        Edge(first)
    }

    /// The next edge around the origin, counterclockwise.
    pub fn next(&mut self, edge: Edge) -> Edge {
        self.program.work(1);
        self.next[edge.0]
    }

    /// The next edge around the origin, clockwise.
    pub fn previous(&mut self, edge: Edge) -> Edge {
        self.next(edge.rotated()).rotated()
    }

    /// The next edge around the face to the left, counterclockwise.
    pub fn next_left(&mut self, edge: Edge) -> Edge {
        self.next(edge.turned(3)).rotated()
    }

    /// Where it begins.
    pub fn from(&mut self, edge: Edge) -> usize {
        self.program.work(1);
        self.origin[edge.0]
    }

    /// Where it ends.
    pub fn to(&mut self, edge: Edge) -> usize {
        self.from(edge.reversed())
    }

    /// Joins two rings of edges around an origin, or parts one.
    pub fn splice(&mut self, one: Edge, other: Edge) {
        let [alpha, beta] = [one, other].map(|edge| self.next(edge).rotated());
        self.next.swap(one.0, other.0);
        self.next.swap(alpha.0, beta.0);
        self.program.work(6);
    }

    /// Draws an edge from the end of `one` to the beginning of `other`, with the same face to
    /// the left of all three.
    pub fn connect(&mut self, one: Edge, other: Edge) -> Edge {
        let (from, to) = (self.to(one), self.from(other));
        let edge = self.draw(from, to);
        let around = self.next_left(one);
        self.splice(edge, around);
        self.splice(edge.reversed(), other);
        edge
    }

    /// Takes an edge out and frees it.
    pub fn delete(&mut self, edge: Edge) {
        for end in [edge, edge.reversed()] {
            let previous = self.previous(end);
            self.splice(end, previous);
        }
        if let Some(block) = self.blocks[edge.0 / 4].take() {
            self.program.free(block);
        }
    }

    /// How many edges there are.
    pub fn drawn(&self) -> usize {
        self.blocks.iter().filter(|block| block.is_some()).count()
    }

    /// Frees all edges.
    pub fn free(&mut self) {
        for block in self.blocks.iter_mut().filter_map(Option::take) {
            self.program.free(block);
        }
    }

    /// The edges that are left, as pairs of points.
    #[cfg(test)]
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let left = self.blocks.iter().enumerate().filter(|(_, block)| block.is_some());
        left.map(|(number, _)| (self.origin[4 * number], self.origin[4 * number + 2])).collect()
    }

    /// Whether three points lie counterclockwise.
    pub fn counterclockwise(&mut self, a: usize, b: usize, c: usize) -> bool {
        self.program.work(6);
        let [a, b, c] = [a, b, c].map(|point| self.points[point]);
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0
    }

    /// Whether a point lies inside the circle through three that are counterclockwise.
    pub fn in_circle(&mut self, a: usize, b: usize, c: usize, point: usize) -> bool {
        // Coordinates and norms.
        self.program.work(12);
        let middle = self.points[point];
        let [a, b, c] = [a, b, c].map(|point| {
            let point = self.points[point];
            let (x, y) = (i128::from(point.x - middle.x), i128::from(point.y - middle.y));
            (x, y, x * x + y * y)
        });
        let minor = |(x1, y1, _): (i128, i128, i128), (x2, y2, _): (i128, i128, i128)| x1 * y2 - x2 * y1;
        a.2 * minor(b, c) - b.2 * minor(a, c) + c.2 * minor(a, b) > 0
    }
}
