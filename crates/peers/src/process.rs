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

/// Runs `start`, which starts a process whose addresses are the same in every run, if the system lets them be: where its memory
/// lies is no chance then. What this process itself has stays where it is.
pub fn with_fixed_addresses<T>(start: impl FnOnce() -> T) -> T {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// Asks for the personality alone.
        const ASK: libc::c_ulong = 0xffff_ffff;
        // SAFETY: the call reads and changes a flag of the process, which takes effect in the programs that it starts.
        let before = unsafe { libc::personality(ASK) };
        if before >= 0 {
            // SAFETY: as above; a system that refuses changes nothing.
            unsafe { libc::personality(before as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
            let started = start();
            // SAFETY: as above.
            unsafe { libc::personality(before as libc::c_ulong) };
            return started;
        }
    }
    start()
}
