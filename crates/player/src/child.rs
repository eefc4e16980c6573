//! The child: plays what comes on its standard input, on whatever serves its `malloc`.

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::mapping::Mapping;
use crate::scenario::{Step, receive};
use crate::threads::{Parts, Place, Stage};
use crate::used::Used;

/// Between samples of memory.
const SAMPLE: Duration = Duration::from_millis(1);

/// Plays what the arguments after [`crate::PLAY_CHILD`] say: the library that has to serve it, the pace, blocks, which threads end, and
/// where the steps of each begin. Returns what the parent expects on standard output.
///
/// # Errors
///
/// What is wrong, as a sentence.
pub fn play_child(arguments: &[String], input: &mut impl Read) -> Result<String, String> {
    let wrong = || "wrong arguments for a child".to_owned();
    let [library, pace, numbers @ ..] = arguments else { return Err(wrong()) };
    let pace: f64 = pace.parse().map_err(|_| wrong())?;
    let numbers: Vec<usize> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
    let Some((blocks, numbers)) = numbers.split_first().filter(|(_, numbers)| numbers.len() % 2 == 1) else {
        return Err(wrong());
    };
    let (ends, begins) = numbers.split_at(numbers.len() / 2);
    serves(library)?;
    let count = begins.last().copied().ok_or_else(wrong)?;
    let failed = |what: &str, error: io::Error| format!("{what}: {error}");
    let steps = receive(input, count).map_err(|error| failed("receiving the trace", error))?.as_slice();
    let places = Mapping::<Place>::new(*blocks).map_err(|error| failed("memory for the blocks", error))?.as_slice();
    let ranges: Vec<&[Step]> = begins.windows(2).filter_map(|range| steps.get(range[0]..range[1])).collect();
    if ranges.len() != ends.len() {
        return Err(wrong());
    }
    let parts = Parts::of(&ranges);
    let stage = Stage { places, parts: &parts, pace, failed: &AtomicU64::new(0), waited: &AtomicU64::new(0) };
    let finished = AtomicUsize::new(0);
    let threads = ranges.len();
    let leave = Barrier::new(ends.iter().filter(|&&is_over| is_over == 0).count() + 1);
    let (stage, finished, leave) = (&stage, &finished, &leave);
    let roles = ranges.into_iter().zip(ends).enumerate();
    let roles: Vec<Role<'_>> = roles
        .map(|(number, (steps, is_over))| Role { stage, steps, number, finished, leave, stays: *is_over == 0 })
        .collect();
    // SAFETY: all are joined below, before the roles go.
    let started: Vec<libc::pthread_t> = roles.iter().map(|role| unsafe { role.start() }).collect();
    // From here on nothing may fail before all threads were let go: they would wait for ever.
    let (base, before) = (anonymous(), Used::now());
    let began = parts.begin();
    let (mut peak, mut sum, mut samples, mut error) = (0, 0.0, 0_u64, None);
    loop {
        let is_over = finished.load(Ordering::Acquire) == threads;
        match (&base, anonymous()) {
            (Ok(base), Ok(now)) => {
                peak = peak.max(now.saturating_sub(*base));
                sum += now.saturating_sub(*base) as f64;
                samples += 1;
            }
            (_, now) => error = now.err(),
        }
        if is_over {
            break;
        }
        thread::sleep(SAMPLE);
    }
    let (clock, used) = (began.elapsed(), Used::now());
    leave.wait();
    // SAFETY: each was started above, and is joined once.
    started.into_iter().for_each(|thread| unsafe {
        let _ = libc::pthread_join(thread, std::ptr::null_mut());
    });
    if let Some(error) = base.err().or(error) {
        return Err(failed(STATM, error));
    }
    let mean = sum / samples.max(1) as f64;
    let waited = stage.waited.load(Ordering::Relaxed);
    let processors = used.processors.saturating_sub(before.processors).saturating_sub(waited);
    let faults = used.faults.saturating_sub(before.faults);
    let refused = stage.failed.load(Ordering::Relaxed);
    Ok(format!("{peak} {} {faults} {processors} {} {refused}\n", mean as u64, clock.as_nanos()))
}

/// What one thread does.
struct Role<'a> {
    stage: &'a Stage<'a>,
    steps: &'static [Step],
    number: usize,
    finished: &'a AtomicUsize,
    leave: &'a Barrier,
    /// Whether it lives until all have played: what it caches is part of the memory for as long.
    stays: bool,
}

impl Role<'_> {
    /// Starts its thread, by the C library alone: a thread of the standard library's allocates before its first step, and an
    /// allocator would find it a place then, long before that of the program's thread.
    ///
    /// # Safety
    ///
    /// The role outlives the thread.
    unsafe fn start(&self) -> libc::pthread_t {
        let mut thread = MaybeUninit::uninit();
        let role = (&raw const *self).cast_mut().cast();
        // SAFETY: the caller's promise.
        let outcome = unsafe { libc::pthread_create(thread.as_mut_ptr(), std::ptr::null(), run, role) };
        if outcome != 0 {
            // The threads before it would wait for ever; the parent says how this process ended.
            std::process::abort();
        }
        // SAFETY: the call succeeded, and wrote it.
        unsafe { thread.assume_init() }
    }
}

extern "C" fn run(role: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: a role that lives on, as `start` was promised; it is shared, and never changed.
    let role = unsafe { &*role.cast::<Role<'_>>() };
    role.stage.play(role.steps, role.number);
    role.finished.fetch_add(1, Ordering::Release);
    if role.stays {
        role.leave.wait();
    }
    std::ptr::null_mut()
}

/// Whether the library is in this process.
fn serves(library: &str) -> Result<(), String> {
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| format!("/proc/self/maps: {error}"))?;
    let real = std::fs::canonicalize(library).map_err(|error| format!("{library}: {error}"))?;
    if maps.contains(&real.display().to_string()) {
        return Ok(());
    }
    Err(format!("{library} was not loaded: this heapsmith is linked statically, so nothing can be preloaded into it"))
}

const STATM: &str = "reading /proc/self/statm";

/// Bytes of anonymous memory: resident ones without those of files.
fn anonymous() -> io::Result<u64> {
    // On the stack: the measure must not ask the allocator that it measures.
    let mut buffer = [0_u8; 256];
    let length = File::open("/proc/self/statm")?.read(&mut buffer)?;
    let text = std::str::from_utf8(&buffer[..length]).unwrap_or_default();
    let mut numbers = text.split_whitespace().skip(1).map(|word| word.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    // SAFETY: it reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    Ok(resident.saturating_sub(shared) * page)
}
