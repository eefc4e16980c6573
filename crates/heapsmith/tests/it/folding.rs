//! A level that is a constant costs nothing: shown in the machine code.

#[path = "../../examples/folding.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the example to assembly.
fn listing() -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target: PathBuf = package.join("../../target/folding");
    let status = Command::new(env!("CARGO"))
        .args(["rustc", "--quiet", "--release", "--package", "heapsmith", "--example", "folding", "--target-dir"])
        .arg(&target)
        .args(["--", "--emit", "asm", "-C", "debuginfo=0", "-C", "codegen-units=1"])
        .current_dir(package)
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the example compiles");
    let files = std::fs::read_dir(target.join("release/examples")).expect("the examples' folder");
    let newest = files
        .filter_map(|file| file.ok().map(|file| file.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "s"))
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
        .expect("a listing");
    std::fs::read_to_string(newest).expect("the listing is text")
}

/// The instructions of a function.
fn body<'a>(listing: &'a str, name: &str) -> Vec<&'a str> {
    let start = listing.find(&format!("\n{name}:")).unwrap_or_else(|| panic!("{name} is in the listing"));
    let lines = listing[start + 1..].lines().skip(1).map(str::trim);
    lines
        .take_while(|line| !line.starts_with(".size") && !line.contains(".cfi_endproc"))
        .filter(|line| !line.starts_with('.'))
        .collect()
}

/// Conditional jumps of x86-64 and AArch64.
fn is_branch(line: &&&str) -> bool {
    let word = line.split_whitespace().next().unwrap_or("");
    let x86 = word.starts_with('j') && word != "jmp" && word != "jmpq";
    x86 || word.starts_with("b.") || ["cbz", "cbnz", "tbz", "tbnz"].contains(&word)
}

#[test]
fn a_constant_level_leaves_no_branch() {
    let listing = listing();
    let constant = body(&listing, "deallocate_constant");
    let value = body(&listing, "deallocate_value");
    let branches = |lines: &[&str]| lines.iter().filter(is_branch).count();
    // What is left is the list's own question: is there a next block to link back?
    assert!(branches(&constant) <= 1, "{}", constant.join("\n"));
    assert!(branches(&value) > 4, "the value form asks for its levels");
    assert!(constant.len() * 4 < value.len(), "{} of {} lines are left", constant.len(), value.len());
}

#[test]
fn constants_and_values_return_the_same_addresses() {
    example::main();
}
