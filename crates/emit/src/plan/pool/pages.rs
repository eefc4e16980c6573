//! The numbers of pages of objects.

use heapsmith_spec::{Check, PageInfo, PageOrder, PageSearch, Pages, Spec, UnitAccess};
use serde::Serialize;

use super::{Emit, PoolPlan, Templated, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::IndexPlan;

/// Pages of objects.
#[derive(Clone, Debug, Serialize)]
pub struct PagesPlan {
    /// Bytes of a page.
    page: u64,
    /// Bytes of the smallest object in a page.
    min_object: u64,
    /// Classes of objects.
    classes: u32,
    /// Words of an entry of the directory.
    entry: u64,
    /// Bits of a word of a bitmap.
    bits: u32,
    /// How a bitmap is searched.
    search: &'static str,
    /// How the unit is reached, where one searches.
    unit: Option<UnitPlan>,
    /// Order of the pages of a class.
    order: &'static str,
    /// Pages that stay free at the end.
    retain: u64,
    /// Whether runs are resized in place.
    resize: bool,
    granule: u32,
}

/// How a unit in hardware is reached.
#[derive(Clone, Debug, Serialize)]
struct UnitPlan {
    way: &'static str,
    /// Of its registers, as C writes it.
    address: String,
}

impl UnitPlan {
    fn of(search: PageSearch) -> Option<UnitPlan> {
        let PageSearch::Hardware(access) = search else { return None };
        let (way, address) = match access {
            UnitAccess::Emulated => ("emulated", String::new()),
            UnitAccess::Custom0 => ("custom0", String::new()),
            UnitAccess::Mmio(address) => ("mmio", format!("{address:#x}")),
        };
        Some(UnitPlan { way, address })
    }
}

impl PagesPlan {
    /// The numbers; none where entries lie in pages.
    fn of(pages: &Pages, spec: &Spec) -> Option<PagesPlan> {
        if pages.info == PageInfo::Page {
            return None;
        }
        let word = u64::from(spec.word.bytes());
        let min_object = pages.min.max(u64::from(spec.alignment).min(pages.page / 2));
        let (objects, bits) = (pages.page / min_object, spec.word.bytes() * 8);
        let search = match pages.search {
            PageSearch::Linear => "linear",
            PageSearch::Word => "word",
            PageSearch::Tree => "tree",
            PageSearch::Hardware(_) => "hardware",
        };
        // A tree has a bit for each word below it, up to one word.
        let (mut words, mut map) = (objects.div_ceil(bits.into()), 0);
        while search == "tree" && words > 1 {
            map += words;
            words = words.div_ceil(bits.into());
        }
        Some(PagesPlan {
            page: pages.page,
            min_object,
            classes: objects.ilog2(),
            entry: 4 + map + words,
            bits,
            search,
            unit: UnitPlan::of(pages.search),
            order: match pages.order {
                PageOrder::Lifo => "lifo",
                PageOrder::Address => "address",
                PageOrder::Phk => "phk",
            },
            retain: pages.retain,
            resize: pages.resize,
            granule: (pages.page.min(4096) / word) as u32,
        })
    }
}

impl Templates for Pages {
    const TEMPLATES: &'static [Template] = &[
        template!("pages/pages.c"),
        template!("pages/directory.c"),
        template!("pages/search.c"),
        template!("pages/unit.c"),
        template!("pages/heap.c"),
    ];
}

impl Emit for Pages {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(PoolPlan::Pages(PagesPlan::of(self, spec)?).alone())
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        let search = match self.search {
            PageSearch::Linear => "Linear",
            PageSearch::Word => "ByWord",
            PageSearch::Tree => "ByTree",
            PageSearch::Hardware(UnitAccess::Emulated) => "Hardware",
            PageSearch::Hardware(UnitAccess::Custom0) => "Hardware<pages::Custom0>",
            PageSearch::Hardware(UnitAccess::Mmio(_)) => "Hardware<pages::Mmio>",
        };
        let made = match self.search {
            PageSearch::Hardware(UnitAccess::Mmio(address)) => {
                let why = "SAFETY: the spec says that a unit's registers are there, for this heap alone.";
                format!("pages::Hardware {{ /* {why} */ unit: unsafe {{ pages::Mmio::new({address:#x}) }} }}")
            }
            _ => "Default::default()".to_owned(),
        };
        heap.uses.insert("heapsmith::parts::{PageHeap, pages}");
        heap.ty = format!("PageHeap<{}, pages::{search}, S, Unmetered>", heap.word());
        let Pages { page, min, retain, resize, .. } = self;
        let sizes = format!("pages::PageSizes {{ page: {page}, min: {min}, alignment: {} }}", heap.spec.alignment);
        let usual = Pages { page: *page, min: *min, search: self.search, ..Pages::default() };
        let is_checked = heap.spec.check == Check::Header;
        if *self == usual && !is_checked {
            heap.make(match self.search {
                PageSearch::Hardware(UnitAccess::Mmio(_)) => {
                    format!("PageHeap::with_search(source, {sizes}, Unmetered, {made})?")
                }
                _ => format!("PageHeap::from_parts(source, {sizes}, Unmetered)?"),
            });
            return Some(());
        }
        let order = match self.order {
            PageOrder::Lifo => "Lifo",
            PageOrder::Address => "Address",
            PageOrder::Phk => "Phk",
        };
        let placement = match self.info {
            PageInfo::Directory => "pages::InDirectory",
            PageInfo::Page => "pages::InPages",
        };
        let order = format!("order: pages::PageOrder::{order}");
        let policy = format!("{placement}(pages::PagePolicy {{ {order}, retain: {retain}, resize: {resize} }})");
        let (placement, policy) = if is_checked {
            heap.uses.insert("heapsmith::parts::Checked");
            (format!("Checked<{placement}>"), format!("Checked({policy})"))
        } else {
            (placement.to_owned(), policy)
        };
        heap.ty = format!("PageHeap<{}, pages::{search}, S, Unmetered, {placement}>", heap.word());
        heap.make(format!("PageHeap::with_policy(source, {sizes}, {policy}, Unmetered, {made})?"));
        Some(())
    }

    fn without_template(&self) -> Option<&'static str> {
        match self.info {
            PageInfo::Page => Some("info=page (info=directory is emitted)"),
            PageInfo::Directory => None,
        }
    }
}

impl Templated for PagesPlan {
    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        Some("pages/pages.c")
    }

    /// Objects have none.
    fn header(&self) -> u64 {
        0
    }

    /// The directory, the free runs, a list for each class, and the page that a unit holds for each.
    fn control_words(&self) -> u64 {
        let held = if self.unit.is_some() { self.classes } else { 0 };
        3 + u64::from(self.classes + held)
    }

    fn invariants(&self) -> Vec<&'static str> {
        vec![
            "1   pages of objects, used and free runs tile the pages below the wilderness",
            "2   free runs are listed by address, and touch neither each other nor the wilderness",
            "3   a page has as many free objects as its bitmap has bits, and not all of them",
            "4   a page of objects is on its list if and only if an object is free",
            "5   the directory has room for every page",
        ]
    }

    fn asks_for_coarse(&self) -> bool {
        false
    }

    fn footprint(&self) -> &'static str {
        "start_of(heap, load(heap, TOP))"
    }

    fn footprint_peak(&self) -> &'static str {
        "start_of(heap, load(heap, HIGH))"
    }

    fn has_bit_map(&self) -> bool {
        !matches!(self.search, "linear" | "hardware")
    }
}
