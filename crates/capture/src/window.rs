//! Windows: taken from the file, and written behind it when they are full.
//!
//! No file stays open: a program may close every descriptor that it does not know, and
//! open its own under the same number. A file that grows beyond a limit, a full disk or a
//! folder that can no longer be reached ends the recording, with the cause in the header.
//! A window's bytes are on the disk before it is mapped, so writing to it cannot fail.
//!
//! A program that restricts its system calls (seccomp) is recorded on without any: [`restrict`] maps a reserve before,
//! from which windows and blocks are taken then. When it is used up, the recording ends. A program that lowers its own limits
//! (of files, of descriptors) has the same reserve, for when the system refuses.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::asked::is_left;
use crate::clock;
use crate::format::{BLOCK_HEADER, GRANULE, LEFT, MAGIC_BLOCK, OPERATION_BITS, RESTRICTED_CALLS, operation};
use crate::process::Process;
use crate::reserve::{RESERVED, restricted, set_restricted};
use crate::system::{
    EFBIG, EINTR, ENOMEM, ENOSPC, Limit, MAP_SHARED, O_RDWR_CLOEXEC, RLIMIT_FSIZE, close, errno, getrlimit, map, open_with_mode,
    posix_fallocate, pwrite,
};
use crate::thread::{SLACK, Thread};

/// The process is about to restrict its system calls: what the recording needs from the system is taken now.
pub fn restrict(process: Option<&Process>) {
    process.into_iter().for_each(reserve);
    set_restricted(true);
}

/// Takes from the system what the recording may need when the system gives no more. Without a reserve the recording continues
/// until its windows are full.
pub fn reserve(process: &Process) {
    if process.reserve.is_filled() {
        return;
    }
    let first = process.granules.fetch_add(RESERVED, Ordering::Relaxed);
    if let Ok(at) = map_granules(process, first, RESERVED) {
        process.reserve.fill(first, at);
    }
}

/// Gives a thread its first window.
pub fn open_window(process: &Process, thread: &mut Thread) -> Result<(), c_int> {
    let (granule, at) = if restricted() {
        process.reserve.take()?
    } else {
        let granule = process.granules.fetch_add(1, Ordering::Relaxed);
        match map_granules(process, granule, 1) {
            Ok(at) => (granule, at),
            Err(error) => process.reserve.take().map_err(|_| error)?,
        }
    };
    let words: *mut u64 = at.cast();
    // SAFETY: a granule was mapped.
    unsafe {
        words.add(1).write(granule);
        thread.state = words.add(2).cast::<AtomicU64>();
        (*thread.state).store(0, Ordering::Release);
        words.write(MAGIC_BLOCK);
    }
    thread.granule = granule;
    thread.sequence = 0;
    thread.counter = process.counter.load(Ordering::Relaxed);
    thread.sample = process.sample();
    begin(thread, at);
    Ok(())
}

/// Puts granules behind the file's end, and maps them.
fn map_granules(process: &Process, first: u64, count: u64) -> Result<*mut u8, c_int> {
    let file = open_within(process, first + count - 1)?;
    let (offset, length) = (first * GRANULE as u64, count as usize * GRANULE);
    // SAFETY: the file is open.
    let failure = unsafe { posix_fallocate(file, offset as i64, length as i64) };
    let at = if failure == 0 { map(length, MAP_SHARED, file, offset) } else { core::ptr::null_mut() };
    // SAFETY: it was opened here.
    unsafe { close(file) };
    match failure {
        0 if !at.is_null() => Ok(at),
        0 => Err(ENOMEM),
        failure => Err(failure),
    }
}

/// Writes a full window behind the file's end, and begins it again.
pub fn flush(process: &Process, thread: &mut Thread) -> Result<(), c_int> {
    if is_left(process) {
        return Err(LEFT);
    }
    let at = thread.state.cast::<u8>().wrapping_sub(16).cast_mut();
    let length = thread.cursor as usize - at as usize;
    let written = if restricted() { Err(RESTRICTED_CALLS) } else { append(process, at, length) };
    if let Err(error) = written {
        let (_, to) = process.reserve.take().map_err(|_| error)?;
        // SAFETY: both are granules of this process's own, the window and one of the reserve.
        unsafe { core::ptr::copy_nonoverlapping(at, to, length) };
    }
    thread.sequence += 1;
    begin(thread, at);
    Ok(())
}

/// Writes a block behind the file's end.
fn append(process: &Process, from: *const u8, length: usize) -> Result<(), c_int> {
    let granule = process.granules.fetch_add(1, Ordering::Relaxed);
    let file = open_within(process, granule)?;
    let outcome = write_all(file, from, length, granule * GRANULE as u64);
    // SAFETY: it was opened here.
    unsafe { close(file) };
    outcome
}

/// Points a thread at the beginning of its window, says who writes and what the clock says,
/// and forgets with the same store what was there before.
fn begin(thread: &mut Thread, at: *mut u8) {
    let first = at.wrapping_add(BLOCK_HEADER);
    thread.cursor = first.cast();
    thread.end = at.wrapping_add(GRANULE - SLACK).cast();
    thread.bias = (thread.sequence << 32).wrapping_sub(first as u64);
    introduce(thread);
}

/// Writes down which thread writes from here on, and what the clock says.
pub fn introduce(thread: &mut Thread) {
    // SAFETY: a window that has just been begun has room, and one that is handed on has it by T1.
    unsafe {
        thread.put(thread.number << OPERATION_BITS | operation::THREAD);
        thread.put_clock(clock::ticks(thread.counter));
    }
    thread.shared = 0;
    thread.publish();
}

/// Opens the file to write this granule, if a file may be that long.
fn open_within(process: &Process, granule: u64) -> Result<c_int, c_int> {
    may_grow_to((granule + 1) * GRANULE as u64)?;
    // SAFETY: the path ends with a zero.
    let file = unsafe { open_with_mode(process.path(), O_RDWR_CLOEXEC, 0) };
    if file < 0 { Err(errno()) } else { Ok(file) }
}

/// Whether a file may be so long. Going over the limit would send a signal to the program.
pub fn may_grow_to(length: u64) -> Result<(), c_int> {
    let mut limit = Limit { current: 0, maximum: 0 };
    // SAFETY: `limit` is a limit to be written to.
    let known = unsafe { getrlimit(RLIMIT_FSIZE, &mut limit) } == 0;
    if known && length > limit.current { Err(EFBIG) } else { Ok(()) }
}

fn write_all(file: c_int, from: *const u8, length: usize, offset: u64) -> Result<(), c_int> {
    let mut done = 0;
    while done < length {
        // SAFETY: `length` bytes from `from` are the window's.
        let wrote = unsafe { pwrite(file, from.add(done).cast(), length - done, (offset + done as u64) as i64) };
        match wrote {
            0 => return Err(ENOSPC),
            1.. => done += wrote as usize,
            _ if errno() == EINTR => {}
            _ => return Err(errno()),
        }
    }
    Ok(())
}
