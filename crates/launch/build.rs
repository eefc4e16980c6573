//! Compiles the libraries that programs are started with, which the command carries inside it: a command that is
//! copied alone still has them.
//!
//! Cargo cannot hand a `cdylib` to another crate on a stable compiler. The recorder and the agent for Java virtual
//! machines have no dependencies, so the compiler alone is enough. What stands before `malloc` uses the crates of the
//! heaps: cargo compiles it, into a folder of its own beside this build's, once for all of its builds. Where the libraries do not
//! know the target they are empty, and the command says so.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

fn main() {
    println!("cargo::rerun-if-changed=../recorder/src");
    println!("cargo::rerun-if-changed=../agent/src");
    println!("cargo::rerun-if-changed=build.rs");
    for part in ["preload/src", "preload/Cargo.toml", "heapsmith/src", "spec/src", "../Cargo.lock"] {
        println!("cargo::rerun-if-changed=../{part}");
    }
    compile("heapsmith_recorder", Path::new("../recorder/src/lib.rs"));
    compile("heapsmith_agent", Path::new("../agent/src/lib.rs"));
    with_cargo("heapsmith_preload");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Whether the libraries know the target; if not, an empty one is written.
fn known(library: &Path) -> bool {
    let known = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    if !known && let Err(error) = std::fs::write(library, "") {
        fail(&format!("cannot write {}: {error}", library.display()));
    }
    known
}

/// The library of the crate `heapsmith-preload`.
fn with_cargo(name: &str) {
    let out = PathBuf::from(variable("OUT_DIR"));
    let library = out.join(format!("lib{name}.so"));
    if !known(&library) {
        return;
    }
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE/out, with TARGET/TRIPLE before where a target is named.
    let Some(target) = out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()) else {
        fail(&format!("{} lies in no target folder", out.display()));
    };
    let folder = target.join("preload");
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .args(["rustc", "--quiet", "--locked", "--profile", "preload", "--package", "heapsmith-preload"])
        .args(["--crate-type", "cdylib", "--target", &variable("TARGET"), "--target-dir"])
        .arg(&folder)
        // Call sites begin at the frame of the hook.
        .args(["--", "--cfg", "heapsmith_names", "--cfg", "heapsmith_frames", "-C", "force-frame-pointers=yes"])
        .args(["-C", "link-arg=-Wl,-z,defs"])
        // What this build was asked for (a lint's driver, a sanitizer) is not asked of a library that goes into programs.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    match cargo.status() {
        Ok(status) if status.success() => {}
        outcome => fail(&format!("{name} could not be compiled: {outcome:?}")),
    }
    let made = folder.join(variable("TARGET")).join("preload").join(format!("lib{name}.so"));
    if let Err(error) = std::fs::copy(&made, &library) {
        fail(&format!("cannot copy {}: {error}", made.display()));
    }
}

fn compile(name: &str, source: &Path) {
    let library = PathBuf::from(variable("OUT_DIR")).join(format!("lib{name}.so"));
    if !known(&library) {
        return;
    }
    let mut compiler = Command::new(variable("RUSTC"));
    compiler
        .args(["--edition", "2024", "--crate-name", name, "--crate-type", "cdylib"])
        .args(["--cfg", "heapsmith_alone", "--target", &variable("TARGET")])
        // Call sites begin at the frame of the hook.
        .args(["--cfg", "heapsmith_frames", "-C", "force-frame-pointers=yes"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "codegen-units=1", "-C", "strip=symbols"])
        // A symbol that nobody has would be noticed only when a program is started.
        .args(["-C", "link-arg=-Wl,-z,defs"])
        .arg(source)
        .arg("-o")
        .arg(&library);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compiler.arg(format!("-Clinker={linker}"));
    }
    match compiler.status() {
        Ok(status) if status.success() => {}
        outcome => fail(&format!("{name} could not be compiled: {outcome:?}")),
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    exit(1)
}
