//! Computes the Voronoi diagram of random points by its dual, the Delaunay triangulation.
//!
//! ```text
//!   points ─► tree, ordered by x ─► left half ┐
//!                                  right half ┴─► merged from bottom to top, edges that are
//!                                                 no longer Delaunay deleted on the way
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | vertex | x, y, norm, two pointers: 40 (32 with pointers of 4) | start | end |
//! | edge | four records of two pointers: 64 (32) | the edge is drawn | it is deleted in a merge, or end |
//!
//! An edge is kept as a quad-edge: the edge in both directions and the edge of the Voronoi
//! diagram that crosses it in both directions, each with its origin and the next around it.
//! Points have whole coordinates, so every comparison is exact.
//!
//! Source: L. Guibas, J. Stolfi, "Primitives for the manipulation of general subdivisions and
//! the computation of Voronoi diagrams", ACM Transactions on Graphics 4 (1985); Olden (see
//! [`super`]), program voronoi, which Li, Mohanty and Kavi run with 20,000 points.

mod delaunay;
mod quad_edge;

use self::delaunay::triangulate;
use self::quad_edge::{Edges, Point};
use super::structure::{Field, size};
use super::{FREE, POINTER, pointer};
use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{NOTHING, Parameter, Run, SEED, Workload};
use heapsmith_trace::Draws;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "voronoi",
    about: "computes the Voronoi diagram of random points by divide and conquer",
    source: "Guibas, Stolfi: Primitives for the manipulation of general subdivisions, ACM TOG 4 (1985); \
             Rogers, Carlisle, Reppy, Hendren: Olden, ACM TOPLAS 17 (1995), program voronoi",
    input: NOTHING,
    parameters: &[
        Parameter { name: "points", default: "5000", about: "number of points; 20000 in Li, Mohanty, Kavi (2006)" },
        SEED,
        POINTER,
        FREE,
    ],
    formats: &[],
    run: Run::Alone(run),
};

/// Coordinates are below this.
const SIDE: u64 = 1 << 24;

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let count = settings.number("points", 2, 1 << 20, "points from 2 to 1048576")?;
    let mut draws = Draws::new(settings.seed()?);
    let pointer = pointer(settings)?;
    let frees = settings.switch(FREE.name)?;
    let mut program = Recorder::with_work(tape);
    let points = drawn(&mut draws, count as usize);
    let vertex = program.site("vertex");
    let vertex_size = size(pointer, &[Field::Double, Field::Double, Field::Double, Field::Pointer, Field::Pointer]);
    let mut vertices = Vec::new();
    plant(&mut program, vertex, vertex_size, points.len(), &mut vertices);
    program.mark("points drawn");
    let mut edges = Edges::new(program, size(pointer, &[Field::Pointer; 8]), &points);
    triangulate(&mut edges, 0..points.len());
    let drawn = edges.drawn();
    edges.program.mark(&format!("{drawn} edges"));
    if frees {
        edges.free();
        vertices.into_iter().for_each(|block| edges.program.free(block));
    }
    Ok(edges.program.end())
}

/// Distinct points in the order of x, and of y among equals.
fn drawn(draws: &mut Draws, count: usize) -> Vec<Point> {
    let mut points = Vec::new();
    while points.len() < count {
        points
            .extend((points.len()..count).map(|_| Point { x: draws.below(SIDE) as i64, y: draws.below(SIDE) as i64 }));
        points.sort_unstable();
        points.dedup();
    }
    points
}

/// Allocates a balanced tree of the points, a node before its halves.
fn plant(program: &mut Recorder, site: Site, size: u64, points: usize, vertices: &mut Vec<Block>) {
    if points > 0 {
        vertices.push(program.allocate(site, size));
        program.work(5);
        plant(program, site, size, (points - 1) / 2, vertices);
        plant(program, site, size, points / 2, vertices);
    }
}
