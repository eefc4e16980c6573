//! What is measured: a heap by its spec, or a reference allocator by its name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use heapsmith::{Fixed, Heap, Meter};
use heapsmith_dispatch::with_timed_heap;
use heapsmith_peers::{Compiled, CompiledHeap, PREFIX, Peer, PeerError, Work, with_peer};
use heapsmith_spec::build::Job;
use heapsmith_spec::{Pool, Spec, SpecError, resolve};
use heapsmith_trace::Bytes;

use crate::error::ReplayError;
use crate::live::null_allocator;
use crate::region::Region;

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The null allocator: the cost of the loop itself.
    Nothing,
    /// A heap of heapsmith.
    Heap(Box<Spec>),
    /// The same as it ships: emitted as C and compiled.
    Compiled(Box<Spec>, Loaded),
    /// A reference allocator.
    Peer(Peer),
}

/// Why a text names nothing that can be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// It is no spec and no name of the catalogue.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// There is no such peer.
    #[error(transparent)]
    Peer(#[from] PeerError),
}

impl Subject {
    /// The heap's spec, if it is a heap of heapsmith.
    pub fn spec(&self) -> Option<&Spec> {
        match self {
            Subject::Heap(spec) | Subject::Compiled(spec, _) => Some(spec),
            _ => None,
        }
    }

    /// The peer, if it is one.
    pub fn peer(&self) -> Option<Peer> {
        match self {
            Subject::Peer(peer) => Some(*peer),
            _ => None,
        }
    }

    /// Whether one operation may look at all free blocks: such a peer is measured on few events.
    pub fn is_linear(&self) -> bool {
        self.peer().is_some_and(|peer| peer.entry().linear)
    }

    /// Whether it serves anew what was freed in any order.
    pub(crate) fn reuses(&self) -> bool {
        self.spec().is_none_or(|spec| !matches!(spec.pool, Pool::Stack(_) | Pool::Bump(_)))
    }

    /// Does `work` with it, in the memory of `region` if it has none of its own.
    pub(crate) fn run<W: Work>(&self, region: &mut Region, work: W) -> Result<W::Output, ReplayError> {
        let source = match self.spec() {
            Some(spec) => region.source_for(spec, Bytes(u64::MAX))?,
            None => region.source(Bytes(u64::MAX)),
        };
        match self {
            Subject::Nothing => Ok(work.run(null_allocator())),
            Subject::Heap(spec) => Ok(with_timed_heap(spec, source, OfHeap(work))?),
            Subject::Compiled(spec, loaded) => match loaded.in_region(&source) {
                Some(heap) => Ok(work.run(heap)),
                // The heap that is built in says why.
                None => Ok(with_timed_heap(spec, source, OfHeap(work))?),
            },
            Subject::Peer(peer) => Ok(with_peer(*peer, source, work)?),
        }
    }
}

/// A compiled heap that was loaded. Two are equal if they were loaded once.
#[derive(Debug, Clone)]
pub struct Loaded(Arc<CompiledHeap>);

impl Loaded {
    /// An empty heap in a region; none if it is too small.
    pub(crate) fn in_region<'a>(&'a self, region: &Fixed<'a>) -> Option<Compiled<'a>> {
        self.0.in_region(region)
    }
}

impl PartialEq for Loaded {
    fn eq(&self, other: &Loaded) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Loaded {}

impl From<CompiledHeap> for Loaded {
    fn from(heap: CompiledHeap) -> Loaded {
        Loaded(Arc::new(heap))
    }
}

/// Work for any allocator is a job for any heap.
struct OfHeap<W>(W);

impl<W: Work, M: Meter> Job<'_, M> for OfHeap<W> {
    type Output = W::Output;

    fn run<H: Heap<Meter = M>>(self, heap: H) -> W::Output {
        self.0.run(heap)
    }
}

impl From<Spec> for Subject {
    fn from(spec: Spec) -> Subject {
        Subject::Heap(Box::new(spec))
    }
}

impl FromStr for Subject {
    type Err = SubjectError;

    /// `peer:` and the name of a peer; a name of the catalogue; or a spec.
    fn from_str(text: &str) -> Result<Subject, SubjectError> {
        match text.trim().strip_prefix(PREFIX) {
            Some(name) => Ok(Subject::Peer(name.parse()?)),
            None => Ok(resolve(text)?.into()),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Nothing => f.write_str("nothing"),
            Subject::Heap(spec) | Subject::Compiled(spec, _) => spec.fmt(f),
            Subject::Peer(peer) => peer.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_printed_as_it_is_read() {
        for text in ["peer:rlsf", "list(order=fifo, fit=first, split=always, coalesce=immediate)"] {
            let subject: Subject = text.parse().expect("it is one");
            assert_eq!(subject.to_string(), text);
        }
        assert!(matches!("peer:nobody".parse::<Subject>(), Err(SubjectError::Peer(_))));
        assert!(matches!("nobody".parse::<Subject>(), Err(SubjectError::Spec(_))));
    }
}
