//! How far a sweep is.

use heapsmith_replay::Measures;

use crate::front::{dominates, pareto};
use crate::objective::{Objective, Objectives};
use crate::space::{Design, Space};

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Designs done, counting those that are the same heap as one that was replayed; on slices, unique designs.
    pub designs: usize,
    /// Designs in all.
    pub total: usize,
    /// The round on slices of the traces, from 1; none if whole traces are replayed.
    pub round: Option<usize>,
    /// Places on the front over fragmentation and accesses so far.
    pub front: usize,
}

/// What is worked on now, of several things that take their time one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work<'a> {
    /// Its name: a design's number, a name of the catalogue, a peer.
    pub name: &'a str,
    /// How many are done; a thing that is done several times counts each time.
    pub done: usize,
    /// How many there are, as far as is known by now.
    pub total: usize,
}

/// Counts what is done and keeps the front so far.
pub(crate) struct Tracker {
    /// How many designs of the space each unique one represents.
    weights: Vec<usize>,
    done: usize,
    total: usize,
    round: Option<usize>,
    front: Vec<Objectives>,
}

impl Tracker {
    /// Of designs on whole traces, each with those that are the same heap.
    pub fn whole(space: &Space) -> Tracker {
        let mut weights = vec![0; space.designs.len()];
        space.designs.iter().for_each(|design| weights[design.same_as as usize] += 1);
        Tracker { weights, done: 0, total: 0, round: None, front: Vec::new() }
    }

    /// Of unique designs on slices, in a round from 0.
    pub fn sliced(space: &Space, round: usize) -> Tracker {
        let weights = vec![1; space.designs.len()];
        Tracker { weights, done: 0, total: 0, round: Some(round + 1), front: Vec::new() }
    }

    /// More designs are to be done.
    pub fn expect<'d>(&mut self, designs: impl IntoIterator<Item = &'d Design>) {
        self.total += designs.into_iter().map(|design| self.weights[design.number as usize]).sum::<usize>();
    }

    /// A design is done.
    pub fn done(&mut self, number: u32) {
        self.done += self.weights[number as usize];
    }

    /// A design is done, with these measures.
    pub fn measured(&mut self, number: u32, measures: &[Measures]) {
        const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
        self.done(number);
        let point = Objectives::of(measures);
        let known = |other: &Objectives| {
            dominates(other, &point, &OVER)
                || OVER.iter().all(|&objective| other.get(objective) == point.get(objective))
        };
        if point.failed == 0 && !self.front.iter().any(known) {
            self.front.push(point);
            let kept = pareto(&self.front, &OVER);
            self.front = kept.into_iter().map(|index| self.front[index]).collect();
        }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress { designs: self.done, total: self.total, round: self.round, front: self.front.len() }
    }
}
