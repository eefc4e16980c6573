//! The pool of pages that hold objects of one size.

/// Pages: `pages(page=4096, min=16, search=linear)`.
///
/// A request of up to half a page is rounded up to a power of two and gets an object in a page
/// of such objects; a larger one gets a run of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pages {
    /// Bytes of a page: a power of two from [`Pages::MIN_PAGE`] to [`Pages::MAX_PAGE`].
    pub page: u64,
    /// Bytes of the smallest object: a power of two from the word to half a page.
    pub min: u64,
    /// How a free object is found in the bitmap of its page.
    pub search: PageSearch,
}

impl Pages {
    /// Bytes of the smallest page.
    pub const MIN_PAGE: u64 = 256;
    /// Bytes of the largest page.
    pub const MAX_PAGE: u64 = 65536;
}

impl Default for Pages {
    fn default() -> Self {
        Self { page: 4096, min: 16, search: PageSearch::default() }
    }
}

/// How a bitmap is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PageSearch {
    /// Word by word to one with a free object, then bit by bit.
    #[default]
    Linear,
    /// Word by word, then by counting zeros.
    Word,
    /// By counting zeros from the root of a tree whose nodes are words.
    Tree,
    /// By a unit in hardware, which holds the bitmap of one page for each size of object.
    Hardware,
}
