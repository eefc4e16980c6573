//! The one place where a peer's name becomes an allocator of a known type.

use heapsmith::Fixed;

use crate::allocator::Allocator;
use crate::buddy_system::BuddySystem;
use crate::c;
use crate::catalogue::{Peer, PeerError};
use crate::dlmalloc::Dlmalloc;
use crate::linked_list::LinkedList;
use crate::rlsf::Rlsf;
use crate::talc::Talc;

/// Something to do with an allocator of whatever type: compiled once for each.
pub trait Work {
    /// Its result.
    type Output;
    /// Does it.
    fn run<A: Allocator>(self, allocator: A) -> Self::Output;
}

/// Hands `peer` to `work`: with the memory of `region`, or with its own where it asks the system itself.
pub fn with_peer<W: Work>(peer: Peer, region: Fixed<'_>, work: W) -> Result<W::Output, PeerError> {
    Ok(match peer {
        Peer::Libc => work.run(c::Libc),
        Peer::Mimalloc => work.run(c::Mimalloc),
        #[cfg(feature = "jemalloc")]
        Peer::Jemalloc => work.run(c::Jemalloc),
        #[cfg(feature = "snmalloc")]
        Peer::Snmalloc => work.run(crate::snmalloc::Snmalloc),
        Peer::Dlmalloc => work.run(Dlmalloc::new(region)),
        Peer::Rlsf => work.run(Rlsf::new(region)),
        Peer::Talc => work.run(Talc::new(region)),
        Peer::LinkedList => work.run(LinkedList::new(region)),
        Peer::BuddySystem => work.run(BuddySystem::new(region)),
        #[cfg(not(all(feature = "jemalloc", feature = "snmalloc")))]
        absent => return Err(PeerError::absent(absent)),
    })
}
