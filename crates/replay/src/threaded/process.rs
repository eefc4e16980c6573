//! The virtual process: its threads, arenas and lists.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use heapsmith_sharing::{Budget, Lists, Owners, Shared, Sizes};
use heapsmith_spec::{Layer, Spec, Threads};

use super::arena::{CountedArena, Turn, add};
use super::pages::Memory;

/// What serves the virtual threads.
pub(super) struct Process<'h> {
    threads: Threads,
    /// Whether the heaps detect heap errors.
    guarded: bool,
    pub arenas: Vec<CountedArena<'h>>,
    /// The addresses of their regions.
    pub regions: Vec<Range<usize>>,
    /// The arenas that serve or did: the others do not count.
    made: Cell<usize>,
    /// Arenas whose threads have ended, the last first.
    free_arenas: RefCell<Vec<usize>>,
    sizes: Option<Sizes>,
    budget: Budget,
    owners: Option<Owners>,
    /// The lists of each thread, while it lives.
    lists: Vec<RefCell<Option<Lists>>>,
    /// The arena of each thread, once it asked for it.
    served_by: Vec<Cell<Option<usize>>>,
    /// Words of metadata that lists read and wrote.
    pub accesses: Cell<u64>,
    /// Whose turn it is.
    pub turn: &'h Turn,
}

impl<'h> Process<'h> {
    /// A process in which threads share these arenas as `spec` says, each in the region of the same number.
    pub fn new(
        spec: &Spec,
        sizes: Option<Sizes>,
        arenas: Vec<CountedArena<'h>>,
        regions: Vec<Range<usize>>,
        of_trace: usize,
        turn: &'h Turn,
    ) -> Self {
        Process {
            threads: spec.threads,
            guarded: spec.layers.iter().any(|layer| matches!(layer, Layer::Guard(_))),
            arenas,
            regions,
            made: Cell::new(1),
            free_arenas: RefCell::new(Vec::new()),
            sizes,
            budget: Budget::within(spec.threads.max_of_lists()),
            owners: (spec.threads.owners() > 0).then(Owners::default),
            lists: (0..of_trace).map(|_| RefCell::new(None)).collect(),
            served_by: vec![Cell::new(None); of_trace],
            accesses: Cell::new(0),
            turn,
        }
    }

    /// The number of the arena that serves the thread whose turn it is.
    pub fn own_number(&self) -> usize {
        if self.threads != Threads::Each {
            return 0;
        }
        let served_by = &self.served_by[self.turn.thread.get() as usize];
        let number = served_by.get().unwrap_or_else(|| self.adopt());
        served_by.set(Some(number));
        number
    }

    /// An arena whose threads have ended, a new one, or the one that serves the fewest, as [`heapsmith_sharing`]'s other user does.
    fn adopt(&self) -> usize {
        let freed = self.free_arenas.borrow_mut().pop();
        let number = freed.unwrap_or_else(|| {
            let made = self.made.get();
            // The first is that of the first thread, which asked for something before there was another.
            let first = self.turn.thread.get() == 0;
            match made < self.arenas.len() {
                _ if first => 0,
                true => {
                    self.made.set(made + 1);
                    made
                }
                false => (0..made).min_by_key(|number| self.arenas[*number].threads.get()).unwrap_or(0),
            }
        });
        let threads = &self.arenas[number].threads;
        threads.set(threads.get() + 1);
        number
    }

    /// The thread whose turn it is ends.
    pub fn end_thread(&self) {
        let thread = self.turn.thread.get() as usize;
        if let Some(mut lists) = self.lists[thread].take() {
            lists.end(self);
        }
        if let Some(number) = self.served_by[thread].take() {
            let threads = &self.arenas[number].threads;
            threads.set(threads.get() - 1);
            if threads.get() == 0 && number != 0 {
                self.free_arenas.borrow_mut().push(number);
            }
        }
    }

    /// Bytes and blocks that wait where the thread whose turn it is cannot have them.
    pub fn stranded(&self, on_lists: (usize, u64)) -> (usize, u64) {
        match self.threads {
            Threads::One => (0, 0),
            Threads::Each => {
                let own = self.own_number();
                let others = (0..self.made.get()).filter(|number| *number != own).map(|number| &self.arenas[number]);
                let spare = others.map(|arena| arena.footprint().saturating_sub(arena.in_blocks.get()));
                (spare.sum(), self.turn.sent_back.get())
            }
            Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => {
                let (bytes, blocks) = self.on_own_lists();
                let own = self.lists[self.turn.thread.get() as usize].borrow().as_ref().map_or(0, Lists::owner);
                let sent = self.owners.as_ref().map_or(0, |owners| owners.waiting(own));
                (on_lists.0 - bytes + sent, on_lists.1 - blocks + self.turn.sent_back.get())
            }
        }
    }

    /// Bytes and blocks on the lists of the thread whose turn it is.
    pub fn on_own_lists(&self) -> (usize, u64) {
        let lists = self.lists[self.turn.thread.get() as usize].borrow();
        match (&*lists, &self.sizes) {
            (Some(lists), Some(sizes)) => (lists.bytes(sizes), lists.blocks() as u64),
            _ => (0, 0),
        }
    }

    /// What memory the heaps' pages have.
    pub fn memory(&self) -> Memory {
        self.arenas[..self.made.get()].iter().map(CountedArena::memory).sum()
    }

    pub fn footprint(&self) -> usize {
        self.arenas[..self.made.get()].iter().map(CountedArena::footprint).sum()
    }
}

impl<'h> Shared for Process<'h> {
    type Arena = CountedArena<'h>;

    fn threads(&self) -> Threads {
        self.threads
    }

    fn first(&self) -> &CountedArena<'h> {
        &self.arenas[0]
    }

    fn own(&self) -> &CountedArena<'h> {
        &self.arenas[self.own_number()]
    }

    fn sizes(&self) -> Option<&Sizes> {
        self.sizes.as_ref()
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn owners(&self) -> Option<&Owners> {
        self.owners.as_ref()
    }

    fn with_lists<T>(&self, job: impl FnOnce(&mut Lists) -> T) -> Option<T> {
        let sizes = self.sizes.as_ref()?;
        let mut lists = self.lists[self.turn.thread.get() as usize].borrow_mut();
        Some(job(lists.get_or_insert_with(|| {
            let mut lists = Lists::new(sizes);
            lists.begin(self);
            lists
        })))
    }

    fn is_alone(&self) -> bool {
        self.turn.is_alone.get()
    }

    fn frees_at_once(&self) -> bool {
        self.guarded
    }

    fn sent(&self) {
        add(&self.turn.remote_frees, 1);
        add(&self.turn.sent_back, 1);
    }

    fn received(&self, blocks: u64) {
        self.turn.sent_back.set(self.turn.sent_back.get() - blocks);
    }

    fn accesses(&self, words: u64) {
        add(&self.accesses, words);
    }
}
