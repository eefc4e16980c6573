//! One heap twice: with its levels as values, and with its levels as constants.
//!
//! `tests/it/folding.rs` compiles this and reads the machine code: where the level
//! is a constant, no branch on it is left and no byte of it is stored.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith::parts::{BlockPool, Coalesce, ConstantPolicy, Lifo, PolicyValues};
use heapsmith::{Fixed, Heap, Unmetered};

/// Never splits, never coalesces: as constants.
#[derive(Clone, Copy)]
pub struct Simple;

impl ConstantPolicy for Simple {
    const VALUES: PolicyValues = SIMPLE;
}

/// The same levels as values.
const SIMPLE: PolicyValues =
    PolicyValues { alignment: 4, split_from: usize::MAX, coalesce: Coalesce::Never, ..PolicyValues::DEFAULT };

type Constant<'a> = BlockPool<u32, Lifo, Simple, Fixed<'a>, Unmetered, false>;
type Value<'a> = BlockPool<u32, Lifo, PolicyValues, Fixed<'a>, Unmetered, false>;

/// Frees a block of the heap with constant levels.
///
/// # Safety
///
/// As for [`Heap::deallocate`].
#[unsafe(no_mangle)]
pub unsafe fn deallocate_constant(heap: &mut Constant<'_>, pointer: NonNull<u8>) {
    // SAFETY: the caller's promise is the same.
    unsafe { heap.deallocate(pointer) }
}

/// Frees a block of the heap with levels as values.
///
/// # Safety
///
/// As for [`Heap::deallocate`].
#[unsafe(no_mangle)]
pub unsafe fn deallocate_value(heap: &mut Value<'_>, pointer: NonNull<u8>) {
    // SAFETY: the caller's promise is the same.
    unsafe { heap.deallocate(pointer) }
}

/// Uses both, and shows that they return the same addresses.
pub fn main() {
    let (mut first, mut second) = ([MaybeUninit::<u64>::uninit(); 256], [MaybeUninit::<u64>::uninit(); 256]);
    let mut constant = Constant::from_parts(Fixed::new(&mut first), Lifo::default(), Simple, Unmetered).expect("room");
    let mut value = Value::from_parts(Fixed::new(&mut second), Lifo::default(), SIMPLE, Unmetered).expect("room");
    for size in [24, 100, 24, 8] {
        let (a, b) = (constant.allocate(size, 1).expect("room"), value.allocate(size, 1).expect("room"));
        let offset = |heap: NonNull<u8>, block: NonNull<u8>| block.as_ptr().addr() - heap.as_ptr().addr();
        assert_eq!(offset(constant.base(), a), offset(value.base(), b));
        if size == 24 {
            // SAFETY: both blocks are live and freed once.
            unsafe {
                deallocate_constant(&mut constant, a);
                deallocate_value(&mut value, b);
            }
        }
    }
    println!(
        "heap with constant levels: {} bytes of state, with values: {}",
        size_of_val(&constant),
        size_of_val(&value)
    );
}
