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
//!
//! With [`InPages`] the directory has a word a page, as phkmalloc's: a kind, or where the entry of the page lies. A page
//! of objects has its entry in itself or in an object; a free run has one, with its first page behind the fields, in
//! an object or, where none can be had, in its own last words. A used run has none: the kinds of its pages tell its length.

use crate::index::control;
use crate::memory::{Memory, Words};
use crate::meter::Meter;
use crate::pages::policy::{PageOrder, Placement};
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
/// Words of the entry of a free run that lies apart: its fields and its first page.
pub(super) const RECORD: usize = FIELDS + 1;

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
pub(super) struct Directory<W, S, M, P> {
    pub memory: Memory<W, S, M>,
    /// Index of the first word of page 1.
    pub first: usize,
    /// Words of a page.
    pub page: usize,
    /// Words of a page in the directory.
    pub entry: usize,
    /// Control word: an entry for the next free run, where entries lie apart. The word before it is the first of those
    /// that phkmalloc loses.
    pub spare: usize,
    pub policy: P,
}

impl<W: Word, S: Source, M: Meter, P: Placement> Directory<W, S, M, P> {
    /// The entry of a page; with [`InPages`](super::InPages) the kind of a page that has none.
    #[inline(always)]
    pub fn entry_at(&mut self, page: usize) -> usize {
        let place = self.memory.load(PLACE) + (page - 1) * self.entry;
        if P::IN_PAGES { self.memory.load(place) } else { place }
    }

    /// The same, unmetered.
    pub fn peek_entry(&self, page: usize) -> usize {
        let place = self.memory.peek(PLACE) + (page - 1) * self.entry;
        if P::IN_PAGES { self.memory.peek(place) } else { place }
    }

    /// Says where the entry of a page lies, or its kind.
    pub fn set_entry(&mut self, page: usize, entry: usize) {
        let place = self.memory.load(PLACE) + (page - 1) * self.entry;
        self.memory.store(place, entry);
    }

    /// The kind of a page with this entry.
    #[inline(always)]
    pub fn kind_of(&mut self, entry: usize) -> usize {
        if P::IN_PAGES && entry < OBJECTS { entry } else { self.memory.load(entry + Field::Kind as usize) }
    }

    /// Reads a field of the entry of a page.
    #[inline(always)]
    pub fn get(&mut self, page: usize, field: Field) -> usize {
        let at = self.entry_at(page);
        if P::IN_PAGES && at < OBJECTS {
            return if field == Field::Kind { at } else { self.length_of(page) };
        }
        self.memory.load(at + field as usize)
    }

    /// Pages of the used run that begins at `page`, by their kinds.
    fn length_of(&mut self, page: usize) -> usize {
        let top = self.memory.load(TOP);
        let mut end = page + 1;
        while end < top && self.entry_at(end) == INSIDE {
            end += 1;
        }
        end - page
    }

    /// Writes a field of the entry of a page.
    #[inline(always)]
    pub fn set(&mut self, page: usize, field: Field, value: usize) {
        let at = self.entry_at(page) + field as usize;
        self.memory.store(at, value);
    }

    /// Reads a field of the entry of a page, unmetered.
    pub fn peek(&self, page: usize, field: Field) -> usize {
        let at = self.peek_entry(page);
        if !P::IN_PAGES || at >= OBJECTS {
            return self.memory.peek(at + field as usize);
        }
        let top = self.memory.peek(TOP);
        let inside = || (page + 1..top).take_while(|&next| self.peek_entry(next) == INSIDE);
        if field == Field::Kind { at } else { 1 + inside().count() }
    }

    /// Index of the first word of a page.
    #[inline(always)]
    pub fn start(&self, page: usize) -> usize {
        self.first + (page - 1) * self.page
    }

    /// Says of the entries of the pages from `page` up to the directory's capacity that no used block begins there, where
    /// pointers are checked by them.
    pub fn clear_from(&mut self, page: usize) {
        if P::CHECKED {
            let capacity = self.memory.load(CAPACITY);
            (page..=capacity).for_each(|page| self.set(page, Field::Kind, INSIDE));
        }
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
        if P::IN_PAGES {
            self.set_entry(page, kind);
            (1..length).for_each(|inside| self.set_entry(page + inside, INSIDE));
            return;
        }
        self.set(page, Field::Kind, kind);
        self.set(page, Field::Count, length);
        if length > 1 {
            self.set(page + length - 1, Field::Kind, INSIDE);
        }
    }

    /// Writes both ends of a free run. `entry` is that of a run which it replaces, where entries lie apart; 0 is
    /// none, and then its last words are it.
    fn write_free(&mut self, page: usize, length: usize, entry: usize) {
        if P::IN_PAGES {
            let entry = if entry == 0 { self.start(page + length) - RECORD } else { entry };
            self.set_entry(page, entry);
            self.set_entry(page + length - 1, entry);
            self.memory.store(entry + Field::Kind as usize, FREE);
            self.memory.store(entry + Field::Count as usize, length);
            self.memory.store(entry + FIELDS, page);
            return;
        }
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

    /// The entry of the free run `page` of `length` pages if it lies apart from it; else 0.
    fn entry_apart(&mut self, page: usize, length: usize) -> usize {
        if !P::IN_PAGES {
            return 0;
        }
        let entry = self.entry_at(page);
        let within = (self.start(page)..self.start(page + length)).contains(&entry);
        if within { 0 } else { entry }
    }

    /// Takes `length` pages from `from` on out of the free run `page` of `free` pages.
    /// Returns its entry if that lies apart and is of no use any more; else 0.
    pub fn carve(&mut self, page: usize, free: usize, from: usize, length: usize) -> usize {
        let (before, after) = (from - page, page + free - (from + length));
        let mut entry = self.entry_apart(page, free);
        let mut previous = page;
        if before > 0 && !P::IN_PAGES {
            self.write_free(page, before, 0);
        } else {
            previous = self.unlink(RUNS, page);
        }
        if before > 0 && P::IN_PAGES {
            self.write_free(page, before, core::mem::take(&mut entry));
            self.link(RUNS, previous, page);
            previous = page;
        }
        if after > 0 {
            self.write_free(from + length, after, core::mem::take(&mut entry));
            self.link(RUNS, previous, from + length);
        }
        entry
    }

    /// Frees a run of pages; it joins the free runs next to it, or the wilderness.
    /// Returns the entry of a run that it joined, if that lies apart and is of no use any more; else 0.
    pub fn free(&mut self, page: usize, length: usize) -> usize {
        let top = self.memory.load(TOP);
        let (mut page, mut end, mut place) = (page, page + length, None);
        let (mut entry, mut dropped) = (0, 0);
        if end < top && self.get(end, Field::Kind) == FREE {
            let next = end;
            let pages = self.get(next, Field::Count);
            entry = self.entry_apart(next, pages);
            end += pages;
            place = Some(self.unlink(RUNS, next));
        }
        if page > 1 && self.get(page - 1, Field::Kind) == FREE {
            page -= self.get(page - 1, Field::Count);
            let own = self.entry_apart(page, end - page);
            if own != 0 {
                dropped = core::mem::replace(&mut entry, own);
            }
            place = Some(self.unlink(RUNS, page));
        }
        let retained = self.policy.values().retain;
        if end == top && end - page > retained {
            end = page + retained;
            self.set_top(end);
        }
        if end == page {
            return entry;
        }
        let previous = match place {
            Some(previous) => previous,
            None => self.before(RUNS, page, PageOrder::Address),
        };
        if P::IN_PAGES && entry == 0 {
            entry = self.memory.load(self.spare);
            self.memory.store(self.spare, 0);
        }
        self.write_free(page, end - page, entry);
        self.link(RUNS, previous, page);
        dropped
    }

    /// The page behind which `page` goes on the list with this head; 0 is in front.
    pub fn before(&mut self, head: usize, page: usize, order: PageOrder) -> usize {
        let mut previous = 0;
        let mut next = if order == PageOrder::Lifo { 0 } else { self.memory.load(head) };
        while next != 0 {
            let seen = if order == PageOrder::Phk { self.get(next, Field::Next) } else { next };
            if seen == 0 || seen >= page {
                break;
            }
            self.memory.visit();
            previous = next;
            next = self.get(next, Field::Next);
        }
        previous
    }

    /// Makes a free run of pages that lie at the end and touch no other free run.
    pub fn add_last(&mut self, page: usize, length: usize) {
        let previous = self.before(RUNS, page, PageOrder::Address);
        self.write_free(page, length, 0);
        self.link(RUNS, previous, page);
    }

    /// Moves the entry of a free run that has it in an object into the run; returns where it was, if there is such a run.
    #[cold]
    pub fn take_entry_in(&mut self) -> Option<usize> {
        let mut page = if P::IN_PAGES { self.memory.load(RUNS) } else { 0 };
        while page != 0 {
            let length = self.get(page, Field::Count);
            let entry = self.entry_apart(page, length);
            if entry != 0 {
                let previous = self.unlink(RUNS, page);
                self.write_free(page, length, 0);
                self.link(RUNS, previous, page);
                return Some(entry);
            }
            page = self.get(page, Field::Next);
        }
        None
    }

    /// Gives the free run at the end to the wilderness. Returns its entry if that lies apart, else 0; none if there is
    /// no such run.
    #[cold]
    pub fn release_last(&mut self) -> Option<usize> {
        let top = self.memory.load(TOP);
        if self.policy.values().retain == 0 || top == 1 || self.get(top - 1, Field::Kind) != FREE {
            return None;
        }
        let length = self.get(top - 1, Field::Count);
        let entry = self.entry_apart(top - length, length);
        self.unlink(RUNS, top - length);
        self.set_top(top - length);
        Some(entry)
    }

    /// Moves the directory back to the space behind the `control` words, where it began, if it is the last of the used
    /// pages and that space holds the entries of those before it. Constant time: that space is less than a page
    /// and its entry. Returns the entry of a free run that it crosses, if that lies apart, else 0; none if it stays.
    #[cold]
    pub fn move_back(&mut self, control: usize) -> Option<usize> {
        let (top, old) = (self.memory.load(TOP), self.memory.load(PLACE));
        if old < self.first {
            return None;
        }
        let page = self.page_of(old);
        let last = page + self.get(page, Field::Count) == top;
        let free = page > 1 && self.get(page - 1, Field::Kind) == FREE;
        let end = if free { page - self.get(page - 1, Field::Count) } else { page };
        let capacity = (self.first - control) / self.entry;
        if !last || end > capacity + 1 {
            return None;
        }
        let mut dropped = 0;
        if free {
            dropped = self.entry_apart(end, page - end);
            self.unlink(RUNS, end);
        }
        for word in 0..(end - 1) * self.entry {
            self.memory.copy(old + word, control + word);
        }
        self.memory.store(PLACE, control);
        self.memory.store(CAPACITY, capacity);
        self.clear_from(end);
        self.set_top(end);
        Some(dropped)
    }

    /// Moves the directory to the wilderness, so that it has room for `more` pages, and for
    /// `skipped` before them, above what is there then. Returns the entry of a free run that its old pages join, as
    /// [`Directory::free`] does; none if there is no room.
    #[cold]
    pub fn enlarge(&mut self, more: usize, skipped: usize) -> Option<usize> {
        let (top, capacity) = (self.memory.load(TOP), self.memory.load(CAPACITY));
        let wanted = top - 1 + more;
        if !self.memory.ensure_len(self.first + wanted * self.page) {
            return None;
        }
        let doubled = (2 * capacity * self.entry).div_ceil(self.page);
        let min = ((wanted + skipped) * self.entry).div_ceil(self.page - self.entry);
        let length = doubled.max(min).max(1);
        if !self.memory.ensure_len(self.first + (wanted + length) * self.page) {
            return None;
        }
        let (old, new) = (self.memory.load(PLACE), self.start(top));
        for word in 0..(top - 1) * self.entry {
            self.memory.copy(old + word, new + word);
        }
        self.memory.store(PLACE, new);
        self.memory.store(CAPACITY, length * self.page / self.entry);
        self.clear_from(top);
        self.set_top(top + length);
        self.write_used(top, length, DIRECTORY);
        if old < self.first {
            return Some(0);
        }
        let page = self.page_of(old);
        let length = self.get(page, Field::Count);
        Some(self.free(page, length))
    }
}
