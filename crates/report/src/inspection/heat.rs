//! How many blocks of which size live how long: a heat map.

use heapsmith_trace::{HeatMap, Profile};

use crate::figure::{Axis, Mark, Plot, Series, colour, embed};
use crate::html::{Section, section as wrap};
use crate::number::thousands;

/// The section.
pub fn section(profile: &Profile) -> Section {
    let heat = &profile.heat;
    let (rows, columns) = (heat.rows(), heat.columns());
    let never: u64 = rows.clone().map(|row| heat.never_freed(row)).sum();
    let mut x: Vec<String> = columns.clone().map(range).collect();
    let y: Vec<String> = rows.clone().map(range).collect();
    let mut counts: Vec<Vec<u64>> =
        rows.clone().map(|row| columns.clone().map(|column| heat.blocks(row, column)).collect()).collect();
    if never > 0 {
        x.push("never".to_owned());
        rows.clone().zip(&mut counts).for_each(|(row, line)| line.push(heat.never_freed(row)));
    }
    let max = counts.iter().flatten().copied().max().unwrap_or(1).max(2) as f64;
    let cells = counts.iter().enumerate().flat_map(|(row, line)| {
        line.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(column, &count)| (column, row, count))
    });
    let cells: Vec<(usize, usize, u64)> = cells.collect();
    let said = cells.iter().map(|&(column, row, count)| {
        format!("{} blocks of {} bytes, freed after {} events", thousands(count), y[row], x[column])
    });
    let points = cells.iter().map(|&(column, row, _)| (column as f64, row as f64));
    let weights = cells.iter().map(|&(_, _, count)| (count as f64).ln_1p() / max.ln_1p()).collect();
    let series = Series::new("", colour::BLUE, Mark::Cells, points).saying(said);
    let series = vec![Series { weights, ..series }];
    let height = 140 + 26 * y.len().max(4);
    let (x, y) = (Axis::named("lifetime (events)", x), Axis::named("size (bytes)", y));
    let plot = Plot { series, legend: false, ..Plot::new("plot-heat", height, x, y) };
    let caption = "Rows and columns are powers of two. The size is the last that a block had; the shade is the logarithm of \
                   the number of blocks.";
    wrap("heat", "Size and lifetime", &embed(&plot, "Heat map of block sizes and lifetimes", caption))
}

/// `16–31`: the numbers of a row or column.
fn range(power: usize) -> String {
    let (min, next) = (HeatMap::min(power), HeatMap::min(power + 1));
    match power {
        0 => "0".to_owned(),
        1 => "1".to_owned(),
        _ if min >= 1 << 20 => format!("{} M", thousands(min >> 20)),
        _ if min >= 1 << 14 => format!("{} K", thousands(min >> 10)),
        _ => format!("{min}–{}", next - 1),
    }
}
