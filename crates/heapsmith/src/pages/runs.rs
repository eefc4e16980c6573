//! Runs of pages: found, grown and shrunk.

use core::ptr::NonNull;

use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::pages::directory::{CAPACITY, FREE, Field, OBJECTS, RUN, RUNS, TOP};
use crate::pages::{BitmapSearch, PageHeap, Wanted};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, F: BitmapSearch, S: Source, M: Meter> PageHeap<W, F, S, M> {
    /// A used run of `length` pages at a multiple of `alignment` bytes: index of its first word.
    pub(super) fn allocate_run(&mut self, length: usize, alignment: usize) -> Option<usize> {
        let step = (alignment / self.sizes.page).max(1);
        let (page, way) = self.take_run(length, step)?;
        self.directory.write_used(page, length, RUN);
        self.directory.memory.meter.served(way);
        Some(self.directory.start(page))
    }

    /// The first page from `page` on whose address is a multiple of `step` pages.
    fn next_place(&self, page: usize, step: usize) -> usize {
        let base = (self.directory.memory.base_address() + self.directory.first * W::BYTES) / self.sizes.page - 1;
        (base + page).next_multiple_of(step) - base
    }

    /// Takes pages off the first free run that holds them, else off the wilderness.
    pub(super) fn take_run(&mut self, length: usize, step: usize) -> Option<(usize, ServePath)> {
        let mut page = self.directory.memory.load(RUNS);
        while page != 0 {
            self.directory.memory.visit();
            let free = self.directory.get(page, Field::Count);
            let from = self.next_place(page, step);
            if from + length <= page + free {
                self.directory.carve(page, free, from, length);
                return Some((from, if free == length { ServePath::AtOnce } else { ServePath::AfterSplit }));
            }
            page = self.directory.get(page, Field::Next);
        }
        let grown = match self.grow(length, step) {
            None if self.directory.move_back(self.control()) => self.grow(length, step),
            grown => grown,
        };
        grown.map(|page| (page, ServePath::ByGrowing))
    }

    /// Takes pages off the wilderness; what is skipped before them becomes a free run.
    fn grow(&mut self, length: usize, step: usize) -> Option<usize> {
        let mut top = self.directory.memory.load(TOP);
        let mut page = self.next_place(top, step);
        if page + length - 1 > self.directory.memory.load(CAPACITY) {
            if !self.directory.enlarge(length, step - 1) {
                return None;
            }
            top = self.directory.memory.load(TOP);
            page = self.next_place(top, step);
        }
        let end = page + length;
        if !self.directory.memory.ensure_len(self.directory.start(end)) {
            return None;
        }
        self.directory.set_top(end);
        if page > top {
            self.directory.add_last(top, page - top);
        }
        Some(page)
    }

    /// Resizes the object or run to `size` bytes in place, if it can
    /// and would not be larger than needed there.
    pub(super) fn resize(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        let Some(wanted) = self.wanted(size, self.sizes.alignment) else { return false };
        let page = self.directory.page_of(self.directory.memory.index(pointer));
        let kind = self.directory.get(page, Field::Kind);
        let way = match wanted {
            Wanted::Object(class) if kind == OBJECTS + class => Some(ServePath::AtOnce),
            Wanted::Run(length) if kind == RUN => self.resize_run(page, length),
            _ => None,
        };
        if let Some(way) = way {
            self.directory.memory.meter.served(way);
        }
        way.is_some()
    }

    fn resize_run(&mut self, page: usize, length: usize) -> Option<ServePath> {
        let old = self.directory.get(page, Field::Count);
        if length <= old {
            self.directory.write_used(page, length, RUN);
            if length < old {
                self.directory.free(page + length, old - length);
            }
            return Some(ServePath::AtOnce);
        }
        let (next, end) = (page + old, page + length);
        let top = self.directory.memory.load(TOP);
        let way = if next == top {
            if end - 1 > self.directory.memory.load(CAPACITY)
                || !self.directory.memory.ensure_len(self.directory.start(end))
            {
                return None;
            }
            self.directory.set_top(end);
            ServePath::ByGrowing
        } else {
            if self.directory.get(next, Field::Kind) != FREE {
                return None;
            }
            let free = self.directory.get(next, Field::Count);
            if next + free < end {
                return None;
            }
            self.directory.carve(next, free, next, end - next);
            ServePath::AfterCoalescing
        };
        self.directory.write_used(page, length, RUN);
        Some(way)
    }
}
