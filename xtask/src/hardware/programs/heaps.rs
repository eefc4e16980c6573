//! The heaps of the programs: emitted, with marks where bitmaps are exchanged, and compiled with a program into an image of memory.

use std::fs;
use std::path::{Path, PathBuf};

use super::Unit;
use crate::hardware::source::{hardware, text};
use crate::run::{Outcome, output, run_with};
use crate::tools;

/// The name of the heap in Rust; the others are in C.
pub const RUST: &str = "rust";
/// What the heap in Rust is compiled for.
const TARGET: &str = "riscv32im-unknown-none-elf";

/// Whether operations of the heap are between marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Off,
    On,
}

/// A heap with its search.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    /// Its name in the tables.
    pub name: &'static str,
    /// What it is.
    pub spec: &'static str,
    /// What it asks.
    pub unit: Unit,
}

impl Heap {
    /// Writes its source, and compiles what does not depend on the program.
    pub fn write(&self, command: &str, folder: &Path) -> Outcome {
        let folder = folder.join(self.name);
        let (language, name) = if self.name == RUST { ("rust", "unit_heap") } else { ("c", "page_heap") };
        output(command, &["emit", self.spec, "--lang", language, "--name", name, "--out", &text(&folder)])?;
        if self.name == RUST {
            return build_rust(&folder);
        }
        let path = folder.join("page_heap.c");
        match self.unit {
            Unit::Bins => change(&path, &path, with_bin_unit),
            _ if !self.spec.contains("hardware") => Ok(()),
            Unit::Ideal => change(&path, &path, with_ideal_unit),
            Unit::Instruction | Unit::Bus => change(&path, &path, with_marks),
        }
    }

    /// An image of memory with a program; the heap's instructions lie `pad` bytes behind the program's.
    pub fn compile(&self, folder: &Path, program: &str, mark: Mark, pad: u32) -> Result<PathBuf, String> {
        let (sources, heap) = (hardware().join("core/programs"), folder.join(self.name));
        let linked = heap.join(format!("{program}{}.elf", if mark == Mark::On { "-marked" } else { "" }));
        let image = linked.with_extension("bin");
        let include = [format!("-I{}", text(&sources)), format!("-I{}", text(&heap))];
        let flags =
            ["--target=riscv32", "-march=rv32im", "-mabi=ilp32", "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror"];
        let bare = ["-ffreestanding", "-fno-builtin", "-nostdlib", "-fuse-ld=lld", "-Wl,-Ttext=0"];
        let signal = |at: &str| match mark {
            Mark::On => format!("(*(volatile uint32_t *){at}u=0)"),
            Mark::Off => "((void)0)".to_owned(),
        };
        let marks = [
            format!("-DMARK_EXCHANGING={}", signal("0x8000000c")),
            format!("-DMARK_EXCHANGED={}", signal("0x80000010")),
            if mark == Mark::On { "-DMARKED" } else { "-UMARKED" }.to_owned(),
            format!("-DPAD={pad}"),
            // Nothing exchanges bitmaps, or counts zeros.
            if matches!(self.unit, Unit::Ideal | Unit::Bins) { "-Wno-unused-function" } else { "-Wunused-function" }
                .to_owned(),
        ];
        let files = ["start.S", "machine.c", &format!("{program}.c"), "pad.S"].map(|name| text(&sources.join(name)));
        let own = text(&if self.name == RUST { library(&heap) } else { heap.join("page_heap.c") });
        let to = text(&linked);
        let owned: Vec<&str> = include.iter().chain(&marks).chain(&files).map(String::as_str).collect();
        output("clang", &[&flags[..], &bare, &owned, &[&own, "-o", &to]].concat())?;
        output("llvm-objcopy", &["--output-target=binary", &to, &text(&image)])?;
        Ok(image)
    }
}

/// The heap in Rust behind the functions of the one in C: `hardware/core/rust`.
fn build_rust(heap: &Path) -> Outcome {
    tools::install_target(TARGET)?;
    // It is included in another file, which begins otherwise.
    change(&heap.join("unit_heap.rs"), &heap.join("included.rs"), |source| Ok(source.replace("//!", "//")))?;
    let manifest = hardware().join("core/rust/Cargo.toml");
    let (emitted, built) = (text(&heap.join("included.rs")), text(&heap.join("target")));
    let arguments = ["build", "--quiet", "--release", "--locked", "--target", TARGET, "--manifest-path"];
    let environment = [("UNIT_HEAP", &*emitted), ("CARGO_TARGET_DIR", &*built)];
    run_with(env!("CARGO"), &environment, &[&arguments[..], &[&text(&manifest)]].concat())?;
    fs::copy(hardware().join("core/rust/page_heap.h"), heap.join("page_heap.h"))
        .map(drop)
        .map_err(|error| format!("cannot copy hardware/core/rust/page_heap.h: {error}"))
}

fn library(heap: &Path) -> PathBuf {
    heap.join("target").join(TARGET).join("release/libpage_heap.a")
}

fn change(path: &Path, to: &Path, by: impl FnOnce(&str) -> Result<String, String>) -> Outcome {
    let source = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", text(path)))?;
    let changed = by(&source).map_err(|error| format!("{}: {error}", text(path)))?;
    fs::write(to, changed).map_err(|error| format!("cannot write {}: {error}", text(to)))
}

/// Marks where bitmaps are exchanged.
fn with_marks(source: &str) -> Result<String, String> {
    let begin = "static void exchange(Heap *heap, Index page, Index size_class)\n{\n";
    let end = "    store(heap, HELD + size_class, page);\n}\n";
    let marked = replaced(source, begin, &format!("{begin}    MARK_EXCHANGING;\n"))?;
    replaced(&marked, end, &end.replace("}\n", "    MARK_EXCHANGED;\n}\n"))
}

/// Asks the ideal unit: from the exchange of bitmaps to the last function of the unit, the source is that of `core/programs/ideal.c`.
fn with_ideal_unit(source: &str) -> Result<String, String> {
    let begin = "/* Makes the unit hold the bitmap of another page";
    let asked = with_functions(source, begin, "static inline bool object_is_free(", "ideal.c")?;
    let fills = "fill_bits(heap, entry_of(heap, page) + BITMAP, objects_of(size_class));";
    // No page has a bitmap of its own any more.
    replaced(&asked, fills, "ideal_fill(page, objects_of(size_class));")
}

/// Asks the unit for bins: the bitmap of bins that are not empty is read and changed by `core/programs/bins.c`.
fn with_bin_unit(source: &str) -> Result<String, String> {
    let begin = "static void mark(Heap *heap, Index bin, bool full)";
    let asked = with_functions(source, begin, "static Index next_full(", "bins.c")?;
    let checks = "((load(heap, INDEX + (bin / BITS)) >> (bin % BITS)) & 1U) != 0U;";
    replaced(&asked, checks, "next_full(heap, bin) == bin;")
}

/// The functions from `begin` to the end of that which begins with `last` replaced by a file of `core/programs`.
fn with_functions(source: &str, begin: &str, last: &str, file: &str) -> Result<String, String> {
    let path = hardware().join("core/programs").join(file);
    let functions = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
    let (Some(from), Some(to)) = (source.find(begin), source.find(last)) else {
        return Err(format!("it has not what {file} replaces"));
    };
    let to = source[to..].find("\n}\n").map(|end| to + end + 3).ok_or("a function without an end")?;
    Ok(format!("{}{functions}{}", &source[..from], &source[to..]))
}

/// Replaces what is there exactly once.
fn replaced(source: &str, from: &str, to: &str) -> Result<String, String> {
    match source.matches(from).count() {
        1 => Ok(source.replace(from, to)),
        other => Err(format!("`{}` is there {other} times, not once", from.trim())),
    }
}
