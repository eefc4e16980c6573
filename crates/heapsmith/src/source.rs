//! Sources: the memory of a region.
//!
//! A region is one contiguous run of bytes. Its base never moves; its length
//! may grow. [`Fixed`] has one length; [`Growing`] hands out a reserve in
//! steps, as `sbrk` does. A [`StaticRegion`] is memory for one `Fixed` in a static.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// A supplier of one contiguous region.
///
/// # Safety
///
/// The memory from [`base`](Source::base) over the length last reported is
/// valid for reads and writes, has no other owner for as long as the source
/// lives, and never moves or shrinks. No method unwinds.
pub unsafe trait Source {
    /// The first byte of the region.
    fn base(&self) -> NonNull<u8>;
    /// Bytes in the region now.
    fn length(&self) -> usize;
    /// Asks for a region of at least `wanted` bytes in all and returns the
    /// length reached, which stays as it was when the source has no more.
    fn grow(&mut self, wanted: usize) -> usize;
    /// The most bytes that the region can ever have, for all that the source knows.
    fn limit(&self) -> usize {
        self.length()
    }
}

// SAFETY: the promise is that of the borrowed source, which nobody else can reach meanwhile.
unsafe impl<S: Source + ?Sized> Source for &mut S {
    fn base(&self) -> NonNull<u8> {
        (**self).base()
    }
    fn length(&self) -> usize {
        (**self).length()
    }
    fn grow(&mut self, wanted: usize) -> usize {
        (**self).grow(wanted)
    }
    fn limit(&self) -> usize {
        (**self).limit()
    }
}

/// A region of one length, borrowed from its owner.
#[derive(Debug)]
pub struct Fixed<'a> {
    base: NonNull<u8>,
    length: usize,
    owner: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

// SAFETY: the region is exclusively borrowed, so its holder may use it on any thread.
unsafe impl Send for Fixed<'_> {}

impl<'a> Fixed<'a> {
    /// The region of all bytes of `memory`. The element type sets the alignment.
    pub fn new<T: Copy>(memory: &'a mut [MaybeUninit<T>]) -> Self {
        let length = size_of_val(memory);
        Fixed { base: NonNull::from(memory).cast(), length, owner: PhantomData }
    }

    /// The first `length` bytes of the region, or all if it has no more.
    pub fn shortened(self, length: usize) -> Self {
        Fixed { length: self.length.min(length), ..self }
    }

    /// The first `length` bytes of what a source supplies for as long as it is borrowed; fewer, if it has no more.
    pub fn borrowed<S: Source + ?Sized>(source: &'a mut S, length: usize) -> Self {
        let supplied = if source.length() < length { source.grow(length) } else { length };
        let length = supplied.min(length);
        // SAFETY: a source's memory lasts and is its own while it lives, and nobody else reaches it for 'a.
        unsafe { Fixed::from_raw(source.base(), length) }
    }

    /// The first `at` bytes, and the others; all and none if there are no more.
    pub fn split_at(self, at: usize) -> (Self, Self) {
        let at = at.min(self.length);
        // SAFETY: `at` bytes further is inside the region, or its end.
        let behind = unsafe { self.base.add(at) };
        let part = |base, length| Fixed { base, length, owner: PhantomData };
        (part(self.base, at), part(behind, self.length - at))
    }

    /// The region of `length` bytes from `base`.
    ///
    /// # Safety
    ///
    /// The bytes are valid for reads and writes and have no other owner for `'a`.
    pub unsafe fn from_raw(base: NonNull<u8>, length: usize) -> Self {
        Fixed { base, length, owner: PhantomData }
    }
}

// SAFETY: the borrow lasts for 'a and is exclusive; the length is constant.
unsafe impl Source for Fixed<'_> {
    fn base(&self) -> NonNull<u8> {
        self.base
    }
    fn length(&self) -> usize {
        self.length
    }
    fn grow(&mut self, _wanted: usize) -> usize {
        self.length
    }
}

/// Memory for one region, in a `static`: uninitialised, so it costs no space in the program's file.
///
/// It begins at a multiple of 64 bytes, so that payload addresses do not depend on where
/// the linker put it, up to that alignment.
///
/// ```
/// use heapsmith::{FirstFit, Heap, StaticRegion};
///
/// static REGION: StaticRegion<4096> = StaticRegion::new();
/// let mut heap = FirstFit::new(REGION.take().expect("nobody else takes it"))?;
/// assert!(REGION.take().is_none());
/// assert!(heap.allocate(100, 8).is_some());
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
#[derive(Debug)]
pub struct StaticRegion<const BYTES: usize> {
    bytes: Storage<BYTES>,
    taken: Flag,
}

#[derive(Debug)]
#[repr(align(64))]
struct Storage<const BYTES: usize>(UnsafeCell<[MaybeUninit<u8>; BYTES]>);

// SAFETY: the bytes are reached through the one `Fixed` that is handed out, on whatever thread that is.
unsafe impl<const BYTES: usize> Sync for Storage<BYTES> {}

impl<const BYTES: usize> StaticRegion<BYTES> {
    /// Memory that is not taken yet.
    #[allow(clippy::new_without_default)] // It is for statics, whose values are constants.
    pub const fn new() -> Self {
        StaticRegion { bytes: Storage(UnsafeCell::new([MaybeUninit::uninit(); BYTES])), taken: Flag::new() }
    }

    /// The region of all bytes; none from the second time on.
    #[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
    pub fn take(&'static self) -> Option<Fixed<'static>> {
        // SAFETY: the flag is raised once, so this is the first call that gets here.
        (!self.taken.raise()).then(|| unsafe { self.take_unchecked() })
    }

    /// The region of all bytes, on a target that has no atomic operations and no `critical-section`.
    ///
    /// # Safety
    ///
    /// It is the only call of this method, and [`StaticRegion::take`] is not called.
    pub unsafe fn take_unchecked(&'static self) -> Fixed<'static> {
        let base = NonNull::from(&self.bytes.0).cast();
        // SAFETY: a static lasts for ever, and by the caller's promise nobody else has its bytes. They are
        // in an `UnsafeCell`, so they may be written.
        unsafe { Fixed::from_raw(base, BYTES) }
    }
}

/// Whether a region was taken.
#[cfg(target_has_atomic = "8")]
#[derive(Debug)]
struct Flag(core::sync::atomic::AtomicBool);

#[cfg(target_has_atomic = "8")]
impl Flag {
    const fn new() -> Self {
        Flag(core::sync::atomic::AtomicBool::new(false))
    }

    /// Raises the flag. Returns whether it was raised before.
    fn raise(&self) -> bool {
        self.0.swap(true, core::sync::atomic::Ordering::Relaxed)
    }
}

/// Whether a region was taken, where no instruction changes a byte at once.
#[cfg(not(target_has_atomic = "8"))]
#[derive(Debug)]
struct Flag(#[cfg_attr(not(feature = "critical-section"), allow(dead_code))] UnsafeCell<bool>);

// SAFETY: it is read and written inside a critical section only.
#[cfg(not(target_has_atomic = "8"))]
unsafe impl Sync for Flag {}

#[cfg(not(target_has_atomic = "8"))]
impl Flag {
    const fn new() -> Self {
        Flag(UnsafeCell::new(false))
    }

    /// Raises the flag. Returns whether it was raised before.
    #[cfg(feature = "critical-section")]
    fn raise(&self) -> bool {
        // SAFETY: inside a critical section.
        critical_section::with(|_| unsafe { self.0.get().replace(true) })
    }
}

/// A region that grows within a reserve, a whole number of steps at a time.
#[derive(Debug)]
pub struct Growing<'a> {
    reserve: Fixed<'a>,
    step: usize,
    taken: usize,
}

impl<'a> Growing<'a> {
    /// A region that begins empty and grows over `reserve` in multiples of `step` bytes.
    pub fn new(reserve: Fixed<'a>, step: usize) -> Self {
        Growing { reserve, step: step.max(1), taken: 0 }
    }
}

// SAFETY: the reserve is a valid region, and what is taken of it only grows.
unsafe impl Source for Growing<'_> {
    fn base(&self) -> NonNull<u8> {
        self.reserve.base
    }
    fn length(&self) -> usize {
        self.taken
    }
    fn limit(&self) -> usize {
        self.reserve.length
    }
    fn grow(&mut self, wanted: usize) -> usize {
        if wanted <= self.reserve.length {
            let rounded = wanted.checked_next_multiple_of(self.step).unwrap_or(wanted);
            self.taken = self.taken.max(rounded.min(self.reserve.length));
        }
        self.taken
    }
}
