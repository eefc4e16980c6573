//! Call sites: stacks of return addresses as numbered names, and the modules that they are in.
//!
//! ```text
//!   return addresses ──modules──▶ "server+0x1189 < libc.so.6+0x27249"     the innermost frame first
//! ```
//!
//! The name has all that is needed to find function and line later ([`Symbols`](crate::Symbols)), and
//! says something without that. Windows name stacks each for itself; here equal stacks are one site.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use heapsmith_trace::{Module, Sink};

use crate::format::module;

/// Between the frames of a name.
pub(crate) const CALLED_BY: &str = " < ";

/// A stack that a window named.
#[derive(Debug)]
pub(crate) struct Stack {
    frames: Vec<u64>,
    /// Its site, once it has one.
    site: Cell<Option<u32>>,
}

impl Stack {
    pub fn new(frames: Vec<u64>) -> Stack {
        Stack { frames, site: Cell::new(None) }
    }
}

/// A module where it was in memory.
#[derive(Debug)]
pub(crate) struct Loaded {
    start: u64,
    end: u64,
    bias: u64,
    pub named: Module,
}

/// The sites of a recording.
#[derive(Debug)]
pub(crate) struct Sites {
    named: Named,
    known: HashMap<Vec<u64>, u32>,
}

/// What the words of a site are.
#[derive(Debug)]
pub(crate) enum Named {
    /// Return addresses in these modules.
    Frames(Vec<Loaded>),
    /// The name of an object's class, as class files have it.
    Class,
}

impl Sites {
    pub fn new(named: Named) -> Sites {
        Sites { named, known: HashMap::new() }
    }

    /// More modules may have been loaded.
    pub fn set_named(&mut self, named: Named) {
        self.named = named;
    }

    /// The number of a stack's site; the sink learns the name of a new one.
    pub fn number(&mut self, stack: &Rc<Stack>, sink: &mut dyn Sink) -> u32 {
        if let Some(site) = stack.site.get() {
            return site;
        }
        let next = self.known.len() as u32;
        let site = *self.known.entry(stack.frames.clone()).or_insert(next);
        if site == next {
            sink.name_site(&self.named.text(&stack.frames));
        }
        stack.site.set(Some(site));
        site
    }
}

impl Named {
    fn text(&self, words: &[u64]) -> String {
        match self {
            Named::Frames(modules) => {
                let frames: Vec<String> = words.iter().map(|&address| frame(modules, address)).collect();
                frames.join(CALLED_BY)
            }
            Named::Class => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&b| b != 0).collect();
                class(&String::from_utf8_lossy(&bytes))
            }
        }
    }
}

/// Where a module was loaded in the place of another, the later one counts.
fn frame(modules: &[Loaded], address: u64) -> String {
    match modules.iter().rev().find(|module| (module.start..module.end).contains(&address)) {
        Some(module) => format!("{}+{:#x}", module.named.name, address.wrapping_sub(module.bias)),
        None => format!("{address:#x}"),
    }
}

/// A class as sources name it: `Ljava/lang/String;` is java.lang.String, `[[I` is int[][].
fn class(named: &str) -> String {
    let element = named.trim_start_matches('[');
    let name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        _ => element.strip_prefix('L').unwrap_or(element).trim_end_matches(';').replace('/', "."),
    };
    name + &"[]".repeat(named.len() - element.len())
}

/// The modules of a recording's table; an entry that was not written whole is left out.
pub(crate) fn loaded<'bytes>(entries: impl Iterator<Item = &'bytes [u8]>, program: &Path) -> Vec<Loaded> {
    let mut modules: Vec<Loaded> = Vec::new();
    for entry in entries {
        let word = |word: usize| u64::from_le_bytes(*entry[word * 8..].first_chunk().unwrap_or(&[0; 8]));
        let bytes = |at: usize, length: usize, max: usize| {
            let length = usize::try_from(word(length)).unwrap_or(max).min(max);
            &entry[at * 8..at * 8 + length]
        };
        if word(module::WHOLE) != 1 {
            continue;
        }
        let path = bytes(module::PATH, module::PATH_LENGTH, module::LONGEST_PATH);
        let path = match path {
            [] => program.display().to_string(),
            path => String::from_utf8_lossy(path).into_owned(),
        };
        let build_id = bytes(module::BUILD_ID, module::BUILD_ID_LENGTH, module::LONGEST_BUILD_ID);
        let build_id = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = free_name(&path, &modules);
        modules.push(Loaded {
            start: word(module::START),
            end: word(module::END),
            bias: word(module::BIAS),
            named: Module { name, path, build_id },
        });
    }
    modules
}

/// The file's name, with a number where an earlier module has it.
fn free_name(path: &str, modules: &[Loaded]) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let taken = |name: &str| modules.iter().any(|module| module.named.name == name);
    let numbered = (2..).map(|number| format!("{file}#{number}"));
    let mut names = std::iter::once(file.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}
