//! The search unit of `hardware/` and the page heap, held against each other.
//!
//! ```text
//! search_unit vectors                  what the heap asks of the unit, and what it is answered, line by line
//! search_unit drive PROGRAM [ARGS]     a heap whose unit is that program, compared with one that searches by word
//! search_unit follow LOG…              what programs on the simulated core were given, compared with this heap's blocks
//! search_unit follow-tree LOG…         the same of a heap that searches by a tree: its larger directory leaves less of a region
//! ```
//!
//! The lines are those of the test bench (`hardware/tb/page_unit.cpp`); numbers are decimal, words are hexadecimal:
//!
//! ```text
//! allocate CLASS OBJECT        OBJECT is - if none is free
//! free CLASS OBJECT
//! load CLASS NUMBER WORD
//! store CLASS NUMBER WORD
//! ```
//!
//! `drive` writes them without what is answered, and reads the answers. A log has `a SIZE OFFSET`, `f OFFSET` or
//! `r OFFSET SIZE OFFSET` (before and after) a line.
#![allow(unsafe_code)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::mem::MaybeUninit;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::ptr::NonNull;

use heapsmith::parts::pages::{Bitmap, ByTree, ByWord, Emulated, Hardware, PageSizes, Unit};
use heapsmith::parts::{PageHeap, Words};
use heapsmith::{Counting, Fixed, Heap};

/// Pages as Li, Mohanty and Kavi have them.
const SIZES: PageSizes = PageSizes { page: 4096, min: 16, alignment: 4 };
/// Operations of the program.
const OPERATIONS: usize = 60_000;
/// Bytes of a region.
const REGION: usize = 1 << 24;

/// Writes down what is asked, and answers as the heap alone would.
#[derive(Debug, Default)]
struct Recorded {
    lines: String,
    emulated: Emulated,
}

impl Recorded {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.lines, "{line}").expect("text");
    }
}

// SAFETY: it answers as the emulated unit does.
unsafe impl Unit for Recorded {
    fn allocate<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let object = self.emulated.allocate(memory, map);
        let told = object.map_or("-".to_owned(), |object| object.to_string());
        self.line(format_args!("allocate {} {told}", map.class));
        object
    }

    fn free<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        self.emulated.free(memory, map, object);
        self.line(format_args!("free {} {object}", map.class));
    }

    fn load(&mut self, map: Bitmap, number: usize, word: usize) {
        self.line(format_args!("load {} {number} {word:x}", map.class));
    }

    fn store<W: Words>(&mut self, memory: &W, map: Bitmap, number: usize) -> usize {
        let word = self.emulated.store(memory, map, number);
        self.line(format_args!("store {} {number} {word:x}", map.class));
        word
    }
}

/// A program that simulates the unit.
#[derive(Debug)]
struct Simulated {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Simulated {
    fn start(command: &[String]) -> Simulated {
        let [program, arguments @ ..] = command else { panic!("say which program simulates the unit") };
        let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("cannot run {program}: {error}"));
        let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Simulated { child, to, from: BufReader::new(from) }
    }

    fn say(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.to, "{line}").expect("the simulation listens");
    }

    fn ask(&mut self, line: std::fmt::Arguments<'_>) -> String {
        self.say(line);
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("the simulation answers");
        answer.trim().to_owned()
    }

    fn finish(self) {
        let Simulated { mut child, to, .. } = self;
        drop(to);
        assert!(child.wait().expect("the simulation ends").success());
    }
}

// SAFETY: an object is answered only where the emulated unit answers the same.
unsafe impl Unit for Simulated {
    fn allocate<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let answer = self.ask(format_args!("allocate {}", map.class));
        let object = (answer != "-").then(|| answer.parse().expect("an object"));
        assert_eq!(object, Emulated.allocate(memory, map), "the free objects of page {}", map.page);
        object
    }

    fn free<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        Emulated.free(memory, map, object);
        self.say(format_args!("free {} {object}", map.class));
    }

    fn load(&mut self, map: Bitmap, number: usize, word: usize) {
        self.say(format_args!("load {} {number} {word:x}", map.class));
    }

    fn store<W: Words>(&mut self, memory: &W, map: Bitmap, number: usize) -> usize {
        let answer = self.ask(format_args!("store {} {number}", map.class));
        let word = usize::from_str_radix(&answer, 16).expect("a word");
        assert_eq!(word, memory.peek(map.at + number), "the bitmap of page {} comes back changed", map.page);
        word
    }
}

/// What a program asks for: this many bytes, or that its block of this number be freed.
#[derive(Clone, Copy)]
enum Asked {
    Bytes(usize),
    Free(usize),
}

/// A program that fills pages of every class, and empties them in another order.
fn program() -> Vec<Asked> {
    let mut random = 1_u64;
    let mut next = |below: usize| {
        // Lehmer's generator, modulus 2^31 - 1.
        random = random * 48_271 % 0x7fff_ffff;
        random as usize % below
    };
    let (mut live, mut asked) = (0, Vec::new());
    for number in 0..OPERATIONS {
        // Up and down, so that pages fill, and become empty; small sizes far more often than large ones.
        let grows = number / 3000 % 2 == 0;
        if live == 0 || live < 2500 && next(10) < if grows { 7 } else { 3 } {
            let max = [16, 16, 16, 16, 32, 32, 64, 64, 128, 256, 512, 1024, 2048, 9000][next(14)];
            asked.push(Asked::Bytes(1 + next(max)));
            live += 1;
        } else {
            live -= 1;
            asked.push(Asked::Free(next(live + 1)));
        }
    }
    asked
}

/// Runs the program; gives the offset of every block, and what was counted.
fn run<H: Heap<Meter = Counting>>(heap: &mut H) -> (Vec<usize>, Counting) {
    let (mut offsets, mut live): (_, Vec<NonNull<u8>>) = (Vec::new(), Vec::new());
    for (number, asked) in program().into_iter().enumerate() {
        match asked {
            Asked::Bytes(bytes) => {
                let block = heap.allocate(bytes, 1).expect("the region is large");
                offsets.push(block.as_ptr().addr() - heap.base().as_ptr().addr());
                live.push(block);
            }
            // SAFETY: the block came from this heap, and leaves the list here.
            Asked::Free(block) => unsafe { heap.deallocate(live.swap_remove(block)) },
        }
        if number % 1000 == 0 {
            heap.check().unwrap_or_else(|broken| panic!("after {number} operations: {broken}"));
        }
    }
    (offsets, *heap.meter())
}

/// Does what a log says, and compares the offset of every block; gives the number of blocks.
fn follow<H: Heap>(heap: &mut H, log: &str) -> usize {
    let (mut live, mut blocks) = (std::collections::HashMap::new(), 0);
    for (number, line) in log.lines().enumerate() {
        let numbers: Vec<usize> = line.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect();
        match (line.as_bytes().first(), &numbers[..]) {
            (Some(b'a'), &[size, offset]) => {
                let block = heap.allocate(size, 1).expect("the region is large");
                assert_eq!(block.as_ptr().addr() - heap.base().as_ptr().addr(), offset, "line {}", number + 1);
                live.insert(offset, block);
                blocks += 1;
            }
            (Some(b'f'), [offset]) => {
                let block = live.remove(offset).unwrap_or_else(|| panic!("line {}: no such block", number + 1));
                // SAFETY: the block came from this heap, and leaves the table here.
                unsafe { heap.deallocate(block) };
            }
            (Some(b'r'), &[before, size, after]) => {
                let block = live.remove(&before).unwrap_or_else(|| panic!("line {}: no such block", number + 1));
                // SAFETY: the block came from this heap, and left the table.
                let block = unsafe { heap.reallocate(block, size, 1) }.expect("the region is large");
                assert_eq!(block.as_ptr().addr() - heap.base().as_ptr().addr(), after, "line {}", number + 1);
                live.insert(after, block);
                blocks += 1;
            }
            _ => panic!("line {}: {line:?}", number + 1),
        }
    }
    blocks
}

/// A region for a heap, at a multiple of a page.
fn with_region<O>(job: impl FnOnce(Fixed<'_>) -> O) -> O {
    let mut memory = vec![MaybeUninit::<u64>::uninit(); (REGION + 4096) / 8];
    let skip = (4096 - memory.as_ptr().addr() % 4096) / 8;
    job(Fixed::new(&mut memory[skip..][..REGION / 8]))
}

type Searched<'r, F> = PageHeap<u32, F, Fixed<'r>, Counting>;

fn by_word() -> (Vec<usize>, Counting) {
    with_region(|region| run(&mut Searched::<ByWord>::from_parts(region, SIZES, Counting::default()).expect("large")))
}

fn by_unit<U: Unit>(unit: U) -> ((Vec<usize>, Counting), U) {
    with_region(|region| {
        let search = Hardware { unit };
        let mut heap = Searched::with_search(region, SIZES, Counting::default(), search).expect("large");
        let outcome = run(&mut heap);
        (outcome, heap.into_search().unit)
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (word, _) = by_word();
    match arguments.split_first().map(|(verb, remainder)| (verb.as_str(), remainder)) {
        Some(("vectors", [])) => {
            let ((offsets, _), unit) = by_unit(Recorded::default());
            assert_eq!(offsets, word, "a unit finds what a search by word finds");
            print!("{}", unit.lines);
        }
        Some(("drive", command)) => {
            let ((offsets, counted), unit) = by_unit(Simulated::start(command));
            unit.finish();
            assert_eq!(offsets, word, "the simulated unit finds what a search by word finds");
            println!("{} blocks at the same addresses, {} instructions of the unit", offsets.len(), counted.unit);
        }
        Some((verb @ ("follow" | "follow-tree"), logs)) if !logs.is_empty() => {
            for log in logs {
                let lines = std::fs::read_to_string(log).unwrap_or_else(|error| panic!("cannot read {log}: {error}"));
                let meter = Counting::default();
                let blocks = with_region(|region| match verb {
                    "follow" => {
                        follow(&mut Searched::<ByWord>::from_parts(region, SIZES, meter).expect("large"), &lines)
                    }
                    _ => follow(&mut Searched::<ByTree>::from_parts(region, SIZES, meter).expect("large"), &lines),
                });
                println!("{log}: {blocks} blocks at the same addresses");
            }
        }
        _ => panic!(
            "say `vectors`, `follow` or `follow-tree` and logs, or `drive` and the program that simulates the unit"
        ),
    }
}
