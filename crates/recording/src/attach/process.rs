//! A process that runs, as `/proc` tells of it.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use object::{Object, ObjectSegment, ObjectSymbol};

use super::AttachError;
use crate::process_memory::process_memory;

/// A process that may be attached to.
#[derive(Debug)]
pub(super) struct Running {
    process: u32,
    program: PathBuf,
    user: u32,
    group: u32,
}

/// What a thread that waits is waiting in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    pub call: u64,
    pub second: u64,
    pub at: u64,
}

/// A file, or a part of one, in a process's memory.
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    path: PathBuf,
}

impl Running {
    /// Looks at a process, and says why it cannot be attached to where that is certain.
    pub fn of(process: u32) -> Result<Running, AttachError> {
        let status = Status::of(&process.to_string()).ok_or(AttachError::NoProcess(process))?;
        let number = |name: &str, at: usize| status.number(name, at).unwrap_or(0);
        match number("Tgid", 0) {
            of if of == process => {}
            of => return Err(AttachError::Thread { thread: process, process: of }),
        }
        let program = fs::read_link(format!("/proc/{process}/exe")).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => AttachError::NotPermitted(process),
            _ => AttachError::NoProcess(process),
        })?;
        match number("TracerPid", 0) {
            0 => {}
            by => return Err(AttachError::Traced { process, by }),
        }
        let start = fs::read(format!("/proc/{process}/exe")).map_err(|_| AttachError::NotPermitted(process))?;
        if !start.starts_with(b"\x7fELF\x02\x01") || start.get(18..20) != Some(&[62, 0]) {
            return Err(AttachError::OtherProgram(program));
        }
        let here = Status::of("self");
        let ours = |name: &str| here.as_ref().and_then(|here| here.number(name, 0)).unwrap_or(0);
        // As many filters as here are the same filters, as within one container.
        if number("Seccomp", 0) == 1 || number("Seccomp_filters", 0) > ours("Seccomp_filters") {
            return Err(AttachError::Restricted(process));
        }
        Ok(Running { process, program, user: number("Uid", 1), group: number("Gid", 1) })
    }

    pub fn process(&self) -> u32 {
        self.process
    }

    pub fn user(&self) -> u32 {
        self.user
    }

    pub fn group(&self) -> u32 {
        self.group
    }

    /// The path of its program, as the process sees it.
    pub fn program(&self) -> PathBuf {
        self.program.clone()
    }

    /// The root of the files that the process sees.
    pub fn root(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root", self.process))
    }

    /// Whether a path is the same file there and here.
    pub fn shares_our_files(&self) -> bool {
        let space = |process: &str| fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
        let root = |process: &str| fs::read_link(format!("/proc/{process}/root")).ok();
        let there = self.process.to_string();
        space("self") == space(&there) && root("self") == root(&there)
    }

    /// Whether it exists, and is no zombie.
    pub fn runs(&self) -> bool {
        self.stat().is_some_and(|fields| !matches!(fields[0].as_str(), "Z" | "X"))
    }

    /// The processor time that it has taken.
    pub fn busy(&self) -> Duration {
        /// Of the clock that the system tells times of processes in.
        const TICK: Duration = Duration::from_millis(10);
        let fields = self.stat().unwrap_or_default();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok()).unwrap_or(0);
        TICK * (ticks(11) + ticks(12))
    }

    /// The fields of its line, from its state on.
    fn stat(&self) -> Option<Vec<String>> {
        let line = fs::read_to_string(format!("/proc/{}/stat", self.process)).ok()?;
        let fields: Vec<String> = line.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect();
        (!fields.is_empty()).then_some(fields)
    }

    /// Its threads, the first one first.
    pub fn threads(&self) -> Vec<i32> {
        let entries = fs::read_dir(format!("/proc/{}/task", self.process)).into_iter().flatten().flatten();
        let mut threads: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        threads.sort_unstable();
        threads
    }

    /// The system call that a thread waits in.
    pub fn waits(&self, thread: i32) -> Option<Waits> {
        let line = fs::read_to_string(format!("/proc/{}/task/{thread}/syscall", self.process)).ok()?;
        let fields: Vec<&str> = line.split_whitespace().collect();
        let hexadecimal = |at: usize| u64::from_str_radix(fields.get(at)?.strip_prefix("0x")?, 16).ok();
        Some(Waits { call: fields.first()?.parse().ok()?, second: hexadecimal(2)?, at: hexadecimal(8)? })
    }

    fn mappings(&self) -> Vec<Mapping> {
        let text = fs::read_to_string(format!("/proc/{}/maps", self.process)).unwrap_or_default();
        text.lines().filter_map(Mapping::of).collect()
    }

    /// Where a file begins in its memory.
    pub fn base(&self, path: &Path) -> Option<u64> {
        self.mappings().iter().find(|mapping| mapping.offset == 0 && mapping.path == path).map(|mapping| mapping.start)
    }

    /// Where a function of its C library is.
    pub fn function(&self, name: &str) -> Option<u64> {
        self.defined(name, is_of_c).next()
    }

    /// Where all functions of a name are, but for those of the dynamic linker, which serve it alone.
    pub fn functions(&self, name: &str) -> Vec<u64> {
        self.defined(name, |path| !is_linker(path)).collect()
    }

    /// Where functions of a name are, by the symbols of files that are mapped.
    fn defined(&self, name: &str, of: impl Fn(&Path) -> bool) -> impl Iterator<Item = u64> {
        let mappings = self.mappings().into_iter();
        mappings.filter(move |mapping| mapping.offset == 0 && of(&mapping.path)).filter_map(move |mapping| {
            let inside = mapping.path.strip_prefix("/").ok()?;
            let bytes = fs::read(self.root().join(inside)).ok()?;
            let file = object::File::parse(&*bytes).ok()?;
            let first = file.segments().map(|segment| segment.address()).min()?;
            let mut symbols = file.dynamic_symbols();
            let symbol = symbols.find(|symbol| symbol.is_definition() && symbol.name() == Ok(name))?;
            Some(mapping.start + symbol.address() - first)
        })
    }

    /// A system call instruction of its C library: that of `syscall`.
    pub fn system_call_instruction(&self) -> Option<u64> {
        /// Bytes in which that function has it.
        const NEAR: usize = 128;
        let (mut code, from) = ([0; NEAR], self.function("syscall")?);
        let memory = process_memory(self.process).ok()?;
        memory.read_exact_at(&mut code, from).ok()?;
        let at = code.windows(2).position(|bytes| bytes == [0x0F, 0x05])?;
        Some(from + at as u64)
    }

    /// Where its C library and its dynamic linker are.
    pub fn of_c_and_linker(&self) -> Vec<(u64, u64)> {
        let own = self.mappings().into_iter().filter(|mapping| is_of_c(&mapping.path) || is_linker(&mapping.path));
        own.map(|mapping| (mapping.start, mapping.end)).collect()
    }

    /// Whether an address is in the dynamic linker, where a thread may be in the midst of loading something.
    pub fn is_in_linker(&self, address: u64) -> bool {
        self.mappings()
            .iter()
            .any(|mapping| (mapping.start..mapping.end).contains(&address) && is_linker(&mapping.path))
    }
}

/// Whether a file is a part of a C library that may have `dlopen`.
fn is_of_c(path: &Path) -> bool {
    let name = file_name(path);
    ["libc.so", "libc-", "libc.musl", "ld-musl", "libdl.so", "libdl-"].iter().any(|start| name.starts_with(start))
}

fn is_linker(path: &Path) -> bool {
    file_name(path).starts_with("ld-") && !is_of_c(path)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Mapping {
    fn of(line: &str) -> Option<Mapping> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let offset = fields.nth(1)?;
        let path = fields.nth(2)?.trim_start();
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        Some(Mapping { start: number(start)?, end: number(end)?, offset: number(offset)?, path: PathBuf::from(path) })
    }
}

/// The lines that `/proc` has of a process.
struct Status(String);

impl Status {
    fn of(process: &str) -> Option<Status> {
        fs::read_to_string(format!("/proc/{process}/status")).ok().map(Status)
    }

    /// A number of the line that begins with a name.
    fn number(&self, name: &str, at: usize) -> Option<u32> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().nth(at)?.parse().ok()
    }
}
