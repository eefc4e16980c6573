//! The numbers of a policy: what a factor does and from which size on.
//!
//! A pool reads them through [`Policy`]. The explorer passes [`PolicyValues`]; emitted
//! code names them as a [`ConstantPolicy`] on an empty type, and every branch on them
//! folds away (`tests/it/folding.rs` shows it in the machine code).

use crate::sealed::Sealed;

/// Which of the free blocks serves a request (Wilson et al. 1995).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fit {
    /// The first that is large enough.
    #[default]
    First,
    /// The first that is large enough, from where the last search ended.
    Next,
    /// The smallest that is large enough among the first `depth` percent of the
    /// free blocks; beyond them, the first that is large enough.
    Best {
        /// Percent of the free blocks to look at, 1 to 100.
        depth: u8,
    },
    /// The largest.
    Worst,
}

impl Fit {
    /// Best fit over all free blocks.
    pub const BEST: Self = Self::Best { depth: 100 };

    /// Whether the search must know how many blocks are free.
    #[inline(always)]
    pub const fn counts(self) -> bool {
        matches!(self, Fit::Best { depth } if depth < 100)
    }
}

/// When adjacent free blocks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coalesce {
    /// Never.
    Never,
    /// When a block with a payload of at least this many bytes is freed; 0 is immediate coalescing of all.
    From(usize),
    /// All at once, when no free block fits a request.
    Deferred,
    /// All at once, at every call.
    EveryCall,
}

impl Coalesce {
    /// Whether free blocks that touch may stay apart until a request finds none that fits.
    #[inline(always)]
    pub const fn leaves_apart(self) -> bool {
        match self {
            Coalesce::From(min) => min > 0,
            Coalesce::Deferred => true,
            Coalesce::Never | Coalesce::EveryCall => false,
        }
    }
}

/// The levels of a pool.
///
/// # Safety
///
/// Every method returns the same for as long as the value exists: a pool lays its region out by what it
/// read at first.
pub unsafe trait Policy: Copy {
    /// Whether the heap checks pointers, headers and links before it trusts them: `check=header`. A constant, so that a
    /// heap that does not carries no trace of it.
    const CHECKED: bool = false;

    /// Alignment of every payload, in bytes: a power of two, at least the word.
    fn alignment(&self) -> usize;
    /// Which free block serves a request.
    fn fit(&self) -> Fit;
    /// The smallest request, in bytes, that splits its block:
    /// 0 is always, `usize::MAX` never.
    fn split_from(&self) -> usize;
    /// The smallest remainder, in bytes with its header, that is split off; 0: as small as a block may be.
    fn remainder(&self) -> usize;
    /// When adjacent free blocks become one.
    fn coalesce(&self) -> Coalesce;
}

/// Levels that are known when the program is compiled.
///
/// ```
/// use heapsmith::parts::{Coalesce, ConstantPolicy, Fit, PolicyValues};
///
/// #[derive(Clone, Copy, Debug)]
/// struct BestFit;
///
/// impl ConstantPolicy for BestFit {
///     const VALUES: PolicyValues =
///         PolicyValues { alignment: 16, fit: Fit::Best { depth: 100 }, ..PolicyValues::DEFAULT };
/// }
/// ```
pub trait ConstantPolicy: Copy {
    /// The levels.
    const VALUES: PolicyValues;
}

// SAFETY: a constant is the same at every use.
unsafe impl<P: ConstantPolicy> Policy for P {
    #[inline(always)]
    fn alignment(&self) -> usize {
        P::VALUES.alignment
    }
    #[inline(always)]
    fn fit(&self) -> Fit {
        P::VALUES.fit
    }
    #[inline(always)]
    fn split_from(&self) -> usize {
        P::VALUES.split_from
    }
    #[inline(always)]
    fn remainder(&self) -> usize {
        P::VALUES.remainder
    }
    #[inline(always)]
    fn coalesce(&self) -> Coalesce {
        P::VALUES.coalesce
    }
}

/// The policy `L` with `check=header`: heap errors are detected in constant time ([`crate::heap_error`]). `L` is the policy of a
/// pool of blocks, the start of a buddy heap or the placement of pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked<L>(pub L);

impl<L> Sealed for Checked<L> {}

// SAFETY: the answers are those of `L`.
unsafe impl<L: Policy> Policy for Checked<L> {
    const CHECKED: bool = true;

    #[inline(always)]
    fn alignment(&self) -> usize {
        self.0.alignment()
    }
    #[inline(always)]
    fn fit(&self) -> Fit {
        self.0.fit()
    }
    #[inline(always)]
    fn split_from(&self) -> usize {
        self.0.split_from()
    }
    #[inline(always)]
    fn remainder(&self) -> usize {
        self.0.remainder()
    }
    #[inline(always)]
    fn coalesce(&self) -> Coalesce {
        self.0.coalesce()
    }
}

/// Levels carried at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyValues {
    /// See [`Policy::alignment`].
    pub alignment: usize,
    /// See [`Policy::fit`].
    pub fit: Fit,
    /// See [`Policy::split_from`].
    pub split_from: usize,
    /// See [`Policy::remainder`].
    pub remainder: usize,
    /// See [`Policy::coalesce`].
    pub coalesce: Coalesce,
}

impl PolicyValues {
    /// First fit, with payloads at multiples of 8 bytes; every block is split and coalesced where it can be.
    pub const DEFAULT: PolicyValues =
        PolicyValues { alignment: 8, fit: Fit::First, split_from: 0, remainder: 0, coalesce: Coalesce::From(0) };
}

impl Default for PolicyValues {
    fn default() -> Self {
        Self::DEFAULT
    }
}

// SAFETY: a pool owns its copy and lends it to nobody who could change it.
unsafe impl Policy for PolicyValues {
    #[inline(always)]
    fn alignment(&self) -> usize {
        self.alignment
    }
    #[inline(always)]
    fn fit(&self) -> Fit {
        self.fit
    }
    #[inline(always)]
    fn split_from(&self) -> usize {
        self.split_from
    }
    #[inline(always)]
    fn remainder(&self) -> usize {
        self.remainder
    }
    #[inline(always)]
    fn coalesce(&self) -> Coalesce {
        self.coalesce
    }
}
