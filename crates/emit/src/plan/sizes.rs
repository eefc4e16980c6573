//! From a block size, or the size of a request, to the list that serves it.
//!
//! | form | lists | read-only memory | time |
//! |---|---|---|---|
//! | few | up to 3, or 6 far apart | none | a comparison or two a list |
//! | steps | every multiple of the step from one to another, a list each | none | a subtraction |
//! | direct | up to 512 steps, of spans 2,048 | a byte or two a step | constant |
//! | near | more than three of them up to there, and larger ones | the same, and two words a list | constant, log of the lists for the larger |
//! | search | all others | two words a list | log of the lists |
//!
//! A step is what all block sizes are multiples of. Where lists of exact sizes are among others, an entry of a direct table is
//! marked if blocks of its size are served from the list and are not put on it: freeing takes one look.

use serde::Serialize;

/// Lists up to which comparisons are written out, whatever a table would take.
const FEW: usize = 3;
/// Lists up to which they are where a table would take this many bytes a list.
const FEW_AND_FAR: (usize, usize) = (6, 16);
/// Steps up to which a table is indexed by the size.
const DIRECT: usize = 512;
/// Bytes up to which all requests are tried, whether their bytes alone lead to a list with larger ones than a table holds.
const TRIED: usize = 1 << 16;

/// A list, in words of block size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    low: usize,
    high: usize,
}

/// How a map is called, and by what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// Before the names of its functions.
    pub name: &'static str,
    /// What it leads to, and what that does with blocks.
    pub what: &'static str,
    pub verb: &'static str,
    /// How many there are: the answer where none serves.
    pub none_name: &'static str,
}

/// What block sizes are like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// Words that all are a multiple of, at least one.
    pub step: usize,
    /// Words of the smallest.
    pub min: usize,
    /// Words of a header.
    pub header: usize,
    /// Bytes of a word.
    pub word: usize,
}

/// How requests in bytes lead to a list: `(size + pad) / unit` steps.
#[derive(Clone, Debug, Serialize)]
pub struct BySize {
    pad: usize,
    unit: usize,
    /// Bytes of the largest request that a list serves.
    largest: usize,
    /// A request up to it may have no list; a small one may be for less than the first.
    misses: bool,
    below: bool,
}

/// The lists of a layer or of a set of classes.
#[derive(Clone, Debug, Serialize)]
pub struct SizesPlan {
    name: &'static str,
    what: &'static str,
    verb: &'static str,
    none_name: &'static str,
    form: &'static str,
    /// The types of the entries of a table of sizes, and of one of lists.
    entry: &'static str,
    list_entry: &'static str,
    rows: Vec<Row>,
    /// Words from one entry of the table to the next.
    step: usize,
    /// Steps of the blocks of the first list, and of the smallest that it serves.
    first: usize,
    lowest: usize,
    table: Vec<usize>,
    /// The first list that a search looks at: what is below is in the table.
    far: usize,
    /// Mark of an entry whose list holds larger blocks; none if there is no such entry.
    mark: Option<usize>,
    has_gaps: bool,
    /// Nobody asks for larger blocks than those of the last list.
    total: bool,
    /// Somebody asks which list holds blocks of a size, and no others.
    holding: bool,
    /// Somebody asks for the list of a request.
    by_size: Option<BySize>,
}

/// The type of a table with entries up to this one.
pub(super) fn entry(largest: usize) -> &'static str {
    match largest {
        0..=0xFF => "uint8_t",
        0x100..=0xFFFF => "uint16_t",
        _ => "uint32_t",
    }
}

/// Every multiple of the step from one to another is a list; the first may serve smaller blocks, too.
fn are_steps(rows: &[(usize, usize)], step: usize) -> bool {
    let serves_one = |&(low, high): &(usize, usize)| high % step == 0 && low + step > high;
    rows.first().is_some_and(|first| first.1 % step == 0)
        && rows.iter().skip(1).all(serves_one)
        && rows.windows(2).all(|pair| pair[0].1 + step == pair[1].1)
}

/// Steps of the largest block that a table is for, and the lists whose blocks are all in it.
fn near(rows: &[(usize, usize)], step: usize, direct: usize) -> (usize, usize) {
    let lists = rows.iter().take_while(|&&(_, high)| high / step <= direct).count();
    (lists.checked_sub(1).map_or(0, |last| rows[last].1 / step), lists)
}

fn form(rows: &[(usize, usize)], step: usize, direct: usize) -> &'static str {
    let entries = rows.last().map_or(0, |&(_, high)| high / step + 1);
    match rows.len() {
        0..=FEW => "few",
        _ if are_steps(rows, step) => "steps",
        lists if lists <= FEW_AND_FAR.0 && entries > FEW_AND_FAR.1 * lists => "few",
        _ if entries <= direct + 1 => "direct",
        _ if near(rows, step, direct).1 > FEW => "near",
        _ => "search",
    }
}

impl SizesPlan {
    /// The lists that serve the blocks of `rows`, ascending and disjoint.
    pub(super) fn of(names: Names, rows: &[(usize, usize)], step: usize) -> Self {
        SizesPlan::with_table(names, rows, step, DIRECT)
    }

    /// The same with a table for blocks of up to `direct` steps.
    pub(super) fn with_table(names: Names, rows: &[(usize, usize)], step: usize, direct: usize) -> Self {
        let form = form(rows, step, direct);
        let last = rows.last().map_or(0, |&(_, high)| high);
        let list_of = |words: usize| rows.iter().position(|row| (row.0..=row.1).contains(&words)).unwrap_or(rows.len());
        let (largest, far) = match form {
            "direct" | "near" => near(rows, step, direct),
            _ => (0, 0),
        };
        let table: Vec<usize> =
            if far > 0 { (0..=largest).map(|steps| list_of(steps * step)).collect() } else { Vec::new() };
        SizesPlan {
            name: names.name,
            what: names.what,
            verb: names.verb,
            none_name: names.none_name,
            form,
            entry: entry(last),
            list_entry: entry(rows.len()),
            rows: rows.iter().map(|&(low, high)| Row { low, high }).collect(),
            step,
            first: rows.first().map_or(0, |row| row.1 / step),
            lowest: rows.first().map_or(0, |row| row.0.div_ceil(step)),
            table,
            far,
            mark: None,
            has_gaps: rows.windows(2).any(|pair| pair[0].1 + 1 < pair[1].0)
                || rows.first().is_some_and(|row| row.0 > 0),
            total: false,
            holding: false,
            by_size: None,
        }
    }

    /// The same map, which nobody asks for larger blocks than it has.
    pub(super) fn total(self) -> Self {
        SizesPlan { total: true, ..self }
    }

    /// The same map, which is asked for the list that holds blocks of a size, too, and marks those that none holds.
    pub(super) fn holding(self) -> Self {
        let SizesPlan { rows, step, table, .. } = &self;
        let is_served_only = |steps: usize, list: usize| rows.get(list).is_some_and(|row| row.high != steps * step);
        let mark = if table.iter().enumerate().any(|(steps, &list)| is_served_only(steps, list)) {
            Some(if rows.len() < 0x80 { 0x80 } else { 0x8000 })
        } else {
            None
        };
        let marked =
            |(steps, &list): (usize, &usize)| if is_served_only(steps, list) { list | mark.unwrap_or(0) } else { list };
        let table: Vec<usize> = table.iter().enumerate().map(marked).collect();
        let list_entry = entry(table.iter().copied().max().unwrap_or(0));
        SizesPlan { list_entry, mark, holding: true, table, ..self }
    }

    /// The same map, which is asked for the list of a request by its bytes, too. `words_for` are the words of the block
    /// that serves a request. Where these are no plain rounding, it is not asked: the words of the block lead to the list.
    pub(super) fn by_size(mut self, blocks: Blocks, words_for: impl Fn(usize) -> Option<usize>) -> Self {
        let Blocks { step, min, header, word } = blocks;
        let (unit, last) = (step * word, self.rows.last().map_or(0, |row| row.high));
        let pad = header * word + unit - 1;
        let steps = |size: usize| (size + pad) / unit;
        let clamped = |steps: usize| steps.max(min.div_ceil(step));
        let largest = ((last / step * unit + unit) - 1).saturating_sub(pad);
        let is_plain = || {
            let of_steps = |size| clamped(steps(size)) * step;
            (1..=largest).all(|size| words_for(size) == Some(of_steps(size)))
                && words_for(largest + 1).is_none_or(|words| words > last)
        };
        let serves = match self.form {
            "steps" => {
                clamped(steps(1)) == steps(1) || clamped(steps(1)) <= self.first && self.lowest <= clamped(steps(1))
            }
            "direct" | "near" => true,
            _ => false,
        };
        if !serves || largest == 0 || self.form == "near" && largest > TRIED || !is_plain() {
            return self;
        }
        if self.far > 0 {
            let smallest = clamped(0);
            let entry = self.table.get(smallest).copied().unwrap_or(self.rows.len());
            self.table.iter_mut().take(smallest).for_each(|below| *below = entry);
        }
        let has_list = |size: usize| {
            let words = clamped(steps(size)) * step;
            self.rows.iter().any(|row| (row.low..=row.high).contains(&words))
        };
        // A search is not known to find a list, by those who read the code either.
        let misses = self.form == "near" || !(1..=largest).all(has_list);
        let below = self.form == "steps" && steps(1) < self.first && self.lowest <= clamped(steps(1));
        self.by_size = Some(BySize { pad, unit, largest, misses, below });
        self
    }
}
