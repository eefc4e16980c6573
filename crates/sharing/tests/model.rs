//! The list of returned blocks, the queues of owners, and the budget of lists, in interleavings that a model checker chooses.

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use heapsmith_sharing::budget::{Budget, Number};
use heapsmith_sharing::owners::Owners;
use heapsmith_sharing::remote_free::{Head, Link, RemoteFree};
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use shuttle::sync::{Barrier, Mutex};
use shuttle::thread;

const FREEING: usize = 3;
const EACH: usize = 3;

/// The list's beginning, where the checker may switch threads before every access.
#[derive(Default)]
struct Checked(AtomicPtr<Link>);

impl Head for Checked {
    fn load(&self) -> *mut Link {
        self.0.load(Ordering::SeqCst)
    }

    fn put(&self, expected: *mut Link, new: *mut Link) -> Result<(), *mut Link> {
        self.0.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst).map(|_| ())
    }

    fn take(&self) -> *mut Link {
        self.0.swap(std::ptr::null_mut(), Ordering::SeqCst)
    }
}

/// Blocks of two words: the link, and what the freeing thread wrote last.
struct Blocks(Vec<UnsafeCell<[u64; 2]>>);

// SAFETY: a block is touched by who owns it: its freeing thread, then the list, then who took it.
unsafe impl Sync for Blocks {}
// SAFETY: as above.
unsafe impl Send for Blocks {}

/// Threads free; the owner takes, in between and at the end.
fn freed_by_others() {
    let blocks = Arc::new(Blocks((0..FREEING * EACH).map(|_| UnsafeCell::new([0; 2])).collect()));
    let remote_free = Arc::new(RemoteFree::<Checked>::default());
    let threads: Vec<_> = (0..FREEING)
        .map(|thread| {
            let (blocks, remote_free) = (Arc::clone(&blocks), Arc::clone(&remote_free));
            thread::spawn(move || {
                for number in thread * EACH..(thread + 1) * EACH {
                    let block = blocks.0[number].get();
                    // SAFETY: this thread's own block, which it writes and gives away once.
                    unsafe {
                        (*block)[1] = number as u64 + 1;
                        remote_free.push(NonNull::new(block).expect("a block").cast());
                    }
                }
            })
        })
        .collect();
    let mut seen = vec![0; FREEING * EACH];
    let mut gather = || {
        for block in remote_free.take() {
            // SAFETY: a taken block belongs to who took it.
            let written = unsafe { (*block.cast::<[u64; 2]>().as_ptr())[1] };
            assert!(written > 0, "what was written before the push is seen");
            seen[written as usize - 1] += 1;
        }
    };
    gather();
    thread::yield_now();
    gather();
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    gather();
    assert!(remote_free.is_empty());
    assert!(seen.iter().all(|&times| times == 1), "nothing lost, nothing twice: {seen:?}");
}

#[test]
fn nothing_is_lost_and_nothing_twice_whatever_the_order() {
    shuttle::check_random(freed_by_others, 20_000);
}

#[test]
fn nothing_is_lost_and_nothing_twice_where_few_switches_suffice() {
    shuttle::check_pct(freed_by_others, 20_000, 4);
}

const BYTES: usize = 16;

/// How many blocks waited for an owner.
fn take(owners: &Owners<Checked, Counted>, owner: usize) -> usize {
    let mut taken = 0;
    for block in owners.take(owner).into_iter().flatten() {
        // SAFETY: a taken block belongs to who took it.
        assert!(unsafe { (*block.cast::<[u64; 2]>().as_ptr())[1] } > 0, "what was written before is seen");
        taken += 1;
    }
    assert!(taken <= 4 + FREEING, "W3: a share, and a block for each thread that frees");
    owners.took(owner, taken * BYTES);
    taken
}

/// A thread owns a span, takes what others freed of it, and ends; `another` thread has its owner then, or none.
fn freed_to_an_owner(another: bool) {
    let blocks = Arc::new(Blocks((0..FREEING * EACH).map(|_| UnsafeCell::new([0; 2])).collect()));
    let owners = Arc::new(Owners::<Checked, Counted>::default());
    let own = owners.thread_begins();
    let threads: Vec<_> = (0..FREEING)
        .map(|thread| {
            let (blocks, owners) = (Arc::clone(&blocks), Arc::clone(&owners));
            thread::spawn(move || {
                let mut kept = 0;
                for number in thread * EACH..(thread + 1) * EACH {
                    let block = NonNull::new(blocks.0[number].get()).expect("a block");
                    // SAFETY: this thread's own block, which it writes, and gives away once or keeps.
                    unsafe {
                        (*block.as_ptr())[1] = number as u64 + 1;
                        kept += usize::from(!owners.send(own, block.cast(), BYTES, 4 * BYTES));
                    }
                    if owners.is_nobody(own) {
                        kept += take(&owners, own);
                    }
                }
                kept
            })
        })
        .collect();
    let mut taken = take(&owners, own);
    thread::yield_now();
    owners.thread_ends(own);
    if owners.is_nobody(own) {
        taken += take(&owners, own);
    }
    if another {
        assert_eq!(owners.thread_begins(), own, "the one with the fewest threads is the first again");
        taken += take(&owners, own);
    }
    let kept: usize = threads.into_iter().map(|thread| thread.join().expect("it ends")).sum();
    taken += if another { take(&owners, own) } else { 0 };
    assert_eq!(taken + kept, FREEING * EACH, "nothing lost, nothing twice");
    assert!(owners.is_empty(own) && owners.waiting(0) == 0, "W2: every byte was subtracted");
}

#[test]
fn owners_get_what_was_freed_of_theirs_and_no_more_than_their_share() {
    for another in [true, false] {
        shuttle::check_random(move || freed_to_an_owner(another), 20_000);
        shuttle::check_pct(move || freed_to_an_owner(another), 20_000, 4);
    }
}

/// A number of a budget, where the checker may switch threads before every access.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Number for Counted {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn add(&self, more: usize) {
        self.0.fetch_add(more, Ordering::SeqCst);
    }
}

/// Threads that have lists, fill them as far as they may, and end.
fn threads_that_fill_their_lists() {
    const THREADS: usize = 3;
    const LIVE: usize = 80 << 20;
    let budget = Arc::new(Budget::<Counted>::default());
    let (all, held) = (Arc::new(Barrier::new(THREADS)), Arc::new(Mutex::new(0)));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (budget, all, held) = (Arc::clone(&budget), Arc::clone(&all), Arc::clone(&held));
            thread::spawn(move || {
                budget.thread_begins();
                budget.handed_out(LIVE);
                all.wait();
                // What is live comes to be on lists, and is handed out as before.
                let share = budget.share();
                *held.lock().expect("no panic") += share;
                let sum = *held.lock().expect("no panic");
                let out = THREADS * LIVE;
                assert!(sum <= (out / 8).max(Budget::FLOOR) + THREADS * Budget::FOR_THREAD, "{sum} of {out}");
                all.wait();
                *held.lock().expect("no panic") -= share;
                budget.taken_back(LIVE);
                budget.thread_ends();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    assert_eq!(budget.share(), Budget::FLOOR, "as at the beginning: every byte and every thread was taken back");
}

#[test]
fn lists_hold_no_more_than_their_budget_whatever_the_order() {
    shuttle::check_random(threads_that_fill_their_lists, 5_000);
    shuttle::check_pct(threads_that_fill_their_lists, 5_000, 3);
}
