//! A program of C on an emulated Cortex-M3, whose clock counts instructions.
//!
//! ```text
//!   sources ──▶ arm-none-eabi-gcc ──▶ program ──▶ qemu-system-arm -icount ──▶ what it prints
//!     + board.c: start, SysTick, semihosting (examples/firmware)
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::size::{SizeError, output};

/// Nanoseconds that an instruction takes in the emulator: 2 to the power that its option `-icount` names.
pub const NANOSECONDS_PER_INSTRUCTION: u32 = 1 << 7;
/// Nanoseconds of a tick of the board's clock, of 25 MHz.
pub const NANOSECONDS_PER_TICK: u32 = 40;

/// The files of the board; `board.h` says what a program has of it.
pub const BOARD: [(&str, &str); 3] = [
    ("board.c", include_str!("../../../examples/firmware/board.c")),
    ("board.h", include_str!("../../../examples/firmware/board.h")),
    ("mps2-an385.ld", include_str!("../../../examples/firmware/mps2-an385.ld")),
];

/// Compiles `sources` and the board's files, all of which are in `dir`, at `-Os`, runs the program and returns what it
/// printed.
///
/// # Errors
///
/// The compiler or the emulator is missing or failed.
pub fn run(dir: &Path, sources: &[&str]) -> Result<String, SizeError> {
    let program = dir.join("program.elf");
    let mut compile = Command::new("arm-none-eabi-gcc");
    compile.args([
        "-std=c11",
        "-Os",
        "-mcpu=cortex-m3",
        "-mthumb",
        "-ffreestanding",
        "-nostdlib",
        "-ffunction-sections",
        // It has no unit in hardware.
        "-DPAGE_UNIT_EMULATED",
    ]);
    compile.args(["-Wl,--gc-sections", "-T"]).arg(dir.join("mps2-an385.ld")).arg("-o").arg(&program);
    let sources: Vec<PathBuf> = sources.iter().chain([&"board.c"]).map(|name| dir.join(name)).collect();
    output(compile.args(sources).arg("-lgcc"), "arm-none-eabi-gcc", "gcc-arm-none-eabi")?;
    let mut emulator = Command::new("qemu-system-arm");
    emulator.args(["-machine", "mps2-an385", "-display", "none", "-monitor", "none", "-serial", "none"]);
    emulator.args(["-icount", "shift=7", "-chardev", "stdio,id=host"]);
    emulator.args(["-semihosting-config", "enable=on,target=native,chardev=host", "-kernel"]);
    output(emulator.arg(&program), "qemu-system-arm", "qemu-system-arm")
}
