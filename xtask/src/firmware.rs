//! `cargo xtask firmware`: FreeRTOS itself on emitted heaps, in an emulator, and the guide that begins with a recording of it.
//!
//! ```text
//!   kernel: git, at TAG ─┐
//!   heapsmith emit HEAP --for freertos ─┼─ examples/freertos ──▶ mps2-an385 in QEMU ──▶ its figures, checked
//! ```
//!
//! The kernel is no part of this repository: it is cloned into `target/firmware`. Where it cannot be, that is said, and nothing
//! is run. What is run without it are tests against a stand-in (`crates/emit/tests/it/systems.rs`).

use std::path::{Path, PathBuf};

use crate::run::{Outcome, cargo_with, output, root, target};
use crate::tools::{self, Tool};

/// Where the kernel is, and which.
const SOURCE: &str = "https://github.com/FreeRTOS/FreeRTOS-Kernel";
const TAG: &str = "V11.1.0";

const TOOLS: [Tool; 5] = [tools::ARM, tools::NEWLIB, tools::QEMU, tools::MAKE, tools::GIT];

/// A heap for each way in which the wrapper differs: with checks, cached blocks, spans, no headers, a guard.
const HEAPS: [&str; 7] = [
    "tlsf align=8",
    "first-fit",
    "freelists(16..=256 step 8) list(order=address) align=8 check=header",
    "buddy(estranged) align=8",
    "pages(page=256, min=8, search=tree) align=8",
    "spans(16..=512 step 16, span=4K) tlsf align=8",
    "guard(quarantine=1, pages=off) list(order=address) align=8",
];

/// For the compiler: what we emit is without a warning; and room for spans of 4 KB.
const MORE: &str = "MORE=-Werror -DconfigTOTAL_HEAP_SIZE=32768U";

/// The guide's commands, with the recorder on the board, and the addresses that it shows.
const GUIDE: [&str; 9] =
    ["test", "--package", "heapsmith-cli", "--test", "it", "guides::freertos", "--", "--exact", "--nocapture"];

/// What the program must say.
const EXPECTED: [&str; 4] = ["refused 1", "short_tasks 13", "wrong 0", "broken 0"];

/// Where the kernel is.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// A folder with the kernel's sources [default: a clone of its published repository]
    #[arg(long)]
    kernel: Option<PathBuf>,
    /// The command `heapsmith` [default: it is built]
    #[arg(long)]
    command: Option<PathBuf>,
}

/// Runs the program of `examples/freertos` on each heap.
pub fn firmware(arguments: &Arguments) -> Outcome {
    if let Some((tool, why)) = tools::obtain(&TOOLS).first() {
        eprintln!("xtask: NOT RUN: FreeRTOS on emitted heaps: there is no {} ({why})", tool.name);
        return Ok(());
    }
    let folder = target().join("firmware");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let kernel = match &arguments.kernel {
        Some(kernel) => kernel.clone(),
        None => match cloned(&folder) {
            Ok(kernel) => kernel,
            Err(why) => {
                eprintln!("xtask: NOT RUN: FreeRTOS on emitted heaps: its sources cannot be cloned: {why}");
                return Ok(());
            }
        },
    };
    let command = arguments.command.clone().map_or_else(tools::command, Ok)?;
    for heap in HEAPS {
        let said = run(&command, heap, &kernel, &folder)?;
        let line = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?").trim().to_owned();
        if let Some(missing) = EXPECTED.iter().find(|expected| !said.lines().any(|line| line == **expected)) {
            return Err(format!("{heap}: expected {missing}\n{said}"));
        }
        let (peak, region) = (line("footprint_peak "), line("region "));
        println!("{peak:>6} of {region} bytes, {:>6} fewest free  {heap}", line("min_ever_free "));
    }
    let kernel = kernel.canonicalize().map_err(|error| format!("{}: {error}", kernel.display()))?;
    cargo_with(&[("HEAPSMITH_FREERTOS", &kernel.display().to_string())], &GUIDE)
}

/// A clone of the kernel at [`TAG`].
fn cloned(folder: &Path) -> Result<PathBuf, String> {
    let kernel = folder.join(TAG);
    if !kernel.join("tasks.c").exists() {
        let place = kernel.display().to_string();
        output("git", &["clone", "--quiet", "--depth", "1", "--branch", TAG, SOURCE, &place])?;
    }
    Ok(kernel)
}

/// Emits a heap, links the program with it and the kernel; what it says in the emulator.
fn run(command: &Path, heap: &str, kernel: &Path, folder: &Path) -> Result<String, String> {
    let emitted = folder.join("heap").display().to_string();
    let example = root().join("examples/freertos").display().to_string();
    let place = |name: &str, path: &str| format!("{name}={path}");
    let emit = ["emit", heap, "--for", "freertos", "--name", "rtos_heap", "--out", &emitted];
    output(&command.display().to_string(), &emit)?;
    let places = [place("KERNEL", &kernel.display().to_string()), place("HEAP", &emitted), place("OUT", &emitted)];
    // What is linked is of the heap before, as far as make can see.
    let common = ["--silent", "--always-make", "--directory", &example, &places[0], &places[1], &places[2]];
    output("timeout", &[&["60", "make"], &common[..], &[MORE, "run"]].concat())
}
