//! The emitted C on small machines: an ATmega2560, where `int` has 16 bits, and a Cortex-M0, whose program is linked
//! without a C library. Both give the offsets of the explored heap and leave the same bytes in the region. A PowerPC, whose words
//! begin with their highest byte, gives the same offsets.
//!
//! ```text
//!   spec ──▶ explored heap ──▶ tape, as constants ─┐
//!     └────▶ emitted C ────────────────────────────┴─▶ one program for all heaps ──▶ emulator ──▶ what it says
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_emit::c;
use heapsmith_spec::resolve;
use heapsmith_trial::{Operation, long_program};

use crate::differential::heaps::Heap;
use crate::differential::programs::{Program, Request};
use crate::differential::record;
use crate::differential::tape::{Kind, Step, Tape};

/// Bytes of the region: what both machines have room for at a multiple of 4096.
const REGION: usize = 4096;

/// A heap of every family, in a region of four kilobytes.
const HEAPS: &[&str] = &[
    "list(order=implicit, coalesce>=40) word=2",
    "freelists(16,60, order=fifo) list(order=address, split>=23, remainder=48, coalesce>=64)",
    "list(order=lifo, fit=best(30%), coalesce=deferred) word=8",
    "bins(log(2), coalesce>=48)",
    "bins(exact 16..=128 step 16, then log, each=tree) word=8",
    "skiplist word=2",
    "tree(red-black, tags=off)",
    "tlsf(largest=region)",
    "tlsf(second-level=5, largest=4000) word=2",
    "half-fit",
    "freelists(60) half-fit word=2",
    "freelists(60) list(order=address, coalesce>=40) word=2 check=header",
    "classes(16..=1024 double)",
    "buddy(knuth)",
    "freelists(40) buddy(estranged) word=2",
    "buddy(estranged) word=8",
    "pages(page=256, min=8, search=tree) word=2",
    "pages(page=256, min=8, search=word)",
    "zero bump(reclaim=empty)",
    "stack word=2",
    "fixed(60)",
    "bitmap",
    "bitmap word=2 align=8",
];

/// Fills the region, frees, asks for much, and goes on at random: requests of a size that fits into 16 bits.
fn program(number: usize) -> Program {
    let allocate = |size| Operation::Allocate { size, alignment: 1 };
    let mut operations = vec![allocate(60); 66];
    operations.extend((0..33).map(|which| Operation::Free { which }));
    operations.extend([allocate(150), Operation::Reallocate { which: 3, size: 100 }]);
    operations.extend([Operation::FreeHighest; 40]);
    operations.extend([3800, 3500, 3000, 2000, 1000, 500, 200].map(allocate));
    operations.extend([Operation::FreeHighest; 4]);
    operations.extend(long_program(120, number as u64));
    let narrowed = |operation| match operation {
        Operation::Allocate { size, alignment } => Operation::Allocate { size: size.min(50_000), alignment },
        Operation::Reallocate { which, size } => Operation::Reallocate { which, size: size.min(50_000) },
        other => other,
    };
    let requests = operations.into_iter().map(narrowed).map(Request::Random).collect();
    Program { region: REGION, requests, every: 50 }
}

/// A step as the player reads it: kind, slot, size, alignment, answer, usable size.
fn bytes(step: &Step) -> [u8; 11] {
    let low = |number: u64| (number as u16).to_le_bytes();
    let (answer, usable) =
        if step.kind == Kind::Image { (step.answer, step.answer >> 16) } else { (step.answer, step.usable) };
    let pairs = [u64::from(step.slot), step.size, step.alignment, answer, usable].map(low);
    let mut all = [step.kind as u8; 11];
    all[1..].copy_from_slice(pairs.as_flattened());
    all
}

/// Writes these heaps, their tapes and the player; returns the sources and how many steps the tapes have.
fn sources(dir: &Path, heaps: &[&str]) -> (Vec<PathBuf>, String) {
    let (mut includes, mut parts, mut rows, mut tapes) = (String::new(), String::new(), String::new(), String::new());
    let (mut names, mut lengths, mut slots, mut steps) = (String::new(), String::new(), 0, 0);
    let mut sources = vec![dir.join("player.c")];
    for (number, spec) in heaps.iter().enumerate() {
        let heap = Heap::new(number, resolve(spec).unwrap_or_else(|error| panic!("{error}")));
        let Tape { made, steps: mut tape, .. } = record::tape(&heap, number, &program(number));
        tape.retain(|step| !matches!(step.kind, Kind::Counts | Kind::Walk));
        assert!(made, "{spec} has room in {REGION} bytes");
        for file in c::emit(&heap.request()).unwrap_or_else(|error| panic!("{spec}: {error}")) {
            std::fs::write(dir.join(&file.name), file.text).expect("the file is written");
        }
        let name = heap.name.lower();
        sources.push(dir.join(format!("{name}.c")));
        let free = format!("{name}_free(&{name}_it, block)");
        let free = if heap.spec.pool.frees_in_order() { free } else { format!("({free}, true)") };
        let numbers: Vec<String> = tape.iter().flat_map(bytes).map(|byte| byte.to_string()).collect();
        writeln!(includes, "#include \"{name}.h\"").expect("a string");
        write!(parts, "PART({name}, {free}) ").expect("a string");
        write!(rows, "ROW({name}), ").expect("a string");
        writeln!(tapes, "static const unsigned char tape{number}[] CONSTANT = {{ {} }}; \\", numbers.join(","))
            .expect("a string");
        write!(names, "tape{number}, ").expect("a string");
        write!(lengths, "{}, ", tape.len()).expect("a string");
        slots = slots.max(tape.iter().map(|step| step.slot + 1).max().unwrap_or(0));
        steps += tape.len();
    }
    let many = heaps.len();
    let table = format!(
        "{includes}\n#define HEAPS {many}U\n#define BYTES {REGION}U\n#define SLOTS {slots}U\n#define PARTS {parts}\n\
         #define ROWS {rows}\n#define TAPES \\\n{tapes}static const unsigned char *const tapes[] = {{ {names} }}; \\\n\
         static const unsigned int lengths[] = {{ {lengths} }};\n"
    );
    std::fs::write(dir.join("heaps.h"), table).expect("the table is written");
    std::fs::write(dir.join("player.c"), include_str!("emulated/player.c")).expect("the player is written");
    (sources, format!("{steps} steps played on {many} heaps"))
}

fn run(command: &mut Command, package: &str) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; install {package}"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// What the program of all heaps says; `heap 3 step 5: …` is about the fourth of [`HEAPS`].
fn plays(text: &str, expected: &str) {
    assert!(text.contains(expected), "expected {expected}\n{text}\n{HEAPS:#?}");
}

/// What compilers are asked for; no `-ffreestanding`, as a user may forget it.
const FLAGS: [&str; 5] = ["-std=c11", "-Os", "-Wall", "-Wextra", "-Werror"];

#[test]
fn heaps_on_an_avr_give_the_explored_addresses() {
    // All of them are more than its memory for programs holds.
    for heaps in HEAPS.chunks(HEAPS.len().div_ceil(2)) {
        let dir = tempfile::tempdir().expect("a folder");
        let (sources, expected) = sources(dir.path(), heaps);
        let program = dir.path().join("player.elf");
        let mut cc = Command::new("avr-gcc");
        cc.args(FLAGS).args(["-mmcu=atmega2560", "-Wno-type-limits", "-o"]).arg(&program).args(sources);
        run(&mut cc, "gcc-avr and avr-libc");
        // A program that lost its way runs for ever.
        let mut simavr = Command::new("timeout");
        simavr.args(["300", "simavr", "-m", "atmega2560", "-f", "16000000"]);
        plays(&run(simavr.arg(&program), "simavr"), &expected);
    }
}

#[test]
fn heaps_on_an_armv6_m_give_the_explored_addresses() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut sources, expected) = sources(dir.path(), HEAPS);
    let [board, script] = ["microbit.c", "microbit.ld"].map(|name| dir.path().join(name));
    std::fs::write(&board, include_str!("emulated/microbit.c")).expect("the board is written");
    std::fs::write(&script, include_str!("emulated/microbit.ld")).expect("the script is written");
    sources.push(board);
    let program = dir.path().join("player.elf");
    let mut cc = Command::new("arm-none-eabi-gcc");
    cc.args(FLAGS).args(["-mcpu=cortex-m0", "-mthumb", "-nostdlib", "-T"]).arg(&script).arg("-o").arg(&program);
    // The compiler's own library alone: divisions and scans for bits, which this processor has no instructions for.
    run(cc.args(sources).arg("-lgcc"), "gcc-arm-none-eabi");
    let mut qemu = Command::new("qemu-system-arm");
    qemu.args(["-machine", "microbit", "-display", "none", "-monitor", "none", "-serial", "none"]);
    qemu.args(["-chardev", "stdio,id=host", "-semihosting-config", "enable=on,target=native,chardev=host", "-kernel"]);
    plays(&run(qemu.arg(&program), "qemu-system-arm"), &expected);
}

#[test]
fn heaps_on_a_powerpc_of_big_endian_give_the_explored_addresses() {
    let dir = tempfile::tempdir().expect("a folder");
    let (sources, expected) = sources(dir.path(), HEAPS);
    let program = dir.path().join("player");
    let mut cc = Command::new("powerpc-linux-gnu-gcc");
    cc.args(FLAGS).args(["-static", "-o"]).arg(&program).args(sources);
    run(&mut cc, "gcc-powerpc-linux-gnu");
    plays(&run(Command::new("qemu-ppc").arg(&program), "qemu-user"), &expected);
}
