//! What page heaps may do in several ways: the order of a class's pages, where entries lie, what stays free at the end.

use core::fmt::Debug;

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

impl Default for PagePolicy {
    fn default() -> Self {
        PagePolicy { order: PageOrder::Lifo, retain: 0, resize: true }
    }
}

/// Where the entry of a page lies: its kind, its count, its links and its bitmap.
pub trait Placement: Debug + Sealed {
    /// Whether entries lie in pages; else all are in the directory.
    const IN_PAGES: bool;
}

/// Entries lie in the directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct InDirectory;

/// Entries lie in their pages, as in phkmalloc: in front of the objects if these are at most twice as large as the entry,
/// else in an object of another page. A free run has its entry in an object. So small pages lose their first objects,
/// and pages of large objects take one of another class.
#[derive(Clone, Copy, Debug, Default)]
pub struct InPages;

impl Sealed for InDirectory {}
impl Sealed for InPages {}

impl Placement for InDirectory {
    const IN_PAGES: bool = false;
}

impl Placement for InPages {
    const IN_PAGES: bool = true;
}
