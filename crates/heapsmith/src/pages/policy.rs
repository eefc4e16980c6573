//! What page heaps may do in several ways: the order of a class's pages, where entries lie, what stays free at the end.

use core::fmt::Debug;

use crate::policy::Checked;
use crate::sealed::Sealed;

/// Where a page goes on the list of its class when an object of it is free again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageOrder {
    /// In front.
    #[default]
    Lifo,
    /// By address, new pages too.
    Address,
    /// As in phkmalloc, which means to sort by address and looks at the page behind the next one: a page goes in front
    /// of the last page below it, and in front of a list of one. New pages go to the front.
    Phk,
}

/// Values of a page heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagePolicy {
    /// Order of the pages of a class.
    pub order: PageOrder,
    /// Pages that stay free at the end; what is free there beyond them goes back to the never-used memory.
    pub retain: usize,
    /// Whether a run of pages is resized in place, where it can be.
    pub resize: bool,
}

impl PagePolicy {
    /// Last in first out; nothing is retained, and runs are resized in place.
    pub const DEFAULT: PagePolicy = PagePolicy { order: PageOrder::Lifo, retain: 0, resize: true };
}

impl Default for PagePolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Where the entry of a page lies, which are its kind, its count, its links and its bitmap; and the values.
pub trait Placement: Copy + Debug + Sealed {
    /// Whether entries lie in pages; else all are in the directory.
    const IN_PAGES: bool;
    /// Whether the heap checks pointers by the directory before it trusts them: `check=header`, of entries in the directory.
    const CHECKED: bool = false;

    /// The values.
    fn values(&self) -> PagePolicy;
}

/// Entries lie in the directory, with [`PagePolicy::DEFAULT`]: every branch on a value folds away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usual;

/// Entries lie in the directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct InDirectory(pub PagePolicy);

/// Entries lie in their pages, as in phkmalloc: in front of the objects if these are at most twice as large as the entry,
/// else in an object of another page. A free run has its entry in an object. So small pages lose their first objects,
/// and pages of large objects take one of another class.
#[derive(Clone, Copy, Debug, Default)]
pub struct InPages(pub PagePolicy);

impl<P: Placement> Placement for Checked<P> {
    const IN_PAGES: bool = P::IN_PAGES;
    const CHECKED: bool = true;

    #[inline(always)]
    fn values(&self) -> PagePolicy {
        self.0.values()
    }
}

impl Sealed for Usual {}
impl Sealed for InDirectory {}
impl Sealed for InPages {}

impl Placement for Usual {
    const IN_PAGES: bool = false;

    #[inline(always)]
    fn values(&self) -> PagePolicy {
        PagePolicy::DEFAULT
    }
}

impl Placement for InDirectory {
    const IN_PAGES: bool = false;

    #[inline(always)]
    fn values(&self) -> PagePolicy {
        self.0
    }
}

impl Placement for InPages {
    const IN_PAGES: bool = true;

    #[inline(always)]
    fn values(&self) -> PagePolicy {
        self.0
    }
}
