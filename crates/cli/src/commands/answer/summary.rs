//! The lines in which `explore`, `pick` and `report` end: what to do, what it saves, what to reserve.
//!
//! ```text
//!   Answer     Change lea-2.7.2 for design 6088, which takes …      1 or 2 lines
//!   Baseline   what you have: memory, work, time
//!   Pick       the same of the pick
//!   Spec       the heap, shortened in the middle
//!   Reserve    bytes of the smallest region
//!   Worst      the most expensive operation in a region
//!   Guarantee  what is proven for every such program, or the option that gives a proof
//!   Robust     how it holds on changed copies of the traces         1 or 2 lines
//!   Hold-out   the same on hold-out traces                          where there are any; then Robust has 1
//!   Page       the page
//!   Next       the next command
//! ```
//!
//! At most [`MAX_LINES`] lines of at most 80 columns; a path and a command are never shortened, so that they can be copied.

use std::path::Path;

use heapsmith_explore::{
    Advice, Catalogued, Exploration, Holds, Objective, Objectives, Paged, Preference, Proven, Retimed,
};
use heapsmith_replay::Measures;
use heapsmith_report::thousands;
use heapsmith_trace::{Bytes, plural};

use super::Answer;
use crate::console::{self, Look};
use crate::fit::{shortened, width, wrapped};
use crate::quoted::quoted;
use crate::table::brief;

/// Lines of a summary.
pub const MAX_LINES: usize = 12;
/// Columns of a line, where no terminal has others.
const COLUMNS: usize = 80;
/// Columns of the labels.
const LABEL: usize = 11;
/// Columns of a baseline's name in the advice.
const NAME: usize = 32;

/// Where the page of an answer is.
#[derive(Debug, Clone, Copy)]
pub enum Page<'p> {
    /// It was written.
    At(&'p Path),
    /// The page in the folder, where there is one, may have another answer.
    Older,
}

/// A line: its label, what it says, and how that looks.
struct Line {
    label: &'static str,
    text: String,
    look: Look,
}

/// Prints the summary.
pub fn print(answer: &Answer<'_>, dir: &Path, page: Page<'_>) {
    for Line { label, text, look } in lines(answer, dir, page) {
        console::say_pieces(&[(Look::Label, &format!("{label:LABEL$}")), (look, &text)]);
    }
}

fn lines(answer: &Answer<'_>, dir: &Path, page: Page<'_>) -> Vec<Line> {
    let max = console::columns().unwrap_or(COLUMNS) - LABEL;
    let Answer { exploration, preference, pick, .. } = *answer;
    let (baseline, own) = memory_and_work(answer);
    let mut lines = limited("Answer", Look::Strong, verdict(answer), 2, max);
    let mut add = |label, text: String| lines.push(Line { label, text: shortened(&text, max), look: Look::Plain });
    let name = shortened(exploration.baseline().name(), max.saturating_sub(width(&baseline) + 2));
    add("Baseline", format!("{name}: {baseline}"));
    add("Pick", format!("{}: {own}", design(exploration, pick)));
    add("Spec", brief(&exploration.rows[pick].design.spec.to_string()));
    add("Reserve", reserve(answer, dir, max));
    add("Worst", worst_operation(exploration, pick));
    add("Guarantee", guarantee(answer));
    let hold_out = hold_out(exploration);
    lines.extend(robust(exploration, preference, pick, if hold_out.is_some() { 1 } else { 2 }, max));
    lines.extend(hold_out.map(|(text, look)| Line { label: "Hold-out", text: shortened(&text, max), look }));
    let page = match page {
        Page::At(path) => path.display().to_string(),
        Page::Older => format!("heapsmith report {} writes it", quoted(dir)),
    };
    lines.push(Line { label: "Page", text: page, look: Look::Plain });
    lines.push(Line { label: "Next", text: next(answer, dir), look: Look::Strong });
    debug_assert!(lines.len() <= MAX_LINES);
    lines
}

/// A text in at most `count` lines, the first with the label.
fn limited(label: &'static str, look: Look, text: String, count: usize, max: usize) -> Vec<Line> {
    let mut pieces = wrapped(&text, max, 0);
    if pieces.len() > count {
        let rest = pieces.split_off(count - 1).join(" ");
        pieces.push(shortened(&rest, max));
    }
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels.zip(pieces).map(|(label, text)| Line { label, text: shortened(&text, max), look }).collect()
}

fn design(exploration: &Exploration, index: usize) -> String {
    format!("design {}", exploration.rows[index].design.number)
}

/// The advice with its figures.
fn verdict(answer: &Answer<'_>) -> String {
    let verdict = answer.verdict();
    let (figures, remark) = (verdict.figures(), verdict.remark.as_deref().unwrap_or_default());
    let baseline = shortened(verdict.baseline.name(), NAME);
    let design = design(answer.exploration, answer.pick);
    match verdict.advice {
        Advice::Change => format!("Change {baseline} for {design}{}", verdict.reasons()),
        Advice::Keep if !remark.is_empty() => format!("Keep what you have ({baseline}): {remark}"),
        Advice::Keep => format!("Keep what you have ({baseline}): {design} {figures}"),
        Advice::None if figures.is_empty() => format!("The pick is {design}. No advice about {baseline}: {remark}"),
        Advice::None => format!("The pick, {design}, {figures}. No advice about {baseline}: {remark}"),
    }
}

/// Memory, work and time of the baseline and of the pick, in the figures by which they are compared.
fn memory_and_work(answer: &Answer<'_>) -> (String, String) {
    let Answer { exploration, pick, .. } = *answer;
    let baseline = exploration.baseline();
    let own = exploration.timing(pick);
    let counted = || counted(exploration.measures_of(pick), &exploration.points[pick]);
    if baseline.spec().is_none() {
        let (name, number) = (baseline.name(), exploration.name(pick));
        let (other, pages) = (exploration.pages_of(name), exploration.pages_of(&number));
        let own_memory = pages.map_or_else(counted, |pages| touched(exploration, pages));
        let other_memory = other.map_or_else(|| "memory not measured".to_owned(), |pages| touched(exploration, pages));
        let threads = if exploration.threads > 1 { "in one thread " } else { "" };
        return (
            format!("{threads}{other_memory}, {}", time(exploration.timing_of(name))),
            format!("{threads}{own_memory}, {}", time(own)),
        );
    }
    let text = baseline.spec().map(ToString::to_string).unwrap_or_default();
    let mut known = exploration.catalogue.iter().chain(&exploration.baselines);
    let reserved = exploration.reserved(pick).map(|both| both.map(|(bytes, point)| in_ram(bytes, &point)));
    let counted = reserved.as_ref().map_or_else(counted, |[own, _]| own.clone());
    let other = match known.find(|entry| entry.spec == text) {
        Some(entry) => of_entry(exploration, entry, reserved.map(|[_, other]| other)),
        None => "not replayed".to_owned(),
    };
    (other, counted + &speed(exploration, own, &exploration.points[pick]))
}

/// `177,504 bytes of RAM, 16.77 accesses/op`: in the region that is promised.
fn in_ram(bytes: Bytes, point: &Objectives) -> String {
    format!("{} bytes of RAM, {:.2} accesses/op", thousands(bytes.0), point.get(Objective::Accesses))
}

fn of_entry(exploration: &Exploration, entry: &Catalogued, reserved: Option<String>) -> String {
    match entry {
        Catalogued { is_whole: false, .. } => "too slow to replay whole".to_owned(),
        Catalogued { objectives: Objectives { failed: 1.., .. }, .. } => {
            format!("refuses {}", plural(entry.objectives.failed, "request", "requests"))
        }
        _ => {
            let counted = reserved.unwrap_or_else(|| counted(&entry.measures, &entry.objectives));
            counted + &speed(exploration, exploration.timing_of(&entry.name), &entry.objectives)
        }
    }
}

/// `714.0 KB, 14.08 accesses/op`; over several traces memory is a share.
fn counted(measures: &[Measures], point: &Objectives) -> String {
    let memory = match measures {
        [one] => one.footprint_peak.to_string(),
        _ => format!("fragmentation {:.1}%", point.get(Objective::Fragmentation) * 100.0),
    };
    format!("{memory}, {:.2} accesses/op", point.get(Objective::Accesses))
}

/// `3.1 MB of pages touched`; over several traces a share.
fn touched(exploration: &Exploration, pages: &Paged) -> String {
    match exploration.traces.len() {
        1 => format!("{} of pages touched", pages.touched),
        _ => format!("{:.1}% touched-page overhead", pages.fragmentation * 100.0),
    }
}

/// `, 4.2 ns/op`; of a board, where times of this machine say little, `, 48.0 instructions/op` if they were counted.
fn speed(exploration: &Exploration, timing: Option<&Retimed>, point: &Objectives) -> String {
    let instructions = point.get(Objective::Instructions);
    match timing {
        None if !exploration.target.peers && instructions.is_finite() => format!(", {instructions:.1} instructions/op"),
        None if !exploration.target.peers => String::new(),
        _ => format!(", {}", time(timing)),
    }
}

fn time(timing: Option<&Retimed>) -> String {
    match timing {
        Some(timing) if timing.ns.is_reliable() => format!("{} ns/op", timing.ns),
        Some(timing) => format!("{:.1} to {:.1} ns/op", timing.ns.low, timing.ns.high),
        None => "time not measured".to_owned(),
    }
}

fn reserve(answer: &Answer<'_>, dir: &Path, max: usize) -> String {
    let smallest = answer.exploration.min_region(answer.pick);
    // Elsewhere blocks of such an alignment lie elsewhere, too.
    let coarsest = answer.exploration.coarsest_alignment();
    let own = answer.exploration.rows[answer.pick].design.spec.alignment;
    let base = if coarsest > own.into() { format!(" at a multiple of {coarsest}") } else { String::new() };
    match answer.exploration.reserve(answer.pick) {
        Some(Bytes(bytes)) => match smallest.filter(|smallest| smallest.0 < bytes) {
            Some(Bytes(smallest)) => {
                let more_work = if answer.exploration.asked_region().is_none() { ", with more work" } else { "" };
                let all = format!("{} bytes of RAM{base}", thousands(bytes));
                let also = format!("{all} (it still serves in {}{more_work})", thousands(smallest));
                // A number is shown whole.
                if width(&also) <= max { also } else { all }
            }
            None => format!("{} bytes of RAM{base}", thousands(bytes)),
        },
        None => format!("not measured; heapsmith pick {} --prefer {} does", quoted(dir), answer.preference),
    }
}

/// `733,392 bytes`; from a billion on, which nobody reserves to the byte, `about 245.9 GB`.
fn bytes_shown(bytes: u64) -> String {
    match bytes {
        0..1_000_000_000 => format!("{} bytes", thousands(bytes)),
        _ => format!("about {}", Bytes(bytes)),
    }
}

/// The most expensive operation, in the region that is promised where it was replayed there.
fn worst_operation(exploration: &Exploration, pick: usize) -> String {
    let shown = |point: &Objectives| {
        let [max, p99] = [Objective::MaxOp, Objective::P99].map(|one| thousands(point.get(one) as u64));
        format!("{max} metadata accesses in one operation, p99 {p99}")
    };
    match exploration.in_region(pick) {
        Some((_, point)) => format!("in that region: {}", shown(&point)),
        None => format!("{} (in a large region)", shown(&exploration.points[pick])),
    }
}

/// What is proven, or the option that picks a design with a proof.
fn guarantee(answer: &Answer<'_>) -> String {
    let Answer { exploration, pick, preference, .. } = *answer;
    if let Some(Proven { accesses, region: room, .. }) = exploration.proven(pick) {
        let region = exploration.proven_region(pick).unwrap_or(room);
        let ([shown, room_shown], accesses) = ([region, room].map(bytes_shown), thousands(accesses));
        return match region < room {
            true => format!("proven: never refused in {shown}; {accesses} accesses/op in {room_shown}"),
            false => format!("proven: never refused in {shown}, {accesses} accesses/op at most"),
        };
    }
    if preference == Preference::Bounded
        && let Some((room, Proven { accesses, region, .. })) =
            exploration.room().zip(exploration.proven_without_limit(pick))
    {
        let ([region, room], accesses) = ([region, room].map(bytes_shown), thousands(accesses));
        return format!("none in {room} (needs {region}); {accesses} accesses/op at most");
    }
    let other = preference != Preference::Bounded && exploration.has_bounded();
    match exploration.proven_region(pick).map(bytes_shown) {
        Some(bytes) if other => format!("never refused in {bytes} (for time too: --prefer bounded)"),
        Some(bytes) => format!("never refused in {bytes}; time is not proven"),
        None => no_guarantee(exploration, pick, other),
    }
}

/// What has one where the pick has none, or why nothing has.
fn no_guarantee(exploration: &Exploration, pick: usize, is_known: bool) -> String {
    if let Some(near) = exploration.nearest_with_region(pick) {
        return format!("none; {}: {} ({})", near.heap, bytes_shown(near.region), near.price);
    }
    if exploration.programs.contains(&None) {
        return "no guarantee: a trace asks for nothing".to_owned();
    }
    let needed = exploration.any_allocator().filter(|&bytes| exploration.room().is_some_and(|room| bytes > room));
    if let Some((room, needed)) =
        exploration.room().zip(needed).map(|(room, needed)| (bytes_shown(room), bytes_shown(needed)))
    {
        return format!("none in {room}: some such program needs {needed} on any heap");
    }
    let (none, remedy) = match exploration.room().zip(exploration.region_without_limit(pick)) {
        Some((room, bytes)) => (format!("none in {} (needs {})", bytes_shown(room), bytes_shown(bytes)), ""),
        None => ("no guarantee for other programs".to_owned(), "; --space wide --prefer bounded may"),
    };
    none + if is_known { "; --prefer bounded gives one" } else { remedy }
}

fn robust(exploration: &Exploration, preference: Preference, pick: usize, count: usize, max: usize) -> Vec<Line> {
    let one = |text: String| limited("Robust", Look::Plain, text, 1, max);
    if preference == Preference::Bounded {
        let proof = match exploration.proven(pick) {
            Some(_) => "picked by proof, which holds for every program like this",
            None => "picked by proof, which holds until a request is refused",
        };
        return one(proof.to_owned());
    }
    let Some(holds) = exploration.holds(pick) else {
        let why = if exploration.question.robust { "" } else { " (--robust off)" };
        return one(format!("not evaluated on changed copies of the trace{why}"));
    };
    let Holds { distance, change, copies, instead } = &holds;
    if !holds.is_overfitted() {
        let other = exploration.baseline_holds().filter(Holds::is_overfitted).map(|other| other.distance);
        let than = match other {
            None => " of the trace".to_owned(),
            Some(other) if other.is_finite() => format!(", what you have {:.1}%", other * 100.0),
            Some(_) => ", what you have refuses".to_owned(),
        };
        return one(format!("yes: within {:.1}% of the front on {copies} changed copies{than}", distance * 100.0));
    }
    let fault = match distance.is_finite() {
        true => format!("OVERFITTED: {:.1}% from the front of a copy with {change}", distance * 100.0),
        false => format!("OVERFITTED: refuses requests of a copy with {change}"),
    };
    let remedy = match instead {
        Some((other, distance)) => {
            format!("; {} is within {:.1}% everywhere", design(exploration, *other), distance * 100.0)
        }
        None => "; no design tried is nearer; explore with more traces".to_owned(),
    };
    limited("Robust", Look::Alarm, if count > 1 { fault + &remedy } else { fault }, count, max)
}

/// The pick on hold-out traces: the one where it is worst.
fn hold_out(exploration: &Exploration) -> Option<(String, Look)> {
    let picks: Vec<_> = exploration.evaluated.iter().filter(|row| row.name == "pick").collect();
    let worst = picks.iter().max_by(|a, b| a.distance.total_cmp(&b.distance))?;
    let distance = worst.distance * 100.0;
    Some(match picks.iter().find(|row| row.failed > 0).or_else(|| picks.iter().find(|row| row.warning.is_some())) {
        Some(row) if row.failed > 0 => (format!("OVERFITTED: refuses requests of {}", row.trace), Look::Alarm),
        Some(row) => (format!("OVERFITTED: {:.1}% from the front of {}", row.distance * 100.0, row.trace), Look::Alarm),
        None => (
            format!(
                "within {distance:.1}% of the front on {}",
                plural(picks.len() as u64, "other trace", "other traces")
            ),
            Look::Plain,
        ),
    })
}

/// What to type now: the pick as code or around a program, or in a race where threads allocate and nobody knows their times. Where
/// nothing is to be changed, another question that may be answered otherwise, if there is one; but who asks for a proof has it of
/// this very code.
fn next(answer: &Answer<'_>, dir: &Path) -> String {
    let dir = quoted(dir);
    let is_kept = answer.verdict().advice == Advice::Keep && answer.preference != Preference::Bounded;
    match other_question(answer).filter(|_| is_kept) {
        Some(preference) => format!("heapsmith pick {dir} --prefer {preference}"),
        None if answer.verdict().threads > 1 => format!("heapsmith race --heap {dir} -- PROGRAM"),
        None if is_kept => "nothing: other preferences give no reason to change either".to_owned(),
        None if answer.exploration.target.malloc => format!("heapsmith run --heap {dir} -- PROGRAM"),
        None => format!("heapsmith emit {dir} --lang c -o OUT"),
    }
}

/// The preference for which the advice is to change, else one for which it is not known.
fn other_question(answer: &Answer<'_>) -> Option<Preference> {
    let Answer { exploration, preference, .. } = *answer;
    let others = [Preference::Memory, Preference::Speed, Preference::Balanced].into_iter();
    let asked = others.filter(|&other| other != preference);
    let advised = asked.filter_map(|other| Some((other, exploration.verdict(exploration.pick(other)?, other).advice)));
    let advised: Vec<_> = advised.collect();
    let first = |wanted| advised.iter().find(|(_, advice)| *advice == wanted).map(|&(other, _)| other);
    first(Advice::Change).or_else(|| first(Advice::None))
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::Spread;

    use super::*;

    #[test]
    fn a_time_whose_rounds_disagree_is_no_number() {
        let timed = |low, high| Retimed {
            name: "tlsf".to_owned(),
            is_compiled: false,
            ns: Spread { median: 10.0, low, high },
            min: low,
            max: high,
            null_allocator: 1.0,
            rounds: 12,
            events: 100,
        };
        assert_eq!(time(Some(&timed(9.8, 10.3))), "10.0 ns/op");
        assert_eq!(time(Some(&timed(8.9, 94.4))), "8.9 to 94.4 ns/op");
        assert_eq!(time(None), "time not measured");
    }
}
