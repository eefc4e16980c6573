//! Free lists of each thread before an emitted heap: the tables of `c/threads.c`, which does what
//! [`heapsmith_sharing::lists`] does, and [`heapsmith_sharing::owners`].

use heapsmith_sharing::{Budget, Sizes};
use heapsmith_spec::Threads;
use serde::Serialize;

use crate::Request;

/// What the template has in place of numbers.
#[derive(Debug, Serialize)]
pub(crate) struct ThreadLists {
    /// The request, the bytes, the most blocks and the blocks that are fetched at once, of each list.
    lists: Vec<[usize; 4]>,
    /// What all lists may hold: this part of what the heap handed out, or at least the floor, and so much for each thread.
    part: usize,
    floor: usize,
    of_thread: usize,
    /// Bytes that the lists of one thread hold at most, where the spec says so.
    max: Option<u32>,
    /// Bytes of the largest request that a list serves.
    largest: usize,
    /// Requests of `size` bytes have the entry of `(size + shift) / step`.
    step: usize,
    shift: usize,
    /// Numbers of lists from 1, 0 for none.
    by_request: Vec<usize>,
    /// The same by the bytes of a block with its header, for each 16; none where its span says it.
    by_bytes: Vec<usize>,
    /// Whether the span of a block says its list.
    by_span: bool,
    /// Owners of spans, besides nobody.
    owners: usize,
}

/// Bytes that one entry of [`Sizes::by_request`] is for, and those that blocks are multiples of.
const ENTRY: usize = 4;
const GRANULE: usize = 16;

impl ThreadLists {
    /// The heap without what threads have, and their lists.
    pub fn split(request: &Request) -> (Request, Option<ThreadLists>) {
        let spec = &request.spec;
        let (mut pool, sizes) = match spec.threads {
            Threads::One | Threads::Each => (spec.clone(), None),
            Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => Sizes::split(spec),
        };
        let Some(sizes) = sizes else { return (request.clone(), None) };
        // Spans with owners have rings for each of them.
        if spec.threads.owners() == 0 {
            pool.threads = Threads::One;
        }
        let lists = ThreadLists::of(&sizes, spec.threads, spec.word.bytes() as usize);
        // What was measured is what the heap does behind the lists of one thread.
        (Request { spec: pool, figures: None, ..request.clone() }, Some(lists))
    }

    fn of(sizes: &Sizes, threads: Threads, word: usize) -> ThreadLists {
        let (max, owners) = (threads.max_of_lists(), threads.owners());
        let number = |list: Option<usize>| list.map_or(0, |list| list + 1);
        let lists: Vec<[usize; 4]> =
            sizes.lists().iter().map(|held| [held.request, held.bytes, held.max, held.fetched]).collect();
        let entries: Vec<usize> = sizes.by_request().map(number).collect();
        let (step, shift, by_request) = condensed(&entries);
        let by_words = sizes.by_words();
        let by_span = by_words.is_none();
        let by_bytes = by_words.into_iter().flatten().map(number).step_by(GRANULE / word).collect();
        let largest = sizes.lists().last().map_or(0, |held| held.request);
        let (part, floor, of_thread) = (Budget::PART, Budget::FLOOR, Budget::FOR_THREAD);
        ThreadLists { lists, part, floor, of_thread, max, largest, step, shift, by_request, by_bytes, by_span, owners }
    }

    /// Whether a list serves requests of `size` bytes, or of more.
    pub fn serves(&self, size: u64) -> bool {
        self.largest as u64 >= size
    }
}

/// The entries with the fewest of them that say the same: bytes that one is for, what is added to a size, and they.
fn condensed(entries: &[usize]) -> (usize, usize, Vec<usize>) {
    // A request of `size` bytes has entry ⌈size / ENTRY⌉. Groups of `each` entries end at those that are `last` past a multiple of it.
    let group = |each: usize, last: usize| -> Option<Vec<usize>> {
        let number = |at: usize| (at + each - 1 - last) / each;
        let mut groups: Vec<usize> = Vec::new();
        for (at, list) in entries.iter().enumerate() {
            match groups.get(number(at)) {
                Some(of_group) if of_group != list => return None,
                Some(_) => {}
                None => groups.push(*list),
            }
        }
        Some(groups)
    };
    let condensed = |each: usize| {
        (0..each).find_map(|last| {
            let groups = group(each, last)?;
            Some((each * ENTRY, each * ENTRY - 1 - last * ENTRY, groups))
        })
    };
    [GRANULE / ENTRY, GRANULE / ENTRY / 2].into_iter().find_map(condensed).unwrap_or((
        ENTRY,
        ENTRY - 1,
        entries.to_vec(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Name;

    #[test]
    fn a_condensed_look_up_says_what_each_request_gets() {
        for spec in [
            "freelists(16..=512 step 16) bins(log) word=4 align=16 threads=lists",
            "freelists(12..=1020 step 16) tlsf word=4 align=16 threads=lists(8K)",
            "freelists(24, 40, 1000..=1100) list(order=lifo) word=8 align=16 threads=lists",
            "spans(16..=112 step 16,128..=8192 double(4), span=65536) tree word=8 align=16 threads=lists",
        ] {
            let request = Request::new(spec.parse().expect(spec), Name::new("my_heap").expect("a name"));
            let (_, sizes) = Sizes::split(&request.spec);
            let (sizes, lists) = (sizes.expect("lists"), ThreadLists::split(&request).1.expect("lists"));
            for size in 0..=lists.largest {
                let entry = lists.by_request.get((size + lists.shift) / lists.step);
                assert_eq!(entry.copied(), Some(sizes.of_request(size).map_or(0, |list| list + 1)), "{spec}: {size}");
            }
            assert!(lists.by_request.len() <= lists.largest / GRANULE + 2, "{spec}: an entry for each 16 bytes");
        }
    }
}
