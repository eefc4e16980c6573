//! How many blocks of which size live how long: a heat map.

use heapsmith_trace::{HeatMap, Profile};

use crate::figure::{axis, embed, layout};
use crate::html::section as wrap;
use crate::number::{rounded, thousands};
use crate::plot::{Part, Plot, title, trace};

/// Powers of ten that a count may have.
const DECADES: i32 = 19;

/// The section.
pub fn section(profile: &Profile) -> String {
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
    let shade = |&count: &u64| (count > 0).then(|| rounded((count as f64).log10()));
    let z: Vec<Vec<Option<f64>>> = counts.iter().map(|line| line.iter().map(shade).collect()).collect();
    let hover = |(line, size): (&Vec<u64>, &String)| {
        let text = |(count, events): (&u64, &String)| {
            format!("{} blocks of {size} bytes, freed after {events} events", thousands(*count))
        };
        line.iter().zip(&x).map(text).collect::<Vec<_>>()
    };
    let hover: Vec<Vec<String>> = counts.iter().zip(&y).map(hover).collect();
    let ticks: Vec<f64> = (0..DECADES).map(f64::from).collect();
    let names: Vec<String> = (0..DECADES).map(|power| thousands(10_u64.pow(power as u32))).collect();
    let bar = Part::new()
        .with("title", title("blocks"))
        .with("tickvals", ticks)
        .with("ticktext", names)
        .with("thickness", 14);
    let trace = trace("heatmap", x, y)
        .with("z", z)
        .with("colorscale", "YlGnBu")
        .with("reversescale", true)
        .with("hoverongaps", false)
        .with("hoverinfo", "text")
        .with("text", hover)
        .with("colorbar", bar);
    let mut plot = Plot::new();
    plot.add_trace(trace);
    let x = axis("lifetime (events)").with("type", "category").with("showgrid", false);
    let y = axis("size (bytes)").with("type", "category").with("showgrid", false);
    let margin = Part::new().with("l", 130).with("r", 16).with("t", 16).with("b", 110);
    plot.set_layout(layout(x, y, 16).with("margin", margin));
    let caption = "Rows and columns are powers of two. The size is the last that a block had; the shade is the logarithm of \
                   the number of blocks.";
    let height = 160 + 26 * profile.heat.rows().len().max(4);
    wrap(
        "heat",
        "Size and lifetime",
        &embed(plot, "plot-heat", height, "Heat map of block sizes and lifetimes", caption),
    )
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
