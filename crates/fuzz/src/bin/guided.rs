//! The program that libFuzzer drives. `HEAPSMITH_FUZZ_TARGET` names the target.

#![no_main]

use std::panic::catch_unwind;

use heapsmith_fuzz::Target;
use heapsmith_trace::silence_damaged_files;
use libfuzzer_sys::fuzz_target;

/// The target that the environment names. libFuzzer's own hook ends the process at every panic, also at those of a library
/// that reading a trace file turns into errors: only a panic that leaves an attempt is a finding.
fn target() -> &'static Target {
    static CHOSEN: std::sync::OnceLock<&Target> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| {
        drop(std::panic::take_hook());
        silence_damaged_files();
        let name = std::env::var("HEAPSMITH_FUZZ_TARGET").unwrap_or_default();
        Target::named(&name).unwrap_or_else(|| {
            eprintln!("HEAPSMITH_FUZZ_TARGET names no target: {name:?}");
            std::process::exit(2)
        })
    })
}

fuzz_target!(|bytes: &[u8]| {
    let target = target();
    if catch_unwind(|| target.attempt(bytes)).is_err() {
        std::process::abort();
    }
});
