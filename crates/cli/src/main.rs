//! The command heapsmith.
fn main() {}
