//! The layer before several regions.

/// Several regions, each with a heap of what follows: `regions(sram(16K, up-to=256), psram(128K, cost=8))`.
///
/// A request goes to the first region, in the order in which they are written, that takes it; to the next that do where that
/// one refuses; then to those that its size skipped ([`heapsmith::Regions`]).
///
/// ```
/// use heapsmith_spec::Spec;
///
/// let spec: Spec = "regions(sram(16K, up-to=256), psram(128K, cost=8)) tlsf".parse()?;
/// let regions = spec.regions().expect("it has some");
/// assert_eq!((regions.size(), regions.first_for(300)), (144 << 10, 1));
/// assert_eq!(spec.in_one_region().to_string(), "tlsf(second-level=5)");
/// # Ok::<(), heapsmith_spec::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Regions {
    /// The regions, in the order of preference.
    pub regions: Vec<NamedRegion>,
}

/// One of several regions: `psram(128K, cost=8)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedRegion {
    /// Its name: lower-case letters, digits and `_`. It is part of names in emitted code.
    pub name: String,
    /// Its bytes, a multiple of the heap's alignment.
    pub size: u64,
    /// Cycles of an access, for the weighted cost of measures. Changes nothing in the heap.
    pub cost: u32,
    /// Bytes of the largest request that begins here; none: all begin here.
    pub up_to: Option<u64>,
}

impl Regions {
    /// The most regions of a heap.
    pub const MAX: usize = 8;

    /// Bytes of all regions.
    pub fn size(&self) -> u64 {
        self.regions.iter().fold(0, |sum, region| sum.saturating_add(region.size))
    }

    /// The place, in the order of preference, of the region that a request of `size` bytes goes to while none refuses.
    pub fn first_for(&self, size: u64) -> usize {
        self.regions.iter().position(|region| region.takes(size)).unwrap_or(0)
    }
}

impl NamedRegion {
    /// The highest cost of an access, in cycles.
    pub const MAX_COST: u32 = 10_000;
    /// The longest name.
    pub const MAX_NAME: usize = 24;

    /// A region that takes all requests, at a cycle an access.
    pub fn new(name: impl Into<String>, size: u64) -> Self {
        NamedRegion { name: name.into(), size, cost: 1, up_to: None }
    }

    /// Whether a request of `size` bytes begins in it.
    pub fn takes(&self, size: u64) -> bool {
        self.up_to.is_none_or(|up_to| size <= up_to)
    }
}
