//! Where a hook was called from, and the hash that distinguishes stacks: for the recorder, the agent and the library
//! of `heapsmith run`.

/// Where a hook was called from.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The place of the return address; null for none.
    pub return_at: *const u64,
    /// The caller's `rbp`.
    pub rbp: u64,
}

impl Caller {
    /// Nobody.
    pub const NONE: Caller = Caller { return_at: core::ptr::null(), rbp: 0 };

    /// Whether this is nobody.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.return_at.is_null()
    }

    /// The caller of the hook that this is inlined into.
    #[cfg(heapsmith_library)]
    #[inline(always)]
    pub fn of_hook() -> Caller {
        let frame: *const u64;
        // SAFETY: reads a register. The build script that says `heapsmith_library` asks for frame pointers, so it points
        // at the caller's `rbp`, which the return address follows.
        unsafe {
            core::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack, preserves_flags));
            Caller { return_at: frame.add(1), rbp: *frame }
        }
    }

    /// Nobody: without frame pointers nothing is known.
    #[cfg(not(heapsmith_library))]
    #[inline(always)]
    pub fn of_hook() -> Caller {
        Caller::NONE
    }
}

/// The hash of a stack's return addresses; never 0, which an empty entry of a table has.
pub fn hash(frames: &[u64]) -> u64 {
    let mix = |hash: u64, frame: &u64| {
        let product = (hash ^ frame).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 29
    };
    frames.iter().fold(frames.len() as u64, mix) | 1
}

/// Stacks that a window remembers.
pub const REMEMBERED: usize = 4096;

/// Where a stack of this hash is remembered; another one that was is forgotten.
pub fn place(hash: u64) -> usize {
    (hash >> 32) as usize % REMEMBERED
}
