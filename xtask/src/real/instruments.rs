//! The small programs in C that measure and witness, compiled once: `xtask/real/{measure,witness,count}.c`.

use std::path::{Path, PathBuf};

use crate::run::{root, run};

/// Paths of the compiled instruments.
pub struct Instruments {
    /// Starts a program and writes what it took.
    pub measure: PathBuf,
    /// A library that reports whose malloc a process calls.
    pub witness: PathBuf,
    /// A library that counts calls of malloc, over glibc.
    pub count: PathBuf,
}

impl Instruments {
    /// Compiles them into a folder.
    pub fn compile(folder: &Path) -> Result<Instruments, String> {
        let build = |name: &str, options: &[&str]| {
            let source = root().join("xtask/real").join(name).with_extension("c").display().to_string();
            let path = folder.join(name);
            let out = path.display().to_string();
            let arguments = [&["-O2", "-Wall", "-Wextra", "-Werror", "-o", &out, &source], options].concat();
            run("cc", &arguments).map(|()| path)
        };
        let library = ["-shared", "-fPIC", "-fno-builtin"];
        Ok(Instruments {
            measure: build("measure", &[])?,
            witness: build("witness", &library)?,
            count: build("count", &library)?,
        })
    }
}
