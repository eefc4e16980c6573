//! Changed copies of a trace, with its threads and its times: what its program could have asked for as well.

use heapsmith_trace::{Jitter, Perturbation, Share, Sink, Stretch, Trace, TraceError, Transforms};

const UNCHANGED: Perturbation = Perturbation { jitter: None, stretch: None, shuffle: None };

/// What is changed: sizes, as where every structure has one more field, where structures change each by itself, and where texts and
/// buffers have other lengths; and when blocks are freed.
pub(super) const COPIES: [Perturbation; 4] = [
    Perturbation { jitter: Some(Jitter::Bytes(8)), ..UNCHANGED },
    Perturbation { jitter: Some(Jitter::Sizes(Share::percent(10))), ..UNCHANGED },
    Perturbation { jitter: Some(Jitter::Requests(Share::percent(10))), ..UNCHANGED },
    Perturbation { stretch: Some(Stretch(Share::percent(20))), ..UNCHANGED },
];

/// A changed copy.
pub(super) fn changed(trace: &Trace, perturbation: Perturbation) -> Result<Trace, TraceError> {
    let transforms = Transforms { perturbation, seed: 1, ..Transforms::default() };
    let mut changed = Trace::default();
    let mut sink = transforms.before(&mut changed);
    trace.events.iter().try_for_each(|event| sink.take(*event))?;
    sink.end()?;
    drop(sink);
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Nanoseconds};

    use super::*;

    #[test]
    fn a_copy_has_the_threads_and_as_many_events_in_the_same_time() {
        let mut trace = Trace::default();
        let event =
            |time: u64, action| Event { time: Nanoseconds(time), thread: (time % 2) as u32, site: None, action };
        for id in 0..100 {
            trace.events.push(event(id, Action::Allocate { id, size: Bytes(100 + id), alignment: 0 }));
        }
        for id in 0..100 {
            trace.events.push(event(100 + id, Action::Free { id }));
        }
        let seen = |trace: &Trace| {
            let threads = trace.events.iter().map(|event| event.thread).collect::<std::collections::BTreeSet<_>>();
            (trace.events.len(), threads, trace.events.iter().map(|event| event.time.0).max())
        };
        for copy in COPIES {
            let changed = changed(&trace, copy).expect("it is valid");
            assert_ne!(changed.events, trace.events, "{copy:?}");
            assert_eq!(seen(&changed), seen(&trace), "{copy:?}");
        }
    }
}
