//! The list of returned blocks, in interleavings that a model checker chooses.

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use heapsmith_preload::remote_free::{Head, Link, RemoteFree};
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicPtr, Ordering};
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
