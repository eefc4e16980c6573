//! Many holes at once, each behind a smallest block.
//!
//! ```text
//!   without filler   │ X │ X │ X │ X │       freed from the last to the first, a smallest block put into each at once:
//!                    │■   │■   │■   │ X │    it was freed last, it is the largest hole, or the head of its list
//!
//!   with filler      │ X │ X │ X │ X │       every other freed; in each a filler, and a smallest block in the rest;
//!                    │ filler ■│ filler ■│   then the others; then the fillers are freed
//! ```
//!
//! With fillers, best fit puts a filler into a fresh hole only if it is larger than the holes of earlier batches, so
//! fillers grow from batch to batch. A batch uses all that may be live, so as many smallest blocks stay as there is
//! room for X at once; what is live for good grows by a share of l/X a batch.

use super::adversary::Adversary;

/// One batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tooth {
    /// The blocks that a hole is made of.
    pub hole: Vec<u64>,
    /// What takes all but a smallest block of it, where the policy needs that.
    pub filler: Option<u64>,
}

/// Batch after batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comb {
    /// The batches.
    pub teeth: Vec<Tooth>,
    /// The block that stays in each hole.
    pub small: u64,
}

impl Comb {
    /// Carries the batches out.
    pub fn carry_out(&self, adversary: &mut Adversary<'_>) {
        for tooth in &self.teeth {
            let size: u64 = tooth.hole.iter().sum();
            // Room for the smallest blocks between the holes.
            // A group has its blocks, the one that stays, and what fills it meanwhile.
            let blocks = adversary.blocks_left() / (tooth.hole.len() as u64 + 2);
            let groups = (adversary.left() / (size + self.small).max(1)).min(blocks);
            if groups < 2 || adversary.is_over() {
                break;
            }
            match tooth.filler {
                None => self.without_filler(adversary, tooth, groups),
                Some(filler) => self.with_filler(adversary, tooth, filler, groups),
            }
        }
        let program = adversary.program();
        adversary.fill(program.max_size, program.live);
    }

    fn without_filler(&self, adversary: &mut Adversary<'_>, tooth: &Tooth, groups: u64) {
        let mut holes = holes(adversary, tooth, groups);
        // The last keeps the rest from becoming never-used memory again.
        let last = holes.pop();
        for hole in holes.iter().rev() {
            let (first, others) = hole.split_at(hole.len().min(1));
            first.iter().for_each(|&at| adversary.free(at));
            let _ = adversary.allocate(self.small);
            others.iter().for_each(|&at| adversary.free(at));
        }
        last.iter().flatten().for_each(|&at| adversary.free(at));
    }

    fn with_filler(&self, adversary: &mut Adversary<'_>, tooth: &Tooth, filler: u64, groups: u64) {
        let mut holes = holes(adversary, tooth, groups);
        let last = holes.pop();
        let mut fillers = Vec::new();
        for half in 0..2 {
            holes.iter().skip(half).step_by(2).flatten().for_each(|&at| adversary.free(at));
            let count = holes.iter().skip(half).step_by(2).count();
            fillers.extend((0..count).filter_map(|_| adversary.allocate(filler)));
            for _ in 0..count {
                let _ = adversary.allocate(self.small);
            }
        }
        fillers.iter().for_each(|block| adversary.free(block.at));
        last.iter().flatten().for_each(|&at| adversary.free(at));
    }
}

/// The blocks of this many holes, each hole's together.
fn holes(adversary: &mut Adversary<'_>, tooth: &Tooth, groups: u64) -> Vec<Vec<u64>> {
    let blocks = |_| tooth.hole.iter().filter_map(|&size| adversary.allocate(size).map(|block| block.at)).collect();
    (0..groups).map(blocks).collect()
}
