//! A thread that is held where it is not inside its allocator, and calls functions from there.
//!
//! ```text
//!   thread ─▶ … syscall ┄ held ┄▶ function ─ ret ─▶ the same syscall instruction, held ┄▶ as it was, syscall …
//! ```
//!
//! A call's return address is the system call instruction that the thread waits at: so the call's end is a stop that comes
//! anyway, no signal, no byte of the program is changed, and the call's result is where the number of a system call is looked
//! for. The thread's registers are then what they were. A signal that comes meanwhile is handled as always.
//!
//! A thread that computes and makes no such system call is held where its program calls the allocator: the processor has
//! registers for that (breakpoints without a changed byte). No vector register has anything of use there.
//!
//! Invariants:
//!
//! - **H1**: a thread is held only in a system call that waits for something outside (a file, a socket, a clock, another
//!   thread), or at the first instruction of an allocator's function, called by neither the C library nor the dynamic linker:
//!   it holds no lock of either.
//! - **H2**: whatever goes wrong, the thread is let go with its registers as they were.
//! - **H3**: the 128 bytes below its stack pointer, which compiled code may use, are not written.
//! - **H4**: a thread that is let go has no breakpoint, and got every signal that came. Only if the command is killed in the third of a
//!   second in which it waits at one, the program is ended by it.

mod breakpoints;
mod traced;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc::{user_fpregs_struct, user_regs_struct};
use nix::sys::ptrace::{self, regset::NT_PRFPREG};
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::attach::AttachError;
use crate::attach::process::{Running, Waits};

use breakpoints::{Allocator, set_breakpoints};
use traced::{SOON, Stop, seize, system, wait, wait_or_interrupt};

/// How long all threads are tried for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long one thread that does not wait is followed from system call to system call, or to its allocator.
const TURN: Duration = Duration::from_millis(300);
/// How long a call may take.
const CALL: Duration = Duration::from_secs(10);
/// Bytes below the stack pointer that compiled code may use, and as many more.
const UNTOUCHED: u64 = 256;
/// What the system has as the result of a system call that it has not made yet: -ENOSYS.
const NOT_MADE: u64 = -38_i64 as u64;
/// In place of the number of a system call: none.
const NONE: u64 = u64::MAX;
/// Bytes of the instruction.
const INSTRUCTION: u64 = 2;

/// System calls that wait for something outside of the process.
const WAITS: [u64; 32] = [
    0, 1, 7, 19, 20, 23, 34, 35, 43, 44, 45, 46, 47, 61, 65, 70, 73, 128, 130, 208, 230, 232, 247, 270, 271, 281, 288,
    299, 307, 426, 441, FUTEX,
];
const FUTEX: u64 = 202;
/// What conditions, joins and semaphores wait by, and no lock of an allocator.
const FUTEX_WAIT_BITSET: u64 = 9;

/// A thread that is held.
pub struct Held {
    thread: Pid,
    memory: File,
    registers: user_regs_struct,
    vectors: user_fpregs_struct,
    /// The stack pointer of the next call.
    stack: u64,
    /// The system call instruction at which a call ends.
    instruction: u64,
    is_held: bool,
}

impl Held {
    /// Holds one of the process's threads, if need be where it calls one of these functions in place of the allocator's.
    pub fn hold(running: &Running, hooks: &[u64]) -> Result<Held, AttachError> {
        let begun = Instant::now();
        let mut allocator = None;
        loop {
            // Those that wait come first: they are held at once, and nobody misses them.
            let waits = |&thread: &i32| running.waits(thread).is_some_and(|waits| is_outside(running, waits));
            let (waiting, others): (Vec<i32>, Vec<i32>) = running.threads().into_iter().partition(waits);
            for thread in waiting.into_iter().chain(others) {
                let thread = Pid::from_raw(thread);
                let mut held = Held::hold_thread(running, thread)?;
                if let Some(allocator) = allocator.as_ref().filter(|_| held.is_none()) {
                    held = Held::hold_at(running, thread, allocator)?;
                }
                match held {
                    Some(held) => return Ok(held),
                    None if !running.runs() => return Err(AttachError::Gone),
                    None if begun.elapsed() > PATIENCE => {
                        return Err(AttachError::NotHeld(running.process(), PATIENCE.as_secs()));
                    }
                    None => {}
                }
            }
            if !running.runs() {
                return Err(AttachError::Gone);
            }
            // None of them waits: each is looked for at its allocator as well from now on.
            allocator = allocator.or_else(|| Some(Allocator::of(running, hooks)));
        }
    }

    /// Holds this thread, if it comes to a system call soon at which it may be held.
    fn hold_thread(running: &Running, thread: Pid) -> Result<Option<Held>, AttachError> {
        let Some(memory) = seize(running, thread)? else { return Ok(None) };
        let until = Instant::now() + TURN;
        let mut stop = wait(thread, Instant::now() + SOON)?;
        loop {
            match stop {
                Stop::Gone => return Ok(None),
                Stop::Signal(signal) => ptrace::syscall(thread, signal).map_err(system)?,
                Stop::Held | Stop::Call => {
                    let registers = ptrace::getregs(thread).map_err(system)?;
                    let waits = Waits { call: registers.orig_rax, second: registers.rsi, at: registers.rip };
                    if registers.orig_rax != NONE && is_outside(running, waits) {
                        return Held::with(thread, memory, registers).map(Some);
                    }
                    ptrace::syscall(thread, None).map_err(system)?;
                }
            }
            stop = match wait(thread, until) {
                Err(AttachError::NotHeld(..)) => {
                    let _ = ptrace::interrupt(thread);
                    match wait(thread, Instant::now() + SOON)? {
                        Stop::Gone => {}
                        Stop::Signal(signal) => ptrace::detach(thread, signal).map_err(system)?,
                        Stop::Held | Stop::Call => ptrace::detach(thread, None).map_err(system)?,
                    }
                    return Ok(None);
                }
                other => other?,
            };
        }
    }

    /// Holds this thread where its program calls the allocator, if it does so soon.
    fn hold_at(running: &Running, thread: Pid, allocator: &Allocator) -> Result<Option<Held>, AttachError> {
        let Some(memory) = seize(running, thread)? else { return Ok(None) };
        let until = Instant::now() + TURN;
        // Breakpoints are set and taken back while it is held.
        let mut stop = wait(thread, Instant::now() + SOON)?;
        let mut is_set = false;
        loop {
            stop = match stop {
                Stop::Gone => return Ok(None),
                Stop::Held | Stop::Call if is_set => {
                    set_breakpoints(thread, &[]).and_then(|()| ptrace::detach(thread, None)).map_err(system)?;
                    return Ok(None);
                }
                Stop::Held | Stop::Call => {
                    is_set = true;
                    // A machine may have none.
                    if set_breakpoints(thread, &allocator.functions).is_err() {
                        ptrace::detach(thread, None).map_err(system)?;
                        return Ok(None);
                    }
                    ptrace::cont(thread, None).map_err(system)?;
                    wait_or_interrupt(thread, until)?
                }
                Stop::Signal(signal) => {
                    let registers = ptrace::getregs(thread).map_err(system)?;
                    let is_breakpoint = signal == Signal::SIGTRAP && allocator.functions.contains(&registers.rip);
                    if is_breakpoint && allocator.is_called_from_outside(&memory, registers.rsp) {
                        set_breakpoints(thread, &[]).map_err(system)?;
                        return Held::at(thread, memory, registers, allocator.instruction).map(Some);
                    }
                    ptrace::cont(thread, Some(signal).filter(|_| !is_breakpoint)).map_err(system)?;
                    wait_or_interrupt(thread, until)?
                }
            };
        }
    }

    fn with(thread: Pid, memory: File, mut registers: user_regs_struct) -> Result<Held, AttachError> {
        let instruction = registers.rip - INSTRUCTION;
        if registers.rax == NOT_MADE {
            // It is about to be made: it is made when the thread is let go, by the same instruction.
            registers.rip -= INSTRUCTION;
            registers.rax = registers.orig_rax;
            registers.orig_rax = NONE;
        }
        Held::at(thread, memory, registers, instruction)
    }

    fn at(thread: Pid, memory: File, registers: user_regs_struct, instruction: u64) -> Result<Held, AttachError> {
        let vectors = ptrace::getregset::<NT_PRFPREG>(thread).map_err(system)?;
        let stack = registers.rsp - UNTOUCHED;
        Ok(Held { thread, memory, registers, vectors, stack, instruction, is_held: true })
    }

    /// Puts bytes where functions can read them until the thread is let go; says where.
    pub fn put(&mut self, bytes: &[u8]) -> Result<u64, AttachError> {
        self.stack = (self.stack - bytes.len() as u64) & !15;
        self.memory.write_all_at(bytes, self.stack).map_err(AttachError::System)?;
        Ok(self.stack)
    }

    /// The text that begins there and ends with a zero.
    pub fn text(&self, mut at: u64) -> Result<String, AttachError> {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while at != 0 && bytes.len() < 1000 {
            self.memory.read_exact_at(&mut byte, at).map_err(AttachError::System)?;
            if byte[0] == 0 {
                break;
            }
            bytes.push(byte[0]);
            at += 1;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The words there.
    pub fn words(&self, at: u64) -> Result<[u64; 4], AttachError> {
        let mut bytes = [0; 32];
        self.memory.read_exact_at(&mut bytes, at).map_err(AttachError::System)?;
        Ok(std::array::from_fn(|word| {
            let bytes: [u8; 8] = std::array::from_fn(|byte| bytes[8 * word + byte]);
            u64::from_le_bytes(bytes)
        }))
    }

    /// Has the thread call a function; returns what it returns.
    pub fn call(&mut self, function: u64, arguments: [u64; 3]) -> Result<u64, AttachError> {
        let after = self.stack & !15;
        let back = self.instruction;
        self.memory.write_all_at(&back.to_le_bytes(), after - 8).map_err(AttachError::System)?;
        let mut registers = self.registers;
        registers.rip = function;
        registers.rsp = after - 8;
        [registers.rdi, registers.rsi, registers.rdx] = arguments;
        registers.rax = 0;
        registers.orig_rax = NONE;
        ptrace::setregs(self.thread, registers).map_err(system)?;
        ptrace::syscall(self.thread, None).map_err(system)?;
        let until = Instant::now() + CALL;
        loop {
            match wait(self.thread, until) {
                Ok(Stop::Gone) => {
                    self.is_held = false;
                    return Err(AttachError::Gone);
                }
                Ok(Stop::Signal(signal @ (Signal::SIGSEGV | Signal::SIGBUS | Signal::SIGILL | Signal::SIGTRAP))) => {
                    return Err(AttachError::Crashed(signal.to_string()));
                }
                Ok(Stop::Signal(signal)) => ptrace::syscall(self.thread, signal).map_err(system)?,
                Ok(Stop::Held | Stop::Call) => {
                    let now = ptrace::getregs(self.thread).map_err(system)?;
                    if now.rsp == after && now.rip == back + INSTRUCTION && now.rax == NOT_MADE {
                        return Ok(now.orig_rax);
                    }
                    ptrace::syscall(self.thread, None).map_err(system)?;
                }
                Err(error) => {
                    let _ = ptrace::interrupt(self.thread);
                    self.is_held = !matches!(wait(self.thread, Instant::now() + SOON)?, Stop::Gone);
                    return Err(match error {
                        AttachError::NotHeld(..) => AttachError::Crashed("it took too long".to_owned()),
                        error => error,
                    });
                }
            }
        }
    }

    /// Lets the thread go on as if nothing had been.
    pub fn release(mut self) -> Result<(), AttachError> {
        self.let_go().map_err(system)
    }

    fn let_go(&mut self) -> Result<(), Errno> {
        if !std::mem::replace(&mut self.is_held, false) {
            return Ok(());
        }
        let vectors = ptrace::setregset::<NT_PRFPREG>(self.thread, self.vectors);
        let registers = ptrace::setregs(self.thread, self.registers);
        ptrace::detach(self.thread, None).and(vectors).and(registers)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.let_go();
    }
}

/// Whether a thread that waits so is neither in its allocator nor in the dynamic linker (H1).
fn is_outside(running: &Running, waits: Waits) -> bool {
    let waits_outside = WAITS.contains(&waits.call) && (waits.call != FUTEX || waits.second & 127 == FUTEX_WAIT_BITSET);
    waits_outside && !running.is_in_linker(waits.at)
}
