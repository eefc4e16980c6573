//! From a block size to the list that serves it.
//!
//! | form | lists | read-only memory | time |
//! |---|---|---|---|
//! | few | up to 6 | none | a comparison or two a list |
//! | direct | blocks of up to 512 words, of spans 2,048 | a byte or two a word of block size | constant |
//! | search | all others | two words a list | log of the lists |

use serde::Serialize;

/// Lists up to which comparisons are written out.
const FEW: usize = 6;
/// Words of the largest block up to which a table is indexed by the size.
const DIRECT: usize = 512;

/// A list, in words of block size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    low: usize,
    high: usize,
}

/// The lists of a layer or of a set of classes.
#[derive(Clone, Debug, Serialize)]
pub struct SizesPlan {
    name: &'static str,
    what: &'static str,
    verb: &'static str,
    none_name: &'static str,
    form: &'static str,
    /// The type of a table's entries.
    entry: &'static str,
    rows: Vec<Row>,
    table: Vec<usize>,
    has_gaps: bool,
    /// Nobody asks for larger blocks than those of the last list.
    total: bool,
}

/// The type of a table with entries up to this one.
pub(super) fn entry(largest: usize) -> &'static str {
    match largest {
        0..=0xFF => "uint8_t",
        0x100..=0xFFFF => "uint16_t",
        _ => "uint32_t",
    }
}

impl SizesPlan {
    /// The lists that serve the blocks of `rows`, ascending and disjoint.
    pub(super) fn of(
        name: &'static str,
        what: &'static str,
        verb: &'static str,
        none_name: &'static str,
        rows: &[(usize, usize)],
    ) -> Self {
        SizesPlan::with_table(name, what, verb, none_name, rows, DIRECT)
    }

    /// The same map, which nobody asks for larger blocks than it has.
    pub(super) fn total(self) -> Self {
        SizesPlan { total: true, ..self }
    }

    /// The same with a table for blocks of up to `direct` words.
    pub(super) fn with_table(
        name: &'static str,
        what: &'static str,
        verb: &'static str,
        none_name: &'static str,
        rows: &[(usize, usize)],
        direct: usize,
    ) -> Self {
        let max = rows.last().map_or(0, |&(_, high)| high);
        let form = match rows.len() {
            0..=FEW => "few",
            _ if max <= direct => "direct",
            _ => "search",
        };
        let list_of = |words| rows.iter().position(|&(low, high)| (low..=high).contains(&words)).unwrap_or(rows.len());
        let table = if form == "direct" { (0..=max).map(list_of).collect() } else { Vec::new() };
        let largest = table.iter().copied().max().unwrap_or(0).max(max);
        SizesPlan {
            name,
            what,
            verb,
            none_name,
            form,
            entry: entry(largest),
            total: false,
            has_gaps: rows.windows(2).any(|pair| pair[0].1 + 1 < pair[1].0)
                || rows.first().is_some_and(|row| row.0 > 0),
            rows: rows.iter().map(|&(low, high)| Row { low, high }).collect(),
            table,
        }
    }
}
