//! A fixed set of block sizes, whose blocks keep their size.

use heapsmith_spec::build::{classes_in_words, step_in_words};
use heapsmith_spec::{Classes, Spec};

use super::demand::{Demand, SizeClasses};
use super::{Bounded, Found, Room, Unbounded, WorstCase, by_size};

impl Bounded for Classes {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        if demand.program.reallocates {
            return Err(Unbounded(
                "the last block of the region grows in place into a larger class, though blocks of that are free: again and again, \
                    they add up",
            ));
        }
        Ok(by_size::classes(demand))
    }

    fn worst_case(&self, demand: &Demand, room: Room) -> WorstCase {
        if !room.enough {
            return WorstCase::none("a full region is searched class by class");
        }
        if demand.beyond_classes() {
            return WorstCase::none("blocks beyond the classes are searched one by one");
        }
        WorstCase::of(12, 8, "constant")
    }

    fn counts_trapped(&self) -> bool {
        true
    }

    fn rounded(&self, demand: &Demand, words: usize) -> Option<usize> {
        demand.classes.rounded(words)
    }

    fn classes(&self, spec: &Spec) -> SizeClasses {
        SizeClasses { sizes: classes_in_words(spec, self), beyond: step_in_words(spec, self) }
    }
}
