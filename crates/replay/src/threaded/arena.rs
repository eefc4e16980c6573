//! A heap that counts, behind a lock that knows who held it last.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use heapsmith::{Counting, Heap, State};
use heapsmith_sharing::{Due, RemoteFree, Sizes, Surplus, Told};
use heapsmith_spec::Spec;
use heapsmith_spec::build::HeapRef;

use super::pages::{Faults, Memory, PAGE, Pages};

/// What all arenas and threads of a replay know.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The thread whose turn it is.
    pub thread: Cell<u32>,
    /// Milliseconds of the trace.
    pub milliseconds: Cell<u64>,
    /// Whether there was one thread until now: then no lock is taken.
    pub is_alone: Cell<bool>,
    /// Locks that were taken.
    pub acquisitions: Cell<u64>,
    /// Those that another thread had held last.
    pub moves: Cell<u64>,
    /// Blocks that were sent back to other heaps, and those of them that wait.
    pub remote_frees: Cell<u64>,
    pub sent_back: Cell<u64>,
    /// Faults of pages that got memory.
    pub faults: Cell<Faults>,
    /// Calls that gave pages back, and blocks that were visited for them.
    pub purges: Cell<u64>,
    pub visited: Cell<u64>,
}

impl Turn {
    fn fault(&self, more: Faults) {
        let mut faults = self.faults.get();
        faults += more;
        self.faults.set(faults);
    }
}

/// Adds to a count.
pub(super) fn add(count: &Cell<u64>, more: u64) {
    count.set(count.get() + more);
}

/// The arena.
pub(super) struct CountedArena<'h> {
    heap: RefCell<HeapRef<'h, Counting>>,
    remote_free: RemoteFree,
    turn: &'h Turn,
    /// Accesses that making the heap took.
    made_by: u64,
    /// Who held the lock last.
    holder: Cell<Option<u32>>,
    /// Whether memory goes back, and which pages have memory.
    surplus: RefCell<Surplus>,
    pages: RefCell<Pages>,
    /// Threads that it serves, where each has an arena.
    pub threads: Cell<u32>,
    /// Bytes of the blocks that the program has, headers included.
    pub in_blocks: Cell<usize>,
    /// What the heap tells the lists of threads.
    _told: Option<Told>,
}

impl<'h> CountedArena<'h> {
    /// An arena of a heap of this spec in a region of `length` bytes, whose threads may have lists before it.
    pub fn new(
        heap: HeapRef<'h, Counting>,
        spec: &Spec,
        turn: &'h Turn,
        lists: Option<&mut Sizes>,
        length: usize,
    ) -> Self {
        // SAFETY: the arena alone has the heap, and keeps what it tells.
        let told = lists.and_then(|lists| unsafe { lists.ask(heap, length) });
        CountedArena {
            _told: told,
            made_by: heap.meter().accesses,
            heap: RefCell::new(heap),
            remote_free: RemoteFree::default(),
            turn,
            holder: Cell::new(None),
            surplus: RefCell::new(Surplus::new(spec.purged())),
            pages: RefCell::new(Pages::new(spec.purged(), spec.huge)),
            threads: Cell::new(0),
            in_blocks: Cell::new(0),
        }
    }

    /// Does something with the heap, under its lock.
    fn alone<T>(&self, job: impl FnOnce(&mut (dyn Heap<Meter = Counting> + 'h)) -> T) -> T {
        let own = Some(self.turn.thread.get());
        if !self.turn.is_alone.get() {
            add(&self.turn.acquisitions, 1);
            let last = self.holder.replace(own);
            add(&self.turn.moves, u64::from(last.is_some() && last != own));
        } else {
            self.holder.set(own);
        }
        job(&mut **self.heap.borrow_mut())
    }

    /// Notes a request of this many bytes.
    fn allocated(&self, size: usize) {
        let footprint = self.footprint();
        self.turn.fault(self.pages.borrow_mut().grow(footprint));
        self.surplus.borrow_mut().allocated(size, || footprint);
    }

    /// Notes frees: memory may go back.
    fn freed(&self, blocks: u32) {
        let footprint = self.footprint();
        let due = self.surplus.borrow_mut().freed(blocks, || footprint, || self.turn.milliseconds.get());
        if due != Due::Nothing {
            self.pages.borrow_mut().release_above(footprint);
            add(&self.turn.purges, 1);
        }
        if due == Due::Inside {
            self.release_inside();
        }
    }

    /// The pages inside free blocks go back, but for the first and the last of each.
    fn release_inside(&self) {
        let mut pages = self.pages.borrow_mut();
        let mut blocks = 0;
        self.look(|heap| {
            heap.walk(&mut |block| {
                blocks += 1;
                if block.state == State::Free && block.size > 4 * PAGE {
                    add(&self.turn.purges, 1);
                    pages.release(block.offset + PAGE..block.offset + block.size - size_of::<u64>());
                }
            });
        });
        add(&self.turn.visited, blocks as u64);
        self.surplus.borrow_mut().visited(blocks);
    }

    /// What memory its pages have.
    pub fn memory(&self) -> Memory {
        self.pages.borrow().memory()
    }

    /// Notes a block of this many bytes, which is written to: its pages have memory again.
    pub fn written(&self, block: NonNull<u8>, size: usize) {
        let mut pages = self.pages.borrow_mut();
        if pages.all_have_memory() {
            return;
        }
        let at = block.as_ptr().addr() - self.look(|heap| heap.base().as_ptr().addr());
        self.turn.fault(pages.write(at..at + size));
    }

    /// Looks at the heap without its lock: only who counts does so.
    pub fn look<T>(&self, job: impl FnOnce(&(dyn Heap<Meter = Counting> + 'h)) -> T) -> T {
        job(&**self.heap.borrow())
    }

    /// Metadata words that were read and written since it was made.
    pub fn accesses(&self) -> u64 {
        self.look(|heap| heap.meter().accesses) - self.made_by
    }

    /// Bytes of its region that are used.
    pub fn footprint(&self) -> usize {
        self.look(|heap| heap.footprint())
    }

    /// Gives the heap what others freed.
    fn gather(&self, heap: &mut (dyn Heap<Meter = Counting> + 'h)) -> u32 {
        let mut count = 0;
        for block in self.remote_free.take() {
            // SAFETY: who pushed it promised that it was a live block of this heap.
            unsafe { heap.deallocate(block) };
            self.turn.sent_back.set(self.turn.sent_back.get() - 1);
            count += 1;
        }
        count
    }

    /// Makes a block of this heap another size, here; none if it cannot, and the block is as it was.
    ///
    /// # Safety
    ///
    /// As for [`Heap::reallocate`].
    pub unsafe fn reallocate(&self, block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        let resized = self.alone(|heap| unsafe { heap.reallocate(block, size, 1) });
        self.allocated(0);
        resized
    }

    /// Bytes of a block of this heap, header included.
    ///
    /// # Safety
    ///
    /// As for [`Heap::block_size`].
    pub unsafe fn block_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        self.look(|heap| unsafe { heap.block_size(block) })
    }
}

impl heapsmith_sharing::Arena for CountedArena<'_> {
    type Meter = Counting;

    fn allocate(&self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let block = self.work(|heap| heap.allocate(size, alignment));
        self.allocated(size);
        block
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        self.alone(|heap| unsafe { heap.deallocate(block) });
        self.freed(1);
    }

    unsafe fn send_back(&self, block: NonNull<u8>) {
        add(&self.turn.remote_frees, 1);
        add(&self.turn.sent_back, 1);
        // SAFETY: every block of a heap that suits malloc has 8 bytes at the least, at a multiple of 16 bytes.
        unsafe { self.remote_free.push(block) };
    }

    unsafe fn take_back(&self, mut next: impl FnMut() -> Option<NonNull<u8>>) -> usize {
        let count = self.alone(|heap| {
            let mut count = 0;
            while let Some(block) = next() {
                // SAFETY: the caller's promise.
                unsafe { heap.deallocate(block) };
                count += 1;
            }
            count
        });
        self.freed(count as u32);
        count
    }

    fn work<T>(&self, job: impl FnOnce(&mut dyn Heap<Meter = Counting>) -> T) -> T {
        let (gathered, outcome) = self.alone(|heap| (self.gather(heap), job(heap)));
        self.freed(gathered);
        self.allocated(0);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use heapsmith::{Fixed, Source};
    use heapsmith_dispatch::counted;
    use heapsmith_sharing::Arena;
    use heapsmith_spec::build::Storage;

    use super::*;

    #[test]
    fn the_list_of_a_block_of_spans_is_that_of_its_request_wherever_the_region_begins() {
        let mut memory = vec![core::mem::MaybeUninit::<u128>::uninit(); 16 << 10];
        let to_page = memory.as_ptr().addr().wrapping_neg() % 4096 / 16;
        for (span, offset) in [(512, 0), (512, 64), (512, 200), (4096, 96), (16384, 33)] {
            let spec = format!("spans(16..=128 step 16, span={span}) tlsf word=8 align=16 threads=lists");
            let spec: Spec = spec.parse().expect("a spec");
            let (below, sizes) = Sizes::split(&spec);
            let mut sizes = sizes.expect("lists");
            let mut region = Fixed::new(&mut memory[to_page + offset..]);
            let (length, storage) = (region.length(), Storage::new());
            let heap = counted(&below, &mut region, &storage).expect("a heap");
            let turn = Turn::default();
            let arena = CountedArena::new(heap, &spec, &turn, Some(&mut sizes), length);
            for size in (1..=200).rev().chain(1..=200) {
                let block = Arena::allocate(&arena, size, 16).expect("there is room");
                // SAFETY: a block of the heap that was asked.
                assert_eq!(unsafe { sizes.of_block(block) }, sizes.of_request(size), "{spec} at {offset}: {size}");
            }
        }
    }
}
