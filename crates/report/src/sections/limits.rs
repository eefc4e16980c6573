//! The reference lines: lower bound, achieved, worst-case bound.

use heapsmith_explore::Objectives;
use heapsmith_limits::Lines;
use heapsmith_spec::Spec;

use crate::figure::{axis, colour, embed, layout};
use crate::html::{Cell, Table, escape, paragraph, section as wrap};
use crate::number::{percent, rounded};
use crate::plot::{Part, Plot, scatter};
use crate::sections::front::spec;
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
pub fn section(study: &Study<'_>) -> String {
    let lines = study.input.lines;
    if lines.is_empty() {
        return String::new();
    }
    let heaps = heaps(study);
    let caption = "Each mark is a heap of the front or of the catalogue, ordered by footprint. Up: more memory. No heap can \
                   need less than the peak live bytes. No program with this peak and these request sizes can make a \
                   heap exceed its bound.";
    let description = "Chart of the memory of each heap between the lower bound and its worst-case bound";
    let figure = embed(figure(lines, &heaps), "plot-limits", 420, description, caption);
    let folded =
        format!("<details><summary>Every heap with its bound</summary>\n{}</details>\n", table(&heaps).render());
    let body = sentence(study, lines) + &figure + &folded;
    wrap("limits", "Between the lower bound and the worst case", &body)
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
    let each = lines.iter().zip(&pick.measures).map(|(line, measures)| {
        let lower_bound = &line.lower_bound;
        let bound = line.bound(&pick.design.spec);
        let above = match (bound.footprint, &line.program) {
            (Some(bytes), Ok(program)) => format!(
                "its proven worst case for this peak and requests of {} to {} bytes is <strong>{}</strong> ({})",
                program.min_size,
                program.max_size,
                heapsmith_trace::Bytes(bytes),
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

fn figure(lines: &[Lines], heaps: &[Between]) -> Plot {
    // As multiples of the bytes requested, so that the lower bound is at 1 and a logarithm can be taken.
    let x: Vec<f64> = (1..=heaps.len()).map(|place| place as f64).collect();
    let points = |chosen: &dyn Fn(&Between) -> Option<f64>| -> (Vec<f64>, Vec<f64>, Vec<String>) {
        let mut all = (Vec::new(), Vec::new(), Vec::new());
        for (heap, &x) in heaps.iter().zip(&x) {
            if let Some(share) = chosen(heap) {
                all.0.push(x);
                all.1.push(rounded(1.0 + share));
                all.2.push(format!("<b>{}</b><br>{}<br>{}", heap.name, escape(&shortened(&heap.spec)), percent(share)));
            }
        }
        all
    };
    let series = |name: &str, (x, y, hover): (Vec<f64>, Vec<f64>, Vec<String>), symbol, size, color| {
        scatter(x, y)
            .with("name", name)
            .with("mode", "markers")
            .with("hoverinfo", "text")
            .with("hovertext", hover)
            .with("marker", Part::new().with("symbol", symbol).with("size", size).with("color", color))
    };
    let flat = |name: &str, share: f64, color| {
        let ends = vec![0.5, heaps.len() as f64 + 0.5];
        scatter(ends, vec![rounded(1.0 + share); 2])
            .with("name", name)
            .with("mode", "lines")
            .with("line", Part::new().with("width", 2.0).with("color", color))
    };
    let mut plot = Plot::new();
    plot.add_trace(flat("lower bound: peak live bytes", 0.0, colour::GREY));
    plot.add_trace(flat("lower bound: offline placement", placed(lines), colour::GREEN));
    plot.add_trace(series("bound", points(&|heap| heap.bound), "triangle-down", 9, colour::ORANGE));
    plot.add_trace(series("achieved", points(&|heap| Some(heap.achieved)), "circle", 8, colour::BLUE));
    let pick = points(&|heap| heap.is_pick.then_some(heap.achieved));
    plot.add_trace(series("the pick", pick, "star", 16, colour::VERMILION));
    let y = axis("memory, as a multiple of the peak live bytes").with("type", "log").with("dtick", 1.0);
    plot.set_layout(layout(axis("heaps, ordered by footprint").with("showticklabels", false), y, 48));
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
