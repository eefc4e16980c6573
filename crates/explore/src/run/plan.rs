//! What an exploration is asked for.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use heapsmith_peers::Peer;
use heapsmith_spec::Target;
use heapsmith_trace::PackedTrace;

use crate::holdout::HoldOut;
use crate::question::Question;
use crate::search::Strategy;
use crate::space::Space;

/// What is explored, and what for.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The folder of the results; it is made where it does not exist.
    pub dir: &'a Path,
    /// The traces.
    pub traces: &'a [PackedTrace],
    /// The name of the space, and its text.
    pub space: (&'a str, &'a str),
    /// Where the heaps will live.
    pub target: &'static Target,
    /// What is asked of the designs.
    pub question: Question,
    /// Which designs are replayed whole; none: all where that takes ten seconds or twenty, else halving.
    pub search: Option<Strategy>,
    /// After a search, replay every design too, and compare.
    pub compare_search: bool,
    /// Cut short what can reach no front.
    pub prune: bool,
    /// Threads to replay on.
    pub jobs: usize,
    /// What is timed at the end.
    pub timing: TimingPlan,
    /// What the choice is evaluated on.
    pub holdout: HoldOut,
    /// The command that is kept as the one that began it.
    pub command: &'a str,
    /// Where another exploration is at work in the folder, wait until it ends.
    pub wait: bool,
    /// Set it to stop: what is done is kept.
    pub stop: &'a AtomicBool,
}

impl<'a> Plan<'a> {
    /// Every design of the classic space, for the usual goal, on one thread; nothing is timed.
    pub fn new(dir: &'a Path, traces: &'a [PackedTrace], stop: &'a AtomicBool) -> Plan<'a> {
        Plan {
            dir,
            traces,
            space: (Space::STANDARD, Space::own_text(Space::STANDARD).unwrap_or_default()),
            target: Target::network_2006(),
            question: Question::default(),
            search: Some(Strategy::Exhaustive),
            compare_search: false,
            prune: false,
            jobs: 1,
            timing: TimingPlan::default(),
            holdout: HoldOut::default(),
            command: "",
            wait: false,
            stop,
        }
    }
}

/// What is timed at the end, and measured by pages.
#[derive(Debug, Clone, Default)]
pub struct TimingPlan {
    /// Rounds; 0 leaves times out, unless they are an objective.
    pub rounds: usize,
    /// The peers that are timed together with the front. Without any, nothing is measured by pages.
    pub peers: Vec<Peer>,
    /// The command that a child process is started from, to measure memory by pages.
    pub command: Option<PathBuf>,
    /// Whether instructions are counted on an emulated processor, where the target has one.
    pub instructions: bool,
}

impl TimingPlan {
    /// This many rounds of the front, with every peer of this build or none; nothing is measured by pages.
    pub fn rounds(rounds: usize, peers: bool) -> TimingPlan {
        let peers = if peers { Peer::built().collect() } else { Vec::new() };
        TimingPlan { rounds, peers, command: None, instructions: rounds > 0 }
    }
}
