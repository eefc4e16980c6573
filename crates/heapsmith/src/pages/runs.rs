//! Runs of pages: found, grown and shrunk.

use core::ptr::NonNull;

use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::pages::directory::{CAPACITY, FREE, Field, OBJECTS, RECORD, RUN, RUNS, TOP};
use crate::pages::{BitmapSearch, PageHeap, Placement, Wanted};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, F: BitmapSearch, S: Source, M: Meter, P: Placement> PageHeap<W, F, S, M, P> {
    /// A used run of `length` pages at a multiple of `alignment` bytes: index of its first word.
    pub(super) fn allocate_run(&mut self, length: usize, alignment: usize) -> Option<usize> {
        let step = (alignment / self.sizes.page).max(1);
        let (page, way) = self.take_run(length, step)?;
        self.directory.write_used(page, length, RUN);
        self.directory.memory.meter.served(way);
        Some(self.directory.start(page))
    }

    /// The first page from `page` on whose address is a multiple of `step` pages.
    #[inline]
    fn next_place(&self, page: usize, step: usize) -> usize {
        if step == 1 {
            return page;
        }
        let base = (self.directory.memory.base_address() + self.directory.first * W::BYTES) / self.sizes.page - 1;
        (base + page).next_multiple_of(step) - base
    }

    /// Takes pages off the first free run that holds them, else off the wilderness. Before it refuses, what the heap
    /// keeps for itself goes back as far as it can.
    pub(super) fn take_run(&mut self, length: usize, step: usize) -> Option<(usize, ServePath)> {
        loop {
            if let Some(found) = self.take_or_grow(length, step) {
                return Some(found);
            }
            if !self.give_back() {
                break;
            }
        }
        // Growing may move the directory away again: it is tried once.
        let dropped = self.directory.move_back(self.control())?;
        self.drop_entry(dropped);
        while self.give_back() {}
        self.take_or_grow(length, step)
    }

    /// Takes pages off the first free run that holds them, else off the wilderness.
    #[inline]
    fn take_or_grow(&mut self, length: usize, step: usize) -> Option<(usize, ServePath)> {
        self.take_free(length, step).or_else(|| self.grow(length, step).map(|page| (page, ServePath::ByGrowing)))
    }

    /// Takes pages off the first free run that holds them.
    fn take_free(&mut self, length: usize, step: usize) -> Option<(usize, ServePath)> {
        let mut page = self.directory.memory.load(RUNS);
        while page != 0 {
            self.directory.memory.visit();
            let free = self.directory.get(page, Field::Count);
            let from = self.next_place(page, step);
            if from + length <= page + free {
                let dropped = self.directory.carve(page, free, from, length);
                if P::IN_PAGES {
                    // What is dropped may free pages next to these.
                    self.directory.write_used(from, length, RUN);
                }
                self.drop_entry(dropped);
                return Some((from, if free == length { ServePath::AtOnce } else { ServePath::AfterSplit }));
            }
            page = self.directory.get(page, Field::Next);
        }
        None
    }

    /// Takes pages off the wilderness; what is skipped before them becomes a free run.
    fn grow(&mut self, length: usize, step: usize) -> Option<usize> {
        let mut top = self.directory.memory.load(TOP);
        let mut page = self.next_place(top, step);
        if page + length - 1 > self.directory.memory.load(CAPACITY) {
            let dropped = self.directory.enlarge(length, step - 1)?;
            self.drop_entry(dropped);
            top = self.directory.memory.load(TOP);
            page = self.next_place(top, step);
        }
        let end = page + length;
        if !self.directory.memory.ensure_len(self.directory.start(end)) {
            return None;
        }
        self.directory.set_top(end);
        let retains = self.directory.policy.values().retain > 0;
        if P::IN_PAGES || retains {
            self.directory.write_used(page, length, RUN);
        }
        if page > top && retains {
            let dropped = self.directory.free(top, page - top);
            self.drop_entry(dropped);
        } else if page > top {
            self.directory.add_last(top, page - top);
        }
        Some(page)
    }

    /// Gives back something that the heap keeps for itself: a lost entry, the spare one, an object with the entry of a free run, the
    /// free run at the end. Returns whether there was any.
    #[cold]
    fn give_back(&mut self) -> bool {
        if P::IN_PAGES {
            let at = self.directory.spare;
            let (spare, lost) = (self.directory.memory.load(at), self.directory.memory.load(at - 1));
            if lost != 0 {
                let next = self.directory.memory.load(lost + Field::Next as usize);
                self.directory.memory.store(at - 1, next);
                self.free_entry(lost, false);
                return true;
            }
            if spare != 0 {
                self.directory.memory.store(at, 0);
                self.free_entry(spare, false);
                return true;
            }
        }
        if let Some(entry) = self.directory.take_entry_in() {
            self.free_entry(entry, false);
            return true;
        }
        let Some(dropped) = self.directory.release_last() else { return false };
        self.drop_entry(dropped);
        true
    }

    /// Frees a run of pages. `spare`: whether it may take an object for its entry, where entries lie apart.
    pub(super) fn free_run(&mut self, page: usize, length: usize, spare: bool) {
        if P::IN_PAGES && spare {
            self.keep_spare();
        }
        let dropped = self.directory.free(page, length);
        self.drop_entry(dropped);
    }

    /// Takes an object for the entry of the next free run, if there is none and one can be had. Taking a page for it may
    /// leave an entry of a run that is used up: phkmalloc loses that one, here it waits on a list of such.
    pub(super) fn keep_spare(&mut self) {
        let at = self.directory.spare;
        if self.directory.memory.load(at) != 0 {
            return;
        }
        let Some((entry, _)) = self.take_object(self.class_of(RECORD * W::BYTES)) else { return };
        let other = self.directory.memory.load(at);
        self.directory.memory.store(at, entry);
        if other != 0 {
            let next = self.directory.memory.load(at - 1);
            self.directory.memory.store(other + Field::Next as usize, next);
            self.directory.memory.store(at - 1, other);
        }
    }

    /// An entry that lies apart is of no use any more: it is kept for the next free run, or freed.
    fn drop_entry(&mut self, entry: usize) {
        if !P::IN_PAGES || entry == 0 {
            return;
        }
        if self.directory.memory.load(self.directory.spare) == 0 {
            self.directory.memory.store(self.directory.spare, entry);
        } else {
            self.free_entry(entry, true);
        }
    }

    /// Frees the object that an entry is in.
    pub(super) fn free_entry(&mut self, at: usize, spare: bool) {
        let page = self.directory.page_of(at);
        let entry = self.directory.entry_at(page);
        let class = self.directory.kind_of(entry) - OBJECTS;
        self.free_object(page, entry, class, at, spare);
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
        if length != old && !self.directory.policy.values().resize {
            return None;
        }
        if length <= old {
            self.directory.write_used(page, length, RUN);
            if length < old {
                self.free_run(page + length, old - length, true);
            }
            return Some(ServePath::AtOnce);
        }
        let (next, end) = (page + old, page + length);
        let (top, mut dropped) = (self.directory.memory.load(TOP), 0);
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
            dropped = self.directory.carve(next, free, next, end - next);
            ServePath::AfterCoalescing
        };
        self.directory.write_used(page, length, RUN);
        self.drop_entry(dropped);
        Some(way)
    }
}
