//! Heaps of FreeRTOS as specs: the originals' own addresses, over a million and a half recorded and random events.
//!
//! ```text
//!   programs ──▶ heap_2.c, heap_4.c (elsewhere) ──▶ offsets ──▶ checksums in offsets.txt
//!        └─────▶ specs (here)                   ──▶ offsets ──▶ checksums ═?
//! ```
//!
//! What the originals gave was recorded once, by [`record_the_originals_in_c_of_32_bits`]. Both have headers of 8 bytes on a port of
//! 32 bits, and so has a spec with words of 8. Requests have 9 bytes or more: those below take 16 bytes of the originals
//! with their header, and 24 of a spec, which keeps two links in a free block.

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
use heapsmith_trace::{Action, Bytes, Event, Operation, Origin, PackedTrace, Trace};

/// A file of the original, and its heap.
const HEAPS: [(&str, &str); 2] = [
    ("heap_2", "tree(red-black, fit=best, split=always, coalesce=never, tags=off) word=8"),
    ("heap_4", "list(order=address, fit=first, split=always, coalesce=immediate, tags=off) word=8"),
];

/// Captures and what they are played as.
const RECORDED: [(&str, &str); 3] = [("ftp.pcap.xz", "drr"), ("web.pcap.xz", "drr"), ("mixed.pcapng.xz", "easyport")];

/// Bytes of the region, as in FreeRTOS.h here.
const REGION: Bytes = Bytes(64 << 20);
/// The smallest request.
const MIN: u64 = 9;
/// Events that a checksum is of.
const PART: usize = 100_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/originals")
}

/// A million events over 400 slots: a live one is freed, another one allocated, mostly small.
fn random() -> PackedTrace {
    let mut trace = Trace::new(Origin::new("random", ""));
    let (mut random, mut live, mut blocks) = (12345_u64, [None; 400], 0);
    while trace.events.len() < 1_000_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let slot = (random >> 33) as usize % live.len();
        let action = if let Some(id) = live[slot].take() {
            Action::Free { id }
        } else {
            let max = [64, 64, 512, 2048][(random >> 62) as usize];
            blocks += 1;
            live[slot] = Some(blocks);
            Action::Allocate { id: blocks, size: Bytes(MIN + (random >> 44) % (max - MIN + 1)), alignment: 0 }
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
    let programs: Vec<_> = [("random".to_owned(), random())].into_iter().chain(recorded).collect();
    let requests =
        programs.iter().flat_map(|(_, trace)| &trace.events).filter(|event| event.operation == Operation::Allocate);
    assert!(requests.clone().count() > 700_000 && requests.clone().all(|event| event.size >= MIN));
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

#[test]
fn heaps_of_freertos_have_the_addresses_of_the_originals() {
    let (recorded, programs) = (recorded(), programs());
    assert_eq!(recorded.len(), HEAPS.len() * programs.len());
    let of_one = |(original, heap): &(&str, &str)| {
        let mut region = Region::new(REGION).expect("memory");
        for (program, trace) in &programs {
            let own = offsets(&resolve(heap).expect(heap).into(), trace, &mut region, REGION).expect(heap);
            let first = own[0].expect("a program begins with an allocation");
            let own: Vec<_> = own.iter().map(|at| at.map(|at| at.wrapping_sub(first))).collect();
            assert_eq!(checksums(&own), recorded[&((*original).to_owned(), program.clone())], "{original} {program}");
        }
    };
    thread::scope(|scope| HEAPS.each_ref().map(|heap| scope.spawn(|| of_one(heap))).map(|running| running.join()))
        .into_iter()
        .for_each(|outcome| outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
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

/// Writes `offsets.txt` anew. `HEAPSMITH_FREERTOS` is the folder of the kernel's sources; `gcc -m32` must work.
#[test]
#[ignore = "needs the sources of FreeRTOS, which are not here: HEAPSMITH_FREERTOS=FOLDER"]
fn record_the_originals_in_c_of_32_bits() {
    let kernel = PathBuf::from(env::var_os("HEAPSMITH_FREERTOS").expect("HEAPSMITH_FREERTOS, the kernel's folder"));
    let (scratch, programs) = (Scratch::new().expect("a folder"), programs());
    let mut text = "# Offsets of FreeRTOS-Kernel V11.1.0 (https://github.com/FreeRTOS/FreeRTOS-Kernel, MIT), portable/MemMang, on a\n\
                    # port of 32 bits that aligns to 8 bytes, with player.c: a heap, a program, and a checksum of every 100,000\n\
                    # events. Made by `HEAPSMITH_FREERTOS=FOLDER cargo test -p heapsmith-cli --test it record_the_originals_in_c_of_32_bits --\n\
                    # --ignored`.\n"
        .to_owned();
    for (original, _) in HEAPS {
        let player = scratch.path().join(original);
        let mut compiler = Command::new("gcc");
        compiler.args(["-m32", "-O1", &format!("-DORIGINAL=\"{original}.c\""), "-I"]).arg(folder());
        compiler.arg("-I").arg(kernel.join("portable/MemMang")).arg(folder().join("player.c")).arg("-o").arg(&player);
        assert!(compiler.status().expect("gcc is installed").success());
        for (program, trace) in &programs {
            text += &format!("{original} {program} {}\n", checksums(&played(&player, trace)).join(" "));
        }
    }
    fs::write(folder().join("offsets.txt"), text).expect("it is written");
}
