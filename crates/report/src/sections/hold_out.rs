//! How the choice holds on traces that it was not made for.

use heapsmith_explore::Evaluated;

use crate::html::{Cell, Section, Table, escape, paragraph, section as wrap};
use crate::number::{count, percent, plural};
use crate::sections::front::spec;
use crate::study::Study;

/// The section; none if nothing was evaluated.
pub fn section(study: &Study<'_>) -> Option<Section> {
    let evaluated = &study.exploration.evaluated;
    if evaluated.is_empty() {
        return None;
    }
    let body = verdict(evaluated) + &warnings(evaluated) + &table(evaluated).render();
    Some(wrap("hold-out", "Hold-out traces", &body))
}

fn verdict(evaluated: &[Evaluated]) -> String {
    let picks: Vec<&Evaluated> = evaluated.iter().filter(|row| row.name == "pick").collect();
    let worst = picks.iter().map(|row| row.distance).fold(0.0, f64::max);
    let kept = picks.iter().filter(|row| row.warning.is_none()).count();
    paragraph(&format!(
        "The pick was chosen without these traces. Each of them was also explored by itself, which gives its own front and its \
         oracle pick. The pick lies on or near the front of {kept} of {}; its largest distance is {}. <strong>Regret</strong> \
         is what a heap takes beyond the oracle pick.",
        plural(picks.len() as u64, "trace", "traces"),
        percent(worst),
    ))
}

fn warnings(evaluated: &[Evaluated]) -> String {
    let warned = evaluated.iter().filter_map(|row| Some((row, row.warning.as_ref()?)));
    let items: String = warned
        .map(|(row, reason)| {
            let (trace, reason) = (escape(&row.trace), escape(reason));
            format!(
                "<li><strong>Overfitted</strong> for {trace}, {} from its front: {reason}.</li>\n",
                percent(row.distance)
            )
        })
        .collect();
    if items.is_empty() { String::new() } else { format!("<ul>\n{items}</ul>\n") }
}

fn table(evaluated: &[Evaluated]) -> Table {
    let columns = [
        "trace",
        "heap",
        "fragmen&shy;tation",
        "accesses",
        "distance to the front",
        "footprint regret",
        "accesses regret",
        "spec",
    ];
    let mut table = Table::new(
        "Heaps chosen on other traces. <em>Distance to the front</em>: the smallest factor by which both footprint and accesses \
         would have to shrink to reach the front of that trace.",
        &columns,
    );
    for row in evaluated {
        let share = |value: f64| Cell::number(percent(value), value);
        let name = if row.failed > 0 { format!("{} (refuses)", row.name) } else { row.name.clone() };
        table.row(
            if row.name == "pick" { "pick" } else { "" },
            vec![
                Cell::text(&row.trace),
                Cell::text(&name),
                share(row.fragmentation),
                Cell::number(count(row.accesses), row.accesses),
                share(row.distance),
                share(row.footprint_regret),
                share(row.accesses_regret),
                Cell::wide(spec(&row.heap)),
            ],
        );
    }
    table
}
