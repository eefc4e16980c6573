//! This test program itself lives in the heap of `examples/global.rs`, so it is a separate program.

#[path = "../examples/global.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

#[test]
fn a_program_lives_in_its_own_heap() {
    example::main();
}
