//! Page heaps from a spec.

use heapsmith::parts::Checked;
use heapsmith::parts::pages::{
    self, ByTree, ByWord, Hardware, InDirectory, InPages, Linear, PagePolicy, PageSizes, Placement, Usual,
};
use heapsmith::{Meter, Source, Word};

use super::{BuildError, Job, Parts, bytes};
use crate::{Check, PageInfo, PageOrder, PageSearch, Pages, Spec};

/// Words of the object or run that serves a request of `size` bytes.
pub(crate) fn words_for(pages: &Pages, spec: &Spec, size: u64) -> Option<usize> {
    let min = pages.min.max(spec.alignment.into());
    let size = match size {
        0 => return None,
        size if size.max(min) <= pages.page / 2 => size.max(min).next_power_of_two(),
        size => size.checked_next_multiple_of(pages.page)?,
    };
    (size <= spec.word.max_region()).then(|| bytes(size / u64::from(spec.word.bytes())))
}

impl<'a, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>> Parts<'_, 'a, S, M, J> {
    pub(crate) fn pages<W: Word>(self, pages: &Pages) -> Result<J::Output, BuildError> {
        match pages.search {
            PageSearch::Linear => self.searched::<W, Linear>(pages),
            PageSearch::Word => self.searched::<W, ByWord>(pages),
            PageSearch::Tree => self.searched::<W, ByTree>(pages),
            PageSearch::Hardware(_) => self.searched::<W, Hardware>(pages),
        }
    }

    fn searched<W: Word, F: pages::BitmapSearch + Default + 'a>(self, pages: &Pages) -> Result<J::Output, BuildError> {
        let order = match pages.order {
            PageOrder::Lifo => pages::PageOrder::Lifo,
            PageOrder::Address => pages::PageOrder::Address,
            PageOrder::Phk => pages::PageOrder::Phk,
        };
        let policy = PagePolicy { order, retain: bytes(pages.retain), resize: pages.resize };
        // Of what no constant leads to, nothing is compiled.
        if J::CHECKED {
            return match self.spec.check {
                Check::Off => Err(BuildError::CheckLeftOut),
                Check::Header => self.placed::<W, F, _>(pages, Checked(InDirectory(policy))),
            };
        }
        if self.spec.check == Check::Header {
            return Err(BuildError::CheckLeftOut);
        }
        match pages.info {
            PageInfo::Directory if policy == PagePolicy::DEFAULT => self.placed::<W, F, _>(pages, Usual),
            PageInfo::Directory => self.placed::<W, F, _>(pages, InDirectory(policy)),
            PageInfo::Page => self.placed::<W, F, _>(pages, InPages(policy)),
        }
    }

    fn placed<W: Word, F: pages::BitmapSearch + Default + 'a, P: Placement + 'a>(
        self,
        pages: &Pages,
        policy: P,
    ) -> Result<J::Output, BuildError> {
        let alignment = self.without_free_lists()?.alignment as usize;
        let sizes = PageSizes { page: bytes(pages.page), min: bytes(pages.min), alignment };
        let (source, meter, search) = (self.source, self.meter, F::default());
        let heap = heapsmith::parts::PageHeap::<W, F, S, M, P>::with_policy(source, sizes, policy, meter, search)?;
        Ok(self.job.run(heap))
    }
}
