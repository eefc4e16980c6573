//! The outgoing link that packets wait for, and how fast it is when nobody says.
//!
//! A link that sends its packets one after the other, never idle while one waits, holds the
//! same number of waiting bytes whatever the order in which it picks them. So one simple
//! walk over the arrivals gives the longest queue for any rate, and a search finds
//! the rate at which the queue gets as long as wanted.
//!
//! # The rate when nobody says
//!
//! A capture does not tell how fast the link was that its packets left by. A share of the
//! mean rate is a poor guess: a smooth capture then never queues, and a bursty one queues
//! by its longest pause. What matters to a heap is how much waits. So `auto` takes the
//! slowest link on which never more than `backlog` (2% by default) of all the capture's
//! bytes wait at once: every capture gets its own spikes, plateaus and ramps, on a scale
//! that follows from its length, about a thousand packets live in fifty thousand. A higher
//! `rate` thins the spikes, a lower one makes the ramp of an overloaded link.
//!
//! Cost of the search: 50 walks over the packets.

use std::ops::ControlFlow;

use heapsmith_trace::Nanoseconds;

use crate::error::LoadError;
use crate::input::{Input, Packet, each_packet, packets};
use crate::settings::Settings;
use crate::workload::Parameter;

/// The parameter for the link's rate.
pub(crate) const RATE: Parameter = Parameter {
    name: "rate",
    default: "auto",
    about: "rate of the outgoing link in bit/s, such as 64k or 10M; auto is the slowest rate at \
            which no more than the share `backlog` of the capture's bytes ever waits",
};

/// The parameter for how much may wait when the rate is `auto`.
pub(crate) const BACKLOG: Parameter = Parameter {
    name: "backlog",
    default: "2%",
    about: "with rate=auto: the share of all bytes of the capture that waits at most, in percent \
            (but at least ten of its largest frames)",
};

/// The parameter for how much of the input is taken.
pub(crate) const PACKETS: Parameter = Parameter {
    name: "packets",
    default: "all",
    about: "number of first packets of the input that are taken; all takes every one",
};

/// Even a tiny capture shall see a queue: this many of its largest frames may wait.
const MIN_WAITING: u64 = 10;

/// Puts a picosecond's resolution into whole numbers: at 10 Gbit/s a bit takes 100 of them.
const PICOSECONDS: u128 = 1_000_000_000_000;

/// What packets arrive at, and wait in for the link.
pub(crate) trait Node {
    /// A packet arrives; what was sent before is gone.
    fn arrive(&mut self, packet: &Packet);

    /// Whether no more packets are wanted.
    fn is_full(&self) -> bool;
}

/// Hands the packets of an input to the node that `make` gives for the link.
///
/// Where the settings give the link's rate, packets are handed on as they are read, and none is read once the
/// node is full. The rate `auto` is found from all packets first.
///
/// `on_wire` says how many bytes a packet is when it is sent.
pub(crate) fn forward<N: Node>(
    input: Input,
    settings: &mut Settings,
    on_wire: impl Fn(&Packet) -> u64,
    make: impl FnOnce(Link) -> N,
) -> Result<N, LoadError> {
    let keep_damaged = settings.keep_damaged()?;
    let share = settings.share(BACKLOG.name)?;
    let max = wanted(settings)?;
    if let Some(bits_per_second) = settings.rate(RATE.name)? {
        let (mut node, mut taken) = (make(Link { bits_per_second }), 0);
        each_packet(input, keep_damaged, &mut |packet| {
            node.arrive(&packet);
            taken += 1;
            if node.is_full() || taken == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        return Ok(node);
    }
    let mut packets = packets(input, keep_damaged)?;
    packets.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    let bits_per_second = slowest(&packets, &on_wire, share);
    settings.found(RATE.name, bits_per_second.to_string());
    let mut node = make(Link { bits_per_second });
    for packet in &packets {
        if node.is_full() {
            break;
        }
        node.arrive(packet);
    }
    Ok(node)
}

/// How many packets are taken at most, one at least.
pub(crate) fn wanted(settings: &Settings) -> Result<u64, LoadError> {
    match settings.text(PACKETS.name) {
        "all" => Ok(u64::MAX),
        _ => settings.number(PACKETS.name, 1, u64::MAX, "all or a number of packets from 1"),
    }
}

/// A link of a fixed rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    bits_per_second: u64,
}

impl Link {
    /// A link of a rate.
    #[cfg(test)]
    pub fn of_rate(bits_per_second: u64) -> Link {
        Link { bits_per_second }
    }

    /// One of `count` equal parts of it.
    pub fn part(self, count: u64) -> Link {
        Link { bits_per_second: (self.bits_per_second / count).max(1) }
    }

    /// How long it takes to send `bytes`, in picoseconds.
    fn sends(self, bytes: u64) -> u128 {
        u128::from(bytes) * 8 * PICOSECONDS / u128::from(self.bits_per_second)
    }
}

/// When a link gets done with what it sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    link: Link,
    /// In picoseconds, so that rounding does not add up over millions of packets.
    free_from: u128,
}

impl Clock {
    /// The clock of a link that has nothing to send yet.
    pub fn new(link: Link) -> Clock {
        Clock { link, free_from: 0 }
    }

    /// Begins to send `bytes` as soon as the link is free, but not before `ready`; gives
    /// the time at which they are sent.
    pub fn send(&mut self, ready: Nanoseconds, bytes: u64) -> Nanoseconds {
        let ready = u128::from(ready.0) * 1000;
        self.free_from = self.free_from.max(ready) + self.link.sends(bytes);
        Nanoseconds(u64::try_from(self.free_from / 1000).unwrap_or(u64::MAX))
    }
}

/// The slowest rate at which no more than `share` of all bytes wait at once.
fn slowest(packets: &[Packet], on_wire: impl Fn(&Packet) -> u64, share: f64) -> u64 {
    let total: u64 = packets.iter().map(&on_wire).sum();
    let largest = packets.iter().map(&on_wire).max().unwrap_or(0);
    let allowed = ((total as f64 * share) as u64).max(largest * MIN_WAITING);
    let (mut too_slow, mut fast_enough) = (0, 1 << 50);
    while fast_enough - too_slow > 1 {
        let middle = too_slow + (fast_enough - too_slow) / 2;
        let link = Link { bits_per_second: middle };
        if max_waiting(link, packets, &on_wire) > allowed {
            too_slow = middle;
        } else {
            fast_enough = middle;
        }
    }
    fast_enough
}

/// The most bytes that wait for a link at once, those being sent included.
fn max_waiting(link: Link, packets: &[Packet], on_wire: impl Fn(&Packet) -> u64) -> u64 {
    let mut max = 0;
    // Bits times 10^9, the unit in which a nanosecond sends a whole number of them.
    let (mut waiting, mut latest) = (0u128, Nanoseconds(0));
    for packet in packets {
        let sent = u128::from(packet.time.since(latest).0) * u128::from(link.bits_per_second);
        waiting = waiting.saturating_sub(sent) + u128::from(on_wire(packet)) * 8_000_000_000;
        latest = packet.time;
        max = max.max(waiting);
    }
    (max / 8_000_000_000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of 1000 bytes every millisecond: 8 Mbit/s.
    fn steady(count: u64) -> Vec<Packet> {
        let packet = |index| Packet { time: Nanoseconds(index * 1_000_000), wire: 1000, payload: 960, flow: 0 };
        (0..count).map(packet).collect()
    }

    #[test]
    fn a_slower_link_makes_a_longer_queue() {
        let waiting = |bits_per_second| max_waiting(Link { bits_per_second }, &steady(1000), |p| u64::from(p.wire));
        assert_eq!(waiting(8_000_000), 1000);
        assert_eq!(waiting(80_000_000), 1000);
        assert_eq!(waiting(4_000_000), 1000 * 1000 - 999 * 500);
    }

    #[test]
    fn the_automatic_rate_is_the_slowest_that_keeps_the_backlog() {
        let packets = steady(1000);
        let wire = |packet: &Packet| u64::from(packet.wire);
        let rate = slowest(&packets, wire, 0.02);
        let waiting = |bits_per_second| max_waiting(Link { bits_per_second }, &packets, wire);
        assert!(waiting(rate) <= 20_000 && waiting(rate - 1) > 20_000, "{rate}");
    }

    #[test]
    fn a_clock_waits_for_packets_and_for_the_link() {
        let mut clock = Clock::new(Link { bits_per_second: 8_000_000 });
        assert_eq!(clock.send(Nanoseconds(0), 1000), Nanoseconds(1_000_000));
        assert_eq!(clock.send(Nanoseconds(500_000), 1000), Nanoseconds(2_000_000));
        assert_eq!(clock.send(Nanoseconds(5_000_000), 1), Nanoseconds(5_001_000));
    }
}
