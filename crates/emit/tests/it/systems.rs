//! The heap as firmware systems want it: each wrapper is compiled and played against a stand-in of the system's published
//! interface, which we wrote (`systems/NAME`): the names that the wrapper calls, with their documented types, and locks that are counted.
//!
//! ```text
//!   system::emit ──▶ sys_heap.c, sys_heap_NAME.c ─┬─ play.h ──▶ offsets equal those of a heap next to it; locks are balanced
//!                    systems/NAME: stand-in ──────┘
//! ```
//!
//! The wrappers for newlib and picolibc are linked with these libraries and run in an emulator. FreeRTOS itself is built and run by `cargo xtask firmware`.

use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_emit::{Extra, Name, Request, System, system};
use heapsmith_spec::resolve;

use crate::differential::heaps::is_whole;

/// A heap for each way in which wrappers differ: with checks, cached blocks, spans, no headers.
const HEAPS: &[&str] = &[
    "tlsf align=8",
    "freelists(16..=256 step 8) list(order=address) align=8 check=header",
    "pages(page=256, min=8, search=tree) align=8",
    "spans(16..=256 step 16, span=4K) list align=8",
    "buddy(estranged) align=8 check=header",
    "list(order=implicit) align=16",
];

/// Systems whose stand-in is here.
const STOOD_IN: &[System] = &[
    System::FreeRtos,
    System::Zephyr,
    System::EspIdf,
    System::ThreadX,
    System::Cmsis,
    System::Arduino,
    System::PlatformIo,
];

/// Macros for the compiler: the region, and what a system's build or the user would define.
const MACROS: &[&str] = &["-DSYS_HEAP_SYSTEM_BYTES=16384", "-DCONFIG_SYS_HEAP_K_MALLOC"];

/// What a user writes into the file of macros where a system brings no lock.
const CONFIG: &str = "unsigned int test_lock(void);
void test_unlock(unsigned int before);
#define SYS_HEAP_SYSTEM_LOCK() const unsigned int before_call = test_lock()
#define SYS_HEAP_SYSTEM_UNLOCK() test_unlock(before_call)
";

fn stand_in(system: System) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/systems").join(system.name())
}

/// Emits a heap for a system; returns its C files.
fn emit(dir: &Path, heap: &str, system: System) -> Vec<PathBuf> {
    let request = Request::new(resolve(heap).expect("a heap"), Name::new("sys_heap").expect("a name"));
    let request = Request { extras: vec![Extra::Cpp], ..request };
    let mut sources = Vec::new();
    for file in system::emit(&request, system).unwrap_or_else(|error| panic!("{heap}: {error}")) {
        let path = dir.join(&file.name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let text = if file.is_kept { CONFIG } else { &file.text };
        std::fs::write(&path, text).expect("the file is written");
        if path.extension().is_some_and(|end| end == "c") {
            sources.push(path);
        }
    }
    sources
}

fn run(command: &mut Command, package: &str) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; install {package}"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// Warnings that are errors. What a system's own headers do is not ours.
const STRICT: &[&str] = &[
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wshadow",
    "-Wcast-align",
    "-Wcast-qual",
    "-Wundef",
    "-Wmissing-prototypes",
    "-Wstrict-prototypes",
    "-Werror",
    "-c",
    "-o",
    "/dev/null",
];

#[test]
fn a_wrapper_serves_its_system_as_the_heap_that_was_explored() {
    for (number, &system) in STOOD_IN.iter().enumerate() {
        // By day each system plays another of the heaps.
        let heaps = HEAPS.iter().enumerate().filter(|(place, _)| is_whole() || *place == number % HEAPS.len());
        for (_, heap) in heaps {
            let dir = tempfile::tempdir().expect("a folder");
            let sources = emit(dir.path(), heap, system);
            let program = dir.path().join("play");
            let mut cc = Command::new("cc");
            cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]).args(MACROS);
            cc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"]).arg(dir.path());
            cc.arg("-I").arg(stand_in(system)).arg("-o").arg(&program).args(sources);
            run(cc.arg(stand_in(system).join("play.c")), "build-essential");
            let text = run(Command::new("timeout").arg("60").arg(&program), "coreutils");
            assert!(text.trim() == "as the documentation says", "{} {heap}: {text}", system.name());
        }
    }
}

/// Compiles every wrapper for itself with `compiler`.
fn compiles(compiler: &str, package: &str, standards: &[&str], more: &[&str]) {
    for &system in STOOD_IN {
        for heap in ["tlsf align=8", "stack align=8", "list align=8 check=header"] {
            let dir = tempfile::tempdir().expect("a folder");
            // The heap itself is the same for all of them, but for its parts.
            let is_ours = |source: &PathBuf| system == STOOD_IN[0] || !source.ends_with("sys_heap.c");
            for source in emit(dir.path(), heap, system).into_iter().filter(is_ours) {
                for standard in standards {
                    let mut cc = Command::new(compiler);
                    cc.arg(format!("-std={standard}")).args(STRICT).args(more).args(MACROS);
                    cc.arg("-I").arg(dir.path()).arg("-isystem").arg(stand_in(system));
                    run(cc.arg(&source), package);
                }
            }
        }
    }
}

#[test]
fn wrappers_have_no_warning_of_gcc_in_any_standard() {
    compiles("gcc", "gcc", &["c99", "c11", "c17", "c2x"], &[]);
}

#[test]
fn wrappers_have_no_warning_of_clang() {
    compiles("clang", "clang", &["c99", "c11", "c2x"], &["-fsyntax-only"]);
}

#[test]
fn wrappers_have_no_warning_of_arm_gcc() {
    compiles("arm-none-eabi-gcc", "gcc-arm-none-eabi", &["c99", "c11"], &["-mcpu=cortex-m0plus", "-mthumb"]);
}

#[test]
fn wrappers_have_no_complaint_of_linters() {
    for &system in STOOD_IN {
        let dir = tempfile::tempdir().expect("a folder");
        let sources = emit(dir.path(), HEAPS[1], system);
        let mut cppcheck = Command::new("cppcheck");
        cppcheck.args(["--enable=warning,style,performance,portability", "--std=c11", "--error-exitcode=1"]);
        cppcheck.args(["--inline-suppr", "--quiet"]).args(MACROS).arg("-I").arg(dir.path());
        cppcheck.arg("-I").arg(stand_in(system)).args(["--suppress=unusedStructMember"]);
        run(cppcheck.args(&sources), "cppcheck");
        let mut tidy = Command::new("clang-tidy");
        // As for the heap itself (`lint.rs`).
        tidy.args([
            "--quiet",
            "--warnings-as-errors=*",
            "--checks=-*,bugprone-*,-bugprone-easily-swappable-parameters,cert-*,clang-analyzer-*,misc-*,performance-*,\
             portability-*",
        ]);
        tidy.args(&sources).args(["--", "-std=c11"]).args(MACROS).arg("-I").arg(dir.path());
        run(tidy.arg("-isystem").arg(stand_in(system)), "clang-tidy");
    }
}

/// What the program of `systems/newlib` says, linked with `more`, on an emulated Cortex-M3.
fn runs_on_a_c_library(system: System, more: &[&str], board: bool, package: &str) {
    for heap in ["tlsf align=8", "freelists(16..=256 step 8) list(order=address) align=8 check=header"] {
        let dir = tempfile::tempdir().expect("a folder");
        let sources = emit(dir.path(), heap, system);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/systems/newlib");
        let flags =
            ["-Os", "-mcpu=cortex-m3", "-mthumb", "-Wall", "-Wextra", "-Werror", "-DSYS_HEAP_SYSTEM_BYTES=16384"];
        let program = dir.path().join("play.elf");
        let mut cc = Command::new("arm-none-eabi-gcc");
        cc.arg("-std=gnu11").args(flags).args(more).arg("-I").arg(dir.path()).arg("-o").arg(&program).args(&sources);
        if board {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/firmware/mps2-an385.ld");
            cc.arg(folder.join("board.c")).args(["-nostartfiles", "-T"]).arg(script);
        }
        run(cc.arg(folder.join("play.c")), package);
        let mut qemu = Command::new("timeout");
        qemu.args(["60", "qemu-system-arm", "-machine", "mps2-an385", "-display", "none", "-monitor", "none"]);
        qemu.args(["-serial", "none", "-chardev", "stdio,id=host"]);
        qemu.args(["-semihosting-config", "enable=on,target=native,chardev=host", "-kernel"]);
        let text = run(qemu.arg(&program), "qemu-system-arm");
        assert!(text.contains("the float is 3.142 1e+100") && text.contains("as the documentation says"), "{text}");
        for standard in ["c99", "c11", "c2x"] {
            for source in &sources {
                let mut cc = Command::new("arm-none-eabi-gcc");
                let picolibc = more.iter().filter(|flag| flag.starts_with("--specs"));
                cc.arg(format!("-std={standard}")).args(STRICT).args(MACROS).args(picolibc);
                run(cc.args(["-mcpu=cortex-m3", "-mthumb", "-I"]).arg(dir.path()).arg(source), package);
            }
        }
    }
}

#[test]
fn printf_on_newlib_takes_its_blocks_from_the_heap() {
    runs_on_a_c_library(System::Newlib, &[], true, "libnewlib-arm-none-eabi");
    runs_on_a_c_library(
        System::Newlib,
        &["--specs=nano.specs", "-u", "_printf_float"],
        true,
        "libnewlib-arm-none-eabi",
    );
}

#[test]
fn a_program_on_picolibc_takes_its_blocks_from_the_heap() {
    let board =
        ["__flash=0", "__flash_size=0x400000", "__ram=0x20000000", "__ram_size=0x400000", "__stack_size=0x4000"];
    let board = board.map(|symbol| format!("-Wl,--defsym={symbol}"));
    let more = ["--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted"];
    let more: Vec<&str> = more.into_iter().chain(board.iter().map(String::as_str)).collect();
    runs_on_a_c_library(System::Picolibc, &more, false, "picolibc-arm-none-eabi");
}

/// Compiles C++ on the heap of a system that needs no other file, with `more` for the compiler; the objects.
fn builds_cpp(dir: &Path, compiler: &str, package: &str, more: &[&str]) -> Vec<PathBuf> {
    let mut sources = emit(dir, "tlsf align=8", System::PlatformIo);
    sources.push(dir.join("sys_heap_new.cpp"));
    sources.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/systems/cpp/play.cpp"));
    let mut objects = Vec::new();
    for source in sources {
        let object = dir.join(source.file_name().expect("a name")).with_extension("o");
        let is_c = source.extension().is_some_and(|end| end == "c");
        let mut cc = Command::new(compiler);
        cc.args(if is_c { ["-x", "c", "-std=c11"] } else { ["-x", "c++", "-std=c++17"] });
        cc.args(["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"])
            .args(more.iter().filter(|flag| !is_c || !flag.starts_with("-fno-rtti")))
            .args(MACROS);
        run(cc.arg("-c").arg("-o").arg(&object).arg("-I").arg(dir).arg(&source), package);
        objects.push(object);
    }
    objects
}

#[test]
fn a_program_of_cpp_takes_its_objects_from_the_heap() {
    // Not the address sanitizer: it has operators of arrays of its own.
    for more in [&["-fsanitize=undefined", "-fno-sanitize-recover=all"][..], &["-fno-rtti", "-fno-exceptions"]] {
        let dir = tempfile::tempdir().expect("a folder");
        let (objects, program) = (builds_cpp(dir.path(), "g++", "g++", more), dir.path().join("play"));
        run(Command::new("g++").args(more).arg("-o").arg(&program).args(objects), "g++");
        let text = run(Command::new("timeout").arg("60").arg(&program), "coreutils");
        assert!(text.contains("as the documentation says"), "{text}");
    }
}

#[test]
fn cpp_for_firmware_has_no_warning_of_arm_gcc() {
    let package = "gcc-arm-none-eabi, libstdc++-arm-none-eabi-newlib";
    let dir = tempfile::tempdir().expect("a folder");
    builds_cpp(dir.path(), "arm-none-eabi-g++", package, &["-mcpu=cortex-m3", "-mthumb"]);
}
