//! A guard names what a program does wrong with its blocks.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith::{FirstFit, Fixed, Guard, Heap, HeapErrorKind};

/// Makes each mistake once, and prints what the guard says.
pub fn main() {
    let mut memory = [MaybeUninit::<u64>::uninit(); 512];
    let pool = FirstFit::new(Fixed::new(&mut memory)).expect("room");
    let mut heap = Guard::<u32, _>::new(pool, 8, 4).expect("room");
    let mut kinds = Vec::new();
    // SAFETY: none of this is a right use of a heap: a guard defines the outcome.
    unsafe {
        let mut frees = |heap: &mut Guard<u32, _>, pointer: NonNull<u8>| {
            if let Err(heap_error) = heap.try_deallocate(pointer) {
                println!("{heap_error}");
                kinds.push(heap_error.kind);
            }
        };
        let overrun = heap.allocate(10, 1).expect("room");
        overrun.as_ptr().add(10).write(0);
        frees(&mut heap, overrun);
        let underrun = heap.allocate(10, 1).expect("room");
        underrun.as_ptr().sub(4).cast::<u32>().write(7);
        frees(&mut heap, underrun);
        let twice = heap.allocate(10, 1).expect("room");
        frees(&mut heap, twice);
        frees(&mut heap, twice);
        frees(&mut heap, NonNull::from(&mut 0_u64).cast());
        twice.as_ptr().add(3).write(1);
        for _ in 0..4 {
            let block = heap.allocate(10, 1).expect("room");
            frees(&mut heap, block);
        }
    }
    let last = heap.last_heap_error().expect("a block was written after it was freed");
    println!("{last}");
    kinds.push(last.kind);
    let every = [
        HeapErrorKind::Overrun,
        HeapErrorKind::HeaderDamaged,
        HeapErrorKind::DoubleFree,
        HeapErrorKind::Foreign,
        HeapErrorKind::WrittenAfterFree,
    ];
    assert_eq!(kinds, every);
}
