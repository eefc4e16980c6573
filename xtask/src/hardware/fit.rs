//! Lines of least squares through a law of growth: value = slope · law(leaves) + constant.

/// A measured value.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Leaves of the unit.
    pub leaves: f64,
    /// What was counted.
    pub value: f64,
}

/// How something may grow with the leaves.
#[derive(Clone, Copy)]
pub struct Law {
    /// Its name in the table.
    pub name: &'static str,
    of: fn(f64) -> f64,
}

/// O(n).
pub const LINEAR: Law = Law { name: "n", of: |leaves| leaves };
/// O(n lg n).
pub const LINEARITHMIC: Law = Law { name: "n lg n", of: |leaves| leaves * leaves.log2() };
/// O(lg n).
pub const LOGARITHMIC: Law = Law { name: "lg n", of: f64::log2 };

/// A line through points.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Of the law.
    pub slope: f64,
    /// At a law of 0.
    pub constant: f64,
    /// Share of the variance that it explains.
    pub r2: f64,
}

impl Line {
    /// Its value for this many leaves.
    pub fn at(&self, leaves: f64, law: Law) -> f64 {
        self.slope * (law.of)(leaves) + self.constant
    }
}

/// The line with the least squares of differences.
pub fn least_squares(points: &[Point], law: Law) -> Line {
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&Point) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|point| (law.of)(point.leaves)), mean(&|point| point.value));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|point| of((law.of)(point.leaves) - x, point.value - y)).sum()
    };
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    let slope = xy / xx;
    Line { slope, constant: y - slope * x, r2: if yy == 0.0 { 1.0 } else { xy * xy / (xx * yy) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_found_again() {
        for (law, other) in [(LINEAR, LINEARITHMIC), (LINEARITHMIC, LINEAR), (LOGARITHMIC, LINEAR)] {
            let points: Vec<Point> = (1..=12)
                .map(|power| f64::from(1 << power))
                .map(|leaves| Point { leaves, value: 3.0 * (law.of)(leaves) + 5.0 })
                .collect();
            let line = least_squares(&points, law);
            assert!((line.slope - 3.0).abs() < 1e-9 && (line.constant - 5.0).abs() < 1e-6 && line.r2 > 0.999_999);
            assert!(least_squares(&points, other).r2 < line.r2);
        }
    }
}
