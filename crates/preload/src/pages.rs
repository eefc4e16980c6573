//! Pages of the system: mapped, committed, released.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicUsize, Ordering};

use heapsmith::Source;
use heapsmith_spec::HugePages;

use crate::restricted::{Use, forbids};

/// Bytes of a page of x86-64 and of most others.
pub const SIZE: usize = 4096;

/// The least that a region is made longer by, and the share of its length that it is made longer by.
const STEP: usize = 1 << 20;
const SHARE: usize = 8;

/// What every region has ahead where the program forbids itself to map more ([`crate::restricted`]).
const RESERVE: usize = 16 << 20;

/// Zeros that the system commits when they are touched.
pub const FLAGS: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
/// What may be done with them.
pub const ACCESS: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// `length` bytes of zeros, a whole number of pages.
pub fn map(length: usize) -> Option<*mut u8> {
    if forbids(Use::Map) {
        return None;
    }
    // SAFETY: a mapping at a place of the system's choice touches no memory that is in use.
    let at = unsafe { libc::mmap(null_mut(), length, ACCESS, FLAGS, -1, 0) };
    (at != libc::MAP_FAILED).then_some(at.cast())
}

/// Zeros at this very address, whole pages both; false where something is mapped there that `flag` spares, or the system
/// gives no more.
///
/// # Safety
///
/// With `MAP_FIXED`, what is mapped there is the caller's, and of no use any more.
unsafe fn map_at(at: usize, length: usize, access: i32, flag: i32) -> bool {
    if forbids(Use::Map) {
        return false;
    }
    // SAFETY: by the caller's promise, or as a wish and `MAP_FIXED_NOREPLACE` spare what is there.
    let got = unsafe { libc::mmap(at as *mut c_void, length, access, FLAGS | flag, -1, 0) };
    if got != libc::MAP_FAILED && got.addr() != at {
        // Systems before Linux 4.17 take the address for a hint.
        // SAFETY: mapped just now, and of no use elsewhere.
        unsafe { unmap(got.cast(), length) };
    }
    got.addr() == at
}

/// Address space for regions that grow.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// Its first address, a multiple of a page.
    pub base: usize,
    /// Its bytes.
    pub length: usize,
    /// How its pages are mapped: over a reserve, or where nothing is.
    flag: i32,
}

impl Space {
    /// Address space of `length` bytes, or less if it has to be, where the system places nothing by itself.
    ///
    /// Nothing is mapped, as what is mapped counts for the program's limit of address space (`RLIMIT_AS`).
    /// Linux places mappings downwards from the stack (128 TiB), or upwards from 42 TiB, and programs near 85 TiB, so
    /// it leaves what is below 42 TiB alone; where in there is drawn for each process, as the place of
    /// a stack is. Where nothing can be mapped there (under Valgrind), address space is reserved.
    pub fn find(length: usize) -> Option<Space> {
        const FROM: usize = 31 << 40;
        const RANGE: usize = 11 << 40;
        const GRAIN: usize = 2 << 20;
        let mut draw = random();
        for _ in 0..8 {
            let base = FROM + draw % (RANGE.checked_sub(length)? / GRAIN) * GRAIN;
            // As a wish only: what cannot grant it (a sanitizer) may take 0 for the address.
            // SAFETY: nothing is replaced, and what is mapped is unmapped.
            unsafe {
                if map_at(base, SIZE, libc::PROT_NONE, 0) {
                    unmap(base as *mut u8, SIZE);
                    return Some(Space { base, length, flag: libc::MAP_FIXED_NOREPLACE });
                }
            }
            draw = draw.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
        Space::reserve(length)
    }

    /// As much as the system reserves, by halves.
    fn reserve(mut length: usize) -> Option<Space> {
        while length >= STEP {
            // SAFETY: as in `map`.
            let at = unsafe { libc::mmap(null_mut(), length, libc::PROT_NONE, FLAGS, -1, 0) };
            if at != libc::MAP_FAILED {
                return Some(Space { base: at.addr(), length, flag: libc::MAP_FIXED });
            }
            length /= 2;
        }
        None
    }

    /// Maps zeros in the space, whole pages where nothing is mapped; false where the system gives no more.
    pub fn commit(&self, at: usize, length: usize) -> bool {
        // SAFETY: what lies there is a reserve, or spared.
        unsafe { map_at(at, length, ACCESS, self.flag) }
    }

    /// Takes the memory from pages of the space, and any access to them.
    ///
    /// # Safety
    ///
    /// They were mapped by [`Space::commit`], and are of no use any more.
    pub unsafe fn decommit(&self, at: usize, length: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.flag == libc::MAP_FIXED {
                map_at(at, length, libc::PROT_NONE, self.flag);
            } else {
                unmap(at as *mut u8, length);
            }
        }
    }

    /// The region that may fill part `number` of this many parts, and what is mapped of the part; the system is asked for huge
    /// pages as `huge` says.
    ///
    /// # Safety
    ///
    /// No part is asked for twice.
    pub unsafe fn region(&self, number: usize, parts: usize, huge: HugePages) -> Option<(MappedRegion, &'static Part)> {
        let limit = self.length / parts;
        let base = NonNull::new((self.base + number * limit) as *mut u8)?;
        let part = Part {
            base: base.as_ptr().addr(),
            limit,
            flag: self.flag,
            huge_from: huge.begin().unwrap_or(usize::MAX),
            mapped: AtomicUsize::new(0),
            touched_peak: AtomicUsize::new(0),
        };
        let part: &'static Part = Box::leak(Box::new(part));
        Some((MappedRegion { base, length: 0, part }, part))
    }
}

/// Bytes that the system drew for this process.
pub fn random() -> usize {
    // SAFETY: the system gives the address of 16 bytes, or 0.
    let drawn = unsafe { (libc::getauxval(libc::AT_RANDOM) as *const [u8; 16]).as_ref() };
    drawn.and_then(|bytes| bytes.last_chunk()).map_or(0, |bytes| usize::from_ne_bytes(*bytes))
}

/// Bytes that the system drew for this process, which decide about nothing that a program sees.
pub fn secret() -> usize {
    // SAFETY: as in `random`.
    let drawn = unsafe { (libc::getauxval(libc::AT_RANDOM) as *const [u8; 16]).as_ref() };
    drawn.and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| usize::from_ne_bytes(*bytes))
}

/// Gives a mapping back.
///
/// # Safety
///
/// It is a mapping, or a part of one, that nobody uses any more.
pub unsafe fn unmap(at: *mut u8, length: usize) {
    if forbids(Use::Unmap) {
        return;
    }
    // SAFETY: the caller's promise. What the system refuses stays mapped.
    unsafe { libc::munmap(at.cast::<c_void>(), length) };
}

/// Whether something is mapped at an address; where the system may not be asked, it is assumed.
pub fn is_mapped(at: usize) -> bool {
    let mut state = 0_u8;
    // SAFETY: asks about a page, whatever it is, and there is room for its state.
    forbids(Use::Tell) || unsafe { libc::mincore((at / SIZE * SIZE) as *mut c_void, SIZE, &raw mut state) } == 0
}

/// Gives the memory of the whole pages in a range back: they are zeros when they are used again, or where the system takes them lazily what
/// they were before.
/// Returns the bytes of these pages.
///
/// # Safety
///
/// The range is mapped, and its contents are needed no more.
pub unsafe fn release(from: usize, to: usize, lazy: bool) -> usize {
    let (from, to) = (from.next_multiple_of(SIZE), to / SIZE * SIZE);
    if from >= to || forbids(Use::Release) {
        return 0;
    }
    let advice = if lazy { libc::MADV_FREE } else { libc::MADV_DONTNEED };
    // SAFETY: the caller's promise.
    unsafe { libc::madvise(from as *mut c_void, to - from, advice) };
    to - from
}

/// A part of a [`Space`], and how far it is mapped: as far as its region is long, or further.
#[derive(Debug)]
pub struct Part {
    base: usize,
    limit: usize,
    flag: i32,
    /// From this byte of it on the system is asked for huge pages.
    huge_from: usize,
    /// Bytes from the base. Changed by who works on the heap, alone.
    mapped: AtomicUsize,
    /// The most bytes that had memory, of the moments at which that was noted.
    touched_peak: AtomicUsize,
}

/// Bytes of a mapped range, whole pages, that have memory.
fn resident(base: usize, length: usize) -> usize {
    /// Pages that are asked about at once.
    const PAGES: usize = 1024;
    let mut states = [0_u8; PAGES];
    let mut pages = 0;
    for from in (0..length).step_by(PAGES * SIZE) {
        let part = (length - from).min(PAGES * SIZE);
        // SAFETY: the range is mapped, and there is a state for each of its pages.
        if unsafe { libc::mincore((base + from) as *mut c_void, part, states.as_mut_ptr()) } == 0 {
            pages += states.iter().take(part / SIZE).filter(|state| **state & 1 != 0).count();
        }
    }
    pages * SIZE
}

impl Part {
    /// Maps as many bytes from the base, whole pages; false where the system gives no more.
    fn map_to(&self, length: usize) -> bool {
        let mapped = self.mapped.load(Ordering::Relaxed);
        if length <= mapped {
            return true;
        }
        // A huge page is mapped whole, or it is none.
        let whole = if length > self.huge_from { length.next_multiple_of(HugePages::BYTES) } else { length };
        let length = whole.min(self.limit);
        // SAFETY: what lies there is this part of a reserve, or spared.
        let got = unsafe { map_at(self.base + mapped, length - mapped, ACCESS, self.flag) };
        if got {
            self.mapped.store(length, Ordering::Relaxed);
            self.ask_for_huge_pages(mapped.max(self.huge_from), length);
        }
        got
    }

    /// Asks for huge pages between two of its bytes, which are mapped.
    fn ask_for_huge_pages(&self, from: usize, to: usize) {
        if from < to && !forbids(Use::Advise) {
            // SAFETY: the range is mapped, and stays what it is, whatever the system says.
            unsafe { libc::madvise((self.base + from) as *mut c_void, to - from, libc::MADV_HUGEPAGE) };
        }
    }

    /// Bytes in pages that have memory now; none where the system may not be asked.
    pub fn touched(&self) -> usize {
        if forbids(Use::Tell) { 0 } else { resident(self.base, self.mapped.load(Ordering::Relaxed)) }
    }

    /// Notes how many bytes of it have memory now: before some goes back, and at the end. Between two such moments no page
    /// loses its memory, so the most that was noted is the most that there ever was.
    pub fn note_touched(&self) {
        self.touched_peak.fetch_max(self.touched(), Ordering::Relaxed);
    }

    /// The most bytes in pages that had memory at once, as they were noted.
    pub fn touched_peak(&self) -> usize {
        self.touched_peak.load(Ordering::Relaxed)
    }

    /// Maps what the region may need once nothing can be mapped any more, as far as there is room.
    ///
    /// # Safety
    ///
    /// Nobody works on the heap in the region.
    pub unsafe fn prepare(&self) {
        self.map_to((self.mapped.load(Ordering::Relaxed) + RESERVE).min(self.limit));
    }
}

/// A region in a [`Space`], mapped as its heap grows.
///
/// The heap sees the length grow in steps, so that it asks once in a megabyte or in an eighth of its
/// length; a page has memory when it is first touched. What the program may not have (`RLIMIT_AS`), or what something
/// else took meanwhile, ends the region.
#[derive(Debug)]
pub struct MappedRegion {
    base: NonNull<u8>,
    length: usize,
    part: &'static Part,
}

// SAFETY: what is mapped belongs to this value alone.
unsafe impl Send for MappedRegion {}

// SAFETY: what was mapped is valid, nobody else's (`Space::region`), and stays so.
unsafe impl Source for MappedRegion {
    fn base(&self) -> NonNull<u8> {
        self.base
    }

    fn length(&self) -> usize {
        self.length
    }

    fn limit(&self) -> usize {
        self.part.limit
    }

    #[cold]
    fn grow(&mut self, wanted: usize) -> usize {
        let ample = wanted.saturating_add((self.length / SHARE).max(STEP));
        // Where no more can be mapped, what was mapped ahead may do.
        for length in [ample, wanted] {
            let length = length.checked_next_multiple_of(SIZE).unwrap_or(usize::MAX).min(self.part.limit);
            if length >= wanted && length > self.length && self.part.map_to(length) {
                self.length = length;
                break;
            }
        }
        self.length
    }
}
