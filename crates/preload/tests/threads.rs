//! Threads that free each other's blocks, on the library's own functions under names of their own, so that a
//! sanitizer can watch them. Each heap is a process; at its end every heap is verified and nothing is left.
//!
//! `HEAPSMITH_TEST_SECONDS` makes it a soak: this many seconds for each heap.

use std::process::{Command, ExitCode};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heapsmith_preload::{process, serve};

/// Set in a child.
const CHILD: &str = "HEAPSMITH_TEST_CHILD";

/// How long each heap is tried.
const SECONDS: &str = "HEAPSMITH_TEST_SECONDS";

/// Operations of a thread.
const OPERATIONS: usize = 20_000;

const HEAPS: &[&str] = &[
    "freelists(16..=512 step 16) bins(log) word=8",
    "freelists(16..=512 step 16) bins(log) word=8 threads=each",
    "freelists(16..=512 step 16) bins(log) word=8 threads=lists",
    "freelists(32..=256 step 32) tlsf threads=lists",
    "freelists(16..=512 step 16) bins(lea) word=8 threads=lists(4096) purge=after(200)",
    "freelists(16..=512 step 16) buddy(knuth) word=8 threads=lists",
    "spans(16..=512 step 16, span=65536, free=bitmap, metadata=outside) tree word=8 align=16 threads=lists",
    "spans(16..=8192 double(4), span=65536, empty=keep(1)) tlsf word=8 align=16 threads=lists(4096)",
    "spans(16..=8192 double(4), span=65536, empty=keep(1)) tlsf word=8 align=16 threads=owned",
    "spans(16..=512 step 16, span=4096, free=bitmap, metadata=outside) tree word=8 align=16 threads=owned",
    "tlsf threads=each",
    "pages(search=tree) word=8 threads=each",
    "buddy(estranged) threads=each",
    "guard(quarantine=8) tree(red-black) word=8 threads=each",
];

/// A block with what was written into it.
struct Block {
    at: NonNull<u8>,
    size: usize,
    mark: u8,
}

impl Block {
    fn new(size: usize, mark: u8) -> Block {
        let at = serve::allocate(size, 16).expect("memory");
        // SAFETY: the block has this many bytes.
        unsafe { at.write_bytes(mark, size) };
        Block { at, size, mark }
    }

    fn whole(&self) {
        for segment in [0, self.size / 2, self.size - 1] {
            // SAFETY: inside the block.
            let there = unsafe { self.at.add(segment).read() };
            assert_eq!(there, self.mark, "byte {segment} of {}", self.size);
        }
    }

    fn resize(&mut self, size: usize) {
        // SAFETY: the block is live, and this its only name.
        self.at = unsafe { serve::reallocate(self.at, size) }.expect("memory");
        for segment in 0..self.size.min(size) {
            // SAFETY: inside both.
            assert_eq!(unsafe { self.at.add(segment).read() }, self.mark);
        }
        // SAFETY: the block has this many bytes.
        unsafe { self.at.write_bytes(self.mark, size) };
        self.size = size;
    }

    fn free(self) {
        self.whole();
        // SAFETY: the block is live, and this was its only name.
        unsafe { serve::free(self.at) };
    }
}

fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

/// Blocks on their way to another thread: who swaps a block out of a slot has it.
struct Mailbox([AtomicPtr<Block>; 64]);

impl Mailbox {
    const fn new() -> Mailbox {
        Mailbox([const { AtomicPtr::new(std::ptr::null_mut()) }; 64])
    }

    /// Puts a block in a slot, and takes out what was there.
    fn exchange(&self, slot: usize, block: Option<Block>) -> Option<Block> {
        let block = block.map_or(std::ptr::null_mut(), |block| Box::into_raw(Box::new(block)));
        let before = self.0[slot % self.0.len()].swap(block, Ordering::AcqRel);
        // SAFETY: made by `into_raw` above, and swapped out once.
        (!before.is_null()).then(|| *unsafe { Box::from_raw(before) })
    }
}

static TO_FIRST: Mailbox = Mailbox::new();
static TO_SECOND: Mailbox = Mailbox::new();

/// A thread that allocates, resizes and frees, puts every third block where the other finds it, and frees what it finds.
fn work(number: u64, to: &Mailbox, from: &Mailbox) {
    let mut seed = number;
    let mut own: Vec<Block> = Vec::new();
    for step in 0..OPERATIONS {
        let size = 1 + next(&mut seed) % if step % 97 == 0 { 20_000 } else { 600 };
        let block = Block::new(size, step as u8);
        if step % 3 == 0 {
            own.extend(to.exchange(next(&mut seed), Some(block)));
        } else {
            own.push(block);
        }
        if let Some(block) = from.exchange(next(&mut seed), None) {
            block.free();
        }
        if own.len() > 200 {
            let index = next(&mut seed) % own.len();
            own.swap_remove(index).free();
        }
        if step % 11 == 0 && !own.is_empty() {
            let index = next(&mut seed) % own.len();
            own[index].resize(1 + next(&mut seed) % 900);
        }
    }
    own.into_iter().for_each(Block::free);
}

/// The producer asks for all blocks, the consumer frees all of them.
fn producer(number: u64, to: &Mailbox) {
    let mut seed = number;
    for step in 0..OPERATIONS {
        let mut block = Some(Block::new(1 + next(&mut seed) % 600, step as u8));
        while block.is_some() {
            let slot = next(&mut seed);
            block = to.exchange(slot, block);
            if block.is_some() {
                thread::yield_now();
            }
        }
    }
}

fn consumer(number: u64, from: &Mailbox) {
    let (mut seed, mut freed) = (number, 0);
    while freed < OPERATIONS {
        match from.exchange(next(&mut seed), None) {
            Some(block) => {
                block.free();
                freed += 1;
            }
            None => thread::yield_now(),
        }
    }
}

/// Frees the blocks that are left, in a thread whose lists end with it.
fn empty() {
    for slot in 0..64 {
        TO_FIRST.exchange(slot, None).into_iter().chain(TO_SECOND.exchange(slot, None)).for_each(Block::free);
    }
}

fn child(seconds: u64) {
    // The first heap is that of the thread which asks first.
    process::process();
    let begun = Instant::now();
    let mut rounds = 0;
    while rounds < 2 || begun.elapsed() < Duration::from_secs(seconds) {
        let seed = rounds * 2 + 1;
        let first = thread::spawn(move || work(seed, &TO_SECOND, &TO_FIRST));
        let second = thread::spawn(move || work(seed + 1, &TO_FIRST, &TO_SECOND));
        first.join().expect("it ends");
        second.join().expect("it ends");
        thread::spawn(empty).join().expect("it ends");
        let first = thread::spawn(move || producer(seed, &TO_SECOND));
        let second = thread::spawn(move || consumer(seed + 1, &TO_SECOND));
        first.join().expect("it ends");
        second.join().expect("it ends");
        rounds += 1;
    }
    let process = process::process();
    for arena in process.arenas() {
        arena.work(|heap| {
            assert_eq!(heap.check(), Ok(()));
            let mut used = 0;
            heap.walk(&mut |block| match block.state {
                heapsmith::State::Used => used += 1,
                heapsmith::State::Cached => used -= 1,
                heapsmith::State::Free => {}
            });
            // A guard has a block of its own.
            assert!(used <= 1, "{used} blocks are lost");
        });
    }
    println!("{rounds} rounds, {} heaps", process.arenas().len());
}

fn main() -> ExitCode {
    let seconds = std::env::var(SECONDS).map_or(0, |seconds| seconds.parse().expect("a number of seconds"));
    if std::env::var_os(CHILD).is_some() {
        child(seconds);
        return ExitCode::SUCCESS;
    }
    let mut failed = false;
    for heap in HEAPS {
        let program = std::env::current_exe().expect("this test");
        let output =
            Command::new(program).env("HEAPSMITH_HEAP", heap).env(CHILD, "1").output().expect("the child runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let heaps = if heap.ends_with("threads=each") { " 3 heaps" } else { " 1 heaps" };
        let good = output.status.success() && out.contains(heaps);
        println!("{}  {heap}: {}", if good { "ok" } else { "FAILED" }, out.trim());
        if !good {
            println!("{:?}\n{err}", output.status);
            failed = true;
        }
    }
    ExitCode::from(u8::from(failed))
}
