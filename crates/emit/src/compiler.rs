//! The C compiler of this machine, and shared libraries that it makes of emitted C.
//!
//! | looked for | where |
//! |---|---|
//! | `$CC`, which may have arguments | as it says, and nothing else |
//! | `cc`, `gcc`, `clang` | in the folders of `$PATH`, in this order |
//!
//! Cost: half a second for a library, which is mostly the compiler's.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_output::Scratch;

use crate::File;

/// A compiler of C for this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// Why there is no library.
#[derive(Debug, thiserror::Error)]
pub enum CompilerError {
    /// No compiler is installed.
    #[error(
        "there is no C compiler: neither cc nor gcc nor clang is in a folder of PATH; install one (on Debian: build-essential)"
    )]
    None,
    /// The compiler that the environment names is not there.
    #[error("there is no C compiler {0:?}, which CC names: set CC to another one, or unset it")]
    Named(OsString),
    /// The compiler cannot be run.
    #[error("cannot run {}: {error}", program.display())]
    NotRun {
        /// The compiler.
        program: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The compiler refused.
    #[error("{} failed: {text}", program.display())]
    Failed {
        /// The compiler.
        program: PathBuf,
        /// What it said.
        text: String,
    },
    /// What it made is not for programs of this machine.
    #[error("{} compiles for another system: a library for Linux on x86-64 with the GNU C library was expected", program.display())]
    Other {
        /// The compiler.
        program: PathBuf,
    },
    /// There is no place to compile in.
    #[error("cannot write temporary files: {0}; set TMPDIR to another folder")]
    Scratch(io::Error),
}

/// The options of every library. The heaps' own, which the tests of emitted heaps compile with; this machine has no unit in hardware.
const SHARED: [&str; 5] = ["-std=c11", "-O2", "-fPIC", "-shared", "-DPAGE_UNIT_EMULATED"];

impl Compiler {
    /// The compiler that `CC` names, or one that is installed.
    ///
    /// # Errors
    ///
    /// [`CompilerError::None`] and [`CompilerError::Named`].
    pub fn find() -> Result<Compiler, CompilerError> {
        let Some(named) = env::var_os("CC").filter(|named| !named.is_empty()) else {
            let found = ["cc", "gcc", "clang"].iter().find_map(|name| executable(OsStr::new(name)));
            return found.map(|program| Compiler { program, arguments: Vec::new() }).ok_or(CompilerError::None);
        };
        let mut words = named.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let program = words.next().and_then(|program| executable(OsStr::from_bytes(program)));
        let arguments = words.map(|word| OsString::from_vec(word.to_owned())).collect();
        program.map(|program| Compiler { program, arguments }).ok_or(CompilerError::Named(named))
    }

    /// What tells it from others, and from itself before it was replaced: where it is, where its file really is, how long that
    /// is, and when it was changed.
    pub fn identity(&self) -> String {
        let real = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        let file = real.metadata().map(|file| (file.len(), file.mtime(), file.mtime_nsec())).ok();
        format!("{:?} {:?} {real:?} {file:?} {SHARED:?}", self.program, self.arguments)
    }

    /// The program that it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A shared library of `source`, which includes others of these files, compiled in a private folder. The same files give the
    /// same bytes.
    ///
    /// # Errors
    ///
    /// See [`CompilerError`].
    pub fn library(&self, files: &[File], source: &str, options: &[&str]) -> Result<Vec<u8>, CompilerError> {
        let scratch = Scratch::new().map_err(CompilerError::Scratch)?;
        for file in files {
            scratch.write(&file.name, &file.text).map_err(CompilerError::Scratch)?;
        }
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(SHARED).args(options).args(["-o", "library.so", source]);
        // Where functions of the dynamic linker are in a library of their own.
        let output = command.arg("-ldl").current_dir(scratch.path()).output();
        let program = || self.program.clone();
        let output = output.map_err(|error| CompilerError::NotRun { program: program(), error })?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(CompilerError::Failed { program: program(), text });
        }
        let bytes = match std::fs::read(scratch.path().join("library.so")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(CompilerError::Failed { program: program(), text: "it made no file".to_owned() });
            }
            read => read.map_err(CompilerError::Scratch)?,
        };
        if is_for_another_system(&bytes) { Err(CompilerError::Other { program: program() }) } else { Ok(bytes) }
    }
}

/// The file of a program's name, as the system finds it.
fn executable(name: &OsStr) -> Option<PathBuf> {
    let can_run =
        |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    if Path::new(name).components().count() > 1 {
        return std::path::absolute(name).ok().filter(can_run);
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(can_run)
}

/// Whether a library is certainly none for the programs of this system, which is known of Linux on x86-64 alone.
fn is_for_another_system(library: &[u8]) -> bool {
    // ELF of 64 bits, little-endian; and from byte 18 on the processor.
    let is_own = library.starts_with(b"\x7fELF\x02\x01") && library.get(18..20) == Some(&[62, 0]);
    cfg!(all(target_os = "linux", target_arch = "x86_64")) && !is_own
}
