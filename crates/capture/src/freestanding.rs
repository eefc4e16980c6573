//! What a library that is compiled without the standard library must bring itself.

/// A panic handler that ends the process, in a library of its own; with the standard library, that one's.
///
/// The compiler's own `core` was built to unwind, and its tables name `rust_eh_personality`. Nothing
/// unwinds here, so nobody calls it; it is hidden, or programs in Rust would find this one
/// instead of their own.
#[macro_export]
macro_rules! freestanding {
    () => {
        #[cfg(not(heapsmith_library))]
        extern crate std;

        #[cfg(heapsmith_library)]
        core::arch::global_asm!(
            ".hidden rust_eh_personality",
            ".globl rust_eh_personality",
            "rust_eh_personality:",
            "ud2"
        );

        #[cfg(heapsmith_library)]
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            unsafe extern "C" {
                fn abort() -> !;
            }
            // SAFETY: ends the process.
            unsafe { abort() }
        }
    };
}
