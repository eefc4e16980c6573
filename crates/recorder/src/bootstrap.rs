//! Memory for those who ask before the real allocator is known: `dlsym` itself, mostly.
//!
//! A bump of static bytes; blocks are never freed. The size of a block is in the
//! 16 bytes before it. A request that does not fit gets null, as from any allocator.

use core::sync::atomic::{AtomicUsize, Ordering};

const ROOM: usize = 64 * 1024;
const BEFORE: usize = 16;

#[repr(align(64))]
struct Room(core::cell::UnsafeCell<[u8; ROOM]>);

// SAFETY: bytes are handed out once, by `USED`, and belong to the caller that got them.
unsafe impl Sync for Room {}

static BYTES: Room = Room(core::cell::UnsafeCell::new([0; ROOM]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// A zeroed block, or null.
pub fn allocate(size: usize, alignment: usize) -> *mut u8 {
    let alignment = alignment.max(BEFORE);
    let Some(max) = size.checked_add(alignment + BEFORE).filter(|&max| max <= ROOM) else {
        return core::ptr::null_mut();
    };
    let start = USED.fetch_add(max, Ordering::Relaxed);
    if start.saturating_add(max) > ROOM {
        return core::ptr::null_mut();
    }
    let base = BYTES.0.get() as usize;
    let payload = (base + start + BEFORE).next_multiple_of(alignment) as *mut u8;
    // SAFETY: `max` bytes from `start` are this call's own; the payload and the 16 bytes before it lie in them.
    unsafe { payload.sub(BEFORE).cast::<usize>().write_unaligned(size) };
    payload
}

/// Whether a block came from here.
#[inline(always)]
pub fn owns(block: *const u8) -> bool {
    (block as usize).wrapping_sub(BYTES.0.get() as usize) < ROOM
}

/// The size of a block from here.
///
/// # Safety
///
/// [`allocate`] gave the block.
pub unsafe fn size(block: *const u8) -> usize {
    // SAFETY: `allocate` wrote the size there.
    unsafe { block.sub(BEFORE).cast::<usize>().read_unaligned() }
}
