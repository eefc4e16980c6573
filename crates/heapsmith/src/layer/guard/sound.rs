//! Writing the words around a payload, and telling whether they are as written.

use core::ptr::NonNull;

use super::format::{CANARY, FRONT, Guarded, MIN_FRONT, PAD, POISON, SEAL, SIZE, Seal, in_word};
use super::{Guard, own};
use crate::heap::{BlockView, Heap, State, Violation};
use crate::heap_error::{HeapError, HeapErrorKind};
use crate::meter::Meter;
use crate::word::Word;

impl<W: Word, H: Heap> Guard<W, H> {
    /// The seal of a block in a state.
    pub(super) fn seal(&self, block: Guarded<W>, state: Seal) -> usize {
        block.seal(state) ^ in_word::<W>(self.secret)
    }

    /// Seals a block in a state.
    pub(super) fn set_seal(&mut self, block: Guarded<W>, state: Seal) {
        let seal = self.seal(block, state);
        own::store::<W>(&mut self.heap, block.at - SEAL, seal);
    }

    /// The pattern of a word around a live payload.
    fn canary(&self) -> usize {
        in_word::<W>(CANARY ^ self.secret)
    }

    /// Writes all words of the guard around a live payload.
    pub(super) fn write(&mut self, block: Guarded<W>) {
        let canary = self.canary();
        let below = block.at - block.front;
        own::store::<W>(&mut self.heap, below, block.front);
        for at in below + 1..block.at - FRONT {
            own::store::<W>(&mut self.heap, at, canary);
        }
        if block.front > MIN_FRONT {
            own::store::<W>(&mut self.heap, block.at - FRONT, block.front);
        }
        own::store::<W>(&mut self.heap, block.at - SIZE, block.size);
        self.set_seal(block, Seal::Live);
        if block.padding() > 0 {
            self.heap.meter_mut().write();
            // SAFETY: O1: the padding lies between payload and canary, in the same block below.
            unsafe { self.behind(block).write_bytes(PAD, block.padding()) };
        }
        own::store::<W>(&mut self.heap, block.rear(), canary);
    }

    /// Sets padding and canary to 0, before they become payload.
    pub(super) fn clear_rear(&mut self, block: Guarded<W>) {
        // SAFETY: as in `write`.
        unsafe { self.behind(block).write_bytes(0, block.padding()) };
        own::store::<W>(&mut self.heap, block.rear(), 0);
    }

    /// The first byte behind the payload.
    fn behind(&self, block: Guarded<W>) -> *mut u8 {
        own::pointer::<W>(&self.heap, block.at).as_ptr().wrapping_add(block.size)
    }

    /// The block as its header says, whatever its seal.
    pub(super) fn read(&self, at: usize) -> Guarded<W> {
        let peek = |back| own::peek::<W>(&self.heap, at - back);
        Guarded::new(at, peek(SIZE), peek(FRONT))
    }

    pub(super) fn is_sealed(&self, block: Guarded<W>, state: Seal) -> bool {
        own::peek::<W>(&self.heap, block.at - SEAL) == self.seal(block, state)
    }

    /// The live block that `pointer` names.
    pub(super) fn locate(&self, pointer: NonNull<u8>) -> Result<Guarded<W>, HeapError> {
        let offset = pointer.as_ptr().addr().wrapping_sub(self.heap.base().as_ptr().addr());
        let first = self.heap.control_size() + MIN_FRONT * W::BYTES;
        if offset < first || offset >= self.heap.footprint() || !offset.is_multiple_of(W::BYTES) {
            return Err(HeapError::of(HeapErrorKind::Foreign, offset));
        }
        let block = self.read(offset / W::BYTES);
        if self.is_sealed(block, Seal::Live) {
            Ok(block)
        } else if self.is_sealed(block, Seal::Detained) || self.is_sealed(block, Seal::Released) {
            Err(HeapError::of(HeapErrorKind::DoubleFree, offset))
        } else if self.is_payload(block.at) {
            Err(HeapError { kind: HeapErrorKind::HeaderDamaged, block: offset, at: offset - SEAL * W::BYTES })
        } else {
            Err(HeapError::of(HeapErrorKind::Foreign, offset))
        }
    }

    /// Whether a used block of the heap below has its guarded payload at `at`, for all that its
    /// own first word and the smallest front give.
    #[cold]
    fn is_payload(&self, at: usize) -> bool {
        let mut found = None;
        self.heap.walk(&mut |block| {
            let below = (block.offset + block.header) / W::BYTES;
            let inside = at > below && at < (block.offset + block.size) / W::BYTES;
            if block.state == State::Used && inside && below != self.control {
                let front = at - below;
                found = (front == MIN_FRONT || own::peek::<W>(&self.heap, below) == front).then_some(block.offset);
            }
            if block.state == State::Cached && found == Some(block.offset) {
                found = None;
            }
        });
        found.is_some()
    }

    /// Whether the words around a live payload are as they were written.
    pub(super) fn whole(&self, block: Guarded<W>) -> Result<(), HeapError> {
        let damaged = |kind, at: usize| Err(HeapError { kind, block: block.offset(), at });
        let below = block.at - block.front;
        if own::peek::<W>(&self.heap, below) != block.front {
            return damaged(HeapErrorKind::HeaderDamaged, below * W::BYTES);
        }
        let is_canary = |at: &usize| own::peek::<W>(&self.heap, *at) == self.canary();
        if let Some(at) = (below + 1..block.at - FRONT).find(|at| !is_canary(at)) {
            return damaged(HeapErrorKind::HeaderDamaged, at * W::BYTES);
        }
        if let Some(byte) = self.differs(block, block.size, block.padding(), PAD) {
            return damaged(HeapErrorKind::Overrun, block.offset() + byte);
        }
        if !is_canary(&block.rear()) {
            return damaged(HeapErrorKind::Overrun, block.rear() * W::BYTES);
        }
        Ok(())
    }

    /// The first of `count` bytes from byte `from` of the payload that is not `value`.
    pub(super) fn differs(&self, block: Guarded<W>, from: usize, count: usize, value: u8) -> Option<usize> {
        let payload = own::pointer::<W>(&self.heap, block.at).as_ptr();
        // SAFETY: O1: payload and padding lie in the block below, and were written before.
        (from..from + count).find(|&byte| unsafe { payload.add(byte).read() } != value)
    }

    /// The block that holds a guard's words, sealed in that state, if `view` of the heap below is one.
    fn sealed_in(&self, view: BlockView, state: Seal) -> Option<Guarded<W>> {
        let below = (view.offset + view.header) / W::BYTES;
        let room = (view.size - view.header) / W::BYTES;
        if room <= MIN_FRONT {
            return None;
        }
        let front = own::peek::<W>(&self.heap, below);
        let block = (MIN_FRONT..room).contains(&front).then(|| self.read(below + front))?;
        self.is_sealed(block, state).then_some(block)
    }

    /// The block of the heap below with the bytes that the guard's words take, if it is live.
    pub(super) fn with_guard_words(&self, view: BlockView) -> BlockView {
        let live = if view.state == State::Used { self.sealed_in(view, Seal::Live) } else { None };
        let words = live.map_or(0, |block| block.front + 1);
        BlockView { layer: view.layer + words * W::BYTES, ..view }
    }

    /// G1, G2 and G3.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let (mut broken, mut unsealed) = (None, 0_isize);
        self.heap.walk(&mut |view| {
            if view.state == State::Free || broken.is_some() {
                return;
            }
            match self.sealed_in(view, Seal::Live) {
                Some(block) if self.whole(block).is_err() => {
                    let invariant = "G2: a canary of a live block was overwritten";
                    broken = Some(Violation { invariant, offset: view.offset });
                }
                Some(_) => {}
                // A block that a layer below keeps was reported as used before, and is one of these.
                None if view.state == State::Cached => unsealed -= isize::from(self.is_unsealed(view)),
                None => unsealed += isize::from(self.is_unsealed(view)),
            }
        });
        if broken.is_none() && unsealed != 0 {
            broken = Some(self.unsealed());
        }
        broken.map_or_else(|| self.verify_quarantine(), Err)
    }

    /// Reports what was written around live blocks and into blocks in quarantine.
    pub(super) fn look_around(&self, found: &mut dyn FnMut(HeapError)) {
        let end = self.heap.footprint();
        let mut unsealed = 0_isize;
        self.heap.walk(&mut |view| match view.state {
            State::Free => {}
            _ if view.offset + view.size > end => found(HeapError::of(HeapErrorKind::HeaderDamaged, view.offset)),
            State::Cached => unsealed -= isize::from(self.is_unsealed(view)),
            State::Used => match self.sealed_in(view, Seal::Live) {
                Some(block) => self.whole(block).err().into_iter().for_each(&mut *found),
                None => unsealed += isize::from(self.is_unsealed(view)),
            },
        });
        if unsealed != 0 {
            found(HeapError::of(HeapErrorKind::HeaderDamaged, self.unsealed().offset));
        }
        for block in self.detained() {
            if let Some(byte) = self.written(block) {
                let at = block.offset() + byte;
                found(HeapError { kind: HeapErrorKind::WrittenAfterFree, block: block.offset(), at });
            }
        }
    }

    /// Whether the block of the heap below, which is not live, is neither in quarantine nor this layer's own.
    fn is_unsealed(&self, view: BlockView) -> bool {
        let below = (view.offset + view.header) / W::BYTES;
        self.sealed_in(view, Seal::Detained).is_none() && !(self.limit > 0 && below == self.control)
    }

    /// The first used block that has no seal and is not cached by a layer below. It exists; the cost does not matter.
    #[cold]
    fn unsealed(&self) -> Violation {
        let mut found = None;
        self.heap.walk(&mut |view| {
            let alone = view.state == State::Used && self.sealed_in(view, Seal::Live).is_none();
            if alone && found.is_none() && self.is_unsealed(view) && !self.is_kept(view.offset) {
                found = Some(view.offset);
            }
        });
        Violation { invariant: "G1: a used block has no seal", offset: found.unwrap_or(0) }
    }

    /// Whether a layer below keeps the block at `offset`.
    fn is_kept(&self, offset: usize) -> bool {
        let mut cached = false;
        self.heap.walk(&mut |view| cached |= view.state == State::Cached && view.offset == offset);
        cached
    }

    /// The first byte of a payload in quarantine that was written.
    pub(super) fn written(&self, block: Guarded<W>) -> Option<usize> {
        self.differs(block, 0, block.size, POISON).or_else(|| self.differs(block, block.size, block.padding(), PAD))
    }
}
