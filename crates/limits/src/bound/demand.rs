//! What a pool is asked for by the programs of a bound, layers included.
//!
//! ```text
//!   a request of the program
//!     └─ guard: its words around the payload
//!          └─ free lists: rounded up to its list's size
//!               └─ block: header, granule, smallest block; or class, power of two, page
//! ```
//!
//! A pool that splits returns a whole block when the remainder would be no block: so a block may be larger than its
//! request by the *slack*, the smallest block less a granule. Every used block is counted with it.
//!
//! The blocks of a program are bounded one by one: no block has more bytes for each byte requested than the worst
//! size has, so all have at most *ratio* × live bytes, and there are at most live ÷ least of them, or as many
//! as the program may have live.

use std::cell::OnceCell;

use heapsmith_spec::build::{format, lists_in_words};
use heapsmith_spec::{BlockFactors, Coalescing, Layer, Spec, Splitting};

use super::control::empty_footprint;
use super::program::ProgramClass;
use super::{Term, shown};

/// The demand on the pool of a spec.
#[derive(Debug)]
pub struct Demand<'s> {
    /// The heap.
    pub spec: &'s Spec,
    /// The program; its largest request is one that the heap serves.
    pub program: ProgramClass,
    /// The largest request that was asked about.
    pub asked_largest: u64,
    /// Bytes that are live in addition while a block moves: the program's are with them.
    pub moving: u64,
    /// Bytes that a hole has beyond the block of a request, before it serves one with the coarsest alignment for certain; 0 where
    /// none is asked for beyond the heap's own.
    pub aligning: u64,
    /// Bytes of a word.
    pub word: u64,
    /// Bytes that every block is a multiple of.
    pub granule: u64,
    /// Bytes that a used block may have beyond its need.
    pub slack: u64,
    /// Bytes of the region before the first block of the program, and behind the last.
    pub control: u64,
    /// Found when they are first asked for, as most designs have no bound that needs them.
    sizes: OnceCell<Sizes>,
    /// Block sizes that free lists keep, in words: the range of each, and what all of it is rounded up to.
    lists: Vec<(usize, usize)>,
    /// The classes of the pool.
    pub(super) classes: SizeClasses,
}

/// What requests need.
#[derive(Debug)]
struct Sizes {
    /// Request sizes that share a need.
    steps: Vec<SizeStep>,
    /// Bytes of a block, slack included, for bytes requested, where they are most for a byte.
    worst: (u64, u64),
    /// Most bytes of a block, slack included, beyond its request.
    beyond: u64,
}

/// The classes of a pool, in words.
#[derive(Debug, Default)]
pub(super) struct SizeClasses {
    /// The range of block sizes of each, and what all of it is rounded up to.
    pub sizes: Vec<(usize, usize)>,
    /// Words of a block beyond the classes are a multiple of this.
    pub beyond: Option<usize>,
}

impl SizeClasses {
    /// The size of the block for `words`; none if nothing beyond the classes is served.
    pub fn rounded(&self, words: usize) -> Option<usize> {
        within(&self.sizes, words).or_else(|| self.beyond.map(|step| words.next_multiple_of(step)))
    }
}

/// Requests of `from` to `to` bytes; none of them needs a block of more than `need` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeStep {
    /// The smallest.
    pub from: u64,
    /// The largest.
    pub to: u64,
    /// Bytes of the largest of their blocks, without slack.
    pub need: u64,
}

impl<'s> Demand<'s> {
    /// The demand of `program` on the heap of `spec`.
    ///
    /// # Errors
    ///
    /// Why the heap serves no request of the program, or cannot be made.
    pub fn new(spec: &'s Spec, program: ProgramClass) -> Result<Demand<'s>, String> {
        if spec.regions().is_some() {
            return Err(format!(
                "this heap is in several regions: ask about what each of them holds, '{}'",
                spec.in_one_region()
            ));
        }
        let word = u64::from(spec.word.bytes());
        let format = format(spec);
        let family = super::family(&spec.pool);
        let lists = match spec.layers.last() {
            Some(Layer::FreeLists(layer)) => lists_in_words(spec, layer),
            _ => Vec::new(),
        };
        let classes = family.classes(spec);
        let [granule, slack] = family.granule_and_slack(spec, format).map(|words| words as u64 * word);
        let control = empty_footprint(spec, None)? + family.end(spec);
        let asked_largest = program.max_size;
        let aligning = match program.alignment {
            coarse if coarse > u64::from(spec.alignment) => coarse + format.min as u64 * word,
            _ => 0,
        };
        let mut demand = Demand {
            spec,
            program,
            asked_largest,
            moving: 0,
            aligning,
            word,
            granule,
            slack,
            control,
            sizes: OnceCell::new(),
            lists,
            classes,
        };
        demand.program.max_size = demand.largest_served().ok_or_else(|| {
            format!("this heap refuses every request of {} bytes or more: ask about smaller ones", program.min_size)
        })?;
        if !demand.serves_aligned() {
            return Err(format!(
                "this heap refuses requests of {} bytes with an alignment of {}: ask about smaller ones, or a \
                 finer alignment",
                demand.program.max_size, program.alignment
            ));
        }
        if program.reallocates {
            // A block that moves is live twice, as it was and as it will be.
            demand.moving = demand.program.max_size;
            demand.program.live = demand.program.live.saturating_add(demand.moving);
            demand.program.max_blocks = demand.program.max_blocks.saturating_add(1);
        }
        Ok(demand)
    }

    /// Counts the control words of a region of this many bytes, where they grow with it; whether their number is another then.
    pub fn lie_in(&mut self, region: u64) -> bool {
        let grows = self.spec.pool.grows_with_region();
        let Some(control) = grows.then(|| empty_footprint(self.spec, Some(region)).ok()).flatten() else {
            return false;
        };
        let control = control + super::family(&self.spec.pool).end(self.spec);
        std::mem::replace(&mut self.control, control) != control
    }

    /// The bytes of the region that no block has, as a term.
    pub fn control_term(&self) -> Term {
        let meaning = match super::family(&self.spec.pool).end(self.spec) {
            0 => "bytes before the first block",
            _ => "bytes before the first block and behind the last",
        };
        Term::new("C", meaning, shown(self.control))
    }

    /// The program as it was asked about, of what the heap serves: no block is live twice while it moves.
    pub fn asked(&self) -> ProgramClass {
        let blocks = self.program.max_blocks - u64::from(self.moving > 0);
        ProgramClass { live: self.program.live - self.moving, max_blocks: blocks, ..self.program }
    }

    /// Bytes that the pool is asked for when the program asks for `size`, guards included, with the coarsest alignment.
    pub fn below_guards(&self, size: u64) -> u64 {
        self.below_guards_at(size, self.coarsest())
    }

    /// The coarsest alignment of a block.
    pub fn coarsest(&self) -> u64 {
        u64::from(self.spec.alignment).max(self.program.alignment)
    }

    /// Words that a guard puts before a payload of this alignment.
    pub fn before_guarded(&self, alignment: u64) -> u64 {
        3_u64.next_multiple_of((alignment / self.word).max(1))
    }

    /// The same with this alignment; a guard puts one word behind.
    fn below_guards_at(&self, size: u64, alignment: u64) -> u64 {
        let front = self.before_guarded(alignment);
        let guards = self.spec.layers.iter().filter(|layer| matches!(layer, Layer::Guard(_))).count();
        (0..guards).fold(size, |size, _| (front + size.div_ceil(self.word) + 1) * self.word)
    }

    /// Bytes of the block that a request of `size` needs, without slack; none if the heap refuses it. Never
    /// decreases as `size` grows.
    pub fn need(&self, size: u64) -> Option<u64> {
        super::family(&self.spec.pool).block(self, self.below_guards(size))
    }

    /// Bytes of the block for `below` bytes where blocks follow one another: a header and the payload, aligned.
    pub(super) fn linear_block(&self, below: u64) -> u64 {
        let words = below.div_ceil(self.word) + 1;
        (words * self.word).next_multiple_of(self.spec.alignment.into())
    }

    /// Bytes of the block of `words`, rounded up by free lists.
    pub(super) fn listed_block(&self, words: usize) -> Option<u64> {
        Some(within(&self.lists, words).unwrap_or(words) as u64 * self.word)
    }

    /// Whether the largest request is served with the coarsest alignment: with the words of guards, in a hole with what it takes.
    fn serves_aligned(&self) -> bool {
        let Some(need) = self.need(self.program.max_size) else { return false };
        let family = super::family(&self.spec.pool);
        let words = ((need + self.aligning) / self.word) as usize;
        self.aligning == 0 || !family.aligns() || family.rounded(self, words).is_some()
    }

    /// The largest request of the program that the heap serves at its own alignment.
    fn largest_served(&self) -> Option<u64> {
        let ProgramClass { min_size, max_size, .. } = self.program;
        let is_served = |size: u64| {
            let below = self.below_guards_at(size, self.spec.alignment.into());
            super::family(&self.spec.pool).block(self, below).is_some()
        };
        let (mut served, mut refused) = (min_size, max_size + 1);
        if is_served(max_size) {
            return Some(max_size);
        }
        while refused - served > 1 {
            let middle = served + (refused - served) / 2;
            if is_served(middle) { served = middle } else { refused = middle }
        }
        is_served(served).then_some(served)
    }

    /// Request sizes that share a need, as coarsely as costs little. Ascending; never empty.
    pub fn steps(&self) -> &[SizeStep] {
        &self.sizes().steps
    }

    fn sizes(&self) -> &Sizes {
        self.sizes.get_or_init(|| {
            let steps = self.all_steps();
            let worst = self.worst_ratio(&steps);
            let beyond = steps.iter().map(|step| (step.need + self.slack).saturating_sub(step.from)).max();
            Sizes { steps, worst, beyond: beyond.unwrap_or(0) }
        })
    }

    /// Every request size: one by one at first, then in steps of a 128th of the size.
    fn all_steps(&self) -> Vec<SizeStep> {
        let ProgramClass { min_size, max_size, .. } = self.program;
        let mut steps: Vec<SizeStep> = Vec::new();
        let mut from = min_size;
        while from <= max_size {
            let to = (from + (from / 128).max(1) - 1).min(max_size);
            if let Some(need) = self.need(to) {
                match steps.last_mut() {
                    Some(last) if last.need == need => last.to = to,
                    _ => steps.push(SizeStep { from, to, need }),
                }
            }
            from = to + 1;
        }
        steps
    }

    /// Percent of the region that requests of low priority never get.
    pub fn reserved(&self) -> u8 {
        let reserved = self.spec.layers.iter().map(|layer| match layer {
            Layer::Reserve(reserve) => reserve.high,
            _ => 0,
        });
        reserved.max().unwrap_or(0)
    }

    /// Bytes of a region that has room for `footprint` and its reserve.
    pub fn region_of(&self, footprint: u64) -> u64 {
        let served = 100 - u128::from(self.reserved().min(99));
        saturated((u128::from(footprint) * 100).div_ceil(served))
    }

    /// Bytes of the smallest block.
    pub fn min_block(&self) -> u64 {
        self.need(self.program.min_size).unwrap_or(self.granule)
    }

    /// Bytes of the largest block, without slack.
    pub fn largest_block(&self) -> u64 {
        self.need(self.program.max_size).unwrap_or(self.granule)
    }

    /// Most bytes in the blocks of a program with this many bytes live, slack included: by what a byte takes at most, or by what a
    /// block takes beyond its request.
    pub fn blocks_of(&self, live: u64) -> u64 {
        let Sizes { worst: (bytes, request), beyond, .. } = *self.sizes();
        let by_bytes = u128::from(live) * u128::from(bytes) / u128::from(request);
        let by_blocks = u128::from(live) + u128::from(self.count_of(live)) * u128::from(beyond);
        saturated(by_bytes.min(by_blocks))
    }

    /// Bytes of a block, slack included, for this many bytes requested, where they are most.
    fn worst_ratio(&self, steps: &[SizeStep]) -> (u64, u64) {
        let (mut bytes, mut request) = (0, 1);
        for step in steps {
            let (block, from) = (step.need + self.slack, step.from);
            if u128::from(block) * u128::from(request) > u128::from(bytes) * u128::from(from) {
                (bytes, request) = (block, from);
            }
        }
        (bytes, request)
    }

    /// Most blocks of a program with this many bytes live.
    pub fn count_of(&self, live: u64) -> u64 {
        self.count_from(live, self.program.min_size)
    }

    /// The same, of requests of `smallest` bytes or more.
    pub fn count_from(&self, live: u64, smallest: u64) -> u64 {
        (live / smallest).min(self.program.max_blocks)
    }

    /// Most bytes and blocks that are live together with one of `size` bytes.
    pub fn others(&self, size: u64) -> (u64, u64) {
        let blocks = self.program.max_blocks - 1;
        let bytes = (self.program.live - size).min(blocks.saturating_mul(self.program.max_size));
        (bytes, (bytes / self.program.min_size).min(blocks))
    }

    /// The smallest request that needs a block of `need` bytes or more.
    pub fn first_request(&self, need: u64) -> u64 {
        let (mut low, mut high) = (self.program.min_size, self.program.max_size);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.need(middle).is_some_and(|its| its >= need) { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// The largest request whose block has no more than `block` bytes; the least request if none has.
    pub fn last_request(&self, block: u64) -> u64 {
        let (mut low, mut high) = (self.program.min_size, self.program.max_size);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.need(middle).is_some_and(|its| its <= block) { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// The smallest request that may get a block of `block` bytes from the classes: where free lists round to a
    /// size between two classes, their requests take free blocks of the class above. Never decreases as `block` grows.
    pub fn first_user(&self, block: u64) -> u64 {
        let words = (block / self.word) as usize;
        let place = self.classes.sizes.partition_point(|&(_, high)| high < words);
        let low = self.classes.sizes.get(place).map_or(words, |&(low, _)| low);
        self.first_request(low as u64 * self.word)
    }

    /// Whether some request is larger than the pool's classes.
    pub fn beyond_classes(&self) -> bool {
        let last = self.classes.sizes.last().map_or(0, |&(_, high)| high as u64 * self.word);
        self.largest_block() > last
    }

    /// Block sizes that free lists keep, in bytes.
    pub fn listed(&self) -> impl Iterator<Item = u64> + '_ {
        self.lists.iter().map(|&(_, high)| high as u64 * self.word)
    }

    /// Whether every request splits its block.
    pub fn always_splits(&self, split: Splitting) -> bool {
        match split {
            Splitting::Always => true,
            Splitting::Never => false,
            Splitting::From(from) => self.below_guards_at(self.program.min_size, self.spec.alignment.into()) >= from,
        }
    }

    /// Whether no request splits its block.
    pub fn never_splits(&self, split: Splitting) -> bool {
        match split {
            Splitting::Always => false,
            Splitting::Never => true,
            Splitting::From(from) => self.below_guards(self.program.max_size) < from,
        }
    }

    /// Whether no freed block is joined with its neighbours.
    pub fn never_coalesces(&self, coalesce: Coalescing) -> bool {
        coalesce == Coalescing::Never
    }

    /// Bytes of the smallest block that is freed: one that was asked for, what is split off where a block shrinks, or what lies
    /// before an aligned one.
    fn smallest_freed(&self) -> u64 {
        let split_off = if self.program.reallocates { self.slack + self.granule } else { u64::MAX };
        let before = if self.aligning > 0 { self.aligning - self.program.alignment } else { u64::MAX };
        // A guard puts fewer words before a block of a finer alignment.
        let below = self.below_guards_at(self.program.min_size, self.spec.alignment.into());
        let asked_for = super::family(&self.spec.pool).block(self, below).unwrap_or(self.granule);
        asked_for.min(split_off).min(before)
    }

    /// Whether free neighbours are joined at the latest when a request would be refused otherwise, and remainders split off always.
    pub fn joins_at_last(&self, factors: &BlockFactors) -> bool {
        factors.coalesce != Coalescing::Never && self.always_splits(factors.split)
    }

    /// Whether free neighbours are joined, and remainders split off, before new memory is taken.
    pub fn joins(&self, factors: &BlockFactors) -> bool {
        self.joins_neighbours(factors.coalesce) && self.always_splits(factors.split)
    }

    /// Whether free neighbours are joined before new memory is taken. Deferred, they are not where the last block grows into it, shrinks,
    /// and leaves a free block that the next request takes at once, to grow as well.
    pub fn joins_neighbours(&self, coalesce: Coalescing) -> bool {
        match coalesce {
            Coalescing::Immediate | Coalescing::EveryCall => true,
            Coalescing::Deferred => !self.program.reallocates,
            Coalescing::From(from) => self.smallest_freed() - self.word >= from,
            Coalescing::Never => false,
        }
    }
}

/// The upper end of the range that holds `words`; ranges ascend.
fn within(ranges: &[(usize, usize)], words: usize) -> Option<usize> {
    let place = ranges.partition_point(|&(_, high)| high < words);
    ranges.get(place).filter(|&&(low, _)| low <= words).map(|&(_, high)| high)
}

/// A number that is no more than a `u64` holds.
pub(super) fn saturated(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
