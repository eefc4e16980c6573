//! The emitted C, the emitted Rust and the explored heap give the same offset for every request, and
//! leave the same bytes in the region.
//!
//! ```text
//!   spec ──▶ explored heap ──▶ tape: every request, every answer, hashes of the region
//!     └────▶ emitted source ─▶ compiler ─▶ program that plays the tapes of many heaps
//! ```
//!
//! The C of the heaps of `FEW` is compiled and played for this machine, of a third of them under sanitizers and without
//! builtins, and as Rust. `cargo xtask nightly whole` (`HEAPSMITH_WHOLE`) does so with every named heap, twenty times the random
//! specs, and for 32 bits.

mod compile;
pub(crate) mod heaps;
pub(crate) mod programs;
pub(crate) mod record;
pub(crate) mod tape;

use std::path::Path;

use heaps::Heap;

/// Plays the tapes of `heaps` on the emitted C, compiled with more flags.
fn c_agrees(heaps: &[Heap], flags: &[&str]) {
    let dir = tempfile::tempdir().expect("a folder");
    let program = compile::c(dir.path(), heaps, flags);
    play(&program, heaps);
}

/// Records the tapes of all `heaps` and plays them, as many at a time as fit into memory.
fn play(program: &Path, heaps: &[Heap]) {
    for (number, batch) in heaps.chunks(16).enumerate() {
        let tapes: Vec<_> =
            batch.iter().enumerate().flat_map(|(index, heap)| record::tapes(heap, number * 16 + index)).collect();
        compile::play(program, &tapes, heaps);
    }
}

#[test]
fn rust_follows_the_catalogue_and_random_specs() {
    let mut heaps = if heaps::is_whole() { heaps::all_named() } else { heaps::third_of_few() };
    heaps.extend(heaps::random_of_all(heaps::how_many(200), 0));
    heaps.push(heaps::owned());
    let dir = tempfile::tempdir().expect("a folder");
    play(&compile::rust(dir.path(), &heaps), &heaps);
}

#[test]
fn c_follows_the_catalogue_and_a_heap_of_every_kind() {
    c_agrees(&heaps::named_or_few(), &[]);
}

/// Several regions: all in one piece of memory here, as the explored heap has them.
#[test]
fn c_and_rust_follow_in_several_regions() {
    let mut heaps = heaps::in_regions();
    heaps.extend(heaps::random_in_regions(heaps::how_many(200), 2));
    c_agrees(&heaps, &[]);
    let dir = tempfile::tempdir().expect("a folder");
    play(&compile::rust(dir.path(), &heaps), &heaps);
}

#[test]
fn c_follows_in_several_regions_under_sanitizers() {
    c_agrees(&heaps::in_regions(), &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]);
}

/// Heaps for a unit in hardware, on this machine, which has none.
#[test]
fn c_for_a_unit_follows_without_one() {
    let specs = [
        "pages(page=4096, min=16, search=hardware(custom0))",
        "pages(page=512, min=16, search=hardware(mmio=0x40000000), order=address, retain=2)",
        "pages(page=256, min=16, search=hardware, order=phk)",
    ];
    let specs = specs.map(|spec| heapsmith_spec::resolve(spec).unwrap_or_else(|error| panic!("{error}")));
    let heaps: Vec<Heap> = (0..).step_by(4).zip(specs).map(|(number, spec)| Heap::new(number, spec)).collect();
    c_agrees(&heaps, &["-DPAGE_UNIT_EMULATED"]);
}

#[test]
fn c_follows_random_specs() {
    c_agrees(&heaps::random(heaps::how_many(200), 0), &[]);
}

/// AddressSanitizer and UndefinedBehaviorSanitizer watch, and the heap's own assertions.
#[test]
fn c_follows_under_sanitizers() {
    let heaps = if heaps::is_whole() { heaps::named() } else { heaps::third_of_few() };
    let assertions =
        heaps.iter().map(|heap| format!("-D{}_ASSERT(x)=((x)?(void)0:__builtin_trap())", heap.name.upper()));
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"].map(str::to_owned);
    let flags: Vec<String> = sanitizers.into_iter().chain(assertions).collect();
    c_agrees(&heaps, &flags.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Without the builtins of a compiler: its own scans for bits, and loops that fill as on a machine without a library.
#[test]
fn c_follows_without_builtins() {
    let heaps = if heaps::is_whole() { heaps::named() } else { heaps::third_of_few() };
    let heaps = heaps.into_iter().filter(heaps::Heap::scans_bits).collect::<Vec<_>>();
    c_agrees(&heaps, &["-ffreestanding", "-U__GNUC__", "-U__unix__"]);
}

#[test]
fn c_of_32_bits_follows_them_too() {
    let mut heaps = heaps::named_or_few();
    heaps.extend(heaps::random(heaps::how_many(40), 1));
    c_agrees(&heaps, &["-m32"]);
}
