//! A few requests of each of a few sizes, one size after the other.
//!
//! ```text
//!   +64 ×10   +256 ×10   +512 ×10   …   +4096 ×10   (free=yes: then all freed, the last first)
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | one of `count` for each size | each of `sizes` | in turn | the end; with `free=yes` after the last request, the last first |
//!
//! The paper asks a linear and a stack allocator for these and frees nothing; what a stack can
//! free is what was allocated last, which `free=yes` does. An operation is done every
//! microsecond.
//!
//! Source: Diamantstein, Stroud-Taylor, Trostanovsky, "malloc(): Through the Looking Glass",
//! section 2.4.1: ten requests of each of 64, 256, 512, 1024, 2048 and 4096 bytes.

use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::Tape;
use crate::workload::{NOTHING, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "sizes",
    about: "a few requests of each size in turn, which a linear or a stack allocator can serve",
    source: "Diamantstein, Stroud-Taylor, Trostanovsky: malloc(): Through the Looking Glass, section 2.4.1",
    input: NOTHING,
    parameters: &[
        Parameter { name: "sizes", default: "64,256,512,1024,2048,4096", about: "bytes of the requests, in turn" },
        Parameter { name: "count", default: "10", about: "requests of each size" },
        Parameter { name: "free", default: "no", about: "yes frees all blocks at the end, the last one first" },
    ],
    formats: &[],
    run: Run::Alone(run),
};

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let sizes = settings.numbers("sizes", 1, 1 << 40, "sizes from 1 to 2^40 with commas between")?;
    let count = settings.number("count", 1, 1 << 24, "a whole number from 1 to 16777216")?;
    let frees = settings.switch("free")?;
    let mut program = Recorder::without_work(tape);
    let mut blocks = Vec::new();
    for size in sizes {
        let site = program.site(&format!("{size} bytes"));
        blocks.extend((0..count).map(|_| program.allocate(site, size)));
    }
    while frees && let Some(block) = blocks.pop() {
        program.free(block);
    }
    Ok(program.end())
}
