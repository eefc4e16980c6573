//! No circle of imports between modules: the siblings in a crate or a folder can be read from the
//! bottom up.
//!
//! A module and all inside it is one node. It has an arrow to the sibling that it names, in a `use` line or a path. What a
//! module names of its own parents is no arrow, as a child may use the types of the room it is in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates that hold no circle.
const CRATES: &[&str] = &[
    "capture",
    "check",
    "checked",
    "cli",
    "dispatch",
    "emit",
    "explore",
    "heapsmith",
    "import",
    "launch",
    "limits",
    "output",
    "papers",
    "peers",
    "replay",
    "report",
    "trial",
];

#[test]
fn modules_beside_each_other_form_no_circle() {
    for name in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(name).join("src");
        let circles = Crate::read(&root).circles();
        assert!(circles.is_empty(), "crates/{name}/src has circles of imports: {circles:#?}");
    }
}

#[test]
fn a_circle_is_found_through_braces_reexports_and_paths() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::{B, deep::D as Renamed};\n");
    write("a.rs", "// use crate::b::B is only a comment\nuse crate::{Renamed, c};\n");
    write("b.rs", "pub mod deep;\npub struct B;\n");
    write("b/deep.rs", "use super::B;\nfn f() { crate::c::g() }\n");
    write("c.rs", "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n");
    assert_eq!(Crate::read(dir.path()).circles(), Vec::<Vec<String>>::new());
    write("c.rs", "use std::fmt;\nuse crate::a::A;\n");
    assert_eq!(Crate::read(dir.path()).circles(), [["a", "b", "c"]]);
}

/// A module's place: the names that lead to it.
type Module = Vec<String>;

/// The modules of a crate, each with what it names.
struct Crate {
    modules: BTreeMap<Module, Vec<Vec<String>>>,
    /// What the crate's root hands on, by the name it has there.
    exported: BTreeMap<String, Module>,
}

impl Crate {
    fn read(root: &Path) -> Crate {
        let mut files = Vec::new();
        sources(root, &mut files);
        let mut modules = BTreeMap::new();
        let mut exported = BTreeMap::new();
        for file in files {
            let text = bare(&std::fs::read_to_string(&file).expect("a source file"));
            let module = module(file.strip_prefix(root).expect("inside the crate"));
            let paths = paths(&text);
            if module.is_empty() {
                let names = used(&text).into_iter().filter(|path| path.path[0] != "crate" && path.path[0] != "self");
                exported.extend(names.map(|path| (path.name, path.path)));
            }
            modules.insert(module, paths);
        }
        Crate { modules, exported }
    }

    /// The circles of siblings, each by the names of its modules.
    fn circles(&self) -> Vec<Vec<String>> {
        let rooms: BTreeSet<&[String]> =
            self.modules.keys().filter(|module| !module.is_empty()).map(|module| &module[..module.len() - 1]).collect();
        rooms.into_iter().flat_map(|room| circles_of(&self.arrows(room))).collect()
    }

    /// The arrows between the modules of a room.
    fn arrows(&self, room: &[String]) -> BTreeMap<String, BTreeSet<String>> {
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, paths) in &self.modules {
            let Some(from) = module.strip_prefix(room).and_then(<[String]>::first) else { continue };
            let targets = paths.iter().filter_map(|path| self.target(module, path));
            let siblings = targets.filter_map(|target| target.strip_prefix(room)?.first().cloned());
            arrows.entry(from.clone()).or_default().extend(siblings.filter(|to| to != from));
        }
        arrows
    }

    /// The module that a path in `module` leads to.
    fn target(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (mut place, mut rest) = match path[0].as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            _ => (module.clone(), path),
        };
        while rest.first().is_some_and(|step| step == "super") {
            place.pop();
            rest = &rest[1..];
        }
        let root = place.is_empty();
        let exported = rest.first().filter(|_| root).and_then(|name| self.exported.get(name));
        // A module may have the name of a function that the root hands on.
        self.deepest(place, rest).or_else(|| self.deepest(Vec::new(), exported?))
    }

    fn deepest(&self, mut place: Module, rest: &[String]) -> Option<Module> {
        for step in rest {
            place.push(step.clone());
            if !self.modules.contains_key(&place) {
                place.pop();
                break;
            }
        }
        (!place.is_empty()).then_some(place)
    }
}

/// Groups of modules that all lead to each other.
fn circles_of(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        let mut open: Vec<&String> = arrows[from].iter().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(arrows.get(next).into_iter().flatten());
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<&String>> = arrows.keys().map(|from| (from, reached(from))).collect();
    let circle = |from: &&String| -> Vec<String> {
        let back = |to: &&&String| all.get(**to).is_some_and(|reached| reached.contains(*from));
        all[*from].iter().filter(back).map(|name| (*name).clone()).collect()
    };
    let circles: BTreeSet<Vec<String>> = all.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    circles.into_iter().collect()
}

/// The module that a file is.
fn module(file: &Path) -> Module {
    let mut names: Module = file.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|last| last == "lib") {
        names.pop();
    }
    names
}

/// Every path in a text that begins at the crate, at a parent or at the module itself.
fn paths(text: &str) -> Vec<Vec<String>> {
    let own = |path: &[String]| matches!(path[0].as_str(), "crate" | "super" | "self");
    let mut all: Vec<Vec<String>> = used(text).into_iter().map(|used| used.path).filter(|path| own(path)).collect();
    let words = text.replace("r#", "");
    for (at, _) in words.match_indices("::") {
        let before = words[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        if matches!(before, "crate" | "super") {
            let begin = at - before.len();
            let path: String =
                words[begin..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            all.push(path.split("::").filter(|step| !step.is_empty()).map(str::to_owned).collect());
        }
    }
    all
}

/// What a `use` brings in.
struct Used {
    /// Its name here.
    name: String,
    path: Vec<String>,
}

/// Every path of the `use` lines of a text, with braces spread out.
fn used(text: &str) -> Vec<Used> {
    let mut all = Vec::new();
    for statement in text.split(';') {
        let Some(at) = statement.rfind("use ") else { continue };
        let before = statement[..at].trim_end();
        if !before.is_empty() && !before.ends_with(['}', '{', ';', ')', ']']) && !before.ends_with("pub") {
            continue;
        }
        spread("", statement[at + 4..].trim(), &mut all);
    }
    all
}

fn spread(before: &str, tree: &str, all: &mut Vec<Used>) {
    let tree = tree.trim();
    if let Some((head, inside)) = tree.split_once('{') {
        let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
        let mut depth = 0_usize;
        let mut parts = vec![String::new()];
        for c in inside.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(String::new());
                    continue;
                }
                _ => {}
            }
            parts.last_mut().expect("one at least").push(c);
        }
        let before = format!("{before}{}", head.trim());
        parts.iter().filter(|part| !part.trim().is_empty()).for_each(|part| spread(&before, part, all));
        return;
    }
    let (path, renamed) = tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name.trim())));
    let path: Vec<String> = format!("{before}{path}")
        .split("::")
        .map(|step| step.trim().to_owned())
        .filter(|step| !step.is_empty())
        .collect();
    let Some(last) = path.last() else { return };
    all.push(Used { name: renamed.unwrap_or(last).to_owned(), path });
}

/// A text without comments, literals and modules of tests.
fn bare(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut inside = false;
        let mut before = ' ';
        let code: String = line
            .split("//")
            .next()
            .unwrap_or_default()
            .chars()
            .filter(|&c| {
                let quote = c == '"' && before != '\\';
                inside ^= quote;
                before = c;
                !inside && !quote
            })
            .collect();
        out.push_str(&code);
        out.push('\n');
    }
    out
}

fn sources(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs")
            && path.file_stem().is_some_and(|name| name != "tests")
        {
            files.push(path);
        }
    }
}
