//! Memory of the system's, which no allocator knows.

use std::io;
use std::ptr::NonNull;

/// Zeroed memory for a number of values, in pages that are touched at once. It is never given back (W2).
pub(crate) struct Mapping<T: 'static> {
    begin: NonNull<T>,
    count: usize,
}

// SAFETY: it owns its values, as a vector does.
unsafe impl<T: Send> Send for Mapping<T> {}
// SAFETY: shared, it gives out shared references only.
unsafe impl<T: Sync> Sync for Mapping<T> {}

/// Values for which every pattern of bits is one.
///
/// # Safety
///
/// Every pattern of bits is a value, also one of zeros, and none has a destructor.
pub(crate) unsafe trait Plain {}

// SAFETY: integers, with no padding between them: 8, 8, 4, 4, 4, 1, 1 and 2 bytes.
unsafe impl Plain for crate::scenario::Step {}

impl<T: Plain> Mapping<T> {
    /// Zeroed memory.
    pub fn new(count: usize) -> io::Result<Mapping<T>> {
        let bytes = count.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?.max(1);
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at a place of the system's choice touches no memory that anybody has.
        let begin = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags | libc::MAP_POPULATE, -1, 0) };
        if begin == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let begin = NonNull::new(begin.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Mapping { begin, count })
    }

    /// The values.
    pub fn as_slice(&self) -> &'static [T]
    where
        T: Sync,
    {
        // SAFETY: the mapping has room for them at a multiple of a page; every pattern is a value (Plain); it lives on (W2), and
        // a writer has it exclusively and was handed no slice before.
        unsafe { std::slice::from_raw_parts(self.begin.as_ptr(), self.count) }
    }

    /// The bytes of all values, before any is read.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for the slice; `self` is borrowed exclusively, and any bytes are values.
        unsafe { std::slice::from_raw_parts_mut(self.begin.as_ptr().cast(), self.count * size_of::<T>()) }
    }
}
