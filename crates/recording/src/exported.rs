//! What a library exports.

use object::{Object, ObjectSymbol};

/// Where a library's function is, from its first byte on.
pub(crate) fn exported(library: &[u8], name: &str) -> Option<u64> {
    let file = object::File::parse(library).ok()?;
    let found = file.dynamic_symbols().find(|symbol| symbol.is_definition() && symbol.name() == Ok(name));
    found.map(|symbol| symbol.address())
}
