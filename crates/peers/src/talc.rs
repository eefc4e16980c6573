//! talc, which claims the whole region.

use core::marker::PhantomData;

use heapsmith::{Fixed, Source};
use talc::base::Talc as Base;
use talc::base::binning::DefaultBinning;
use talc::source::Claim;

use crate::allocator::{Allocator, Receipt, Sized, layout, moved};

/// talc over a region.
pub struct Talc<'a>(Base<Claim, DefaultBinning>, PhantomData<Fixed<'a>>);

impl<'a> Talc<'a> {
    /// With the memory of `region`.
    pub fn new(region: Fixed<'a>) -> Self {
        // SAFETY: the region is borrowed for as long as this lives (P2).
        let claim = unsafe { Claim::new(region.base().as_ptr(), region.length()) };
        Talc(Base::new(claim), PhantomData)
    }
}

impl Allocator for Talc<'_> {
    type Receipt = Sized;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<Sized> {
        let layout = layout(size, alignment)?;
        // SAFETY: the size is above 0.
        Some(Sized::new(unsafe { self.0.allocate(layout) }?, layout))
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: Sized) {
        // SAFETY: P1, and the caller's promise.
        unsafe { self.0.deallocate(receipt.pointer().as_ptr(), receipt.layout()) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: Sized, size: usize) -> Option<Sized> {
        let new = layout(size, receipt.alignment())?;
        // SAFETY: P1, the caller's promise, and the size is above 0.
        if unsafe { self.0.try_realloc_in_place(receipt.pointer().as_ptr(), receipt.layout(), size) } {
            return Some(Sized::new(receipt.pointer(), new));
        }
        // SAFETY: the caller's promise.
        unsafe { moved(self, receipt, size) }
    }
}
