use heapsmith_trace::{Action, Origin, Trace};

use super::*;
use crate::link::Link;

/// What happens to frames of (time in µs, wire) on a link on which a byte takes 1 µs.
fn told(cell_bytes: Option<u64>, arrivals: &[(u64, u32)]) -> Vec<String> {
    let of_one_flow: Vec<(u64, u32, u32)> = arrivals.iter().map(|&(time, wire)| (time, wire, 0)).collect();
    told_on(1, cell_bytes, &of_one_flow)
}

fn told_on(channels: u64, cell_bytes: Option<u64>, arrivals: &[(u64, u32, u32)]) -> Vec<String> {
    let packets: Vec<Packet> = arrivals
        .iter()
        .map(|&(time, wire, flow)| Packet { time: Nanoseconds(time * 1000), wire, payload: wire, flow })
        .collect();
    let mut trace = Trace::new(Origin::new("easyport", ""));
    let mut gateway = Gateway::new(Tape::new(&mut trace), Link::of_rate(8_000_000), channels, cell_bytes);
    packets.iter().for_each(|packet| gateway.arrive(packet));
    gateway.send_until(Nanoseconds(u64::MAX));
    gateway.tape.end().unwrap();
    let tell = |event: &heapsmith_trace::Event| match event.action {
        Action::Allocate { id, size, .. } => format!("{} +{id}:{}", event.time.0 / 1000, size.0),
        Action::Free { id } => format!("{} -{id}", event.time.0 / 1000),
        other => format!("{other:?}"),
    };
    trace.events.iter().map(tell).collect()
}

#[test]
fn frames_leave_in_the_order_in_which_they_came() {
    assert_eq!(
        told(None, &[(0, 1514), (10, 66), (20, 66), (5000, 66)]),
        ["0 +1:1514", "10 +2:66", "20 +3:66", "1514 -1", "1580 -2", "1646 -3", "5000 +4:66", "5066 -4",]
    );
}

#[test]
fn channels_do_not_wait_for_each_other() {
    // On two channels a byte takes 2 µs; flow 2 shares the channel of flow 0.
    assert_eq!(
        told_on(2, None, &[(0, 1000, 0), (10, 100, 1), (20, 50, 2)]),
        ["0 +1:1000", "10 +2:100", "20 +3:50", "210 -2", "2000 -1", "2100 -3"]
    );
}

#[test]
fn frames_are_cut_into_cells_when_their_turn_comes() {
    // 66 bytes with the trailer are two cells, 40 bytes with it exactly one.
    assert_eq!(
        told(Some(53), &[(0, 66), (1, 40)]),
        ["0 +1:66", "0 +2:53", "0 +3:53", "0 -1", "1 +4:40", "53 -2", "106 -3", "106 +5:53", "106 -4", "159 -5",]
    );
    assert_eq!((cells_of(40), cells_of(41), cells_of(1514)), (1, 2, 32));
}
