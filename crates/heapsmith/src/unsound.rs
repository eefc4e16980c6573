//! Unsound programs that safe code must not be able to write: none of these examples compiles; each names its error.
//!
//! Each is a way to undefined behaviour, but for the `unsafe`, the sealed trait or the private module that it runs
//! into. What they begin with compiles, as the first example shows.
//!
//! ```
//! use core::mem::MaybeUninit;
//! use core::ptr::NonNull;
//! use heapsmith::parts::Nothing;
//! use heapsmith::{Counting, Fixed, Heap, Locked, Meter, Spin, Tlsf};
//!
//! # fn main() -> Result<(), heapsmith::RegionError> {
//! let (mut memory, mut other) = ([MaybeUninit::<u64>::uninit(); 256], [MaybeUninit::<u64>::uninit(); 256]);
//! let (mut heap, other) = (Tlsf::new(Fixed::new(&mut memory))?, Tlsf::new(Fixed::new(&mut other))?);
//! let block = heap.allocate(8, 1).expect("room");
//! // SAFETY: the block is live.
//! assert!(unsafe { heap.usable_size(block) } >= 8);
//! let shared = Locked::<_, Spin>::new(heap);
//! // SAFETY: no collection holds a block of the heap.
//! unsafe { shared.with_mut(|heap| *heap = other) };
//! # Ok(()) }
//! ```
//!
//! The null allocator gives every collection the same empty memory:
//!
//! ```compile_fail,E0133
//! # use heapsmith::{Locked, Spin, parts::Nothing};
//! let heap = Locked::<_, Spin>::new(Nothing::new());
//! ```
//!
//! ```compile_fail,E0423
//! # use heapsmith::{Locked, Spin, parts::Nothing};
//! let heap = Locked::<_, Spin>::new(Nothing(()));
//! ```
//!
//! The heap reads the size of a block next to its payload, wherever the pointer leads:
//!
//! ```compile_fail,E0133
//! # use heapsmith::{Heap, Tlsf};
//! fn size(heap: &Tlsf) -> usize { heap.usable_size(core::ptr::NonNull::dangling()) }
//! ```
//!
//! ```compile_fail,E0133
//! # use heapsmith::{Heap, Tlsf};
//! fn size(heap: &Tlsf) -> usize { heap.block_size(core::ptr::NonNull::dangling()) }
//! ```
//!
//! The words of a region, at any index:
//!
//! ```compile_fail,E0603
//! # use core::mem::MaybeUninit;
//! # use heapsmith::{Fixed, Unmetered};
//! let mut bytes = [MaybeUninit::<u64>::uninit(); 8];
//! let memory = heapsmith::memory::Memory::<u32, _, _>::new(Fixed::new(&mut bytes), Unmetered);
//! ```
//!
//! ```compile_fail,E0599
//! # use heapsmith::{Tlsf, parts::Words};
//! fn store(heap: &mut Tlsf) { heap.memory().store(1 << 40, 0) }
//! ```
//!
//! ```compile_fail,E0603
//! use heapsmith::pool::Pool;
//! ```
//!
//! Exchanging a heap while a collection holds its blocks:
//!
//! ```compile_fail,E0594
//! # use heapsmith::{Locked, Spin, Tlsf};
//! fn exchange(shared: &Locked<Tlsf, Spin>, other: Tlsf) { shared.with(|heap| *heap = other) }
//! ```
//!
//! ```compile_fail,E0133
//! # use heapsmith::{Locked, Spin, Tlsf};
//! fn exchange(shared: &Locked<Tlsf, Spin>, other: Tlsf) { shared.with_mut(|heap| *heap = other) }
//! ```
//!
//! ```compile_fail,E0594
//! # use heapsmith::{Global, Spin, Tlsf};
//! fn exchange(shared: &Global<Tlsf, Spin, 4096>, other: Tlsf) { shared.with(|heap| *heap = other); }
//! ```
//!
//! A heap that outlives its region, or whose region has another user:
//!
//! ```compile_fail,E0597
//! # use core::mem::MaybeUninit;
//! # use heapsmith::{Fixed, Tlsf, Heap};
//! let mut heap;
//! {
//!     let mut memory = [MaybeUninit::<u64>::uninit(); 256];
//!     heap = Tlsf::new(Fixed::new(&mut memory));
//! }
//! heap.map(|mut heap| heap.allocate(8, 1));
//! ```
//!
//! ```compile_fail,E0499
//! # use core::mem::MaybeUninit;
//! # use heapsmith::{Fixed, Tlsf, Heap};
//! let mut memory = [MaybeUninit::<u64>::uninit(); 256];
//! let (first, second) = (Tlsf::new(Fixed::new(&mut memory)), Tlsf::new(Fixed::new(&mut memory)));
//! ```
//!
//! A global heap over memory that moves or ends:
//!
//! ```compile_fail,E0597
//! # use heapsmith::{Global, Spin, StaticRegion, Tlsf};
//! let region = StaticRegion::<4096>::new();
//! let heap = Global::<_, Spin, 4096>::new(&region, Tlsf::new);
//! ```
//!
//! An implementation that other code trusts, without a promise:
//!
//! ```compile_fail,E0200
//! # use core::ptr::NonNull;
//! # use heapsmith::{BlockView, Heap, Unmetered, Violation};
//! struct Mine(Unmetered);
//! impl Heap for Mine {
//!     type Meter = Unmetered;
//!     fn allocate(&mut self, _: usize, _: usize) -> Option<NonNull<u8>> { Some(NonNull::dangling()) }
//!     unsafe fn deallocate(&mut self, _: NonNull<u8>) {}
//!     unsafe fn reallocate(&mut self, _: NonNull<u8>, _: usize, _: usize) -> Option<NonNull<u8>> { None }
//!     unsafe fn usable_size(&self, _: NonNull<u8>) -> usize { 0 }
//!     unsafe fn block_size(&self, _: NonNull<u8>) -> usize { 0 }
//!     fn alignment(&self) -> usize { 1 }
//!     fn walk(&self, _: &mut dyn FnMut(BlockView)) {}
//!     fn check(&self) -> Result<(), Violation> { Ok(()) }
//!     fn control_size(&self) -> usize { 0 }
//!     fn footprint(&self) -> usize { 0 }
//!     fn footprint_peak(&self) -> usize { 0 }
//!     fn base(&self) -> NonNull<u8> { NonNull::dangling() }
//!     fn meter(&self) -> &Unmetered { &self.0 }
//!     fn meter_mut(&mut self) -> &mut Unmetered { &mut self.0 }
//! }
//! ```
//!
//! ```compile_fail,E0200
//! # use heapsmith::parts::{Coalesce, Fit, Policy};
//! #[derive(Clone, Copy)]
//! struct Mine;
//! impl Policy for Mine {
//!     fn alignment(&self) -> usize { 3 }
//!     fn fit(&self) -> Fit { Fit::First }
//!     fn split_from(&self) -> usize { 0 }
//!     fn remainder(&self) -> usize { 0 }
//!     fn coalesce(&self) -> Coalesce { Coalesce::Never }
//! }
//! ```
//!
//! ```compile_fail,E0200
//! # use heapsmith::parts::SizeMap;
//! struct Mine;
//! impl SizeMap for Mine {
//!     fn lists(&self) -> usize { 1 }
//!     fn list_of(&self, _: usize) -> Option<usize> { Some(1 << 40) }
//!     fn words(&self, _: usize) -> usize { 1 }
//! }
//! ```
//!
//! ```compile_fail,E0200
//! # use heapsmith::parts::BinMap;
//! #[derive(Debug)]
//! struct Mine;
//! impl BinMap for Mine {
//!     fn bins(&self) -> usize { 1 }
//!     fn bin_of(&self, _: usize) -> usize { 1 << 40 }
//! }
//! ```
//!
//! ```compile_fail,E0277
//! # use heapsmith::Meter;
//! struct Mine;
//! impl Meter for Mine {
//!     fn write(&mut self) { panic!("in the middle of an operation") }
//! }
//! ```
//!
//! ```compile_fail,E0277
//! # use heapsmith::parts::{Bin, Index, Recombination, pages::BitmapSearch};
//! # use core::fmt::Debug;
//! fn sealed<T: Index + Bin + Recombination + BitmapSearch>() {}
//! sealed::<()>();
//! ```
//!
//! Lists that overlap, which would serve a request with a smaller block:
//!
//! ```compile_fail,E0080
//! # use core::mem::MaybeUninit;
//! # use heapsmith::parts::{AddressOrder, BlockPool, ConstantSizes, Order, PolicyValues, SizeRange};
//! # use heapsmith::{Fixed, FreeLists, Heap, Unmetered};
//! struct Overlapping;
//! impl ConstantSizes for Overlapping {
//!     const LISTS: &'static [SizeRange] = &[SizeRange { low: 4, high: 8 }, SizeRange { low: 6, high: 6 }];
//! }
//! let mut memory = [MaybeUninit::<u64>::uninit(); 256];
//! let (index, policy) = (AddressOrder::new(), PolicyValues::DEFAULT);
//! let mut heap = FreeLists::<BlockPool<u32, _, _, _, _, true>, _>::from_parts(
//!     Fixed::new(&mut memory), index, policy, Unmetered, Overlapping, Order::Lifo,
//! ).unwrap();
//! heap.allocate(8, 1);
//! ```
