//! The operators `new` and `delete` of C++, so that a block which one of them made is freed by its partner.
//!
//! ```text
//!   operator ──▶ with a guard: the heap, which knows for each block what made it
//!            └─▶ else a jump to the program's C++ library, which calls malloc
//! ```
//!
//! | made by | freed by |
//! |---|---|
//! | `malloc` and its relatives | `free`, `realloc` |
//! | `new` | `delete`, and the size where it is passed is the one of `new` |
//! | `new[]` | `delete[]`, the same |
//! | `new` or `new[]` with an alignment | `delete` or `delete[]` with one |
//!
//! A program that brings operators of its own keeps them, and nothing is verified: its `new` may call `malloc` and leave the
//! rest to the library. The same where the C++ library is part of another module, which calls its own operators. One that hides
//! them, and whose blocks other modules free, looks like a heap error: `HEAPSMITH_OPERATORS=off`. Where there is no memory the C++ library is asked once more: it calls the new-handler
//! and throws, or says that there is none. It throws through no frame of this library.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

use crate::process::{begun, process};
use crate::{heap_error, serve};

#[cfg(heapsmith_library)]
mod symbols;

/// What made a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Origin {
    /// `malloc` and its relatives, or nothing that is known.
    Malloc,
    /// `new`.
    New,
    /// `new[]`.
    Array,
    /// `new` with an alignment.
    AlignedNew,
    /// `new[]` with an alignment.
    AlignedArray,
}

impl Origin {
    fn of(number: u32) -> Origin {
        match number {
            NEW => Origin::New,
            ARRAY => Origin::Array,
            ALIGNED_NEW => Origin::AlignedNew,
            ALIGNED_ARRAY => Origin::AlignedArray,
            _ => Origin::Malloc,
        }
    }

    /// What makes such blocks, and what frees them.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Origin::Malloc => ("malloc", "free"),
            Origin::New => ("new", "delete"),
            Origin::Array => ("new[]", "delete[]"),
            Origin::AlignedNew => ("aligned new", "aligned delete"),
            Origin::AlignedArray => ("aligned new[]", "aligned delete[]"),
        }
    }
}

const NEW: u32 = Origin::New as u32;
const ARRAY: u32 = Origin::Array as u32;
const ALIGNED_NEW: u32 = Origin::AlignedNew as u32;
const ALIGNED_ARRAY: u32 = Origin::AlignedArray as u32;

/// A block was freed by `free` or `realloc`: ends the program if an operator made it.
pub fn freed(block: NonNull<u8>) {
    let origins = begun().and_then(|process| process.origins.as_ref());
    let origin = origins.map_or(Origin::Malloc, |origins| Origin::of(origins.get(block)));
    if origin != Origin::Malloc {
        heap_error::mismatched(block, origin, Origin::Malloc);
    }
}

/// A block of this origin; null without memory.
#[inline(always)]
fn allocate(size: usize, alignment: usize, origin: u32) -> *mut c_void {
    let Some(block) = serve::allocate(size, alignment) else { return null_mut() };
    if let Some(origins) = &process().origins {
        origins.set(block, origin);
    }
    block.as_ptr().cast()
}

/// Frees a block of this origin, which was made with `size` bytes where the caller knows.
#[inline(always)]
unsafe fn deallocate(block: *mut c_void, origin: u32, size: Option<usize>) {
    let Some(block) = NonNull::new(block.cast::<u8>()) else { return };
    verify(block, Origin::of(origin), size);
    // SAFETY: the caller's promise.
    unsafe { serve::free(block) };
}

/// Ends the program where a live block was made by something else, or with another size. Then it can be freed.
fn verify(block: NonNull<u8>, origin: Origin, size: Option<usize>) {
    let process = process();
    let Some(origins) = &process.origins else { return };
    // What is no live block is found out when it is freed, and large blocks of no heap are not known here.
    let Some(made) = serve::guarded_size(process, block) else { return };
    let by = Origin::of(origins.get(block));
    if by != origin {
        heap_error::mismatched(block, by, origin);
    }
    if let Some(size) = size.filter(|size| *size != made) {
        heap_error::wrong_size(block, made, size);
    }
    origins.set(block, Origin::Malloc as u32);
}

/// What every block is a multiple of.
const ALIGNMENT: usize = 16;

/// `new` of this origin, also where it returns null in place of throwing.
///
/// # Safety
///
/// None is asked for.
pub unsafe extern "C" fn new<const ORIGIN: u32>(size: usize) -> *mut c_void {
    allocate(size, ALIGNMENT, ORIGIN)
}

/// The same with an alignment.
///
/// # Safety
///
/// None is asked for.
pub unsafe extern "C" fn new_aligned<const ORIGIN: u32>(size: usize, alignment: usize) -> *mut c_void {
    allocate(size, alignment.max(ALIGNMENT), ORIGIN)
}

/// `delete` of blocks of this origin.
///
/// # Safety
///
/// As the operator: with a guard, what is wrong is found out.
pub unsafe extern "C" fn delete<const ORIGIN: u32>(block: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { deallocate(block, ORIGIN, None) };
}

/// The same with the size of the block.
///
/// # Safety
///
/// As for [`delete`].
pub unsafe extern "C" fn delete_sized<const ORIGIN: u32>(block: *mut c_void, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { deallocate(block, ORIGIN, Some(size)) };
}
