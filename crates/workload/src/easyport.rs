//! A gateway that buffers every frame whole and forwards it first in, first out.
//!
//! ```text
//!   capture ─► frame ▒▒▒▒▒▒ ─► queue ─► link of a rate
//!                                └─(cells=on)─► ▒ ▒ ▒ ▒ cells ─► link of a rate
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | frame | its length on the wire, link header included | arrival | its last bit is sent |
//! | cell (only with `cells=on`) | `cell-bytes` | its frame's turn comes | its last bit is sent |
//!
//! With `cells=on` the link is an ATM link: when a frame's turn comes it is cut up as AAL5
//! does it (8 bytes of trailer, then padding to whole cells of 48 bytes), the frame's own
//! block is freed, and the cells go out one after the other, 53 bytes each on the link.
//! With `channels=N` the frames are dealt to N channels by their flows. Each has a queue of its
//! own and an equal part of the link's rate; all share the memory, so a block of one channel
//! dies between blocks of the others.
//!
//! Frames are buffered whatever they are, so any link type will do. What is left at the end
//! of the capture is sent, so the trace ends with nothing live.
//!
//! Source: Mamagkakis et al., "Reducing memory fragmentation in network applications with
//! dynamic memory allocators optimized for performance", Computer Communications 29 (2006),
//! section 6, on Infineon's Easyport (blocks of 66 and 1514 bytes); the paper names "packet
//! and ATM cell processing" without detail, so the segmentation follows ITU-T I.363.5.

use std::collections::VecDeque;

use heapsmith_trace::Nanoseconds;

use crate::error::LoadError;
use crate::input::{Format, Input, Packet};
use crate::link::{BACKLOG, Clock, Link, Node, PACKETS, RATE, forward};
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{KEEP_DAMAGED, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "easyport",
    about: "a gateway's buffer: frames stored whole and forwarded first in, first out",
    source: "Mamagkakis et al.: Reducing memory fragmentation in network applications with \
             dynamic memory allocators optimized for performance, Computer Communications 29 \
             (2006), section 6",
    input: "packet capture or list of frame times and sizes",
    parameters: &[
        RATE,
        BACKLOG,
        Parameter { name: "cells", default: "off", about: "on cuts every frame into ATM cells when its turn comes" },
        Parameter {
            name: "cell-bytes",
            default: "53",
            about: "with cells=on: bytes allocated for a cell (53 with its header, 48 without)",
        },
        Parameter {
            name: "channels",
            default: "1",
            about: "number of channels that flows are dealt to, each with a queue and a part of the rate",
        },
        PACKETS,
        KEEP_DAMAGED,
    ],
    formats: &[Format::Capture, Format::FrameList],
    run: Run::Input(run),
};

/// Bytes of an ATM cell on the link.
const CELL: u64 = 53;
/// Bytes of a frame that a cell carries.
const CELL_PAYLOAD: u64 = 48;
/// What AAL5 puts after a frame.
const TRAILER: u64 = 8;

fn run<'s>(input: Input, settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let cells = settings.switch("cells")?;
    let cell_bytes = settings.number("cell-bytes", 1, 1 << 16, "bytes from 1 to 65536")?;
    let on_wire = |packet: &Packet| {
        let wire = u64::from(packet.wire);
        if cells { cells_of(wire) * CELL } else { wire }
    };
    let channels = settings.number("channels", 1, 1 << 10, "a number of channels from 1 to 1024")?;
    let make = |link| Gateway::new(tape, link, channels, cells.then_some(cell_bytes));
    let mut gateway = forward(input, settings, on_wire, make)?;
    gateway.send_until(Nanoseconds(u64::MAX));
    Ok(gateway.tape)
}

/// How many cells a frame fills.
fn cells_of(frame: u64) -> u64 {
    (frame + TRAILER).div_ceil(CELL_PAYLOAD)
}

/// A frame in the queue.
struct Waiting {
    block: Block,
    wire: u64,
}

/// A block that is free once it is sent.
struct Sending {
    block: Block,
    done: Nanoseconds,
}

/// A queue and its part of the link.
struct Channel {
    clock: Clock,
    waiting: VecDeque<Waiting>,
    /// What is on its way out: a frame, or the cells of one.
    sending: VecDeque<Sending>,
}

struct Gateway<'s> {
    tape: Tape<'s>,
    frame_site: Site,
    cell_site: Site,
    /// How many bytes a cell's block has, when frames are cut up.
    cell_bytes: Option<u64>,
    channels: Vec<Channel>,
}

impl Node for Gateway<'_> {
    fn arrive(&mut self, packet: &Packet) {
        self.send_until(packet.time);
        self.enqueue(packet);
    }

    fn is_full(&self) -> bool {
        self.tape.is_full()
    }
}

impl<'s> Gateway<'s> {
    fn new(mut tape: Tape<'s>, link: Link, channels: u64, cell_bytes: Option<u64>) -> Gateway<'s> {
        let channel =
            |_| Channel { clock: Clock::new(link.part(channels)), waiting: VecDeque::new(), sending: VecDeque::new() };
        Gateway {
            frame_site: tape.site("frame"),
            cell_site: tape.site("cell"),
            tape,
            cell_bytes,
            channels: (0..channels).map(channel).collect(),
        }
    }

    fn enqueue(&mut self, packet: &Packet) {
        let wire = u64::from(packet.wire);
        let block = self.tape.allocate(packet.time, self.frame_site, wire);
        let number = packet.flow as usize % self.channels.len();
        self.channels[number].waiting.push_back(Waiting { block, wire });
        if self.channels[number].sending.is_empty() {
            self.start(number, packet.time);
        }
    }

    /// Finishes everything that is sent by `time`, in the order in which it is sent.
    fn send_until(&mut self, time: Nanoseconds) {
        while let Some(number) = self.first_done(time)
            && let Some(sent) = self.channels[number].sending.pop_front()
        {
            self.tape.free(sent.done, sent.block);
            if self.channels[number].sending.is_empty() {
                self.start(number, sent.done);
            }
        }
    }

    /// The channel that is done first with what it sends, if that is by `time`; the lowest number of equals.
    fn first_done(&self, time: Nanoseconds) -> Option<usize> {
        let fronts = self.channels.iter().enumerate();
        let fronts = fronts.filter_map(|(number, channel)| Some((channel.sending.front()?.done, number)));
        fronts.min().filter(|&(done, _)| done <= time).map(|(_, number)| number)
    }

    /// Begins to send the next frame of a channel, if one waits.
    fn start(&mut self, number: usize, time: Nanoseconds) {
        let Channel { clock, waiting, sending } = &mut self.channels[number];
        let Some(Waiting { block, wire }) = waiting.pop_front() else {
            return;
        };
        let Some(cell_bytes) = self.cell_bytes else {
            let done = clock.send(time, wire);
            sending.push_back(Sending { block, done });
            return;
        };
        for _ in 0..cells_of(wire) {
            let block = self.tape.allocate(time, self.cell_site, cell_bytes);
            let done = clock.send(time, CELL);
            sending.push_back(Sending { block, done });
        }
        self.tape.free(time, block);
    }
}

#[cfg(test)]
mod tests;
