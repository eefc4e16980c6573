//! The sizes of compiled C: text, data and bss for some processors, at `-Os` or another level.
//!
//! Source of the question: Peintner, Bukhatwa, Patel, Table 3.

use std::io;
use std::path::Path;
use std::process::Command;

/// A processor that firmware is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    compiler: &'static str,
    size: &'static str,
    flags: &'static [&'static str],
    package: &'static str,
}

impl Target {
    /// Whether its compiler and its `size` can be run.
    pub fn is_installed(&self) -> bool {
        let runs =
            |program| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        runs(self.compiler) && runs(self.size)
    }
}

/// A core of Arm's, with the compiler for all of them.
const fn arm(name: &'static str, flags: &'static [&'static str]) -> Target {
    Target { name, compiler: "arm-none-eabi-gcc", size: "arm-none-eabi-size", flags, package: "gcc-arm-none-eabi" }
}

/// The processors that firmware is measured for where none is named.
pub const TARGETS: [Target; 6] = [
    Target { name: "host", compiler: "cc", size: "size", flags: &[], package: "build-essential" },
    arm("Cortex-M0+", &["-mcpu=cortex-m0plus", "-mthumb"]),
    arm("Cortex-M3", &["-mcpu=cortex-m3", "-mthumb"]),
    arm("Cortex-M4", &["-mcpu=cortex-m4", "-mthumb"]),
    arm("Cortex-M33", &["-mcpu=cortex-m33", "-mthumb"]),
    Target {
        name: "RV32IMC",
        compiler: "riscv64-unknown-elf-gcc",
        size: "riscv64-unknown-elf-size",
        flags: &["-march=rv32imc", "-mabi=ilp32"],
        package: "gcc-riscv64-unknown-elf",
    },
];

/// The processor of small boards with words of 8 bits, which runs heaps of two-byte words.
pub const AVR: Target = Target {
    name: "AVR",
    compiler: "avr-gcc",
    size: "avr-size",
    flags: &["-mmcu=atmega2560"],
    package: "gcc-avr and avr-libc",
};

/// Bytes of an object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Code and constants.
    pub text: u64,
    /// Variables with a value.
    pub data: u64,
    /// Variables without one.
    pub bss: u64,
}

/// Why a size is not known.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// A program is missing.
    #[error("cannot run {program}: {source}; install it (on Debian: {package})")]
    Missing {
        /// The program.
        program: &'static str,
        /// The package that has it.
        package: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} failed: {text}")]
    Failed {
        /// The program.
        program: &'static str,
        /// What it said.
        text: String,
    },
}

/// Compiles `source`, a C file, for `target` at `-Os` into `object`, and measures that.
///
/// # Errors
///
/// The compiler is missing or fails.
pub fn size(target: &Target, source: &Path, object: &Path) -> Result<Size, SizeError> {
    size_at(target, "-Os", source, object)
}

/// The same at another level of optimisation: `-O0`.
///
/// # Errors
///
/// The compiler is missing or fails.
pub fn size_at(target: &Target, level: &str, source: &Path, object: &Path) -> Result<Size, SizeError> {
    compile(target, &[level], source, object)?;
    measure(target, object)
}

/// Bytes of these functions of `source` and of all that they call, at `-Os`: what a linker that drops sections keeps of it
/// in a program that calls no other.
///
/// # Errors
///
/// The compiler is missing or fails, or there is no such function.
pub fn size_of(target: &Target, functions: &[String], source: &Path, object: &Path) -> Result<Size, SizeError> {
    let whole = object.with_extension("sections.o");
    compile(target, &["-Os", "-ffunction-sections"], source, &whole)?;
    let mut link = Command::new(target.compiler);
    link.args(target.flags).args(["-r", "-nostdlib", "-Wl,--gc-sections"]);
    link.args(functions.iter().map(|function| format!("-Wl,--require-defined={function}")));
    output(link.arg(whole).arg("-o").arg(object), target.compiler, target.package)?;
    measure(target, object)
}

fn compile(target: &Target, options: &[&str], source: &Path, object: &Path) -> Result<(), SizeError> {
    let mut compile = Command::new(target.compiler);
    compile.args(["-std=c11", "-ffreestanding"]).args(options).args(["-c", "-o"]).arg(object);
    // A unit in hardware is reached by instructions that only RISC-V has.
    compile.args((!target.compiler.starts_with("riscv")).then_some("-DPAGE_UNIT_EMULATED"));
    output(compile.args(target.flags).arg(source), target.compiler, target.package)?;
    Ok(())
}

fn measure(target: &Target, object: &Path) -> Result<Size, SizeError> {
    let text = output(Command::new(target.size).arg(object), target.size, target.package)?;
    parse(&text).ok_or(SizeError::Failed { program: target.size, text })
}

/// What a command prints; an error that names the package of a program that is missing.
pub(crate) fn output(command: &mut Command, program: &'static str, package: &'static str) -> Result<String, SizeError> {
    let output = command.output().map_err(|source| SizeError::Missing { program, package, source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(SizeError::Failed { program, text: String::from_utf8_lossy(&output.stderr).into_owned() })
}

/// Reads the second line: `text data bss dec hex filename`.
fn parse(text: &str) -> Option<Size> {
    let mut numbers = text.lines().nth(1)?.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some(Size { text: next()?, data: next()?, bss: next()? })
}

#[cfg(test)]
mod tests {
    use super::{Size, parse};

    #[test]
    fn the_table_of_size_is_read() {
        let text = "   text\t   data\t    bss\t    dec\t    hex\tfilename\n   1384\t      4\t     16\t   1404\t    57c\theap.o\n";
        assert_eq!(parse(text), Some(Size { text: 1384, data: 4, bss: 16 }));
        assert_eq!(parse("nothing"), None);
    }
}
