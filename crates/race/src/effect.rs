//! Whether a preloaded reference allocator serves a program, as the dynamic linker tells.
//!
//! ```text
//!   LD_DEBUG=bindings ─▶ FILE.PID:  binding file ./server [0] to …/libjemalloc.so.2 [0]: normal symbol `malloc'
//! ```
//!
//! glibc's linker says which library each symbol was bound to (ld.so(8), `LD_DEBUG`). What it says is read of the process that was started
//! alone, under whatever names it became. It costs the run time, so it is asked in the trial, which is not measured.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The symbols that show whose allocator it is.
const SYMBOLS: [&str; 4] = ["malloc", "calloc", "realloc", "free"];

/// Asks the linker to tell, in a folder.
pub fn ask(command: &mut Command, folder: &Path) {
    command.env("LD_DEBUG", "bindings").env("LD_DEBUG_OUTPUT", folder.join("bindings"));
}

/// What the linker told of a process.
pub struct Bindings(Vec<(PathBuf, String)>);

impl Bindings {
    /// What it wrote in a folder about a process; none where it wrote nothing, as of a program that is linked statically.
    pub fn of(folder: &Path, process: u32) -> Option<Bindings> {
        let text = std::fs::read(folder.join(format!("bindings.{process}"))).ok()?;
        Some(Bindings::parse(&String::from_utf8_lossy(&text)))
    }

    fn parse(text: &str) -> Bindings {
        let binding = |line: &str| {
            let (_, remainder) = line.split_once("binding file ")?;
            let (from, remainder) = remainder.split_once(" to ")?;
            let (to, symbol) = remainder.split_once(": normal symbol `")?;
            let file = |text: &str| PathBuf::from(text.rsplit_once(" [").map_or(text, |(file, _)| file));
            let symbol = symbol.split('\'').next()?.to_owned();
            // A library's calls of its own functions say nothing of the program.
            (file(from) != file(to) && SYMBOLS.contains(&symbol.as_str())).then(|| (file(to), symbol))
        };
        Bindings(text.lines().filter_map(binding).collect())
    }

    /// Whether a library serves `malloc`.
    pub fn are_to(&self, library: &Path) -> bool {
        let real = library.canonicalize().unwrap_or_else(|_| library.to_owned());
        let is_it = |file: &Path| file == library || file.canonicalize().is_ok_and(|file| file == real);
        self.0.iter().any(|(file, symbol)| symbol == "malloc" && is_it(file))
    }

    /// The libraries that serve `malloc`, but for the linker's own.
    pub fn serving(&self) -> Vec<&Path> {
        let mut files: Vec<&Path> = Vec::new();
        for (file, symbol) in &self.0 {
            let is_linker = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux"));
            if symbol == "malloc" && !is_linker && !files.contains(&file.as_path()) {
                files.push(file);
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "\
       812:\tbinding file /lib64/ld-linux-x86-64.so.2 [0] to /lib/x86_64-linux-gnu/libc.so.6 [0]: normal symbol `malloc' [GLIBC_2.2.5]
       812:\tbinding file sort [0] to /lib/x86_64-linux-gnu/libjemalloc.so.2 [0]: normal symbol `malloc' [GLIBC_2.2.5]
       812:\tbinding file sort [0] to /lib/x86_64-linux-gnu/libc.so.6 [0]: normal symbol `puts' [GLIBC_2.2.5]
       812:\tbinding file /lib/libjemalloc.so.2 [0] to /lib/libjemalloc.so.2 [0]: normal symbol `free'
";

    #[test]
    fn the_linker_tells_whose_malloc_it_is() {
        let bindings = Bindings::parse(TOLD);
        assert!(bindings.are_to(Path::new("/lib/x86_64-linux-gnu/libjemalloc.so.2")));
        assert!(!bindings.are_to(Path::new("/lib/libmimalloc.so.2")));
        let serving: Vec<_> = bindings.serving().iter().map(|file| file.display().to_string()).collect();
        assert_eq!(serving, ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libjemalloc.so.2"]);
    }
}
