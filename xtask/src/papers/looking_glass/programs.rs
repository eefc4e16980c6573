//! The programs: how each is compiled and run.

use std::path::Path;
use std::process::Command;

use crate::run::{Outcome, root, run, target};

/// A program that allocates, and frees half at random.
pub struct Program {
    /// The allocator.
    pub name: &'static str,
    /// The largest size that it asks for after the first request.
    pub asks: u64,
    /// What allocates.
    pub allocator: Allocator,
}

/// Where an allocator is from.
pub enum Allocator {
    /// The authors' files in a folder of theirs, with the options of its makefile.
    Theirs {
        /// The folder.
        folder: &'static str,
        /// Files but the tester.
        files: &'static [&'static str],
        /// The tester, and what it asks for after the first request.
        tester: (&'static str, u64),
        /// Of the allocator.
        options: &'static [&'static str],
        /// What allocates and what frees.
        functions: [&'static str; 2],
    },
    /// A heap of this project as C, in the tester of the implicit list.
    Ours {
        /// Its spec.
        spec: &'static str,
        /// As those of the allocator that it is compared with.
        options: &'static [&'static str],
    },
}

const IMPLICIT: Allocator = Allocator::Theirs {
    folder: "LinkedList",
    files: &["mymalloc.c"],
    tester: ("tester.c", 1024),
    options: &[],
    functions: ["mymalloc", "myfree"],
};
const EXPLICIT: Allocator = Allocator::Theirs {
    folder: "FreeList",
    files: &["malloc_freelist.c"],
    tester: ("malloc_test.c", 1024),
    options: &[],
    functions: ["fl_malloc", "fl_free"],
};
const MALLOC: Allocator = Allocator::Theirs {
    folder: "malloc",
    files: &[],
    tester: ("tester.c", 1024),
    options: &[],
    functions: ["malloc", "free"],
};
const TREE_FILES: &[&str] = &[
    "rbmalloc.c",
    "rbfree.c",
    "fusion.c",
    "get_heap.c",
    "rbtree/insert.c",
    "rbtree/rotate.c",
    "rbtree/insert_utils.c",
    "rbtree/remove.c",
    "rbtree/flip_color.c",
    "rbtree/remove_utils.c",
];
const TREE: Allocator = tree(&["-O3"]);
/// Its best fit, which is in the source and not compiled by the makefile.
const BEST_FIT_TREE: Allocator = tree(&["-O3", "-DFIND_BEST"]);

const fn tree(options: &'static [&'static str]) -> Allocator {
    Allocator::Theirs {
        folder: "RedBlackTree",
        files: TREE_FILES,
        tester: ("tester.c", 32),
        options,
        functions: ["rbmalloc", "rbfree"],
    }
}

/// A heap of this project, of which a list is compiled as the lists are and a tree as the tree is.
const fn ours(spec: &'static str, options: &'static [&'static str]) -> Allocator {
    Allocator::Ours { spec, options }
}

const OUR_IMPLICIT: &str = "list(order=implicit, fit=first, split=always, coalesce=immediate)";
const OUR_EXPLICIT: &str = "list(order=address, fit=first, split=always, coalesce=immediate)";
const OUR_LIFO: &str = "list(order=lifo, fit=first, split=always, coalesce=immediate)";
const OUR_TREE: &str = "tree(red-black, fit=best, split=always, coalesce=immediate)";

/// All of them. The first four are as published.
pub const PROGRAMS: &[Program] = &[
    Program { name: "implicit", asks: 1024, allocator: IMPLICIT },
    Program { name: "explicit", asks: 1024, allocator: EXPLICIT },
    Program { name: "tree", asks: 32, allocator: TREE },
    Program { name: "malloc", asks: 1024, allocator: MALLOC },
    Program { name: "tree", asks: 1024, allocator: TREE },
    Program { name: "malloc", asks: 32, allocator: MALLOC },
    Program { name: "tree-best-fit", asks: 1024, allocator: BEST_FIT_TREE },
    Program { name: "our-implicit", asks: 1024, allocator: ours(OUR_IMPLICIT, &[]) },
    Program { name: "our-explicit", asks: 1024, allocator: ours(OUR_EXPLICIT, &[]) },
    Program { name: "our-explicit-lifo", asks: 1024, allocator: ours(OUR_LIFO, &[]) },
    Program { name: "our-tree", asks: 1024, allocator: ours(OUR_TREE, &["-O3"]) },
    Program { name: "our-tree", asks: 32, allocator: ours(OUR_TREE, &["-O3"]) },
    Program { name: "our-linear", asks: 1024, allocator: ours("bump", &["-O3"]) },
];

/// The name of a program's file; the one that says what was asked for has `-traced` after it.
pub fn file(name: &str, asks: u64) -> String {
    format!("{name}-{asks}")
}

/// The folder of the C that is linked with the originals.
pub fn glue() -> String {
    root().join("xtask/src/papers/looking_glass").display().to_string()
}

/// Writes a heap of this project as C into a folder.
pub fn emit(spec: &str, out: &str) -> Outcome {
    let command = target().join("debug/heapsmith").display().to_string();
    run(&command, &["emit", spec, "--lang", "c", "--name", "ours", "--out", out])
}

impl Program {
    /// What allocates and what frees.
    pub fn functions(&self) -> [&'static str; 2] {
        match self.allocator {
            Allocator::Theirs { functions, .. } => functions,
            Allocator::Ours { .. } => ["mymalloc", "myfree"],
        }
    }

    /// Compiles it twice: as it is, and traced.
    pub fn compile(&self, files: &Path, folder: &Path) -> Outcome {
        let objects = folder.join(file(self.name, self.asks) + "-objects");
        super::empty(&objects)?;
        let (from, tester, published) = match self.allocator {
            Allocator::Theirs { folder, tester, .. } => (files.join(folder), tester.0, tester.1),
            Allocator::Ours { .. } => (files.join("LinkedList"), "tester.c", 1024),
        };
        let mut parts = self.parts(&from, &objects)?;
        let path = from.join(tester);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let tester = objects.join("tester-asks.c");
        std::fs::write(&tester, asking(&text, published, self.asks)?).map_err(|error| error.to_string())?;
        let include = format!("-I{}", from.display());
        parts.push(object(&objects, &tester.display().to_string(), &["-include", "glue.h", &include])?);
        self.link(&parts, &folder.join(file(self.name, self.asks)))
    }

    /// The allocator's object files.
    fn parts(&self, from: &Path, objects: &Path) -> Result<Vec<String>, String> {
        match self.allocator {
            Allocator::Theirs { files, options, .. } => {
                let include = format!("-I{}", from.display());
                let options = [options, &[&include]].concat();
                files.iter().map(|file| object(objects, &from.join(file).display().to_string(), &options)).collect()
            }
            Allocator::Ours { spec, options } => {
                let out = objects.display().to_string();
                emit(spec, &out)?;
                let include = format!("-I{out}");
                let options = [options, &[&include]].concat();
                let [heap, glue] = [format!("{out}/ours.c"), format!("{}/ours_glue.c", glue())];
                Ok(vec![object(objects, &heap, &options)?, object(objects, &glue, &options)?])
            }
        }
    }

    fn link(&self, parts: &[String], program: &Path) -> Outcome {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let out = program.display().to_string();
        let seed = format!("{}/seed.c", glue());
        let clock = "-Wl,--wrap=clock_gettime";
        run("cc", &[parts.as_slice(), &[&seed, clock, "-o", &out]].concat())?;
        let [allocate, free] = self.functions();
        let wraps = [allocate, free].map(|name| format!("-Wl,--wrap={name}"));
        let names = [format!("-DALLOCATE={allocate}"), format!("-DFREE={free}")];
        let traced = [out.clone() + "-traced", format!("{}/traced.c", glue())];
        let more = [&seed, clock, &traced[1], &names[0], &names[1], &wraps[0], &wraps[1], "-o", &traced[0]];
        run("cc", &[parts.as_slice(), &more].concat())
    }
}

/// The tester with another largest size: the line that draws the size of every request but the first.
fn asking(text: &str, published: u64, asks: u64) -> Result<String, String> {
    let line = |size: u64| format!("rand()%{size} + 1;\n\t\tr = ");
    let line_in = |size: u64| line(size).replace("\t\t", "    ");
    let found = [line(published), line_in(published)].into_iter().zip([line(asks), line_in(asks)]);
    let found = found.into_iter().find(|(old, _)| text.matches(old.as_str()).count() == 1);
    found.map(|(old, new)| text.replace(&old, &new)).ok_or_else(|| "the tester draws no size as it did".to_owned())
}

/// Compiles a file, with warnings off: the originals are as they are.
fn object(objects: &Path, file: &str, options: &[&str]) -> Result<String, String> {
    let stem = Path::new(file).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let object = objects.join(stem + ".o").display().to_string();
    let include = format!("-I{}", glue());
    run("cc", &[&["-w", &include, "-c", file, "-o", &object], options].concat())?;
    Ok(object)
}

/// Runs a program with a seed: the microseconds that it prints.
pub fn took(program: &Path, requests: u64, seed: u64) -> Result<f64, String> {
    let output =
        Command::new(program).args([requests.to_string(), "1".to_owned()]).env("SEED", seed.to_string()).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    let milliseconds = String::from_utf8_lossy(&output.stdout).trim().parse::<f64>();
    milliseconds.map(|ms| (ms * 1e6).round() / 1e3).map_err(|error| format!("{}: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_later_requests_ask_for_another_size() {
        let text = "s = rand()%1024 + 1;\nq = malloc(s);\n\t\ts = rand()%1024 + 1;\n\t\tr = rand() % 7;\n";
        let other = asking(text, 1024, 32).expect("the line is there");
        assert_eq!(other, text.replace("%1024 + 1;\n\t\tr", "%32 + 1;\n\t\tr"));
        assert!(asking(text, 32, 1024).is_err());
    }

    #[test]
    fn programs_are_told_apart() {
        let mut names: Vec<String> = PROGRAMS.iter().map(|program| file(program.name, program.asks)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROGRAMS.len());
    }
}
