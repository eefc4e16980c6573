//! Rust: the types of `heapsmith` that the heap is made of, with its levels as constants.
//!
//! Every heap that a spec can name can be emitted so: the types exist, and only have to be put together.

mod parts;

use minijinja::{Environment, UndefinedBehavior};

use crate::{EmitError, Extra, File, Request};
use parts::Parts;

/// The source file of a heap.
pub fn emit(request: &Request) -> Result<Vec<File>, EmitError> {
    Extra::verify(&request.extras, &[Extra::Counters], "emitted Rust")?;
    EmitError::verify_pages(&request.spec)?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    let text = environment.render_str(include_str!("../rust/heap.rs"), Parts::of(request)?)?;
    Ok(vec![File::new(format!("{}.rs", request.name.lower()), text)])
}
