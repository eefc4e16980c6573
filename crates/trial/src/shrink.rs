//! Makes a failing program short.
//!
//! Delta debugging (Zeller and Hildebrandt 2002, Simplifying and isolating
//! failure-inducing input, section 3): ever smaller pieces of the program are
//! left out as long as it fails; then every operation is made simpler.

use crate::program::Operation;

/// The most programs that are tried.
const TRIES: usize = 20_000;

/// A shorter program for which `fails` still says yes, as it does for `program`.
pub fn shrink(program: Vec<Operation>, mut fails: impl FnMut(&[Operation]) -> bool) -> Vec<Operation> {
    let mut tries = 0;
    let mut still = |candidate: &[Operation]| {
        tries += 1;
        tries <= TRIES && fails(candidate)
    };
    let mut program = program;
    loop {
        let before = program.clone();
        leave_out(&mut program, &mut still);
        simplify(&mut program, &mut still);
        if program == before {
            return program;
        }
    }
}

/// Leaves out pieces: halves, quarters, and so on down to single operations.
fn leave_out(program: &mut Vec<Operation>, still: &mut impl FnMut(&[Operation]) -> bool) {
    let mut piece = program.len().div_ceil(2);
    while piece > 0 {
        let mut start = 0;
        while start < program.len() {
            let end = (start + piece).min(program.len());
            let remainder = [&program[..start], &program[end..]].concat();
            if still(&remainder) {
                *program = remainder;
            } else {
                start = end;
            }
        }
        piece = if piece == 1 { 0 } else { piece.div_ceil(2) };
    }
}

/// Replaces every operation by the simplest that will do.
fn simplify(program: &mut [Operation], still: &mut impl FnMut(&[Operation]) -> bool) {
    for at in 0..program.len() {
        while let Some(simpler) = simpler(program[at]).into_iter().find(|&simpler| {
            let kept = std::mem::replace(&mut program[at], simpler);
            let good = still(program);
            program[at] = kept;
            good
        }) {
            program[at] = simpler;
        }
    }
}

/// What is simpler than an operation, the simplest first.
fn simpler(operation: Operation) -> Vec<Operation> {
    match operation {
        Operation::Allocate { size, alignment } => {
            let sizes = smaller(size).into_iter().map(|size| Operation::Allocate { size, alignment });
            let alignments = smaller(alignment).into_iter().filter(|alignment| alignment.is_power_of_two());
            sizes.chain(alignments.map(|alignment| Operation::Allocate { size, alignment })).collect()
        }
        Operation::Free { which } => {
            let numbers = smaller(which).into_iter().map(|which| Operation::Free { which });
            [Operation::FreeHighest].into_iter().chain(numbers).collect()
        }
        Operation::FreeHighest => Vec::new(),
        Operation::Reallocate { which, size } => {
            let numbers = smaller(which).into_iter().map(|which| Operation::Reallocate { which, size });
            let sizes = smaller(size).into_iter().map(|size| Operation::Reallocate { which, size });
            numbers.chain(sizes).collect()
        }
    }
}

fn smaller(number: usize) -> Vec<usize> {
    let mut numbers = vec![0, 1, number / 2, number - number / 8, number.saturating_sub(1)];
    numbers.retain(|&smaller| smaller < number);
    numbers.dedup();
    numbers
}
