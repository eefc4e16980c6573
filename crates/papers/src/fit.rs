//! Growth fitted to points: linear, n log n or quadratic.
//!
//! A model `a + b·g(n)` is fitted by least squares of *relative* errors (each point weighs by one over its square), so
//! that the small numbers count as much as the large ones. The model with the least mean relative error is the growth;
//! `slope` is that of the logarithms, the exponent of a power.

use serde::{Deserialize, Serialize};

/// A form of growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Growth {
    /// `n`
    Linear,
    /// `n log n`
    Linearithmic,
    /// `n²`
    Quadratic,
}

impl Growth {
    /// Every form.
    pub const ALL: [Growth; 3] = [Growth::Linear, Growth::Linearithmic, Growth::Quadratic];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Growth::Linear => "linear",
            Growth::Linearithmic => "n log n",
            Growth::Quadratic => "quadratic",
        }
    }

    fn of(self, n: f64) -> f64 {
        match self {
            Growth::Linear => n,
            Growth::Linearithmic => n * n.max(2.0).log2(),
            Growth::Quadratic => n * n,
        }
    }
}

/// A model fitted to points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitted {
    /// Its form.
    pub growth: Growth,
    /// The constant.
    pub constant: f64,
    /// The factor of the form.
    pub factor: f64,
    /// The root of the mean squared relative error.
    pub error: f64,
}

/// The model that fits best; none for fewer than three points.
pub fn best(points: &[(f64, f64)]) -> Option<Fitted> {
    Growth::ALL.into_iter().filter_map(|growth| fit(points, growth)).min_by(|a, b| a.error.total_cmp(&b.error))
}

/// The model of a form. The constant is never negative: nothing costs less than nothing.
pub fn fit(points: &[(f64, f64)], growth: Growth) -> Option<Fitted> {
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(n, y)| n > 0.0 && y > 0.0).collect();
    if points.len() < 3 {
        return None;
    }
    // Weighted by 1/y²: with u = 1/y and v = g/y, the sum of (1 − a·u − b·v)² is least.
    let (mut uu, mut uv, mut vv, mut u1, mut v1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(n, y) in &points {
        let (u, v) = (1.0 / y, growth.of(n) / y);
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    let determinant = uu * vv - uv * uv;
    let (mut constant, mut factor) = if determinant.abs() > f64::EPSILON * uu * vv {
        ((u1 * vv - v1 * uv) / determinant, (uu * v1 - uv * u1) / determinant)
    } else {
        (0.0, v1 / vv)
    };
    if constant < 0.0 {
        (constant, factor) = (0.0, v1 / vv);
    }
    let squares: f64 = points.iter().map(|&(n, y)| (1.0 - (constant + factor * growth.of(n)) / y).powi(2)).sum();
    Some(Fitted { growth, constant, factor, error: (squares / points.len() as f64).sqrt() })
}

/// The slope of the logarithms over the points from `min` on, by least squares: the exponent of a power.
pub fn slope(points: &[(f64, f64)], min: f64) -> f64 {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|point| point.0 >= min && point.1 > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len().max(1) as f64;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let shared: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    shared / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_growth_is_told_from_its_points() {
        let sizes = [10.0, 50.0, 100.0, 500.0, 1000.0, 5000.0, 10_000.0];
        for growth in Growth::ALL {
            let points: Vec<(f64, f64)> = sizes.iter().map(|&n| (n, 40.0 + 3.0 * growth.of(n))).collect();
            let fitted = best(&points).expect("enough points");
            assert_eq!(fitted.growth, growth);
            assert!((fitted.constant - 40.0).abs() < 1e-3 && (fitted.factor - 3.0).abs() < 1e-6, "{fitted:?}");
        }
    }

    #[test]
    fn the_slope_is_the_exponent() {
        let points: Vec<(f64, f64)> = (1..9).map(|n| (f64::from(n), 7.0 * f64::from(n * n))).collect();
        assert!((slope(&points, 0.0) - 2.0).abs() < 1e-9);
        assert!(best(&points[..2]).is_none());
    }
}
