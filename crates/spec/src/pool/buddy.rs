//! The pool of blocks of powers of two: `buddy(estranged, defragment=on-demand)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::Spec;
use crate::build::{self, BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::keyword::Keyword;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::keys::{Key, Keys, equals};
use crate::print::word;
use crate::problem::Problem;

/// A buddy system: `buddy(knuth)`, `buddy(estranged, defragment=on-demand)`.
///
/// Requests are rounded up to a power of two, header included. A free block joins only its
/// buddy, the other half of the block that it was split from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buddy {
    /// When free buddies become one block.
    pub system: BuddySystem,
    /// Whether other blocks are moved for a request that nothing else serves.
    pub defragment: Defragment,
}

impl Buddy {
    /// The buddy system that moves no blocks.
    pub fn new(system: BuddySystem) -> Self {
        Self { system, defragment: Defragment::default() }
    }
}

/// When free buddies become one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuddySystem {
    /// At once.
    #[default]
    Knuth,
    /// When a request needs the larger block.
    Estranged,
}

/// When blocks are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Defragment {
    /// Never.
    #[default]
    Never,
    /// When a request cannot be served otherwise: as many blocks as this one request needs.
    /// Only blocks that were requested by handle move; a plain pointer pins its block.
    OnDemand,
}

impl Family for Buddy {
    const WORD: &'static str = "buddy";

    fn read(cursor: &mut Cursor<'_>) -> Result<Buddy> {
        let opened = cursor.open("buddy")?;
        let mut buddy = Buddy::new(cursor.keyword("buddy")?);
        Keys::new("buddy", KEYS).remainder(cursor, opened, &mut buddy)?;
        Ok(buddy)
    }

    /// Layers that keep blocks need blocks that stay where they are.
    fn refuses_free_lists(&self) -> Option<Problem> {
        (self.defragment == Defragment::OnDemand).then_some(Problem::FreeListsBeforeMovable)
    }

    fn promise(&self) -> PoolPromise {
        match (self.system, self.defragment) {
            (_, Defragment::OnDemand) => PoolPromise {
                allocate: "log of the region; or what is moved, at most n log2(n/m) for a block of n, m being the \
                           smallest, and a walk over all blocks for each block moved",
                free: "log of the region",
                footprint: "M in powers of two, where every block can be moved (Donahue et al. 2001, 2.8)",
            },
            (BuddySystem::Knuth, _) => PoolPromise {
                allocate: "log of the region",
                free: "log of the region",
                footprint: "M (1 + log2 n), M in powers of two (Knuth, section 2.5, exercise 41)",
            },
            (BuddySystem::Estranged, _) => PoolPromise {
                allocate: "constant mostly; linear in the free blocks when it glues",
                free: "constant",
                footprint: "M (1 + log2 n) where gluing comes before growth; here growth comes last",
            },
        }
    }

    fn words_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        build::buddy::words_for(self, spec, size)
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.buddy::<W>(self)
    }
}

const KEYS: &[Key<Buddy>] = &[Key {
    word: "defragment",
    forms: &["defragment="],
    read: |cursor, buddy| equals(cursor, "defragment").map(|when| buddy.defragment = when),
}];

impl Display for Buddy {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "buddy({}", self.system)?;
        if self.defragment != Defragment::default() {
            f.write_str(", defragment=")?;
            word(f, self.defragment)?;
        }
        f.write_str(")")
    }
}

impl Display for BuddySystem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        word(f, *self)
    }
}

impl Keyword for BuddySystem {
    const WORDS: &'static [(&'static str, Self)] = &[("knuth", Self::Knuth), ("estranged", Self::Estranged)];
}

impl Keyword for Defragment {
    const WORDS: &'static [(&'static str, Self)] = &[("never", Self::Never), ("on-demand", Self::OnDemand)];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::Strategy;

    use super::{Buddy, BuddySystem, Defragment};
    use crate::arbitrary::{generated, word};

    generated!(
        Buddy,
        (word::<BuddySystem>(), word::<Defragment>()).prop_map(|(system, defragment)| Buddy { system, defragment })
    );
}
