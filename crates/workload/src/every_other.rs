//! The contrived case that is worst for one free list: every other block free, and then a
//! request that none of them can serve.
//!
//! ```text
//!   +size × objects     - for the 1st, 3rd, 5th …     +larger
//!
//!   │free│used│free│used│ … │free│used│ wilderness │      the list is searched to its end
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | one of `objects` | `size` | in turn | every other one: the collection, the one with the highest address first |
//! | larger | `larger` | after the collection | the end |
//!
//! The paper gives neither the number of objects nor their size. `objects` of 12 bytes fill,
//! with a header of 4 bytes, 16 bytes each. The collection frees what was allocated last
//! first, so that an unordered list has the lowest address at its front as an ordered one
//! has. With the defaults no hole serves the larger request. An operation is done every
//! microsecond.
//!
//! Source: Donahue, Hampton, Deters, Nye, Cytron, Kavi, "Storage Allocation for Real-Time,
//! Embedded Systems", EMSOFT 2001, section 3.1 and Figure 8.

use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Tape};
use crate::workload::{NOTHING, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "every-other",
    about: "the worst case for a free list: every other block freed, then a larger request",
    source: "Donahue et al.: Storage Allocation for Real-Time, Embedded Systems, EMSOFT 2001, section 3.1",
    input: NOTHING,
    parameters: &[
        Parameter { name: "objects", default: "16384", about: "blocks that fill the heap before half are freed" },
        Parameter { name: "size", default: "12", about: "bytes of each of them" },
        Parameter { name: "larger", default: "100", about: "bytes of the request at the end" },
    ],
    formats: &[],
    run: Run::Alone(run),
};

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let objects = settings.number("objects", 2, 1 << 24, "a whole number from 2 to 16777216")?;
    let size = settings.number("size", 1, 1 << 40, "bytes from 1 to 2^40")?;
    let larger = settings.number("larger", size + 1, 1 << 41, "bytes from above `size` to 2^41")?;
    let mut program = Recorder::without_work(tape);
    let [object, last] = ["object", "larger object"].map(|name| program.site(name));
    let blocks: Vec<Block> = (0..objects).map(|_| program.allocate(object, size)).collect();
    program.mark("collection");
    let dead: Vec<Block> = blocks.into_iter().step_by(2).collect();
    dead.into_iter().rev().for_each(|block| program.free(block));
    program.mark("larger request");
    program.allocate(last, larger);
    Ok(program.end())
}
