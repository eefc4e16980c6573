//! The interface of an emitted heap: its macros, its corner cases, and what its `check` sees.

use std::process::Command;

use heapsmith_emit::{Name, Request, c};
use heapsmith_spec::resolve;

/// Heaps that count leading and trailing zeros, so that every macro has a use; and at least this many words
/// of theirs that cannot change unseen in the program's heap.
const HEAPS: &[(&str, usize)] =
    &[("tlsf(second-level=3, largest=2048)", 26), ("bins(log(2), order=size)", 26), ("half-fit", 26)];

#[test]
fn macros_corner_cases_and_check_are_as_the_header_says() {
    for (heap, min) in HEAPS {
        let dir = tempfile::tempdir().expect("a folder");
        let name = Name::new("my_heap").expect("a name");
        let request = Request { spec: resolve(heap).expect("a heap"), name, figures: None };
        for file in c::emit(&request).expect("source") {
            std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
        }
        std::fs::write(dir.path().join("interface.c"), include_str!("interface.c")).expect("the file is written");
        let flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"];
        let mut cc = Command::new("cc");
        cc.args(flags).args(["-fno-sanitize-recover=all", "-o", "interface", "interface.c"]).current_dir(dir.path());
        let output = cc.output().expect("cc runs: install build-essential");
        assert!(output.status.success(), "{heap}: {}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(dir.path().join("interface")).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{heap}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let seen = text.trim().strip_prefix("seen ").and_then(|number| number.parse::<usize>().ok());
        assert!(seen.is_some_and(|seen| seen >= *min), "{heap}: {text}");
    }
}

/// Each heap with a type that its payloads suit, and one that asks for a coarser alignment.
const ALIGNED: &[(&str, &str, &str)] = &[
    ("tlsf", "uint32_t", "struct { _Alignas(8) char first; }"),
    ("list word=8", "double", "struct { _Alignas(16) char first; }"),
    ("list align=16", "struct { _Alignas(16) char first; }", "struct { _Alignas(32) char first; }"),
];

#[test]
fn a_type_with_a_coarser_alignment_than_the_payloads_does_not_compile() {
    for (heap, suits, coarse) in ALIGNED {
        let dir = tempfile::tempdir().expect("a folder");
        let name = Name::new("my_heap").expect("a name");
        let request = Request { spec: resolve(heap).expect("a heap"), name, figures: None };
        for file in c::emit(&request).expect("source") {
            std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
        }
        let compiles = |ty: &str| {
            let text = format!("#include \"my_heap.h\"\ntypedef {ty} held;\nMY_HEAP_ASSERT_ALIGNED(held);\n");
            std::fs::write(dir.path().join("types.c"), text).expect("the file is written");
            let mut cc = Command::new("cc");
            cc.args(["-std=c11", "-Wall", "-Werror", "-fsyntax-only", "types.c"]).current_dir(dir.path());
            let output = cc.output().expect("cc runs: install build-essential");
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (is_sound, said) = compiles(suits);
        assert!(is_sound, "{heap}: {said}");
        let (is_sound, said) = compiles(coarse);
        assert!(!is_sound && said.contains("the type is aligned to more than"), "{heap}: {said}");
    }
}
