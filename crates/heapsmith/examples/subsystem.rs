//! A subsystem with a heap of its own: its collections cannot use more than its region.

use core::mem::MaybeUninit;

use allocator_api2::boxed::Box;
use allocator_api2::vec::Vec;
use heapsmith::{Fixed, Heap, Locked, Spin, Tlsf};

/// Keeps samples in a vector of the heap until it is full.
pub fn main() {
    let mut memory = [MaybeUninit::<u64>::uninit(); 512];
    let heap = Locked::<_, Spin>::new(Tlsf::new(Fixed::new(&mut memory)).expect("4 KiB are enough"));
    {
        let mut samples = Vec::new_in(&heap);
        samples.extend(0_u32..100);
        let total = Box::new_in(samples.iter().sum::<u32>(), &heap);
        assert_eq!(*total, 4950);
        assert!(samples.try_reserve(10_000).is_err(), "the region has 4 KiB");
        assert_eq!(samples[99], 99, "a refused request leaves the vector as it was");
        println!("{} samples, {} bytes of the region", samples.len(), heap.with(|heap| heap.footprint()));
    }
    let mut blocks = 0;
    heap.with(|heap| heap.walk(&mut |_| blocks += 1));
    assert_eq!(blocks, 0, "everything went back and coalesced");
}
