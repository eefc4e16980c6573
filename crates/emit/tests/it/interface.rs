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
