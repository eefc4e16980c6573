//! The page directory: an entry a page, and where it lies.
//!
//! ```text
//!   entry  ┌──────┬───────┬──────┬──────────┬───────────────┐
//!          │ kind │ count │ next │ previous │ bitmap …      │
//!          └──────┴───────┴──────┴──────────┴───────────────┘
//!   kind   free run | used run | directory | inside a used run | objects of class c
//!   count  pages of the run, or free objects
//! ```
//!
//! Pages are numbered from 1, so that 0 is no page. A run's first entry holds
//! its length; a free run's last entry does too, and a used run's last entry
//! says that it is none. Entries between are not read.
//!
//! The directory begins in the space between the control words and the first
//! page. When it is full it moves to a run of pages, twice as large. Before a request is refused it moves back
//! to that space, if the pages below it fit there and none is used above it: so an empty heap serves what it
//! served at the start.

use crate::index::control;
use crate::memory::{Memory, Words};
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

/// Kind of an entry: the last page of a used run of several.
pub(super) const INSIDE: usize = 0;
/// Kind of an entry: first or last page of a free run.
pub(super) const FREE: usize = 1;
/// Kind of an entry: first page of a used run.
pub(super) const RUN: usize = 2;
/// Kind of an entry: first page of the directory itself.
pub(super) const DIRECTORY: usize = 3;
/// Kind of an entry: objects of class 0. The other classes follow.
pub(super) const OBJECTS: usize = 4;

/// Control word: the number of the wilderness's first page.
pub(super) const TOP: usize = control::TOP;
/// Control word: index of the first entry.
pub(super) const PLACE: usize = control::INDEX;
/// Control word: entries that the directory has room for.
pub(super) const CAPACITY: usize = control::INDEX + 1;
/// Control word: the first free run.
pub(super) const RUNS: usize = control::INDEX + 2;
/// Control word: the first page with a free object of class 0. The other classes follow.
pub(super) const CLASSES: usize = control::INDEX + 3;

/// Words of an entry before its bitmap.
pub(super) const FIELDS: usize = 4;

/// A word of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Kind = 0,
    Count = 1,
    Next = 2,
    Previous = 3,
}

/// The directory over the pages of one region.
#[derive(Debug)]
pub(super) struct Directory<W, S, M> {
    pub memory: Memory<W, S, M>,
    /// Index of the first word of page 1.
    pub first: usize,
    /// Words of a page.
    pub page: usize,
    /// Words of an entry.
    pub entry: usize,
}

impl<W: Word, S: Source, M: Meter> Directory<W, S, M> {
    /// The entry of a page.
    #[inline(always)]
    pub fn entry_at(&mut self, page: usize) -> usize {
        self.memory.load(PLACE) + (page - 1) * self.entry
    }

    /// Reads a field of the entry of a page.
    #[inline(always)]
    pub fn get(&mut self, page: usize, field: Field) -> usize {
        let at = self.entry_at(page) + field as usize;
        self.memory.load(at)
    }

    /// Writes a field of the entry of a page.
    #[inline(always)]
    pub fn set(&mut self, page: usize, field: Field, value: usize) {
        let at = self.entry_at(page) + field as usize;
        self.memory.store(at, value);
    }

    /// Reads a field of the entry of a page, unmetered.
    pub fn peek(&self, page: usize, field: Field) -> usize {
        self.memory.peek(self.memory.peek(PLACE) + (page - 1) * self.entry + field as usize)
    }

    /// Index of the first word of a page.
    #[inline(always)]
    pub fn start(&self, page: usize) -> usize {
        self.first + (page - 1) * self.page
    }

    /// The page that a word lies in.
    #[inline(always)]
    pub fn page_of(&self, at: usize) -> usize {
        (at - self.first) / self.page + 1
    }

    /// Lets the wilderness begin at page `top`.
    pub fn set_top(&mut self, top: usize) {
        self.memory.store(TOP, top);
        if top > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, top);
        }
    }

    /// Makes a used run of `kind`.
    pub fn write_used(&mut self, page: usize, length: usize, kind: usize) {
        self.set(page, Field::Kind, kind);
        self.set(page, Field::Count, length);
        if length > 1 {
            self.set(page + length - 1, Field::Kind, INSIDE);
        }
    }

    /// Writes both ends of a free run.
    fn write_free(&mut self, page: usize, length: usize) {
        for end in [page, page + length - 1] {
            self.set(end, Field::Kind, FREE);
            self.set(end, Field::Count, length);
        }
    }

    /// Puts a page behind `previous` on the list with this head; 0 is in front.
    pub fn link(&mut self, head: usize, previous: usize, page: usize) {
        let next = if previous == 0 { self.memory.load(head) } else { self.get(previous, Field::Next) };
        self.set(page, Field::Next, next);
        self.set(page, Field::Previous, previous);
        if next != 0 {
            self.set(next, Field::Previous, page);
        }
        if previous == 0 { self.memory.store(head, page) } else { self.set(previous, Field::Next, page) }
    }

    /// Takes a page off the list with this head, and returns the page before it.
    pub fn unlink(&mut self, head: usize, page: usize) -> usize {
        let next = self.get(page, Field::Next);
        let previous = self.get(page, Field::Previous);
        if previous == 0 {
            self.memory.store(head, next)
        } else {
            self.set(previous, Field::Next, next)
        }
        if next != 0 {
            self.set(next, Field::Previous, previous);
        }
        previous
    }

    /// Takes `length` pages from `from` on out of the free run `page` of `free` pages.
    pub fn carve(&mut self, page: usize, free: usize, from: usize, length: usize) {
        let (before, after) = (from - page, page + free - (from + length));
        let mut previous = page;
        if before > 0 {
            self.write_free(page, before);
        } else {
            previous = self.unlink(RUNS, page);
        }
        if after > 0 {
            self.write_free(from + length, after);
            self.link(RUNS, previous, from + length);
        }
    }

    /// Frees a run of pages; it joins the free runs next to it, or the wilderness.
    pub fn free(&mut self, page: usize, length: usize) {
        let top = self.memory.load(TOP);
        let (mut page, mut end, mut place) = (page, page + length, None);
        if end < top && self.get(end, Field::Kind) == FREE {
            let next = end;
            end += self.get(next, Field::Count);
            place = Some(self.unlink(RUNS, next));
        }
        if page > 1 && self.get(page - 1, Field::Kind) == FREE {
            page -= self.get(page - 1, Field::Count);
            place = Some(self.unlink(RUNS, page));
        }
        if end == top {
            self.set_top(page);
            return;
        }
        let previous = match place {
            Some(previous) => previous,
            None => self.run_before(page),
        };
        self.write_free(page, end - page);
        self.link(RUNS, previous, page);
    }

    /// The last free run before a page, or 0.
    fn run_before(&mut self, page: usize) -> usize {
        let mut previous = 0;
        let mut next = self.memory.load(RUNS);
        while next != 0 && next < page {
            self.memory.visit();
            previous = next;
            next = self.get(next, Field::Next);
        }
        previous
    }

    /// Makes a free run of pages that lie at the end and touch no other free run.
    pub fn add_last(&mut self, page: usize, length: usize) {
        let previous = self.run_before(page);
        self.write_free(page, length);
        self.link(RUNS, previous, page);
    }

    /// Moves the directory back to the space behind the `control` words, where it began, if it is the last of the used
    /// pages and that space holds the entries of those before it. Constant time: that space is less than a page
    /// and its entry.
    #[cold]
    pub fn move_back(&mut self, control: usize) -> bool {
        let (top, old) = (self.memory.load(TOP), self.memory.load(PLACE));
        if old < self.first {
            return false;
        }
        let page = self.page_of(old);
        let last = page + self.get(page, Field::Count) == top;
        let free = page > 1 && self.get(page - 1, Field::Kind) == FREE;
        let end = if free { page - self.get(page - 1, Field::Count) } else { page };
        let capacity = (self.first - control) / self.entry;
        if !last || end > capacity + 1 {
            return false;
        }
        if free {
            self.unlink(RUNS, end);
        }
        for word in 0..(end - 1) * self.entry {
            let value = self.memory.load(old + word);
            self.memory.store(control + word, value);
        }
        self.memory.store(PLACE, control);
        self.memory.store(CAPACITY, capacity);
        self.set_top(end);
        true
    }

    /// Moves the directory to the wilderness, so that it has room for `more` pages, and for
    /// `skipped` before them, above what is there then.
    #[cold]
    pub fn enlarge(&mut self, more: usize, skipped: usize) -> bool {
        let (top, capacity) = (self.memory.load(TOP), self.memory.load(CAPACITY));
        let wanted = top - 1 + more;
        if !self.memory.ensure_len(self.first + wanted * self.page) {
            return false;
        }
        let doubled = (2 * capacity * self.entry).div_ceil(self.page);
        let min = ((wanted + skipped) * self.entry).div_ceil(self.page - self.entry);
        let length = doubled.max(min).max(1);
        if !self.memory.ensure_len(self.first + (wanted + length) * self.page) {
            return false;
        }
        let (old, new) = (self.memory.load(PLACE), self.start(top));
        for word in 0..(top - 1) * self.entry {
            let value = self.memory.load(old + word);
            self.memory.store(new + word, value);
        }
        self.memory.store(PLACE, new);
        self.memory.store(CAPACITY, length * self.page / self.entry);
        self.set_top(top + length);
        self.write_used(top, length, DIRECTORY);
        if old >= self.first {
            let page = self.page_of(old);
            let length = self.get(page, Field::Count);
            self.free(page, length);
        }
        true
    }
}
