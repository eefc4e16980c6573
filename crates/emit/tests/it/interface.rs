//! The interface of an emitted heap: its macros, its corner cases, and what its `check` sees.

use std::process::Command;

use heapsmith_emit::{Extra, Name, Request, c};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes};
use heapsmith_workload::load;

use crate::differential::heaps::is_whole;

/// Heaps that count leading and trailing zeros, so that every macro has a use; and at least this many words
/// of theirs that cannot change unseen in the program's heap.
const HEAPS: &[(&str, usize)] =
    &[("tlsf(second-level=3, largest=2048)", 26), ("bins(log(2), order=size)", 26), ("half-fit", 26)];

#[test]
fn macros_corner_cases_and_check_are_as_the_header_says() {
    for (heap, min) in HEAPS {
        let dir = tempfile::tempdir().expect("a folder");
        let name = Name::new("my_heap").expect("a name");
        let request = Request::new(resolve(heap).expect("a heap"), name);
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

/// A program that says every call as the guide to firmware does.
#[test]
fn a_log_of_calls_is_a_trace() {
    let dir = tempfile::tempdir().expect("a folder");
    let request = Request::new(resolve("first-fit").expect("a heap"), Name::new("my_heap").expect("a name"));
    for file in c::emit(&request).expect("source") {
        std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
    }
    std::fs::write(dir.path().join("log.c"), include_str!("interface/log.c")).expect("the file is written");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "log", "log.c"]).current_dir(dir.path());
    let output = cc.output().expect("cc runs: install build-essential");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = Command::new(dir.path().join("log")).output().expect("it runs").stdout;
    let path = dir.path().join("log.csv");
    std::fs::write(&path, &log).expect("the log is written");
    let trace = load(&path, None, &[]).unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&log)));
    let actions: Vec<Action> = trace.events.iter().map(|event| event.action).collect();
    let expected = [
        Action::Allocate { id: 0, size: Bytes(24), alignment: 0 },
        Action::Allocate { id: 1, size: Bytes(100), alignment: 64 },
        Action::Reallocate { id: 0, size: Bytes(500) },
        Action::Allocate { id: 2, size: Bytes(24), alignment: 0 },
        Action::Reallocate { id: 0, size: Bytes(400) },
        Action::Free { id: 1 },
        Action::Free { id: 0 },
        Action::Free { id: 2 },
    ];
    assert_eq!(actions, expected);
}

/// Heaps of every family, and whether an empty one that was trimmed is as it was made.
const EXTRAS: &[(&str, bool)] = &[
    ("list(order=implicit)", true),
    ("list(order=fifo, coalesce=deferred) word=8", true),
    ("freelists(16..=64 step 8, flush=bounded(2)) list(order=address, coalesce>=100)", true),
    ("freelists(24,40, order=fifo) tlsf check=header", true),
    ("bins(lea) check=header", true),
    ("zero skiplist", true),
    ("classes(16..=4096 double)", false),
    ("buddy(estranged)", true),
    ("freelists(24) buddy(estranged, glue=bounded(2)) word=2", true),
    ("buddy(estranged, start=one-block)", true),
    ("buddy(knuth, defragment=on-demand)", true),
    ("pages(page=256, min=8, search=tree)", true),
    ("pages(page=256, min=16, order=phk, search=word, retain=3, resize=off) word=2", true),
    ("bump(reclaim=empty)", true),
    ("stack", true),
    ("fixed(64)", false),
    ("guard(quarantine=0, pages=off) bump(reclaim=empty)", true),
    ("zero guard(quarantine=2, pages=off) buddy(estranged)", true),
    ("guard(quarantine=4, pages=off) freelists(24) list(order=address)", true),
];

#[test]
fn extra_parts_do_what_the_header_says() {
    extra_parts_do(EXTRAS.iter().step_by(if is_whole() { 1 } else { 3 }), "-m64");
}

/// Where a size is no multiple of a word of 8 bytes.
#[test]
fn extra_parts_of_c_of_32_bits_do_what_the_header_says() {
    extra_parts_do(EXTRAS.iter().skip(1).step_by(if is_whole() { 2 } else { 6 }), "-m32");
}

/// Plays `extras.c` on heaps with all extra parts, under sanitizers.
fn extra_parts_do<'a>(heaps: impl Iterator<Item = &'a (&'a str, bool)>, flag: &str) {
    for (heap, trims) in heaps {
        let dir = tempfile::tempdir().expect("a folder");
        let request = Request::new(resolve(heap).expect("a heap"), Name::new("my_heap").expect("a name"));
        let request = Request { extras: Extra::ALL.to_vec(), ..request };
        for file in c::emit(&request).expect("source") {
            std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
        }
        let write = |name, text: &str| std::fs::write(dir.path().join(name), text).expect("the file is written");
        write("my_heap_config.h", include_str!("interface/my_heap_config.h"));
        write("extras.c", include_str!("interface/extras.c"));
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", flag, "-fsanitize=address,undefined"]);
        // A guard has three words before a payload; with a quarantine, a block of its own.
        let (front, kept) = (
            if heap.contains("guard") { 12 } else { 0 },
            u8::from(heap.contains("quarantine") && !heap.contains("quarantine=0")),
        );
        cc.args([format!("-DFRONT={front}"), format!("-DKEPT={kept}U")]);
        cc.args([&format!("-DTRIMS={}", u8::from(*trims)), "-fno-sanitize-recover=all", "-o", "extras", "extras.c"]);
        let output = cc.current_dir(dir.path()).output().expect("cc runs: install build-essential and gcc-multilib");
        assert!(output.status.success(), "{heap} {flag}: {}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(dir.path().join("extras")).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(text.trim() == "as the header says", "{heap} {flag}: {text}{stderr}");
    }
}

/// Heaps in regions whose addresses are in another order than they are, each heap with its checks.
const IN_REGIONS: &[&str] = &[
    "regions(fast(1K, up-to=64), small(2K, up-to=256, cost=2), large(8K, cost=8)) list(order=address) check=header",
    "regions(fast(1K, up-to=64), small(2K, up-to=256, cost=2), large(8K, cost=8)) freelists(40) tlsf(second-level=2, largest=2048) align=8 check=header",
    "regions(fast(1K, up-to=64), small(2K, up-to=256, cost=2), large(8K, cost=8)) guard(quarantine=0, pages=off) tree",
];

#[test]
fn several_regions_do_what_the_header_says() {
    IN_REGIONS.iter().for_each(|heap| regions_do(heap, "-m64"));
}

#[test]
fn several_regions_of_c_of_32_bits_do_what_the_header_says() {
    regions_do(IN_REGIONS[1], "-m32");
}

/// Plays `regions.c` on a heap in regions, under sanitizers.
fn regions_do(heap: &str, flag: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let request = Request::new(resolve(heap).expect("a heap"), Name::new("my_heap").expect("a name"));
    let extras = vec![Extra::Owns, Extra::Calloc, Extra::Walk, Extra::Trim, Extra::OutOfMemory];
    for file in c::emit(&Request { extras, ..request }).expect("source") {
        std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
    }
    std::fs::write(dir.path().join("regions.c"), include_str!("interface/regions.c")).expect("the file is written");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", flag, "-fsanitize=address,undefined"]);
    cc.args(["-DMY_HEAP_REGION_ON_ERROR(heap,error,block)=((void)0)", "-fno-sanitize-recover=all"]);
    cc.args(["-o", "regions", "regions.c", "my_heap_region.c"]);
    let output = cc.current_dir(dir.path()).output().expect("cc runs: install build-essential and gcc-multilib");
    assert!(output.status.success(), "{heap} {flag}: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(dir.path().join("regions")).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(text.trim() == "as the header says", "{heap} {flag}: {text}{stderr}");
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
        let request = Request::new(resolve(heap).expect("a heap"), name);
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
