use heapsmith_trace::{Action, Origin, PackedTrace, Trace};

use super::*;
use crate::link::Link;

/// Runs packets of (time, flow, wire) through a scheduler with a link of 8 Mbit/s, on which
/// a byte takes a microsecond, and gives the order in which packets were sent.
fn sent(quantum: u64, arrivals: &[(u64, u32, u32)]) -> (Vec<u64>, Trace) {
    sent_by(Service::Turns, quantum, arrivals)
}

fn sent_by(service: Service, quantum: u64, arrivals: &[(u64, u32, u32)]) -> (Vec<u64>, Trace) {
    let packets: Vec<Packet> = arrivals
        .iter()
        .map(|&(time, flow, wire)| Packet { time: Nanoseconds(time * 1000), wire, payload: wire - 40, flow })
        .collect();
    let mut trace = Trace::new(Origin::new("drr", ""));
    let clock = Clock::new(Link::of_rate(8_000_000));
    let mut scheduler = Scheduler::new(Tape::new(&mut trace), service, [quantum, 16, 64], clock);
    packets.iter().for_each(|packet| scheduler.arrive(packet));
    scheduler.send_until(Nanoseconds(u64::MAX));
    scheduler.tape.end().unwrap();
    let mut order = Vec::new();
    let mut packet_ids = Vec::new();
    for event in &trace.events {
        match event.action {
            Action::Allocate { id, .. } if event.site == Some(0) => packet_ids.push(id),
            Action::Free { id } => order.extend(packet_ids.iter().position(|&known| known == id)),
            _ => {}
        }
    }
    (order.into_iter().map(|index| index as u64).collect(), trace)
}

#[test]
fn flows_take_turns_of_a_quantum() {
    // Flow 0 has three packets waiting when flow 1 comes; a quantum is one packet.
    let arrivals = [(0, 0, 1000), (0, 0, 1000), (0, 0, 1000), (1, 1, 1000), (1, 1, 1000)];
    assert_eq!(sent(1000, &arrivals).0, [0, 3, 1, 4, 2]);
    // Two packets fit in a quantum of two.
    assert_eq!(sent(2000, &arrivals).0, [0, 1, 3, 4, 2]);
}

#[test]
fn with_the_first_flow_first_the_others_wait_while_it_has_credits() {
    let arrivals = [(0, 0, 1000), (0, 0, 1000), (0, 0, 1000), (1, 1, 1000), (1, 1, 1000)];
    assert_eq!(sent_by(Service::First, 1000, &arrivals).0, [0, 1, 2, 3, 4]);
    // At half a packet, a visit of flow 0 is not enough, and flow 1 with small packets goes between.
    let arrivals = [(0, 2, 100), (0, 0, 1000), (0, 0, 1000), (1, 1, 400), (1, 1, 400)];
    assert_eq!(sent_by(Service::First, 500, &arrivals).0, [0, 3, 1, 4, 2]);
}

#[test]
fn a_deficit_is_saved_for_the_next_turn() {
    // Flow 0 sends packets of 1500 bytes, flow 1 packets of 500, at a quantum of 1000: flow
    // 0 has to save in its first turn. Its last packet needs two turns when it is alone.
    let mut arrivals = vec![(0, 2, 100)];
    arrivals.extend([(0, 0, 1500), (0, 0, 1500), (0, 0, 1500)]);
    arrivals.extend([(0, 1, 500); 6]);
    assert_eq!(sent(1000, &arrivals).0, [0, 4, 5, 1, 6, 7, 2, 8, 9, 3]);
}

#[test]
fn a_quantum_below_the_packet_takes_several_turns() {
    assert_eq!(sent(100, &[(0, 2, 100), (0, 0, 1000), (0, 1, 150)]).0, [0, 2, 1]);
}

#[test]
fn queues_live_as_long_as_their_flows_have_packets() {
    let (_, trace) = sent(9000, &[(0, 0, 1500), (10, 0, 40), (5000, 0, 40), (5000, 1, 100)]);
    let told: Vec<String> = trace
        .events
        .iter()
        .map(|event| match event.action {
            Action::Allocate { id, size, .. } => format!("{} +{id}:{}", event.time.0 / 1000, size.0),
            Action::Free { id } => format!("{} -{id}", event.time.0 / 1000),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "0 +1:1476",
            "0 +2:64",
            "10 +3:16",
            "1500 -1",
            "1540 -3",
            "1540 -2",
            "5000 +4:16",
            "5000 +5:64",
            "5000 +6:76",
            "5000 +7:64",
            "5040 -4",
            "5040 -5",
            "5140 -6",
            "5140 -7",
        ]
    );
    let packed = PackedTrace::new(&trace).unwrap();
    assert_eq!(packed.allocations, packed.frees);
}
