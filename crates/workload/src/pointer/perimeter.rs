//! Computes the perimeter of what is black in an image that is kept as a quadtree.
//!
//! ```text
//!   image of 2^depth × 2^depth pixels,       a square of one colour is a leaf;
//!   black between two circles      ◯         any other has four quarters: NW NE SW SE
//!
//!   perimeter: for each side of each black leaf, the neighbour of at least its size, found
//!   by going up to a common ancestor and down again; where it is white or outside, the side
//!   counts; where it is grey, its part that touches the side is looked through
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | node | colour, which quarter it is, four quarters, parent: 48 (28 with pointers of 4) | its square is looked at | end |
//!
//! The circles have radii of a half and a quarter of the image's side. Source: H. Samet,
//! "Computing perimeters of regions in images represented by quadtrees", IEEE Transactions on
//! Pattern Analysis and Machine Intelligence 3 (1981); Olden (see [`super`]), program
//! perimeter, which Li, Mohanty and Kavi run with 12 levels.

use super::structure::{Field, size};
use super::{FREE, POINTER, pointer};
use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{NOTHING, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "perimeter",
    about: "computes the perimeter of a region in an image that is kept as a quadtree",
    source: "Samet: Computing perimeters of regions in images represented by quadtrees, IEEE PAMI 3 (1981); \
             Rogers, Carlisle, Reppy, Hendren: Olden, ACM TOPLAS 17 (1995), program perimeter",
    input: NOTHING,
    parameters: &[
        Parameter {
            name: "depth",
            default: "10",
            about: "levels of the tree: the image is 2^depth pixels wide; 12 in Li, Mohanty, Kavi (2006)",
        },
        POINTER,
        FREE,
    ],
    formats: &[],
    run: Run::Alone(run),
};

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let depth = settings.number("depth", 1, 16, "levels from 1 to 16")?;
    let node = size(pointer(settings)?, &[[Field::Int; 2].as_slice(), &[Field::Pointer; 5]].concat());
    let frees = settings.switch(FREE.name)?;
    let mut program = Recorder::with_work(tape);
    let site = program.site("node");
    let mut image = Image { program, site, size: node, nodes: Vec::new() };
    let root = image.build(Square::whole(1 << depth), None);
    image.program.mark("image built");
    let perimeter = image.perimeter(root, 1 << depth);
    image.program.mark(&format!("perimeter {perimeter}"));
    if frees {
        image.free(root);
    }
    Ok(image.program.end())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Black,
    White,
    Grey,
}

/// A square of pixels: twice the coordinates of the centre of its first pixel, from the middle
/// of the image, and its side in pixels.
#[derive(Debug, Clone, Copy)]
struct Square {
    x: i64,
    y: i64,
    side: i64,
    /// The side of the whole image.
    image: i64,
}

impl Square {
    fn whole(image: i64) -> Square {
        Square { x: 1 - image, y: 1 - image, side: image, image }
    }

    /// The quarters, numbered by their bits: 1 east, 2 south.
    fn quarter(self, quarter: usize) -> Square {
        let half = self.side / 2;
        let (east, south) = (quarter as i64 & 1, quarter as i64 >> 1);
        Square { x: self.x + 2 * half * east, y: self.y + 2 * half * south, side: half, ..self }
    }

    fn colour(self) -> Colour {
        let ends = |first: i64| (first, first + 2 * (self.side - 1));
        let nearest = |(first, last): (i64, i64)| if first < 0 && last > 0 { 1 } else { first.abs().min(last.abs()) };
        let farthest = |(first, last): (i64, i64)| first.abs().max(last.abs());
        let (x, y) = (ends(self.x), ends(self.y));
        let min = nearest(x).pow(2) + nearest(y).pow(2);
        let max = farthest(x).pow(2) + farthest(y).pow(2);
        // Radii in the same halves of a pixel: a quarter of the side, and a half.
        let (inner, outer) = ((self.image / 2).pow(2), self.image.pow(2));
        if max < inner || min >= outer {
            Colour::White
        } else if min >= inner && max < outer {
            Colour::Black
        } else {
            Colour::Grey
        }
    }
}

/// A side of a square: which bit of the quarters it lies along, and which value of it.
#[derive(Debug, Clone, Copy)]
struct Side {
    bit: usize,
    /// The quarters that touch the side have this value of the bit.
    value: usize,
}

/// West, east, north, south.
const SIDES: [Side; 4] =
    [Side { bit: 1, value: 0 }, Side { bit: 1, value: 1 }, Side { bit: 2, value: 0 }, Side { bit: 2, value: 2 }];

impl Side {
    fn touches(self, quarter: usize) -> bool {
        quarter & self.bit == self.value
    }
}

struct Node {
    block: Option<Block>,
    colour: Colour,
    /// Which quarter of its parent it is.
    quarter: usize,
    parent: Option<usize>,
    quarters: [usize; 4],
}

struct Image<'s> {
    program: Recorder<'s>,
    site: Site,
    size: u64,
    nodes: Vec<Node>,
}

impl Image<'_> {
    /// Writes the seven words of a node.
    fn build(&mut self, square: Square, place: Option<(usize, usize)>) -> usize {
        let index = self.nodes.len();
        let block = Some(self.program.allocate(self.site, self.size));
        self.program.work(7);
        let colour = square.colour();
        let (parent, quarter) = (place.map(|(parent, _)| parent), place.map_or(0, |(_, quarter)| quarter));
        self.nodes.push(Node { block, colour, quarter, parent, quarters: [0; 4] });
        if colour == Colour::Grey {
            self.nodes[index].quarters =
                [0, 1, 2, 3].map(|quarter| self.build(square.quarter(quarter), Some((index, quarter))));
        }
        index
    }

    /// The length of the sides of black leaves that touch white ones or the image's edge.
    fn perimeter(&mut self, node: usize, side: u64) -> u64 {
        self.program.work(1);
        match self.nodes[node].colour {
            Colour::Grey => {
                self.program.work(4);
                self.nodes[node].quarters.map(|quarter| self.perimeter(quarter, side / 2)).iter().sum()
            }
            Colour::White => 0,
            Colour::Black => SIDES.iter().map(|&along| self.side_of(node, along, side)).sum(),
        }
    }

    fn side_of(&mut self, leaf: usize, along: Side, length: u64) -> u64 {
        let Some(neighbour) = self.neighbour(leaf, along) else {
            return length;
        };
        let other = Side { value: along.bit - along.value, ..along };
        self.white_along(neighbour, other, length)
    }

    /// How much of a side of this subtree is white.
    fn white_along(&mut self, node: usize, side: Side, length: u64) -> u64 {
        self.program.work(1);
        let Node { colour, quarters, .. } = self.nodes[node];
        match colour {
            Colour::Black => 0,
            Colour::White => length,
            Colour::Grey => {
                self.program.work(2);
                let touching = (0..4).filter(|&quarter| side.touches(quarter));
                touching.map(|quarter| self.white_along(quarters[quarter], side, length / 2)).sum()
            }
        }
    }

    /// The node beyond a side, of the same size or, where that is a leaf, larger.
    fn neighbour(&mut self, node: usize, along: Side) -> Option<usize> {
        self.program.work(2);
        let Node { quarter, parent, .. } = self.nodes[node];
        let parent = parent?;
        let beyond = if along.touches(quarter) { self.neighbour(parent, along)? } else { parent };
        self.program.work(1);
        if self.nodes[beyond].colour != Colour::Grey {
            return Some(beyond);
        }
        self.program.work(1);
        Some(self.nodes[beyond].quarters[quarter ^ along.bit])
    }

    /// Reads the colour and the quarters.
    fn free(&mut self, node: usize) {
        self.program.work(5);
        if self.nodes[node].colour == Colour::Grey {
            self.nodes[node].quarters.into_iter().for_each(|quarter| self.free(quarter));
        }
        if let Some(block) = self.nodes[node].block.take() {
            self.program.free(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the edges between black and white pixels, one by one.
    fn counted(side: i64) -> u64 {
        let black = |x: i64, y: i64| {
            let inside = (0..side).contains(&x) && (0..side).contains(&y);
            let (x, y) = (2 * x + 1 - side, 2 * y + 1 - side);
            inside && ((side / 2).pow(2)..side.pow(2)).contains(&(x * x + y * y))
        };
        let edges = |x, y| {
            let sides = [(1, 0), (-1, 0), (0, 1), (0, -1)];
            sides.iter().filter(|(right, down)| black(x, y) && !black(x + right, y + down)).count() as u64
        };
        (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).map(|(x, y)| edges(x, y)).sum()
    }

    #[test]
    fn the_perimeter_is_that_of_the_pixels() {
        for depth in 1..=8 {
            let mut program = Recorder::unheard();
            let site = program.site("node");
            let mut image = Image { program, site, size: 48, nodes: Vec::new() };
            let root = image.build(Square::whole(1 << depth), None);
            assert_eq!(image.perimeter(root, 1 << depth), counted(1 << depth), "depth {depth}");
        }
    }

    #[test]
    fn four_quarters_of_one_colour_are_one_leaf() {
        let mut program = Recorder::unheard();
        let site = program.site("node");
        let mut image = Image { program, site, size: 48, nodes: Vec::new() };
        image.build(Square::whole(64), None);
        for node in image.nodes.iter().filter(|node| node.colour == Colour::Grey) {
            let colours = node.quarters.map(|quarter| image.nodes[quarter].colour);
            assert!(colours.iter().any(|&colour| colour == Colour::Grey || colour != colours[0]), "{colours:?}");
        }
    }
}
