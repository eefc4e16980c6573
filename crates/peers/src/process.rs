//! The system calls of a process that measures its own memory.

/// From now on the system backs this process's memory with pages of the smallest size only, so
/// that pages touched are bytes touched. Returns whether the system does.
pub fn without_huge_pages() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: the call changes a flag of the process and reads no memory.
    return unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) } == 0;
    #[cfg(not(target_os = "linux"))]
    false
}
