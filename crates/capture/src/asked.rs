//! Who asked for a recording: the environment that the program was started with, or a command that attached itself to the
//! running program.
//!
//! A command that is gone cannot end the recording that it began. So it notes the time in the file's header as long as it is
//! there, and a recording whose command has noted nothing for [`PATIENCE`] nanoseconds ends itself.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use crate::format::{MAX_FRAMES, header};
use crate::process::Process;
use crate::system::{getenv, getpid};
use crate::clock;

/// Nanoseconds for which the command may note nothing.
const PATIENCE: u64 = 30_000_000_000;

/// The process that a command attached itself to; 0 for none.
static ATTACHED: AtomicI32 = AtomicI32::new(0);
static FOLDER: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());
static FRAMES: AtomicUsize = AtomicUsize::new(0);
static EVERY: AtomicUsize = AtomicUsize::new(0);

/// Whether functions of the program's own are recorded, in place of `malloc`.
pub static OWN_FUNCTIONS: AtomicBool = AtomicBool::new(false);

/// What is asked for of this process.
pub struct Asked {
    /// Where its recording goes, with a final zero.
    pub folder: *const c_char,
    /// The most frames of a call site.
    pub frames: usize,
    /// One block in this many is recorded; 0 and 1 are all.
    pub every: usize,
    /// Whether a command attached itself.
    pub attached: bool,
}

/// What is asked for of this process, if anything is. A child of a process that a command attached itself to is not
/// recorded.
pub fn asked() -> Option<Asked> {
    match ATTACHED.load(Ordering::Acquire) {
        0 => {
            // SAFETY: the name ends with a zero.
            let folder = unsafe { getenv(c"HEAPSMITH_RECORD".as_ptr()) };
            let frames = || number(c"HEAPSMITH_SITES").min(MAX_FRAMES);
            (!folder.is_null()).then(|| Asked {
                folder,
                frames: frames(),
                every: number(c"HEAPSMITH_SAMPLE"),
                attached: false,
            })
        }
        process => {
            // SAFETY: asks for a number.
            let itself = unsafe { getpid() } == process;
            let (folder, frames) = (FOLDER.load(Ordering::Relaxed), FRAMES.load(Ordering::Relaxed));
            itself.then_some(Asked { folder, frames, every: EVERY.load(Ordering::Relaxed), attached: true })
        }
    }
}

/// A number of the environment, of seven digits at most; 0 where there is none.
fn number(name: &CStr) -> usize {
    // SAFETY: the name ends with a zero.
    let text = unsafe { getenv(name.as_ptr()) };
    if text.is_null() {
        return 0;
    }
    // SAFETY: an environment variable ends with a zero.
    let digits = unsafe { CStr::from_ptr(text) }.to_bytes();
    digits.iter().take(7).fold(0, |number, digit| number * 10 + usize::from(digit.wrapping_sub(b'0').min(9)))
}

/// Whether a command attached itself to this process, or to one that it was forked from.
pub fn attached() -> bool {
    ATTACHED.load(Ordering::Relaxed) != 0
}

/// A command attached itself: its recording goes to `folder`, which stays as it is.
pub fn attach(folder: &'static CStr, frames: usize, every: usize) {
    FOLDER.store(folder.as_ptr().cast_mut(), Ordering::Relaxed);
    FRAMES.store(frames.min(MAX_FRAMES), Ordering::Relaxed);
    EVERY.store(every, Ordering::Relaxed);
    // SAFETY: asks for a number.
    ATTACHED.store(unsafe { getpid() }, Ordering::Release);
}

/// Whether nobody is there any more who could end this recording.
pub fn is_left(process: &Process) -> bool {
    let noted = process.header_word(header::NOTED).load(Ordering::Relaxed);
    attached() && clock::nanoseconds().saturating_sub(noted) > PATIENCE
}

/// Why a recording did not begin, as the system's error.
pub(crate) static REFUSED: AtomicI32 = AtomicI32::new(0);

/// What the system said when this process was to record; 0 where it said nothing.
pub fn refused() -> c_int {
    REFUSED.load(Ordering::Relaxed)
}
