//! What a library that is compiled without the standard library must bring itself.

// The compiler's own `core` was built to unwind, and its tables name this function. Nothing
// unwinds here, so nobody calls it; it is hidden, or programs in Rust would find this one
// instead of their own.
core::arch::global_asm!(".hidden rust_eh_personality", ".globl rust_eh_personality", "rust_eh_personality:", "ud2");

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn abort() -> !;
    }
    // SAFETY: ends the process.
    unsafe { abort() }
}
