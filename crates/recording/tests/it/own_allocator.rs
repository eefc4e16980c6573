//! Programs that bring an allocator along.

use std::process::Command;

use heapsmith_recording::{OwnAllocator, own_allocator};

#[test]
fn a_program_with_an_allocator_of_its_own_is_known() {
    let dir = tempfile::tempdir().expect("a folder");
    for (function, expected) in
        [("mi_malloc", Some(("mimalloc", "mi_"))), ("_rjem_malloc", Some(("jemalloc", "_rjem_"))), ("own", None)]
    {
        let source = dir.path().join("program.c");
        let text = format!(
            "void *{function}(unsigned long n) {{ return (void *)n; }}\nint main(void) {{ return !{function}(1); }}\n"
        );
        std::fs::write(&source, text).expect("a file");
        let program = dir.path().join(function);
        let compiled = Command::new("cc").arg("-o").arg(&program).arg(&source).status().expect("cc runs");
        assert!(compiled.success());
        let expected = expected.map(|(name, prefix)| OwnAllocator { name, prefix: Some(prefix) });
        assert_eq!(own_allocator(&program), expected, "{function}");
    }
    assert_eq!((own_allocator(dir.path()), own_allocator(&dir.path().join("program.c"))), (None, None));
}
