//! The emitted C of heaps that move blocks: through handles it gives the same addresses as the explored heap, moves the
//! same blocks for the same requests, and leaves the same bytes in the region.
//!
//! ```text
//!   spec ──▶ explored heap ──▶ lines: every call over handles, every address, hashes of the region
//!     └────▶ emitted C ──────▶ program that plays them
//! ```
#![allow(unsafe_code)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::MaybeUninit;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr::NonNull;

use heapsmith::{Counters, Fixed, Handle, Handles, Heap as _, Unmetered};
use heapsmith_emit::{Extra, Name, Request, c};
use heapsmith_spec::build::{HandlesJob, with_handles};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trial::Random;

use crate::differential::heaps::is_whole;
use crate::differential::tape::hash;

/// Both systems, every word, and an alignment.
const HEAPS: &[&str] = &[
    "buddy(knuth, defragment=on-demand)",
    "buddy(estranged, defragment=on-demand)",
    "buddy(estranged, defragment=on-demand) word=8 align=64",
    "buddy(knuth, defragment=on-demand) word=2",
    "buddy(knuth, defragment=on-demand) word=8",
    "buddy(estranged, defragment=on-demand) word=2 align=16",
];

/// A live block: by its handle, or by its address.
enum Live {
    Movable(Handle, bool),
    Fixed(NonNull<u8>),
}

/// Plays a random program and writes it down.
struct Recorder<'t> {
    seed: u64,
    steps: usize,
    bytes: usize,
    text: &'t mut String,
}

struct Recording<'t, H> {
    heap: Counters<u32, H>,
    live: Vec<(usize, Live)>,
    text: &'t mut String,
    moved: u64,
}

impl HandlesJob<Unmetered> for Recorder<'_> {
    type Output = u64;

    fn run<H: Handles<Meter = Unmetered>>(self, heap: H) -> u64 {
        // Every region is a number of words of each kind.
        let heap = Counters::<u32, _>::new(heap, self.bytes);
        let mut recording = Recording { heap, live: Vec::new(), text: self.text, moved: 0 };
        let mut random = Random::new(self.seed);
        if self.seed % 2 == 1 {
            let reserved = recording.heap.reserve_handles(100);
            recording.line('r', &[100, i64::from(reserved)]);
        }
        for step in 0..self.steps {
            recording.step(&mut random);
            if step % 50 == 49 {
                recording.whole();
            }
        }
        recording.moved
    }
}

impl<H: Handles<Meter = Unmetered>> Recording<'_, H> {
    fn line(&mut self, kind: char, numbers: &[i64]) {
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        writeln!(self.text, "{kind} {}", numbers.join(" ")).expect("a string");
    }

    fn offset(&self, pointer: NonNull<u8>) -> i64 {
        (pointer.as_ptr().addr() - self.heap.base().as_ptr().addr()) as i64
    }

    /// A slot that no live block has.
    fn slot(&self) -> usize {
        (0..).find(|slot| self.live.iter().all(|(used, _)| used != slot)).expect("there are slots")
    }

    fn step(&mut self, random: &mut Random) {
        let max = if random.below(8) == 0 { 1800 } else { 90 };
        let size = 1 + random.below(max);
        match random.below(20) {
            0..=9 => self.movable(size),
            10 if random.below(4) == 0 => self.fixed(size),
            10..=17 if !self.live.is_empty() => {
                let at = random.below(self.live.len());
                self.free(at);
            }
            _ if !self.live.is_empty() => {
                let at = random.below(self.live.len());
                self.pin_or_look(at, random.below(4) == 0);
            }
            _ => {}
        }
        self.moved = self.heap.moved().blocks;
    }

    fn movable(&mut self, size: usize) {
        let slot = self.slot();
        let handle = self.heap.allocate_movable(size);
        // SAFETY: the handle is live.
        let pointer = handle.map(|handle| unsafe { self.heap.get(handle) });
        let offset = pointer.map_or(-1, |pointer| self.offset(pointer));
        let bound = self.heap.max_moved(size).unwrap_or(0);
        self.line('m', &[slot as i64, size as i64, offset, bound as i64]);
        if let (Some(handle), Some(pointer)) = (handle, pointer) {
            fill(pointer, slot, size);
            self.live.push((slot, Live::Movable(handle, false)));
        }
    }

    fn fixed(&mut self, size: usize) {
        let slot = self.slot();
        let pointer = self.heap.allocate(size, 1);
        let offset = pointer.map_or(-1, |pointer| self.offset(pointer));
        self.line('a', &[slot as i64, size as i64, offset]);
        if let Some(pointer) = pointer {
            fill(pointer, slot, size);
            self.live.push((slot, Live::Fixed(pointer)));
        }
    }

    fn free(&mut self, at: usize) {
        let (slot, live) = self.live.swap_remove(at);
        match live {
            Live::Movable(handle, _) => {
                self.line('f', &[slot as i64]);
                // SAFETY: the handle left the list.
                unsafe { self.heap.free_movable(handle) };
            }
            Live::Fixed(pointer) => {
                self.line('x', &[slot as i64]);
                // SAFETY: the block left the list.
                unsafe { self.heap.deallocate(pointer) };
            }
        }
    }

    fn pin_or_look(&mut self, at: usize, pins: bool) {
        let (slot, Live::Movable(handle, pinned)) = &mut self.live[at] else { return };
        let (slot, handle, was_pinned) = (*slot as i64, *handle, *pinned);
        *pinned = !was_pinned && pins;
        // SAFETY: the handle is live.
        unsafe {
            if was_pinned {
                self.heap.unpin(handle);
                self.line('u', &[slot]);
            } else if pins {
                let offset = self.heap.pin(handle);
                self.line('p', &[slot, self.offset(offset)]);
            } else {
                let offset = self.offset(self.heap.get(handle));
                self.line('g', &[slot, offset]);
            }
        }
    }

    fn whole(&mut self) {
        self.heap.check().unwrap_or_else(|violation| panic!("{violation}"));
        let (footprint, peak, moved) = (self.heap.footprint(), self.heap.footprint_peak(), self.heap.moved());
        // SAFETY: the footprint lies in the region, all of which was written before the heap was made.
        let bytes = unsafe { std::slice::from_raw_parts(self.heap.base().as_ptr(), peak) };
        let hash = (hash(bytes) >> 1) as i64;
        self.line('c', &[footprint as i64, peak as i64, moved.last as i64, moved.max as i64, hash]);
        let counts = self.heap.counts();
        let numbers =
            [counts.live_blocks, counts.free_bytes, counts.min_free_bytes, counts.refused, counts.largest_request];
        self.line('n', &numbers.map(|number| number as i64));
    }
}

/// What the player writes, too.
fn fill(pointer: NonNull<u8>, slot: usize, size: usize) {
    for byte in 0..size {
        // SAFETY: the heap gave `size` bytes.
        unsafe { pointer.as_ptr().add(byte).write((slot + byte) as u8) };
    }
}

/// Programs on the heap of `spec`, in regions of many sizes; and the blocks that were moved.
fn programs(spec: &Spec, programs: u64) -> (String, u64) {
    let (mut text, mut moved) = (String::new(), 0);
    for seed in 0..programs {
        let mut random = Random::new(seed + 1);
        // A power of two, or not a multiple of a block.
        let bytes = random.one_of(&[8 << 10, 16 << 10, 30 << 10]) + random.one_of(&[0, 0, 24, 264]);
        let mut memory = vec![MaybeUninit::new(u64::from_ne_bytes([0xA5; 8])); (bytes + 2 * 4096) / 8];
        let skip = (4096 - memory.as_ptr().addr() % 4096) / 8;
        let source = Fixed::new(&mut memory[skip..]).shortened(bytes);
        writeln!(text, "h {bytes}").expect("a string");
        let recorder = Recorder { seed, steps: 2000, bytes, text: &mut text };
        moved += with_handles(spec, source, Unmetered, recorder).unwrap_or_else(|error| panic!("{spec}: {error}"));
    }
    (text, moved)
}

fn c_follows(heap: &str, flags: &[&str], many: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let spec = resolve(heap).expect("a heap");
    let (text, moved) = programs(&spec, many);
    assert!(moved > 50, "{heap}: {moved} blocks moved");
    let extras = if heap.contains("knuth") { Extra::ALL.to_vec() } else { Vec::new() };
    let counts = format!("-DCOUNTS={}", u8::from(!extras.is_empty()));
    let request = Request { extras, ..Request::new(spec, Name::new("my_heap").expect("a name")) };
    for file in c::emit(&request).expect("source") {
        std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
    }
    std::fs::write(dir.path().join("player.c"), include_str!("handles/player.c")).expect("the file is written");
    // The program that plays has a C library, whatever the heap is compiled without.
    let of_player = flags.iter().filter(|flag| !flag.starts_with("-U") && **flag != "-ffreestanding").copied();
    compile(dir.path(), &[&["-c", "my_heap.c"], flags].concat());
    compile(
        dir.path(),
        &["-o", "player", "player.c", "my_heap.o", &counts].into_iter().chain(of_player).collect::<Vec<_>>(),
    );
    let played = play(&dir.path().join("player"), &text);
    assert_eq!(played.trim(), format!("{} lines played", text.lines().count()), "{heap} {flags:?}");
}

fn compile(dir: &Path, arguments: &[&str]) {
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]).args(arguments).current_dir(dir);
    let output = cc.output().expect("cc runs: install build-essential");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn play(program: &Path, text: &str) -> String {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    // It ends early where it differs: what it says then is what counts.
    let _ = child.stdin.take().expect("a pipe").write_all(text.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const WATCHED: &[&str] = &[
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-DMY_HEAP_ASSERT(x)=((x)?(void)0:__builtin_trap())",
];

#[test]
fn c_moves_what_the_explored_heap_moves() {
    let heaps = if is_whole() { HEAPS } else { &HEAPS[..3] };
    for heap in heaps {
        c_follows(heap, WATCHED, if is_whole() { 40 } else { 4 });
    }
}

#[test]
fn c_of_32_bits_and_without_builtins_moves_it_too() {
    for heap in if is_whole() { HEAPS } else { &HEAPS[..1] } {
        c_follows(heap, &["-m32"], 4);
        c_follows(heap, &["-O2", "-ffreestanding", "-U__GNUC__", "-U__unix__"], 4);
    }
}
