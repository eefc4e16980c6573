//! Holes in a row, each as large as what passes it over: for policies by list (TLSF, half-fit).
//!
//! ```text
//!   │ rest │ X │ stopper │        X is freed and joins the rest of the step before
//!   │ filler │ filler │■│ rest │  fillers that no older hole serves, a smallest block behind them
//!   │      hole       │■│ rest │  the fillers are freed: the next begins in the rest
//! ```
//!
//! Old holes serve every request but those of the lists above, so only such come to lie in new memory, and the smallest block is
//! cut from the rest: its list is the lowest, or it was put on its list last. What lands elsewhere is undone, and the run becomes
//! longer by another X. So nothing is lost but the bytes of the blocks that stay.

use super::adversary::{Adversary, Block};

/// Holes in a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chain {
    /// Bytes asked for in new memory.
    pub size: u64,
    /// What fills a hole, one after another.
    pub fillers: Vec<u64>,
    /// The block that stays behind each hole.
    pub small: u64,
}

/// Blocks that a run is made longer by in vain before the attack ends.
const PATIENCE: usize = 8;

impl Chain {
    /// Carries it out.
    pub fn carry_out(&self, adversary: &mut Adversary<'_>) {
        let (Some(first), Some(stopper)) = (adversary.allocate(self.size), adversary.allocate(self.size)) else {
            return;
        };
        let (mut from, mut stopper) = (first.at, stopper);
        adversary.free(first.at);
        let mut in_vain = 0;
        while in_vain < PATIENCE && !adversary.is_over() {
            match self.step(adversary, from, stopper.at) {
                Some(small) => (from, in_vain) = (small.end(), 0),
                None => {
                    let Some(next) = adversary.allocate(self.size) else { break };
                    if next.at < stopper.at {
                        // The run serves what was to be in new memory: it is long enough, and the smallest block missed it.
                        adversary.free(next.at);
                        in_vain = PATIENCE;
                        continue;
                    }
                    adversary.free(stopper.at);
                    stopper = next;
                    in_vain += 1;
                }
            }
        }
        adversary.free(stopper.at);
        let program = adversary.program();
        adversary.fill(program.max_size, program.live);
    }

    /// Fillers and the smallest block behind them, between `from` and `to`; none if one lands elsewhere.
    fn step(&self, adversary: &mut Adversary<'_>, from: u64, to: u64) -> Option<Block> {
        let mut at = from;
        let mut fillers = Vec::new();
        for &size in &self.fillers {
            let filler = adversary.allocate(size);
            fillers.extend(filler.map(|filler| filler.at));
            let Some(filler) = filler.filter(|filler| filler.at == at) else {
                fillers.iter().for_each(|&at| adversary.free(at));
                return None;
            };
            at = filler.end();
        }
        let mut small = adversary.allocate(self.small);
        if let Some(missed) = small.filter(|small| small.at != at || small.end() > to) {
            adversary.free(missed.at);
            small = None;
        }
        fillers.iter().for_each(|&at| adversary.free(at));
        small
    }
}
