//! Each lock lets one thread at a time use a heap.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use heapsmith::lock::RawLock;
use heapsmith::{Fixed, Heap, Locked, Spin, Tlsf};

/// Threads that allocate and free through the lock; the heap is sound and empty at the end.
fn excludes<L: RawLock>() {
    let mut memory = vec![MaybeUninit::<u64>::uninit(); 4096];
    let shared = Locked::<_, L>::new(Tlsf::new(Fixed::new(&mut memory)).expect("room"));
    let rounds = if cfg!(miri) { 10 } else { 1000 };
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let shared = &shared;
            scope.spawn(move || {
                for round in 0..rounds {
                    // SAFETY: the jobs leave the heap where it is, and free a live block.
                    unsafe {
                        let block =
                            shared.with_mut(|heap| heap.allocate(1 + (round * 7 + thread) % 200, 1)).expect("room");
                        block.as_ptr().write(thread as u8);
                        assert_eq!(block.as_ptr().read(), thread as u8);
                        shared.with_mut(|heap| heap.deallocate(block));
                    }
                }
            });
        }
    });
    shared.with(|heap| {
        heap.check().expect("sound");
        heap.walk(&mut |block| panic!("{block:?} is left"));
    });
}

#[test]
fn a_spinning_lock_excludes() {
    excludes::<Spin>();
}

#[cfg(feature = "critical-section")]
#[test]
fn a_critical_section_excludes() {
    excludes::<heapsmith::lock::CriticalSection>();
}

#[cfg(feature = "lock_api")]
#[test]
fn a_lock_of_lock_api_excludes() {
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::{Acquire, Release};

    struct Flag(AtomicBool);

    // SAFETY: one thread swaps `false` for `true`, and release pairs with acquire.
    unsafe impl lock_api::RawMutex for Flag {
        const INIT: Self = Flag(AtomicBool::new(false));
        type GuardMarker = lock_api::GuardSend;

        fn lock(&self) {
            while !self.try_lock() {
                std::thread::yield_now();
            }
        }
        fn try_lock(&self) -> bool {
            !self.0.swap(true, Acquire)
        }
        unsafe fn unlock(&self) {
            self.0.store(false, Release);
        }
    }

    excludes::<heapsmith::lock::LockApi<Flag>>();
}
