//! Compiles the recorder, and the agent for Java virtual machines, into shared libraries, which
//! the command carries inside it: a command that is copied alone still has them.
//!
//! Cargo cannot hand a `cdylib` to another crate on a stable compiler. Neither has
//! dependencies, so the compiler alone is enough. Where they do not know the
//! target, the libraries are empty, and `record` says so.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

fn main() {
    println!("cargo::rerun-if-changed=../recorder/src");
    println!("cargo::rerun-if-changed=../agent/src");
    println!("cargo::rerun-if-changed=build.rs");
    compile("heapsmith_recorder", Path::new("../recorder/src/lib.rs"));
    compile("heapsmith_agent", Path::new("../agent/src/lib.rs"));
}

fn compile(name: &str, source: &Path) {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let library = PathBuf::from(variable("OUT_DIR")).join(format!("lib{name}.so"));
    let known = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    if !known {
        std::fs::write(&library, "")
            .unwrap_or_else(|error| fail(&format!("cannot write {}: {error}", library.display())));
        return;
    }
    let mut compiler = Command::new(variable("RUSTC"));
    compiler
        .args(["--edition", "2024", "--crate-name", name, "--crate-type", "cdylib"])
        .args(["--cfg", "heapsmith_alone", "--target", &variable("TARGET")])
        // Call sites begin at the frame of the hook.
        .args(["-C", "force-frame-pointers=yes"])
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
