//! The front, the catalogue and the peers as a table.

use heapsmith_explore::{Exploration, Finding, Objective, Objectives, Retimed};
use heapsmith_limits::Lines;
use heapsmith_peers::peers;
use heapsmith_replay::Spread;
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

use super::Answer;
use crate::table::{self, Item, Table, identifier, integer, none, number, percent, text, word};

/// Rows of the front that are shown to people; programs get all.
const SHOWN: usize = 12;

const COLUMNS: [&str; 13] = [
    "note",
    "design",
    "fragmentation",
    "bound",
    "touched_page_overhead",
    "accesses_per_op",
    "cost_per_op",
    "p99",
    "max",
    "ns_per_op",
    "instructions_per_op",
    "instructions_max",
    "heap",
];

/// What a narrow terminal does without.
const SPARED: [&str; 6] = ["touched_page_overhead", "bound", "p99", "ns_per_op", "instructions_max", "cost_per_op"];

/// What programs alone get; the last thirteen of the pick.
const HIDDEN: [&str; 22] = [
    "timed_as",
    "null_ns_per_op",
    "ns_per_op_low",
    "ns_per_op_high",
    "ns_reliable",
    "events_timed",
    "touched_pages",
    "peak_live",
    "offline",
    "min_region",
    "memory_saved",
    "work_saved",
    "program_saved",
    "advice",
    "region",
    "max_in_region",
    "proven_bytes",
    "proven_accesses",
    "guaranteed_heap",
    "guaranteed_bytes",
    "copies_distance",
    "overfitted",
];

impl Answer<'_> {
    /// The bound of a heap as fragmentation, averaged over the traces as fragmentation is; none if no bound is known.
    fn bound(&self, spec: &Spec) -> Item {
        if self.lines.is_empty() {
            return none();
        }
        let each = self.lines.iter().map(|lines| lines.bound_fragmentation(spec)).collect::<Option<Vec<f64>>>();
        each.map_or_else(none, |each| percent(each.iter().sum::<f64>() / each.len().max(1) as f64))
    }

    pub(super) fn front(&self, finding: &Finding, people: bool) -> Table {
        let (exploration, pick) = (self.exploration, self.pick);
        let mut table = Table::new(&COLUMNS).hiding(&HIDDEN).sparing(&SPARED);
        let front_2d = thinned(&exploration.front_2d, pick, if people { SHOWN } else { usize::MAX });
        let mut indexes = front_2d.clone();
        let others = finding.recommended.iter().map(|design| design.index).chain([pick]);
        indexes.extend(others.filter(|index| !front_2d.contains(index)));
        for index in indexes {
            let is_pick = index == pick;
            let is_recommended = finding.recommended.iter().any(|design| design.index == index);
            let note = match (is_pick, is_recommended) {
                (true, _) => "pick",
                (_, true) => "2006",
                _ => "",
            };
            let design = &exploration.rows[index].design;
            let shown = identifier(u64::from(design.number));
            let measured = measured(exploration, &exploration.name(index));
            let bound = self.bound(&design.spec);
            let heap = table::heap(&design.spec.to_string());
            let row = row(note, shown, &exploration.points[index], bound, measured, heap);
            let row = row.into_iter().chain(self.lower_bounds()).chain(self.answered(is_pick));
            if is_pick { table.strong_row(row) } else { table.row(row) }
        }
        let baseline = exploration.baseline();
        let is_baseline = |spec: &str| baseline.spec().is_some_and(|baseline| baseline.to_string() == spec);
        let listed = exploration.catalogue.iter().any(|entry| is_baseline(&entry.spec));
        let own = exploration.baselines.iter().filter(|entry| !listed && is_baseline(&entry.spec));
        for entry in own.chain(&exploration.catalogue) {
            let measured = measured(exploration, &entry.name);
            let bound = entry.spec.parse().map_or_else(|_| none(), |spec| self.bound(&spec));
            let note = if is_baseline(&entry.spec) { "baseline" } else { "" };
            let replayed = measured.events.unwrap_or(u64::MAX).min(entry.events());
            let heap = cut(&entry.spec, &entry.spec, Some(replayed), exploration.events());
            let row = row(note, text(&entry.name), &entry.objectives, bound, measured, heap);
            table.row(row.into_iter().chain(self.lower_bounds()).chain(self.answered(false)));
        }
        for entry in peers() {
            let name = entry.peer.to_string();
            if exploration.timing_of(&name).is_some() {
                let note = if baseline.name() == name { "baseline" } else { "peer" };
                let row = peer_row(exploration, note, entry.name, &name);
                table.row(row.into_iter().chain(self.lower_bounds()).chain(self.answered(false)));
            }
        }
        table
    }

    /// What the pick alone has: its smallest region, what it saves compared with the baseline, what it does in the region that
    /// is promised, what is proven of it, itself or the nearest heap that is never refused in a region of these bytes, and how it
    /// holds on changed copies of the traces.
    fn answered(&self, is_pick: bool) -> [Item; 13] {
        if !is_pick {
            return std::array::from_fn(|_| none());
        }
        let verdict = self.verdict();
        let (holds, confined) = (self.exploration.holds(self.pick), self.exploration.in_region(self.pick));
        let proven = self.exploration.proven_without_limit(self.pick);
        let own = self.exploration.proven_region(self.pick);
        let own = own.map(|bytes| (self.exploration.rows[self.pick].design.spec.to_string(), bytes));
        let nearest = || self.exploration.nearest_with_region(self.pick);
        let guaranteed = own.or_else(|| nearest().map(|near| (near.spec.to_string(), near.region)));
        let share = |saved: Option<f64>| saved.map_or_else(none, percent);
        [
            self.exploration.min_region(self.pick).map_or_else(none, table::bytes),
            share(verdict.memory_saved()),
            share(verdict.work_saved()),
            share(verdict.program_saved()),
            text(verdict.advice.name()),
            confined.map_or_else(none, |(bytes, _)| table::bytes(bytes)),
            confined.map_or_else(none, |(_, point)| integer(point.get(Objective::MaxOp) as u64)),
            proven.map_or_else(none, |proven| table::bytes(Bytes(proven.region))),
            proven.map_or_else(none, |proven| integer(proven.accesses)),
            guaranteed.as_ref().map_or_else(none, |(heap, _)| table::heap(heap)),
            guaranteed.as_ref().map_or_else(none, |&(_, bytes)| table::bytes(Bytes(bytes))),
            holds.as_ref().map_or_else(none, |holds| percent(holds.distance)),
            holds.as_ref().map_or_else(none, |holds| text(if holds.is_overfitted() { "yes" } else { "no" })),
        ]
    }

    /// The lower bound of all traces together: peak live bytes, and the lowest placement that was found.
    fn lower_bounds(&self) -> [Item; 2] {
        if self.lines.is_empty() {
            return [none(), none()];
        }
        let total = |bytes: fn(&Lines) -> Bytes| table::bytes(self.lines.iter().map(bytes).sum());
        [total(|lines| lines.lower_bound.live), total(|lines| lines.lower_bound.placed)]
    }
}

/// What was measured of something, not counted.
struct Figures {
    touched_page_overhead: Item,
    touched: Item,
    ns_per_op: Item,
    /// As what it was timed, the null allocator, the interval, whether it is reliable, and the events that were timed.
    more: [Item; 6],
    /// Events that were timed, where any were.
    events: Option<u64>,
}

fn measured(exploration: &Exploration, name: &str) -> Figures {
    let (pages, timing) = (exploration.pages_of(name), exploration.timing_of(name));
    Figures {
        touched_page_overhead: pages.map_or_else(none, |pages| percent(pages.fragmentation)),
        touched: pages.map_or_else(none, |pages| table::bytes(pages.touched)),
        ns_per_op: timing.map_or_else(none, |timing| table::time(timing.ns)),
        more: timing.map_or_else(|| std::array::from_fn(|_| none()), more),
        events: timing.map(|timing| timing.events),
    }
}

fn more(timing: &Retimed) -> [Item; 6] {
    let Spread { low, high, .. } = timing.ns;
    [
        timing.timed_as().map_or_else(none, text),
        number(timing.null_allocator, 1),
        number(low, 1),
        number(high, 1),
        table::flag(timing.ns.is_reliable()),
        integer(timing.events),
    ]
}

/// A heap or peer, with how far it was replayed where that is not all `events`: counted, or timed.
fn cut(name: &str, shown: &str, replayed: Option<u64>, events: u64) -> Item {
    match replayed.filter(|&replayed| replayed < events) {
        Some(replayed) => word(name, &format!("{shown}, first {replayed} events")),
        None => table::heap(name),
    }
}

fn row(note: &str, name: Item, point: &Objectives, bound: Item, measured: Figures, heap: Item) -> Vec<Item> {
    let note = if point.failed > 0 { "refuses" } else { note };
    let known = |objective: Objective, decimals: usize| {
        let value = Some(point.get(objective)).filter(|value| value.is_finite());
        value.map_or_else(none, |value| number(value, decimals))
    };
    let values = [
        word(note, if note == "pick" { "▶ pick" } else { note }),
        name,
        percent(point.get(Objective::Fragmentation)),
        bound,
        measured.touched_page_overhead,
        number(point.get(Objective::Accesses), 2),
        known(Objective::Cost, 2),
        integer(point.get(Objective::P99) as u64),
        integer(point.get(Objective::MaxOp) as u64),
        measured.ns_per_op,
        known(Objective::Instructions, 1),
        known(Objective::MaxInstructions, 0),
        heap,
    ];
    values.into_iter().chain(measured.more).chain([measured.touched]).collect()
}

/// A peer has no footprint in bytes and no accesses.
fn peer_row(exploration: &Exploration, note: &str, short: &str, name: &str) -> Vec<Item> {
    let pages = exploration.pages_of(name);
    let refuses = pages.is_some_and(|pages| pages.failed > 0);
    let measured = measured(exploration, name);
    let heap = cut(name, name, measured.events, exploration.events());
    let values = [
        text(if refuses { "refuses" } else { note }),
        text(short),
        none(),
        none(),
        measured.touched_page_overhead,
        none(),
        none(),
        none(),
        none(),
        measured.ns_per_op,
        none(),
        none(),
        heap,
    ];
    values.into_iter().chain(measured.more).chain([measured.touched]).collect()
}

/// At most `max` of the stairs, evenly, with both ends and the pick.
fn thinned(front_2d: &[usize], pick: usize, max: usize) -> Vec<usize> {
    if front_2d.len() <= max {
        return front_2d.to_vec();
    }
    let even = (0..max).map(|step| front_2d[step * (front_2d.len() - 1) / (max - 1)]);
    let mut chosen: Vec<usize> = even.chain(front_2d.contains(&pick).then_some(pick)).collect();
    chosen.sort_by_key(|index| front_2d.iter().position(|member| member == index));
    chosen.dedup();
    chosen
}
