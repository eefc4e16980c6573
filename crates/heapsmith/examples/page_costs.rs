//! What the searches of the page heap cost in instructions, for tools that count them.
//!
//! ```text
//! page_costs run SEARCH PROGRAM ROUNDS   replays a made program so often
//! page_costs count SEARCH PROGRAM        operations, those served by never-used memory, accesses, visits and instructions of
//!                                        the unit in a round
//! page_costs work ROUNDS                 builds a binary tree and adds it up: what a program does besides allocating
//! ```
//!
//! A round is `(three rounds - one round) / 2`: all that is done once falls out. `tests/instructions` does this for
//! every pair. Under `hardware` the unit's answers are read from a list that was made before: that replaces issuing its
//! instruction and taking the answer, and the software is left as it is with a unit.
#![allow(unsafe_code)]

use core::cell::Cell;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith::parts::pages::{Bitmap, BitmapSearch, ByTree, ByWord, Emulated, Hardware, Linear, PageSizes, Unit};
use heapsmith::parts::{PageHeap, Words};
use heapsmith::{Counting, Fixed, Heap, Meter, ServePath, Unmetered};

/// Pages as Li, Mohanty and Kavi have them.
const SIZES: PageSizes = PageSizes { page: 4096, min: 16, alignment: 4 };

/// The searches, as a spec names them.
pub const SEARCHES: [&str; 4] = ["linear", "word", "tree", "hardware"];

/// The order in which a program frees.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FreeOrder {
    /// Each block right after it was allocated.
    AtOnce,
    /// All at the end, the last first.
    LastFirst,
    /// All at the end, the first first.
    FirstFirst,
    /// Every other one, which is allocated again; then all.
    EveryOther,
    /// Random ones while it runs.
    Random,
}

/// What is asked for: this many blocks live, their order, and the size of each by a random number.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    live: usize,
    order: FreeOrder,
    size: fn(usize) -> usize,
}

/// The programs.
pub const PROGRAMS: [Program; 9] = [
    Program { name: "pairs-24", live: 2000, order: FreeOrder::AtOnce, size: |_| 24 },
    Program { name: "stack-16", live: 3000, order: FreeOrder::LastFirst, size: |_| 16 },
    Program { name: "queue-16", live: 3000, order: FreeOrder::FirstFirst, size: |_| 16 },
    Program { name: "again-16", live: 3000, order: FreeOrder::EveryOther, size: |_| 16 },
    Program { name: "queue-48", live: 3000, order: FreeOrder::FirstFirst, size: |_| 48 },
    Program { name: "again-200", live: 2000, order: FreeOrder::EveryOther, size: |_| 200 },
    Program { name: "random-16", live: 1500, order: FreeOrder::Random, size: |_| 16 },
    Program { name: "random-40", live: 1500, order: FreeOrder::Random, size: |_| 40 },
    Program {
        name: "random-mixed",
        live: 1500,
        order: FreeOrder::Random,
        size: |random| 1 + random % [32, 64, 128, 900][random % 4],
    },
];

/// An event: fills a slot with this many bytes, or empties it.
#[derive(Clone, Copy, Debug)]
struct Event {
    slot: u32,
    size: Option<u32>,
}

/// The events of a program, which ends with nothing live.
fn events(program: Program) -> Vec<Event> {
    let mut state = 1_u64;
    let mut random = || {
        // Lehmer's generator, modulus 2^31 - 1.
        state = state * 48_271 % 0x7fff_ffff;
        state as usize
    };
    let mut events = Vec::new();
    let fill = |slot: usize, random: usize| Event { slot: slot as u32, size: Some((program.size)(random) as u32) };
    let empty = |slot: usize| Event { slot: slot as u32, size: None };
    for slot in 0..program.live {
        events.push(fill(slot, random()));
        if program.order == FreeOrder::AtOnce {
            events.push(empty(slot));
        }
    }
    match program.order {
        FreeOrder::AtOnce => {}
        FreeOrder::LastFirst => events.extend((0..program.live).rev().map(empty)),
        FreeOrder::FirstFirst => events.extend((0..program.live).map(empty)),
        FreeOrder::EveryOther => {
            events.extend((0..program.live).step_by(2).map(empty));
            (0..program.live).step_by(2).for_each(|slot| events.push(fill(slot, random())));
            events.extend((0..program.live).map(empty));
        }
        FreeOrder::Random => {
            for _ in 0..4 * program.live {
                let slot = random() % program.live;
                events.extend([empty(slot), fill(slot, random())]);
            }
            events.extend((0..program.live).map(empty));
        }
    }
    events
}

/// Writes down what the unit answers.
#[derive(Debug, Default)]
struct Recorded {
    answers: Vec<u16>,
}

// SAFETY: it answers as the emulated unit does.
unsafe impl Unit for Recorded {
    fn allocate<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let object = Emulated.allocate(memory, map)?;
        self.answers.push(object as u16);
        Some(object)
    }

    fn free<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        Emulated.free(memory, map, object);
    }

    fn load(&mut self, _map: Bitmap, _number: usize, _word: usize) {}

    fn store<W: Words>(&mut self, memory: &W, map: Bitmap, number: usize) -> usize {
        Emulated.store(memory, map, number)
    }
}

/// Answers what was written down: an instruction's issue and its answer, and no search.
#[derive(Debug)]
struct Answered<'a> {
    answers: &'a [u16],
    at: &'a Cell<usize>,
    sink: &'a Cell<usize>,
}

// SAFETY: the heap is asked what it was asked when the answers were written down, and nobody uses its blocks.
unsafe impl Unit for Answered<'_> {
    #[inline(always)]
    fn allocate<W: Words>(&mut self, _memory: &mut W, _map: Bitmap) -> Option<usize> {
        let at = self.at.get();
        self.at.set(at + 1);
        self.answers.get(at).map(|&object| object.into())
    }

    #[inline(always)]
    fn free<W: Words>(&mut self, _memory: &mut W, _map: Bitmap, object: usize) {
        self.sink.set(object);
    }

    #[inline(always)]
    fn load(&mut self, _map: Bitmap, _number: usize, word: usize) {
        self.sink.set(word);
    }

    #[inline(always)]
    fn store<W: Words>(&mut self, _memory: &W, _map: Bitmap, _number: usize) -> usize {
        self.sink.get()
    }
}

/// The loop: what is asked for, and nothing else.
#[inline(never)]
fn replay<H: Heap>(heap: &mut H, events: &[Event], slots: &mut [Option<NonNull<u8>>]) {
    for event in events {
        let slot = &mut slots[event.slot as usize];
        match event.size {
            Some(size) => *slot = heap.allocate(size as usize, 1),
            None => {
                if let Some(pointer) = slot.take() {
                    // SAFETY: the slot's block came from this heap, and leaves the slot here.
                    unsafe { heap.deallocate(pointer) };
                }
            }
        }
    }
}

/// Replays this many rounds over a heap that each leaves empty; `before` is called before each.
fn rounds<F: BitmapSearch, M: Meter + Copy>(
    search: F,
    meter: M,
    program: Program,
    number: usize,
    before: &dyn Fn(),
) -> (M, F) {
    let mut memory = vec![MaybeUninit::<u64>::uninit(); (1 << 18) + 512];
    let skip = (4096 - memory.as_ptr().addr() % 4096) / 8;
    let region = Fixed::new(&mut memory[skip..][..1 << 18]);
    let mut heap = PageHeap::<u32, F, _, _>::with_search(region, SIZES, meter, search).expect("the region is large");
    let (events, mut slots) = (events(program), vec![None; program.live]);
    for _ in 0..number {
        before();
        replay(&mut heap, black_box(&events), &mut slots);
    }
    (*heap.meter(), heap.into_search())
}

/// What the unit answers in a round.
fn answers(program: Program) -> Vec<u16> {
    rounds(Hardware { unit: Recorded::default() }, Unmetered, program, 1, &|| {}).1.unit.answers
}

fn run(search: &str, program: Program, number: usize) {
    match search {
        "linear" => drop(rounds(Linear, Unmetered, program, number, &|| {})),
        "word" => drop(rounds(ByWord, Unmetered, program, number, &|| {})),
        "tree" => drop(rounds(ByTree, Unmetered, program, number, &|| {})),
        "hardware" => {
            let (answers, at, sink) = (answers(program), Cell::new(0), Cell::new(0));
            let unit = Answered { answers: &answers, at: &at, sink: &sink };
            rounds(Hardware { unit }, Unmetered, program, number, &|| at.set(0));
            assert_eq!(at.get(), answers.len(), "every round asks the unit the same");
        }
        _ => panic!("no such search; there are {SEARCHES:?}"),
    }
}

/// Operations, those served by never-used memory, accesses, visits and instructions of the unit in a round.
pub fn counted(search: &str, program: Program) -> [u64; 5] {
    let total = |number| match search {
        "linear" => rounds(Linear, Counting::default(), program, number, &|| {}).0,
        "word" => rounds(ByWord, Counting::default(), program, number, &|| {}).0,
        "tree" => rounds(ByTree, Counting::default(), program, number, &|| {}).0,
        "hardware" => rounds(Hardware::<Emulated>::default(), Counting::default(), program, number, &|| {}).0,
        _ => panic!("no such search; there are {SEARCHES:?}"),
    };
    let (one, three): (Counting, Counting) = (total(1), total(3));
    let round = |of: fn(&Counting) -> u64| (of(&three) - of(&one)) / 2;
    let operations = events(program).len() as u64;
    let grown = round(|meter| meter.served[ServePath::ByGrowing as usize]);
    [operations, grown, round(|meter| meter.accesses), round(|meter| meter.visits), round(|meter| meter.unit)]
}

/// Levels of the tree of `work`.
pub const LEVELS: u32 = 12;

/// A node of a tree, as in the program treeadd; 0 is no node.
#[derive(Clone, Copy, Default)]
struct Node {
    value: u64,
    left: usize,
    right: usize,
}

/// Builds a tree in nodes that lie ready; three words of each are written.
#[inline(never)]
fn build(nodes: &mut [Node], next: &mut usize, level: u32) -> usize {
    if level == 0 {
        return 0;
    }
    let own = *next;
    *next += 1;
    let (left, right) = (build(nodes, next, level - 1), build(nodes, next, level - 1));
    nodes[own] = Node { value: 1, left, right };
    own
}

/// Adds the values up; three words of each node are read.
#[inline(never)]
fn add(nodes: &[Node], own: usize) -> u64 {
    let node = &nodes[own];
    let left = if node.left == 0 { 0 } else { add(nodes, node.left) };
    let right = if node.right == 0 { 0 } else { add(nodes, node.right) };
    node.value + left + right
}

fn work(number: usize) {
    let mut nodes = vec![Node::default(); 1 << LEVELS];
    for _ in 0..number {
        let root = build(&mut nodes, &mut 1, LEVELS);
        assert_eq!(black_box(add(&nodes, root)), (1 << LEVELS) - 1);
    }
}

fn named(name: &str) -> Program {
    *PROGRAMS.iter().find(|known| known.name == name).expect("a program's name")
}

/// Runs what the arguments say.
pub fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["run", search, program, number] => run(search, named(program), number.parse().expect("a number of rounds")),
        ["count", search, program] => println!("{:?}", counted(search, named(program))),
        ["work", number] => work(number.parse().expect("a number of rounds")),
        _ => panic!("say run SEARCH PROGRAM ROUNDS, count SEARCH PROGRAM, or work ROUNDS"),
    }
}
