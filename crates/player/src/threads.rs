//! The threads of a play.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::mapping::Plain;
use crate::scenario::{Life, Step};
use crate::used::own_time;

/// Looks at a block's turn before the processor is given away.
const SPINS: u32 = 64;

/// Below it a thread does not sleep until its time has come.
const SHORT: Duration = Duration::from_millis(1);

/// Between looks whether a thread is gone.
const BRIEF: Duration = Duration::from_micros(20);

/// Bytes of a page, at least.
const PAGE: usize = 4096;

/// Where a block is, and whose turn it is.
#[derive(Default)]
pub(crate) struct Place {
    pointer: AtomicPtr<u8>,
    turn: AtomicU32,
}

impl Place {
    /// Whether all steps before this one are done on the block.
    #[inline(always)]
    fn is_turn_of(&self, step: &Step) -> bool {
        let is_turn = self.turn.load(Ordering::Acquire) == step.order;
        if !is_turn {
            std::hint::spin_loop();
        }
        is_turn
    }
}

// SAFETY: a null pointer and a count of 0 are zeros; the padding is never read as a value.
unsafe impl Plain for Place {}

/// Sleeps while the word is this, or not at all; woken too early, the caller looks again.
fn sleep_on(word: &AtomicU32, value: u32) {
    // SAFETY: the word is there for as long as the call takes.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, value, 0) };
}

/// Wakes as many as sleep on the word, at most.
fn wake(word: &AtomicU32, sleepers: i32) {
    // SAFETY: the word is there for as long as the call takes.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, sleepers) };
}

/// The parts of a trace: no step of one begins before all of the part before are done.
///
/// A thread that has nothing to do in a part sleeps through it, so that many threads cost no more than those that work.
pub(crate) struct Parts {
    /// Steps of each part that are left.
    left: Vec<AtomicUsize>,
    /// The threads with steps in each part.
    of: Vec<Vec<usize>>,
    /// The part that is played, from 1; 0 before the first.
    now: AtomicUsize,
    /// When the play began.
    began: OnceLock<Instant>,
    /// For each thread, how often it was told that a part of its own begins. Threads sleep on it, with no allocation of their own.
    signals: Vec<AtomicU32>,
}

impl Parts {
    /// The parts of the steps of each thread.
    pub fn of(threads: &[&[Step]]) -> Parts {
        let count =
            threads.iter().filter_map(|steps| steps.last()).map(|step| step.part as usize + 1).max().unwrap_or(0);
        let mut of = vec![Vec::new(); count];
        let mut left = vec![0; count];
        for (thread, steps) in threads.iter().enumerate() {
            for step in *steps {
                let part = step.part as usize;
                left[part] += 1;
                if of[part].last() != Some(&thread) {
                    of[part].push(thread);
                }
            }
        }
        let left = left.into_iter().map(AtomicUsize::new).collect();
        let signals = threads.iter().map(|_| AtomicU32::new(0)).collect();
        Parts { left, of, now: AtomicUsize::new(0), began: OnceLock::new(), signals }
    }

    /// Begins the play; returns when.
    pub fn begin(&self) -> Instant {
        let began = *self.began.get_or_init(Instant::now);
        self.next();
        began
    }

    /// Goes on to the next part.
    fn next(&self) {
        let part = self.now.fetch_add(1, Ordering::AcqRel);
        for signal in self.of.get(part).into_iter().flatten().filter_map(|thread| self.signals.get(*thread)) {
            signal.fetch_add(1, Ordering::Release);
            wake(signal, 1);
        }
    }

    /// Waits, as this thread, until a part may be played.
    fn wait_for(&self, part: usize, thread: usize) {
        let may_begin = || self.now.load(Ordering::Acquire) > part;
        for _ in 0..SPINS {
            if may_begin() {
                return;
            }
            std::hint::spin_loop();
        }
        let Some(signal) = self.signals.get(thread) else { return };
        loop {
            let told = signal.load(Ordering::Acquire);
            if may_begin() {
                return;
            }
            sleep_on(signal, told);
        }
    }

    /// Steps of a part are done.
    fn done(&self, part: usize, steps: usize) {
        if self.left.get(part).is_some_and(|left| left.fetch_sub(steps, Ordering::AcqRel) == steps) {
            self.next();
        }
    }

    /// When the play began, which it has.
    fn began(&self) -> Instant {
        self.began.get().copied().unwrap_or_else(Instant::now)
    }
}

/// Which threads have begun and ended: what a thread cached and its arena are free for the next one when the system has seen it go.
pub(crate) struct Endings {
    lives: Vec<Life>,
    /// Threads that made their first step.
    begun: Vec<AtomicU32>,
    /// The system's number of each thread, once it runs.
    numbers: Vec<AtomicI32>,
}

impl Endings {
    pub fn of(lives: &[Life]) -> Endings {
        Endings {
            lives: lives.to_owned(),
            begun: lives.iter().map(|_| AtomicU32::new(0)).collect(),
            numbers: lives.iter().map(|_| AtomicI32::new(0)).collect(),
        }
    }

    /// The calling thread is the one of this number.
    pub fn announce(&self, thread: usize) {
        // SAFETY: asks for a number.
        let number = unsafe { libc::syscall(libc::SYS_gettid) } as i32;
        self.numbers[thread].store(number, Ordering::Release);
    }

    /// Waits until all threads are gone that had ended when this one began. They wait for none that begin later, nor does what they
    /// wait for.
    fn wait_for_those_before(&self, thread: usize) {
        let own = self.lives[thread];
        for (other, _) in self.lives.iter().enumerate().filter(|(_, life)| life.ends_before(own)) {
            while !self.is_gone(other) {
                thread::sleep(BRIEF);
            }
        }
    }

    /// Waits, as a thread that made all its steps, until the one has begun until whose first step it lives. What that one waits for
    /// comes before that step, and none of it is the end of this thread.
    pub fn wait_to_end(&self, thread: usize) {
        let last = self.lives[thread].last;
        let other = self.lives.iter().position(|other| other.first == last).filter(|other| *other != thread);
        while let Some(begun) = other.map(|other| &self.begun[other])
            && begun.load(Ordering::Acquire) == 0
        {
            sleep_on(begun, 0);
        }
    }

    /// The calling thread made its first step.
    fn begins(&self, thread: usize) {
        self.begun[thread].store(1, Ordering::Release);
        wake(&self.begun[thread], i32::MAX);
    }

    fn is_gone(&self, thread: usize) -> bool {
        let number = self.numbers[thread].load(Ordering::Acquire);
        // SAFETY: sends no signal; it asks whether this process has such a thread. All threads were started before the first step, so
        // that none has the number of one that is gone.
        number != 0 && unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), number, 0) } != 0
    }
}

/// When the steps of a thread are due.
struct Clock {
    began: Instant,
    pace: f64,
    /// No step before this time of the trace is too early by [`SHORT`], so that the system's clock is read once in a while: reading it
    /// takes as long as an allocation.
    looks_at: u64,
}

impl Clock {
    /// At a pace, from the begin of the play; at 0 no step waits.
    fn of(began: Instant, pace: f64) -> Clock {
        Clock { began, pace, looks_at: if pace > 0.0 { 0 } else { u64::MAX } }
    }

    /// Waits until a time of the trace has come.
    #[inline(always)]
    fn wait_for(&mut self, time: u64) {
        if time >= self.looks_at {
            self.look(time);
        }
    }

    #[cold]
    fn look(&mut self, time: u64) {
        let due = Duration::from_nanos((time as f64 * self.pace) as u64);
        let mut now = self.began.elapsed();
        let early = due.saturating_sub(now);
        if early > SHORT {
            thread::sleep(early);
            now = due;
        }
        self.looks_at = ((now + SHORT).as_nanos() as f64 / self.pace) as u64;
    }
}

/// What all threads of a play share.
pub(crate) struct Stage<'a> {
    /// The place of every block.
    pub places: &'a [Place],
    /// The parts of the trace.
    pub parts: &'a Parts,
    /// When threads have ended.
    pub ends: &'a Endings,
    /// The times of the trace are multiplied by this; 0 is as fast as it goes.
    pub pace: f64,
    /// Requests that were refused.
    pub failed: &'a AtomicU64,
    /// Nanoseconds of processors in which threads waited for their turn.
    pub waited: &'a AtomicU64,
}

impl Stage<'_> {
    /// Plays the steps of the thread of this number, which allocates nothing else.
    pub fn play(&self, steps: &[Step], thread: usize) {
        for (number, steps) in steps.chunk_by(|one, other| one.part == other.part).enumerate() {
            let part = steps[0].part as usize;
            self.parts.wait_for(part, thread);
            if number == 0 {
                self.ends.wait_for_those_before(thread);
            }
            let mut clock = Clock::of(self.parts.began(), self.pace);
            for (at, step) in steps.iter().enumerate() {
                clock.wait_for(step.time);
                self.take_turn(step);
                if at == 0 && number == 0 {
                    self.ends.begins(thread);
                }
            }
            self.parts.done(part, steps.len());
        }
    }

    /// Makes a step once its block's turn has come.
    fn take_turn(&self, step: &Step) {
        let place = &self.places[step.block as usize];
        if !(0..SPINS).any(|_| place.is_turn_of(step)) {
            self.wait_for_turn(step, place);
        }
        self.step(step, place);
        place.turn.store(step.order + 1, Ordering::Release);
    }

    /// Waits for others, which is not the allocator's work.
    #[cold]
    fn wait_for_turn(&self, step: &Step, place: &Place) {
        let began = own_time();
        while !place.is_turn_of(step) {
            thread::yield_now();
        }
        self.waited.fetch_add(own_time().saturating_sub(began), Ordering::Relaxed);
    }

    fn step(&self, step: &Step, place: &Place) {
        let old = place.pointer.load(Ordering::Relaxed);
        let size = step.size as usize;
        let new: *mut u8 = match step.operation {
            0 => allocate(size, 1 << step.alignment_log2),
            1 => {
                // SAFETY: W1: the block at this place was allocated, and no thread frees it but this one.
                unsafe { libc::free(old.cast()) };
                place.pointer.store(ptr::null_mut(), Ordering::Relaxed);
                return;
            }
            // `realloc` to 0 bytes may free the block.
            // SAFETY: as above.
            _ => unsafe { libc::realloc(old.cast(), size.max(1)) }.cast(),
        };
        if new.is_null() {
            self.failed.fetch_add(1, Ordering::Relaxed);
            // A block that could not be resized is as it was.
            return;
        }
        touch(new, size);
        place.pointer.store(new, Ordering::Relaxed);
    }
}

fn allocate(size: usize, alignment: usize) -> *mut u8 {
    if alignment <= 2 * size_of::<usize>() {
        // SAFETY: `malloc` takes any size.
        return unsafe { libc::malloc(size) }.cast();
    }
    let mut pointer = ptr::null_mut();
    // SAFETY: the alignment is a power of two above the size of a pointer, and the place for the result is there.
    let outcome = unsafe { libc::posix_memalign(&mut pointer, alignment, size) };
    if outcome == 0 { pointer.cast() } else { ptr::null_mut() }
}

/// Writes a byte into every page of a block.
fn touch(block: *mut u8, size: usize) {
    for at in (0..size).step_by(PAGE).chain(size.checked_sub(1)) {
        // SAFETY: the block has `size` bytes and nobody else has it (W1).
        unsafe { block.add(at).write_volatile(1) };
    }
}
