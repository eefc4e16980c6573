//! Rust: the types of `heapsmith` that the heap is made of, with its levels as constants.
//!
//! Every heap that a spec can name can be emitted so: the types exist, and only have to be put together.

mod parts;

use std::collections::HashSet;

use minijinja::{Environment, UndefinedBehavior};

use crate::{EmitError, Extra, File, Name, Request};
use parts::Parts;

/// A name that no heap of a user has, nor any type of `heapsmith`.
const NAMELESS: &str = "x_nameless";

/// What the heap's types are called: its name and one of these.
const TYPES: [&str; 7] = ["", "Policy", "Bins", "Classes", "Lists", "Spans", "InOne"];

/// The source file of a heap.
pub fn emit(request: &Request) -> Result<Vec<File>, EmitError> {
    Extra::verify(&request.extras, &[Extra::Counters], "emitted Rust")?;
    if request.spec.regions().is_some() {
        Extra::verify_of_regions(&request.extras, &[])?;
    }
    EmitError::verify_pages(&request.spec)?;
    let nameless = render(&Request { name: Name::new(NAMELESS)?, ..request.clone() })?;
    if let Some(taken) = taken(&nameless, &request.name.camel()) {
        return Err(EmitError::Taken { name: request.name.lower().to_owned(), taken });
    }
    Ok(vec![File::new(format!("{}.rs", request.name.lower()), render(request)?)])
}

/// The type of a heap of this name that a source without a name uses already, as one of `heapsmith`.
fn taken(source: &str, name: &str) -> Option<String> {
    let code = source.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let words: HashSet<&str> = code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).collect();
    TYPES.iter().map(|end| format!("{name}{end}")).find(|name| words.contains(name.as_str()))
}

fn render(request: &Request) -> Result<String, EmitError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    Ok(environment.render_str(include_str!("../rust/heap.rs"), Parts::of(request)?)?)
}

#[cfg(test)]
mod tests {
    use super::emit;
    use crate::{EmitError, Name, Request};

    #[test]
    fn a_name_whose_type_is_one_of_heapsmith_is_refused() {
        let emitted = |spec: &str, name: &str| {
            emit(&Request::new(spec.parse().expect("a spec"), Name::new(name).expect("a name")))
        };
        for (spec, name, taken) in [("pages", "page_heap", "PageHeap"), ("freelists(64) list", "source", "Source")] {
            assert_eq!(emitted(spec, name), Err(EmitError::Taken { name: name.to_owned(), taken: taken.to_owned() }));
        }
        assert!(emitted("pages", "packets").is_ok() && emitted("freelists(64) list", "page_heap").is_ok());
    }
}
