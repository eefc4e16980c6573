//! The invariants of a page heap, verified.

use crate::heap::Violation;
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::pages::directory::{CAPACITY, CLASSES, DIRECTORY, FIELDS, FREE, Field, OBJECTS, PLACE, RUN, RUNS, TOP};
use crate::pages::{BitmapSearch, PageHeap, Placement};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, F: BitmapSearch, S: Source, M: Meter, P: Placement> PageHeap<W, F, S, M, P> {
    /// Verifies every invariant; offsets are in words.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let directory = &self.directory;
        let peek = |at| directory.memory.peek(at);
        let (top, high) = (peek(TOP), peek(control::HIGH));
        if top == 0 || top > high || top - 1 > peek(CAPACITY) {
            return Err(broken("P5: the directory has no room for a page, or the high-water mark is too low", TOP));
        }
        if directory.start(top) * W::BYTES > directory.memory.length() {
            return Err(broken("P5: a page lies outside the region", directory.start(top)));
        }
        let (mut page, mut listed, mut run) = (1, 0, peek(RUNS));
        while page < top {
            let at = directory.start(page);
            let (kind, count) = (directory.peek(page, Field::Kind), directory.peek(page, Field::Count));
            let length = if kind >= OBJECTS { 1 } else { count };
            if length == 0 || page + length > top || kind >= OBJECTS + Self::classes(&self.sizes) {
                return Err(broken("P1: an entry is of no kind or length that can be", at));
            }
            match kind {
                FREE => {
                    self.check_free(page, length, run)?;
                    run = directory.peek(page, Field::Next);
                }
                RUN | DIRECTORY => {
                    if length > 1 && directory.peek(page + length - 1, Field::Kind) == FREE {
                        return Err(broken("P1: the end of a used run looks free", at));
                    }
                    if (kind == DIRECTORY) != (peek(PLACE) == at) {
                        return Err(broken("P1: the directory is not where its run is", at));
                    }
                }
                kind if kind >= OBJECTS => listed += usize::from(self.check_objects(page, kind - OBJECTS)?),
                _ => return Err(broken("P1: a run begins inside another", at)),
            }
            page += length;
        }
        if run != 0 {
            return Err(broken("P2: the list of free runs continues after the last", RUNS));
        }
        self.check_classes(listed)
    }

    /// P2 for the free run `page`, which the list names as `run`.
    fn check_free(&self, page: usize, length: usize, run: usize) -> Result<(), Violation> {
        let (directory, at) = (&self.directory, self.directory.start(page));
        if run != page {
            return Err(broken("P2: the list of free runs does not name the next one", at));
        }
        let (last, next) = (page + length - 1, directory.peek(page, Field::Next));
        if directory.peek(last, Field::Kind) != FREE || directory.peek(last, Field::Count) != length {
            return Err(broken("P2: a free run's end does not tell its length", at));
        }
        let top = directory.memory.peek(TOP);
        if P::IN_PAGES && directory.memory.peek(directory.peek_entry(page) + FIELDS) != page {
            return Err(broken("P2: the entry of a free run is of another page", at));
        }
        if last + 1 == top && length > self.directory.policy.values().retain || next == last + 1 {
            return Err(broken("P2: a free run touches another or the wilderness", at));
        }
        if next != 0 && (next >= top || directory.peek(next, Field::Previous) != page) {
            return Err(broken("P2: the links of free runs do not match", at));
        }
        Ok(())
    }

    /// P3 for a page of objects. Returns whether P4 requires it to be on its list.
    fn check_objects(&self, page: usize, class: usize) -> Result<bool, Violation> {
        let (memory, at) = (&self.directory.memory, self.directory.start(page));
        let map = self.bitmap(page, self.directory.peek_entry(page), class);
        let under = self.under_entry(class);
        let words = map.objects.div_ceil(W::BITS);
        let bits: usize = (0..words).map(|word| memory.peek(map.at + word).count_ones() as usize).sum();
        let within = (under..map.objects).filter(|&object| map.is_free(memory, object)).count();
        if bits != within || bits != self.directory.peek(page, Field::Count) || bits == map.objects - under {
            return Err(broken("P3: the bitmap and the count of free objects differ, or all are free", at));
        }
        if !F::agrees(memory, map) {
            return Err(broken("P3: the tree over a bitmap does not agree with it", at));
        }
        Ok(bits > 0)
    }

    /// P4: the lists hold `listed` pages, each of its class and with a free object.
    fn check_classes(&self, listed: usize) -> Result<(), Violation> {
        let (directory, mut found) = (&self.directory, 0);
        for class in 0..Self::classes(&self.sizes) {
            let (mut page, mut previous) = (directory.memory.peek(CLASSES + class), 0);
            while page != 0 {
                if page >= directory.memory.peek(TOP) || found == listed {
                    return Err(broken(
                        "P4: a class lists a page that it must not, or runs in a circle",
                        CLASSES + class,
                    ));
                }
                if directory.peek(page, Field::Kind) != OBJECTS + class
                    || directory.peek(page, Field::Count) == 0
                    || directory.peek(page, Field::Previous) != previous
                {
                    return Err(broken("P4: a page on a list is full, of another class, or linked wrongly", page));
                }
                found += 1;
                previous = page;
                page = directory.peek(page, Field::Next);
            }
        }
        if found == listed {
            self.check_held()
        } else {
            Err(broken("P4: a page with a free object is on no list", PLACE))
        }
    }

    /// The page that has its entry at this word, or one that is none.
    fn page_with(&self, entry: usize) -> usize {
        let top = self.directory.memory.peek(TOP);
        (1..top).find(|&page| self.directory.peek_entry(page) == entry).unwrap_or(top)
    }

    /// P6, where the search has a unit.
    fn check_held(&self) -> Result<(), Violation> {
        let (directory, classes) = (&self.directory, Self::classes(&self.sizes));
        for class in 0..F::control_words(classes) {
            let at = self.held(class);
            let page = directory.memory.peek(at);
            // Where entries lie in pages, the bitmap's place is held (`Bitmap::page`).
            let page = if P::IN_PAGES && page != 0 { self.page_with(page - FIELDS) } else { page };
            if page >= directory.memory.peek(TOP) || page != 0 && directory.peek(page, Field::Kind) != OBJECTS + class {
                return Err(broken("P6: the unit holds a page that is not of its class", at));
            }
        }
        Ok(())
    }
}
