//! What ends a replay early: a heap that is wrong, or that cannot be made.

use heapsmith_peers::PeerError;
use heapsmith_spec::build::BuildError;
use heapsmith_trace::Bytes;

/// What a heap did wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A payload is not where the request wanted it.
    #[error("the payload at byte {offset} is not a multiple of {alignment}")]
    Misaligned {
        /// Bytes from the region's base.
        offset: usize,
        /// The alignment that was asked for.
        alignment: u64,
    },
    /// A payload lost a byte: two blocks overlap, or the heap wrote into it.
    #[error("the block of {size} bytes at byte {offset} lost its byte {byte}")]
    Damaged {
        /// Bytes from the region's base.
        offset: usize,
        /// Bytes requested.
        size: u64,
        /// The first byte of the payload that changed.
        byte: usize,
    },
    /// An invariant does not hold.
    #[error(transparent)]
    Broken(#[from] heapsmith::Violation),
}

/// Why a replay ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The heap could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no such peer.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// The heap is wrong: this is a bug of the allocator.
    #[error("event {event}: {fault} (heap: {heap})")]
    Fault {
        /// Number of the event, from 1.
        event: u64,
        /// What is wrong.
        fault: Fault,
        /// The heap.
        heap: String,
    },
    /// Reference allocators cannot be timed in a process of their own.
    #[error("reference allocators cannot be timed in a process of their own: {said}; --no-peers does without them")]
    PeerTimes {
        /// What the system said.
        said: String,
    },
    /// More repetitions than anybody waits for, or than there is memory to note.
    #[error("{wanted} {what} are too many: at most {max}")]
    TooMany {
        /// What is repeated.
        what: &'static str,
        /// How often it was asked for.
        wanted: usize,
        /// How often it can be.
        max: usize,
    },
    /// A size was asked for where the heap says it.
    #[error(
        "the regions of this heap have the sizes of its spec, {total} in all: change them there, and leave out the size of a region"
    )]
    OfRegions {
        /// Bytes of all its regions.
        total: Bytes,
    },
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
    /// The system has no such amount of address space.
    #[error("the system does not grant a region of {wanted}; replay a shorter trace, or allow overcommit")]
    NoMemory {
        /// What was asked for.
        wanted: Bytes,
    },
}
