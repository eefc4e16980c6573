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
//! A function that is left by `longjmp` or an exception is taken for ended when its thread calls one from further up its stack.

use core::arch::global_asm;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

#[cfg(not(heapsmith_alone))]
use heapsmith_capture::asked::OWN_FUNCTIONS;
use heapsmith_capture::current::record_own_functions;
use heapsmith_capture::event::Event;
use heapsmith_capture::format::operation;
use heapsmith_capture::local;
use heapsmith_capture::own_functions::{Function, JUMP, LIMIT, Role, VARIABLE, read};
use heapsmith_capture::record::record_from;
use heapsmith_capture::site;
use heapsmith_capture::stack::Caller;
use heapsmith_capture::system::{
    Image, MAP_FIXED_NOREPLACE, MAP_PRIVATE_ANONYMOUS, PROT_READ_EXECUTE, PROT_READ_WRITE, PROT_READ_WRITE_EXECUTE,
    dl_iterate_phdr, getenv, mmap, mprotect, munmap, readlink,
};

use crate::c_library;

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
#[cfg(not(heapsmith_alone))]
#[inline(always)]
pub fn instead() -> bool {
    OWN_FUNCTIONS.load(Ordering::Relaxed)
}

/// A function of the program, as the hook knows it.
struct Own {
    role: AtomicU8,
    /// Where its moved instructions are.
    moved: AtomicPtr<c_void>,
}

static OWN: [Own; LIMIT] = [const { Own { role: AtomicU8::new(0), moved: AtomicPtr::new(null_mut()) } }; LIMIT];

/// What [`heapsmith_own_entry`] has on its stack: a call of the program.
#[repr(C)]
pub struct Call {
    /// The moved instructions of the function.
    moved: usize,
    /// Whether it is recorded; 0 for a call from inside the allocator, and of what gives no blocks.
    recorded: usize,
    /// The block that ends, 0 for none; or where `posix_memalign` writes the address of one.
    ends: usize,
    size: usize,
    alignment: usize,
    role: usize,
    /// The registers that a call may change, but for those of vectors: r11, r10, r9, r8.
    others: [usize; 4],
    rdi: usize,
    rsi: usize,
    rdx: usize,
    rcx: usize,
    rax: usize,
    /// Of the caller.
    rbp: u64,
    /// Of the function, in [`OWN`]; of a call that is not recorded, where the function is.
    number: usize,
    /// Where the call returns to.
    back: u64,
}

// A compiler that sees a function together with its callers knows which registers it leaves alone, and that it needs no
// alignment of the stack. So all of them are kept but the flags and the upper halves of vectors, and the function itself
// gets the registers as they came; only arguments on the stack are not where it looks for them.
global_asm!(
    ".pushsection .text.heapsmith_own_entry, \"ax\", @progbits",
    ".hidden heapsmith_own_entry",
    ".globl heapsmith_own_entry",
    ".type heapsmith_own_entry, @function",
    "heapsmith_own_entry:",
    ".cfi_startproc simple",
    ".cfi_def_cfa rsp, 16",
    ".cfi_offset rip, -8",
    "endbr64",
    "push rbp",
    ".cfi_def_cfa_offset 24",
    ".cfi_offset rbp, -24",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "sub rsp, 120",
    "and rsp, -16",
    "sub rsp, 256",
    ".macro heapsmith_keep",
    "mov [rbp - 8], rax",
    "mov [rbp - 16], rcx",
    "mov [rbp - 24], rdx",
    "mov [rbp - 32], rsi",
    "mov [rbp - 40], rdi",
    "mov [rbp - 48], r8",
    "mov [rbp - 56], r9",
    "mov [rbp - 64], r10",
    "mov [rbp - 72], r11",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "movaps [rsp + 16 * \\n], xmm\\n",
    ".endr",
    ".endm",
    ".macro heapsmith_take_back",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "movaps xmm\\n, [rsp + 16 * \\n]",
    ".endr",
    "mov rax, [rbp - 8]",
    "mov rcx, [rbp - 16]",
    "mov rdx, [rbp - 24]",
    "mov rsi, [rbp - 32]",
    "mov rdi, [rbp - 40]",
    "mov r8, [rbp - 48]",
    "mov r9, [rbp - 56]",
    "mov r10, [rbp - 64]",
    "mov r11, [rbp - 72]",
    ".endm",
    "heapsmith_keep",
    "lea rdi, [rbp - 120]",
    "call {before}",
    "heapsmith_take_back",
    "cmp qword ptr [rbp - 112], 0",
    "je 2f",
    "call qword ptr [rbp - 120]",
    "heapsmith_keep",
    "lea rdi, [rbp - 120]",
    "call {after}",
    "heapsmith_take_back",
    "mov rsp, rbp",
    "pop rbp",
    ".cfi_remember_state",
    ".cfi_def_cfa rsp, 16",
    // The number.
    "lea rsp, [rsp + 8]",
    ".cfi_def_cfa_offset 8",
    "ret",
    // A call that is not recorded: the function gets the stack as it came, arguments on it included. Its moved
    // instructions are where the number was.
    "2:",
    ".cfi_restore_state",
    "mov rsp, rbp",
    "pop rbp",
    ".cfi_def_cfa rsp, 16",
    "ret",
    ".cfi_endproc",
    ".size heapsmith_own_entry, . - heapsmith_own_entry",
    ".popsection",
    before = sym before,
    after = sym after,
);

unsafe extern "C" {
    fn heapsmith_own_entry();
}

/// Records what a call of the program ends.
///
/// # Safety
///
/// Called by [`heapsmith_own_entry`] with what it has kept.
unsafe extern "C" fn before(call: &mut Call) {
    let own = &OWN[call.number % LIMIT];
    let role = Role::ALL[usize::from(own.role.load(Ordering::Relaxed)) % Role::ALL.len()];
    let (a, b, c) = (call.rdi, call.rsi, call.rdx);
    call.moved = own.moved.load(Ordering::Relaxed) as usize;
    call.role = role as usize;
    // A call that a jump has left behind is above this one on the stack.
    let here = (&raw const *call) as usize;
    call.recorded = (local::inside() == 0 || local::inside() <= here).into();
    (call.ends, call.size, call.alignment) = match role {
        Role::Malloc => (0, a, 0),
        Role::Calloc => (0, a.wrapping_mul(b), 0),
        Role::Realloc => (a, b, 0),
        Role::Free => (a, 0, 0),
        Role::Memalign => (0, b, a),
        // Where the block's address will be, until the function has written it there.
        Role::PosixMemalign => (a, c, b),
        Role::MallocAligned => (0, a, b),
        Role::Mallocx => (0, a, 1_usize.wrapping_shl(b as u32 & 63) & !1),
        // What does not fit is refused by the function.
        Role::Reallocarray => (a, b.saturating_mul(c), 0),
        Role::Valloc => (0, a, PAGE),
        _ => (0, 0, 0),
    };
    if !role.is_of_blocks() && !c_library::before(role, a, b, c) {
        call.recorded = 0;
    }
    if call.recorded == 0 {
        call.number = call.moved;
        return;
    }
    if role == Role::ThreadDestructors {
        return;
    }
    if call.ends != 0 && role != Role::PosixMemalign {
        let operation = if role == Role::Free { operation::FREE } else { operation::REALLOCATE_BEGINS };
        note(call, operation, call.ends, 0, 0);
    }
    local::set_inside(here);
}

/// Records what a call of the program began.
///
/// # Safety
///
/// As [`before`], of a call that is recorded; the function has returned.
unsafe extern "C" fn after(call: &Call) {
    local::set_inside(0);
    let role = Role::ALL[call.role % Role::ALL.len()];
    if !role.is_of_blocks() {
        return c_library::after();
    }
    let (ends, block) = match role {
        Role::Free => return,
        // SAFETY: the function has written the block's address there, as it did not fail.
        Role::PosixMemalign if call.rax as c_int == 0 => (0, unsafe { (call.ends as *const usize).read() }),
        Role::PosixMemalign => (0, 0),
        _ => (call.ends, call.rax),
    };
    if (ends | block) != 0 {
        let operation = if ends == 0 { operation::ALLOCATE } else { operation::REALLOCATE_ENDS };
        // What is no power of two is rounded up, as the C library does.
        let alignment = if call.alignment == 0 { 0 } else { call.alignment.checked_next_power_of_two().unwrap_or(0) };
        note(call, operation, block, call.size, alignment);
    }
}

fn note(call: &Call, operation: u64, address: usize, size: usize, alignment: usize) {
    let event = Event { operation, address, size, alignment };
    let caller = Caller { return_at: &raw const call.back, rbp: call.rbp };
    let caller = if event.has_site() && site::wanted() { caller } else { Caller::NONE };
    // SAFETY: this is a hook, and the caller's frame is there.
    unsafe { record_from(event, caller) };
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
        // push number; jmp qword ptr [rip + 5], and that word.
        let [n0, n1, n2, n3] = number.to_le_bytes();
        (stub as *mut [u8; 16]).write([0x68, n0, n1, n2, n3, 0xFF, 0x25, 5, 0, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90]);
        ((stub + 16) as *mut usize).write(heapsmith_own_entry as *const () as usize);
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
