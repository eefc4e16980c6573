//! What the emitted C costs in code.

use heapsmith_emit::size::{Size, TARGETS, size};
use heapsmith_emit::{Extra, Name, Request, c};
use heapsmith_spec::resolve;

/// Heaps of firmware, the smallest first.
const HEAPS: &[&str] = &[
    "peintner-first-fast",
    "peintner-best-fast",
    "first-fit",
    "network-drr",
    "half-fit",
    "tlsf",
    "lea-2.7.2",
    "skip-list",
    "red-black-tree",
];

fn sizes(heap: &str) -> Vec<Size> {
    sizes_with(heap, &[])
}

fn sizes_with(heap: &str, extras: &[Extra]) -> Vec<Size> {
    let dir = tempfile::tempdir().expect("a folder");
    let request = Request::new(resolve(heap).expect("a heap"), Name::new("my_heap").expect("a name"));
    let request = Request { extras: extras.to_vec(), ..request };
    for file in c::emit(&request).expect("source") {
        std::fs::write(dir.path().join(file.name), file.text).expect("the file is written");
    }
    let measured = |target| size(target, &dir.path().join("my_heap.c"), &dir.path().join("heap.o"));
    TARGETS.iter().map(|target| measured(target).unwrap_or_else(|error| panic!("{error}"))).collect()
}

#[test]
fn first_fit_with_fast_free_takes_less_than_a_kilobyte_and_a_half() {
    let names: String = TARGETS.iter().map(|target| format!("{:>12}", target.name)).collect();
    println!("{:<24}{names}", "heap");
    for heap in HEAPS {
        let sizes = sizes(heap);
        println!("{heap:<24}{}", sizes.iter().map(|size| format!("{:>12}", size.text)).collect::<String>());
        // All that changes is in the region and in the heap's struct.
        assert!(sizes.iter().all(|size| size.data == 0 && size.bss == 0), "{heap}: {sizes:?}");
        if *heap == "peintner-first-fast" {
            let m3 = TARGETS.iter().position(|target| target.name == "Cortex-M3").expect("the core");
            assert!(sizes[m3].text < 1536, "{} bytes", sizes[m3].text);
        }
    }
}

/// In place of the walk that statistics are without them.
#[test]
fn counters_take_less_than_a_hundred_bytes() {
    let at = TARGETS.iter().position(|target| target.name == "Cortex-M3").expect("a target");
    let of = |heap: &str, extras: &[Extra]| sizes_with(heap, extras)[at].text;
    for check in ["off", "header"] {
        let heap = format!("list(order=implicit) check={check}");
        println!("{heap}: {} bytes of text, {} with counters", of(&heap, &[]), of(&heap, &[Extra::Counters]));
    }
    let heap = "list(order=implicit)";
    assert!(of(heap, &[Extra::Counters]) < of(heap, &[]) + 100);
    // What is fixed as a goal for firmware: checks and counters together.
    assert!(of("list(order=implicit) check=header", &[Extra::Counters]) < 1600);
}
