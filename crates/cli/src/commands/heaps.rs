//! `heapsmith heaps`: the allocators that have a name, what they promise and where they are from; those of firmware; other
//! readings of the sources; then the peers.

use heapsmith_peers::peers;
use heapsmith_spec::{Entry, Promise, Spec, SpecError, catalogue, firmware, readings};

use crate::args::{Format, Listing};
use crate::console;
use crate::failure::Failure;
use crate::table::{Table, text};

pub fn run(arguments: &Listing) -> Result<(), Failure> {
    if arguments.format == Format::Table {
        let mut text = Vec::new();
        catalogue().iter().try_for_each(|entry| paragraph(&mut text, entry))?;
        text.push("Heaps that firmware has, with the addresses of the originals\n".to_owned());
        firmware().iter().try_for_each(|entry| paragraph(&mut text, entry))?;
        text.push("Other readings of the sources that describe operating systems\n".to_owned());
        readings().iter().try_for_each(|entry| paragraph(&mut text, entry))?;
        text.push("Reference allocators for replay and explore; heapsmith cannot emit them\n".to_owned());
        peers().iter().for_each(|entry| peer(&mut text, entry));
        console::say_text(&(text.join("\n") + LEGEND));
        return Ok(());
    }
    let columns = ["name", "heap", "allocate", "free", "footprint", "refusal", "papers", "source", "note"];
    let mut table = Table::new(&columns);
    for entry in catalogue().iter().chain(firmware()).chain(readings()) {
        let Promise { allocate, free, footprint, refusal } = promise(entry)?;
        let (papers, refusal) = (entry.papers.join("; "), refusal.unwrap_or_default());
        let row = [entry.name, entry.spec, &allocate, &free, &footprint, refusal, &papers, entry.source, entry.note];
        table.row(row.map(text));
    }
    for entry in peers() {
        let (name, note) = (entry.peer.to_string(), absence(entry));
        table.row([&name, &name, "", "", "", "", "", entry.source, &format!("{}{note}", entry.about)].map(text));
    }
    table.print(arguments.format)
}

/// A paragraph a peer.
fn peer(lines: &mut Vec<String>, entry: &heapsmith_peers::Entry) {
    lines.push(format!("{:<28} {}", entry.peer.to_string(), entry.about));
    if entry.built {
        lines.push(format!("  {:<18} {}", "version", entry.peer.version()));
    } else {
        lines.push(format!("  {:<18} {}", "not in this build", absence(entry).trim_start_matches("; ")));
    }
    let memory =
        if entry.of_the_process { "allocates from the system" } else { "allocates from a region, as the heaps above" };
    lines.push(format!("  {:<18} {memory}", "memory"));
    lines.push(format!("  {:<18} {}", "source", entry.source));
    lines.push(String::new());
}

/// Why a peer is not in this build, and how it gets there.
fn absence(entry: &heapsmith_peers::Entry) -> String {
    match entry.feature {
        Some((feature, why)) if !entry.built => format!("; cargo build --release --features {feature} ({why})"),
        _ => String::new(),
    }
}

/// Below the paragraphs.
const LEGEND: &str = "
M: peak bytes in live blocks, headers included; B: peak live blocks; n: the largest block; all in
units of the smallest. A spec can replace a name: layers, a pool, options. --format json adds
what the sources leave open and what was chosen.
";

/// A paragraph a heap: its lines are too long for columns.
fn paragraph(text: &mut Vec<String>, entry: &Entry) -> Result<(), SpecError> {
    let Promise { allocate, free, footprint, refusal } = promise(entry)?;
    text.push(format!("{:<20} {}", entry.name, entry.spec));
    let papers = entry.papers.join("; ");
    let lines = [
        ("allocate", &*allocate),
        ("free", &free),
        ("max memory", &footprint),
        ("refusal", refusal.unwrap_or_default()),
        ("papers", &papers),
        ("source", entry.source),
    ];
    let filled = lines.iter().filter(|(_, line)| !line.is_empty());
    text.extend(filled.map(|(name, line)| format!("  {name:<18} {line}")));
    text.push(String::new());
    Ok(())
}

fn promise(entry: &Entry) -> Result<Promise, SpecError> {
    Ok(entry.spec.parse::<Spec>()?.promise())
}
