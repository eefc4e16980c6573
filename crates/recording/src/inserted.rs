//! Starting a program that is linked statically with the recorder in it.
//!
//! ```text
//!   spawn ─▶ heapsmith, to be traced ─ exec ─▶ the program, held at its first instruction
//!                                                  │ mmap, the library's segments, mprotect
//!                                                  │ heapsmith_begin: jumps to hooks in its malloc, free …
//!                                                  ▼
//!                                              registers and code as they were, runs
//! ```
//!
//! Nothing loads a library into such a program, so it is done here, before its first instruction: system calls are made at
//! that place, by an instruction that is put there for the while. The library needs nothing of the program's but the stack
//! that it begins with; which functions the program's allocator has is found by its symbols ([`OwnFunctions`](crate::OwnFunctions)).
//!
//! Invariants:
//!
//! - **The program begins as it would have**, or not at all: where something fails it is ended, having run no instruction.
//! - The thread that starts it is the one that traces it: the system and [`start_static`] see to that.

mod image;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use heapsmith_launch::Library;
use nix::errno::Errno;
use nix::libc::{user_fpregs_struct, user_regs_struct};
use nix::sys::ptrace::{self, regset::NT_PRFPREG};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::exported::exported;
use crate::process_memory::process_memory;
use image::Image;

/// The first argument of the command that becomes the program.
pub const HELD_CHILD: &str = "--become-held";

/// How that command ends where it may not be traced; other codes are errors of the system's, for which the program is not there.
const NOT_TRACED: i32 = 254;

/// The system calls that are made in the program's place.
const MMAP: u64 = 9;
const MPROTECT: u64 = 10;
const READ_WRITE: u64 = 3;
const PRIVATE_ANONYMOUS: u64 = 0x22;

/// A system call, and a breakpoint, at which also a function's call ends.
const CODE: [u8; 3] = [0x0F, 0x05, 0xCC];
const BREAKPOINT: u64 = 2;
/// Bytes below the stack of a program that has not begun, which has written to none.
const BELOW: u64 = 256;
/// In place of the number of a system call: none.
const NONE: u64 = u64::MAX;

/// Becomes a program that is held at its first instruction: the arguments after [`HELD_CHILD`] are what is to be preloaded into
/// the programs that it starts, the program, and its arguments. Returns only where that failed, with the code to end with.
pub fn become_held(arguments: &[OsString]) -> i32 {
    let [preload, program, arguments @ ..] = arguments else { return NOT_TRACED };
    if ptrace::traceme().is_err() {
        return NOT_TRACED;
    }
    Command::new(program).args(arguments).env("LD_PRELOAD", preload).exec().raw_os_error().unwrap_or(NOT_TRACED)
}

/// Starts the program of `command`, which is linked statically, with the recorder in it.
///
/// # Errors
///
/// What the system says where it cannot be started or traced, as a sentence where it is about that.
pub fn start_static(command: &Command) -> io::Result<Child> {
    let image = Image::of(&Library::Inserted.bytes().map_err(io::Error::other)?)?;
    let preload = |name: &OsStr| name == "LD_PRELOAD";
    let others = command.get_envs().find(|(name, _)| preload(name)).and_then(|(_, value)| value).unwrap_or_default();
    let mut held = Command::new(env::current_exe()?);
    held.arg(HELD_CHILD).arg(others).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs().filter(|(name, _)| !preload(name)) {
        value.map(|value| held.env(name, value));
    }
    let mut child = held.env_remove("LD_PRELOAD").spawn()?;
    let process = Pid::from_raw(child.id() as i32);
    let inserted = insert(process, &image);
    if inserted.is_err() {
        // It may be gone already.
        let _ = child.kill().and_then(|()| child.wait());
    }
    inserted.map(|()| child)
}

/// Waits for the program and puts the library into it.
fn insert(process: Pid, image: &Image) -> io::Result<()> {
    match waitpid(process, Some(WaitPidFlag::__WALL))? {
        WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
        WaitStatus::Exited(_, NOT_TRACED) => return Err(io::Error::other(NOT_PERMITTED)),
        WaitStatus::Exited(_, error) => return Err(io::Error::from_raw_os_error(error)),
        _ => return Err(io::ErrorKind::Interrupted.into()),
    }
    let mut held = Held::of(process)?;
    let length = image.length as u64;
    let at = held.system_call(MMAP, [0, length, READ_WRITE, PRIVATE_ANONYMOUS, NONE, 0])?;
    for part in &image.parts {
        held.memory.write_all_at(&part.bytes_at(at), at + part.at)?;
        held.system_call(MPROTECT, [at + part.first_page(), part.pages(), part.protection, 0, 0, 0])?;
    }
    let began = held.call(at + image.begin, held.clock())?;
    held.release()?;
    if began == 0 { Ok(()) } else { Err(io::Error::other(NOT_DISTINGUISHED)) }
}

const NOT_PERMITTED: &str = "it is linked statically, and to put the recorder into it the system has to permit ptrace (in a container, the \
                             capability SYS_PTRACE or a profile that has it); or link it dynamically";
const NOT_DISTINGUISHED: &str = "it is linked statically, and recorded only where a program may read the address of its thread (the instruction \
                                 rdfsbase: a processor of 2012 or later, and Linux 5.9); link it dynamically";

/// A program that is held before its first instruction.
struct Held {
    process: Pid,
    memory: File,
    registers: user_regs_struct,
    vectors: user_fpregs_struct,
    code: [u8; CODE.len()],
}

impl Held {
    fn of(process: Pid) -> io::Result<Held> {
        let memory = process_memory(process.as_raw() as u32)?;
        let (registers, vectors) = (ptrace::getregs(process)?, ptrace::getregset::<NT_PRFPREG>(process)?);
        let mut code = [0; CODE.len()];
        memory.read_exact_at(&mut code, registers.rip)?;
        memory.write_all_at(&CODE, registers.rip)?;
        Ok(Held { process, memory, registers, vectors, code })
    }

    /// Has the program run from the state that `change` makes of its own to the breakpoint; what it returned.
    fn run(&mut self, change: impl FnOnce(&mut user_regs_struct)) -> io::Result<u64> {
        let mut registers = user_regs_struct { orig_rax: NONE, ..self.registers };
        change(&mut registers);
        ptrace::setregs(self.process, registers)?;
        let mut signal = None;
        loop {
            ptrace::cont(self.process, signal)?;
            let status = waitpid(self.process, Some(WaitPidFlag::__WALL))?;
            let WaitStatus::Stopped(_, stopped) = status else { return Err(io::ErrorKind::Interrupted.into()) };
            let registers = ptrace::getregs(self.process)?;
            match stopped {
                Signal::SIGTRAP if registers.rip == self.registers.rip + CODE.len() as u64 => return Ok(registers.rax),
                Signal::SIGSEGV | Signal::SIGBUS | Signal::SIGILL | Signal::SIGTRAP => {
                    return Err(io::Error::other(format!("the recorder did not begin in it: {stopped}")));
                }
                other => signal = Some(other),
            }
        }
    }

    fn system_call(&mut self, number: u64, [a, b, c, d, e, f]: [u64; 6]) -> io::Result<u64> {
        let result = self.run(|registers| {
            registers.rax = number;
            [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9] =
                [a, b, c, d, e, f];
        })? as i64;
        if result < 0 { Err(Errno::from_raw(-result as i32).into()) } else { Ok(result as u64) }
    }

    /// Where the system's function is that reads clocks without a call of it (vDSO); 0 where there is none.
    fn clock(&self) -> u64 {
        let library = || {
            let maps = fs::read_to_string(format!("/proc/{}/maps", self.process)).ok()?;
            let (start, end) =
                maps.lines().find(|line| line.ends_with("[vdso]"))?.split_once(' ')?.0.split_once('-')?;
            let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
            let (start, end) = (number(start)?, number(end)?);
            let mut bytes = vec![0; end.checked_sub(start)? as usize];
            self.memory.read_exact_at(&mut bytes, start).ok()?;
            Some(start + exported(&bytes, "__vdso_clock_gettime")?)
        };
        library().unwrap_or(0)
    }

    /// Calls a function with the stack that the program begins with, and a number.
    fn call(&mut self, function: u64, number: u64) -> io::Result<u64> {
        let back = self.registers.rip + BREAKPOINT;
        let stack = ((self.registers.rsp - BELOW) & !15) - 8;
        self.memory.write_all_at(&back.to_le_bytes(), stack)?;
        let began = self.registers.rsp;
        self.run(|registers| {
            (registers.rip, registers.rsp) = (function, stack);
            (registers.rdi, registers.rsi) = (began, number);
        })
    }

    /// Lets the program begin.
    fn release(self) -> io::Result<()> {
        self.memory.write_all_at(&self.code, self.registers.rip)?;
        ptrace::setregset::<NT_PRFPREG>(self.process, self.vectors)?;
        ptrace::setregs(self.process, user_regs_struct { orig_rax: NONE, ..self.registers })?;
        Ok(ptrace::detach(self.process, None)?)
    }
}
