//! The firmware of `examples/cortex-m` builds for a Cortex-M without a standard library, and runs on an emulated one.

use std::path::Path;
use std::process::Command;

const TARGET: &str = "thumbv7m-none-eabi";

fn run(command: &mut Command, install: &str) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; {install}"));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{text}\n{install}", output.status);
    text
}

#[test]
fn firmware_with_a_heap_builds_and_runs_on_a_cortex_m() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let build = root.join("target/cortex-m");
    let rust = "install the target with: rustup target add thumbv7m-none-eabi";
    for features in ["critical-section", "critical-section,lock_api,allocator-api2,defmt"] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["rustc", "--quiet", "--package", "heapsmith", "--lib", "--target", TARGET, "--features", features]);
        run(cargo.args(["--target-dir"]).arg(&build).arg("--").arg("-Dwarnings").current_dir(&root), rust);
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--locked", "--target", TARGET, "--target-dir"]).arg(&build);
    run(cargo.current_dir(root.join("examples/cortex-m")), rust);
    let mut qemu = Command::new("qemu-system-arm");
    qemu.args(["-M", "mps2-an385", "-nographic", "-semihosting", "-kernel"]);
    let program = build.join(TARGET).join("release/cortex-m-heap");
    run(qemu.arg(program), "install qemu-system-arm (package qemu-system-arm)");
}
