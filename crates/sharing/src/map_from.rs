//! Which requests are mapped by themselves: large ones, and those of a size that the program frees and asks for again are not.

/// Bytes from which on requests are mapped by themselves at first.
pub const MAP_FROM: usize = 256 << 10;

/// The size up to which requests may come to go to the heap.
const MAX: usize = 32 << 20;

/// From which size on requests are mapped by themselves after a mapped block of `freed` bytes was freed, where they were from
/// `from` on: the rule of the GNU C library (mallopt(3), `M_MMAP_THRESHOLD`). None where that stays as it was.
pub fn raised(from: usize, freed: usize) -> Option<usize> {
    (freed <= MAX && freed >= from).then_some(freed + 1)
}
