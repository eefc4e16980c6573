//! Packets as the network workloads see them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;
use std::path::Path;

use heapsmith_trace::Nanoseconds;

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

/// Reads the packets of a capture or of a list of frames (which is all of one flow).
pub(crate) fn packets(input: Input, keep_damaged: bool) -> Result<Vec<Packet>, LoadError> {
    let Input { path, format, reader } = input;
    let mut packets = Collected::default();
    match format {
        Format::Capture => {
            let mut numbers = Flows::default();
            capture::read(&path, reader, keep_damaged, &mut |captured| {
                let frame = take_apart(captured.link, captured.original, captured.data);
                let flow = numbers.number(frame.ends);
                packets.push(captured.time, captured.original, frame.payload, flow);
            })?;
        }
        _ => read_list(&path, reader, keep_damaged, &mut packets)?,
    }
    if packets.0.is_empty() {
        return Err(LoadError::Nothing { path, what: "packets" });
    }
    Ok(packets.0)
}

fn read_list(
    path: &Path,
    reader: Box<dyn BufRead>,
    keep_damaged: bool,
    packets: &mut Collected,
) -> Result<(), LoadError> {
    let mut first = None;
    let mut lines = Lines::new(path, reader, keep_damaged);
    while let Some(line) = lines.next_line()? {
        match frame_list::parse(line) {
            Ok((time, size)) => {
                let first = *first.get_or_insert(time);
                packets.push(time.since(first), size, size, 0);
            }
            Err(cause) => lines.refuse(cause)?,
        }
    }
    Ok(())
}

#[derive(Default)]
struct Collected(Vec<Packet>);

impl Collected {
    fn push(&mut self, time: Nanoseconds, wire: u32, payload: u32, flow: u32) {
        let latest = self.0.last().map_or(Nanoseconds(0), |packet| packet.time);
        self.0.push(Packet { time: time.max(latest), wire, payload, flow });
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
