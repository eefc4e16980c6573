//! Whole programs on a simulated core with caches, with the heap's search in software and by the unit: `hardware/results/programs.csv`.
//!
//! ```text
//!   heapsmith emit 'pages(search=…)' ──▶ C ─┬─▶ clang, lld ──▶ image ──▶ VexRiscv + page_unit (Verilator) ──▶ cycles
//!   hardware/core/programs ─────────────────┘                                  └─▶ every block ──▶ the Rust heap: same address
//! ```
//!
//! The core is VexRiscv as LiteX packages it: a pipeline of five stages with caches and a custom function unit, in Verilog, which PyPI
//! has. PicoRV32 (`core`) has no caches and takes four cycles an instruction; CV32E40X, which has CV-X-IF, has no data cache.
//!
//! A program runs twice: as it is, for the cycles of the whole, and marked, for those of the heap and of exchanging bitmaps. A unit that holds
//! the bitmap of every page would not exchange: *ideal* is the unit without these cycles.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::core::fetch;
use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output};
use crate::tools;

/// The programs in `hardware/core/programs`.
const PROGRAMS: [&str; 3] = ["numbers", "queues", "trees"];
/// The searches, as the spec says them.
const SEARCHES: [(&str, &str); 4] =
    [("bit", "linear"), ("word", "word"), ("tree", "tree"), ("unit", "hardware(custom0)")];
/// The unit behind the bus of `core/system.sv`.
const BUS: (&str, &str) = ("bus", "hardware(mmio=0x90000000)");

/// What a run says.
struct Counted {
    result: u64,
    cycles: u64,
    operations: u64,
    managing: u64,
    exchanges: u64,
    exchanging: u64,
}

/// Runs every program with every search, compares every block with the Rust heap's, and writes the table.
pub fn programs() -> Outcome {
    tools::install(&tools::SIMULATION)?;
    tools::install(&[tools::CLANG, tools::OBJCOPY, tools::LLD, tools::PYTHON, tools::PIP])?;
    let folder = built().join("programs");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let core = fetch(&folder, "core/vexriscv.txt")?.join("pythondata_cpu_vexriscv/verilog/VexRiscv_FullCfu.v");
    let command = text(&tools::command()?);
    for (name, search) in SEARCHES.into_iter().chain([BUS]) {
        emit(&command, &folder.join(name), search)?;
    }
    let mut table = "program,search,cycles,operations,managing,exchanges,exchanging\n".to_owned();
    let mut logs = Vec::new();
    let system = build(&folder, &core, 0)?;
    for program in PROGRAMS {
        let mut wanted = None;
        for (name, _) in SEARCHES {
            let heap = folder.join(name);
            let whole = run(&system, &compile(&heap, program, false)?, None)?;
            let log = heap.join(format!("{program}.log"));
            let marked = run(&system, &compile(&heap, program, true)?, Some(&log))?;
            logs.push(text(&log));
            if *wanted.get_or_insert(whole.result) != whole.result || marked.result != whole.result {
                return Err(format!("{program} has another result by {name}"));
            }
            let Counted { operations, managing, exchanges, exchanging, .. } = marked;
            let line = format!("{program},{name},{},{operations},{managing},{exchanges},{exchanging}", whole.cycles);
            eprintln!("xtask: {line}");
            writeln!(table, "{line}").expect("text");
        }
    }
    // The same unit behind a bus.
    let log = folder.join("bus.log");
    run(&build(&folder, &core, 1)?, &compile(&folder.join(BUS.0), PROGRAMS[0], true)?, Some(&log))?;
    logs.push(text(&log));
    let follow = ["run", "--quiet", "--package", "heapsmith", "--example", "search_unit", "follow"];
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    eprint!("{}", output(env!("CARGO"), &[&follow[..], &logs].concat())?);
    let path = hardware().join("results/programs.csv");
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", text(&path)))
}

/// The heap in C, with marks where bitmaps are exchanged.
fn emit(command: &str, folder: &Path, search: &str) -> Outcome {
    let spec = format!("pages(page=4096, min=16, search={search})");
    output(command, &["emit", &spec, "--lang", "c", "--name", "page_heap", "--out", &text(folder)])?;
    let path = folder.join("page_heap.c");
    let source = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let begin = "static void exchange(Heap *heap, Index page, Index size_class)\n{\n";
    let end = "    store(heap, HELD + size_class, page);\n}\n";
    if search.starts_with("hardware") && (source.matches(begin).count(), source.matches(end).count()) != (1, 1) {
        return Err(format!("{} has not one function that exchanges bitmaps", text(&path)));
    }
    let marked = source
        .replace(begin, &format!("{begin}    MARK_EXCHANGING;\n"))
        .replace(end, &end.replace("}\n", "    MARK_EXCHANGED;\n}\n"));
    fs::write(&path, marked).map_err(|error| format!("cannot write {}: {error}", text(&path)))
}

/// An image of memory with a program.
fn compile(heap: &Path, program: &str, marked: bool) -> Result<PathBuf, String> {
    let sources = hardware().join("core/programs");
    let linked = heap.join(format!("{program}{}.elf", if marked { "-marked" } else { "" }));
    let image = linked.with_extension("bin");
    let include = [format!("-I{}", text(&sources)), format!("-I{}", text(heap))];
    let flags = ["--target=riscv32", "-march=rv32im", "-mabi=ilp32", "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror"];
    let bare = ["-ffreestanding", "-fno-builtin", "-nostdlib", "-fuse-ld=lld", "-Wl,-Ttext=0"];
    let mark =
        |signal: &str| if marked { format!("(*(volatile uint32_t *){signal}u=0)") } else { "((void)0)".to_owned() };
    let marks = [
        format!("-DMARK_EXCHANGING={}", mark("0x8000000c")),
        format!("-DMARK_EXCHANGED={}", mark("0x80000010")),
        if marked { "-DMARKED".to_owned() } else { "-UMARKED".to_owned() },
    ];
    let files = ["start.S", "machine.c", &format!("{program}.c")].map(|name| text(&sources.join(name)));
    let (own, to) = (text(&heap.join("page_heap.c")), text(&linked));
    let owned: Vec<&str> = include.iter().chain(&marks).chain(&files).map(String::as_str).collect();
    output("clang", &[&flags[..], &bare, &owned, &[&own, "-o", &to]].concat())?;
    output("llvm-objcopy", &["--output-target=binary", &to, &text(&image)])?;
    Ok(image)
}

/// The simulation of the system; `bus`: with the unit behind the bus.
fn build(folder: &Path, core: &Path, bus: u32) -> Result<PathBuf, String> {
    let made = folder.join(format!("system{bus}"));
    fs::create_dir_all(&made).map_err(|error| error.to_string())?;
    let mut arguments: Vec<String> =
        ["--cc", "--exe", "--build", "-j", "2", "-O3", "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O2"]
            .map(String::from)
            .into();
    // The warnings of foreign source are not ours.
    arguments.extend(["-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD", "--top-module", "system"].map(String::from));
    arguments.extend([format!("-GBUS={bus}"), "--Mdir".to_owned(), text(&made)]);
    arguments.extend(modules(&hardware().join("rtl"))?.iter().map(|file| text(file)));
    arguments.extend(
        [hardware().join("core/system.sv"), core.to_owned(), hardware().join("tb/system.cpp")].map(|file| text(&file)),
    );
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    output("verilator", &arguments)?;
    Ok(made.join("Vsystem"))
}

fn run(system: &Path, image: &Path, log: Option<&Path>) -> Result<Counted, String> {
    let (image, log) = (text(image), log.map(text));
    let mut arguments = vec![&*image];
    arguments.extend(log.iter().flat_map(|log| ["--log", log]));
    let told = output(&text(system), &arguments)?;
    let count = |name: &str| -> Result<u64, String> {
        let found = told.lines().find_map(|line| line.strip_prefix(name)).and_then(|count| count.trim().parse().ok());
        found.ok_or(format!("the system does not say its {name}"))
    };
    Ok(Counted {
        result: count("result ")?,
        cycles: count("cycles ")?,
        operations: count("operations ")?,
        managing: count("managing ")?,
        exchanges: count("exchanges ")?,
        exchanging: count("exchanging ")?,
    })
}
