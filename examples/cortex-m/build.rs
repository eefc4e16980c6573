//! Passes the layout of the board's memory to the linker.

fn main() {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("memory.x");
    println!("cargo:rerun-if-changed={}", script.display());
    println!("cargo:rustc-link-arg-bins=-T{}", script.display());
}
