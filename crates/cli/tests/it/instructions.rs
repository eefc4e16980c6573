//! Instructions of the finalists of an exploration for firmware.

use std::path::Path;
use std::process::{Command, Output};

/// Explores few designs, with programs from this folder alone if there is one.
fn explore(dir: &Path, programs: Option<&Path>) -> Output {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/ftp.pcap.xz");
    std::fs::write(
        dir.join("space.toml"),
        "[[family]]\nname = \"few\"\nheap = [\"list(order=address)\", \"tlsf\", \"classes(8..=2048 double)\", \"bins(lea)\"]\n\
         [family.levels]\nfreelists = [0, 2]\n",
    )
    .expect("the file is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args([
        "explore",
        samples,
        "--as",
        "drr",
        "--limit",
        "3000",
        "--target",
        "cortex-m",
        "--space",
        "space.toml",
    ]);
    command.args(["--robust", "off", "--format", "json", "-o", "out"]).current_dir(dir);
    programs.map(|folder| command.env("PATH", folder));
    command.output().expect("the command runs")
}

fn rows(output: &Output) -> Vec<serde_json::Value> {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn instructions_are_counted_of_finalists_on_an_emulated_cortex_m3() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = explore(dir.path(), None);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let rows = rows(&output);
    let front: Vec<&serde_json::Value> = rows.iter().filter(|row| row["design"].is_number()).collect();
    assert!(!front.is_empty(), "{rows:?}");
    for row in front {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("no {key} in {row}"));
        let (mean, max) = (number("instructions_per_op"), number("instructions_max"));
        assert!(mean > number("accesses_per_op") && max >= mean && max < 100_000.0, "{row}");
    }
    assert!(said.contains("accesses rank the instructions of "), "{said}");
    // Asking for them goes by what was counted, and the constraint is one.
    let mut pick = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    let asked =
        ["pick", "out", "--objectives", "fragmentation,instructions", "--max-op-instructions", "1", "--format", "json"];
    let refused = pick.args(asked).current_dir(dir.path()).output().expect("the command runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("max instructions of at most 1 instructions"), "{said}");
}

#[test]
fn without_a_compiler_for_firmware_the_rest_is_known() {
    let dir = tempfile::tempdir().expect("a folder");
    let programs = dir.path().join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    let output = explore(dir.path(), Some(&programs));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("no instructions on an emulated Cortex-M3") && said.contains("gcc-arm-none-eabi"), "{said}");
    assert!(rows(&output).iter().all(|row| row["instructions_per_op"].is_null()));
}
