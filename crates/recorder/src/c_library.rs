//! Functions of the C library that is linked into a program, other than those of its allocator: what the hooks of the
//! preloaded library are for (`hooks.rs`), reached by the jumps of [`own_functions`](crate::own_functions).

use heapsmith_capture::own_functions::Role;

#[cfg(not(heapsmith_alone))]
pub use elsewhere::{after, before};
#[cfg(heapsmith_alone)]
pub use here::{after, before};

/// In a preloaded library no such function is hooked by a jump.
#[cfg(not(heapsmith_alone))]
mod elsewhere {
    use super::Role;

    pub fn before(_: Role, _: usize, _: usize, _: usize) -> bool {
        false
    }

    pub fn after() {}
}

#[cfg(heapsmith_alone)]
mod here {
    use core::ffi::c_int;

    use heapsmith_capture::system::{Limit, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, SECCOMP_SET_MODE_STRICT, SYS_SECCOMP};
    use heapsmith_capture::{cold, current};

    use super::Role;

    /// Notes what a call with these arguments is about to do; whether its end is of interest, too. If the system refuses a restriction,
    /// what was taken for it stays in use.
    pub fn before(role: Role, a: usize, b: usize, c: usize) -> bool {
        match role {
            Role::Exit => cold::end_of_process(),
            Role::ThreadExit => cold::end_thread(),
            Role::Prctl if a == PR_SET_SECCOMP as usize => cold::restrict(b == SECCOMP_MODE_STRICT),
            Role::Syscall if a == SYS_SECCOMP as usize => cold::restrict(b == SECCOMP_SET_MODE_STRICT as usize),
            // SAFETY: the program passes null or a limit.
            Role::Setrlimit => unsafe { cold::limit(a as c_int, b as *const Limit) },
            // SAFETY: as above. The limit of another process costs a reserve.
            Role::Prlimit => unsafe { cold::limit(b as c_int, c as *const Limit) },
            Role::UsableSize => current::asks_size(),
            _ => {}
        }
        matches!(role, Role::ThreadCache | Role::ThreadDestructors)
    }

    /// A call whose end is of interest has ended: the thread's last.
    pub fn after() {
        cold::end_thread();
    }
}
