//! Where a thread that never waits is held: at the first instruction of its allocator, by the processor's breakpoints.

use std::fs::File;
use std::os::unix::fs::FileExt;

use nix::errno::Errno;
use nix::libc::user;
use nix::sys::ptrace::{self, AddressType};
use nix::unistd::Pid;

use crate::attach::process::Running;

/// Registers for the addresses of breakpoints, and the one that enables them, by two bits for each.
const BREAKPOINTS: usize = 4;
const ENABLE: usize = 7;

/// The functions of a process's allocators, and who may not be inside another function when it calls them.
pub struct Allocator {
    pub functions: Vec<u64>,
    /// A system call instruction of the C library.
    pub instruction: u64,
    /// Where the C library and the dynamic linker are.
    own: Vec<(u64, u64)>,
}

impl Allocator {
    /// As many functions as there are breakpoints, those that programs call more often first; or these hooks of them.
    pub fn of(running: &Running, hooks: &[u64]) -> Allocator {
        let named = ["malloc", "free", "calloc", "realloc"].iter().flat_map(|name| running.functions(name));
        let mut functions: Vec<u64> = if hooks.is_empty() { named.collect() } else { hooks.to_vec() };
        let instruction = running.system_call_instruction();
        functions.truncate(if instruction.is_some() { BREAKPOINTS } else { 0 });
        Allocator { functions, instruction: instruction.unwrap_or(0), own: running.of_c_and_linker() }
    }

    /// Whether a function that has just been called was so by the program or one of its own libraries.
    pub fn is_called_from_outside(&self, memory: &File, stack: u64) -> bool {
        let mut back = [0; 8];
        let is_read = memory.read_exact_at(&mut back, stack).is_ok();
        let back = u64::from_le_bytes(back);
        is_read && !self.own.iter().any(|(start, end)| (*start..*end).contains(&back))
    }
}

/// Sets a thread's breakpoints to these, which are the only ones.
pub fn set_breakpoints(thread: Pid, at: &[u64]) -> Result<(), Errno> {
    let register = |number: usize| (std::mem::offset_of!(user, u_debugreg) + number * 8) as AddressType;
    ptrace::write_user(thread, register(ENABLE), 0)?;
    for (number, address) in at.iter().enumerate() {
        ptrace::write_user(thread, register(number), *address as i64)?;
    }
    let enabled = (0..at.len()).map(|number| 1 << (2 * number)).sum();
    ptrace::write_user(thread, register(ENABLE), enabled)
}
