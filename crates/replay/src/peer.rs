//! A peer on a trace: what can be counted of an allocator from outside.

use heapsmith_peers::{Allocator, Peer, Work, with_peer};
use heapsmith_trace::{Bytes, Operation, PackedEvent, PackedTrace};

use crate::error::{Fault, ReplayError};
use crate::region::Region;
use crate::run::ReplayOptions;
use crate::slots::Slots;

/// What a replay with a peer counts. Accesses, visits and a footprint of bytes only our heaps have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PeerMeasures {
    /// Operations: allocations, frees and reallocations.
    pub operations: u64,
    /// Requests that were refused.
    pub failed: u64,
}

/// Replays the first `max` events of `trace` with a peer; its region is that of `options`, if it needs one.
///
/// Payloads are verified if `options` say so. A peer has no invariants that could be checked.
pub fn replay_peer(
    peer: Peer,
    trace: &PackedTrace,
    region: &mut Region,
    options: ReplayOptions,
    max: usize,
) -> Result<PeerMeasures, ReplayError> {
    let source = region.source(options.region.unwrap_or(Bytes(u64::MAX)));
    let events = &trace.events[..trace.events.len().min(max)];
    let counted = with_peer(peer, source, Counted { events, slots: trace.slots, options })?;
    counted.map_err(|(event, fault)| ReplayError::Fault { event, fault, heap: peer.to_string() })
}

struct Counted<'t> {
    events: &'t [PackedEvent],
    slots: usize,
    options: ReplayOptions,
}

/// What the payload of a slot was filled with.
#[derive(Clone, Copy, Default)]
struct Filled {
    size: u64,
    seed: u64,
}

impl Work for Counted<'_> {
    type Output = Result<PeerMeasures, (u64, Fault)>;

    fn run<A: Allocator>(self, mut allocator: A) -> Self::Output {
        let mut slots = Slots::new(self.slots);
        let outcome = self.replay(&mut allocator, &mut slots);
        if A::OF_THE_PROCESS {
            slots.release(&mut allocator);
        }
        outcome
    }
}

impl Counted<'_> {
    fn replay<A: Allocator>(
        &self,
        allocator: &mut A,
        slots: &mut Slots<A::Receipt>,
    ) -> Result<PeerMeasures, (u64, Fault)> {
        let mut filled = vec![Filled::default(); if self.options.verify { self.slots } else { 0 }];
        let mut measures = PeerMeasures::default();
        for (event, number) in self.events.iter().zip(1..) {
            let old = filled.get(event.slot as usize).copied().unwrap_or_default();
            if self.options.verify && event.operation != Operation::Allocate {
                intact(slots, event.slot, old.size, old).map_err(|fault| (number, fault))?;
            }
            let served = slots.step(allocator, event);
            measures.operations += 1;
            measures.failed += u64::from(!served);
            if self.options.verify && served && event.operation != Operation::Free {
                aligned(slots, event).map_err(|fault| (number, fault))?;
                if event.operation == Operation::Reallocate {
                    intact(slots, event.slot, old.size.min(event.size), old).map_err(|fault| (number, fault))?;
                }
                let new = Filled { size: event.size, seed: number };
                slots.fill(event.slot, new.size, new.seed);
                filled[event.slot as usize] = new;
            }
            if self.options.stop_when_refused && !served {
                break;
            }
        }
        Ok(measures)
    }
}

fn intact<R: heapsmith_peers::Receipt>(slots: &Slots<R>, slot: u32, size: u64, old: Filled) -> Result<(), Fault> {
    slots.verify(slot, size, old.seed).map_err(|damage| Fault::Damaged {
        offset: slots.address(slot).unwrap_or(0),
        size: old.size,
        byte: damage.byte,
    })
}

fn aligned<R: heapsmith_peers::Receipt>(slots: &Slots<R>, event: &PackedEvent) -> Result<(), Fault> {
    let address = slots.address(event.slot).unwrap_or(0);
    if (address as u64).is_multiple_of(event.alignment()) {
        return Ok(());
    }
    Err(Fault::Misaligned { offset: address, alignment: event.alignment() })
}
