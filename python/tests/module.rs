//! The module that Python loads, as cargo compiles it with the tests of all packages: `cargo xtask test` has Python's
//! tests load this one, and `cargo xtask python` a wheel.

use std::path::Path;

#[test]
fn the_module_was_compiled_with_the_tests_and_python_can_find_its_entry() {
    let program = std::env::current_exe().expect("this test");
    let module = program.parent().unwrap_or(Path::new(".")).join("lib_native.so");
    let bytes = std::fs::read(&module).unwrap_or_else(|error| panic!("{}: {error}", module.display()));
    let entry = b"PyInit__native\0";
    assert!(bytes.windows(entry.len()).any(|window| window == entry), "the entry is a name of the module");
}
