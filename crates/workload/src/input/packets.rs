//! Packets as the network workloads see them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;

use heapsmith_trace::{Nanoseconds, memory};

use super::format::{Format, Input};
use super::frame::{Endpoints, take_apart};
use super::lines::Lines;
use super::{capture, frame_list};
use crate::error::LoadError;

/// A packet: 24 bytes, so that a capture of millions is held in memory with ease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Since the first packet. Never before the packet before: a stamp that goes backwards
    /// counts as the latest so far, so that file order stays the order of arrival.
    pub time: Nanoseconds,
    /// Length of the frame on the wire.
    pub wire: u32,
    /// Length after the transport header; after the link header where there is no IP.
    pub payload: u32,
    /// The flow, numbered from 0 in the order of appearance.
    pub flow: u32,
}

/// Looks at a packet, and says whether more are wanted.
type Visit<'v> = dyn FnMut(Packet) -> ControlFlow<()> + 'v;

/// Hands the packets of a capture or of a list of frames (which is all of one flow) to `visit`,
/// until that has seen enough.
pub(crate) fn each_packet(input: Input, keep_damaged: bool, visit: &mut Visit<'_>) -> Result<(), LoadError> {
    let Input { path, format, reader } = input;
    let mut arrivals = Arrivals { latest: None, visit };
    match format {
        Format::Capture => {
            let mut numbers = Flows::default();
            capture::read(&path, reader, keep_damaged, &mut |captured| {
                let frame = take_apart(captured.link, captured.original, captured.data);
                let flow = numbers.number(frame.ends);
                arrivals.arrive(captured.time, captured.original, frame.payload, flow)
            })?;
        }
        _ => read_list(&path, reader, keep_damaged, &mut arrivals)?,
    }
    match arrivals.latest {
        Some(_) => Ok(()),
        None => Err(LoadError::Nothing { path, what: "packets" }),
    }
}

/// Reads all packets of a capture or of a list of frames.
pub(crate) fn packets(input: Input, keep_damaged: bool) -> Result<Vec<Packet>, LoadError> {
    let path = input.path.clone();
    let (mut packets, mut over) = (Vec::new(), None);
    each_packet(input, keep_damaged, &mut |packet| match memory::reserve_one(&mut packets) {
        Ok(()) => {
            packets.push(packet);
            ControlFlow::Continue(())
        }
        Err(budget) => {
            over = Some(budget);
            ControlFlow::Break(())
        }
    })?;
    match over {
        Some(source) => {
            let place = format!("after packet {}", packets.len());
            Err(LoadError::OverBudget { path, place, source })
        }
        None => Ok(packets),
    }
}

fn read_list(
    path: &Path,
    reader: Box<dyn BufRead>,
    keep_damaged: bool,
    arrivals: &mut Arrivals<'_>,
) -> Result<(), LoadError> {
    let mut first = None;
    let mut lines = Lines::new(path, reader, keep_damaged);
    while let Some(line) = lines.next_line()? {
        match frame_list::parse(line) {
            Ok((time, size)) => {
                let first = *first.get_or_insert(time);
                if arrivals.arrive(time.since(first), size, size, 0).is_break() {
                    break;
                }
            }
            Err(cause) => lines.refuse(cause)?,
        }
    }
    Ok(())
}

/// Puts packets in the order of their arrival.
struct Arrivals<'v> {
    /// The time of the last packet; none before the first.
    latest: Option<Nanoseconds>,
    visit: &'v mut Visit<'v>,
}

impl Arrivals<'_> {
    fn arrive(&mut self, time: Nanoseconds, wire: u32, payload: u32, flow: u32) -> ControlFlow<()> {
        let time = time.max(self.latest.unwrap_or_default());
        self.latest = Some(time);
        (self.visit)(Packet { time, wire, payload, flow })
    }
}

/// Numbers for the ends of flows.
#[derive(Default)]
struct Flows(HashMap<Endpoints, u32>);

impl Flows {
    fn number(&mut self, ends: Endpoints) -> u32 {
        let next = self.0.len() as u32;
        match self.0.entry(ends) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(next),
        }
    }
}
