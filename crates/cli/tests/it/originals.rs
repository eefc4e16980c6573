//! Heaps of firmware as specs: the originals' own addresses, over a million and a half recorded and random events each.
//!
//! ```text
//!   programs ──▶ players of the originals (elsewhere) ──▶ offsets ──▶ checksums in offsets.txt
//!        └─────▶ lines of the catalogue (here)        ──▶ offsets ──▶ checksums ═?
//! ```
//!
//! What the originals gave was recorded once, by [`record_the_originals`]. A player is a program around one of them: it reads
//! events of 8 bytes, a slot and a size, 0 for a free, and writes after each event where the slot's block lies behind the
//! first block of all, in 4 bytes, all ones where there is none. All numbers have the low bytes first.
//!
//! All heaps have [`AREA`] bytes of chunks, behind their own words and before what ends them. That is less than two of the
//! programs need, so it holds refusals against each other, too.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use heapsmith_output::Scratch;
use heapsmith_replay::{Region, offsets};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes, Event, Operation, Origin, PackedEvents, PackedTrace, Trace};

/// Players, and their heaps here: names of the catalogue, or specs.
const HEAPS: [(&str, &str); 8] = [
    ("freertos-heap2", "freertos-heap2"),
    ("freertos-heap4", "freertos-heap4"),
    ("o1heap", "o1heap"),
    ("sys-heap", "sys-heap"),
    ("sys-heap-big", "sys-heap-big"),
    ("tlsf-conte", "tlsf-conte"),
    ("umm-malloc", "umm-malloc"),
    ("umm-malloc-first", "chunks(header=packed, index=lifo, fit=first, unit=8)"),
];

/// Captures and what they are played as.
const RECORDED: [(&str, &str); 3] = [("ftp.pcap.xz", "drr"), ("web.pcap.xz", "drr"), ("mixed.pcapng.xz", "easyport")];

/// Bytes of all chunks: 32,000 units of 8 bytes.
const AREA: usize = 256_000;
/// Events that a checksum is of.
const PART: usize = 100_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/originals")
}

/// Events over 900 slots: a live one is freed, another one allocated, of `min` bytes and more.
fn random(events: usize, min: u64) -> PackedTrace {
    let mut trace = Trace::new(Origin::new("random", ""));
    let (mut random, mut live, mut blocks) = (99_u64, [None; 900], 0);
    while trace.events.len() < events {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let slot = (random >> 33) as usize % live.len();
        let action = if let Some(id) = live[slot].take() {
            Action::Free { id }
        } else {
            let max = [16, 200, 1500, 3000][(random >> 62) as usize];
            blocks += 1;
            live[slot] = Some(blocks);
            Action::Allocate { id: blocks, size: Bytes((1 + (random >> 44) % max).max(min)), alignment: 0 }
        };
        trace.events.push(Event::at(trace.events.len() as u64, action));
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

/// All programs by name.
fn programs() -> Vec<(String, PackedTrace)> {
    let scratch = Scratch::new().expect("a folder");
    let recorded = RECORDED.map(|(sample, workload)| {
        let file = scratch.path().join("trace.parquet");
        let mut import = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        import.arg("import").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample));
        let status = import.args(["--as", workload, "-o"]).arg(&file).stderr(Stdio::null()).status();
        assert!(status.expect("the command runs").success(), "{sample}");
        let trace = PackedTrace::new(&Trace::read(&file).expect("a trace")).expect("a sound trace");
        fs::remove_file(&file).expect("it was there");
        (sample.to_owned(), trace)
    });
    let programs: Vec<_> = [("random".to_owned(), random(1_000_000, 1))].into_iter().chain(recorded).collect();
    let requests = programs.iter().flat_map(|(_, trace)| &trace.events);
    assert!(requests.filter(|event| event.operation == Operation::Allocate).count() > 700_000);
    programs
}

/// FNV-1a of the offsets in parts, each as 4 bytes from the low ones on: behind the first block; all ones for none.
fn checksums(offsets: &[Option<usize>]) -> Vec<String> {
    let sum = |part: &[Option<usize>]| {
        let bytes = part.iter().flat_map(|at| at.map_or(u32::MAX, |at| at as u32).to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    offsets.chunks(PART).map(|part| format!("{:016x}", sum(part))).collect()
}

/// The checksums of `offsets.txt`, by heap and program.
fn recorded() -> BTreeMap<(String, String), Vec<String>> {
    let text = fs::read_to_string(folder().join("offsets.txt")).expect("the checksums");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let line = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = (words.next().expect("a heap"), words.next().expect("a program"));
        (name, words.collect())
    };
    lines.map(line).collect()
}

/// The offsets of a heap behind its first block, in a region that leaves it [`AREA`] bytes of chunks.
fn own(heap: &str, trace: &PackedTrace) -> Vec<Option<usize>> {
    let heap = resolve(heap).expect(heap).into();
    let one = PackedTrace { events: PackedEvents::Own(trace.events[..1].to_vec()), ..trace.clone() };
    let mut region = Region::new(Bytes(2 * AREA as u64)).expect("memory");
    let all = region.size();
    let first =
        offsets(&heap, &one, &mut region, all).expect("a heap")[0].expect("a program begins with an allocation");
    offsets(&heap, trace, &mut region, Bytes((first + AREA) as u64))
        .expect("a heap")
        .iter()
        .map(|at| at.map(|at| at - first))
        .collect()
}

#[test]
fn heaps_of_firmware_have_the_addresses_of_the_originals() {
    let (recorded, programs) = (recorded(), programs());
    assert_eq!(recorded.len(), HEAPS.len() * programs.len());
    let jobs: Vec<_> = HEAPS.iter().flat_map(|heap| programs.iter().map(move |program| (heap, program))).collect();
    let run = &|half: usize| {
        for ((name, heap), (program, trace)) in jobs.iter().skip(half).step_by(2) {
            assert_eq!(
                checksums(&own(heap, trace)),
                recorded[&((*name).to_owned(), program.clone())],
                "{name} {program}"
            );
        }
    };
    thread::scope(|scope| [0, 1].map(|half| scope.spawn(move || run(half))).map(|running| running.join()))
        .into_iter()
        .for_each(|outcome| outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
}

/// Heaps of the readings place as those of firmware do, in a region that serves all, requests of more than this.
const SMALL: u64 = 8;

#[test]
fn readings_of_freertos_have_the_addresses_of_its_heaps_for_more_than_8_bytes() {
    let mut region = Region::new(Bytes(64 << 20)).expect("memory");
    let (all, program) = (region.size(), random(PART, SMALL + 1));
    for (reading, heap) in [("freertos/heap_2", "freertos-heap2"), ("freertos/heap_4", "freertos-heap4")] {
        let [reading, original] = [reading, heap].map(|heap| {
            let heap = resolve(heap).expect(heap).into();
            let offsets = offsets(&heap, &program, &mut region, all).expect("a heap");
            let first = offsets[0].expect("a program begins with an allocation");
            offsets.iter().map(|at| at.map(|at| at.wrapping_sub(first))).collect::<Vec<_>>()
        });
        assert!(
            reading == original,
            "{heap}: {:?}",
            reading.iter().zip(&original).position(|(one, other)| one != other)
        );
    }
}

/// The offsets that an original gives.
fn played(player: &Path, trace: &PackedTrace) -> Vec<Option<usize>> {
    let words = |slot, size: u64| [slot, u32::try_from(size).expect("a size of 32 bits")];
    let events = trace.events.iter().flat_map(|event| words(event.slot, event.size)).flat_map(u32::to_le_bytes);
    let events: Vec<u8> = events.collect();
    let mut child = Command::new(player).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let writer = thread::spawn(move || input.write_all(&events));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it does not panic").expect("all is read");
    assert!(output.status.success());
    let offset = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
    output.stdout.chunks(4).map(offset).map(|at| (at != u32::MAX).then_some(at as usize)).collect()
}

/// Writes the checksums of `offsets.txt` anew. `HEAPSMITH_PLAYERS` is the folder of the players, which have the names of [`HEAPS`].
#[test]
#[ignore = "needs players of the originals, which are not here: HEAPSMITH_PLAYERS=FOLDER"]
fn record_the_originals() {
    let players =
        PathBuf::from(env::var_os("HEAPSMITH_PLAYERS").expect("HEAPSMITH_PLAYERS, the folder of the players"));
    let programs = programs();
    let before = fs::read_to_string(folder().join("offsets.txt")).expect("how they were made");
    let mut text: String = before.lines().filter(|line| line.starts_with('#')).flat_map(|line| [line, "\n"]).collect();
    for (original, _) in HEAPS {
        for (program, trace) in &programs {
            text += &format!("{original} {program} {}\n", checksums(&played(&players.join(original), trace)).join(" "));
        }
    }
    fs::write(folder().join("offsets.txt"), text).expect("it is written");
}
