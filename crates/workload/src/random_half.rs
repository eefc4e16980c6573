//! Requests of random sizes, half of which are freed at random afterwards.
//!
//! ```text
//!   + + + + + + + + + +   - - - - -
//!   `requests` of them    half of them, in a random order
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | one of `requests` | `min` to `max`, each as likely | in turn | half of them, rounded down: after the last request, in a random order |
//!
//! The other half is live at the end. Where the paper says that half of the addresses are
//! freed at random, this is taken as exactly half, drawn without putting back; its program
//! might as well have tossed a coin for each. A request or free is done every microsecond.
//!
//! Source: Diamantstein, Stroud-Taylor, Trostanovsky, "malloc(): Through the Looking Glass",
//! section 2.4.2: 10 to 10,000 requests of 1 to 1024 bytes.

use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Tape};
use crate::workload::{NOTHING, Parameter, Run, SEED, Workload};
use heapsmith_trace::Draws;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "random-half",
    about: "requests of random sizes, then half of the blocks freed in a random order",
    source: "Diamantstein, Stroud-Taylor, Trostanovsky: malloc(): Through the Looking Glass, section 2.4.2",
    input: NOTHING,
    parameters: &[
        Parameter { name: "requests", default: "10000", about: "number of allocations; the paper's are 10 to 10000" },
        Parameter { name: "min", default: "1", about: "bytes of the smallest request" },
        Parameter { name: "max", default: "1024", about: "bytes of the largest request" },
        SEED,
    ],
    formats: &[],
    run: Run::Alone(run),
};

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let requests = settings.number("requests", 1, 1 << 24, "a whole number from 1 to 16777216")?;
    let min = settings.number("min", 1, 1 << 40, "bytes from 1 to 2^40")?;
    let max = settings.number("max", min, 1 << 40, "bytes from `min` to 2^40")?;
    let mut draws = Draws::new(settings.seed()?);
    let mut program = Recorder::without_work(tape);
    let site = program.site("request");
    let request = |_| program.allocate(site, draws.between(min, max));
    let mut blocks: Vec<Block> = (0..requests).map(request).collect();
    draws.shuffle(&mut blocks);
    blocks.truncate(requests as usize / 2);
    program.mark("half is freed");
    blocks.into_iter().for_each(|block| program.free(block));
    Ok(program.end())
}
