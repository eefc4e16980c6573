//! What chance alone makes of the same limits: random programs with as many operations.
//!
//! Sizes are drawn in five ways and blocks live in three, so that an attack is compared with the random program that
//! hurts the heap most, not with a tame one.
//!
//! | sizes | |
//! |---|---|
//! | even | every size from the least to the largest as often |
//! | magnitudes | every magnitude as often |
//! | two | the least or the largest |
//! | powers | a power of two times the least |
//! | drifting | even within a window that moves from small to large |
//!
//! | lives | |
//! |---|---|
//! | full | as much live as may be; a random block is freed when a request does not fit |
//! | breathing | filled, then half of it freed at random, and again |
//! | repeated | a few random operations, over and over: what adds up a little each time |

use super::AttackError;
use super::adversary::{Adversary, AttackOutcome};
use super::random::Random;
use super::target::Target;
use crate::bound::ProgramClass;

#[derive(Debug, Clone, Copy)]
enum SizesBy {
    Even,
    Magnitudes,
    Two,
    Powers,
    Drifting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lives {
    Full,
    Breathing,
    Repeated,
}

/// One of the operations that are repeated; a block is named by its place among those that are live, over and over.
#[derive(Clone, Copy)]
enum Repeated {
    Allocate { size: u64, alignment: u64 },
    Reallocate { place: usize, size: u64 },
    Free { place: usize },
}

/// Most operations that are repeated.
const REPEATED: u64 = 7;

/// Seeds of each kind of random program.
const SEEDS: u64 = 3;

/// Every random program that an attack of this many operations is compared with.
pub(super) fn random_programs(
    target: &mut dyn Target,
    program: ProgramClass,
    operations: usize,
    mut each: impl FnMut(AttackOutcome),
) -> Result<(), AttackError> {
    for sizes in [SizesBy::Even, SizesBy::Magnitudes, SizesBy::Two, SizesBy::Powers, SizesBy::Drifting] {
        for lives in [Lives::Full, Lives::Breathing, Lives::Repeated] {
            for seed in 1..=SEEDS {
                let stack = target.frees_in_order();
                let outcome = target.play(program, operations, &mut |adversary| {
                    let random = Random::new(seed);
                    Chance { random, sizes, lives, stack, operations, done: 0 }.carry_out(adversary);
                })?;
                each(outcome);
            }
        }
    }
    Ok(())
}

struct Chance {
    random: Random,
    sizes: SizesBy,
    lives: Lives,
    stack: bool,
    operations: usize,
    done: usize,
}

impl Chance {
    fn carry_out(&mut self, adversary: &mut Adversary<'_>) {
        match self.lives {
            Lives::Repeated => self.repeat(adversary),
            Lives::Full | Lives::Breathing => self.fill(adversary),
        }
    }

    /// A few operations, of which the first allocates and the last frees what it allocated last, over and over.
    fn repeat(&mut self, adversary: &mut Adversary<'_>) {
        let program = adversary.program();
        let steps = self.random.within(1, REPEATED - 2);
        let mut pattern = vec![self.allocation(program)];
        for _ in 0..steps {
            let place = self.random.below(4) as usize;
            pattern.push(match self.random.below(3) {
                0 => Repeated::Free { place },
                1 if program.reallocates => Repeated::Reallocate { place, size: self.size(program) },
                _ => self.allocation(program),
            });
        }
        pattern.push(Repeated::Free { place: 0 });
        let mut live: Vec<u64> = Vec::new();
        while !adversary.is_over() {
            for &step in &pattern {
                let place =
                    |place: usize| if self.stack { live.len() - 1 } else { live.len() - 1 - place % live.len() };
                match step {
                    Repeated::Allocate { size, alignment } if adversary.has_room(size) => {
                        adversary.align(alignment);
                        live.extend(adversary.allocate(size).map(|block| block.at));
                    }
                    Repeated::Reallocate { place: at, size } if !live.is_empty() => {
                        let place = place(at);
                        if let Some(block) = adversary.reallocate(live[place], size) {
                            live[place] = block.at;
                        }
                    }
                    Repeated::Free { place: at } if !live.is_empty() => adversary.free(live.remove(place(at))),
                    _ => {}
                }
            }
        }
    }

    fn allocation(&mut self, program: ProgramClass) -> Repeated {
        Repeated::Allocate { size: self.size(program), alignment: self.alignment(program) }
    }

    fn fill(&mut self, adversary: &mut Adversary<'_>) {
        let mut live: Vec<u64> = Vec::new();
        while !adversary.is_over() {
            let size = self.size(adversary.program());
            self.done += 1;
            if adversary.program().reallocates && !live.is_empty() && self.random.below(3) == 0 {
                let place = if self.stack { live.len() - 1 } else { self.random.below(live.len() as u64) as usize };
                let at = live[place];
                if let Some(block) = adversary.reallocate(at, size) {
                    live[place] = block.at;
                    continue;
                }
            }
            if adversary.has_room(size) {
                adversary.align(self.alignment(adversary.program()));
                match adversary.allocate(size) {
                    Some(block) => live.push(block.at),
                    None => return,
                }
                continue;
            }
            let frees = if self.lives == Lives::Breathing { live.len().div_ceil(2) } else { 1 };
            for _ in 0..frees.min(live.len()) {
                self.done += 1;
                let place = if self.stack { live.len() - 1 } else { self.random.below(live.len() as u64) as usize };
                adversary.free(live.swap_remove(place));
            }
        }
    }

    /// Every other request is aligned, as coarsely as is allowed or less.
    fn alignment(&mut self, program: ProgramClass) -> u64 {
        let coarsest = program.alignment.max(1).ilog2();
        if coarsest == 0 || self.random.below(2) == 0 {
            return 1;
        }
        1 << self.random.within(1, u64::from(coarsest))
    }

    fn size(&mut self, program: ProgramClass) -> u64 {
        let ProgramClass { min_size, max_size, .. } = program;
        match self.sizes {
            SizesBy::Even => self.random.within(min_size, max_size),
            SizesBy::Magnitudes => self.random.magnitude(min_size, max_size),
            SizesBy::Two => [min_size, max_size][self.random.below(2) as usize],
            SizesBy::Powers => min_size << self.random.below(u64::from((max_size / min_size).ilog2()) + 1),
            SizesBy::Drifting => {
                let share = self.done as f64 / self.operations.max(1) as f64;
                let middle = min_size + ((max_size - min_size) as f64 * share.min(1.0)) as u64;
                self.random.within(
                    (middle / 2).max(min_size),
                    (middle * 3 / 2).clamp(min_size, max_size).max(middle / 2).max(min_size),
                )
            }
        }
    }
}
