//! Verification of the invariants of [`Chunks`].

use crate::heap::Violation;
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

use super::{Chunk, Chunks, END};

impl<W: Word, S: Source, M: Meter> Chunks<W, S, M> {
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let (mut free, mut has_middle) = (0, self.middle() == 0);
        let mut at = self.first;
        let (mut before, mut before_used) = (Chunk { at, words: 0 }, true);
        loop {
            let (chunk, used) = self.layout.peek(&self.memory, at);
            if !self.layout.knows_left(&self.memory, at, before, before_used) {
                return Err(broken("K2: a header is wrong about the chunk before", at));
            }
            if at == self.end {
                break;
            }
            if chunk.words < self.layout.head || chunk.words % self.layout.unit != 0 || chunk.words > self.end - at {
                return Err(broken("K1: a chunk has no size that chunks have, or reaches over the end", at));
            }
            if self.joins && !used && !before_used {
                return Err(broken("K3: two free chunks touch", at));
            }
            has_middle |= at == self.middle() && !used;
            free += usize::from(!used && chunk.words >= self.layout.min);
            (before, before_used, at) = (chunk, used, chunk.end());
        }
        if self.memory.peek(END) != self.end
            || self.layout.peek(&self.memory, self.end) != (Chunk { at, words: 0 }, true)
        {
            return Err(broken("K1: the end of the chunks was overwritten", self.end));
        }
        self.lists.check(&self.memory, free)?;
        if !has_middle {
            return Err(broken("K7: the middle is no free chunk", self.middle()));
        }
        if self.words_in_use() > self.memory.peek(control::HIGH) {
            return Err(broken("K6: the wilderness begins above its high-water mark", self.top()));
        }
        Ok(())
    }
}
