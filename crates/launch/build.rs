//! Compiles the libraries that programs are started with, which the command carries inside it: a command that is
//! copied alone still has them.
//!
//! Cargo cannot hand a `cdylib` to another crate on a stable compiler. So one cargo builds all three, into a folder of its own
//! beside this build's, once for all of its builds. Where the libraries do not know the target they are empty, and the
//! command says so.

#![allow(clippy::disallowed_methods, reason = "a build script writes into its own folder")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// The crates that become libraries.
const LIBRARIES: [&str; 3] = ["heapsmith-recorder", "heapsmith-agent", "heapsmith-preload"];

/// The compiler options of each crate in them. `heapsmith_library`: hooks have the names of `malloc` and its relatives, and
/// what has no standard library brings what that would. Call sites begin at the frame of the hook, so there are frames.
/// A symbol that nobody has would be noticed only when a program is started, so the linker looks for it.
const FLAGS: [&str; 4] = ["--cfg", "heapsmith_library", "-Cforce-frame-pointers=yes", "-Clink-arg=-Wl,-z,defs"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    for part in ["agent", "capture", "heapsmith", "preload", "recorder", "spec"] {
        println!("cargo::rerun-if-changed=../{part}/src");
        println!("cargo::rerun-if-changed=../{part}/Cargo.toml");
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let known = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    let built = known.then(|| build(&out));
    for library in LIBRARIES {
        let name = format!("lib{}.so", library.replace('-', "_"));
        let put = match &built {
            Some(folder) => std::fs::copy(folder.join(&name), out.join(&name)).map(drop),
            None => std::fs::write(out.join(&name), ""),
        };
        if let Err(error) = put {
            fail(&format!("cannot put {name} into {}: {error}", out.display()));
        }
    }
}

/// Builds the libraries; the folder that they are in.
fn build(out: &Path) -> PathBuf {
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE/out, with TARGET/TRIPLE before where a target is named.
    let Some(target) = out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()) else {
        fail(&format!("{} lies in no target folder", out.display()));
    };
    let (folder, triple) = (target.join("preload"), variable("TARGET"));
    let status = Command::new(variable("CARGO"))
        // Naming the target keeps the flags from build scripts.
        .args(["build", "--quiet", "--locked", "--profile", "preload", "--target", &triple, "--target-dir"])
        .arg(&folder)
        .args(LIBRARIES.iter().flat_map(|library| ["--package", library]))
        // What this build was asked for (a lint's driver, a sanitizer) is not asked of a library that goes into programs.
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTFLAGS")
        .status();
    match status {
        Ok(status) if status.success() => folder.join(triple).join("preload"),
        outcome => fail(&format!("the libraries could not be compiled: {outcome:?}")),
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    exit(1)
}
