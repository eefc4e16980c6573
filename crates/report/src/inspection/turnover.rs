//! Births and deaths by size.

use heapsmith_trace::{HeatMap, Profile};

use crate::figure::{Axis, Mark, Plot, Series, colour, embed};
use crate::html::{Section, paragraph, section as wrap};
use crate::number::{plural, thousands};
use crate::span::Span;

/// The section.
pub fn section(profile: &Profile) -> Section {
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
    let top = births.iter().chain(&deaths).copied().max().unwrap_or(0);
    let bars = |counts: &[u64], name: &str, slot: usize, colour: &'static str| {
        let own = &counts[span.clone()];
        let said = own.iter().zip(&names).map(|(&count, size)| format!("{} {name} of {size} bytes", thousands(count)));
        let points = own.iter().enumerate().map(|(place, &count)| (place as f64, count as f64));
        Series::new(name, colour, Mark::Bars { slot, of: 2 }, points).saying(said.collect::<Vec<_>>())
    };
    let series = vec![bars(&births, "births", 0, colour::GREEN), bars(&deaths, "deaths", 1, colour::ORANGE)];
    let y = Axis::of("blocks", Span::from_zero(top as f64));
    let x = Axis::named("size (bytes, by powers of two)", names);
    let plot = Plot { series, ..Plot::new("plot-turnover", 340, x, y) };
    let undying = sizes.iter().filter(|size| size.births > 0 && size.deaths == 0).count() as u64;
    let grown = profile.statistics.reallocations;
    let sentence = paragraph(&format!(
        "{} allocated, but never the size of a block that is freed. {} a block's size, so that it may be born in one \
         class and die in another.",
        plural(undying, "size is", "sizes are"),
        plural(grown, "reallocation changes", "reallocations change"),
    ));
    let figure = embed(&plot, "Bars of births and deaths by size", "");
    wrap("turnover", "Births and deaths by size", &(sentence + &figure))
}
