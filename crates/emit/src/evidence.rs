//! Evidence of an emitted heap: a folder that anybody with a C compiler can run, with the heap in it.
//!
//! ```text
//!   Request ──▶ c::emit ───────▶ NAME.h, NAME.c
//!           └─▶ c/evidence ────▶ states.c         every state of small regions
//!                                fuzz.c           programs for libFuzzer, or random ones
//!                                proof.c          a harness for CBMC
//!                                run.sh           runs them all, and what else is here
//!                                materials.json   a bill of materials
//!                                README.md        what each shows, and what it does not
//! ```
//!
//! The harnesses know a heap by its interface and by [`Plan`] alone: what it promises of alignment, of contents and of the order in
//! which blocks are freed. `tests/it/evidence.rs` runs them on heaps of every frame, and on heaps with a bug planted.

use minijinja::context;
use sha2::{Digest, Sha256};

use crate::misra::{MISRA_LEFT_OUT, STANDARD};
use crate::plan::Plan;
use crate::{EmitError, File, Request, System, c};

/// The files of the folder, with their templates in `c/evidence`.
const FILES: [&str; 6] = ["states.c", "fuzz.c", "proof.c", "run.sh", "materials.json", "README.md"];

/// The heap's own files, those that a wrapper for `system` is emitted with, and those that show what the heap does.
///
/// # Errors
///
/// See [`c::emit`].
pub fn emit(request: &Request, system: Option<System>) -> Result<Vec<File>, EmitError> {
    EmitError::verify_one_region(&request.spec)?;
    let request = system.map_or_else(|| request.clone(), |system| system.extended(request));
    let mut files = c::emit(&request)?;
    let plan = Plan::of(&request)?;
    let sums: Vec<_> = files.iter().map(|file| context! { name => file.name, sha256 => sum(&file.text) }).collect();
    let looked_at = context! { left_out => MISRA_LEFT_OUT, defines => STANDARD };
    let values = context! { sums, misra => looked_at, ..minijinja::Value::from_serialize(&plan) };
    for name in FILES {
        files.push(File::new(name.to_owned(), c::render(&format!("evidence/{name}"), &values)?));
    }
    Ok(files)
}

fn sum(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
