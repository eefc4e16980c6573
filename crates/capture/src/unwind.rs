//! A walk up the stack by the tables that compilers leave for exceptions.
//!
//! Distributions build without frame pointers, so a chain of them ends at the first frame.
//! On x86-64 every program has unwind tables (`.eh_frame`); what they say of one place in
//! the code, where its caller's frame is, fits into 30 bits and is remembered:
//!
//! ```text
//!   pc  46 … 13      12 … 0            entry   63 … 30   29 … 12    11 … 3       2       1      0
//!       tag          place in RULES            tag       CFA / 8    saved rbp    by rbp  stop   known
//!                                                        offset     (CFA − 8n)
//! ```
//!
//! Invariants:
//!
//! - **U1**: a rule is one word, so every reader gets a whole rule, and its tag is the rest
//!   of the address, so it is the right one.
//! - **U2**: only words between the hook's frame and the end of the thread's stack are read, whatever
//!   a table says; a walk goes up only. A stack whose end is unknown gives one frame.
//! - **U3**: nothing here locks or allocates: modules are found by the C library's `_dl_find_object`
//!   (glibc 2.35), which exceptions need to be so.
//!
//! Functions that keep their frame otherwise than by `rsp` or `rbp` end the walk, as code without
//! tables does. Cost: some ten instructions a frame, and once a table look-up for a place in the code.
//!
//! Source: DWARF 4 §6.4; System V ABI for x86-64 §3.7; Linux Standard Base, `.eh_frame_hdr`.

use core::arch::asm;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crate::cfi;
use crate::stack::Caller;
use crate::system::{Object, RTLD_DEFAULT, dlsym};

const PLACES: usize = 1 << 13;
const TAG_AT: u32 = 30;
const KNOWN: u64 = 1;
const STOP: u64 = 2;
const BY_RBP: u64 = 4;
const SAVED_AT: u32 = 3;
const OFFSET_AT: u32 = 12;

static RULES: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
static FIND: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
/// The end of the first thread's stack.
static STACK_END: AtomicUsize = AtomicUsize::new(0);

/// The most that a stack is taken to be.
const LARGEST_STACK: usize = 256 << 20;

/// Looks up what the walk needs; says whether modules can be found.
pub fn prepare() -> bool {
    // SAFETY: the names end with zeros; the second is that of a pointer.
    unsafe {
        FIND.store(dlsym(RTLD_DEFAULT, c"_dl_find_object".as_ptr()), Ordering::Relaxed);
        let end: *const usize = dlsym(RTLD_DEFAULT, c"__libc_stack_end".as_ptr()).cast();
        STACK_END.store(end.as_ref().copied().unwrap_or(0), Ordering::Relaxed);
    }
    !FIND.load(Ordering::Relaxed).is_null()
}

/// The module that an address is in.
pub fn object(address: u64) -> Option<Object> {
    let find = FIND.load(Ordering::Relaxed);
    if find.is_null() {
        return None;
    }
    let mut object = Object::NONE;
    // SAFETY: the C library's function of that name has this signature, and writes no more than
    // its structure, which is as long as this one.
    let outcome = unsafe {
        let find = core::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64, *mut Object) -> i32>(find);
        find(address, &mut object)
    };
    (outcome == 0 && !object.link.is_null()).then_some(object)
}

/// Return addresses from the hook's caller on; how many there are, at least one.
///
/// # Safety
///
/// The caller's frame is still there.
pub unsafe fn walk(caller: Caller, frames: &mut [u64]) -> usize {
    let mut sp = caller.return_at as usize + 8;
    let mut rbp = caller.rbp as usize;
    // SAFETY: the frame is there.
    let mut pc = unsafe { *caller.return_at };
    let end = end_of_stack(sp);
    let mut count = 0;
    loop {
        frames[count] = pc;
        count += 1;
        if count == frames.len() {
            return count;
        }
        let rule = rule(pc);
        if rule & STOP != 0 {
            return count;
        }
        let base = if rule & BY_RBP != 0 { rbp } else { sp };
        let cfa = base.wrapping_add(((rule >> OFFSET_AT) as usize & ((1 << (TAG_AT - OFFSET_AT)) - 1)) * 8);
        let saved = cfa.wrapping_sub(((rule >> SAVED_AT) as usize & ((1 << (OFFSET_AT - SAVED_AT)) - 1)) * 8);
        if cfa < sp + 8 || cfa > end || cfa % 8 != 0 || saved < sp {
            return count;
        }
        // SAFETY: both words lie between the hook's frame and the end of the stack (U2).
        unsafe {
            if saved != cfa {
                rbp = *(saved as *const usize);
            }
            pc = *((cfa - 8) as *const u64);
        }
        if pc < 4096 || pc >> 47 != 0 {
            return count;
        }
        sp = cfa;
    }
}

/// Where the stack that `sp` is on ends; 0 for a stack that nothing is known of.
fn end_of_stack(sp: usize) -> usize {
    let block: usize;
    // SAFETY: reads the thread pointer. The C library keeps what it knows of a thread at the end
    // of that thread's stack; the first thread's stack is another.
    unsafe { asm!("mov {}, qword ptr fs:[0]", out(reg) block, options(nostack, preserves_flags, readonly)) };
    let ends = [STACK_END.load(Ordering::Relaxed), block];
    let mine = ends.into_iter().filter(|&end| sp <= end && end - sp <= LARGEST_STACK);
    mine.min().unwrap_or(0)
}

/// What to do at a return address.
fn rule(pc: u64) -> u64 {
    let place = &RULES[pc as usize % PLACES];
    let tag = pc >> PLACES.trailing_zeros();
    let found = place.load(Ordering::Relaxed);
    if found & KNOWN != 0 && found >> TAG_AT == tag {
        return found;
    }
    // A call may be the last instruction of a function; the return address is then another's.
    let rule = tag << TAG_AT | look_up(pc - 1).unwrap_or(STOP) | KNOWN;
    place.store(rule, Ordering::Relaxed);
    rule
}

#[cold]
fn look_up(pc: u64) -> Option<u64> {
    let object = object(pc).filter(|object| !object.tables.is_null())?;
    // SAFETY: the C library says that the module and its tables are there.
    let frame = unsafe { cfi::frame(object.tables, pc)? };
    let eighth = |offset: i64, bits: u32| {
        let fits = offset >= 0 && offset % 8 == 0 && offset / 8 < 1 << bits;
        fits.then_some(offset as u64 / 8)
    };
    let offset = eighth(frame.offset, TAG_AT - OFFSET_AT)?;
    let saved = eighth(frame.rbp_saved_below.unwrap_or(0), OFFSET_AT - SAVED_AT)?;
    let by_rbp = if frame.by_rbp { BY_RBP } else { 0 };
    Some(offset << OFFSET_AT | saved << SAVED_AT | by_rbp)
}
