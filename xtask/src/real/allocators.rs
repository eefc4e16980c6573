//! What the programs run on: the C library's allocator, reference allocators, and heaps of heapsmith.
//!
//! A heap comes before a program in one of two ways:
//!
//! | way | library | options of the spec |
//! |---|---|---|
//! | `emit` | `heapsmith emit SPEC --lang so`: one heap, one lock, lists of threads before it | all but `threads=each` |
//! | `run` | `heapsmith run --heap SPEC`: the command's own library | all |

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use super::program::Program;
use super::witness::Expected;
use crate::run::{output, root, target};
use crate::tools::{self, Tool};

/// How a heap comes before a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// A library is emitted for each spec
    Emit,
    /// `heapsmith run`
    Run,
}

/// A heap of heapsmith.
struct Heap {
    name: &'static str,
    spec: &'static str,
    /// Whether its spec says what becomes of threads, which only programs with threads show.
    threads: bool,
    quick: bool,
    /// Whether it is run only where it is named, or where everything is small.
    named: bool,
}

/// Spans with a list through what is free, before a tree, shared by threads in this way.
macro_rules! spans {
    ($threads:literal) => {
        concat!(
            "spans(16..=112 step 16,128..=8192 double(4), span=65536, empty=keep(1)) ",
            "tree(red-black, fit=best, split=always, coalesce=immediate) word=8 align=16 threads=",
            $threads
        )
    };
}

/// The same with bitmaps outside.
macro_rules! bitmaps {
    ($threads:literal) => {
        concat!(
            "spans(16..=112 step 16,128..=14336 double(4), span=65536, free=bitmap, next=lowest, metadata=outside) ",
            "tree(red-black, fit=best, split=always, coalesce=immediate) word=8 align=16 threads=",
            $threads
        )
    };
}

/// Payloads aligned to 16 bytes, as programs expect of malloc; words of 4 bytes reach over 4 GiB.
const HEAPS: &[Heap] = &[
    Heap::one("lists", "freelists(16..=512 step 16) bins(log) word=4 align=16").quickly(),
    Heap::one("tlsf", "tlsf(second-level=5) word=4 align=16").quickly(),
    // What `pick --prefer speed` says of SQLite's run.
    Heap::one("lists-lea", "freelists(24..=264 step 16) bins(lea) word=8 align=16"),
    Heap::one("lists-purge", "freelists(24..=264 step 16) bins(lea) word=8 align=16 purge=after(262144)"),
    Heap::one("spans", "mimalloc-like"),
    Heap::one("lists-lists", "freelists(16..=512 step 16) bins(log) word=4 align=16 threads=lists"),
    Heap::one("tlsf-lists", "freelists(16..=512 step 16) tlsf(second-level=5) word=4 align=16 threads=lists"),
    Heap::one("spans-lists", spans!("lists")),
    Heap::one("bitmaps-lists", bitmaps!("lists")),
    Heap::threads("spans-owned", spans!("owned")),
    Heap::threads("bitmaps-owned", bitmaps!("owned")),
    Heap::threads("lists-each", "freelists(16..=512 step 16) bins(log) word=4 align=16 threads=each")
        .if_named()
        .quickly(),
    Heap::threads("tlsf-each", "tlsf(second-level=5) word=4 align=16 threads=each").if_named(),
    Heap::one("every-size", "freelists(12..=1020 step 16) bins(log) word=4 align=16").if_named(),
    Heap::one("tree", "tree(red-black, fit=best) word=4 align=16").if_named(),
    Heap::one("pages", "pages(page=4096, min=16, search=word) word=8 align=16").if_named().quickly(),
    Heap::one("estranged", "buddy(estranged) word=4 align=16").if_named(),
    // The catalogue's lea-2.7.2, aligned as malloc is.
    Heap::one("lea", "bins(lea, order=size, split=always, coalesce>=69) word=4 align=16").if_named(),
    // What the levels of a guard cost.
    Heap::one("guard-off", "guard(quarantine=16, pages=off) tlsf(second-level=5) word=4 align=16").if_named(),
    Heap::one("guard", "guard(quarantine=16) tlsf(second-level=5) word=4 align=16").if_named(),
    Heap::one("guard-all", "guard(quarantine=16, pages=all) tlsf(second-level=5) word=4 align=16").if_named(),
];

impl Heap {
    const fn one(name: &'static str, spec: &'static str) -> Heap {
        Heap { name, spec, threads: false, quick: false, named: false }
    }

    const fn threads(name: &'static str, spec: &'static str) -> Heap {
        Heap { threads: true, ..Heap::one(name, spec) }
    }

    const fn if_named(self) -> Heap {
        Heap { named: true, ..self }
    }

    const fn quickly(self) -> Heap {
        Heap { quick: true, ..self }
    }
}

/// Reference allocators: a name, and a library of the distribution's packages.
const PEERS: &[(&str, Tool)] = &[
    ("jemalloc", peer("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "libjemalloc2")),
    ("mimalloc", peer("/usr/lib/x86_64-linux-gnu/libmimalloc.so.2", "libmimalloc2.0")),
    ("tcmalloc", peer("/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4", "libtcmalloc-minimal4")),
];

const fn peer(name: &'static str, package: &'static str) -> Tool {
    Tool { name, package, why: "to compare with" }
}

/// The name of the allocator that all are compared with.
pub const GLIBC: &str = "glibc";

/// An allocator that can be put before a program.
pub struct Allocator {
    /// What it is called in tables.
    pub name: &'static str,
    /// The spec, if it is a heap of heapsmith.
    pub spec: Option<&'static str>,
    /// Whether it is only for programs with threads.
    pub threads: bool,
    /// The library to preload, if there is one to name.
    pub library: Option<PathBuf>,
    /// A command before the program's, that preloads.
    pub before: Vec<String>,
    /// Whose malloc the program must call.
    pub expected: Expected,
}

/// Which allocators are wanted.
pub struct Wanted<'a> {
    /// Fewer of them.
    pub quick: bool,
    /// How heaps come before programs; what the command can do where nothing is said.
    pub way: Option<Way>,
    /// The command `heapsmith`; built by default.
    pub command: Option<&'a Path>,
    /// Names of heaps; all of them by default.
    pub only: &'a [String],
}

/// The C library, the baseline, which also replaces the allocator of a program that brings its own.
pub fn c_library() -> Result<PathBuf, String> {
    let path = output("cc", &["-print-file-name=libc.so.6"])?;
    Path::new(path.trim()).canonicalize().map_err(|error| format!("cannot find the C library {path}: {error}"))
}

/// Makes all allocators that are wanted ready, glibc first; emitted libraries go to `folder`.
pub fn ready(wanted: &Wanted, folder: &Path) -> Result<Vec<Allocator>, String> {
    let c_library = c_library()?;
    let plain = |name, library: Option<PathBuf>, expected| Allocator {
        name,
        spec: None,
        threads: false,
        library,
        before: Vec::new(),
        expected: Expected::Library(expected),
    };
    let mut all = vec![plain(GLIBC, None, c_library)];
    if !wanted.quick {
        tools::install(&PEERS.iter().map(|(_, tool)| *tool).collect::<Vec<_>>())?;
        for (name, tool) in PEERS {
            let library = Path::new(tool.name);
            let real = library.canonicalize().map_err(|error| format!("cannot find {}: {error}", tool.name))?;
            all.push(plain(name, Some(library.to_owned()), real));
        }
    }
    let command = match wanted.command {
        Some(command) => command.to_owned(),
        // What it preloads or emits is optimised whatever the profile of the command itself is.
        None => tools::command()?,
    };
    let command = command.canonicalize().map_err(|error| format!("cannot find {}: {error}", command.display()))?;
    let way = wanted.way.unwrap_or_else(|| if can_run(&command) { Way::Run } else { Way::Emit });
    for heap in HEAPS.iter().filter(|heap| heap.is(wanted)) {
        if heap.spec.ends_with("threads=each") && way == Way::Emit {
            eprintln!("xtask: NOT RUN: {}, as an emitted library has one heap", heap.name);
            continue;
        }
        all.push(heap.ready(way, &command, folder)?);
    }
    Ok(all)
}

/// Whether this command has `run` already.
fn can_run(command: &Path) -> bool {
    Command::new(command).args(["run", "--help"]).output().is_ok_and(|output| output.status.success())
}

impl Allocator {
    /// Whether it suits a program: a heap that says nothing of threads has one lock, which is no allocator for a test of those.
    pub fn suits(&self, program: &Program) -> bool {
        let shares = self.spec.is_none_or(|spec| spec.contains("threads="));
        (program.threads || !self.threads) && (shares || !program.benchmark)
    }
}

impl Heap {
    fn is(&self, wanted: &Wanted) -> bool {
        if !wanted.only.is_empty() {
            return wanted.only.iter().any(|name| name == self.name);
        }
        if wanted.quick { self.quick } else { !self.named }
    }

    fn ready(&self, way: Way, command: &Path, folder: &Path) -> Result<Allocator, String> {
        let command = command.display().to_string();
        let (library, before, expected) = match way {
            Way::Run => {
                let before = [&command, "run", "--heap", self.spec, "--"];
                (None, before.map(str::to_owned).to_vec(), Expected::Run)
            }
            Way::Emit => {
                let library = self.emit(&command, folder)?;
                (Some(library.clone()), Vec::new(), Expected::Library(library))
            }
        };
        Ok(Allocator { name: self.name, spec: Some(self.spec), threads: self.threads, library, before, expected })
    }

    fn emit(&self, command: &str, folder: &Path) -> Result<PathBuf, String> {
        let name = format!("real_{}", self.name.replace('-', "_"));
        let folder = folder.join(self.name);
        output(command, &["emit", self.spec, "--lang", "so", "--name", &name, "-o", &folder.display().to_string()])?;
        let library = folder.join(format!("lib{name}.so"));
        library.canonicalize().map_err(|error| format!("{} was not emitted: {error}", library.display()))
    }
}

/// Names of all heaps, for messages.
pub fn names() -> String {
    HEAPS.iter().map(|heap| heap.name).collect::<Vec<_>>().join(", ")
}

/// Refuses names that no heap has.
pub fn known(only: &[String]) -> Result<(), String> {
    match only.iter().find(|name| !HEAPS.iter().any(|heap| heap.name == name.as_str())) {
        None => Ok(()),
        Some(name) => Err(format!("there is no heap {name}: {}", names())),
    }
}

/// Where emitted libraries, inputs and instruments lie.
pub fn folder() -> PathBuf {
    let target = target();
    // Programs run in folders of their own, so every path is a whole one.
    if target.is_absolute() { target } else { root().join(target) }.join("real")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_has_the_spec_of_every_heap_that_it_names() {
        let guide = std::fs::read_to_string(root().join("docs/programs.md")).expect("a guide");
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = guide.lines().filter(|line| line.starts_with('|')).map(cells).collect();
        for heap in HEAPS {
            let (name, spec) = (format!("`{}`", heap.name), format!("`{}`", heap.spec));
            if rows.iter().any(|row| row.get(2) == Some(&name)) {
                let row = format!("| {name} | {spec} |");
                assert!(guide.lines().any(|line| line == row), "docs/programs.md has to have this row: {row}");
            }
        }
    }
}
