//! Births and deaths by size.

use heapsmith_trace::{HeatMap, Profile};

use crate::figure::{axis, colour, embed, layout};
use crate::html::{paragraph, section as wrap};
use crate::number::{plural, thousands};
use crate::plot::{Part, Plot, trace};

/// The section.
pub fn section(profile: &Profile) -> String {
    let sizes = &profile.statistics.sizes;
    let mut births = vec![0_u64; 66];
    let mut deaths = vec![0_u64; 66];
    for size in sizes {
        let power = HeatMap::power(size.size.0);
        births[power] += size.births;
        deaths[power] += size.deaths;
    }
    let used: Vec<usize> = (0..66).filter(|&power| births[power] + deaths[power] > 0).collect();
    let span = used.first().copied().unwrap_or(0)..used.last().map_or(0, |last| last + 1);
    let names: Vec<String> = span.clone().map(|power| format!("≥ {}", thousands(HeatMap::min(power)))).collect();
    let bars = |counts: &[u64], name: &str, colour: &'static str| {
        trace("bar", names.clone(), counts[span.clone()].to_vec())
            .with("name", name)
            .with("marker", Part::new().with("color", colour))
    };
    let mut plot = Plot::new();
    plot.add_trace(bars(&births, "births", colour::GREEN));
    plot.add_trace(bars(&deaths, "deaths", colour::ORANGE));
    let x = axis("size (bytes, by powers of two)").with("type", "category");
    plot.set_layout(layout(x, axis("blocks"), 44).with("barmode", "group"));
    let undying = sizes.iter().filter(|size| size.births > 0 && size.deaths == 0).count() as u64;
    let grown = profile.statistics.reallocations;
    let sentence = paragraph(&format!(
        "{} allocated, but never the size of a block that is freed. {} a block's size, so that it may be born in one \
         class and die in another.",
        plural(undying, "size is", "sizes are"),
        plural(grown, "reallocation changes", "reallocations change"),
    ));
    let figure = embed(plot, "plot-turnover", 340, "Bars of births and deaths by size", "");
    wrap("turnover", "Births and deaths by size", &(sentence + &figure))
}
