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
    /// Pages above the footprint and inside free blocks, each time that this many blocks were freed, or a quarter as many as the
    /// heap has, where that is more.
    After(u32),
}

impl Purge {
    /// Whether blocks are visited, to find those that are free.
    pub fn visits_blocks(self) -> bool {
        matches!(self, Self::After(_))
    }
}
