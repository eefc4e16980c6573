//! What is handed to firmware compiles without a warning in every standard of C from C99 on, for every processor: emitted heaps
//! and the recorder for boards, with the flags of o1heap's own build (pavel-kirienko/o1heap, tests/CMakeLists.txt) and more.

use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_emit::{Name, Request, c};
use heapsmith_spec::resolve;

/// The flags of o1heap's build.
const O1HEAP: [&str; 14] = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-Wdouble-promotion",
    "-Wswitch-enum",
    "-Wfloat-equal",
    "-Wundef",
    "-Wconversion",
    "-Wtype-limits",
    "-Wsign-conversion",
    "-Wcast-align",
    "-Wmissing-declarations",
    "-Os",
];

/// A heap of every family.
const HEAPS: [&str; 9] = [
    "list(order=address)",
    "freelists(16..=256 step 8) tlsf",
    "bins(exact 16..=128 step 16, then log, each=tree)",
    "half-fit",
    "classes(16..=1024 double)",
    "buddy(estranged)",
    "pages(page=256, min=8, search=tree)",
    "list check=header",
    "zero bump(reclaim=empty)",
];

/// Links of the recorder, and systems with the folder of their stand-in; a C library has none, and its headers are the compiler's.
const LINKS: [&str; 6] = [
    "-DHEAPSMITH_TRACE_RTT",
    "-DHEAPSMITH_TRACE_ITM",
    "-DHEAPSMITH_TRACE_UART -DHEAPSMITH_TRACE_PUT(byte)=(void)(byte)",
    "-DHEAPSMITH_TRACE_FILE",
    "-DHEAPSMITH_TRACE_SEMIHOST",
    "-DHEAPSMITH_TRACE_WRITE=my_write",
];
const SYSTEMS: [(&str, &str); 8] = [
    ("-DHEAPSMITH_TRACE_FREERTOS_WRAP", "freertos"),
    ("-DHEAPSMITH_TRACE_FREERTOS", "freertos"),
    ("-DHEAPSMITH_TRACE_LIBC", "none"),
    ("-DHEAPSMITH_TRACE_NEWLIB", "none"),
    ("-DHEAPSMITH_TRACE_ZEPHYR", "zephyr"),
    ("-DHEAPSMITH_TRACE_ESP_IDF", "esp-idf"),
    ("-DHEAPSMITH_TRACE_THREADX", "threadx"),
    ("-DHEAPSMITH_TRACE_NUTTX", "nuttx"),
];

/// How a compiler is called, and the package that has it.
struct Compiler {
    command: &'static [&'static str],
    package: &'static str,
}

const HOST: Compiler = Compiler { command: &["gcc"], package: "gcc" };
const ARM: Compiler =
    Compiler { command: &["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"], package: "gcc-arm-none-eabi" };
const RISCV: Compiler = Compiler {
    command: &["riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32", "-ffreestanding"],
    package: "gcc-riscv64-unknown-elf",
};
/// What it says of comparisons that a size of 16 bits decides is left out, as in o1heap's own sources they would be.
const AVR: Compiler =
    Compiler { command: &["avr-gcc", "-mmcu=atmega2560", "-Wno-type-limits"], package: "gcc-avr and avr-libc" };

impl Compiler {
    /// Compiles a file, which must give no warning.
    fn accepts(&self, more: &[&str], source: &Path) {
        let mut cc = Command::new(self.command[0]);
        cc.args(O1HEAP).args(&self.command[1..]).args(more).args(["-c", "-o", "/dev/null"]).arg(source);
        let output = cc.output().unwrap_or_else(|error| panic!("{cc:?}: {error}; install {}", self.package));
        assert!(output.status.success(), "{cc:?}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Compiles every heap in the standards given, by turns: each heap in one, each standard for some heap.
    fn accepts_heaps(&self, standards: &[&str]) {
        for (number, heap) in HEAPS.iter().enumerate() {
            let standard = format!("-std={}", standards[number % standards.len()]);
            self.accepts(&[&standard], &emitted(heap).1);
        }
    }

    fn accepts_recorder(&self, standards: &[&str], systems: &[(&str, &str)], links: &[&str]) {
        let source = trace().join("heapsmith_trace.c");
        let pairs = systems.iter().flat_map(|system| links.iter().map(move |link| (system, link)));
        for (number, ((system, folder), link)) in pairs.enumerate() {
            let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/systems").join(folder);
            let standard = format!("-std={}", standards[number % standards.len()]);
            let mut flags = vec![standard.as_str(), system, "-isystem", stand_in.to_str().expect("a path")];
            flags.extend(link.split(' '));
            self.accepts(&flags, &source);
        }
    }
}

fn trace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trace")
}

/// Writes a heap; its folder, which has to live on, and its source.
fn emitted(heap: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let request = Request::new(resolve(heap).expect("a heap"), Name::new("my_heap").expect("a name"));
    for file in c::emit(&request).unwrap_or_else(|error| panic!("{heap}: {error}")) {
        std::fs::write(dir.path().join(&file.name), file.text).expect("the file is written");
    }
    let source = dir.path().join("my_heap.c");
    (dir, source)
}

#[test]
fn every_standard_of_c_takes_heaps_and_the_recorder() {
    HOST.accepts_heaps(&["c99", "c11", "c17", "c2x"]);
    let of_this_machine: Vec<_> = SYSTEMS.into_iter().filter(|(system, _)| !system.ends_with("NEWLIB")).collect();
    // Its instructions are those of other processors.
    let links: Vec<_> = LINKS.into_iter().filter(|link| !link.ends_with("SEMIHOST")).collect();
    HOST.accepts_recorder(&["c99", "c11", "c17", "c2x"], &of_this_machine, &links);
}

#[test]
fn objects_of_cpp_include_heaps_and_the_recorder() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = dir.path().join("all.cpp");
    let cpp = Compiler { command: &["g++", "-std=c++17", "-Wzero-as-null-pointer-constant"], package: "g++" };
    for heap in HEAPS {
        let (folder, _) = emitted(heap);
        std::fs::write(&source, "#include \"my_heap.h\"\n#include \"heapsmith_trace.h\"\nint main() { return 0; }\n")
            .expect("it is written");
        let folders = [folder.path().to_path_buf(), trace()].map(|path| format!("-I{}", path.display()));
        cpp.accepts(&["-Wold-style-cast", "-Wsign-promo", &folders[0], &folders[1]], &source);
    }
    let recorder = Compiler { command: &["g++", "-x", "c++", "-std=c++17", "-DHEAPSMITH_TRACE_FILE"], package: "g++" };
    recorder.accepts(&[], &trace().join("heapsmith_trace.c"));
}

#[test]
fn an_arm_takes_heaps_and_the_recorder() {
    ARM.accepts_heaps(&["c99", "c11", "c17", "c2x"]);
    ARM.accepts_recorder(&["c99", "c2x"], &SYSTEMS, &LINKS);
}

#[test]
fn a_risc_v_of_32_bits_takes_heaps_and_the_recorder() {
    RISCV.accepts_heaps(&["c99", "c2x"]);
    RISCV.accepts_recorder(&["c99", "c2x"], &SYSTEMS[..2], &[LINKS[0], LINKS[2], LINKS[4], LINKS[5]]);
}

#[test]
fn an_avr_takes_heaps_and_the_recorder() {
    AVR.accepts_heaps(&["c99", "c11"]);
    AVR.accepts_recorder(&["c99", "c11"], &SYSTEMS[..2], &[LINKS[2], LINKS[5]]);
}
