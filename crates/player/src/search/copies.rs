//! Changed copies of a trace, with its threads and its times: what its program could have asked for as well.

use heapsmith_trace::{Jitter, Perturbation, Share, Sink, Stretch, Trace, TraceError, Transforms};

/// What is changed: sizes, as where every structure has one more field, where structures change each by itself, and where texts and
/// buffers have other lengths; and when blocks are freed.
pub(super) const COPIES: [Copy; 4] = [
    Copy::Sizes(Jitter::Bytes(8)),
    Copy::Sizes(Jitter::Sizes(TENTH)),
    Copy::Sizes(Jitter::Requests(TENTH)),
    Copy::Lifetimes(Stretch(FIFTH)),
];

const TENTH: Share = Share::percent(10);
const FIFTH: Share = Share::percent(20);

/// A change.
#[derive(Debug, Clone, Copy)]
pub(super) enum Copy {
    Sizes(Jitter),
    Lifetimes(Stretch),
}

/// A changed copy.
pub(super) fn changed(trace: &Trace, copy: Copy) -> Result<Trace, TraceError> {
    let (jitter, stretch) = match copy {
        Copy::Sizes(jitter) => (Some(jitter), None),
        Copy::Lifetimes(stretch) => (None, Some(stretch)),
    };
    let perturbation = Perturbation { jitter, stretch, shuffle: None };
    let transforms = Transforms { perturbation, seed: 1, ..Transforms::default() };
    let mut changed = Trace::default();
    let mut sink = transforms.before(&mut changed);
    trace.events.iter().try_for_each(|event| sink.take(*event))?;
    sink.end()?;
    drop(sink);
    Ok(changed)
}
