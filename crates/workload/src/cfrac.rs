//! Factors a number by continued fractions, with numbers that are blocks of the heap.
//!
//! ```text
//!   √(kN) ─► convergents: A² ≡ ± Q (mod N), Q small
//!            Q over small primes? ─► relation: exponents modulo 2, and A
//!   relations ─► some whose product is a square on both sides ─► gcd(X - Y, N)
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | number | 4 (count of references, length and sign) and 2 for each 16 bits of it | an operation gives it | the last that holds it lets go |
//! | prime of the base | 8: the prime, next | start | end |
//! | relation | exponents (2 for each prime and the sign), then two pointers to numbers | Q is found smooth | end |
//!
//! Numbers are never changed: every sum, product, quotient and remainder is a new block, and
//! what was needed for a moment is freed at once. That is what makes the program the classic
//! of small, short-lived blocks. They are held by reference counts, as where a convergent
//! becomes the one before.
//!
//! `multiplier=auto` tries k = 1, 2, 3 … and tries the next where the fraction repeats
//! or the factors found are 1 and N. Words of work are counted for arithmetic: those read and
//! those written, and for a product or quotient their product.
//!
//! Source: M. Morrison, J. Brillhart, "A method of factoring and the factorization of F7",
//! Mathematics of Computation 29 (1975). A program of the name cfrac, by D. Barrett, is one of
//! the allocation benchmarks of B. Zorn; Li, Mohanty and Kavi run it on a number of 22 digits
//! (Table III). This one is written anew from the method.

mod base;
mod convergent;
mod number;
mod relation;

use self::base::Base;
use self::convergent::Convergents;
use self::number::{Memory, Number};
use self::relation::{Relation, factor};
use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::Tape;
use crate::workload::{NOTHING, Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "cfrac",
    about: "factors a number by continued fractions; every intermediate number is a block",
    source: "Morrison, Brillhart: A method of factoring and the factorization of F7, Mathematics of \
             Computation 29 (1975); the benchmark cfrac of Zorn's allocation benchmarks",
    input: NOTHING,
    parameters: &[
        Parameter {
            name: "number",
            default: "1000036000099",
            about: "what is factored, of 4 to 40 digits; Li, Mohanty, Kavi (2006) take one of 22 digits",
        },
        Parameter { name: "primes", default: "auto", about: "size of the factor base; auto goes by the digits" },
        Parameter {
            name: "multiplier",
            default: "auto",
            about: "k of √(kN); auto goes from 1 to the first that works",
        },
    ],
    formats: &[],
    run: Run::Alone(run),
};

const DIGITS: &str = "a whole number of 4 to 40 digits that is not prime and no power";
/// This many convergents for one multiplier, at most.
const MAX_STEPS: u64 = 4_000_000;

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let text = settings.text("number").to_owned();
    let bad = |settings: &Settings| settings.bad("number", DIGITS);
    if !(4..=40).contains(&text.len()) || !text.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(bad(settings));
    }
    let primes = match settings.text("primes") {
        "auto" => text.len() * text.len() / 4,
        _ => settings.number("primes", 2, 10_000, "auto or primes from 2 to 10000")? as usize,
    };
    let multipliers = match settings.text("multiplier") {
        "auto" => 1..=30,
        _ => {
            let k = settings.number("multiplier", 1, 10_000, "auto or a whole number from 1 to 10000")?;
            k..=k
        }
    };
    let memory = Memory::new(Recorder::with_work(tape));
    let target = memory.parse(&text).filter(number::is_worth_factoring).ok_or_else(|| bad(settings))?;
    let found = multipliers.into_iter().find_map(|k| Some((k, divide(&memory, &target, k, primes)?)));
    settings.found("primes", primes.to_string());
    let Some((k, (one, other))) = found else {
        drop(target);
        let left_off = memory.is_full().then(|| memory.end()).flatten();
        return left_off.ok_or_else(|| bad(settings));
    };
    settings.found("multiplier", k.to_string());
    memory.mark(&format!("{one} times {other}"));
    drop((target, one, other));
    memory.end().ok_or_else(|| bad(settings))
}

/// The factors of a number, found with a multiplier; none if that one leads nowhere.
fn divide<'s>(memory: &Memory<'s>, target: &Number<'s>, k: u64, primes: usize) -> Option<(Number<'s>, Number<'s>)> {
    let multiplied = target.times_small(k);
    let base = Base::new(memory, &multiplied, primes);
    let mut relations = Vec::new();
    let mut convergents = Convergents::new(&multiplied, target);
    for _ in 0..MAX_STEPS {
        if memory.is_full() {
            return None;
        }
        let (square, negative) = convergents.step()?;
        if let Some(exponents) = base.exponents(&square, negative) {
            relations.push(Relation::new(memory, exponents, convergents.numerator()));
        }
        // More relations than unknowns: one for each prime, and the sign.
        if relations.len() > base.len() + 10 {
            break;
        }
    }
    factor(memory, target, &base, &relations)
}
