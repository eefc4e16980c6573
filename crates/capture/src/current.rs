//! The recording of the running process, which its first event begins.
//!
//! The state lies in a page that a forked child sees as zeros, so that a child begins anew with a file of its own. A process
//! that was not asked to record, or no longer can, is `OFF`.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::asked::{Asked, asked};
use crate::format::{FILE_HEADER, GRANULE, MAGIC_FILE, VERSION, header};
use crate::pages::wiped_pages;
use crate::process::{BEGINNING, LONGEST_PATH, NEW, OFF, ON, Process};
use crate::reserve::restricted;
use crate::stack::hash;
use crate::system::{
    EEXIST, ENAMETOOLONG, ENOMEM, MAP_SHARED, O_CREATE_NEW, O_RDONLY_CLOEXEC, O_RDWR_CLOEXEC, close, errno,
    getpid, getppid, map, open_with_mode, posix_fallocate, read, readlink, sched_yield, unlink,
};
use crate::thread::MANY;
use crate::{asked, clock, naming, site, window, witness};

/// Whether this process or one that it was forked from began to record.
static BEGUN: AtomicBool = AtomicBool::new(false);

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(core::ptr::null_mut());

/// The running process, if it records.
pub fn process() -> Option<&'static Process> {
    // A child of a process that restricted its system calls cannot make a file.
    if restricted() && PROCESS.load(Ordering::Acquire).is_null() {
        return None;
    }
    let process = this()?;
    loop {
        match process.state.compare_exchange(NEW, BEGINNING, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                // A forked child has one thread. The program itself may have begun its second
                // before its first event; where nobody sees one begin, every event is stamped.
                if BEGUN.swap(true, Ordering::Relaxed) {
                    MANY.store(cfg!(heapsmith_alone), Ordering::Relaxed);
                }
                let began = process.begin();
                if let Err(error) = began {
                    asked::REFUSED.store(error, Ordering::Relaxed);
                    witness::refused(error);
                }
                process.state.store(if began == Ok(true) { ON } else { OFF }, Ordering::Release);
            }
            Err(ON) => return Some(process),
            Err(OFF) => return None,
            // Another thread opens the file; there is nothing to write to until then.
            // SAFETY: gives up the processor for a while.
            Err(_) => unsafe {
                sched_yield();
            },
        }
    }
}

/// Ends the recording of this process, which goes on.
pub fn end() {
    if let Some(process) = process() {
        process.end();
        process.state.store(OFF, Ordering::Release);
    }
}

/// Ends the recording of this process for this reason, if it records.
#[cfg(heapsmith_alone)]
pub(crate) fn stop(error: c_int) {
    if let Some(process) = process() {
        process.stop(error);
    }
}

/// Functions of the program's own are recorded from now on, in place of `malloc`.
pub fn record_own_functions() {
    asked::OWN_FUNCTIONS.store(true, Ordering::Relaxed);
    // A library that began before has allocated already.
    if let Some(process) = this().filter(|process| process.state.load(Ordering::Acquire) == ON) {
        process.note(header::OWN_FUNCTIONS, 1);
    }
}

/// The program asks how large a block is.
#[inline(always)]
pub fn asks_size() {
    // SAFETY: null, or a process that is never unmapped.
    let process = unsafe { PROCESS.load(Ordering::Acquire).as_ref() };
    if let Some(process) = process.filter(|process| process.state.load(Ordering::Acquire) == ON) {
        let word = process.header_word(header::ASKS_SIZES);
        // Many threads may ask often: a word that is only read is in the caches of all.
        if word.load(Ordering::Relaxed) == 0 {
            word.store(1, Ordering::Relaxed);
        }
    }
}

fn this() -> Option<&'static Process> {
    let mut process = PROCESS.load(Ordering::Acquire);
    if process.is_null() {
        let fresh: *mut Process = wiped_pages(size_of::<Process>()).cast();
        if fresh.is_null() {
            return None;
        }
        process = match PROCESS.compare_exchange(process, fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => fresh,
            Err(other) => other,
        };
    }
    // SAFETY: never unmapped; zeros are a valid `Process`.
    Some(unsafe { &*process })
}

impl Process {
    /// Makes the file and its header; false where nobody asked for it, or the system's error.
    fn begin(&self) -> Result<bool, c_int> {
        let Some(Asked { folder, frames, every, attached }) = asked().filter(|_| !restricted()) else { return Ok(false) };
        let mut executable = [0; header::LONGEST_PATH];
        // SAFETY: the room is as long as it says.
        let length = unsafe { readlink(c"/proc/self/exe".as_ptr(), executable.as_mut_ptr().cast(), executable.len()) };
        let executable = &executable[..length.clamp(0, header::LONGEST_PATH as isize) as usize];
        // SAFETY: only the thread that begins is here, and nobody reads the path before.
        let path = unsafe { &mut *self.path.get() };
        // SAFETY: it ends with a zero.
        let folder = unsafe { core::ffi::CStr::from_ptr(folder) }.to_bytes();
        // SAFETY: asks for two numbers.
        let (pid, parent) = unsafe { (getpid() as u64, getppid() as u64) };
        let length = if frames > 0 { GRANULE } else { FILE_HEADER };
        window::may_grow_to(length as u64)?;
        let file = create(path, folder, executable, pid)?;
        // SAFETY: the file is open.
        let failure = unsafe { posix_fallocate(file, 0, length as i64) };
        let at = if failure == 0 { map(length, MAP_SHARED, file, 0) } else { core::ptr::null_mut() };
        // SAFETY: it was opened above.
        unsafe { close(file) };
        if at.is_null() {
            // SAFETY: the path ends with a zero; an empty file would only be in the way.
            unsafe { unlink(self.path()) };
            return Err(if failure != 0 { failure } else { ENOMEM });
        }
        self.header.store(at.cast(), Ordering::Release);
        self.fill_header(executable, pid, parent);
        if attached {
            self.note(header::ATTACHED, 1);
            self.note(header::NOTED, clock::nanoseconds());
        }
        self.note(header::OWN_FUNCTIONS, asked::OWN_FUNCTIONS.load(Ordering::Relaxed).into());
        site::begin(self, frames);
        self.draw(every as u64, pid);
        self.header_word(header::MAGIC).store(MAGIC_FILE, Ordering::Release);
        Ok(true)
    }

    /// Draws which blocks are recorded.
    fn draw(&self, every: u64, pid: u64) {
        // A forked child has other blocks at the addresses of its parent's.
        let drawn = [pid, clock::nanoseconds(), clock::counter(), self.header.load(Ordering::Relaxed).addr() as u64];
        self.seed.store(hash(&drawn), Ordering::Relaxed);
        self.every.store(every, Ordering::Relaxed);
        self.note(header::SAMPLE, every);
    }

    fn fill_header(&self, executable: &[u8], pid: u64, parent: u64) {
        let counter = clock::counter_is_invariant();
        self.counter.store(counter, Ordering::Relaxed);
        self.granules.store(1, Ordering::Relaxed);
        let at: *mut u8 = self.header.load(Ordering::Acquire).cast();
        // SAFETY: the header is mapped; path and command line have these places in it.
        let command_length = unsafe {
            core::ptr::copy_nonoverlapping(executable.as_ptr(), at.add(header::PATH * 8), executable.len());
            read_command(core::slice::from_raw_parts_mut(at.add(header::COMMAND * 8), header::LONGEST_COMMAND))
        };
        let set = |word, value| self.note(word, value);
        set(header::VERSION, VERSION);
        set(header::PID, pid);
        set(header::PARENT, parent);
        set(header::COUNTER, u64::from(counter));
        set(header::START_TIME, clock::nanoseconds());
        set(header::START_TICKS, clock::ticks(counter));
        set(header::PATH_LENGTH, executable.len() as u64);
        set(header::COMMAND_LENGTH, command_length as u64);
    }
}

/// Creates the file under a name that is still free.
fn create(path: &mut [u8; LONGEST_PATH], folder: &[u8], executable: &[u8], pid: u64) -> Result<c_int, c_int> {
    for number in 0..1000 {
        naming::name(path, folder, executable, pid, number).ok_or(ENAMETOOLONG)?;
        // SAFETY: the path ends with a zero.
        let file = unsafe { open_with_mode(path.as_ptr().cast(), O_RDWR_CLOEXEC | O_CREATE_NEW, 0o666) };
        if file >= 0 {
            return Ok(file);
        }
        if errno() != EEXIST {
            return Err(errno());
        }
    }
    Err(EEXIST)
}

fn read_command(to: &mut [u8]) -> usize {
    // SAFETY: the path ends with a zero.
    let file = unsafe { open_with_mode(c"/proc/self/cmdline".as_ptr(), O_RDONLY_CLOEXEC, 0) };
    if file < 0 {
        return 0;
    }
    // SAFETY: the room is as long as it says; the file was just opened.
    let length = unsafe {
        let length = read(file, to.as_mut_ptr().cast(), to.len());
        close(file);
        length
    };
    length.max(0) as usize
}
