//! Why a program runs without the library before its allocator.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Effect;

/// Scripts that name scripts as their interpreters: the system follows as many.
const SCRIPTS: usize = 4;

/// Why no library can be preloaded into `program`, where that is certain before it starts, and what to do.
pub fn why_nothing_will_be_preloaded(program: &OsStr) -> Option<String> {
    let mut path = find(program)?;
    for _ in 0..SCRIPTS {
        let shown = path.display();
        let start = beginning(&path).ok()?;
        if let Some(script) = start.strip_prefix(b"#!") {
            path = interpreter(script)?;
            continue;
        }
        if gains_rights(&path) {
            return Some(format!(
                "{shown} is set-user-id, and the system preloads nothing into such programs: run it as its owner, or from a \
                 copy without that bit"
            ));
        }
        return why_no_library_fits(&start).map(|why| format!("{shown} is {why}"));
    }
    None
}

/// What is to be said of a library that had no effect on `program`; nothing where it had.
pub fn why_it_had_no_effect(program: &OsStr, effect: &Effect) -> Option<String> {
    let shown = program.display();
    Some(match effect {
        Effect::Took => return None,
        Effect::NotLoaded => why_nothing_will_be_preloaded(program).unwrap_or_else(|| {
            format!(
                "the system did not load the library into {shown}: LD_PRELOAD has to reach it, and the library's file"
            )
        }),
        Effect::OtherMalloc => {
            format!(
                "{shown} has an allocator of its own linked into it: link it without, so that malloc is the C library's"
            )
        }
        Effect::Became(name) => format!(
            "{shown} became {name}, which ran without the library: it was started with a clean environment (as by env -i; \
             LD_PRELOAD and the variables that begin with HEAPSMITH have to reach it), or is linked statically, set-user-id, \
             or not of 64 bits"
        ),
        Effect::Refused(error) if *error == rustix::io::Errno::FBIG.raw_os_error() => format!(
            "{shown}, or who started it, limits the size of files (ulimit -f) to less than a recording begins with"
        ),
        Effect::Refused(error) => {
            format!(
                "its recording could not begin: {}; choose another place with -o",
                io::Error::from_raw_os_error(*error)
            )
        }
    })
}

/// The file of a name on the command line, as the system finds it.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program));
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The first bytes of a file: a script's first line, or a program's header and its table of segments.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(4096).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The program that a script's first line names; behind `env`, the one that this looks for.
fn interpreter(line: &[u8]) -> Option<PathBuf> {
    let line = line.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let first = Path::new(OsStr::from_bytes(words.next()?));
    if first.file_name() != Some(OsStr::new("env")) {
        return Some(first.to_owned());
    }
    let meant = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
    find(OsStr::from_bytes(meant))
}

/// Whether the system gives the program rights that its caller has not.
fn gains_rights(path: &Path) -> bool {
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2010;
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    path.metadata().is_ok_and(|file| {
        (file.mode() & SET_USER != 0 && file.uid() != user)
            || (file.mode() & SET_GROUP == SET_GROUP && file.gid() != group)
    })
}

/// Whether `program` is one that is linked statically, and that the system gives no rights of its own.
pub fn is_linked_statically(program: &OsStr) -> bool {
    let path = find(program);
    let is_static = |path: &PathBuf| beginning(path).is_ok_and(|start| why_no_library_fits(&start) == Some(STATIC));
    path.is_some_and(|path| is_static(&path) && !gains_rights(&path))
}

/// Of a program without a dynamic linker.
const STATIC: &str = "linked statically, so there is no malloc to replace: link it dynamically";

/// What a program is that the library cannot be loaded into; nothing where it can, or the file is no program.
fn why_no_library_fits(bytes: &[u8]) -> Option<&'static str> {
    const CLASS: usize = 4;
    const MACHINE: usize = 18;
    const X86_64: usize = 62;
    const INTERPRETER: u32 = 3;
    if !bytes.starts_with(b"\x7fELF") {
        return None;
    }
    let short = |at: usize| Some(usize::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)));
    let long = |at: usize| usize::try_from(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok();
    if bytes.get(CLASS) != Some(&2) {
        return Some("a program of 32 bits, and the library is of 64: build it for x86-64");
    }
    if short(MACHINE)? != X86_64 {
        return Some("a program for another processor than x86-64, and the library is for that: build it for x86-64");
    }
    let (headers, size, count) = (long(32)?, short(54)?, short(56)?);
    let segment = |number: usize| bytes.get(headers + number * size..);
    let kind = |bytes: &[u8]| bytes.first_chunk().map(|kind| u32::from_le_bytes(*kind));
    let linker = (0..count).filter_map(segment).find(|bytes| kind(bytes) == Some(INTERPRETER));
    let Some(linker) = linker else {
        let whole = headers + count * size <= bytes.len();
        return whole.then_some(STATIC);
    };
    let at = usize::try_from(u64::from_le_bytes(*linker.get(8..)?.first_chunk()?)).ok()?;
    let musl = bytes.get(at..)?.split(|byte| *byte == 0).next()?.windows(7).any(|part| part == b"ld-musl");
    musl.then_some("linked with musl, and the library with the GNU C library: link it with that")
}
