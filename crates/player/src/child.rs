//! The child: plays what comes on its standard input, on whatever serves its `malloc`.

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::Duration;

use crate::mapping::Mapping;
use crate::scenario::{Life, Step, receive};
use crate::threads::{Endings, Parts, Place, Stage};
use crate::used::Used;

/// Between samples of memory.
const SAMPLE: Duration = Duration::from_millis(1);

/// Plays what the arguments after [`crate::PLAY_CHILD`] say: the library that has to serve it, the pace, blocks, when each thread begins and
/// ends, and where the steps of each begin. Returns what the parent expects on standard output.
///
/// # Errors
///
/// What is wrong, as a sentence.
pub fn play_child(arguments: &[String], input: &mut impl Read) -> Result<String, String> {
    let wrong = || "wrong arguments for a child".to_owned();
    let [library, pace, numbers @ ..] = arguments else { return Err(wrong()) };
    let pace: f64 = pace.parse().map_err(|_| wrong())?;
    let numbers: Vec<u64> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
    let Some((blocks, numbers)) = numbers.split_first().filter(|(_, numbers)| numbers.len() % 3 == 1) else {
        return Err(wrong());
    };
    let (lives, begins) = numbers.split_at(numbers.len() / 3 * 2);
    let lives: Vec<Life> = lives.chunks_exact(2).map(|life| Life { first: life[0], last: life[1] }).collect();
    let begins: Vec<usize> = begins.iter().map(|&begin| begin as usize).collect();
    serves(library)?;
    let count = begins.last().copied().ok_or_else(wrong)?;
    let failed = |what: &str, error: io::Error| format!("{what}: {error}");
    let steps = receive(input, count).map_err(|error| failed("receiving the trace", error))?.as_slice();
    let places =
        Mapping::<Place>::new(*blocks as usize).map_err(|error| failed("memory for the blocks", error))?.as_slice();
    let ranges: Vec<&[Step]> = begins.windows(2).filter_map(|range| steps.get(range[0]..range[1])).collect();
    if ranges.len() != lives.len() {
        return Err(wrong());
    }
    let (parts, ends) = (Parts::of(&ranges), Endings::of(&lives));
    let (refused, waited) = (AtomicU64::new(0), AtomicU64::new(0));
    let stage = Stage { places, parts: &parts, ends: &ends, pace, failed: &refused, waited: &waited };
    let (threads, finished, outcome) = (ranges.len(), AtomicUsize::new(0), OnceLock::new());
    let stays = |life: &Life| life.last == Life::STAYS;
    let leave = Barrier::new(lives.iter().filter(|life| stays(life)).count() + 1);
    let (stage, finished, leave) = (&stage, &finished, &leave);
    let roles = ranges.into_iter().zip(&lives).enumerate();
    let roles: Vec<Role<'_>> = roles
        .map(|(number, (steps, life))| Role { stage, steps, number, finished, leave, stays: stays(life) })
        .collect();
    let watch = Watch { parts: &parts, finished, threads, leave, outcome: &outcome };
    let (first, others) = roles.split_first().ok_or_else(wrong)?;
    let mut started: Vec<libc::pthread_t> = Vec::with_capacity(threads);
    // SAFETY: all are joined below, before the roles and the watch go.
    started.extend(others.iter().map(|role| unsafe { start(run, role) }));
    // SAFETY: as above.
    started.push(unsafe { start(measure, &watch) });
    // The program's first thread is its main thread, which allocators may serve in another way.
    first.play();
    // SAFETY: each was started above, and is joined once.
    started.into_iter().for_each(|thread| unsafe {
        let _ = libc::pthread_join(thread, std::ptr::null_mut());
    });
    let Measured { peak, mean, faults, processors, clock } =
        outcome.into_inner().ok_or_else(wrong)?.map_err(|error| failed(STATM, error))?;
    let waited = stage.waited.load(Ordering::Relaxed);
    let refused = stage.failed.load(Ordering::Relaxed);
    Ok(format!("{peak} {mean} {faults} {} {} {refused}\n", processors.saturating_sub(waited), clock.as_nanos()))
}

/// What is measured while the others play, by a thread of its own that allocates nothing.
struct Watch<'a> {
    parts: &'a Parts,
    finished: &'a AtomicUsize,
    threads: usize,
    leave: &'a Barrier,
    outcome: &'a OnceLock<io::Result<Measured>>,
}

struct Measured {
    peak: u64,
    mean: u64,
    faults: u64,
    processors: u64,
    clock: Duration,
}

impl Watch<'_> {
    /// Begins the play, and measures until it is over.
    fn measure(&self) {
        // From here on nothing may fail before all threads were let go: they would wait for ever.
        let (base, before) = (anonymous(), Used::now());
        let began = self.parts.begin();
        let (mut peak, mut sum, mut samples, mut error) = (0, 0.0, 0_u64, None);
        loop {
            let is_over = self.finished.load(Ordering::Acquire) == self.threads;
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
        self.leave.wait();
        let measured = Measured {
            peak,
            mean: (sum / samples.max(1) as f64) as u64,
            faults: used.faults.saturating_sub(before.faults),
            processors: used.processors.saturating_sub(before.processors),
            clock,
        };
        let _ = self.outcome.set(base.err().or(error).map_or(Ok(measured), Err));
    }
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
    fn play(&self) {
        self.stage.ends.announce(self.number);
        self.stage.play(self.steps, self.number);
        self.finished.fetch_add(1, Ordering::Release);
        match self.stays {
            true => {
                self.leave.wait();
            }
            false => self.stage.ends.wait_to_end(self.number),
        }
    }
}

/// Starts a thread, by the C library alone: one of the standard library's allocates before its first step, and an
/// allocator would find it a place then, long before that of the program's thread.
///
/// # Safety
///
/// `on` outlives the thread, and is what `run` takes.
unsafe fn start<T>(run: extern "C" fn(*mut libc::c_void) -> *mut libc::c_void, on: &T) -> libc::pthread_t {
    let mut thread = MaybeUninit::uninit();
    let on = (&raw const *on).cast_mut().cast();
    // SAFETY: the caller's promise.
    let outcome = unsafe { libc::pthread_create(thread.as_mut_ptr(), std::ptr::null(), run, on) };
    if outcome != 0 {
        // The threads before it would wait for ever; the parent says how this process ended.
        std::process::abort();
    }
    // SAFETY: the call succeeded, and wrote it.
    unsafe { thread.assume_init() }
}

extern "C" fn run(role: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: a role that lives on, as `start` was promised; it is shared, and never changed.
    unsafe { &*role.cast::<Role<'_>>() }.play();
    std::ptr::null_mut()
}

extern "C" fn measure(watch: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: a watch that lives on, as above.
    unsafe { &*watch.cast::<Watch<'_>>() }.measure();
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

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Nanoseconds, Origin, Trace};

    use crate::scenario::Scenario;

    use super::*;

    const BLOCKS: u64 = 1000;

    /// Pages that this thread touched for the first time (proc(5): `minflt`).
    fn own_faults() -> u64 {
        let text = std::fs::read_to_string("/proc/thread-self/stat").expect("a file of the system's");
        let after = text.rsplit_once(") ").expect("a name").1;
        after.split(' ').nth(7).and_then(|number| number.parse().ok()).expect("a number")
    }

    #[test]
    fn the_first_thread_of_the_program_is_played_by_the_thread_that_called() {
        let mut trace = Trace::new(Origin::new("made", "here"));
        let events = (0..BLOCKS).map(|id| Event {
            time: Nanoseconds(id),
            thread: 7,
            site: None,
            action: Action::Allocate { id, size: Bytes(4096), alignment: 0 },
        });
        trace.events = events.collect();
        let scenario = Scenario::of(&trace, usize::MAX);
        let mut steps = Vec::new();
        scenario.send(&mut steps).expect("memory");
        let maps = std::fs::read_to_string("/proc/self/maps").expect("a file of the system's");
        let library = maps.split_whitespace().find(|word| word.contains("/libc.so")).expect("a C library");
        let numbers = scenario.numbers().into_iter().map(|number| number.to_string());
        let arguments: Vec<String> = [library.to_owned(), "0".to_owned()].into_iter().chain(numbers).collect();
        let before = own_faults();
        let result = play_child(&arguments, &mut steps.as_slice()).expect("it is played");
        assert!(own_faults() - before >= BLOCKS, "{result}: another thread touched the blocks");
    }
}
