//! Several regions, each with a heap of its own, in an order of preference.
//!
//! ```text
//!   request of n bytes ──▶ the regions that take n, in order ──▶ those that do not, in order ──▶ none
//!                            sram (up to 256) ▶ psram                 sram
//!
//!   block ──▶ the region that it lies in: the highest base that is not above it
//! ```
//!
//! A board has memories of different size and speed. Small blocks are used often, so they belong into the fast one; what is
//! large belongs into the large one, and neither should refuse what the other has room for. Each region has a size up to
//! which requests begin in it. A request goes to the first region that takes it, *spills over* to the next that do where that
//! one refuses, and goes to those that its size skipped where all of these refuse: it is refused only where every region
//! refuses it.
//!
//! A block is freed and resized in its region. Where that refuses a larger size, the block moves to another region, in the
//! order of a new request; where all refuse, it stays as it was.
//!
//! # Invariants
//!
//! - **A1** The regions are disjoint, each in one piece, so a block lies in the region with the highest base that is not above
//!   it.
//! - **A2** Each region is a heap without damage: its own `check` says so.
//!
//! # Cost
//!
//! Allocate: a comparison for each region before the one that serves, and what those cost that refuse. Deallocate: a comparison
//! for each region. No word of any region is read for it: accesses are those of the heaps. Space: none in the regions.

use core::ptr::NonNull;

use crate::heap::{BlockView, Heap, Priority, RegionView, State, Violation};
use crate::heap_error::{HeapError, HeapErrorKind, HeapErrors};
use crate::memory::RegionError;
use crate::meter::Meter;
use crate::sealed::Sealed;

/// A region and what goes there.
#[derive(Debug)]
pub struct Region<H> {
    heap: H,
    up_to: usize,
}

impl<H: Heap> Region<H> {
    /// A region with this heap, of which the program has no block yet, in which requests of up to `up_to` bytes begin.
    pub fn new(heap: H, up_to: usize) -> Self {
        Region { heap, up_to }
    }

    /// The address of its first byte.
    fn start(&self) -> usize {
        self.heap.base().as_ptr().addr()
    }
}

/// What holds regions: an array, or a slice that is borrowed.
pub trait RegionSet<H>: Sealed {
    /// The regions, in the order of preference.
    fn regions(&self) -> &[Region<H>];
    /// The same, to be changed.
    fn regions_mut(&mut self) -> &mut [Region<H>];
}

impl<H, const COUNT: usize> Sealed for [Region<H>; COUNT] {}
impl<H, const COUNT: usize> RegionSet<H> for [Region<H>; COUNT] {
    fn regions(&self) -> &[Region<H>] {
        self
    }
    fn regions_mut(&mut self) -> &mut [Region<H>] {
        self
    }
}

impl<H> Sealed for &mut [Region<H>] {}
impl<H> RegionSet<H> for &mut [Region<H>] {
    fn regions(&self) -> &[Region<H>] {
        self
    }
    fn regions_mut(&mut self) -> &mut [Region<H>] {
        self
    }
}

/// Several heaps of one kind, each in a region of its own.
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::{Fixed, Heap, Region, Regions, Tlsf};
///
/// let mut internal = [MaybeUninit::<u64>::uninit(); 256];
/// let mut external = [MaybeUninit::<u64>::uninit(); 2048];
/// let mut heap = Regions::new([
///     Region::new(Tlsf::new(Fixed::new(&mut internal))?, 256),
///     Region::new(Tlsf::new(Fixed::new(&mut external))?, usize::MAX),
/// ])?;
/// let (small, large) = (heap.allocate(100, 8).expect("room"), heap.allocate(1000, 8).expect("room"));
/// assert_eq!((heap.region_of(small), heap.region_of(large)), (Some(0), Some(1)));
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
#[derive(Debug)]
pub struct Regions<H: Heap, A> {
    set: A,
    /// The work of all regions.
    meter: H::Meter,
    heap_errors: HeapErrors,
}

impl<H: Heap, A: RegionSet<H>> Regions<H, A> {
    /// The regions in the order of preference.
    ///
    /// # Errors
    ///
    /// There is none, or one of the heaps is itself in several.
    pub fn new(set: A) -> Result<Self, RegionError> {
        if set.regions().is_empty() {
            return Err(RegionError::TooSmall { needed: 1, given: 0 });
        }
        let mut pieces = 0;
        set.regions().iter().for_each(|region| region.heap.regions(&mut |_| pieces += 1));
        if pieces != set.regions().len() {
            return Err(RegionError::SeveralRegions);
        }
        let mut meter = H::Meter::default();
        set.regions().iter().for_each(|region| meter.add(&H::Meter::default(), region.heap.meter()));
        Ok(Regions { set, meter, heap_errors: HeapErrors::default() })
    }

    /// Which region a block lies in, by its place in the order of preference; none below all of them. Says nothing of whether
    /// it is a block.
    pub fn region_of(&self, pointer: NonNull<u8>) -> Option<usize> {
        let address = pointer.as_ptr().addr();
        let below = self.set.regions().iter().enumerate().filter(|(_, region)| region.start() <= address);
        below.max_by_key(|(_, region)| region.start()).map(|(number, _)| number)
    }

    /// The region of a block.
    fn home(&self, pointer: NonNull<u8>) -> Option<&Region<H>> {
        self.set.regions().get(self.region_of(pointer)?)
    }

    /// The regions by their addresses.
    fn by_address(&self) -> impl Iterator<Item = &Region<H>> {
        let after = |lowest: usize| {
            let above = self.set.regions().iter().filter(move |region| region.start() >= lowest);
            above.min_by_key(|region| region.start())
        };
        core::iter::successors(after(0), move |region| after(region.start() + 1))
    }

    /// Bytes from the base of the lowest region to that of this one.
    fn offset(&self, region: &Region<H>) -> usize {
        region.start() - self.base().as_ptr().addr()
    }

    /// Does something with the heap of a region, and takes over what it counted and noted.
    fn within<T>(&mut self, number: usize, job: impl FnOnce(&mut H) -> T) -> T {
        let lowest = self.base().as_ptr().addr();
        let heap = &mut self.set.regions_mut()[number].heap;
        let (counted, errors) = (*heap.meter(), heap.heap_errors().count);
        let result = job(heap);
        let (offset, noted) = (heap.base().as_ptr().addr() - lowest, heap.heap_errors());
        self.meter.add(&counted, heap.meter());
        if let Err(last) = noted.since(errors) {
            self.heap_errors.count += noted.count - errors - 1;
            self.heap_errors.note(last.moved_by(offset));
        }
        result
    }

    /// A block for a request, in its order of regions, of which one may be left out.
    fn allocate_but(
        &mut self,
        without: Option<usize>,
        priority: Priority,
        size: usize,
        alignment: usize,
    ) -> Option<NonNull<u8>> {
        for is_taken in [true, false] {
            for number in 0..self.set.regions().len() {
                if (size <= self.set.regions()[number].up_to) != is_taken || without == Some(number) {
                    continue;
                }
                let block = self.within(number, |heap| heap.allocate_with(priority, size, alignment));
                if block.is_some() {
                    return block;
                }
            }
        }
        None
    }

    /// A foreign pointer, below all regions.
    fn foreign(&self, pointer: NonNull<u8>) -> HeapError {
        HeapError::of(HeapErrorKind::Foreign, pointer.as_ptr().addr().wrapping_sub(self.base().as_ptr().addr()))
    }

    /// The sum of what the heaps say.
    fn sum(&self, of: impl Fn(&H) -> usize) -> usize {
        self.set.regions().iter().map(|region| of(&region.heap)).sum()
    }
}

// SAFETY: each block is one of the heap of its region (A1), which keeps the promise.
unsafe impl<H: Heap, A: RegionSet<H>> Heap for Regions<H, A> {
    type Meter = H::Meter;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_with(Priority::default(), size, alignment)
    }

    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_but(None, priority, size, alignment)
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        let _ = unsafe { self.try_deallocate(pointer) };
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let Some(number) = self.region_of(pointer) else {
            let foreign = self.foreign(pointer);
            return Err(self.heap_errors.note(foreign));
        };
        let offset = self.offset(&self.set.regions()[number]);
        // SAFETY: the caller's promise, of the heap that the block is in (A1).
        self.within(number, |heap| unsafe { heap.try_deallocate(pointer) }).map_err(|refused| refused.moved_by(offset))
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let Some(number) = self.region_of(pointer) else {
            let foreign = self.foreign(pointer);
            self.heap_errors.note(foreign);
            return None;
        };
        let before = self.heap_errors.count;
        // SAFETY: the caller's promise, of the heap that the block is in (A1).
        let resized = self.within(number, |heap| unsafe { heap.reallocate(pointer, size, alignment) });
        // What is an error is no request.
        if resized.is_some() || self.heap_errors.count != before {
            return resized;
        }
        let moved = self.allocate_but(Some(number), Priority::default(), size, alignment)?;
        // SAFETY: `moved` has just been allocated in another region, so both blocks are live and apart.
        unsafe {
            let bytes = self.usable_size(pointer).min(size);
            core::ptr::copy_nonoverlapping(pointer.as_ptr(), moved.as_ptr(), bytes);
            if self.try_deallocate(pointer).is_ok() {
                return Some(moved);
            }
            // What cannot be freed stays.
            self.deallocate(moved);
        }
        None
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, of the heap that the block is in (A1).
        self.home(pointer).map_or(0, |region| unsafe { region.heap.usable_size(pointer) })
    }

    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: as above.
        self.home(pointer).map_or(0, |region| unsafe { region.heap.block_size(pointer) })
    }

    /// What all regions promise.
    fn alignment(&self) -> usize {
        self.set.regions().iter().map(|region| region.heap.alignment()).min().unwrap_or(1)
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        for is_cached in [false, true] {
            for region in self.by_address() {
                let offset = self.offset(region);
                region.heap.walk(&mut |view| {
                    if (view.state == State::Cached) == is_cached {
                        visit(BlockView { offset: view.offset + offset, ..view });
                    }
                });
            }
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.by_address().try_for_each(|region| {
            let offset = self.offset(region);
            region.heap.check().map_err(|broken| Violation { offset: broken.offset + offset, ..broken })
        })
    }

    fn audit(&self, found: &mut dyn FnMut(HeapError)) {
        for region in self.by_address() {
            let offset = self.offset(region);
            region.heap.audit(&mut |heap_error| found(heap_error.moved_by(offset)));
        }
    }

    fn set_secret(&mut self, secret: usize) {
        self.set.regions_mut().iter_mut().for_each(|region| region.heap.set_secret(secret));
    }

    /// Of all regions together.
    fn control_size(&self) -> usize {
        self.sum(H::control_size)
    }

    /// Of all regions together.
    fn footprint(&self) -> usize {
        self.sum(H::footprint)
    }

    /// The sum of the regions' own: memory that one does not need serves no other.
    fn footprint_peak(&self) -> usize {
        self.sum(H::footprint_peak)
    }

    /// The sum of the regions' own.
    fn sufficient_region(&self) -> usize {
        self.sum(H::sufficient_region)
    }

    fn regions(&self, visit: &mut dyn FnMut(RegionView<'_, H::Meter>)) {
        for region in self.set.regions() {
            let offset = self.offset(region);
            region.heap.regions(&mut |view| visit(RegionView { offset: view.offset + offset, ..view }));
        }
    }

    /// The first byte of the lowest region.
    fn base(&self) -> NonNull<u8> {
        let bases = self.set.regions().iter().map(|region| region.heap.base());
        bases.min().unwrap_or(NonNull::dangling())
    }

    fn meter(&self) -> &H::Meter {
        &self.meter
    }

    fn meter_mut(&mut self) -> &mut H::Meter {
        &mut self.meter
    }
}
