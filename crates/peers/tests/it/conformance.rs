//! Every peer of this build passes one suite: payloads are aligned, do not overlap, survive what
//! happens around them and a change of their size; what nobody can serve is refused.

#![allow(unsafe_code)]

use std::hint::black_box;
use std::mem::MaybeUninit;

use heapsmith::Fixed;
use heapsmith_peers::{Allocator, Peer, Receipt, Work, with_peer};
use proptest::prelude::*;

#[derive(Debug, Clone, Copy)]
enum Step {
    Allocate { size: usize, alignment_log2: u32 },
    Free { which: usize },
    Reallocate { which: usize, size: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let size = prop_oneof![8 => 1_usize..200, 2 => 200_usize..6000, 1 => 6000_usize..200_000];
    prop_oneof![
        5 => (size.clone(), prop_oneof![4 => Just(0_u32), 1 => 1_u32..13])
            .prop_map(|(size, alignment_log2)| Step::Allocate { size, alignment_log2 }),
        3 => any::<usize>().prop_map(|which| Step::Free { which }),
        2 => (any::<usize>(), size).prop_map(|(which, size)| Step::Reallocate { which, size }),
    ]
}

/// A live block: its receipt, its size, and the byte that fills it.
type Block<R> = (R, usize, u8);

struct Program<'s>(&'s [Step]);

impl Work for Program<'_> {
    type Output = ();

    fn run<A: Allocator>(self, mut allocator: A) {
        let mut live: Vec<Block<A::Receipt>> = Vec::new();
        for (number, &step) in self.0.iter().enumerate() {
            let fill = number as u8;
            match step {
                Step::Allocate { size, alignment_log2 } => {
                    let receipt = allocator.allocate(size, 1 << alignment_log2).expect("the region is large");
                    assert_eq!(receipt.pointer().as_ptr().addr() % (1 << alignment_log2), 0);
                    write(receipt, size, fill);
                    live.push((receipt, size, fill));
                }
                Step::Free { which } if !live.is_empty() => {
                    let (receipt, size, fill) = live.swap_remove(which % live.len());
                    assert!(holds(receipt, size, fill));
                    // SAFETY: the block leaves the list of live ones here.
                    unsafe { allocator.deallocate(receipt) };
                }
                Step::Reallocate { which, size } if !live.is_empty() => {
                    let which = which % live.len();
                    let (receipt, before, was) = live[which];
                    // SAFETY: the block is live, and its receipt is replaced.
                    let receipt = unsafe { allocator.reallocate(receipt, size) }.expect("the region is large");
                    assert!(holds(receipt, before.min(size), was));
                    write(receipt, size, fill);
                    live[which] = (receipt, size, fill);
                }
                Step::Free { .. } | Step::Reallocate { .. } => {}
            }
        }
        for (receipt, size, fill) in live {
            assert!(holds(receipt, size, fill));
            // SAFETY: the list of live blocks is consumed.
            unsafe { allocator.deallocate(receipt) };
        }
    }
}

fn write<R: Receipt>(receipt: R, size: usize, fill: u8) {
    // SAFETY: the allocator gave this many bytes.
    unsafe { receipt.pointer().as_ptr().write_bytes(fill, size) };
}

fn holds<R: Receipt>(receipt: R, size: usize, fill: u8) -> bool {
    // SAFETY: the allocator gave this many bytes, and `write` filled them.
    unsafe { std::slice::from_raw_parts(receipt.pointer().as_ptr(), size) }.iter().all(|&byte| byte == fill)
}

/// 64 MB, of which no more is touched than is used.
fn with_memory<W: Work>(peer: Peer, work: W) -> W::Output {
    let mut memory: Vec<u64> = Vec::with_capacity(8 << 20);
    let memory: &mut [MaybeUninit<u64>] = memory.spare_capacity_mut();
    with_peer(peer, Fixed::new(memory), work).expect("it is in this build")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn payloads_are_aligned_apart_and_kept(steps in prop::collection::vec(step(), 1..300)) {
        for peer in Peer::built() {
            with_memory(peer, Program(&steps));
        }
    }
}

/// Asks for more than any system has.
struct Absurd;

impl Work for Absurd {
    type Output = usize;

    fn run<A: Allocator>(self, mut allocator: A) -> usize {
        let served = [1 << 46, 1 << 56, usize::MAX / 2 - 4096, usize::MAX - 64];
        // The compiler knows `malloc`, and would remove a call whose block is unused.
        served.into_iter().filter(|&size| black_box(allocator.allocate(size, 1)).is_some()).count()
    }
}

#[test]
fn what_nobody_can_serve_is_refused() {
    for peer in Peer::built() {
        // The C library may promise 2^46 bytes of address space where the system overcommits without limit.
        let served = with_memory(peer, Absurd);
        assert!(served <= usize::from(peer.entry().of_the_process), "{peer} served {served} of them");
    }
}

/// Frees everything and asks for nearly the whole region again.
struct Again;

impl Work for Again {
    type Output = bool;

    fn run<A: Allocator>(self, mut allocator: A) -> bool {
        let blocks: Vec<A::Receipt> = (1..2000).filter_map(|size| allocator.allocate(size, 1)).collect();
        for receipt in blocks {
            // SAFETY: each block is freed once.
            unsafe { allocator.deallocate(receipt) };
        }
        black_box(allocator.allocate(16 << 20, 1)).is_some()
    }
}

#[test]
fn freed_memory_serves_again() {
    for peer in Peer::built() {
        assert!(with_memory(peer, Again), "{peer}");
    }
}

/// One small request, and whether it was served.
struct One;

impl Work for One {
    type Output = bool;

    fn run<A: Allocator>(self, mut allocator: A) -> bool {
        let Some(block) = allocator.allocate(8, 1) else { return false };
        // SAFETY: it was just allocated.
        unsafe { allocator.deallocate(block) };
        true
    }
}

#[test]
fn a_region_of_any_size_is_served_from_or_refused() {
    let mut memory: Vec<u64> = Vec::with_capacity(1 << 17);
    for peer in Peer::built() {
        for size in (0..256).chain([4096, 65_535, 65_536, 1 << 20]) {
            let region = Fixed::new(memory.spare_capacity_mut()).shortened(size);
            let served = with_peer(peer, region, One).expect("it is in this build");
            assert!(served || size < 1 << 20, "{peer} refuses 8 bytes in a region of {size}");
        }
    }
}
