//! The unit as an instruction of a core: a program in C on a simulated PicoRV32.
//!
//! The core is fetched from its package when the step runs; nothing of it is kept in the repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output};
use crate::tools;

/// What the program shows, and what that is. A letter: search by bit, by word, by unit; single instructions.
const SHOWN: [(&str, &str); 15] = [
    ("b0", "bit by bit: 256 allocations fill a page"),
    ("b1", "bit by bit: 86 frees"),
    ("b2", "bit by bit: 86 allocations fill it again"),
    ("w0", "by word: 256 allocations fill a page"),
    ("w1", "by word: 86 frees"),
    ("w2", "by word: 86 allocations fill it again"),
    ("u0", "unit: 256 allocations fill a page"),
    ("u1", "unit: 86 frees"),
    ("u2", "unit: 86 allocations fill it again"),
    ("u3", "unit: load a bitmap of 8 words"),
    ("u4", "unit: store a bitmap of 8 words"),
    ("i0", "instruction: add"),
    ("i1", "instruction: lw"),
    ("i2", "instruction: free of the unit"),
    ("i3", "instruction: allocate of the unit"),
];

/// Why the step does not run where the core cannot be fetched.
pub const UNFETCHED: &str = "the core cannot be fetched";

/// Fetches the core, builds program and simulation, runs it, writes `hardware/results/core.csv`.
pub fn core() -> Outcome {
    tools::install(&tools::SIMULATION)?;
    tools::install(&[tools::CLANG, tools::OBJCOPY, tools::LLD, tools::PYTHON, tools::PIP])?;
    let folder = built().join("core");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let core = fetch(&folder, "core/requirements.txt")?.join("pythondata_cpu_picorv32/verilog/picorv32.v");
    program(&folder)?;
    let simulation = build(&folder, &core)?;
    let run = format!("cd '{}' && '{}'", text(&folder), text(&simulation));
    let shown = output("sh", &["-c", &run])?;
    let mut table = "what,cycles\n".to_owned();
    for (name, what) in SHOWN {
        let count =
            shown.lines().find_map(|line| line.strip_prefix(name)).ok_or(format!("the program shows no {name}"))?;
        table.push_str(&format!("{what},{}\n", count.trim()));
    }
    let path = hardware().join("results/core.csv");
    fs::write(&path, &table).map_err(|error| format!("cannot write {}: {error}", text(&path)))?;
    eprintln!("xtask: {}\n{table}", text(&path));
    Ok(())
}

/// The folder of a core's package, unpacked; `of` are its requirements.
pub fn fetch(folder: &Path, of: &str) -> Result<PathBuf, String> {
    let (wheel, unpacked) = (text(&folder.join("wheel")), folder.join("package"));
    let requirements = text(&hardware().join(of));
    let options = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"];
    let arguments = [&options[..], &["--requirement", &requirements, "--dest", &wheel]].concat();
    output("pip3", &arguments).map_err(|error| {
        format!("{UNFETCHED}: {error}\nit is the package of hardware/{of}: see that pip3 can download it")
    })?;
    let file =
        fs::read_dir(&wheel).map_err(|error| error.to_string())?.flatten().next().ok_or("pip left no package")?;
    output("python3", &["-m", "zipfile", "--extract", &text(&file.path()), &text(&unpacked)])?;
    Ok(unpacked)
}

/// The program as words of memory.
fn program(folder: &Path) -> Outcome {
    let (core, linked, bytes) = (hardware().join("core"), folder.join("program.elf"), folder.join("program.bin"));
    let include = format!("-I{}", text(&hardware().join("include")));
    let flags = ["--target=riscv32", "-march=rv32i", "-mabi=ilp32", "-O2", "-Wall", "-Wextra", "-Werror"];
    let bare = ["-ffreestanding", "-nostdlib", "-fuse-ld=lld", "-Wl,-Ttext=0", &include];
    let files = [text(&core.join("start.S")), text(&core.join("program.c")), "-o".to_owned(), text(&linked)];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    output("clang", &[&flags[..], &bare, &files].concat())?;
    output("llvm-objcopy", &["--output-target=binary", &text(&linked), &text(&bytes)])?;
    let bytes = fs::read(&bytes).map_err(|error| error.to_string())?;
    let words: String = bytes
        .chunks(4)
        .map(|word| {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            format!("{:08x}\n", u32::from_le_bytes(whole))
        })
        .collect();
    fs::write(folder.join("program.hex"), words).map_err(|error| error.to_string())
}

/// The simulation of core, unit and memory. The warnings of foreign source are not ours.
fn build(folder: &Path, core: &Path) -> Result<PathBuf, String> {
    let made = folder.join("simulation");
    fs::create_dir_all(&made).map_err(|error| error.to_string())?;
    let mut arguments: Vec<String> =
        ["--cc", "--exe", "--build", "-j", "2", "-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD", "--top-module", "core"]
            .map(String::from)
            .into();
    arguments.extend(["--Mdir".to_owned(), text(&made)]);
    for folder in ["rtl", "core"] {
        arguments.extend(modules(&hardware().join(folder))?.iter().map(|file| text(file)));
    }
    arguments.extend([text(core), text(&hardware().join("tb/core.cpp"))]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    output("verilator", &arguments)?;
    Ok(made.join("Vcore"))
}
