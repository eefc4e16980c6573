//! Compiles the libraries that the command carries inside it: a command that is copied alone still has them.
//!
//! The recorder and the agent take seconds. The library of `heapsmith run` has all heaps in it and takes a
//! minute: it is carried where the feature `carry` asks for it, and else compiled when it is first needed. Where the
//! libraries do not know the target they are empty, and the command says so.

#![allow(clippy::disallowed_methods, reason = "a build script writes into its own folder")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;

#[path = "src/compile.rs"]
mod compile;

/// The crates that are small.
const SMALL: [&str; 2] = [RECORDER, "heapsmith-agent"];

/// The crate that is also compiled without a C library, for programs that are linked statically.
const RECORDER: &str = "heapsmith-recorder";

/// The crate that is not.
const LARGE: &str = "heapsmith-preload";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/compile.rs");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let carries = env::var_os("CARGO_FEATURE_CARRY").is_some();
    let carried: Vec<&str> = SMALL.into_iter().chain(carries.then_some(LARGE)).collect();
    let more = if carries { &["heapsmith", "preload", "spec"][..] } else { &[] };
    for part in ["agent", "capture", "recorder"].iter().chain(more) {
        println!("cargo::rerun-if-changed=../{part}/src");
        println!("cargo::rerun-if-changed=../{part}/Cargo.toml");
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE/out, with TARGET/TRIPLE before where a target is named.
    // Cargo marks the target folder where it made it itself.
    let marked = out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    let Some(target) = marked.or_else(|| out.ancestors().nth(4)) else {
        fail(&format!("{} lies in no target folder", out.display()));
    };
    let folder = target.join("preload");
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let sources = manifest.ancestors().nth(2).unwrap_or(&manifest);
    // A command that compiles nothing does not know where it was built: its bytes are the same everywhere.
    let (from, into) = if carries { ("", "") } else { (&*sources.to_string_lossy(), &*folder.to_string_lossy()) };
    println!("cargo::rustc-env=HEAPSMITH_SOURCES={from}");
    println!("cargo::rustc-env=HEAPSMITH_LIBRARIES={into}");
    let known = variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ARCH") == "x86_64";
    let compiled = |into: &Path, crates: &[&str], alone: bool| {
        let made = known.then(|| compile::libraries(variable("CARGO").as_ref(), sources, into, crates, alone, false));
        made.map(|made| made.unwrap_or_else(|why| fail(&why)))
    };
    let built = compiled(&folder, &carried, false);
    let alone = compiled(&folder.join("alone"), &[RECORDER], true);
    put("libheapsmith_inserted.so", alone.as_deref().map(|folder| folder.join(library(RECORDER))), &out);
    for name in SMALL.into_iter().chain([LARGE]) {
        let file = library(name);
        put(&file, built.as_deref().filter(|_| carried.contains(&name)).map(|folder| folder.join(&file)), &out);
    }
}

/// The file that a crate becomes.
fn library(name: &str) -> String {
    format!("lib{}.so", name.replace('-', "_"))
}

/// Copies a library, or leaves an empty one.
fn put(name: &str, from: Option<PathBuf>, out: &Path) {
    let put = match from {
        Some(from) => std::fs::copy(from, out.join(name)).map(drop),
        None => std::fs::write(out.join(name), ""),
    };
    if let Err(error) = put {
        fail(&format!("cannot put {name} into {}: {error}", out.display()));
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    exit(1)
}
