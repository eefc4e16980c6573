//! Lines about memory: what was recorded, RAM to reserve, for copies, proven, attacked.

use std::sync::atomic::AtomicBool;

use heapsmith_explore::{changed_copies, reserve_on};
use heapsmith_limits::attack::{AttackOptions, attack};
use heapsmith_limits::{AttackError, AttackGoal, Bound, ProgramClass};
use heapsmith_report::{percent, thousands};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, Operation, PackedTrace, plural};

use super::known::Known;
use super::lines::Lines;
use super::subject::Subject;
use crate::failure::Failure;
use crate::quoted::word;

/// Plans that the attack tries beyond its constructions, and the operations that its program has at most.
const ROUNDS: usize = 60;
const OPERATIONS: usize = 20_000;

/// Adds them.
pub fn add(
    lines: &mut Lines,
    spec: &Spec,
    subject: &Subject,
    known: Option<&Known>,
    base: Option<u64>,
) -> Result<(), Failure> {
    let Some(known) = known else {
        unknown(lines, spec);
        return Ok(());
    };
    for trace in &subject.traces {
        lines.add("recorded", &recorded(trace));
        lines.add(
            "peak live",
            &format!(
                "{} bytes, as requested; at most {} blocks",
                thousands(trace.requested_peak.0),
                thousands(trace.slots as u64)
            ),
        );
    }
    let asked = if subject.asked_region().is_some() { ", the region that was asked for" } else { "" };
    let reserve = thousands(known.reserve.0);
    let base = base.map_or_else(String::new, |base| format!(" from a multiple of {base} on"));
    lines.add("reserve", &format!("{reserve} bytes of RAM{base} serve what was recorded{asked}"));
    lines.add("copies", &copies(spec, &subject.traces)?);
    lines.add("proven", &proven(known, subject));
    lines.add("attack", &attacked(spec, known, subject)?);
    Ok(())
}

/// What a sheet says where nothing was recorded.
fn unknown(lines: &mut Lines, spec: &Spec) {
    lines.add(
        "recorded",
        "nothing, so RAM, proof and worst operation are not known. `heapsmith record --board DIR` writes a recorder \
         to compile into the firmware, and a log of its requests as CSV is a recording too; then `emit` with --trace FILE, or \
         explore the file and emit the folder",
    );
    lines.add("reserve", "not known without a recording");
    lines.add(
        "proven",
        &format!(
            "nothing of a program that is not known; `heapsmith bound {}` with --max-live, --max-size and --min-size states it \
             for limits that you give, `heapsmith attack` what an attack finds in them",
            word(&spec.to_string())
        ),
    );
}

fn recorded(trace: &PackedTrace) -> String {
    let events = plural(trace.events.len() as u64, "event", "events");
    let Ok(ProgramClass { max_size, min_size, reallocates, alignment, .. }) = ProgramClass::of(trace) else {
        return format!("{}: {events}, no request", trace.name);
    };
    let sizes = match min_size == max_size {
        true => format!("requests of {}", plural(max_size, "byte", "bytes")),
        false => format!("requests of {} to {} bytes", thousands(min_size), thousands(max_size)),
    };
    let resized = if reallocates { ", reallocations" } else { "" };
    let aligned = if alignment > 1 { format!(", alignments of up to {alignment} bytes") } else { String::new() };
    let empty = trace.events.iter().filter(|event| event.operation != Operation::Free && event.size == 0).count();
    let empty = match empty {
        0 => String::new(),
        _ => format!(
            "; {} of them of 0 bytes, replayed as of 1: the emitted functions return no block for a size of 0, so ask for 1",
            thousands(empty as u64)
        ),
    };
    format!("{}: {events}, {sizes}{resized}{aligned}{empty}", trace.name)
}

/// The RAM for the copies on which an exploration tries its candidates, where that can take more.
fn copies(spec: &Spec, traces: &[PackedTrace]) -> Result<String, Failure> {
    let (mut max, mut count, mut refusing) = ((0, ""), 0, Vec::new());
    for (change, copy) in traces.iter().flat_map(changed_copies) {
        count += 1;
        match reserve_on(spec, &[copy], None)? {
            Some((bytes, _)) => max = max.max((bytes.0, change)),
            None => refusing.push(change),
        }
    }
    let ((bytes, change), served) = (max, count - refusing.len());
    refusing.dedup();
    let refused = match refusing.is_empty() {
        true => String::new(),
        false => format!("; REFUSES requests of the copy with {}, in any region", refusing.join(", and of that with ")),
    };
    Ok(match served {
        0 => format!("none of {count} changed copies of it is served in any region"),
        _ => format!(
            "{} bytes of RAM serve {served} changed copies of it too, of which that with {change} takes most{refused}",
            thousands(bytes)
        ),
    })
}

fn proven(known: &Known, subject: &Subject) -> String {
    let Some((trace, class, bound)) = &known.worst else {
        return "nothing: a trace asks for nothing; leave it out, or record more of the program".to_owned();
    };
    let (numbers, time) = match (&known.proven, known.region) {
        (Some(proven), _) => {
            let [bytes, accesses] = [proven.region, proven.accesses].map(thousands);
            (
                format!(
                    "never refused in {bytes} bytes of RAM, with at most {accesses} metadata accesses per operation"
                ),
                "",
            )
        }
        (None, Some(region)) => (format!("never refused in {} bytes of RAM", thousands(region)), "; no time is proven"),
        (None, None) => return format!("nothing: {}; {}", why_none(bound, subject), subject.with_proof()),
    };
    let kind = of_class(*class);
    let programs = match subject.traces.as_slice() {
        [_] => format!("for every program with {kind}{time}. Assumed"),
        several => format!(
            "for every program that is as one of the {} recordings: no more bytes and blocks live, requests of its sizes, reallocations and \
             coarse alignments only if it has some{time}. Those as {} need most RAM, with {kind}. Assumed of them",
            several.len(),
            several[*trace].name
        ),
    };
    let premises: String = bound.requires.iter().map(|premise| format!("; {premise}")).collect();
    format!("{numbers}, {programs}{}. Argument: {}{}", premises.replacen(';', ":", 1), bound.source, derived(*class))
}

/// Where the argument is worked out.
fn derived(class: ProgramClass) -> String {
    let ProgramClass { live, max_size, min_size, max_blocks, reallocates, alignment, .. } = class;
    let aligned = if alignment > 1 { format!(" --align {alignment}") } else { String::new() };
    let resized = if reallocates { " --reallocations" } else { "" };
    let blocks = if class.limits_blocks() { format!(" --max-blocks {max_blocks}") } else { String::new() };
    format!(
        "; `heapsmith bound` derives it, of this heap with --max-live {live} --max-size {max_size} --min-size {min_size}{blocks}{resized}{aligned}"
    )
}

fn why_none(bound: &Bound, subject: &Subject) -> String {
    match bound.region.zip(subject.room()) {
        Some((bytes, room)) => {
            let [bytes, room] = [bytes, room].map(thousands);
            format!("a region has at most {room} bytes, and one in which nothing is refused takes {bytes}")
        }
        None if bound.why_none.is_empty() => "no number is known".to_owned(),
        None => bound.why_none.clone(),
    }
}

fn of_class(class: ProgramClass) -> String {
    let ProgramClass { live, max_size, min_size, max_blocks, .. } = class;
    let [live, max_size, min_size] = [live, max_size, min_size].map(thousands);
    let blocks = plural(max_blocks, "block", "blocks");
    format!("at most {live} bytes live in at most {blocks}, in requests of {min_size} to {max_size} bytes")
}

/// The worst program of this kind that a short search finds: in all the RAM that there is, where nothing is proven of that; in as
/// much as it takes where that is bounded; else in the RAM in which nothing is refused.
fn attacked(spec: &Spec, known: &Known, subject: &Subject) -> Result<String, Failure> {
    let Some((_, class, bound)) = &known.worst else { return Ok("none: a trace asks for nothing".to_owned()) };
    let (goal, region) = match (known.region, subject.room()) {
        (None, Some(room)) => (AttackGoal::Refusal, Some(room.min(spec.max_region()))),
        _ if bound.footprint.is_none() => (AttackGoal::Footprint, bound.region),
        _ => (AttackGoal::Footprint, None),
    };
    let options = AttackOptions {
        goal,
        rounds: ROUNDS,
        operations: OPERATIONS,
        region: region.map(Bytes),
        ..AttackOptions::default()
    };
    let found = match attack(spec, *class, options, &AtomicBool::new(false), |_| {}) {
        Ok(found) => found,
        Err(AttackError::Refuses(why)) => return Ok(format!("none was carried out: {why}")),
        Err(error) => return Err(error.into()),
    };
    let kind = if subject.traces.len() > 1 { "that kind" } else { "this kind" };
    let (bytes, tried) = (found.outcome.footprint, found.tried);
    if let Some(refused) = found.outcome.refused {
        return Ok(format!(
            "a program of {kind} is REFUSED {refused} bytes in {} bytes of RAM, with {} bytes live",
            thousands(found.region.0.min(spec.max_region())),
            thousands(found.outcome.live)
        ));
    }
    let worst = format!(
        "{} bytes of RAM in {} operations ({})",
        thousands(bytes),
        thousands(found.outcome.tape.steps.len() as u64),
        found.by
    );
    let max = known.proven.map(|proven| proven.region).or(known.region);
    let share =
        max.map_or_else(String::new, |max| format!(", {} of what is proven", percent(bytes as f64 / max as f64)));
    Ok(match region {
        Some(region) => format!(
            "none of {tried} programs of {kind} is refused a request in {} bytes of RAM; one takes {worst}",
            thousands(region)
        ),
        None if bytes > known.reserve.0 => format!("a program of {kind} takes {worst}{share}"),
        None => format!("none of {tried} programs of {kind} takes more than is reserved; one takes {worst}{share}"),
    })
}
