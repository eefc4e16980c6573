//! Where a recording is: its time, and which task or interrupt runs on a core.

use heapsmith_trace::Nanoseconds;

use super::packet::{Packet, TRACE_START};

/// Interrupts within interrupts that are followed.
const NESTED: usize = 64;

/// What a core does: a task, an interrupt in it, another in that.
#[derive(Default)]
struct Core {
    task: Option<u32>,
    interrupts: Vec<u32>,
}

/// The state of a part: its time, and what its cores do.
#[derive(Default)]
pub struct Part {
    /// The number of its first core.
    first_core: usize,
    cores: [Core; 2],
    has_begun: bool,
    ticks: u64,
    /// Since the recording began.
    pub time: Nanoseconds,
    /// What the board counted as dropped, when it said so last.
    dropped: u32,
    /// Events that were lost.
    pub lost: u64,
}

impl Part {
    pub fn new(first_core: usize) -> Part {
        Part { first_core, ..Part::default() }
    }

    /// A number for whatever runs on a core of this part, which nothing else has.
    pub fn thread(&self, core: usize) -> u64 {
        let Core { task, interrupts } = &self.cores[core];
        match (interrupts.last(), *task) {
            (Some(&interrupt), _) => 1 << 32 | u64::from(interrupt),
            (None, Some(task)) => u64::from(task),
            (None, None) => 1 << 33 | (self.first_core + core) as u64,
        }
    }

    /// An event that may say what runs on a core from now on.
    pub fn follow(&mut self, core: usize, event: u32, number: Option<u32>) {
        let core = &mut self.cores[core];
        match (event, number) {
            (2, Some(interrupt)) if core.interrupts.len() < NESTED => core.interrupts.push(interrupt),
            (3 | 18, _) => drop(core.interrupts.pop()),
            (4, task) => *core = Core { task, ..Core::default() },
            (5 | 17, _) => core.task = None,
            (7, task) if core.task == task => core.task = None,
            _ => {}
        }
    }

    /// The clock went on; what it was when the recording began is not known.
    pub fn pass(&mut self, packet: &Packet, ticks_per_second: u32) {
        if !self.has_begun {
            self.has_begun = packet.event == TRACE_START;
            return;
        }
        self.ticks = self.ticks.saturating_add(u64::from(packet.ticks));
        if ticks_per_second > 0 {
            let time = u128::from(self.ticks) * 1_000_000_000 / u128::from(ticks_per_second);
            self.time.0 = self.time.0.max(u64::try_from(time).unwrap_or(u64::MAX));
        }
    }

    /// The buffer was full: the board counts what it drops from when it was started, without the one packet with which it begins to.
    pub fn dropped(&mut self, dropped: u32) {
        self.lost += u64::from(dropped.saturating_sub(self.dropped)) + 1;
        self.dropped = dropped;
    }
}
