//! What the verbs need besides Rust, installed from the distribution's packages.

use std::path::{Path, PathBuf};

use crate::packages;
use crate::run::{Outcome, cargo, is_there, output, target};

/// A program or a file, and the Debian package that has it.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The program, with words before `--version` where it needs them, or the whole path of the file.
    pub name: &'static str,
    /// The package.
    pub package: &'static str,
    /// What it is needed for.
    pub why: &'static str,
}

/// The C compiler.
pub const CC: Tool =
    Tool { name: "cc", package: "build-essential", why: "to link, to build SQLite, and programs to record" };
/// The C++ compiler, which comes with the C compiler's package.
pub const CXX: Tool =
    Tool { name: "c++", package: "build-essential", why: "to build snmalloc, which we are compared with" };
/// What packs.
pub const XZ: Tool = Tool { name: "xz", package: "xz-utils", why: "to unpack the samples" };
/// Another.
pub const ZSTD: Tool = Tool { name: "zstd", package: "zstd", why: "to pack inputs of the hostile trial" };
/// Perl.
pub const PERL: Tool = Tool { name: "perl", package: "perl", why: "to record it" };
/// A browser.
pub const BROWSER: Tool = Tool { name: "chromium", package: "chromium", why: "to open the page as a reader would" };
/// The C library for programs of 32 bits: a file, as it brings no program.
pub const CC32: Tool =
    Tool { name: "/usr/lib32/libc.so.6", package: "gcc-multilib", why: "to link and run programs of 32 bits" };
/// Valgrind.
pub const VALGRIND: Tool = Tool {
    name: "valgrind",
    package: "valgrind",
    why: "to compare the counts of the recorder, and to see reads of unwritten memory",
};
/// Programs that the tests record.
pub const SQLITE: Tool = Tool { name: "sqlite3", package: "sqlite3", why: "to record it" };
/// Another.
pub const PYTHON: Tool = Tool { name: "python3", package: "python3", why: "to record it" };
/// Another.
pub const GIT: Tool = Tool { name: "git", package: "git", why: "to record it" };
/// Another.
pub const JQ: Tool = Tool { name: "jq", package: "jq", why: "to record it" };
/// The C compiler for programs that are linked statically.
pub const MUSL: Tool =
    Tool { name: "musl-gcc", package: "musl-tools", why: "to link a command that runs on any Linux" };
/// What builds images of container files and runs them, without a service of the machine.
pub const BUILDAH: Tool = Tool { name: "buildah", package: "buildah", why: "to build the image of the container file" };
/// What makes virtual environments: Debian keeps pip's part of it in a package of its own.
pub const VENV: Tool = Tool {
    name: "python3 -m ensurepip",
    package: "python3-venv",
    why: "to try the Python package in a fresh environment",
};
/// The Java compiler and virtual machine, without windows: 72 + 44 MB to load, 270 MB installed.
pub const JAVA: Tool =
    Tool { name: "javac", package: "default-jdk-headless", why: "to compile and record programs in Java" };
/// What loads files.
pub const CURL: Tool = Tool { name: "curl", package: "curl", why: "to load the Java programs that are recorded" };
/// What unpacks JAR files: a file, as it takes no `--version`.
pub const UNZIP: Tool = Tool { name: "/usr/bin/unzip", package: "unzip", why: "to unpack the Java programs" };
/// The second C compiler, for its warnings, and its linter.
pub const CLANG: Tool = Tool { name: "clang", package: "clang", why: "to compile what is emitted, for its warnings" };
/// Its linter.
pub const CLANG_TIDY: Tool = Tool { name: "clang-tidy", package: "clang-tidy", why: "to look over what is emitted" };
/// Another linter, which knows the rules of MISRA.
pub const CPPCHECK: Tool = Tool { name: "cppcheck", package: "cppcheck", why: "to look over what is emitted" };
/// The compiler for firmware.
pub const ARM: Tool =
    Tool { name: "arm-none-eabi-gcc", package: "gcc-arm-none-eabi", why: "to compile what is emitted for firmware" };
/// The same for RISC-V.
pub const RISCV: Tool = Tool {
    name: "riscv64-unknown-elf-gcc",
    package: "gcc-riscv64-unknown-elf",
    why: "to compile what is emitted for RISC-V",
};
/// The C library that firmware is compared with: a file, as it brings no program.
pub const NEWLIB: Tool = Tool {
    name: "/usr/lib/arm-none-eabi/newlib/libc.a",
    package: "libnewlib-arm-none-eabi",
    why: "to compare its malloc with what is emitted",
};
/// Another C library for firmware: a file, as it brings no program.
pub const PICOLIBC: Tool = Tool {
    name: "/usr/lib/picolibc/arm-none-eabi/lib/libc.a",
    package: "picolibc-arm-none-eabi",
    why: "to run programs with it on what is emitted",
};
/// The library of C++ for firmware: a file, as it brings no program, of the version that its compiler has.
pub const ARM_CXX: Tool = Tool {
    name: "/usr/lib/arm-none-eabi/newlib/libstdc++.a",
    package: "libstdc++-arm-none-eabi-newlib",
    why: "to compile C++ on what is emitted for firmware",
};
/// The compiler for the smallest machines.
pub const AVR: Tool =
    Tool { name: "avr-gcc", package: "gcc-avr", why: "to compile what is emitted where int has 16 bits" };
/// Their C library, for its headers: a file, as it brings no program.
pub const AVR_LIBC: Tool = Tool {
    name: "/usr/lib/avr/include/avr/io.h",
    package: "avr-libc",
    why: "to compile what is emitted where int has 16 bits",
};
/// The emulator of these machines.
pub const SIMAVR: Tool = Tool { name: "/usr/bin/simavr", package: "simavr", why: "to run what is emitted on them" };
/// A compiler for words that begin with their highest byte.
pub const POWERPC: Tool = Tool {
    name: "powerpc-linux-gnu-gcc",
    package: "gcc-powerpc-linux-gnu",
    why: "to compile what is emitted for processors of big endian",
};
/// The emulator of programs for it.
pub const QEMU_USER: Tool =
    Tool { name: "qemu-ppc", package: "qemu-user", why: "to run programs of processors of big endian" };
/// The emulator that firmware runs in.
pub const QEMU: Tool = Tool { name: "qemu-system-arm", package: "qemu-system-arm", why: "to run firmware" };
/// What some build their firmware with.
pub const CMAKE: Tool = Tool { name: "cmake", package: "cmake", why: "to build the examples as their users would" };
/// What others build it with.
pub const MAKE: Tool = Tool { name: "make", package: "make", why: "to build the examples as their users would" };
/// The validator of XML.
pub const XMLLINT: Tool =
    Tool { name: "xmllint", package: "libxml2-utils", why: "to validate JUnit reports against their schema" };
/// The validator of JSON, for Debian's own Python: a file, as it brings no program.
pub const JSON_SCHEMA: Tool = Tool {
    name: "/usr/lib/python3/dist-packages/jsonschema/__init__.py",
    package: "python3-jsonschema",
    why: "to validate SARIF reports against their schema",
};

/// The simulator of hardware, which makes a C++ program of it.
pub const VERILATOR: Tool =
    Tool { name: "/usr/bin/verilator", package: "verilator", why: "to lint and simulate the search unit" };
/// Another simulator, for its opinion of the source.
pub const ICARUS: Tool = Tool { name: "/usr/bin/iverilog", package: "iverilog", why: "to lint the search unit" };
/// The synthesiser.
pub const YOSYS: Tool =
    Tool { name: "/usr/bin/yosys", package: "yosys", why: "to count the unit's gates and prove its parts" };
/// What takes a program out of its file.
pub const OBJCOPY: Tool =
    Tool { name: "llvm-objcopy", package: "llvm", why: "to load a program into the simulated core" };
/// The linker for programs that run on a simulated core.
pub const LLD: Tool = Tool { name: "/usr/bin/ld.lld", package: "lld", why: "to link a program for the simulated core" };
/// The package manager that has the simulated core.
pub const PIP: Tool = Tool { name: "pip3", package: "python3-pip", why: "to fetch the core that the unit is tried in" };

/// What simulations of hardware need.
pub const SIMULATION: [Tool; 4] = [CXX, MAKE, VERILATOR, ICARUS];

/// What the benchmark of recording is compared with.
pub const HEAPTRACK: Tool = Tool { name: "heaptrack", package: "heaptrack", why: "to compare with" };

impl Tool {
    /// Whether it is installed.
    pub fn is_there(&self) -> bool {
        if self.name.starts_with('/') { Path::new(self.name).exists() } else { is_there(self.name) }
    }
}

/// Installs what is missing of `tools`, or says what to install.
pub fn install(tools: &[Tool]) -> Outcome {
    let missing = obtain(tools);
    if missing.is_empty() {
        return Ok(());
    }
    let reasons: Vec<String> =
        missing.iter().map(|(tool, why)| format!("{} {} ({why})", tool.name, tool.why)).collect();
    Err(format!("this verb needs {}: install them as root", reasons.join(", ")))
}

/// Installs what is missing of `tools` in one call; gives what cannot be had, each with why.
pub fn obtain(tools: &[Tool]) -> Vec<(Tool, String)> {
    let absent: Vec<Tool> = tools.iter().filter(|tool| !tool.is_there()).copied().collect();
    let mut names: Vec<&str> = absent.iter().map(|tool| tool.package).collect();
    names.sort_unstable();
    names.dedup();
    let refused = packages::install_some(&names);
    let why = |tool: &Tool| {
        let refused = refused.iter().find(|(package, _)| *package == tool.package);
        refused.map_or_else(|| format!("the package {} does not have it", tool.package), |(_, why)| why.clone())
    };
    absent.into_iter().filter(|tool| !tool.is_there()).map(|tool| (tool, why(&tool))).collect()
}

/// Installs Rust's library for a target.
pub fn install_target(target: &str) -> Outcome {
    output("rustup", &["target", "add", target])
        .map(drop)
        .map_err(|error| format!("{error}\nthe tests need Rust's library for {target}: rustup target add {target}"))
}

/// Builds the command in the profile of the tests; gives its path.
pub fn command() -> Result<PathBuf, String> {
    cargo(&["build", "--package", "heapsmith-cli"])?;
    Ok(target().join("debug/heapsmith"))
}
