//! The statistics of a process, as JSON: at its end, and when a signal asks for them.
//!
//! Nothing here locks or allocates, so a signal handler may do it: numbers are atomics, each as it was last noted.

use core::ffi::CStr;
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicI32, Ordering};

use heapsmith_capture::witness;

use crate::arena::Arena;
use crate::diagnostics::{self, Line};
use crate::mapped;
use crate::process::{Process, begun};
use crate::restricted::{Use, forbids};

/// The file's name is as long as this at most; a process has at most as many heaps as the text has room for.
type Text = Line<65536>;

/// The process that `heapsmith run` started, which writes to the very file; its children write next to it.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// The process whose memory this is: a child of `vfork` has its parent's.
static OWN: AtomicI32 = AtomicI32::new(0);

fn own_id() -> i32 {
    // SAFETY: asks for a number.
    unsafe { libc::getpid() }
}

/// The process begins.
pub fn begin(process: &Process) {
    OWN.store(own_id(), Ordering::Relaxed);
    let Some(signal) = process.settings.signal else { return };
    // SAFETY: the handler does only what a handler may do.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = asked as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, core::ptr::null_mut());
    }
}

/// A child of the process that was started, or of one of its children.
pub fn in_child() {
    FIRST.store(-1, Ordering::Relaxed);
    OWN.store(own_id(), Ordering::Relaxed);
}

extern "C" fn asked(_signal: i32) {
    // SAFETY: the thread's own.
    let kept = unsafe { *libc::__errno_location() };
    write();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = kept };
}

/// Writes the statistics to where the settings say.
pub fn write() {
    let Some(process) = begun() else { return };
    let (Some(file), Some(_)) = (&process.settings.stats, &process.tracker) else { return };
    // Only now is the system asked anything: who wants no statistics may have restricted what may be asked.
    if forbids(Use::Tell) || OWN.load(Ordering::Relaxed) != own_id() {
        return;
    }
    let mut text = Text::new();
    let _ = all(&mut text, process);
    if file.to_bytes() == b"-" {
        diagnostics::write(libc::STDERR_FILENO, text.bytes());
        return;
    }
    let mut path = Line::<4096>::new();
    let _ = path.write_str(file.to_str().unwrap_or(""));
    if !is_first(process) {
        let _ = write!(path, ".{}", own_id());
    }
    let _ = path.write_str("\0");
    let Ok(path) = CStr::from_bytes_until_nul(path.bytes()) else { return };
    let is_written = open(path).is_some_and(|open| {
        let is_whole = diagnostics::write(open, text.bytes());
        // SAFETY: who opened the file closes it.
        unsafe { libc::close(open) == 0 && is_whole }
    });
    if is_written {
        return;
    }
    if is_first(process) {
        witness::untold();
    } else {
        diagnostics::line(&[b"cannot write the statistics to ", path.to_bytes()]);
    }
}

/// Opens the file for the statistics. A link is followed to a device or a FIFO only, as `/dev/stderr` is one: any other
/// may have been put there by another user.
fn open(path: &CStr) -> Option<i32> {
    let flags = libc::O_WRONLY | libc::O_CLOEXEC | libc::O_NOCTTY;
    // SAFETY: a path that ends with a zero, and a structure of numbers, which the system fills.
    unsafe {
        let file = libc::open(path.as_ptr(), flags | libc::O_CREAT | libc::O_TRUNC | libc::O_NOFOLLOW, 0o644);
        if file >= 0 {
            return Some(file);
        }
        let stream = libc::open(path.as_ptr(), flags);
        if stream < 0 {
            return None;
        }
        let mut found: libc::stat = core::mem::zeroed();
        let known = libc::fstat(stream, &raw mut found) == 0;
        if known && matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFCHR) {
            return Some(stream);
        }
        libc::close(stream);
        None
    }
}

/// Most kilobytes of this program that were resident (proc(5): `VmHWM`). What `getrusage` says begins with the peak of the process
/// that started it.
fn resident_peak() -> Option<i64> {
    let mut text = [0_u8; 4096];
    // SAFETY: a path that ends with a zero, room as long as it says, and a file that is closed by who opened it.
    let length = unsafe {
        let file = libc::open(c"/proc/self/status".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        length
    };
    let text = text.get(..usize::try_from(length).ok()?)?;
    let line = text.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"VmHWM:"))?;
    core::str::from_utf8(line).ok()?.trim().strip_suffix(" kB")?.parse().ok()
}

fn is_first(process: &Process) -> bool {
    // SAFETY: asks for a number.
    FIRST.load(Ordering::Relaxed) == 0 && process.settings.started_by == Some(unsafe { libc::getppid() })
}

fn all(text: &mut Text, process: &Process) -> fmt::Result {
    let Some(tracker) = &process.tracker else { return Ok(()) };
    let counts = &tracker.counts;
    let of = |count: &core::sync::atomic::AtomicUsize| count.load(Ordering::Relaxed);
    let mapped = of(&mapped::LIVE);
    let (requested_peak, footprint_peak) = (of(&counts.requested_peak), of(&counts.footprint_peak));
    // SAFETY: a structure of numbers, which the system fills.
    let usage = unsafe {
        let mut usage: libc::rusage = core::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    // Before numbers become text: the pages of the code that does so are not the program's.
    let resident_peak = resident_peak().unwrap_or(usage.ru_maxrss);
    let id = own_id();
    writeln!(text, "{{\n  \"process\": {id},\n  \"heap\": \"{}\",", process.settings.spec)?;
    writeln!(text, "  \"allocations\": {},", counts.allocations.load(Ordering::Relaxed))?;
    writeln!(text, "  \"frees\": {},", counts.frees.load(Ordering::Relaxed))?;
    writeln!(text, "  \"reallocations\": {},", counts.reallocations.load(Ordering::Relaxed))?;
    writeln!(text, "  \"refused\": {},", counts.refused.load(Ordering::Relaxed))?;
    writeln!(text, "  \"mapped_requests\": {},", counts.mapped.load(Ordering::Relaxed))?;
    writeln!(text, "  \"requested\": {},", of(&counts.requested))?;
    writeln!(text, "  \"requested_peak\": {requested_peak},")?;
    writeln!(text, "  \"footprint\": {},", of(&counts.footprint) + mapped)?;
    writeln!(text, "  \"footprint_peak\": {footprint_peak},")?;
    let footprint_mean = counts.footprints.load(Ordering::Relaxed) / counts.operations().max(1);
    writeln!(text, "  \"footprint_mean\": {footprint_mean},")?;
    let fragmentation = footprint_peak as f64 / requested_peak.max(1) as f64 - 1.0;
    writeln!(text, "  \"fragmentation\": {fragmentation:.4},")?;
    writeln!(text, "  \"mapped\": {mapped},")?;
    let stranded_mean = counts.stranded.load(Ordering::Relaxed) / counts.operations().max(1);
    writeln!(text, "  \"stranded_mean\": {stranded_mean},")?;
    writeln!(text, "  \"stranded_peak\": {},", of(&counts.stranded_peak))?;
    let touched: usize = process.arenas().iter().map(Arena::touched_peak).sum();
    writeln!(text, "  \"touched_peak\": {touched},")?;
    let touched_mean = counts.touched.load(Ordering::Relaxed) / counts.looks.load(Ordering::Relaxed).max(1);
    writeln!(text, "  \"touched_mean\": {touched_mean},")?;
    writeln!(text, "  \"resident_peak\": {},", resident_peak * 1024)?;
    writeln!(text, "  \"minor_faults\": {},", usage.ru_minflt)?;
    writeln!(text, "  \"major_faults\": {},", usage.ru_majflt)?;
    text.write_str("  \"heaps\": [")?;
    for (number, arena) in process.arenas().iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let (footprint, peak) = (of(&arena.footprint), of(&arena.footprint_peak));
        let (touched, remote_free) = (arena.touched_peak(), arena.from_others.load(Ordering::Relaxed));
        write!(
            text,
            "{comma}\n    {{\"footprint\": {footprint}, \"footprint_peak\": {peak}, \"touched_peak\": {touched}, \
             \"freed_by_others\": {remote_free}}}"
        )?;
    }
    text.write_str("\n  ]\n}\n")
}
