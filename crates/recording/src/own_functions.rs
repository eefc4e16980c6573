//! A program's own allocator: where its functions begin, and how a jump to a hook is put there.
//!
//! ```text
//!   je_malloc:  push rbp      ─┐                 je_malloc:  jmp hook ──▶ hook ──▶ moved
//!               mov rbp, rsp   ├ before     ──▶              …             ▲         │ push rbp …
//!               sub rsp, 32   ─┘                             test … ◀──────┼─────────┘ jmp back
//!               test …                                        program ─────┘
//! ```
//!
//! The program's file is read here and not changed; the recorder writes the jumps into the process before the program's
//! first instruction. What cannot be moved is refused, with the reason.

mod code;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use heapsmith_capture::own_functions::{Function, JUMP, LIMIT, Role, VARIABLE};
use object::{Object, ObjectSymbol, SymbolKind};
use thiserror::Error;

use code::{code, movable};

/// How names end that say what a function does; the longer one first where two fit.
const ENDINGS: &[(&str, Role)] = &[
    ("posix_memalign", Role::PosixMemalign),
    ("malloc_aligned", Role::MallocAligned),
    ("aligned_alloc", Role::Memalign),
    ("reallocarray", Role::Reallocarray),
    ("memalign", Role::Memalign),
    ("mallocx", Role::Mallocx),
    ("sdallocx", Role::Free),
    ("dallocx", Role::Free),
    ("rallocx", Role::Realloc),
    ("realloc", Role::Realloc),
    ("calloc", Role::Calloc),
    ("zalloc", Role::Malloc),
    ("pvalloc", Role::Valloc),
    ("valloc", Role::Valloc),
    ("malloc", Role::Malloc),
    ("free", Role::Free),
];

/// The C library's functions of blocks.
const OF_BLOCKS: [&str; 10] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "valloc",
    "pvalloc",
];

/// Other functions of a C library that is linked into a program. The recorder has hooks of them already where it is preloaded.
const OF_C_LIBRARY: [(&str, Role); 12] = [
    // glibc's: what a thread kept for itself is freed, at the very end of the thread.
    ("__malloc_arena_thread_freeres", Role::ThreadCache),
    ("_exit", Role::Exit),
    ("_Exit", Role::Exit),
    ("prctl", Role::Prctl),
    ("syscall", Role::Syscall),
    ("setrlimit", Role::Setrlimit),
    ("setrlimit64", Role::Setrlimit),
    ("prlimit", Role::Prlimit),
    ("prlimit64", Role::Prlimit),
    ("malloc_usable_size", Role::UsableSize),
    // musl's.
    (DESTRUCTORS, Role::ThreadDestructors),
    ("__pthread_exit", Role::ThreadExit),
];

/// musl's function that runs the destructors of a thread; in a program that has none, a name of a function that does nothing, and
/// has other names, too.
const DESTRUCTORS: &str = "__pthread_tsd_run_dtors";

/// How the operators that allocate in C++ begin.
const OPERATORS: &str = "_Zn";

/// Names that an error lists.
const LISTED: usize = 8;

/// Why functions cannot be recorded.
#[derive(Debug, Error)]
pub enum OwnFunctionsError {
    /// The file is not there, or is no program of x86-64.
    #[error("{} is no program of 64 bits for x86-64, whose functions could be recorded: {why}", path.display())]
    File {
        /// The program.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file is a script, which starts the program that has the functions.
    #[error("{} is a script, whose file defines no {name}: start the program that does, directly, after --", path.display())]
    Script {
        /// The script.
        path: PathBuf,
        /// The functions, as they were asked for.
        name: String,
    },
    /// There is no such function.
    #[error("{} defines no function {name}{}", path.display(), listed(others))]
    Unknown {
        /// The program.
        path: PathBuf,
        /// The name, or the beginning of names with `*`.
        name: String,
        /// Names there that end as those of allocators do.
        others: Vec<String>,
    },
    /// The name does not say what the function does.
    #[error("what {0} does is not to be seen from its name: write ROLE={0}, where ROLE is one of {roles}", roles = roles())]
    Role(String),
    /// There is no such role.
    #[error("{0:?} is no role: write ROLE=NAME, where ROLE is one of {roles}", roles = roles())]
    NoRole(String),
    /// The functions only allocate, or only free.
    #[error("--symbols names no function that {0}: the trace would be of no use")]
    Half(&'static str),
    /// Too many.
    #[error("{0} is one function too many: there is room for {LIMIT}")]
    Many(String),
    /// No jump fits at its beginning.
    #[error("{name} cannot be recorded: {why}")]
    Beginning {
        /// The function.
        name: String,
        /// What is in the way.
        why: &'static str,
    },
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "; it has no symbols of an allocator, as where it was stripped of them. If it only starts the program that has \
               them, start that one directly, after --"
            .to_owned(),
        names => format!("; it has {}", names.join(", ")),
    }
}

fn roles() -> String {
    ENDINGS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The functions of a program that are recorded in place of `malloc`.
#[derive(Debug)]
pub struct OwnFunctions {
    program: PathBuf,
    /// Whether the program is linked statically.
    is_static: bool,
    found: Vec<(String, Function)>,
}

impl OwnFunctions {
    /// Finds functions of `program` by their names: `NAME`, whose end says what it does, `ROLE=NAME`, or `PREFIX*` for all
    /// that have the name of a role behind it.
    ///
    /// Of a program that is linked statically, those of its C library are found, too, that say how it and its threads end and what
    /// it may do; where no name is given, its `malloc` and the like.
    ///
    /// # Errors
    ///
    /// Where a function is not there, its role is not known, or it cannot be moved; and where no function frees.
    pub fn find(program: &Path, names: &[String], is_static: bool) -> Result<OwnFunctions, OwnFunctionsError> {
        let wrong = |why: String| OwnFunctionsError::File { path: program.to_owned(), why };
        let program = program.canonicalize().map_err(|error| wrong(error.to_string()))?;
        let bytes = std::fs::read(&program).map_err(|error| wrong(error.to_string()))?;
        if bytes.starts_with(b"#!") {
            return Err(OwnFunctionsError::Script { path: program, name: names.join(",") });
        }
        let file = object::File::parse(&*bytes).map_err(|error| wrong(error.to_string()))?;
        if file.architecture() != object::Architecture::X86_64 {
            return Err(wrong(format!("it is for {:?}", file.architecture())));
        }
        let defined = Defined::of(&file);
        let mut own = OwnFunctions { program, is_static, found: Vec::new() };
        for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            own.add(&file, &defined, name)?;
        }
        if is_static {
            own.add_c_library(&file, &defined, names.is_empty())?;
        }
        let has = |wanted: &[Role]| own.found.iter().any(|(_, function)| wanted.contains(&function.role));
        if !has(&[Role::Free]) {
            return Err(OwnFunctionsError::Half("frees"));
        }
        let allocates: Vec<Role> =
            Role::ALL.into_iter().filter(|role| role.is_of_blocks() && *role != Role::Free).collect();
        if !has(&allocates) {
            return Err(OwnFunctionsError::Half("allocates"));
        }
        Ok(own)
    }

    fn add(&mut self, file: &object::File<'_>, defined: &Defined, name: &str) -> Result<(), OwnFunctionsError> {
        let unknown = |name: &str| OwnFunctionsError::Unknown {
            path: self.program.clone(),
            name: name.to_owned(),
            others: defined.of_allocators(),
        };
        let wanted: Vec<(Role, &Symbol)> = match (name.strip_suffix('*'), name.split_once('=')) {
            (Some(prefix), _) => {
                let all: Vec<_> = defined
                    .symbols
                    .iter()
                    .filter_map(|symbol| {
                        let (_, role) =
                            ENDINGS.iter().find(|(ending, _)| symbol.name.strip_prefix(prefix) == Some(ending))?;
                        Some((*role, symbol))
                    })
                    .collect();
                all
            }
            (None, Some((role, name))) => {
                let found = ENDINGS.iter().find(|(ending, _)| *ending == role);
                let (_, role) = found.ok_or_else(|| OwnFunctionsError::NoRole(role.to_owned()))?;
                defined.named(name).map(|symbol| (*role, symbol)).collect()
            }
            (None, None) => {
                let symbols: Vec<&Symbol> = defined.named(name).collect();
                if symbols.is_empty() {
                    return Err(unknown(name));
                }
                let role = role_of(name).ok_or_else(|| OwnFunctionsError::Role(name.to_owned()))?;
                symbols.into_iter().map(|symbol| (role, symbol)).collect()
            }
        };
        if wanted.is_empty() {
            return Err(unknown(name));
        }
        self.add_all(file, defined, wanted)
    }

    /// Adds the functions of the C library that is linked into the program; those of blocks where `blocks` says so.
    fn add_c_library(
        &mut self,
        file: &object::File<'_>,
        defined: &Defined,
        blocks: bool,
    ) -> Result<(), OwnFunctionsError> {
        if blocks && defined.named("malloc").next().is_none() {
            return Err(OwnFunctionsError::Unknown {
                path: self.program.clone(),
                name: "malloc".to_owned(),
                others: defined.of_allocators(),
            });
        }
        let of_blocks = OF_BLOCKS.iter().filter(|_| blocks).filter_map(|name| Some((*name, role_of(name)?)));
        let has_destructors = defined.named(DESTRUCTORS).any(|symbol| symbol.size > JUMP as u64);
        let is_last = |role| match role {
            Role::ThreadDestructors => has_destructors,
            Role::ThreadExit => !has_destructors,
            _ => true,
        };
        for (name, role) in of_blocks.chain(OF_C_LIBRARY).filter(|(_, role)| is_last(*role)) {
            self.add_all(file, defined, defined.named(name).map(|symbol| (role, symbol)).collect())?;
        }
        Ok(())
    }

    fn add_all(
        &mut self,
        file: &object::File<'_>,
        defined: &Defined,
        wanted: Vec<(Role, &Symbol)>,
    ) -> Result<(), OwnFunctionsError> {
        for (role, symbol) in wanted {
            // Two names of one function are one.
            if self.found.iter().any(|(_, function)| function.address == symbol.address as usize) {
                continue;
            }
            if self.found.len() == LIMIT {
                return Err(OwnFunctionsError::Many(symbol.name.clone()));
            }
            let wrong = |why| OwnFunctionsError::Beginning { name: symbol.name.clone(), why };
            if self.is_static && symbol.name.starts_with(OPERATORS) {
                return Err(wrong(
                    "it may throw an exception, whose way through the recorder a program that is linked statically does not know",
                ));
            }
            let next = defined.next_above(symbol.address);
            let reaches = if symbol.size == 0 { JUMP as u64 } else { symbol.size.min(JUMP as u64) };
            if next.is_some_and(|next| next < symbol.address + reaches) {
                return Err(wrong("another function begins within the first five bytes"));
            }
            let code = code(file, symbol, next).ok_or_else(|| wrong("its code is not in the file"))?;
            let function = movable(role, symbol.address, code).map_err(wrong)?;
            self.found.push((symbol.name.clone(), function));
        }
        Ok(())
    }

    /// The program's file.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The names, with a comma between two.
    pub fn names(&self) -> String {
        let of_program = self.found.iter().filter(|(_, function)| function.role.is_of_blocks());
        of_program.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The environment variable that tells the recorder, and its value.
    pub fn variable(&self) -> (&'static OsStr, OsString) {
        let mut value: Vec<u8> =
            self.found.iter().flat_map(|(_, function)| function.to_string().into_bytes()).collect();
        value.push(b':');
        value.extend(self.program.as_os_str().as_bytes());
        (OsStr::from_bytes(VARIABLE.to_bytes()), OsString::from_vec(value))
    }
}

/// What a function does, from the end of its name.
fn role_of(name: &str) -> Option<Role> {
    let name = name.to_ascii_lowercase();
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, role)| *role)
}

struct Symbol {
    name: String,
    address: u64,
    size: u64,
}

/// The functions that a program defines.
struct Defined {
    symbols: Vec<Symbol>,
    /// Where anything begins that has a name.
    begins: Vec<u64>,
}

impl Defined {
    fn of(file: &object::File<'_>) -> Defined {
        let all = || file.symbols().chain(file.dynamic_symbols()).filter(|symbol| symbol.is_definition());
        let functions = all().filter(|symbol| symbol.kind() == SymbolKind::Text);
        let named = functions.filter_map(|symbol| {
            Some(Symbol { name: symbol.name().ok()?.to_owned(), address: symbol.address(), size: symbol.size() })
        });
        Defined { symbols: named.collect(), begins: all().map(|symbol| symbol.address()).collect() }
    }

    /// All functions of a name, which static ones of several files may have.
    fn named(&self, name: &str) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(move |symbol| symbol.name == name)
    }

    /// The first address above this one at which a symbol is.
    fn next_above(&self, address: u64) -> Option<u64> {
        self.begins.iter().copied().filter(|other| *other > address).min()
    }

    /// Some names that end as those of allocators do, the shortest first.
    fn of_allocators(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .symbols
            .iter()
            .filter(|symbol| role_of(&symbol.name).is_some())
            .map(|symbol| symbol.name.clone())
            .collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        names.dedup();
        names.truncate(LISTED);
        names
    }
}
