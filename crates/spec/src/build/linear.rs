//! Blocks one behind the other, from a spec: bump allocators and stacks.

use heapsmith::{Frees, Linear, Meter, Source, Word};

use super::{BuildError, Job, Parts};

impl<'a, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>> Parts<'_, 'a, S, M, J> {
    pub(crate) fn linear<W: Word>(self, frees: Frees) -> Result<J::Output, BuildError> {
        let alignment = self.without_free_lists()?.alignment as usize;
        Ok(self.job.run(Linear::<W, S, M>::from_parts(self.source, alignment, frees, self.meter)?))
    }
}
