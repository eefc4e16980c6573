//! The emitted heap in Rust whose unit is `heapsmith::parts::pages::Custom0`, behind the functions of the heap in C, for programs on the
//! simulated core (`cargo xtask hardware programs`).
#![no_std]

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use heapsmith::{Fixed, Heap};

/// What `heapsmith emit --lang rust` wrote.
mod emitted {
    include!(env!("UNIT_HEAP"));
}

/// The heap. The core is one, and nothing interrupts it.
static mut HEAP: Option<emitted::UnitHeap<Fixed<'static>>> = None;

/// The heap, after it was made.
fn heap() -> Option<&'static mut emitted::UnitHeap<Fixed<'static>>> {
    // SAFETY: each function of this file takes it once, and none calls another.
    unsafe { (*(&raw mut HEAP)).as_mut() }
}

/// Makes the heap in a region.
///
/// # Safety
///
/// The region is writable, aligned to 8 bytes, and nobody else's from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn page_heap_init(_: *mut c_void, region: *mut MaybeUninit<u64>, bytes: usize) -> bool {
    // SAFETY: as the caller promises.
    let region = unsafe { core::slice::from_raw_parts_mut(region, bytes / 8) };
    // SAFETY: nothing else has it.
    unsafe { HEAP = emitted::heap(Fixed::new(region)).ok() };
    heap().is_some()
}

/// A block, or null.
#[unsafe(no_mangle)]
pub extern "C" fn page_heap_allocate(_: *mut c_void, size: usize) -> *mut u8 {
    heap().and_then(|heap| heap.allocate(size, 1)).map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// The block with another size, or null.
///
/// # Safety
///
/// The block is this heap's and used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn page_heap_reallocate(
    _: *mut c_void,
    block: *mut u8,
    size: usize,
    alignment: usize,
) -> *mut u8 {
    let Some((heap, block)) = heap().zip(NonNull::new(block)) else { return ptr::null_mut() };
    // SAFETY: as the caller promises.
    unsafe { heap.reallocate(block, size, alignment) }.map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// Frees a block.
///
/// # Safety
///
/// The block is this heap's and used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn page_heap_free(_: *mut c_void, block: *mut u8) {
    if let Some((heap, block)) = heap().zip(NonNull::new(block)) {
        // SAFETY: as the caller promises.
        unsafe { heap.deallocate(block) };
    }
}

/// Brings the bitmaps back from the unit and checks the heap: 0 if it is whole.
#[unsafe(no_mangle)]
pub extern "C" fn page_heap_check(_: *mut c_void) -> u32 {
    let Some(heap) = heap() else { return 1 };
    heap.store_bitmaps();
    u32::from(heap.check().is_err())
}

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the word of the simulated system that ends it (core/programs/machine.h).
    unsafe { ptr::with_exposed_provenance_mut::<u32>(0x8000_0000).write_volatile(5) };
    loop {}
}
