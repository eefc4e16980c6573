//! When memory that a heap does not use goes back to the system.

/// When memory that a heap does not use goes back to the system: `purge=after(4096)`.
///
/// It says how the heap serves a running program (`heapsmith run`, a library that is preloaded), and changes no address. A replay
/// counts what a heap takes of its region, whatever the system has of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Purge {
    /// Pages above the footprint, where it has fallen by enough, and by twice as much each time.
    #[default]
    Top,
    /// Nothing ever does: no page is touched for the first time twice.
    Never,
    /// Pages above the footprint and inside free blocks, after each delay, and not before a quarter as many blocks were freed as the
    /// heap has.
    After(Delay),
    /// The same pages at the same moments, but the system takes them when it lacks memory (`MADV_FREE`): until then they are the heap's,
    /// and are used again without a fault.
    Lazy(Delay),
}

/// How long memory is kept that the heap does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delay {
    /// Until this many blocks were freed.
    Frees(u32),
    /// Until this many milliseconds have passed. It is looked when blocks are freed: a program that frees nothing gives nothing back.
    Milliseconds(u32),
}

impl Purge {
    /// How long pages inside free blocks are kept, where they go back: blocks are visited then, to find those that are free.
    pub fn delay(self) -> Option<Delay> {
        match self {
            Self::After(delay) | Self::Lazy(delay) => Some(delay),
            Self::Top | Self::Never => None,
        }
    }

    /// Whether the system takes the pages when it lacks memory, and not before.
    pub fn is_lazy(self) -> bool {
        matches!(self, Self::Lazy(_))
    }
}
