//! URL-based switching as NetBench's own program allocates it: a table that stays, and a buffer for the packet at hand.
//!
//! ```text
//!   start:   patterns ─► heads of common text ─► lists of patterns, each with a table of skips
//!   packet:  buffer ▒▒▒▒▒ ─► compared with heads and patterns ─► freed before the next is read
//! ```
//!
//! What is allocated when, with 32-bit pointers:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | text of a rule as read | `pattern-bytes` + 1 | start | end |
//! | skips of a comparison with a head | 1024 | each earlier head, for each rule | its comparison is done |
//! | head | 24, its text, 1024 of skips | start | end |
//! | pattern | 40, its text, 1024 of skips | start | end |
//! | packet | its IP length, at least 40 | it is read | it is compared |
//!
//! No two rules share text here, so each has a head of its own; the program's rule files are not public. `in-flight` packets
//! are held at once: one in the program, which reads them from memory; more where they would wait for something.
//!
//! Source: G. Memik, W. H. Mangione-Smith, W. Hu, "NetBench: A Benchmarking Suite for Network Processors", ICCAD 2001,
//! application "URL", files url.c, search.c and packet.c; the application that Mamagkakis et al., Computer Communications 29
//! (2006), section 6, name. No block of it has the 8, 11 or 20 bytes that they find most often.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use heapsmith_trace::Nanoseconds;

use crate::error::LoadError;
use crate::input::{Format, Input, Packet, each_packet};
use crate::link::{PACKETS, wanted};
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{KEEP_DAMAGED, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "netbench-url",
    about: "URL-based switching as in NetBench: tables of patterns that stay, a buffer for the packet at hand",
    source: "G. Memik, W. H. Mangione-Smith, W. Hu: NetBench, ICCAD 2001, application URL",
    input: "packet capture or list of frame times and sizes",
    parameters: &[
        Parameter { name: "patterns", default: "64", about: "number of rules in the table" },
        Parameter { name: "pattern-bytes", default: "16", about: "length of a rule's text, in bytes" },
        Parameter { name: "link-bytes", default: "14", about: "bytes of a frame before its IP packet; 0 for raw IP" },
        Parameter { name: "in-flight", default: "1", about: "number of packets that are held at once" },
        PACKETS,
        KEEP_DAMAGED,
    ],
    formats: &[Format::Capture, Format::FrameList],
    run: Run::Input(run),
};

/// Number, text, length, skips, list, next: six words of four bytes.
const HEAD: u64 = 24;
/// Number, type, text, length, depth, skips, destination, log, below, padding: ten words.
const PATTERN: u64 = 40;
/// A skip for every character.
const SKIPS: u64 = 1024;
/// The shortest packet.
const MIN_PACKET: u64 = 40;

fn run<'s>(input: Input, settings: &mut Settings, mut tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let patterns = settings.number("patterns", 0, 1 << 12, "a whole number up to 4096")?;
    let text = settings.number("pattern-bytes", 1, 1 << 16, "bytes from 1 to 65536")?;
    let link = settings.number("link-bytes", 0, 1 << 10, "bytes from 0 to 1024")?;
    let in_flight = settings.number("in-flight", 1, 1 << 20, "a number of packets from 1 to 1048576")?;
    let (max, keep_damaged) = (wanted(settings)?, settings.keep_damaged()?);
    let table = table(&mut tape, patterns, text);
    let site = tape.site("packet");
    let (mut held, mut taken, mut latest) = (VecDeque::new(), 0, Nanoseconds(0));
    each_packet(input, keep_damaged, &mut |packet| {
        latest = packet.time;
        held.push_back(tape.allocate(packet.time, site, buffer(&packet, link)));
        if held.len() as u64 >= in_flight
            && let Some(done) = held.pop_front()
        {
            tape.free(packet.time, done);
        }
        taken += 1;
        if tape.is_full() || taken == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    held.into_iter().chain(table).for_each(|block| tape.free(latest, block));
    Ok(tape)
}

/// The buffer of a packet.
fn buffer(packet: &Packet, link: u64) -> u64 {
    u64::from(packet.wire).saturating_sub(link).max(MIN_PACKET)
}

/// Forms the table.
fn table(tape: &mut Tape<'_>, patterns: u64, text: u64) -> Vec<Block> {
    let start = Nanoseconds(0);
    let (rule, skips): (Site, Site) = (tape.site("rule"), tape.site("skips"));
    let (head, pattern) = (tape.site("head"), tape.site("pattern"));
    let mut blocks = Vec::new();
    for heads in 0..patterns {
        blocks.push(tape.allocate(start, rule, text + 1));
        for _ in 0..heads {
            let compared = tape.allocate(start, skips, SKIPS);
            tape.free(start, compared);
        }
        for (site, size) in [(head, HEAD), (pattern, PATTERN)] {
            blocks.push(tape.allocate(start, site, size));
            blocks.push(tape.allocate(start, site, text));
            blocks.push(tape.allocate(start, skips, SKIPS));
        }
    }
    tape.mark(start, "table formed");
    blocks
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Origin, Trace};

    use super::*;

    #[test]
    fn a_comparison_with_every_earlier_head_is_allocated_and_freed() {
        let mut trace = Trace::new(Origin::new("netbench-url", ""));
        let mut tape = Tape::new(&mut trace);
        let blocks = table(&mut tape, 3, 16);
        assert_eq!(blocks.len(), 3 * 7);
        tape.end().unwrap();
        let frees = trace.events.iter().filter(|event| matches!(event.action, Action::Free { .. })).count();
        assert_eq!(frees, 1 + 2);
    }

    #[test]
    fn a_buffer_has_the_ip_packet_or_forty_bytes() {
        let packet = |wire| Packet { time: Nanoseconds(0), wire, payload: 0, flow: 0 };
        assert_eq!([60, 54, 1514].map(|wire| buffer(&packet(wire), 14)), [46, 40, 1500]);
    }
}
