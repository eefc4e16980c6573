//! Where to write names on a crowded plot: next to their dots where there is
//! room, farther off with a line to the dot where there is none.
//!
//! One name after the other takes the cheapest of a few rings of places around
//! its dot. Covering another name costs most, then covering a dot that matters,
//! then a long line, then covering one of the many small dots.

/// A dot with a name.
#[derive(Debug, Clone)]
pub struct Named {
    /// What is written.
    pub name: String,
    /// The dot, in shares of the plot's width and height from its lower left corner.
    pub share: (f64, f64),
    /// Colour of the name, of the palette.
    pub colour: &'static str,
    /// Size of the name in pixels.
    pub size: usize,
}

/// The plot's size in pixels that places are worked out for.
const WIDTH: f64 = 940.0;
const HEIGHT: f64 = 470.0;

/// A rectangle in pixels, from the upper left corner of the plot.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn around(centre: (f64, f64), width: f64, height: f64) -> Frame {
        let ((x, y), (w, h)) = (centre, (width / 2.0, height / 2.0));
        Frame { left: x - w, right: x + w, top: y - h, bottom: y + h }
    }

    fn overlap(&self, other: &Frame) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.bottom.min(other.bottom) - self.top.max(other.top);
        wide.max(0.0) * high.max(0.0)
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        self.left <= x && x <= self.right && self.top <= y && y <= self.bottom
    }

    /// How many of these points it holds, which are sorted from the top down: names are wider than high.
    fn count(&self, points: &[(f64, f64)]) -> usize {
        let first = points.partition_point(|point| point.1 < self.top);
        let level = points[first..].iter().take_while(|point| point.1 <= self.bottom);
        level.filter(|&&point| self.holds(point)).count()
    }

    fn area(&self) -> f64 {
        (self.right - self.left) * (self.bottom - self.top)
    }
}

/// A name with its place.
#[derive(Debug, Clone)]
pub struct Label {
    /// What is written.
    pub text: String,
    /// Its colour, of the palette.
    pub colour: &'static str,
    /// Its size in pixels.
    pub size: usize,
    /// The dot, in shares of the plot's width and height from its lower left corner.
    pub share: (f64, f64),
    /// From the dot to the middle of the name, in pixels to the right and downwards.
    pub offset: (f64, f64),
    /// Whether it is there on a narrow screen too.
    pub is_main: bool,
}

/// The names with their places, the first before all others; `obstacles` are the many small dots, in shares.
pub fn placed(dots: &[Named], obstacles: &[(f64, f64)]) -> Vec<Label> {
    let offsets = place(dots, obstacles);
    let label = |(index, (dot, offset)): (usize, (&Named, (f64, f64)))| Label {
        text: dot.name.clone(),
        colour: dot.colour,
        size: dot.size,
        share: dot.share,
        offset,
        is_main: index == 0,
    };
    dots.iter().zip(offsets).enumerate().map(label).collect()
}

/// The offset of each name's centre from its dot, in pixels.
fn place(dots: &[Named], obstacles: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let pixel = |(x, y): (f64, f64)| (x * WIDTH, (1.0 - y) * HEIGHT);
    let mut obstacles: Vec<(f64, f64)> = obstacles.iter().map(|&share| pixel(share)).collect();
    obstacles.sort_by(|a, b| a.1.total_cmp(&b.1));
    let marks: Vec<Frame> = dots.iter().map(|dot| Frame::around(pixel(dot.share), 14.0, 14.0)).collect();
    let mut taken: Vec<Frame> = Vec::new();
    let mut offsets = Vec::with_capacity(dots.len());
    for dot in dots {
        let from = pixel(dot.share);
        let (width, height) = (dot.name.chars().count() as f64 * dot.size as f64 * 0.58 + 4.0, dot.size as f64 * 1.45);
        let frame = |(x, y): (f64, f64)| Frame::around((from.0 + x, from.1 + y), width, height);
        let cost = |offset: (f64, f64)| cost(from, &frame(offset), offset, &taken, &marks, &obstacles);
        let best = rings(width).into_iter().min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        let offset = best.unwrap_or((0.0, -height));
        taken.push(frame(offset));
        offsets.push(offset);
    }
    offsets
}

/// Centres of a name of some width around its dot, the nearest first.
fn rings(width: f64) -> Vec<(f64, f64)> {
    const RADII: [f64; 7] = [18.0, 32.0, 50.0, 75.0, 105.0, 140.0, 180.0];
    const ANGLES: u32 = 16;
    let ring = |radius: f64| {
        (0..ANGLES).map(move |step| {
            let angle = std::f64::consts::TAU * f64::from(step) / f64::from(ANGLES);
            // The near end of a name is on the ring, not its middle.
            (angle.cos() * (radius + width / 2.0), -angle.sin() * radius)
        })
    };
    RADII.into_iter().flat_map(ring).collect()
}

fn cost(
    from: (f64, f64),
    frame: &Frame,
    offset: (f64, f64),
    taken: &[Frame],
    marks: &[Frame],
    obstacles: &[(f64, f64)],
) -> f64 {
    let covered = |frames: &[Frame]| frames.iter().map(|other| frame.overlap(other)).sum::<f64>();
    let inside = frame.overlap(&Frame { left: 0.0, right: WIDTH, top: 0.0, bottom: HEIGHT });
    let outside = frame.area() - inside;
    let dots = frame.count(obstacles) as f64;
    let steps = [0.2, 0.4, 0.6, 0.8];
    let crossed = steps.iter().filter(|&&step| {
        let at = (from.0 + offset.0 * step, from.1 + offset.1 * step);
        taken.iter().any(|other| other.holds(at))
    });
    let length = offset.0.hypot(offset.1);
    4.0 * covered(taken) + 2.0 * covered(marks) + 4.0 * outside + 6.0 * dots + 120.0 * crossed.count() as f64 + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(x: f64, y: f64) -> Named {
        Named { name: "allocator".into(), share: (x, y), colour: "ink", size: 11 }
    }

    #[test]
    fn names_of_neighbours_do_not_cover_each_other() {
        let dots: Vec<Named> = (0..12).map(|step| dot(0.5 + 0.003 * f64::from(step), 0.5)).collect();
        let frame = |(dot, (x, y)): (&Named, &(f64, f64))| {
            Frame::around((dot.share.0 * WIDTH + x, (1.0 - dot.share.1) * HEIGHT + y), 61.0, 16.0)
        };
        let offsets = place(&dots, &[]);
        let frames: Vec<Frame> = dots.iter().zip(&offsets).map(frame).collect();
        for (index, one) in frames.iter().enumerate() {
            assert!(frames[..index].iter().all(|other| one.overlap(other) == 0.0), "{index}");
        }
    }

    #[test]
    fn names_stay_inside_the_plot() {
        let offsets = place(&[dot(0.999, 0.5), dot(0.001, 0.2)], &[]);
        assert!(offsets[0].0 < 0.0 && offsets[1].0 > 0.0, "{offsets:?}");
    }
}
