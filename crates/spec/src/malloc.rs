//! Which heaps can serve `malloc`.

use crate::{ChunkHead, Layer, Pool, Spec, WordSize};

/// Why a heap cannot serve as `malloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MallocError {
    /// Its region is too small for any program.
    #[error("a word of 2 bytes reaches over 32 KiB; write word=4 or word=8")]
    Word,
    /// It takes blocks back in one order only.
    #[error("a stack takes blocks back last in, first out only")]
    Stack,
    /// It has blocks of one size.
    #[error("its blocks are all of one size")]
    Fixed,
    /// Its headers reach no further than a small region.
    #[error("packed headers reach over 256 KiB at most; write header=2")]
    Packed,
    /// It has regions of fixed sizes.
    #[error("regions have fixed sizes, and malloc takes its memory from the system")]
    Regions,
    /// It reserves memory that no call of `malloc` can request.
    #[error("malloc knows no priorities, so nothing could use the reserve")]
    Reserve,
}

impl Spec {
    /// The alignment of every block of `malloc`, in bytes: it may hold any type.
    pub const MALLOC_ALIGNMENT: u32 = 16;

    /// This heap as one behind `malloc`: its blocks are multiples of [`Spec::MALLOC_ALIGNMENT`] bytes.
    ///
    /// # Errors
    ///
    /// [`MallocError`], for heaps that no program could run on.
    pub fn for_malloc(&self) -> Result<Spec, MallocError> {
        match (&self.pool, self.word) {
            (_, WordSize::Two) => return Err(MallocError::Word),
            (Pool::Stack(_), _) => return Err(MallocError::Stack),
            (Pool::Chunks(chunks), _) if chunks.header == ChunkHead::Packed => return Err(MallocError::Packed),
            (Pool::Fixed(_), _) => return Err(MallocError::Fixed),
            _ => {}
        }
        if self.regions().is_some() {
            return Err(MallocError::Regions);
        }
        if self.layers.iter().any(|layer| matches!(layer, Layer::Reserve(_))) {
            return Err(MallocError::Reserve);
        }
        Ok(Spec { alignment: self.alignment.max(Self::MALLOC_ALIGNMENT), ..self.clone() })
    }
}
