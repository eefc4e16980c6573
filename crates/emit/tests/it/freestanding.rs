//! The emitted C calls nothing: an object of it wants no symbol but helpers of the compiler's own library, for what the
//! processor has no instruction for. Compiled as a user may who forgets `-ffreestanding`.

use std::path::Path;
use std::process::Command;

use heapsmith_emit::c;

use crate::differential::heaps::{self, Heap};

/// The beginnings of the names of libgcc's helpers: divisions, products and shifts of long words, scans for bits, and
/// the jumps of a `switch`. `__aeabi_memset` and its like are no helpers: they are the C library's.
const HELPERS: &[&str] = &[
    "__aeabi_idiv",
    "__aeabi_ldivmod",
    "__aeabi_uidiv",
    "__aeabi_uldivmod",
    "__aeabi_lmul",
    "__aeabi_llsl",
    "__aeabi_llsr",
    "__clzsi2",
    "__clzdi2",
    "__ctzsi2",
    "__ctzdi2",
    "__gnu_thumb1_case_",
];

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; install gcc-arm-none-eabi"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What the object of `source` wants of others.
fn wants(source: &Path, optimised: &str) -> Vec<String> {
    let object = source.with_extension("o");
    let mut cc = Command::new("arm-none-eabi-gcc");
    run(cc.args(["-std=c11", optimised, "-mcpu=cortex-m0", "-mthumb", "-c", "-o"]).arg(&object).arg(source));
    let names = run(Command::new("arm-none-eabi-nm").args(["--undefined-only", "--format=posix"]).arg(&object));
    names.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// The names that no helper has, with the heap and the level of optimisation.
fn strangers(dir: &Path, heap: &Heap, levels: &[&str]) -> Vec<String> {
    for file in c::emit(&heap.request()).unwrap_or_else(|error| panic!("{}: {error}", heap.spec)) {
        std::fs::write(dir.join(&file.name), file.text).expect("the file is written");
    }
    let source = dir.join(format!("{}.c", heap.name.lower()));
    // That of several regions calls that of one, which is among the heaps.
    let of_one = format!("{}_region_", heap.name.lower());
    let is_known = |name: &str| {
        HELPERS.iter().any(|helper| name.starts_with(helper))
            || heap.spec.regions().is_some() && name.starts_with(&of_one)
    };
    let wanted = levels.iter().flat_map(|level| wants(&source, level).into_iter().map(move |name| (level, name)));
    let strange = wanted.filter(|(_, name)| !is_known(name));
    strange.map(|(level, name)| format!("{} at {level} calls {name}", heap.spec)).collect()
}

#[test]
fn a_heap_links_without_a_c_library() {
    let dir = tempfile::tempdir().expect("a folder");
    let levels: &[&str] = if heaps::is_whole() { &["-O0", "-Os", "-O2", "-O3"] } else { &["-Os", "-O3"] };
    let mut heaps = heaps::named_or_few();
    heaps.extend(heaps::in_regions().into_iter().take(3));
    let strange: Vec<_> = heaps.iter().flat_map(|heap| strangers(dir.path(), heap, levels)).collect();
    assert!(strange.is_empty(), "{strange:#?}");
}
