//! `cargo xtask bench known`: the worst programs found for well-known allocators, next to what is printed of them.
//!
//! Writes `bench/results/known-allocators.csv`, and the programs to `samples/attacks`. The original of o1heap is a
//! library that a developer brings (`--o1heap FILE.so`: `malloc` and `free` over an arena); without one its rows are NOT RUN, and nothing
//! is written.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::run::{Outcome, cargo, root, target};

/// Where the original is.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A library with `malloc` and `free` of o1heap over an arena (the figures are of release 2.2)
    #[arg(long, value_name = "FILE.so")]
    o1heap: Option<PathBuf>,
}

/// Peak live bytes, the largest and the smallest request.
const PROGRAM: [&str; 3] = ["8K", "256", "32"];
/// The one size for which the equation of o1heap grants least: a byte more than what fills a block of 64.
const ONE_SIZE: [&str; 3] = ["8184", "33", "33"];
/// Heaps that are specs: those of the literature, and originals whose placement a spec has.
const SPECS: [&str; 6] = ["first-fit", "best-fit", "half-fit", "tlsf", "freertos/heap_2", "freertos/heap_4"];
/// Reference allocators.
const PEERS: [&str; 7] =
    ["dlmalloc", "rlsf", "talc", "linked_list_allocator", "buddy_system_allocator", "libc", "mimalloc"];

/// Attacks all, and writes the table.
pub fn known(arguments: &Arguments) -> Outcome {
    cargo(&["build", "--release", "--quiet", "--package", "heapsmith-cli"])?;
    let folder = target().join("bench/known");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let o1heap = arguments.o1heap.as_deref().map(|library| library.display().to_string());
    let mut rows: Vec<String> = Vec::new();
    for spec in SPECS {
        rows.push(attacked(&[spec], PROGRAM, &folder, spec)?);
    }
    for peer in PEERS {
        rows.push(attacked(&["--peer", peer], PROGRAM, &folder, peer)?);
    }
    if let Some(library) = &o1heap {
        rows.push(attacked(&["--peer", library], PROGRAM, &folder, "o1heap")?);
        rows.push(attacked(&["--peer", library], ONE_SIZE, &folder, "o1heap")?);
        write(rows)
    } else {
        rows.iter().for_each(|row| println!("{row}"));
        println!("o1heap: NOT RUN, and nothing is written: give a library with --o1heap FILE.so");
        Ok(())
    }
}

/// The attack's row, after the program; the last line says the header once.
fn attacked(which: &[&str], [live, max, min]: [&str; 3], folder: &Path, name: &str) -> Result<String, String> {
    let trace = folder.join(format!("{}-{live}.parquet", name.replace('/', "-")));
    let _ = std::fs::remove_file(&trace);
    let output = Command::new(target().join("release/heapsmith"))
        .arg("attack")
        .args(which)
        .args(["--max-live", live, "--max-size", max, "--min-size", min, "--rounds", "100", "--format", "csv", "-o"])
        .arg(&trace)
        .output()
        .map_err(|error| format!("cannot run heapsmith: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let (header, row) = text.trim_end().split_once('\n').ok_or_else(|| format!("{name}: no row in {text}"))?;
    // Not where the library is.
    let row = row.split_once(',').map_or_else(|| row.to_owned(), |(_, figures)| format!("{name},{figures}"));
    println!("{live} {max} {min} {row}");
    Ok(format!("max_live,max_size,min_size,{header}\n{live},{max},{min},{row}"))
}

/// Writes the rows, the header once, and keeps the programs.
fn write(rows: Vec<String>) -> Outcome {
    let header = rows.first().and_then(|row| row.lines().next()).unwrap_or_default().to_owned();
    let lines = rows.iter().filter_map(|row| row.lines().nth(1));
    let text = std::iter::once(&*header).chain(lines).collect::<Vec<_>>().join("\n") + "\n";
    let path = root().join("bench/results/known-allocators.csv");
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let kept = root().join("samples/attacks");
    let failed = |error| format!("cannot keep the programs in {}: {error}", kept.display());
    std::fs::create_dir_all(&kept).map_err(failed)?;
    for entry in std::fs::read_dir(target().join("bench/known")).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_owned();
        if name.to_string_lossy().ends_with(".parquet") {
            std::fs::copy(&path, kept.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}
