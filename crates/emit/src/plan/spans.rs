//! The numbers of spans.

use heapsmith_spec::build::spans_in_words;
use heapsmith_spec::{FreeBlocks, Metadata, NextSpan, Spans, Spec};
use serde::Serialize;

use super::sizes::{Blocks, Names, SizesPlan, entry};

const NAMES: Names = Names { name: "span_class", what: "span class", verb: "holds", none_name: "SPAN_CLASSES" };
/// Steps of the largest class up to which a table is indexed by the size: a class is looked up for every request.
const DIRECT: usize = 2048;
/// The words of the layer's own block before the heads of rings.
const HEADS: u64 = 4;
/// The words of a record that all spans have.
const RECORD: u64 = 6;

/// Spans directly before a pool, or before its free lists.
#[derive(Clone, Debug, Serialize)]
pub struct SpansPlan {
    bitmap: bool,
    outside: bool,
    /// The next span of a class is looked for, and is the fullest.
    ranked: bool,
    fullest: bool,
    /// A span that got room serves next.
    last: bool,
    /// Empty spans of a class that are kept.
    keep: u32,
    /// Words of a unit as a power of two; units of a span; bytes whose multiples units begin at.
    unit_shift: u32,
    units: u64,
    grid: u64,
    /// Words of a span, of its record, and before its first block.
    length: u64,
    record: u64,
    first: u64,
    /// Blocks of a span of each class, and the type of a table of them.
    blocks: Vec<u64>,
    blocks_entry: &'static str,
    /// Bytes of the largest class, and of what all are multiples of.
    largest: u64,
    alignment: u32,
    /// Words of the layer's own block.
    own: u64,
    /// Owners that spans have, besides nobody.
    owners: usize,
    /// The class that serves a request.
    map: SizesPlan,
}

impl SpansPlan {
    /// The spans of a layer of `spec`, before a pool with headers of `header` words.
    pub(super) fn of(spec: &Spec, layer: &Spans, header: u64) -> SpansPlan {
        let rows = spans_in_words(spec, layer);
        let word = u64::from(spec.word.bytes());
        let words = |list: Option<&(usize, usize)>| list.map_or(0, |&(_, high)| high as u64);
        let (values, bitmap, outside) =
            (layer.values(), layer.free == FreeBlocks::Bitmap, layer.metadata == Metadata::Outside);
        let length = layer.span / word - header;
        let bits = if bitmap { (length / words(rows.first()).max(1)).div_ceil(word * 8) } else { 0 };
        let record = RECORD + u64::from(outside) + bits;
        let unit = values.unit() as u64;
        let first = if outside { 0 } else { record.next_multiple_of(u64::from(spec.alignment) / word) };
        let step = (u64::from(spec.alignment) / word) as usize;
        let payloads = Blocks { step, min: step, header: 0, word: word as usize };
        let map = SizesPlan::with_table(NAMES, &rows, step, DIRECT).total();
        let map = map.by_size(payloads, |size| Some(size.div_ceil(spec.alignment as usize) * step));
        let owners = spec.threads.owners();
        let rings = (rows.len() * (1 + owners)) as u64;
        let blocks: Vec<u64> = rows.iter().map(|&(_, high)| (length - first) / high as u64).collect();
        SpansPlan {
            bitmap,
            outside,
            ranked: matches!(layer.next, NextSpan::Fullest | NextSpan::Lowest),
            fullest: layer.next == NextSpan::Fullest,
            last: layer.next == NextSpan::Last,
            keep: layer.empty.kept(),
            unit_shift: (unit / word).ilog2(),
            units: layer.span / unit,
            grid: heapsmith::parts::SpanValues::UNIT as u64,
            length,
            record,
            first,
            blocks_entry: entry(blocks.iter().copied().max().unwrap_or(0) as usize),
            blocks,
            largest: words(rows.last()) * word,
            alignment: spec.alignment,
            own: HEADS + rings * if layer.empty.kept() > 0 { 2 } else { 1 },
            owners,
            map,
        }
    }
}
