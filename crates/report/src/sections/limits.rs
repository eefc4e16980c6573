//! The reference lines: lower bound, achieved, worst-case bound.

use heapsmith_explore::Objectives;
use heapsmith_limits::Lines;
use heapsmith_spec::Spec;
use heapsmith_trace::plural;

use crate::figure::{Axis, Mark, Plot, Series, Symbol, colour, embed};
use crate::html::{Cell, Section, Table, escape, paragraph, section as wrap};
use crate::number::percent;
use crate::sections::front::spec;
use crate::span::Span;
use crate::spec_text::shortened;
use crate::study::{Study, fragmentation};

/// A heap between its lines.
struct Between {
    name: String,
    spec: String,
    achieved: f64,
    /// As fragmentation; none if no bound is known of it on some trace.
    bound: Option<f64>,
    is_pick: bool,
}

/// The section.
pub fn section(study: &Study<'_>) -> Option<Section> {
    let lines = study.input.lines;
    if lines.is_empty() {
        return None;
    }
    let heaps = heaps(study);
    let caption = "Each row is a heap of the front or of the catalogue, the tightest on top. To the right: more memory. No heap can \
                   need less than the peak live bytes. No program with this peak and these request sizes can make a \
                   heap exceed its bound.";
    let description = "Chart of the memory of each heap between the lower bound and its worst-case bound";
    let figure = embed(&figure(lines, &heaps), description, caption);
    let folded =
        format!("<details><summary>Every heap with its bound</summary>\n{}</details>\n", table(&heaps).render());
    let body = sentence(study, lines) + &figure + &folded;
    Some(wrap("limits", "Between the lower bound and the worst case", &body))
}

/// The mean of a share over the traces; none if it is not known of one.
fn mean(lines: &[Lines], share: impl Fn(&Lines) -> Option<f64>) -> Option<f64> {
    let all = lines.iter().map(share).collect::<Option<Vec<f64>>>()?;
    Some(all.iter().sum::<f64>() / all.len().max(1) as f64)
}

fn placed(lines: &[Lines]) -> f64 {
    mean(lines, |line| Some(line.lower_bound.fragmentation())).unwrap_or(0.0)
}

fn heaps(study: &Study<'_>) -> Vec<Between> {
    let lines = study.input.lines;
    let between = |name: String, heap: &Spec, point: &Objectives, is_pick: bool| Between {
        name,
        spec: heap.to_string(),
        achieved: fragmentation(point),
        bound: mean(lines, |line| line.bound_fragmentation(heap)),
        is_pick,
    };
    let mut indexes: Vec<usize> = study.exploration.front_2d.clone();
    if !indexes.contains(&study.pick) {
        indexes.push(study.pick);
    }
    let design = |index: usize| {
        let design = &study.exploration.rows[index].design;
        let is_pick = index == study.pick;
        let name = if is_pick { "the pick".to_owned() } else { format!("design {}", design.number) };
        between(name, &design.spec, study.point(index), is_pick)
    };
    let catalogued = study.exploration.compared_catalogue().filter_map(|entry| {
        let heap: Spec = entry.spec.parse().ok()?;
        Some(between(entry.name.clone(), &heap, &entry.objectives, false))
    });
    let mut heaps: Vec<Between> = indexes.into_iter().map(design).chain(catalogued).collect();
    heaps.sort_by(|a, b| a.achieved.total_cmp(&b.achieved));
    heaps
}

fn sentence(study: &Study<'_>, lines: &[Lines]) -> String {
    let pick = &study.exploration.rows[study.pick];
    let each = lines.iter().zip(study.exploration.measures_of(study.pick)).map(|(line, measures)| {
        let lower_bound = &line.lower_bound;
        let bound = line.bound(&pick.design.spec);
        let above = match (bound.region, &line.program) {
            (Some(bytes), Ok(program)) if bound.footprint.is_some() => format!(
                "its proven worst case for this peak, requests of {} to {} bytes and at most {} live is <strong>{}</strong> ({})",
                program.min_size,
                program.max_size,
                plural(program.max_blocks, "block", "blocks"),
                heapsmith_trace::Bytes(bytes),
                escape(bound.source),
            ),
            (Some(bytes), Ok(_)) => format!(
                "a region of <strong>{}</strong> refuses no program with this peak and these requests, though a larger one may be \
                 filled: {} ({})",
                heapsmith_trace::Bytes(bytes),
                escape(&bound.why_none),
                escape(bound.source),
            ),
            _ => format!("the pick has no proven worst case: {}", escape(&bound.why_none)),
        };
        format!(
            "<li>{}: {} live at the peak; an offline placement needs {}{}; the pick needs <strong>{}</strong>; {above}.</li>\n",
            escape(&line.trace),
            lower_bound.live,
            lower_bound.placed,
            if lower_bound.is_optimal { ", which is optimal" } else { ", the best found" },
            measures.footprint_peak,
        )
    });
    let each: String = each.collect();
    paragraph(
        "The peak live bytes and the best offline placement bound every allocator from below. The proven worst case bounds the \
         pick from above.",
    ) + &format!("<ul>\n{each}</ul>\n")
}

/// A row for each heap, the tightest on top; all as multiples of the peak live bytes, so that a logarithm can be taken.
fn figure(lines: &[Lines], heaps: &[Between]) -> Plot {
    let row = |place: usize| (heaps.len() - 1 - place) as f64;
    let points = |chosen: &dyn Fn(&Between) -> Option<f64>| -> (Vec<(f64, f64)>, Vec<String>) {
        let places = heaps.iter().enumerate();
        let drawn = places.filter_map(|(place, heap)| {
            let share = chosen(heap)?;
            let said =
                format!("<b>{}</b><br>{}<br>{}", escape(&heap.name), escape(&shortened(&heap.spec)), percent(share));
            Some(((1.0 + share, row(place)), said))
        });
        drawn.unzip()
    };
    let series = |name: &str, (points, said): (Vec<(f64, f64)>, Vec<String>), symbol, size, color| {
        Series::new(name, color, Mark::Symbols(symbol, size), points).saying(said)
    };
    let upright = |name: &str, share: f64, color| {
        let ends = [-0.5, heaps.len() as f64 - 0.5].map(|y| (1.0 + share, y));
        Series::new(name, color, Mark::Line, ends)
    };
    let values = heaps.iter().flat_map(|heap| [Some(heap.achieved), heap.bound]).flatten();
    let x = Axis::of(
        "memory, as a multiple of the peak live bytes",
        Span::logarithmic(0.93, values.fold(0.2, f64::max).mul_add(1.12, 1.0)),
    );
    let names = heaps.iter().rev().map(|heap| heap.name.clone()).collect();
    let mut plot = Plot::new("plot-limits", 90 + 17 * heaps.len(), x, Axis::named("", names));
    plot.series = vec![
        upright("lower bound: peak live bytes", 0.0, colour::GREY),
        upright("lower bound: offline placement", placed(lines), colour::GREEN),
        series("worst-case bound", points(&|heap| heap.bound), Symbol::Triangle, 9.0, colour::ORANGE),
        series("achieved", points(&|heap| Some(heap.achieved)), Symbol::Circle, 8.0, colour::BLUE),
        series(
            "the pick",
            points(&|heap| heap.is_pick.then_some(heap.achieved)),
            Symbol::Star,
            16.0,
            colour::VERMILION,
        ),
    ];
    plot
}

fn table(heaps: &[Between]) -> Table {
    let columns = ["heap", "achieved", "bound", "spec"];
    let mut table = Table::new(
        "Memory beyond the peak live bytes, as a share of them: achieved on these traces, and in the proven worst case. A \
         dash: no proof is known.",
        &columns,
    )
    .sortable();
    for heap in heaps {
        let bound = match heap.bound {
            Some(bound) => Cell::number(percent(bound), bound),
            None => Cell::number("–", f64::MAX),
        };
        table.row(
            if heap.is_pick { "pick" } else { "" },
            vec![
                Cell::text(&heap.name),
                Cell::number(percent(heap.achieved), heap.achieved),
                bound,
                Cell::wide(spec(&heap.spec)),
            ],
        );
    }
    table
}
