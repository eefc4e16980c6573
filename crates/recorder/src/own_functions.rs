//! Hooks of a program's own allocator: a jump at the beginning of each of its functions.
//!
//! ```text
//!   program ──call──▶ function: jmp ──▶ stub: jmp [hook] ──▶ hook ──▶ moved instructions ──jmp──▶ the function behind them
//! ```
//!
//! Where the functions are and what can be moved was found by the command (crate `heapsmith-recording`); it is all done here
//! or not at all, before the program's first instruction. `malloc` is not recorded any more then: those functions are asked
//! in its place. What one of them asks another for is not recorded either, as the program did not ask for it.
//!
//! A function that is left by `longjmp` or an exception leaves its thread unrecorded.

use core::ffi::{CStr, c_int, c_void};
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use heapsmith_capture::asked::OWN_FUNCTIONS;
use heapsmith_capture::current::record_own_functions;
use heapsmith_capture::event::Event;
use heapsmith_capture::format::operation;
use heapsmith_capture::local;
use heapsmith_capture::own_functions::{Function, JUMP, LIMIT, Role, VARIABLE, read};
use heapsmith_capture::record::record;
use heapsmith_capture::system::{
    Image, MAP_FIXED_NOREPLACE, MAP_PRIVATE_ANONYMOUS, PROT_READ_EXECUTE, PROT_READ_WRITE, PROT_READ_WRITE_EXECUTE,
    dl_iterate_phdr, getenv, mmap, mprotect, munmap, readlink,
};

/// Bytes of a page.
const PAGE: usize = 4096;
/// Bytes for the stub and the moved instructions of a function.
const ROOM: usize = 128;
/// Bytes of a stub: its number, a jump, and where to.
const STUB: usize = 24;
/// How far a jump reaches, with a margin for the program itself.
const REACH: usize = 3 << 29;
/// Bytes between two places that are tried.
const STEP: usize = 1 << 20;

/// Whether the program's own functions are recorded, in place of `malloc`.
#[inline(always)]
pub fn instead() -> bool {
    OWN_FUNCTIONS.load(Ordering::Relaxed)
}

/// A function of the program: what it takes is in these registers.
type Code = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> usize;

/// A function of the program, as the hook knows it.
struct Own {
    role: AtomicU8,
    /// Where its moved instructions are.
    moved: AtomicPtr<c_void>,
}

static OWN: [Own; LIMIT] = [const { Own { role: AtomicU8::new(0), moved: AtomicPtr::new(null_mut()) } }; LIMIT];

/// What is called in place of the function with this number. The stub puts that into the register of a sixth argument, which
/// no such function has.
///
/// # Safety
///
/// As that function.
unsafe extern "C" fn hook(a: usize, b: usize, c: usize, d: usize, e: usize, number: usize) -> usize {
    let own = &OWN[number % LIMIT];
    let role = Role::ALL[usize::from(own.role.load(Ordering::Relaxed)) % Role::ALL.len()];
    // SAFETY: it was written before the jump that leads here, and is a function that takes no more registers.
    let moved = unsafe { transmute::<*mut c_void, Code>(own.moved.load(Ordering::Relaxed)) };
    if local::inside() {
        // SAFETY: the caller's promise.
        return unsafe { moved(a, b, c, d, e) };
    }
    let (ends, size, alignment) = match role {
        Role::Malloc => (0, a, 0),
        Role::Calloc => (0, a.wrapping_mul(b), 0),
        Role::Realloc => (a, b, 0),
        Role::Free => (a, 0, 0),
        Role::Memalign => (0, b, a),
        Role::PosixMemalign => (0, c, b),
        Role::MallocAligned => (0, a, b),
        Role::Mallocx => (0, a, 1_usize.wrapping_shl(b as u32 & 63) & !1),
        Role::Reallocarray => (a, b.wrapping_mul(c), 0),
        Role::Valloc => (0, a, PAGE),
    };
    if ends != 0 {
        let operation = if role == Role::Free { operation::FREE } else { operation::REALLOCATE_BEGINS };
        // SAFETY: this is a hook.
        unsafe { record(Event { operation, address: ends, size: 0, alignment: 0 }) };
    }
    local::set_inside(true);
    // SAFETY: the caller's promise.
    let result = unsafe { moved(a, b, c, d, e) };
    local::set_inside(false);
    let block = match role {
        Role::Free => 0,
        // SAFETY: the function has written the block's address there, as it did not fail.
        Role::PosixMemalign if result as c_int == 0 => unsafe { (a as *const usize).read() },
        Role::PosixMemalign => 0,
        _ => result,
    };
    if role != Role::Free && (ends | block) != 0 {
        let operation = if ends == 0 { operation::ALLOCATE } else { operation::REALLOCATE_ENDS };
        // What is no power of two is rounded up, as the C library does.
        let alignment = if alignment == 0 { 0 } else { alignment.checked_next_power_of_two().unwrap_or(0) };
        // SAFETY: this is a hook.
        unsafe { record(Event { operation, address: block, size, alignment }) };
    }
    result
}

/// Puts the jumps in place, if the command asked for it and this is its program; all of them or none.
pub fn begin() {
    // SAFETY: the name ends with a zero; what is found is the environment's, ends with a zero, and stays while this runs.
    let text = unsafe {
        let text = getenv(VARIABLE.as_ptr());
        if text.is_null() {
            return;
        }
        CStr::from_ptr(text).to_bytes()
    };
    let mut functions = [Function::NONE; LIMIT];
    if let Some((count, program)) = read(text, &mut functions)
        && is_this(program)
    {
        // SAFETY: this is the program that the functions are of, and it has not begun.
        if unsafe { jump(&functions[..count]) }.is_some() {
            record_own_functions();
        }
    }
}

/// Whether this process runs the program with this path.
fn is_this(program: &[u8]) -> bool {
    let mut path = [0_u8; PAGE];
    // SAFETY: the name ends with a zero, and the path has as many bytes.
    let length = unsafe { readlink(c"/proc/self/exe".as_ptr(), path.as_mut_ptr().cast(), path.len()) };
    usize::try_from(length).is_ok_and(|length| path[..length] == *program)
}

/// # Safety
///
/// No thread runs the program's functions, and they are this program's.
unsafe fn jump(functions: &[Function]) -> Option<()> {
    let mut bias = 0_usize;
    // SAFETY: the visitor gets the pointer that it expects.
    unsafe { dl_iterate_phdr(visit_program, (&raw mut bias).cast()) };
    for Function { address, before, .. } in functions {
        // SAFETY: the bytes are the program's code, unless its file has changed.
        let code = unsafe { core::slice::from_raw_parts((bias + address) as *const u8, before.bytes().len()) };
        if code != before.bytes() {
            return None;
        }
    }
    let bytes = (functions.len() * ROOM).next_multiple_of(PAGE);
    let room = near(bias + functions.first()?.address, bytes)?;
    for (number, (function, own)) in functions.iter().zip(&OWN).enumerate() {
        let stub = room + number * ROOM;
        // SAFETY: the room is mapped, and its part for this function is long enough.
        unsafe { write(function, bias, stub, number as u32) }?;
        own.role.store(function.role as u8, Ordering::Relaxed);
        own.moved.store((stub + STUB) as *mut c_void, Ordering::Relaxed);
    }
    // SAFETY: the room is nobody else's.
    if unsafe { mprotect(room as *mut c_void, bytes, PROT_READ_EXECUTE) } != 0 {
        return None;
    }
    // Whether all may be written to is known before one is.
    let allowed = functions.iter().all(|function| protect(bias + function.address, PROT_READ_WRITE_EXECUTE));
    for (number, function) in functions.iter().enumerate() {
        let at = bias + function.address;
        if allowed {
            // SAFETY: the bytes are whole instructions that nobody runs, and the page may be written to.
            unsafe { put_jump(at, room + number * ROOM)? };
        }
    }
    // Only now, as two functions may be in one page.
    functions.iter().for_each(|function| _ = protect(bias + function.address, PROT_READ_EXECUTE));
    allowed.then_some(())
}

/// Writes a stub that leads to the hook, and behind it the moved instructions of the function.
///
/// # Safety
///
/// There are [`ROOM`] bytes at `stub`.
unsafe fn write(function: &Function, bias: usize, stub: usize, number: u32) -> Option<()> {
    let Function { before, moved, fixes, .. } = function;
    let (from, to) = (bias + function.address, stub + STUB);
    // SAFETY: a stub, at most 64 bytes and a jump fit.
    unsafe {
        // mov r9d, number; jmp qword ptr [rip + 4], and that word.
        let [n0, n1, n2, n3] = number.to_le_bytes();
        (stub as *mut [u8; 16]).write([0x41, 0xB9, n0, n1, n2, n3, 0xFF, 0x25, 4, 0, 0, 0, 0x90, 0x90, 0x90, 0x90]);
        ((stub + 16) as *mut usize).write(hook as *const () as usize);
        core::ptr::copy_nonoverlapping(moved.bytes().as_ptr(), to as *mut u8, moved.bytes().len());
        for at in fixes.bytes() {
            let at = (to + usize::from(*at)) as *mut i32;
            let distance = i64::from(at.read_unaligned()) + from as i64 - to as i64;
            at.write_unaligned(i32::try_from(distance).ok()?);
        }
        let behind = to + moved.bytes().len();
        put_jump(behind, from + before.bytes().len())
    }
}

/// Writes a jump.
///
/// # Safety
///
/// [`JUMP`] bytes may be written to at `at`.
unsafe fn put_jump(at: usize, target: usize) -> Option<()> {
    let distance = i32::try_from(target as i64 - (at + JUMP) as i64).ok()?.to_le_bytes();
    let [a, b, c, d] = distance;
    // SAFETY: the caller's promise.
    unsafe { (at as *mut [u8; JUMP]).write([0xE9, a, b, c, d]) };
    Some(())
}

/// Memory that a jump reaches from `at`: below, where nothing grows, or else far above.
fn near(at: usize, bytes: usize) -> Option<usize> {
    let base = at & !(STEP - 1);
    let below = (1..REACH / STEP).map_while(|step| base.checked_sub(step * STEP).filter(|at| *at > 0));
    let above = (1..REACH / STEP).rev().map(|step| base + step * STEP);
    below.chain(above).find(|at| {
        let flags = MAP_PRIVATE_ANONYMOUS | MAP_FIXED_NOREPLACE;
        // SAFETY: a mapping at a place that is free touches no memory that is in use.
        let found = unsafe { mmap(*at as *mut c_void, bytes, PROT_READ_WRITE, flags, -1, 0) };
        let elsewhere = found as usize != usize::MAX && found as usize != *at;
        if elsewhere {
            // An old system takes the place for a wish.
            // SAFETY: it was mapped just now.
            unsafe { munmap(found, bytes) };
        }
        found as usize == *at
    })
}

/// Sets what the pages of a jump at `at` are for.
fn protect(at: usize, protection: c_int) -> bool {
    let first = at & !(PAGE - 1);
    // SAFETY: the pages have the program's code, which may be read and run before and after.
    unsafe { mprotect(first as *mut c_void, (at + JUMP).next_multiple_of(PAGE) - first, protection) == 0 }
}

/// Notes what an address in the program's file is less than in memory. The program is the first module.
unsafe extern "C" fn visit_program(image: *const Image, _: usize, bias: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker's image of a module; the other pointer is that of `jump`.
    unsafe { *bias.cast::<usize>() = (*image).bias };
    1
}
