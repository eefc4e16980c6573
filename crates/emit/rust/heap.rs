//! {{ name }}: a memory allocator, emitted by heapsmith {{ version }}.
//!
//! ```text
{%- for line in spec_lines %}
//! {{ line }}
{%- endfor %}
//! ```
//!
{%- if figures %}
//! Measured on {{ figures.traces }}:
//!
//! ```text
{%- for line in figures.lines %}
//! {{ line }}
{%- endfor %}
//! ```
{%- else %}
//! Not measured: no trace was named when it was emitted.
{%- endif %}
//!
//! | bound | |
//! |---|---|
//! | allocate | {{ promise.allocate }} |
//! | free | {{ promise.free }} |
//! | max memory | {{ promise.footprint }} |
{%- if promise.refusal %}
//! | refusal | {{ promise.refusal }} |
{%- endif %}
{%- if promise.legend %}
//!
//! M: the most bytes in live blocks at once, headers included; B: the most live blocks; n: the largest
//! block; all in units of the smallest.
{%- endif %}
//!
{%- if in_one %}
//! Over regions of one's own, in the order of the text above; they may have other sizes than those that were explored:
//!
//! ```ignore
//! let mut heap = {{ name }}::heap([Fixed::new(&mut first), Fixed::new(&mut second)])?;
//! let block = heap.allocate(100, 1);
//! ```
//!
{%- else %}
//! As a value, over a region of one's own:
//!
//! ```ignore
//! let mut memory = [MaybeUninit::<u64>::uninit(); 8192];
//! let mut heap = {{ name }}::heap(Fixed::new(&mut memory))?;
//! let block = heap.allocate(100, 1);
//! ```
//!
//! As the program's allocator, in a mebibyte of static memory:
//!
//! ```ignore
//! static REGION: StaticRegion<{ 1 << 20 }> = StaticRegion::new();
//! #[global_allocator]
//! static HEAP: Global<{{ name }}::{{ camel }}<Fixed<'static>>, Spin, { 1 << 20 }> = Global::new(&REGION, {{ name }}::heap);
//! ```
//!
{%- endif %}
//! Precondition: a value in a block that was allocated with alignment 1 is aligned to at most {{ alignment }} bytes. For each of
//! your types, this refuses to compile where that is not so:
//!
//! ```ignore
//! const _: () = {{ name }}::assert_aligned::<Packet>();
//! ```
//!
//! It needs the crate heapsmith of this version, since it names parts of it. In Cargo.toml:
//!
//! ```toml
//! [dependencies]
//! heapsmith = "{{ version }}"
//!
//! [patch.crates-io]    # until the crate is published
//! heapsmith = { path = "path/to/heapsmith/crates/heapsmith" }
//! ```

{% for line in uses -%}
use {{ line }};
{% endfor %}
{%- if policy %}
/// The levels of the heap: constants, so that no branch on them is left.
#[derive(Clone, Copy, Debug, Default)]
pub struct {{ camel }}Policy;

impl ConstantPolicy for {{ camel }}Policy {
    const VALUES: PolicyValues = PolicyValues {
        alignment: {{ alignment }},
        fit: {{ policy.fit }},
        split_from: {{ policy.split_from }},
        remainder: {{ policy.remainder }},
        coalesce: {{ policy.coalesce }},
    };
}
{% endif %}
{%- if bin_map %}
/// How the bins divide the block sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct {{ camel }}Bins;

impl ConstantBins for {{ camel }}Bins {
    const BINS: SpacedBins = SpacedBins::new({{ bin_map }}, {{ word }});
}
{% endif %}
{%- for map in maps %}
/// The {{ map.what }}, by the words of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct {{ camel }}{{ map.end }};

impl ConstantSizes for {{ camel }}{{ map.end }} {
    const LISTS: &'static [SizeRange] = &[
{%- for row in map.rows %}
        SizeRange { low: {{ row.low }}, high: {{ row.high }} },
{%- endfor %}
    ];
}
{% endfor %}
/// Payloads lie at multiples of this many bytes where no coarser alignment is asked for.
pub const ALIGNMENT: usize = {{ alignment }};

/// In a constant: refuses to compile where values of `T` are aligned to more than [`ALIGNMENT`].
#[allow(dead_code)]
pub const fn assert_aligned<T>() {
    assert!(core::mem::align_of::<T>() <= ALIGNMENT, "the type is aligned to more than the payloads of this heap");
}

{% if in_one -%}
/// The heap in each of the regions.
pub type {{ camel }}InOne<S> = {{ in_one.type }};

/// An empty heap over one of the regions.
fn in_one_region<S: Source>(source: S) -> Result<{{ camel }}InOne<S>, RegionError> {
{%- for line in in_one.body %}
    {{ line }}
{%- endfor %}
    Ok(heap)
}

/// The heap, over the regions that sources supply.
pub type {{ camel }}<S> = {{ type }};

/// An empty heap over the regions that `sources` supply, in their order.
pub fn heap<S: Source>(sources: [S; {{ in_one.count }}]) -> Result<{{ camel }}<S>, RegionError> {
{%- else -%}
/// The heap, over a region that `S` supplies.
pub type {{ camel }}<S> = {{ type }};

/// An empty heap over the region that `source` supplies.
pub fn heap<S: Source>(source: S) -> Result<{{ camel }}<S>, RegionError> {
{%- endif %}
{%- for line in body %}
    {{ line }}
{%- endfor %}
}
