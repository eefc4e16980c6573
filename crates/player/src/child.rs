//! The child: plays what comes on its standard input, on whatever serves its `malloc`.

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::mapping::Mapping;
use crate::scenario::receive;
use crate::threads::{Place, Stage};

/// Between samples of memory.
const SAMPLE: Duration = Duration::from_millis(1);

/// Plays what the arguments after [`crate::PLAY_CHILD`] say: the library that has to serve it, the pace, blocks, meetings, and where the
/// steps of each thread begin. Returns what the parent expects on standard output.
///
/// # Errors
///
/// What is wrong, as a sentence.
pub fn play_child(arguments: &[String], input: &mut impl Read) -> Result<String, String> {
    let wrong = || "wrong arguments for a child".to_owned();
    let [library, pace, numbers @ ..] = arguments else { return Err(wrong()) };
    let pace: f64 = pace.parse().map_err(|_| wrong())?;
    let numbers: Vec<usize> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
    let [blocks, meetings, begins @ ..] = &numbers[..] else { return Err(wrong()) };
    serves(library)?;
    let count = begins.last().copied().ok_or_else(wrong)?;
    let failed = |what: &str, error: io::Error| format!("{what}: {error}");
    let steps = receive(input, count).map_err(|error| failed("receiving the trace", error))?.as_slice();
    let places = Mapping::<Place>::new(*blocks).map_err(|error| failed("memory for the blocks", error))?.as_slice();
    let threads = begins.len() - 1;
    let (meeting, start, refused) = (Barrier::new(threads), Barrier::new(threads + 1), AtomicU64::new(0));
    let stage = Stage { places, barrier: &meeting, meetings: *meetings as u32, pace, failed: &refused };
    let finished = AtomicUsize::new(0);
    let leave = Barrier::new(threads + 1);
    thread::scope(|scope| {
        for range in begins.windows(2) {
            let steps = &steps[range[0]..range[1]];
            let (stage, start, leave, finished) = (&stage, &start, &leave, &finished);
            let play = move || {
                start.wait();
                stage.play(steps, Instant::now());
                finished.fetch_add(1, Ordering::Release);
                // What a thread caches is part of the memory until all have played.
                leave.wait();
            };
            // The threads before it would wait for ever; the parent says how this process ended.
            thread::Builder::new().spawn_scoped(scope, play).unwrap_or_else(|_| std::process::abort());
        }
        // From here on nothing may fail before all threads were let go: they would wait for ever.
        let (base, before) = (anonymous(), Used::now());
        start.wait();
        let began = Instant::now();
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
        if let Some(error) = base.err().or(error) {
            return Err(failed(STATM, error));
        }
        let mean = sum / samples.max(1) as f64;
        let processors = used.processors.saturating_sub(before.processors);
        let faults = used.faults.saturating_sub(before.faults);
        let refused = refused.load(Ordering::Relaxed);
        Ok(format!("{peak} {} {faults} {processors} {} {refused}\n", mean as u64, clock.as_nanos()))
    })
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

/// What the threads of a play took of the system.
struct Used {
    /// Nanoseconds of processors, but for this thread.
    processors: u64,
    /// Pages that were touched for the first time.
    faults: u64,
}

impl Used {
    fn now() -> Used {
        let clock = |which| {
            let mut time = MaybeUninit::<libc::timespec>::zeroed();
            // SAFETY: the call writes the time into the place that it is passed.
            let time = unsafe {
                libc::clock_gettime(which, time.as_mut_ptr());
                time.assume_init()
            };
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        };
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the call writes into the place that it is passed.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        // This thread goes on between the two, so its own time is asked first.
        let own = clock(libc::CLOCK_THREAD_CPUTIME_ID);
        let processors = clock(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(own);
        Used { processors, faults: usage.ru_minflt as u64 }
    }
}
