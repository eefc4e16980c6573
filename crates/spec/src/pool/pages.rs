//! The pool of pages that hold objects of one size: `pages(page=4096, min=16, search=linear)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::Spec;
use crate::build::{self, BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::keys::{self, Key, equals, number};
use crate::print::word;
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Place};

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
    /// Where a page goes on the list of its class when an object of it is free again.
    pub order: PageOrder,
    /// Where the class, the count and the bitmap of a page lie.
    pub info: PageInfo,
    /// Pages that stay free at the end, at most [`Pages::MAX_RETAIN`].
    pub retain: u64,
    /// Whether a run of pages is resized in place, where it can be.
    pub resize: bool,
}

impl Pages {
    /// Bytes of the smallest page.
    pub const MIN_PAGE: u64 = 256;
    /// Bytes of the largest page.
    pub const MAX_PAGE: u64 = 65536;
    /// The most pages that stay free at the end.
    pub const MAX_RETAIN: u64 = 65536;
}

impl Default for Pages {
    fn default() -> Self {
        Self {
            page: 4096,
            min: 16,
            search: PageSearch::default(),
            order: PageOrder::default(),
            info: PageInfo::default(),
            retain: 0,
            resize: true,
        }
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
    Hardware(UnitAccess),
}

/// How the instructions of a unit in hardware are issued. Every way gives the same addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnitAccess {
    /// By no unit: what it would hold and find is computed.
    #[default]
    Emulated,
    /// By instructions of RISC-V in the space custom-0.
    Custom0,
    /// By the registers of a unit behind a bus, at this address.
    Mmio(u64),
}

impl UnitAccess {
    /// Words that a unit's bitmaps have, in bits.
    pub const BITS: u32 = 32;
    /// The most objects of a page for which a unit behind a bus has registers.
    pub const MAX_OBJECTS: u64 = 2048;
}

/// Where a page goes on the list of its class when an object of it is free again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PageOrder {
    /// In front.
    #[default]
    Lifo,
    /// By address.
    Address,
    /// In front of the last page below it, as in phkmalloc.
    Phk,
}

/// Where the class, the count and the bitmap of a page lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PageInfo {
    /// In the page directory.
    #[default]
    Directory,
    /// In front of the objects of the page, if they are small; in an object of another page, if they are large.
    Page,
}

impl Family for Pages {
    const WORD: &'static str = "pages";
    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<Pages> {
        let mut pages = Pages::default();
        keys::optional(cursor, "pages", KEYS, &mut pages)?;
        Ok(pages)
    }

    /// By the directory; a unit has bitmaps of its own, and entries in pages lie where a program may write.
    fn can_be_checked(&self, _spec: &Spec) -> bool {
        self.info == PageInfo::Directory && !matches!(self.search, PageSearch::Hardware(_))
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        let allowed = || powers(Pages::MIN_PAGE, Pages::MAX_PAGE);
        if !allowed().any(|page| page == self.page) {
            return Err(Fault::new(Place::Page, Problem::PageSize(self.page)).or(allowed()));
        }
        // The directory takes the place of a page, and one page must be there to use.
        bounds.fits(Place::Page, self.page * 2)?;
        let allowed = || powers(bounds.word().bytes().into(), self.page / 2);
        if !allowed().any(|min| min == self.min) {
            return Err(Fault::new(Place::MinObject, Problem::MinObject(self.min)).or(allowed()));
        }
        self.check_unit(bounds)?;
        if self.retain > Pages::MAX_RETAIN {
            return Err(Fault::new(Place::Retain, Problem::Retain(self.retain)).or([Pages::MAX_RETAIN]));
        }
        Ok(())
    }

    /// Free lists need headers in the blocks that they keep.
    fn refuses_free_lists(&self) -> Option<Problem> {
        Some(Problem::FreeListsBeforePages)
    }

    fn promise(&self) -> PoolPromise {
        let allocate = match self.search {
            PageSearch::Linear => "linear in the objects of a page; a new page: in the free runs",
            PageSearch::Word => "linear in the words of a page's bitmap; a new page: in the free runs",
            PageSearch::Tree => "constant; a new page: linear in the free runs",
            PageSearch::Hardware(_) => {
                "constant; another page: linear in the words of a bitmap; a new one: in the free runs"
            }
        };
        let free = match self.order {
            PageOrder::Lifo => "constant; the last object of a page: linear in the free runs",
            PageOrder::Address | PageOrder::Phk => {
                "constant; in a full page: linear in the pages of its class; the last object: in the free runs"
            }
        };
        PoolPromise { allocate, free, footprint: "none below B pages: one live object keeps its page" }
    }

    fn words_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        build::pages::words_for(self, spec, size)
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.pages::<W>(self)
    }
}

impl Pages {
    /// A unit's bitmaps are of words of 32 bits, its registers are words, of which a unit has a fixed number.
    fn check_unit(&self, bounds: &Bounds) -> Check {
        let PageSearch::Hardware(access) = self.search else { return Ok(()) };
        if access == UnitAccess::Emulated {
            return Ok(());
        }
        if bounds.word().bytes() * 8 != UnitAccess::BITS {
            return Err(Fault::new(Place::Unit, Problem::UnitWord));
        }
        match access {
            UnitAccess::Mmio(address) if !address.is_multiple_of(4) => {
                Err(Fault::new(Place::Unit, Problem::UnitAddress(address)))
            }
            UnitAccess::Mmio(_) if self.page / self.min > UnitAccess::MAX_OBJECTS => {
                Err(Fault::new(Place::Unit, Problem::UnitObjects(self.page / self.min)))
            }
            _ => Ok(()),
        }
    }
}

/// Reads the search, and behind `hardware` how the unit is reached.
fn search(cursor: &mut Cursor<'_>) -> Result<PageSearch> {
    let search = equals(cursor, "search")?;
    if !matches!((search, cursor.peek()), (PageSearch::Hardware(_), Kind::Open)) {
        return Ok(search);
    }
    let opened = cursor.open("hardware")?;
    cursor.note(Place::Unit);
    let access = if cursor.sees_word("mmio") {
        cursor.advance();
        cursor.sign(&Kind::Equals, "=")?;
        UnitAccess::Mmio(cursor.address()?)
    } else if cursor.sees_word("custom0") {
        cursor.advance();
        UnitAccess::Custom0
    } else {
        return Err(cursor.unexpected("a way to reach the unit", ["custom0", "mmio="]));
    };
    cursor.close(opened)?;
    Ok(PageSearch::Hardware(access))
}

const KEYS: &[Key<Pages>] = &[
    Key {
        word: "page",
        forms: &["page="],
        read: |cursor, pages| bytes(cursor, Place::Page).map(|page| pages.page = page),
    },
    Key {
        word: "min",
        forms: &["min="],
        read: |cursor, pages| bytes(cursor, Place::MinObject).map(|min| pages.min = min),
    },
    Key {
        word: "search",
        forms: &["search="],
        read: |cursor, pages| search(cursor).map(|search| pages.search = search),
    },
    Key {
        word: "order",
        forms: &["order="],
        read: |cursor, pages| equals(cursor, "order").map(|order| pages.order = order),
    },
    Key { word: "info", forms: &["info="], read: |cursor, pages| equals(cursor, "info").map(|info| pages.info = info) },
    Key {
        word: "retain",
        forms: &["retain="],
        read: |cursor, pages| number(cursor, Place::Retain, "a number of pages").map(|retain| pages.retain = retain),
    },
    Key {
        word: "resize",
        forms: &["resize="],
        read: |cursor, pages| equals(cursor, "resize").map(|resize| pages.resize = resize),
    },
];

fn bytes(cursor: &mut Cursor<'_>, place: Place) -> Result<u64> {
    number(cursor, place, "a number of bytes")
}

fn powers(min: u64, max: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(min), |power| Some(power * 2)).take_while(move |power| *power <= max)
}

impl Display for Pages {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "pages(page={}, min={}, search={}", self.page, self.min, self.search)?;
        let usual = Pages::default();
        if self.order != usual.order {
            write!(f, ", order={}", self.order)?;
        }
        if self.info != usual.info {
            write!(f, ", info={}", self.info)?;
        }
        if self.retain != usual.retain {
            write!(f, ", retain={}", self.retain)?;
        }
        if self.resize != usual.resize {
            f.write_str(", resize=off")?;
        }
        f.write_str(")")
    }
}

impl Display for PageSearch {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hardware(UnitAccess::Custom0) => f.write_str("hardware(custom0)"),
            Self::Hardware(UnitAccess::Mmio(address)) => write!(f, "hardware(mmio={address:#x})"),
            _ => word(f, *self),
        }
    }
}

impl Display for PageOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        word(f, *self)
    }
}

impl Display for PageInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        word(f, *self)
    }
}

impl Keyword for PageOrder {
    const WORDS: &'static [(&'static str, Self)] =
        &[("lifo", Self::Lifo), ("address", Self::Address), ("phk", Self::Phk)];
}

impl Keyword for PageInfo {
    const WORDS: &'static [(&'static str, Self)] = &[("directory", Self::Directory), ("page", Self::Page)];
}

impl Keyword for PageSearch {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("linear", Self::Linear),
        ("word", Self::Word),
        ("tree", Self::Tree),
        ("hardware", Self::Hardware(UnitAccess::Emulated)),
    ];
    const FORMS: &'static [&'static str] = &["hardware(custom0)", "hardware(mmio=0x40000000)"];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Just, Strategy, any};

    use super::{PageInfo, PageOrder, PageSearch, Pages};
    use crate::arbitrary::{generated, word};

    // Sizes that every word can have.
    generated!(
        Pages,
        (
            (8..=13_u32).prop_flat_map(|page| (Just(page), 3..page)),
            word::<PageSearch>(),
            word::<PageOrder>(),
            word::<PageInfo>(),
            0..4_u64,
            any::<bool>(),
        )
            .prop_map(|((page, min), search, order, info, retain, resize)| Pages {
                page: 1 << page,
                min: 1 << min,
                search,
                order,
                info,
                retain,
                resize,
            })
    );
}
