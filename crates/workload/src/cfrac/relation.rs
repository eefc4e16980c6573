//! From relations to factors.
//!
//! ```text
//!   rows: exponents modulo 2 │ which relations        eliminated: a row without a one names
//!         1 0 1 1 0          │ 1 0 0 …                relations whose product is a square
//! ```
//!
//! For such relations X is the product of the numerators and Y the root of the product of the
//! Qs, so X² ≡ Y² (mod N): gcd(X - Y, N) is a factor, for one in two or better a proper one.
//! Source: Morrison and Brillhart 1975, section 3.

use super::base::Base;
use super::number::{Memory, Number, Owned};

/// A numerator whose square is a product of primes of the base.
pub(super) struct Relation<'s> {
    exponents: Vec<u16>,
    numerator: Number<'s>,
    _block: Owned<'s>,
}

impl<'s> Relation<'s> {
    pub fn new(memory: &Memory<'s>, exponents: Vec<u16>, numerator: Number<'s>) -> Relation<'s> {
        let block = memory.own_relation(exponents.len());
        memory.work(2 + exponents.len() as u64);
        Relation { exponents, numerator, _block: block }
    }
}

/// A row of the elimination: bits of exponents, then bits of relations.
struct Row<'s> {
    words: Vec<u64>,
    _block: Owned<'s>,
}

impl Row<'_> {
    fn bit(&self, bit: usize) -> bool {
        self.words[bit / 64] >> (bit % 64) & 1 == 1
    }
}

/// The factors that the relations tell, if any proper ones.
pub(super) fn factor<'s>(
    memory: &Memory<'s>,
    target: &Number<'s>,
    base: &Base,
    relations: &[Relation<'s>],
) -> Option<(Number<'s>, Number<'s>)> {
    let columns = base.len() + 1;
    let mut rows = rows(memory, columns, relations);
    for column in 0..columns {
        let Some(pivot) = rows.iter().position(|row| row.bit(column)) else {
            continue;
        };
        let pivot = rows.swap_remove(pivot);
        for row in rows.iter_mut().filter(|row| row.bit(column)) {
            memory.work(2 * row.words.len() as u64);
            row.words.iter_mut().zip(&pivot.words).for_each(|(word, pivot)| *word ^= pivot);
        }
    }
    rows.iter().find_map(|row| {
        let chosen = relations.iter().enumerate().filter(|(index, _)| row.bit(columns + index));
        split(memory, target, base, chosen.map(|(_, relation)| relation))
    })
}

fn rows<'s>(memory: &Memory<'s>, columns: usize, relations: &[Relation]) -> Vec<Row<'s>> {
    let words = (columns + relations.len()).div_ceil(64);
    let row = |(index, relation): (usize, &Relation)| {
        let mut row = Row { words: vec![0; words], _block: memory.own_row(words) };
        memory.work((words + columns) as u64);
        let odd = relation.exponents.iter().enumerate().filter(|(_, exponent)| **exponent % 2 == 1);
        odd.map(|(column, _)| column).chain([columns + index]).for_each(|bit| row.words[bit / 64] |= 1 << (bit % 64));
        row
    };
    relations.iter().enumerate().map(row).collect()
}

/// The factors by relations whose product is a square.
fn split<'r, 's: 'r>(
    memory: &Memory<'s>,
    target: &Number<'s>,
    base: &Base,
    relations: impl Iterator<Item = &'r Relation<'s>>,
) -> Option<(Number<'s>, Number<'s>)> {
    let mut x = memory.small(1);
    let mut exponents = vec![0_u64; base.len()];
    for relation in relations {
        x = x.times(&relation.numerator).modulo(target);
        exponents.iter_mut().zip(&relation.exponents[1..]).for_each(|(sum, &exponent)| *sum += u64::from(exponent));
    }
    let mut y = memory.small(1);
    for (&prime, exponent) in base.primes().iter().zip(exponents) {
        for _ in 0..exponent / 2 {
            y = y.times_small(prime).modulo(target);
        }
    }
    // X - Y, or what is the same modulo N.
    let divisor = x.plus(target).minus(&y).greatest_common_divisor(target);
    let proper = !divisor.is(1) && !divisor.equals(target);
    proper.then(|| (divisor.clone(), target.over(&divisor)))
}
