//! Where to write names beside dots, so that they do not cover each other.

use plotly::common::Position;

/// A dot with a name, in shares of the plot's width and height from its lower left corner.
#[derive(Debug, Clone)]
pub struct Named {
    /// From the left, 0 to 1.
    pub x: f64,
    /// From the bottom, 0 to 1.
    pub y: f64,
    /// Letters of the name.
    pub letters: usize,
}

/// Width of a letter and height of a line on a plot of usual size.
const LETTER: f64 = 0.0068;
const LINE: f64 = 0.038;
/// From a dot's centre to its name.
const GAP: f64 = 0.009;

#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
}

impl Frame {
    /// The frame of the name of a dot, `across` and `up` being −1, 0 or 1.
    fn of(dot: &Named, across: f64, up: f64) -> Frame {
        let (width, height) = (dot.letters as f64 * LETTER, LINE);
        let centre = dot.x + across * (GAP + width / 2.0);
        let middle = dot.y + up * (2.0 * GAP + height / 2.0);
        Frame {
            left: centre - width / 2.0,
            right: centre + width / 2.0,
            bottom: middle - height / 2.0,
            top: middle + height / 2.0,
        }
    }

    fn overlap(&self, other: &Frame) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.top.min(other.top) - self.bottom.max(other.bottom);
        wide.max(0.0) * high.max(0.0)
    }

    /// How much of it lies outside the plot.
    fn outside(&self) -> f64 {
        let wide = (-self.left).max(0.0) + (self.right - 1.0).max(0.0);
        let high = (-self.bottom).max(0.0) + (self.top - 1.0).max(0.0);
        wide * LINE + high * (self.right - self.left)
    }
}

/// A position for each name: one after the other takes the free-est of eight.
pub fn positions(dots: &[Named]) -> Vec<Position> {
    let choices = || {
        [
            (Position::MiddleRight, 1.0, 0.0),
            (Position::MiddleLeft, -1.0, 0.0),
            (Position::TopCenter, 0.0, 1.0),
            (Position::BottomCenter, 0.0, -1.0),
            (Position::TopRight, 1.0, 1.0),
            (Position::BottomRight, 1.0, -1.0),
            (Position::TopLeft, -1.0, 1.0),
            (Position::BottomLeft, -1.0, -1.0),
        ]
    };
    let marks: Vec<Frame> = dots.iter().map(mark).collect();
    let mut taken: Vec<Frame> = Vec::new();
    let place = |dot: &Named| {
        let cost = |frame: &Frame| {
            let covered: f64 = taken.iter().chain(&marks).map(|other| frame.overlap(other)).sum();
            covered + 2.0 * frame.outside()
        };
        let framed = choices().map(|(position, across, up)| (position, Frame::of(dot, across, up)));
        let best = framed.into_iter().min_by(|a, b| cost(&a.1).total_cmp(&cost(&b.1)));
        let (position, frame) = best.unwrap_or((Position::MiddleRight, Frame::of(dot, 1.0, 0.0)));
        taken.push(frame);
        position
    };
    dots.iter().map(place).collect()
}

fn mark(dot: &Named) -> Frame {
    Frame { left: dot.x - GAP / 2.0, right: dot.x + GAP / 2.0, bottom: dot.y - GAP, top: dot.y + GAP }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_get_different_positions() {
        let dot = |x, y| Named { x, y, letters: 12 };
        let chosen = positions(&[dot(0.5, 0.5), dot(0.51, 0.5), dot(0.95, 0.9)]);
        assert!(matches!(chosen[0], Position::MiddleLeft), "the other dot is on the right");
        assert!(matches!(chosen[1], Position::MiddleRight));
        assert!(matches!(chosen[2], Position::MiddleLeft), "there is no room on the right");
    }
}
