//! The Delaunay triangulation by divide and conquer.
//!
//! ```text
//!     left ╲   ╱ right        base: the lowest edge between the halves; above it the one of
//!           ╲ ╱               the two candidates is drawn whose circle with the base holds
//!      ──────●────── base     no other point; then that edge is the base, to the top
//! ```
//!
//! Cost: O(n log n). Source: Guibas and Stolfi 1985, section 9.

use std::ops::Range;

use super::quad_edge::{Edge, Edges};

/// Triangulates points in the order of x, at least two. Gives the edges of the hull that begin
/// at the leftmost point, counterclockwise, and at the rightmost, clockwise.
pub(super) fn triangulate(edges: &mut Edges, points: Range<usize>) -> (Edge, Edge) {
    match points.len() {
        2 => {
            let edge = edges.draw(points.start, points.start + 1);
            (edge, edge.reversed())
        }
        3 => triangle(edges, points.start),
        count => {
            let middle = points.start + count / 2;
            let left = triangulate(edges, points.start..middle);
            let right = triangulate(edges, middle..points.end);
            merge(edges, left, right)
        }
    }
}

fn triangle(edges: &mut Edges, first: usize) -> (Edge, Edge) {
    let (second, third) = (first + 1, first + 2);
    let a = edges.draw(first, second);
    let b = edges.draw(second, third);
    edges.splice(a.reversed(), b);
    if edges.counterclockwise(first, second, third) {
        edges.connect(b, a);
        (a, b.reversed())
    } else if edges.counterclockwise(first, third, second) {
        let c = edges.connect(b, a);
        (c.reversed(), c)
    } else {
        (a, b.reversed())
    }
}

fn merge(edges: &mut Edges, left: (Edge, Edge), right: (Edge, Edge)) -> (Edge, Edge) {
    let (mut left_outer, left_inner) = left;
    let (right_inner, mut right_outer) = right;
    let (left_inner, right_inner) = lowest(edges, left_inner, right_inner);
    let mut base = edges.connect(right_inner.reversed(), left_inner);
    if edges.from(left_inner) == edges.from(left_outer) {
        left_outer = base.reversed();
    }
    if edges.from(right_inner) == edges.from(right_outer) {
        right_outer = base;
    }
    loop {
        let left = candidate(edges, base, base.reversed(), Edges::next);
        let right = candidate(edges, base, base, Edges::previous);
        base = match (left, right) {
            (None, None) => return (left_outer, right_outer),
            (Some(left), Some(right)) if takes_right(edges, left, right) => edges.connect(right, base.reversed()),
            (None, Some(right)) => edges.connect(right, base.reversed()),
            (Some(left), _) => edges.connect(base.reversed(), left.reversed()),
        };
    }
}

/// The edges of the two hulls whose beginnings are the ends of their lower common tangent.
fn lowest(edges: &mut Edges, mut left: Edge, mut right: Edge) -> (Edge, Edge) {
    loop {
        let (left_from, left_to) = (edges.from(left), edges.to(left));
        let (right_from, right_to) = (edges.from(right), edges.to(right));
        if edges.counterclockwise(right_from, left_from, left_to) {
            left = edges.next_left(left);
        } else if edges.counterclockwise(left_from, right_to, right_from) {
            right = edges.next(right.reversed());
        } else {
            return (left, right);
        }
    }
}

/// The edge around the end of the base that may be the next side, with what lies within its
/// circle deleted; none if all lie below the base.
fn candidate<'p, 's>(
    edges: &mut Edges<'p, 's>,
    base: Edge,
    end: Edge,
    turn: fn(&mut Edges<'p, 's>, Edge) -> Edge,
) -> Option<Edge> {
    let (from, to) = (edges.from(base), edges.to(base));
    let mut found = turn(edges, end);
    let above = |edges: &mut Edges, edge: Edge| {
        let tip = edges.to(edge);
        edges.counterclockwise(tip, to, from)
    };
    if !above(edges, found) {
        return None;
    }
    loop {
        let following = turn(edges, found);
        let (tip, other) = (edges.to(found), edges.to(following));
        if !edges.in_circle(to, from, tip, other) {
            return Some(found);
        }
        edges.delete(found);
        found = following;
    }
}

fn takes_right(edges: &mut Edges, left: Edge, right: Edge) -> bool {
    let (left_to, left_from) = (edges.to(left), edges.from(left));
    let (right_from, right_to) = (edges.from(right), edges.to(right));
    edges.in_circle(left_to, left_from, right_from, right_to)
}

#[cfg(test)]
mod tests {
    use super::super::quad_edge::Point;
    use super::*;
    use crate::program::Recorder;
    use heapsmith_trace::Draws;

    fn edges(points: &[Point]) -> Vec<(usize, usize)> {
        let mut edges = Edges::new(Recorder::unheard(), 64, points);
        triangulate(&mut edges, 0..points.len());
        edges.pairs()
    }

    /// The corners of the convex hull, by turning around it.
    fn hull(points: &[Point]) -> usize {
        let turn = |a: Point, b: Point, c: Point| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let half = |points: &mut dyn Iterator<Item = Point>| {
            let mut chain: Vec<Point> = Vec::new();
            for point in points {
                while let [.., a, b] = chain[..]
                    && turn(a, b, point) <= 0
                {
                    chain.pop();
                }
                chain.push(point);
            }
            chain.len() - 1
        };
        half(&mut points.iter().copied()) + half(&mut points.iter().rev().copied())
    }

    #[test]
    fn the_triangulation_is_whole_and_delaunay() {
        for (count, seed) in [(4, 1), (7, 2), (20, 3), (60, 4), (61, 5), (40, 6)] {
            let mut draws = Draws::new(seed);
            let points = super::super::drawn(&mut draws, count);
            let pairs = edges(&points);
            // Euler: a triangulation of n points of which h are on the hull has 3n - 3 - h edges.
            assert_eq!(pairs.len(), 3 * count - 3 - hull(&points), "{count} points");
            for &(a, b) in &pairs {
                assert!(has_empty_circle(&points, a, b), "{count} points: {a} {b}");
            }
        }
    }

    /// Whether some circle through two points holds no other: those centred on their bisector
    /// leave a gap between what the points of each side allow.
    fn has_empty_circle(points: &[Point], a: usize, b: usize) -> bool {
        let (from, to) = (points[a], points[b]);
        let (dx, dy) = ((to.x - from.x) as f64, (to.y - from.y) as f64);
        let (mut min, mut max) = (f64::NEG_INFINITY, f64::INFINITY);
        for point in points.iter().filter(|&&point| point != from && point != to) {
            let (x, y) = ((point.x - from.x) as f64, (point.y - from.y) as f64);
            let side = dx * y - dy * x;
            // The centre is from + d / 2 + t × (-dy, dx); the point is outside if t is beyond this.
            let limit = (x * x + y * y - x * dx - y * dy) / (2.0 * side);
            if side > 0.0 {
                max = max.min(limit);
            } else if side < 0.0 {
                min = min.max(limit);
            }
        }
        min <= max
    }

    #[test]
    fn points_on_a_line_are_a_chain() {
        let points: Vec<Point> = (0..9).map(|x| Point { x, y: 2 * x }).collect();
        assert_eq!(edges(&points).len(), 8);
    }
}
