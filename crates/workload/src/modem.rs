//! A concentrator of dial-up modems: instances of modem software share a heap.
//!
//! ```text
//!   idle ─ call ─► answer ─► training ─► modulation ─► framing ─► correction ─► compression
//!    ▲                          ▲            │                                      │
//!    │                          └─ retrain ──┘                  frames come and go ◄┘
//!    └──────────────────────────────── hang up ─────────────────────────────────────┘
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | scheduler, routes, ports | 3 blocks | start | end |
//! | of a unit | by the unit (`units.rs`) | the unit is established | it is swapped for another, or the call ends |
//! | frame | 32 to 256, in words | the user sends it | the router has it |
//!
//! Frames are an addition of this project: the paper models only what units ask for. With `frames=off` no frame is
//! allocated, and the buffers that they would lie in belong to the unit that frames bytes, like the rest of it.
//!
//! A unit that takes the place of another is a **swap**: the old one's blocks are freed and the
//! new one's allocated, between the marks `swap` and `swapped`. On its line an instance goes
//! from control to answering, to training, to a modulation, and at the end back; a line that
//! gets worse is trained again. Sessions are drawn from all that the rules (`rules.rs`) allow,
//! weighted to what callers had: fast modulations with correction and compression most of all.
//!
//! Calls come after an exponential pause, transfer an exponential number of frames, and hang
//! up. Durations and shares are not the paper's, which speaks of a run in the long term without
//! them. They, and the needs of the units, are calibrated to the paper's peak, once with frames and once without.
//!
//! Source: Peintner, Bukhatwa, Patel, "Analysing Dynamic Memory Allocation in Embedded Systems
//! for Multi-Channel Modems", sections 2 and 5, Table 1.

mod rules;
mod units;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use heapsmith_trace::{Draws, Nanoseconds};

use self::rules::Session;
use self::units::{Kind, Unit};
use crate::error::LoadError;
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{NOTHING, Parameter, Run, SEED, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "modem",
    about: "a concentrator of modems whose protocol units come and go with calls",
    source: "Peintner, Bukhatwa, Patel: Analysing Dynamic Memory Allocation in Embedded Systems for Multi-Channel \
             Modems, sections 2 and 5",
    input: NOTHING,
    parameters: &[
        Parameter { name: "instances", default: "5", about: "instances of the modem software; the paper's are five" },
        Parameter { name: "calls", default: "400", about: "calls that are taken in all" },
        Parameter {
            name: "frames",
            default: "40",
            about: "frames that a call transfers on average; off: the paper's units alone, which hold their buffers",
        },
        Parameter {
            name: "protocols",
            default: "all",
            about: "what calls agree on: all that the rules allow, or one, the most frequent session alone",
        },
        SEED,
    ],
    formats: &[],
    run: Run::Alone(run),
};

/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;
/// Pause before the next call, on average.
const PAUSE: f64 = 4000.0 * MS;
/// Between two steps of a call's establishment.
const STEP: f64 = 800.0 * MS;
/// Between two frames.
const BETWEEN_FRAMES: f64 = 250.0 * MS;
/// How often a line must be trained again between two frames.
const RETRAIN: f64 = 0.01;
/// Frames that wait for the router, at most.
const QUEUE: usize = 2;
/// How long a call lasts without frames: as long as this many take on average.
const DURATION: f64 = 40.0;

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let instances = settings.number("instances", 1, 256, "a whole number from 1 to 256")?;
    let calls = settings.number("calls", 1, 1 << 20, "a whole number from 1 to 1048576")?;
    let frames = match settings.text("frames") {
        "off" => None,
        _ => Some(settings.number("frames", 1, 100_000, "off, or a whole number from 1 to 100000")? as f64),
    };
    let sessions = match settings.text("protocols") {
        "all" => Session::all(),
        "one" => Session::all().into_iter().max_by_key(|&session| weight(session)).into_iter().collect(),
        _ => return Err(settings.bad("protocols", "all or one")),
    };
    let draws = Draws::new(settings.seed()?);
    let mut concentrator = Concentrator::new(tape, draws, sessions, instances as usize, calls, frames);
    while !concentrator.tape.is_full()
        && let Some(Reverse((time, index))) = concentrator.due.pop()
    {
        concentrator.advance(Nanoseconds(time), index);
    }
    Ok(concentrator.end())
}

/// What an instance does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModemStep {
    /// Waits for a call, if any is left.
    Call,
    /// Establishes a unit.
    Establish(Unit),
    /// Transfers a frame.
    Frame,
    /// Ends the call.
    HangUp,
}

/// A modem.
#[derive(Default)]
struct Instance {
    /// The blocks of each unit that it has.
    units: BTreeMap<Kind, Vec<Block>>,
    /// Frames on their way to the router.
    queue: Vec<Block>,
    session: Option<Session>,
    /// Steps to come, the next one last.
    steps: Vec<ModemStep>,
}

struct Concentrator<'s> {
    tape: Tape<'s>,
    unit_site: Site,
    frame_site: Site,
    shared: Vec<Block>,
    draws: Draws,
    sessions: Vec<(u64, Session)>,
    instances: Vec<Instance>,
    calls: u64,
    /// Frames of a call on average; none where units are all that is allocated.
    frames: Option<f64>,
    /// The next step of each instance by its time.
    due: BinaryHeap<Reverse<(u64, usize)>>,
    now: Nanoseconds,
}

impl<'s> Concentrator<'s> {
    fn new(
        mut tape: Tape<'s>,
        draws: Draws,
        sessions: Vec<Session>,
        instances: usize,
        calls: u64,
        frames: Option<f64>,
    ) -> Concentrator<'s> {
        let [shared_site, unit_site, frame_site] = ["shared", "unit", "frame"].map(|name| tape.site(name));
        let now = Nanoseconds(0);
        // Scheduler, routes, ports.
        let shared = [96, 160, 20 * instances as u64].map(|size| tape.allocate(now, shared_site, size));
        let sessions = sessions.into_iter().map(|session| (weight(session), session)).collect();
        let mut concentrator = Concentrator {
            tape,
            unit_site,
            frame_site,
            shared: shared.into(),
            draws,
            sessions,
            instances: (0..instances).map(|_| Instance::default()).collect(),
            calls,
            frames,
            due: BinaryHeap::new(),
            now,
        };
        for index in 0..instances {
            concentrator.establish(index, Unit::Control);
            concentrator.wait(index, PAUSE);
            concentrator.instances[index].steps.push(ModemStep::Call);
        }
        concentrator
    }

    /// Does the next step of an instance.
    fn advance(&mut self, now: Nanoseconds, index: usize) {
        self.now = now;
        match self.instances[index].steps.pop() {
            Some(ModemStep::Call) if self.calls > 0 => {
                self.calls -= 1;
                self.call(index);
                self.wait(index, STEP);
            }
            Some(ModemStep::Establish(unit)) => {
                self.establish(index, unit);
                self.wait(index, STEP);
            }
            Some(ModemStep::Frame) => {
                self.transfer(index);
                self.wait(index, BETWEEN_FRAMES);
            }
            Some(ModemStep::HangUp) => {
                self.hang_up(index);
                self.wait(index, PAUSE);
            }
            Some(ModemStep::Call) | None => {}
        }
    }

    /// Lets an instance do its next step after a while.
    fn wait(&mut self, index: usize, mean: f64) {
        let time = self.now.0 + (mean * self.draws.exponential()) as u64;
        self.due.push(Reverse((time, index)));
    }

    /// Takes a call: its protocols and how much it transfers.
    fn call(&mut self, index: usize) {
        let session = self.session();
        let names: Vec<&str> = session.units().map(Unit::name).collect();
        self.tape.mark(self.now, &format!("call with {}", names.join(", ")));
        let frames = (self.frames.unwrap_or(DURATION) * self.draws.exponential()).ceil() as usize;
        let mut steps = vec![ModemStep::Call, ModemStep::HangUp];
        steps.extend(std::iter::repeat_n(ModemStep::Frame, frames));
        let units: Vec<Unit> = session.units().collect();
        steps.extend(units.into_iter().rev().map(ModemStep::Establish));
        steps.extend(learnt(session).then_some(ModemStep::Establish(Unit::Training)));
        steps.push(ModemStep::Establish(Unit::Answer));
        self.instances[index].steps = steps;
        self.instances[index].session = Some(session);
    }

    fn session(&mut self) -> Session {
        let all: u64 = self.sessions.iter().map(|(weight, _)| weight).sum();
        let mut place = self.draws.below(all);
        let chosen = self.sessions.iter().position(|&(weight, _)| {
            let here = place < weight;
            place = place.saturating_sub(weight);
            here
        });
        self.sessions[chosen.unwrap_or(0)].1
    }

    /// Gives a unit its blocks, in the place of the one that stood there.
    fn establish(&mut self, index: usize, unit: Unit) {
        let old = self.instances[index].units.remove(&unit.kind());
        let swaps = old.is_some();
        if swaps {
            self.tape.mark(self.now, "swap");
        }
        self.free(old.unwrap_or_default());
        let buffers = if self.frames.is_none() { unit.buffers() } else { &[] };
        let needs = unit.needs().iter().chain(buffers);
        let blocks = needs.map(|&size| self.tape.allocate(self.now, self.unit_site, size)).collect();
        self.instances[index].units.insert(unit.kind(), blocks);
        if swaps {
            self.tape.mark(self.now, "swapped");
        }
    }

    fn free(&mut self, blocks: Vec<Block>) {
        blocks.into_iter().for_each(|block| self.tape.free(self.now, block));
    }

    /// Takes a frame from the user, and hands the oldest to the router where enough wait.
    fn transfer(&mut self, index: usize) {
        if self.draws.happens(RETRAIN) {
            self.retrain(index);
            return;
        }
        if self.frames.is_none() {
            return;
        }
        let size = 4 * self.draws.between(8, 64);
        let frame = self.tape.allocate(self.now, self.frame_site, size);
        self.instances[index].queue.push(frame);
        if self.instances[index].queue.len() > QUEUE {
            let oldest = self.instances[index].queue.remove(0);
            self.tape.free(self.now, oldest);
        }
    }

    /// Puts training before what is left of the call.
    fn retrain(&mut self, index: usize) {
        let instance = &mut self.instances[index];
        if let Some(session) = instance.session.filter(|&session| learnt(session)) {
            instance.steps.extend([ModemStep::Establish(session.modulation), ModemStep::Establish(Unit::Training)]);
        }
    }

    /// Frees all that the call had, and waits for the next.
    fn hang_up(&mut self, index: usize) {
        let instance = &mut self.instances[index];
        instance.session = None;
        let queue = std::mem::take(&mut instance.queue);
        let above = [Kind::Compression, Kind::Correction, Kind::Framing];
        let units: Vec<Block> = above.into_iter().filter_map(|kind| instance.units.remove(&kind)).flatten().collect();
        self.free(queue);
        self.free(units);
        self.establish(index, Unit::Control);
    }

    /// Switches off.
    fn end(mut self) -> Tape<'s> {
        let instances = std::mem::take(&mut self.instances);
        for instance in instances {
            self.free(instance.queue);
            instance.units.into_values().for_each(|blocks| self.free(blocks));
        }
        let shared = std::mem::take(&mut self.shared);
        self.free(shared);
        self.tape
    }
}

/// Whether the line of a session is trained: a digital one needs no training.
fn learnt(session: Session) -> bool {
    session.modulation != Unit::V110
}

/// How often a session is asked for, next to the others.
fn weight(session: Session) -> u64 {
    let modulation = match session.modulation {
        Unit::V90 => 8,
        Unit::V34 => 4,
        Unit::V110 => 3,
        _ => 1,
    };
    let correction = match session.correction {
        Some(Unit::Lapm) => 4,
        Some(_) => 2,
        None => 1,
    };
    let compression = if session.compression.is_some() { 3 } else { 1 };
    let framing = if session.framing == Unit::Hdlc { 3 } else { 1 };
    modulation * correction * compression * framing
}

#[cfg(test)]
mod tests;
