//! `cargo xtask book`: the book of `docs/`, built by mdBook into `target/book`.
//!
//! mdBook is compiled once into `target/tools`, at the version that the book was last read with. That links of the book and of
//! the other pages lead somewhere is a test of its own (`tests/links.rs`), which needs no mdBook.

use crate::run::{Outcome, cargo, is_there, root, run, target};

/// The version of mdBook.
const VERSION: &str = "0.5.4";

/// Builds the book.
pub fn book() -> Outcome {
    let folder = target().join("tools");
    let program = folder.join("bin/mdbook");
    if !is_there(&format!("{} --version", program.display())) {
        eprintln!("xtask: compiling mdBook {VERSION}, once: about three minutes");
        let folder = folder.display().to_string();
        cargo(&[
            "install",
            "mdbook",
            "--version",
            VERSION,
            "--locked",
            "--no-default-features",
            "--features",
            "search",
            "--root",
            &folder,
        ])?;
    }
    run(&program.display().to_string(), &["build", &root().join("docs").display().to_string()])?;
    eprintln!("xtask: {}", target().join("book/index.html").display());
    Ok(())
}
