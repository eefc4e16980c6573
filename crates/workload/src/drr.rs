//! Deficit round robin: a fair scheduler for the packets of many flows on one link.
//!
//! ```text
//!                      ┌ flow 3: ▒▒▒▒▒ ┐   active list: 3, 1, 7
//!   capture ─► by flow ┼ flow 1: ▒     ┼─► round robin with deficits ─► link of a rate
//!                      └ flow 7: ▒▒▒   ┘
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | packet | payload + `packet-bytes` | arrival, at the capture's time | its last bit is sent |
//! | queue | `queue-bytes` | first packet of an idle flow | the flow has no packet left |
//!
//! The scheduler visits the active flows in turn. A visit adds the quantum to the flow's
//! deficit, and serves the packet at the head of its queue as long as that is not larger
//! than the deficit, which it is taken from. A flow that runs empty is destroyed and loses
//! its deficit; one that still has packets goes to the end of the list. With `service=first`
//! the scheduler begins again at the flow that has been active longest after every packet, and
//! every visit adds the quantum, as Mamagkakis et al. word it: a quantum above the largest
//! packet then serves the flows in the order in which they became active. The deficit and the
//! link count bytes on the wire; the heap sees the payload with the application's own data
//! (so an acknowledgement is 16 bytes and a full segment of 1460 bytes is 1476). What is
//! left at the end of the capture is sent, so the trace ends with nothing live.
//!
//! Flows are identified by addresses, protocol and ports, and by link-layer addresses where a
//! frame has no IP. All fragments of a packet are of one flow, the one without ports.
//!
//! Source: M. Shreedhar and G. Varghese, "Efficient Fair Queueing Using Deficit Round
//! Robin", SIGCOMM 1995, section 3; as used by Mamagkakis et al., "Reducing memory
//! fragmentation in network applications with dynamic memory allocators optimized for
//! performance", Computer Communications 29 (2006), section 6, which gives the quantum, the
//! 16 bytes, and that queues are created and destroyed.

use std::collections::VecDeque;

use heapsmith_trace::Nanoseconds;

use crate::error::LoadError;
use crate::input::{Format, Input, Packet};
use crate::link::{BACKLOG, Clock, Node, PACKETS, RATE, forward};
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{KEEP_DAMAGED, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "drr",
    about: "deficit round robin: a queue for every active flow, a block for every packet in it",
    source: "M. Shreedhar, G. Varghese: Efficient Fair Queueing Using Deficit Round Robin, SIGCOMM \
             1995, section 3; Mamagkakis et al., Computer Communications 29 (2006), section 6",
    input: "packet capture",
    parameters: &[
        RATE,
        BACKLOG,
        Parameter { name: "quantum", default: "9000", about: "bytes that a flow may send more with every visit" },
        Parameter {
            name: "packet-bytes",
            default: "16",
            about: "bytes of the application's own data allocated with every packet's payload",
        },
        Parameter { name: "queue-bytes", default: "64", about: "bytes of the object that every active flow has" },
        Parameter {
            name: SERVICE,
            default: "turns",
            about: "turns serves a flow until its deficit is used up, then the next (Shreedhar and Varghese); \
                    first begins again at the first flow after every packet (Mamagkakis et al.)",
        },
        PACKETS,
        KEEP_DAMAGED,
    ],
    formats: &[Format::Capture],
    run: Run::Input(run),
};

const SERVICE: &str = "service";

/// Which flow is visited after a packet is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    /// The same as long as its deficit lasts, then the next.
    Turns,
    /// The first that is active.
    First,
}

impl Service {
    fn of(settings: &Settings) -> Result<Service, LoadError> {
        match settings.text(SERVICE) {
            "turns" => Ok(Service::Turns),
            "first" => Ok(Service::First),
            _ => Err(settings.bad(SERVICE, "turns or first")),
        }
    }
}

fn run<'s>(input: Input, settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let bytes = "a whole number of bytes up to 1048576";
    let quantum = settings.number("quantum", 16, 1 << 20, "bytes from 16 to 1048576")?;
    let packet_bytes = settings.number("packet-bytes", 0, 1 << 20, bytes)?;
    let queue_bytes = settings.number("queue-bytes", 0, 1 << 20, bytes)?;
    let service = Service::of(settings)?;
    let make = |link| Scheduler::new(tape, service, [quantum, packet_bytes, queue_bytes], Clock::new(link));
    let mut scheduler = forward(input, settings, |packet| u64::from(packet.wire), make)?;
    scheduler.send_until(Nanoseconds(u64::MAX));
    Ok(scheduler.tape)
}

/// A flow that has packets.
struct Queue {
    block: Block,
    packets: VecDeque<Waiting>,
    deficit: u64,
}

/// A packet in a queue.
struct Waiting {
    block: Block,
    wire: u32,
}

/// A packet on its way out. It stays at the head of its queue until it is gone.
struct Sending {
    flow: u32,
    done: Nanoseconds,
}

struct Scheduler<'s> {
    tape: Tape<'s>,
    packet_site: Site,
    queue_site: Site,
    service: Service,
    quantum: u64,
    packet_bytes: u64,
    queue_bytes: u64,
    clock: Clock,
    /// By the number of the flow; only active flows have a queue.
    queues: Vec<Option<Queue>>,
    /// The active flows in the order of their turns; the first has its turn now.
    active: VecDeque<u32>,
    /// Whether the first active flow has had its quantum in this turn.
    turn_begun: bool,
    sending: Option<Sending>,
}

impl Node for Scheduler<'_> {
    fn arrive(&mut self, packet: &Packet) {
        self.send_until(packet.time);
        self.enqueue(packet);
    }

    fn is_full(&self) -> bool {
        self.tape.is_full()
    }
}

impl<'s> Scheduler<'s> {
    fn new(
        mut tape: Tape<'s>,
        service: Service,
        [quantum, packet_bytes, queue_bytes]: [u64; 3],
        clock: Clock,
    ) -> Scheduler<'s> {
        Scheduler {
            packet_site: tape.site("packet"),
            queue_site: tape.site("queue"),
            tape,
            service,
            quantum,
            packet_bytes,
            queue_bytes,
            clock,
            queues: Vec::new(),
            active: VecDeque::new(),
            turn_begun: false,
            sending: None,
        }
    }

    fn enqueue(&mut self, packet: &Packet) {
        let size = u64::from(packet.payload) + self.packet_bytes;
        let block = self.tape.allocate(packet.time, self.packet_site, size);
        let index = packet.flow as usize;
        if index >= self.queues.len() {
            self.queues.resize_with(index + 1, || None);
        }
        let waiting = Waiting { block, wire: packet.wire };
        match &mut self.queues[index] {
            Some(queue) => queue.packets.push_back(waiting),
            idle => {
                let site = self.queue_site;
                *idle = Some(Queue {
                    block: self.tape.allocate(packet.time, site, self.queue_bytes),
                    packets: VecDeque::from([waiting]),
                    deficit: 0,
                });
                self.active.push_back(packet.flow);
            }
        }
        if self.sending.is_none() {
            self.start(packet.time);
        }
    }

    /// Finishes everything that is sent by `time`.
    fn send_until(&mut self, time: Nanoseconds) {
        while let Some(Sending { flow, done }) = self.sending.take_if(|sent| sent.done <= time) {
            self.finish(flow, done);
            self.start(done);
        }
    }

    /// A packet is gone; its flow too, if it was the last.
    fn finish(&mut self, flow: u32, time: Nanoseconds) {
        let slot = &mut self.queues[flow as usize];
        let Some(queue) = slot else { return };
        if let Some(packet) = queue.packets.pop_front() {
            self.tape.free(time, packet.block);
        }
        if queue.packets.is_empty()
            && let Some(queue) = slot.take()
        {
            self.tape.free(time, queue.block);
            self.active.retain(|&active| active != flow);
            self.turn_begun = false;
        }
    }

    /// Finds the next packet that may be sent, and begins to send it.
    fn start(&mut self, time: Nanoseconds) {
        match self.service {
            Service::Turns => self.start_in_turn(time),
            Service::First => self.start_from_first(time),
        }
    }

    /// Visits the flows from the first, as often as it takes, until one has the credits for its first packet.
    fn start_from_first(&mut self, time: Nanoseconds) {
        let mut place = 0;
        while !self.active.is_empty() {
            let flow = self.active[place % self.active.len()];
            place += 1;
            let Some(queue) = &mut self.queues[flow as usize] else { return };
            let Some(head) = queue.packets.front() else { return };
            let wire = u64::from(head.wire);
            queue.deficit += self.quantum;
            if wire <= queue.deficit {
                queue.deficit -= wire;
                let done = self.clock.send(time, wire);
                self.sending = Some(Sending { flow, done });
                return;
            }
        }
    }

    fn start_in_turn(&mut self, time: Nanoseconds) {
        while let Some(flow) = self.active.front().copied()
            && let Some(queue) = &mut self.queues[flow as usize]
            && let Some(head) = queue.packets.front()
        {
            if !self.turn_begun {
                queue.deficit += self.quantum;
                self.turn_begun = true;
            }
            let wire = u64::from(head.wire);
            if wire <= queue.deficit {
                queue.deficit -= wire;
                let done = self.clock.send(time, wire);
                self.sending = Some(Sending { flow, done });
                return;
            }
            self.active.rotate_left(1);
            self.turn_begun = false;
        }
    }
}

#[cfg(test)]
mod tests;
