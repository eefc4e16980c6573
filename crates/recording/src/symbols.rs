//! Names of call sites for people: function, file and line, if the module's file has them.
//!
//! A module's file is opened when the first site in it is asked for, with the file of separate debug
//! information that its build id names, if that is installed. A file that is gone, or is another build
//! than the one that ran, is no help: its frames stay module and address.
//!
//! Reading of DWARF and of symbol tables: the crates `addr2line` and `object`, with which Rust names its own backtraces.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

use addr2line::{Loader, Location};
use heapsmith_trace::Module;
use object::{Object, ObjectSymbol};

use crate::sites::CALLED_BY;

/// Names the call sites of one trace.
pub struct Symbols<'trace> {
    modules: &'trace [Module],
    files: HashMap<&'trace str, Option<Files>>,
    frames: HashMap<String, String>,
}

/// What is open of a module.
struct Files {
    /// The separate debug information first.
    loaders: Vec<Loader>,
    /// Functions that the file offers to others, by address: all that a stripped file has.
    offered: Vec<Function>,
}

struct Function {
    addresses: Range<u64>,
    name: String,
}

impl<'trace> Symbols<'trace> {
    /// Symbols from these modules.
    pub fn new(modules: &'trace [Module]) -> Symbols<'trace> {
        Symbols { modules, files: HashMap::new(), frames: HashMap::new() }
    }

    /// The name of a site with functions and lines instead of addresses, as far as they are known.
    pub fn name(&mut self, site: &str) -> String {
        if self.modules.is_empty() {
            return site.to_owned();
        }
        let frames: Vec<String> = site.split(CALLED_BY).map(|frame| self.frame(frame)).collect();
        frames.join(CALLED_BY)
    }

    fn frame(&mut self, frame: &str) -> String {
        if let Some(known) = self.frames.get(frame) {
            return known.clone();
        }
        let found = self.find(frame).unwrap_or_else(|| frame.to_owned());
        self.frames.insert(frame.to_owned(), found.clone());
        found
    }

    fn find(&mut self, frame: &str) -> Option<String> {
        let (name, address) = frame.rsplit_once("+0x")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let module = self.modules.iter().find(|module| module.name == name)?;
        let files = self.files.entry(&module.name).or_insert_with(|| Files::open(module)).as_ref()?;
        // The call is right before the address that it returns to.
        let told = files.tell(address.checked_sub(1)?)?;
        Some(if told.contains(" (") { told } else { format!("{told} ({name})") })
    }
}

impl Files {
    fn open(module: &Module) -> Option<Files> {
        let bytes = std::fs::read(&module.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let build_id = file.build_id().ok().flatten().unwrap_or_default();
        // Without a build id on either side nothing says that the file is another.
        if build_id.iter().map(|byte| format!("{byte:02x}")).collect::<String>() != module.build_id {
            return None;
        }
        let debug = debug_file(&module.build_id).and_then(|path| Loader::new(path).ok());
        let loaders = debug.into_iter().chain(Loader::new(&module.path).ok()).collect();
        Some(Files { loaders, offered: offered(&file) })
    }

    /// The function, with file and line where they are known; where it was inlined, also into which.
    fn tell(&self, address: u64) -> Option<String> {
        for loader in &self.loaders {
            let Ok(mut frames) = loader.find_frames(address) else { continue };
            let mut told = Vec::new();
            while let Ok(Some(frame)) = frames.next() {
                let Some(function) = frame.function else { continue };
                let function = function.demangle().map_or_else(|_| "?".to_owned(), |name| name.into_owned());
                told.push(short(&function) + &frame.location.map(place).unwrap_or_default());
            }
            if !told.is_empty() {
                return Some(told.join(CALLED_BY));
            }
        }
        let symbol = self.loaders.iter().find_map(|loader| loader.find_symbol(address));
        let symbol = symbol.or_else(|| self.offered_at(address))?;
        // The name of a function of C may be that of a type of C++, mangled.
        let is_mangled = symbol.starts_with("_Z") || symbol.starts_with("_R");
        Some(short(&if is_mangled { addr2line::demangle_auto(symbol.into(), None) } else { symbol.into() }))
    }

    fn offered_at(&self, address: u64) -> Option<&str> {
        let behind = self.offered.partition_point(|function| function.addresses.start <= address);
        let function = self.offered.get(behind.checked_sub(1)?)?;
        function.addresses.contains(&address).then_some(&function.name)
    }
}

/// A function of C++ without template arguments and parameters, which may be longer than a screen. Names that
/// such brackets may be part of (operators, what Rust writes in front of a method) are left as they are.
fn short(function: &str) -> String {
    if function.starts_with('<') || function.contains("operator") || function.contains('{') {
        return function.to_owned();
    }
    let mut depth = 0_usize;
    let mut short = String::new();
    for letter in function.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && !short.is_empty() && !short.ends_with([':', ' ']) => break,
            _ if depth == 0 => short.push(letter),
            _ => {}
        }
    }
    // The text before a blank is the return type of a template.
    let name = short.trim().rsplit(' ').next().unwrap_or_default();
    if name.is_empty() || depth > 0 { function.to_owned() } else { name.to_owned() }
}

/// File and line, as they follow a function.
fn place(location: Location<'_>) -> String {
    let file = location.file.map(|file| file.rsplit('/').next().unwrap_or(file)).unwrap_or("?");
    match location.line {
        Some(line) => format!(" ({file}:{line})"),
        None => format!(" ({file})"),
    }
}

fn offered(file: &object::File<'_>) -> Vec<Function> {
    let functions = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.size() > 0);
    let mut offered: Vec<Function> = functions
        .filter_map(|symbol| {
            let addresses = symbol.address()..symbol.address().saturating_add(symbol.size());
            Some(Function { addresses, name: symbol.name().ok()?.to_owned() })
        })
        .collect();
    offered.sort_by(|a, b| (a.addresses.start, &a.name).cmp(&(b.addresses.start, &b.name)));
    offered
}

/// Where distributions install the debug information of a build.
fn debug_file(build_id: &str) -> Option<PathBuf> {
    let (first, rest) = build_id.split_at_checked(2)?;
    let path = PathBuf::from(format!("/usr/lib/debug/.build-id/{first}/{rest}.debug"));
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_of_functions_fit_a_line() {
        assert_eq!(short("fill(int)"), "fill");
        assert_eq!(short("std::map<int, std::less<int> >::at(int const&) const"), "std::map::at");
        assert_eq!(short("void std::vector<int>::push_back<int const&>(int const&)"), "std::vector::push_back");
        assert_eq!(short("PyObject_Malloc"), "PyObject_Malloc");
        for whole in ["operator new(unsigned long)", "<T as core::fmt::Debug>::fmt", "a::b::{closure#0}"] {
            assert_eq!(short(whole), whole);
        }
    }
}
