//! Compiles the libraries that programs are started with.
//!
//! Cargo cannot hand a `cdylib` to another crate on a stable compiler. So a cargo of its own builds them, into a folder
//! next to the build of the command, once for all of its builds. The build script includes this file, for what the command
//! carries; the command compiles with it what it does not. So this uses the standard library alone.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries' target: what programs on this system are, also where the command itself is linked statically.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The compiler options of each crate in them. `heapsmith_library`: hooks have the names of `malloc` and its relatives, and
/// what has no standard library brings what that would. Call sites begin at the frame of the hook, so there are frames.
/// A symbol that nobody has would be noticed only when a program is started, so the linker looks for it.
const FLAGS: [&str; 4] = ["--cfg", "heapsmith_library", "-Cforce-frame-pointers=yes", "-Clink-arg=-Wl,-z,defs"];

/// The options of the recorder that is put into programs without a C library to share: what a dynamic linker does for a
/// library is to add where it is to some of its words.
const ALONE: [&str; 4] = ["--cfg", "heapsmith_alone", "-Clink-arg=-nostdlib", "-Clink-arg=-Wl,-Bsymbolic"];

/// All options: the bytes of a library do not depend on where it is built, nor on where cargo keeps what it loaded.
fn flags(sources: &Path, alone: bool) -> Vec<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let places = home.iter().map(|home| (&**home, "cargo")).chain([(sources, ".")]);
    let remapped = places.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()));
    let alone = if alone { &ALONE[..] } else { &[] };
    FLAGS.iter().chain(alone).map(|flag| (*flag).to_owned()).chain(remapped).collect()
}

/// Compiles crates of the workspace at `sources` into the folder `into`, and says in which folder their libraries are.
/// Cargo shows what it compiles where `shows` says so; `alone` is for programs that have no C library to share.
///
/// # Errors
///
/// What went wrong, as a sentence.
pub fn libraries(
    cargo: &OsStr,
    sources: &Path,
    into: &Path,
    crates: &[&str],
    alone: bool,
    shows: bool,
) -> Result<PathBuf, String> {
    let mut command = Command::new(cargo);
    command
        // Naming the target keeps the flags from build scripts.
        .args(["build", "--locked", "--profile", "preload", "--target", TARGET, "--target-dir"])
        .arg(into)
        .args(crates.iter().flat_map(|name| ["--package", name]))
        .args(if shows { &[][..] } else { &["--quiet"] })
        .current_dir(sources)
        // What a build was asked for (a lint's driver, a sanitizer) is not asked of a library that goes into programs.
        .env("CARGO_ENCODED_RUSTFLAGS", flags(sources, alone).join("\u{1f}"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTFLAGS");
    match command.status() {
        Ok(status) if status.success() => Ok(into.join(TARGET).join("preload")),
        Ok(status) => Err(format!("cargo could not compile {} in {}: {status}", crates.join(", "), sources.display())),
        Err(error) => Err(format!("{} could not be started: {error}", cargo.display())),
    }
}
