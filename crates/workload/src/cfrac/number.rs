//! Whole numbers that are blocks of the heap.
//!
//! ```text
//!   0        2        4        6
//!   │ count  │ length │ 16 bits│ 16 bits│ …
//! ```
//!
//! The arithmetic is num-bigint's. What is ours is when a number is a block: from the
//! operation that gives it until the last [`Number`] that holds it is gone.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::program::Recorder;
use crate::tape::{Block, Site, Tape};

/// Bytes before the digits.
const HEAD: u64 = 4;

/// What all numbers of a run are allocated from.
#[derive(Clone)]
pub(super) struct Memory<'s>(Rc<Shared<'s>>);

struct Shared<'s> {
    program: RefCell<Recorder<'s>>,
    number: Site,
    prime: Site,
    relation: Site,
    row: Site,
}

/// A block that is freed when it is dropped.
pub(super) struct Owned<'s> {
    memory: Memory<'s>,
    block: Cell<Option<Block>>,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.memory.0.program.borrow_mut().free(block);
        }
    }
}

impl<'s> Memory<'s> {
    pub fn new(mut program: Recorder<'s>) -> Memory<'s> {
        let [number, prime, relation, row] = ["number", "prime", "relation", "row"].map(|name| program.site(name));
        Memory(Rc::new(Shared { program: RefCell::new(program), number, prime, relation, row }))
    }

    fn own(&self, site: Site, size: u64) -> Owned<'s> {
        let block = self.0.program.borrow_mut().allocate(site, size);
        Owned { memory: self.clone(), block: Cell::new(Some(block)) }
    }

    /// A prime of the factor base: the prime, and where the next is.
    pub fn own_prime(&self) -> Owned<'s> {
        self.own(self.0.prime, 8)
    }

    /// A relation with this many exponents.
    pub fn own_relation(&self, exponents: usize) -> Owned<'s> {
        self.own(self.0.relation, 16 + 2 * exponents as u64)
    }

    /// A row of this many words of bits.
    pub fn own_row(&self, words: usize) -> Owned<'s> {
        self.own(self.0.row, 8 * words as u64)
    }

    /// Reads and writes this many words.
    pub fn work(&self, words: u64) {
        self.0.program.borrow_mut().work(words);
    }

    pub fn mark(&self, label: &str) {
        self.0.program.borrow_mut().mark(label);
    }

    /// Whether nothing that is computed from here on is in the trace.
    pub fn is_full(&self) -> bool {
        self.0.program.borrow().is_full()
    }

    /// The whole, once no number is left; none while there is one.
    pub fn end(self) -> Option<Tape<'s>> {
        Some(Rc::into_inner(self.0)?.program.into_inner().end())
    }

    fn number(&self, value: BigUint, work: u64) -> Number<'s> {
        let digits = digits(&value);
        self.work(work + digits);
        Number(Rc::new(Held { owned: self.own(self.0.number, HEAD + 2 * digits), value }))
    }

    pub fn parse(&self, text: &str) -> Option<Number<'s>> {
        text.parse().ok().map(|value| self.number(value, 0))
    }

    pub fn small(&self, value: u64) -> Number<'s> {
        self.number(BigUint::from(value), 0)
    }
}

/// Digits of 16 bits.
fn digits(value: &BigUint) -> u64 {
    value.bits().div_ceil(16).max(1)
}

struct Held<'s> {
    value: BigUint,
    owned: Owned<'s>,
}

/// A number, held by reference count.
#[derive(Clone)]
pub(super) struct Number<'s>(Rc<Held<'s>>);

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

impl<'s> Number<'s> {
    fn memory(&self) -> &Memory<'s> {
        &self.0.owned.memory
    }

    fn digits(&self) -> u64 {
        digits(&self.0.value)
    }

    pub fn plus(&self, other: &Number) -> Number<'s> {
        self.memory().number(&self.0.value + &other.0.value, self.digits() + other.digits())
    }

    /// The difference; `other` is not larger.
    pub fn minus(&self, other: &Number) -> Number<'s> {
        self.memory().number(&self.0.value - &other.0.value, self.digits() + other.digits())
    }

    pub fn times(&self, other: &Number) -> Number<'s> {
        self.memory().number(&self.0.value * &other.0.value, self.digits() * other.digits())
    }

    pub fn times_small(&self, other: u64) -> Number<'s> {
        self.memory().number(&self.0.value * other, self.digits())
    }

    /// The quotient; `other` is not 0.
    pub fn over(&self, other: &Number) -> Number<'s> {
        self.memory().number(&self.0.value / &other.0.value, self.division(other))
    }

    pub fn over_small(&self, other: u64) -> Number<'s> {
        self.memory().number(&self.0.value / other, self.digits())
    }

    /// The remainder; `other` is not 0.
    pub fn modulo(&self, other: &Number) -> Number<'s> {
        self.memory().number(&self.0.value % &other.0.value, self.division(other))
    }

    /// The remainder in a register: no block.
    pub fn modulo_small(&self, other: u64) -> u64 {
        self.memory().work(self.digits());
        (&self.0.value % other).try_into().unwrap_or(0)
    }

    /// Rounded down.
    pub fn square_root(&self) -> Number<'s> {
        self.memory().number(self.0.value.sqrt(), self.digits() * self.digits())
    }

    /// By Euclid's algorithm.
    pub fn greatest_common_divisor(&self, other: &Number<'s>) -> Number<'s> {
        let (mut one, mut other) = (self.clone(), other.clone());
        while !other.is(0) {
            (one, other) = (other.clone(), one.modulo(&other));
        }
        one
    }

    pub fn is(&self, value: u64) -> bool {
        self.memory().work(1);
        self.0.value == BigUint::from(value)
    }

    pub fn equals(&self, other: &Number) -> bool {
        self.memory().work(self.digits().min(other.digits()));
        self.0.value == other.0.value
    }

    fn division(&self, other: &Number) -> u64 {
        let (long, short) = (self.digits(), other.digits());
        long + short + long.saturating_sub(short) * short
    }
}

/// Whether a number has two factors that are prime to each other, as far as a quick test can say.
pub(super) fn is_worth_factoring(number: &Number) -> bool {
    let value = &number.0.value;
    let is_power = (2..=value.bits() as u32).any(|power| value.nth_root(power).pow(power) == *value);
    let odd = value.bit(0);
    odd && !is_power && !is_probably_prime(value)
}

/// By the test of Miller and Rabin to the first primes.
fn is_probably_prime(value: &BigUint) -> bool {
    let one = BigUint::from(1_u32);
    let less = value - &one;
    let twos = less.trailing_zeros().unwrap_or(0);
    let odd = &less >> twos;
    [2_u32, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].iter().all(|&witness| {
        let mut power = BigUint::from(witness).modpow(&odd, value);
        if power == one || power == less {
            return true;
        }
        (1..twos).any(|_| {
            power = &power * &power % value;
            power == less
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapsmith_trace::{Action, Trace};

    #[test]
    fn a_number_is_a_block_as_long_as_somebody_holds_it() {
        let mut trace = Trace::default();
        let memory = Memory::new(Recorder::with_work(Tape::new(&mut trace)));
        let number = memory.parse("18446744073709551616").unwrap();
        let same = number.clone();
        drop(number);
        drop(same.times(&same));
        drop(same);
        memory.end().unwrap().end().unwrap();
        let sizes = trace.events.iter().map(|event| match event.action {
            Action::Allocate { size, .. } => size.0 as i64,
            Action::Free { id } => -(id as i64),
            _ => 0,
        });
        // 65 bits are five digits, 129 nine; the second block dies before the first.
        assert_eq!(sizes.collect::<Vec<_>>(), [14, 22, -2, -1, 0]);
    }

    #[test]
    fn primes_and_powers_are_not_worth_it() {
        let memory = Memory::new(Recorder::unheard());
        for (text, worth) in
            [("1000003", false), ("1002001", false), ("1030301", false), ("1000036000099", true), ("1000000", false)]
        {
            assert_eq!(is_worth_factoring(&memory.parse(text).unwrap()), worth, "{text}");
        }
    }
}
