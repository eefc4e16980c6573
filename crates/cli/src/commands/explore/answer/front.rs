//! The front, the catalogue and the peers as a table.

use heapsmith_explore::{Exploration, Finding, Objective, Objectives};
use heapsmith_limits::Lines;
use heapsmith_peers::peers;
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

use super::Answer;
use crate::table::{self, Item, Table, integer, none, number, percent, text, word};

/// Rows of the front that are shown to people; programs get all.
const SHOWN: usize = 12;

const COLUMNS: [&str; 10] = [
    "note",
    "design",
    "fragmentation",
    "bound",
    "page_fragmentation",
    "accesses_per_op",
    "p99",
    "worst",
    "ns_per_op",
    "heap",
];

impl Answer<'_> {
    /// The bound of a heap as fragmentation, averaged over the traces as fragmentation is; none where none is known.
    fn bound(&self, spec: &Spec) -> Item {
        let each = self.lines.iter().map(|lines| lines.bound_fragmentation(spec)).collect::<Option<Vec<f64>>>();
        each.map_or_else(none, |each| percent(each.iter().sum::<f64>() / each.len().max(1) as f64))
    }

    pub(super) fn front(&self, finding: &Finding, people: bool) -> Table {
        let (exploration, pick) = (self.exploration, self.pick);
        let mut table = Table::new(&COLUMNS).hiding(&["floor_ns_per_op", "touched", "live", "placed"]);
        let stairs = thinned(&exploration.staircase, pick, if people { SHOWN } else { usize::MAX });
        let mut indexes = stairs.clone();
        let others = finding.recommended.iter().map(|design| design.index).chain([pick]);
        indexes.extend(others.filter(|index| !stairs.contains(index)));
        for index in indexes {
            let is_pick = index == pick;
            let is_recommended = finding.recommended.iter().any(|design| design.index == index);
            let note = match (is_pick, is_recommended) {
                (true, _) => "pick",
                (_, true) => "2006",
                _ => "",
            };
            let design = &exploration.rows[index].design;
            let shown = integer(u64::from(design.number));
            let measured = measured(exploration, &exploration.name(index));
            let bound = self.bound(&design.spec);
            let row = row(note, shown, &exploration.points[index], bound, measured, &design.spec.to_string());
            table.row(row.into_iter().chain(self.floors()));
        }
        for entry in &exploration.catalogue {
            let measured = measured(exploration, &entry.name);
            let bound = entry.spec.parse().map_or_else(|_| none(), |spec| self.bound(&spec));
            let row = row("", text(&entry.name), &entry.objectives, bound, measured, &entry.spec);
            table.row(row.into_iter().chain(self.floors()));
        }
        let events = exploration.pages.iter().map(|pages| pages.events).max();
        for entry in peers() {
            let name = entry.peer.to_string();
            if exploration.timing_of(&name).is_some() {
                table.row(peer_row(exploration, entry.name, &name, events).into_iter().chain(self.floors()));
            }
        }
        table
    }

    /// The floor of all traces together: most live bytes, and the lowest placement that was found.
    fn floors(&self) -> [Item; 2] {
        let total = |bytes: fn(&Lines) -> Bytes| table::bytes(self.lines.iter().map(bytes).sum());
        [total(|lines| lines.floor.live), total(|lines| lines.floor.placed)]
    }
}

/// What was measured of something, not counted.
struct Figures {
    page_fragmentation: Item,
    touched: Item,
    ns_per_op: Item,
    floor: Item,
}

fn measured(exploration: &Exploration, name: &str) -> Figures {
    let (pages, timing) = (exploration.pages_of(name), exploration.timing_of(name));
    Figures {
        page_fragmentation: pages.map_or_else(none, |pages| percent(pages.fragmentation)),
        touched: pages.map_or_else(none, |pages| table::bytes(pages.touched)),
        ns_per_op: timing.map_or_else(none, |timing| number(timing.ns_per_op, 1)),
        floor: timing.map_or_else(none, |timing| number(timing.floor, 1)),
    }
}

fn row(note: &str, name: Item, point: &Objectives, bound: Item, measured: Figures, heap: &str) -> Vec<Item> {
    let note = if point.failed > 0 { "refuses" } else { note };
    vec![
        word(note, if note == "pick" { "▶ pick" } else { note }),
        name,
        percent(point.get(Objective::Fragmentation)),
        bound,
        measured.page_fragmentation,
        number(point.get(Objective::Accesses), 2),
        integer(point.get(Objective::P99) as u64),
        integer(point.get(Objective::Worst) as u64),
        measured.ns_per_op,
        table::heap(heap),
        measured.floor,
        measured.touched,
    ]
}

/// A peer has no footprint in bytes and no accesses. `events` is how many there are.
fn peer_row(exploration: &Exploration, short: &str, name: &str, events: Option<u64>) -> Vec<Item> {
    let pages = exploration.pages_of(name);
    let heap = match pages.filter(|pages| Some(pages.events) != events) {
        Some(pages) => word(name, &format!("{name}, first {} events", pages.events)),
        None => text(name),
    };
    let refuses = pages.is_some_and(|pages| pages.failed > 0);
    let measured = measured(exploration, name);
    vec![
        text(if refuses { "refuses" } else { "peer" }),
        text(short),
        none(),
        none(),
        measured.page_fragmentation,
        none(),
        none(),
        none(),
        measured.ns_per_op,
        heap,
        measured.floor,
        measured.touched,
    ]
}

/// At most `most` of the stairs, evenly, with both ends and the pick.
fn thinned(stairs: &[usize], pick: usize, most: usize) -> Vec<usize> {
    if stairs.len() <= most {
        return stairs.to_vec();
    }
    let even = (0..most).map(|step| stairs[step * (stairs.len() - 1) / (most - 1)]);
    let mut chosen: Vec<usize> = even.chain(stairs.contains(&pick).then_some(pick)).collect();
    chosen.sort_by_key(|index| stairs.iter().position(|stair| stair == index));
    chosen.dedup();
    chosen
}
