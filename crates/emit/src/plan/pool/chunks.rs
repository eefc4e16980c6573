//! The numbers of chunks.

use heapsmith::parts::{ChunkHeader, ChunkIndex, ChunkValues};
use heapsmith_spec::{Chunks, Spec, WordSize};
use serde::Serialize;

use super::{Emit, PoolPlan, Templated, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::literal::unsigned;
use crate::plan::{Field, IndexPlan, index};

/// Chunks that know the size of the one before.
#[derive(Clone, Debug, Serialize)]
pub struct ChunksPlan {
    /// What is before a payload: `tags`, `packed` or `words`.
    head: &'static str,
    /// Words before a payload.
    head_words: u64,
    /// Words that all chunks are a multiple of.
    unit: u32,
    /// Words of the smallest chunk that holds links.
    min: u64,
    /// Words of the smallest chunk of a request.
    min_request: u64,
    /// Words of the smallest remainder that is split off.
    remainder: u64,
    /// Chunks of requests have a power of two of units.
    powers: bool,
    /// How free chunks are found: `lifo`, `address`, `size`, `rings`, `powers` or `two-level`.
    lists: &'static str,
    /// One list is searched for the smallest that serves.
    best: bool,
    /// A remainder keeps the place of its chunk.
    keeps_place: bool,
    /// Free neighbours are joined.
    joins: bool,
    /// Bytes of the smallest request that is served from above, if there are two ends.
    ends: Option<String>,
    /// Some free chunks are too small for links.
    has_unlinked: bool,
    /// Rings that there are.
    rings: u64,
    /// Words of the largest region.
    #[serde(skip)]
    max: u64,
    #[serde(skip)]
    control: u64,
    #[serde(skip)]
    alignment: u32,
}

impl ChunksPlan {
    fn of(values: &ChunkValues, spec: &Spec) -> ChunksPlan {
        let word = u64::from(spec.word.bytes());
        let [head_words, min, remainder, max, control, min_request] = match spec.word {
            WordSize::Two => Self::numbers::<u16>(values),
            WordSize::Four => Self::numbers::<u32>(values),
            WordSize::Eight => Self::numbers::<u64>(values),
        };
        let lists = match values.index {
            ChunkIndex::Lifo => "lifo",
            ChunkIndex::Address => "address",
            ChunkIndex::Size => "size",
            ChunkIndex::Rings => "rings",
            ChunkIndex::Powers => "powers",
            ChunkIndex::TwoLevel => "two-level",
        };
        ChunksPlan {
            head: match values.header {
                ChunkHeader::Tags => "tags",
                ChunkHeader::Packed => "packed",
                ChunkHeader::Words(_) => "words",
            },
            head_words,
            unit: (values.unit as u64 / word) as u32,
            min,
            min_request,
            remainder,
            powers: values.powers,
            lists,
            best: values.best,
            keeps_place: matches!(values.index, ChunkIndex::Lifo | ChunkIndex::Address),
            joins: values.joins,
            ends: (values.above > 0).then(|| unsigned(values.above as u64)),
            has_unlinked: remainder < min,
            rings: if lists == "rings" { control - 1 } else { 0 },
            max,
            control,
            alignment: values.unit as u32,
        }
    }

    fn numbers<W: heapsmith::Word>(values: &ChunkValues) -> [u64; 6] {
        let (head, min, remainder) = values.sizes::<W>();
        let min_request = values.words_for::<W>(1).unwrap_or(min);
        [head, min, remainder, values.max_words::<W>(), values.control_words::<W>(), min_request]
            .map(|number| number as u64)
    }
}

/// The lists of powers of two, which are those of an index of blocks.
fn index_of(values: &ChunkValues, spec: &Spec) -> IndexPlan {
    let (second, largest) = match spec.word {
        WordSize::Two => values.lists::<u16>(),
        WordSize::Four => values.lists::<u32>(),
        WordSize::Eight => values.lists::<u64>(),
    };
    IndexPlan { rounds: false, finds_larger: false, ..index::two_level_of(second as u8, largest as u64, spec) }
}

impl Templates for Chunks {
    const TEMPLATES: &'static [Template] = &[
        template!("chunks/chunks.c"),
        template!("chunks/layout.c"),
        template!("chunks/lists.c"),
        template!("chunks/heap.c"),
        template!("chunks/check.c"),
    ];
}

impl Emit for Chunks {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        let values = self.values(spec);
        let plan = PoolPlan::Chunks(ChunksPlan::of(&values, spec));
        Some(match values.index {
            ChunkIndex::Powers | ChunkIndex::TwoLevel => (plan, index_of(&values, spec)),
            _ => plan.alone(),
        })
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.uses.insert("heapsmith::parts::{ChunkHeader, ChunkIndex, ChunkValues, Chunks}");
        let ChunkValues { unit, header, powers, index, best, remainder, joins, above } = self.values(heap.spec);
        heap.ty = format!("Chunks<{}, S, Unmetered>", heap.word());
        heap.make(format!(
            "Chunks::from_parts(source, ChunkValues {{ unit: {unit}, header: ChunkHeader::{header:?}, powers: {powers}, \
             index: ChunkIndex::{index:?}, best: {best}, remainder: {remainder}, joins: {joins}, above: {above} }}, Unmetered)?"
        ));
        Some(())
    }
}

impl Templated for ChunksPlan {
    fn granule(&self) -> u32 {
        self.unit
    }

    fn file(&self) -> Option<&'static str> {
        Some("chunks/chunks.c")
    }

    fn header(&self) -> u64 {
        self.head_words
    }

    fn control_words(&self) -> u64 {
        self.control
    }

    fn max_words(&self) -> Option<u64> {
        Some(self.max)
    }

    fn alignment(&self, _spec: &Spec) -> u32 {
        self.alignment
    }

    fn footprint(&self) -> &'static str {
        if self.ends.is_some() { "in_use(heap)" } else { "top_of(heap) - HEAD" }
    }

    fn fields(&self, index: &'static str) -> Vec<Field> {
        vec![Field { r#type: index, name: "end", what: "behind the last chunk" }]
    }

    fn invariants(&self) -> Vec<&'static str> {
        let mut all =
            vec!["1   chunks tile the region in multiples of the unit", "2   a header is right about the chunk before"];
        if self.joins {
            all.push("3   no two free chunks touch");
        }
        all.extend(match self.lists {
            "powers" => {
                vec!["5   every free chunk is in the list of its size", "7   a bit says whether a list is empty"]
            }
            "two-level" => vec![
                "5   every free chunk is in the list of its size",
                "6   a bit of the second level says whether its list is empty",
                "7   a bit of the first level says whether all of its lists are",
            ],
            _ => vec!["5   every free chunk that holds links is listed once, in order"],
        });
        if self.ends.is_some() {
            all.push("8   the middle is a free chunk, or there is none");
        }
        all.push("9   the wilderness begins below its high-water mark");
        all
    }

    fn has_orders(&self) -> bool {
        self.powers || self.lists == "rings"
    }

    fn has_bit_map(&self) -> bool {
        self.lists == "rings"
    }
}
