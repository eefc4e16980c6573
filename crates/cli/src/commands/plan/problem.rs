//! What is to be placed, with the names and times of the input.

use heapsmith_emit::placed::PlacedBlock;
use heapsmith_import::{Buffer, buffers};
use heapsmith_limits::placement::{Lifetime, Lifetimes};
use heapsmith_trace::Packer;

use crate::args::Plan;
use crate::failure::Failure;
use crate::input;

/// What offsets of a trace are multiples of, if nothing else is said: what most processors need at most.
pub const ALIGNMENT: u64 = 8;

/// Blocks to be placed.
pub struct Problem {
    pub name: String,
    pub lifetimes: Lifetimes,
    /// Of each lifetime, if the input is a list of buffers.
    buffers: Option<Vec<Buffer>>,
    /// Millions of steps.
    pub effort: u64,
}

impl Problem {
    pub fn read(arguments: &Plan) -> Result<Problem, Failure> {
        let mut packer = Packer::default();
        let origin = input::send(&arguments.trace, &arguments.reading, &mut packer)?;
        let name = origin.name();
        let trace = packer.finish_as(name.clone()).checked()?;
        let (effort, align) = (arguments.effort, arguments.align.map(u64::from));
        let lifetimes = Lifetimes::of(&trace, align.unwrap_or(1));
        if let Some(listed) = listed(arguments, &lifetimes) {
            let lifetimes = with_times(&lifetimes, &listed);
            return Ok(Problem { name, lifetimes, buffers: Some(listed), effort });
        }
        let lifetimes = Lifetimes::of(&trace, align.unwrap_or(ALIGNMENT));
        if lifetimes.all().is_empty() {
            return Err(Failure::bad_input(format!("{name} has no block of a byte or more to place")));
        }
        Ok(Problem { name, lifetimes, buffers: None, effort })
    }

    pub fn blocks(&self) -> u64 {
        self.lifetimes.all().len() as u64
    }

    /// The blocks at these offsets. Those of a trace are numbered in the order of their requests, and their times are the
    /// moments between frees.
    pub fn placed(&self, offsets: &[u64]) -> Vec<PlacedBlock> {
        let block = |(number, (lifetime, &offset)): (usize, (&Lifetime, &u64))| {
            let (id, lower, upper) = match self.buffers.as_ref().map(|buffers| &buffers[number]) {
                Some(Buffer { id, lower, upper, .. }) => (id.clone(), *lower, *upper),
                None => (number.to_string(), lifetime.start.into(), lifetime.end.into()),
            };
            PlacedBlock { id, lower, upper, size: lifetime.size, alignment: lifetime.alignment, offset }
        };
        self.lifetimes.all().iter().zip(offsets).enumerate().map(block).collect()
    }
}

/// The buffers of a list, one for each lifetime and in their order: by the times at which they begin.
fn listed(arguments: &Plan, lifetimes: &Lifetimes) -> Option<Vec<Buffer>> {
    // A pipe can be read only once; what transforms have changed is no longer the list.
    let is_file = arguments.trace.is_file() && arguments.reading.transforms().settings().is_empty();
    let mut listed = is_file.then(|| buffers(&arguments.trace)).flatten()?;
    listed.retain(|buffer| buffer.size > 0);
    listed.sort_by_key(|buffer| buffer.lower);
    let sizes = lifetimes.all().iter().map(|lifetime| lifetime.size);
    sizes.eq(listed.iter().map(|buffer| buffer.size)).then_some(listed)
}

/// The lifetimes with the exact times that their buffers live: a packed trace rounds them.
fn with_times(lifetimes: &Lifetimes, buffers: &[Buffer]) -> Lifetimes {
    let with_time =
        |(lifetime, buffer): (&Lifetime, &Buffer)| Lifetime { span: buffer.upper - buffer.lower, ..*lifetime };
    Lifetimes::new(lifetimes.all().iter().zip(buffers).map(with_time).collect())
}
