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
{%- if promise.legend %}
//!
//! M: the most bytes in live blocks at once, headers included; B: the most live blocks; n: the largest
//! block; all in units of the smallest.
{%- endif %}
//!
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
//! // SAFETY: a static neither moves nor ends.
//! #[global_allocator]
//! static HEAP: Global<{{ name }}::{{ camel }}<Fixed<'static>>, Spin, { 1 << 20 }> = unsafe { Global::new({{ name }}::heap) };
//! ```

{% for line in uses -%}
use {{ line }};
{% endfor %}
{%- if policy %}
/// The levels of the heap: constants, so that no branch on them is left.
#[derive(Clone, Copy, Debug, Default)]
pub struct {{ camel }}Policy;

impl Policy for {{ camel }}Policy {
    #[inline(always)]
    fn alignment(&self) -> usize {
        {{ alignment }}
    }
    #[inline(always)]
    fn fit(&self) -> Fit {
        {{ policy.fit }}
    }
    #[inline(always)]
    fn split_from(&self) -> usize {
        {{ policy.split_from }}
    }
    #[inline(always)]
    fn coalesce(&self) -> Coalesce {
        {{ policy.coalesce }}
    }
}
{% endif %}
{%- if bin_map %}
/// How the bins divide the block sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct {{ camel }}Bins;

impl {{ camel }}Bins {
    const SPACED: SpacedBins = SpacedBins::new({{ bin_map }}, {{ word }});
}

impl BinMap for {{ camel }}Bins {
    #[inline(always)]
    fn bins(&self) -> usize {
        Self::SPACED.bins()
    }
    #[inline(always)]
    fn bin_of(&self, words: usize) -> usize {
        Self::SPACED.bin_of(words)
    }
}
{% endif %}
{%- for map in maps %}
/// The {{ map.what }}, by the words of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct {{ camel }}{{ map.end }};

impl SizeMap for {{ camel }}{{ map.end }} {
    #[inline(always)]
    fn lists(&self) -> usize {
        {{ map.rows | length }}
    }
    #[inline]
    fn list_of(&self, words: usize) -> Option<usize> {
        match words {
{%- for row in map.rows %}
            {{ row.low }}..={{ row.high }} => Some({{ loop.index0 }}),
{%- endfor %}
            _ => None,
        }
    }
    #[inline]
    fn words(&self, list: usize) -> usize {
        match list {
{%- for row in map.rows %}
            {{ loop.index0 }} => {{ row.high }},
{%- endfor %}
            _ => 0,
        }
    }
}
{% endfor %}
/// The heap, over a region that `S` supplies.
pub type {{ camel }}<S> = {{ type }};

/// An empty heap over the region that `source` supplies.
pub fn heap<S: Source>(source: S) -> Result<{{ camel }}<S>, RegionError> {
{%- for line in body %}
    {{ line }}
{%- endfor %}
}
