//! The handler of SIGSEGV: says which block a program accessed beyond its bytes or after it was freed, and ends it.
//!
//! It is there with the layer `guard` alone, and only where nothing handles the signal when the process starts. In a program
//! that sets its own handler that one is called. A fault elsewhere ends the program as it would without a handler.

use core::ffi::c_void;
use core::mem::zeroed;
use core::ptr::null_mut;

use libc::{c_int, siginfo_t, ucontext_t};

use crate::heap_error;
use crate::process::begun;

/// The bit of the processor's error code that says that the access was a write.
const WRITE: i64 = 2;

/// Handles faults from now on.
pub fn begin() {
    // SAFETY: asks for the handler, and sets one that stays where it is; zeros are no flags and no signals.
    unsafe {
        let mut now: libc::sigaction = zeroed();
        if libc::sigaction(libc::SIGSEGV, null_mut(), &raw mut now) != 0 || now.sa_sigaction != libc::SIG_DFL {
            return;
        }
        let mut ours: libc::sigaction = zeroed();
        ours.sa_sigaction = on_fault as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const ours, null_mut());
    }
}

/// # Safety
///
/// The system calls it.
unsafe extern "C" fn on_fault(signal: c_int, information: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: what the system passes.
    let (sent, address, error) = unsafe {
        let registers = (*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        ((*information).si_code <= 0, (*information).si_addr().addr(), registers[libc::REG_ERR as usize])
    };
    if !sent
        && let Some(guard) = begun().and_then(|process| process.page_guard.as_ref())
        && guard.owns(address)
    {
        heap_error::accessed(address, error & WRITE != 0, guard.nearest(address));
    }
    // SAFETY: the default ends the process, when the instruction is executed again or the signal is sent again.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if sent {
            libc::raise(signal);
        }
    }
}
