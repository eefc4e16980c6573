//! Firmware for a Cortex-M whose `alloc` is a heap of heapsmith, and which also has a pool for packets.
//!
//! ```text
//! rustup target add thumbv7m-none-eabi
//! cargo build --release --target thumbv7m-none-eabi
//! qemu-system-arm -M mps2-an385 -nographic -semihosting -kernel target/thumbv7m-none-eabi/release/cortex-m-heap
//! ```
//!
//! Interrupts may allocate: the lock of the heap is a critical section. A board's crate brings the vector
//! table, the linker script and the critical section; here they are as short as can be.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;

use heapsmith::lock::CriticalSection;
use heapsmith::{FixedSize, Global, Heap, StaticRegion, Tlsf};

/// The memory that `alloc` has.
static REGION: StaticRegion<16_384> = StaticRegion::new();
#[global_allocator]
static HEAP: Global<Tlsf, CriticalSection, 16_384> = Global::new(&REGION, Tlsf::new);

/// The memory of 16 packets.
static PACKETS: StaticRegion<{ 16 * 128 + 64 }> = StaticRegion::new();

unsafe extern "C" {
    // Ends of sections, as memory.x names them.
    static mut BSS_START: u32;
    static mut BSS_END: u32;
    static mut DATA_START: u32;
    static mut DATA_END: u32;
    static DATA_IN_FLASH: u32;
}

/// What the board does after a reset: statics get their values, then the program runs.
#[unsafe(no_mangle)]
pub extern "C" fn reset() -> ! {
    // SAFETY: the sections are this program's, and nothing uses a static yet.
    unsafe {
        let bss = (&raw mut BSS_END).offset_from_unsigned(&raw mut BSS_START);
        (&raw mut BSS_START).write_bytes(0, bss);
        let data = (&raw mut DATA_END).offset_from_unsigned(&raw mut DATA_START);
        (&raw mut DATA_START).copy_from_nonoverlapping(&raw const DATA_IN_FLASH, data);
    }
    run()
}

/// Allocates from both heaps.
fn run() -> ! {
    let Some(Ok(mut packets)) = PACKETS.take().map(|region| FixedSize::new(region, 128)) else { stop() };
    let mut sizes = Vec::new();
    for number in 0..100_u32 {
        let Some(packet) = packets.allocate(128, 4) else { stop() };
        sizes.push(number);
        // SAFETY: the packet came from this pool, and is freed once.
        unsafe { packets.deallocate(packet) };
    }
    let sound = HEAP.with(|heap| heap.check().is_ok() && heap.footprint_peak() <= 16_384);
    if sound != Some(true) || packets.check().is_err() || sizes.iter().sum::<u32>() != 4950 {
        stop();
    }
    exit(EXIT_SUCCESS)
}

fn stop() -> ! {
    panic!("out of memory, or a heap is broken")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(EXIT_FAILURE)
}

/// What semihosting takes for an application that ended well, and for one that did not.
const EXIT_SUCCESS: u32 = 0x2_0026;
const EXIT_FAILURE: u32 = 0x2_0023;

/// Ends the program under a debugger or an emulator.
fn exit(reason: u32) -> ! {
    loop {
        // SAFETY: asks the debugger to end the program (semihosting, SYS_EXIT).
        unsafe { core::arch::asm!("bkpt 0xAB", in("r0") 0x18, in("r1") reason) };
    }
}

/// The vector table's first two words: the stack's end and the reset handler.
#[unsafe(link_section = ".vectors")]
#[unsafe(no_mangle)]
pub static VECTORS: (u32, extern "C" fn() -> !) = (0x2001_0000, reset);

/// Masks interrupts, for one core.
struct Masked;
critical_section::set_impl!(Masked);

// SAFETY: with interrupts masked nothing else runs on the one core; what was masked before stays so.
unsafe impl critical_section::Impl for Masked {
    unsafe fn acquire() -> u32 {
        let masked: u32;
        // SAFETY: reads and sets the interrupt mask.
        unsafe { core::arch::asm!("mrs {}, PRIMASK", "cpsid i", out(reg) masked) };
        masked
    }

    unsafe fn release(masked: u32) {
        if masked & 1 == 0 {
            // SAFETY: interrupts were not masked when this section began.
            unsafe { core::arch::asm!("cpsie i") };
        }
    }
}
