//! The examples run, and their assertions hold.

#[path = "../../examples/guard.rs"]
#[allow(dead_code, unreachable_pub)]
mod guard;

#[cfg(feature = "allocator-api2")]
#[path = "../../examples/subsystem.rs"]
#[allow(dead_code, unreachable_pub)]
mod subsystem;

#[test]
fn a_guard_names_every_mistake() {
    guard::main();
}

#[cfg(feature = "allocator-api2")]
#[test]
fn a_subsystem_keeps_to_its_region() {
    subsystem::main();
}
