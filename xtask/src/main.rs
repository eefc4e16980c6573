//! What a developer repeats.
fn main() {}
