//! Verifies the invariants I1 to I4 and I9, and asks the index for its own.

use crate::block::{PREVIOUS_USED, is_used, words_of};
use crate::heap::Violation;
use crate::index::{Index, broken, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::policy::{Coalesce, Policy};
use crate::pool::BlockPool;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// The first broken invariant; its place is in words.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let top = self.top();
        if top < self.first || top > self.memory.length() / W::BYTES {
            return Err(broken("I9: the wilderness begins outside the region", control::TOP));
        }
        if top > self.memory.peek(control::HIGH) {
            return Err(broken("I9: the high-water mark lies below the wilderness", control::HIGH));
        }
        let mut free = 0;
        let mut before_used = true;
        let mut at = self.first;
        while at < top {
            let head = self.memory.peek(at - 1);
            self.verify_block(at, head, before_used)?;
            before_used = is_used(head);
            free += usize::from(!before_used);
            at += self.size_of(head);
        }
        if at != top {
            return Err(broken("I1: the last block reaches into the wilderness", at));
        }
        let end = self.memory.peek(top - 1);
        if words_of(end) != 0 || !is_used(end) {
            return Err(broken("I1: the wilderness has no header of size 0", top));
        }
        self.verify_neighbour(top, end, before_used, true)?;
        self.index.check(&self.memory, &self.policy, free)
    }

    fn verify_block(&self, at: usize, head: usize, before_used: bool) -> Result<(), Violation> {
        let format = Self::format(&self.policy);
        let words = self.size_of(head);
        if words < format.min || !words.is_multiple_of(format.granule) {
            return Err(broken("I1: a block is smaller than the smallest, or no multiple of the granule", at));
        }
        if at + words > self.top() {
            return Err(broken("I1: a block reaches into the wilderness", at));
        }
        if TAGS && !is_used(head) && self.memory.peek(at + words - 2) != words {
            return Err(broken("I3: the boundary tag of a free block is not its size", at));
        }
        self.verify_neighbour(at, head, before_used, is_used(head))
    }

    fn verify_neighbour(&self, at: usize, head: usize, before_used: bool, used: bool) -> Result<(), Violation> {
        if TAGS && (head & PREVIOUS_USED != 0) != before_used {
            return Err(broken("I2: a header is wrong about the block before", at));
        }
        let touches = !before_used && (!used || words_of(head) == 0);
        let joined = match self.policy.coalesce() {
            Coalesce::Never => false,
            Coalesce::From(0) | Coalesce::EveryCall => true,
            Coalesce::From(_) | Coalesce::Deferred => !self.touching,
        };
        if touches && joined {
            return Err(broken("I4: a free block touches another, or the wilderness", at));
        }
        Ok(())
    }
}
