//! The pool of blocks of powers of two: `buddy(estranged, defragment=on-demand)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::{Layer, Spec};
use crate::build::{self, BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::keys::{Key, Keys, equals};
use crate::print::word;
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Place};

/// A buddy system: `buddy(knuth)`, `buddy(estranged, defragment=on-demand)`.
///
/// Requests are rounded up to a power of two, header included. A free block joins only its
/// buddy, the other half of the block that it was split from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buddy {
    /// When free buddies become one block.
    pub system: BuddySystem,
    /// What the heap begins with.
    pub start: Start,
    /// How many pairs of free buddies may wait to be joined; of the estranged system.
    pub glue: Glue,
    /// When never-used memory is taken; of the estranged system with a wilderness.
    pub grow: Grow,
    /// Whether other blocks are moved for a request that nothing else serves.
    pub defragment: Defragment,
}

impl Buddy {
    /// The buddy system that moves no blocks.
    pub fn new(system: BuddySystem) -> Self {
        let (start, glue, grow) = (Start::default(), Glue::default(), Grow::default());
        Self { system, start, glue, grow, defragment: Defragment::default() }
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

/// What a buddy heap begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// Memory that was never used; blocks have headers.
    #[default]
    Wilderness,
    /// One free block: the largest power of two that the region holds behind control words and a table, which has a
    /// byte for each 16 bytes in place of headers. The smallest block has 16 bytes.
    OneBlock,
}

/// How many pairs of free buddies may wait until a request needs them joined: `glue=bounded(8)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Glue {
    /// Any number, and one request may join them all.
    #[default]
    All,
    /// At most this many; a free that completes one more joins it. So a request joins as many of each order at most.
    Bounded(u32),
}

impl Glue {
    /// The largest bound, in pairs.
    pub const MAX: u32 = 1 << 20;

    /// The most pairs that wait; none if it is any number.
    pub fn max(self) -> Option<u32> {
        match self {
            Glue::All => None,
            Glue::Bounded(pairs) => Some(pairs),
        }
    }
}

/// When a request that no free block serves takes never-used memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grow {
    /// After buddies were joined for it.
    #[default]
    AfterGluing,
    /// Before: as in the paper's fourth step, where never-used memory is a larger block.
    BeforeGluing,
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
    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<Buddy> {
        let opened = cursor.open("buddy")?;
        let mut buddy = Buddy::new(cursor.keyword("buddy")?);
        Keys::new("buddy", KEYS).remainder(cursor, opened, &mut buddy)?;
        Ok(buddy)
    }

    /// Those that move have an owner in their header as well, and those on free lists no mark that says so.
    fn can_be_checked(&self, spec: &Spec) -> bool {
        self.defragment == Defragment::Never && !spec.layers.iter().any(|layer| matches!(layer, Layer::FreeLists(_)))
    }

    fn check(&self, _bounds: &mut Bounds) -> Check {
        let delays = self.system == BuddySystem::Estranged;
        let fault = |place, level, why| Err(Fault::new(place, Problem::BuddyLevel { level, why }));
        match (self.glue, self.grow) {
            (Glue::Bounded(pairs), _) if pairs > Glue::MAX => {
                Err(Fault::new(Place::Glue, Problem::GlueAbove(pairs.into())))
            }
            (Glue::Bounded(_), _) if !delays => fault(Place::Glue, "glue=bounded", "no buddies wait in it"),
            (_, Grow::BeforeGluing) if !delays => fault(Place::Grow, "grow=before-gluing", "it glues nothing"),
            (_, Grow::BeforeGluing) if self.start == Start::OneBlock => fault(
                Place::Grow,
                "grow=before-gluing",
                "one block does not grow, and is split before buddies are glued",
            ),
            _ => Ok(()),
        }
    }

    fn refuses(&self, layer: &Layer) -> Option<&'static str> {
        match (self.start, layer) {
            (_, Layer::Regions(_)) if self.defragment == Defragment::OnDemand => {
                Some("handles name blocks that move inside one region")
            }
            (Start::OneBlock, Layer::FreeLists(_)) => Some("its lists need headers, and start=one-block has none"),
            (Start::OneBlock, Layer::Reserve(_)) => Some("start=one-block has taken all of the region"),
            _ => None,
        }
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
            (BuddySystem::Estranged, _) => {
                let (allocate, free) = match self.glue {
                    Glue::All => ("constant mostly; linear in the free blocks when it glues", "constant"),
                    Glue::Bounded(_) => {
                        ("constant mostly; the bound times log of the region when it glues", "log of the region")
                    }
                };
                PoolPromise {
                    allocate,
                    free,
                    footprint: "M (1 + log2 n), M in powers of two: it divides before it glues",
                }
            }
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

const KEYS: &[Key<Buddy>] = &[
    Key {
        word: "start",
        forms: &["start="],
        read: |cursor, buddy| equals(cursor, "start").map(|start| buddy.start = start),
    },
    Key { word: "glue", forms: &["glue="], read: |cursor, buddy| glue(cursor).map(|glue| buddy.glue = glue) },
    Key {
        word: "grow",
        forms: &["grow="],
        read: |cursor, buddy| {
            cursor.note(Place::Grow);
            equals(cursor, "grow").map(|grow| buddy.grow = grow)
        },
    },
    Key {
        word: "defragment",
        forms: &["defragment="],
        read: |cursor, buddy| equals(cursor, "defragment").map(|when| buddy.defragment = when),
    },
];

/// The `=all` or `=bounded(8)` of `glue`.
fn glue(cursor: &mut Cursor<'_>) -> Result<Glue> {
    cursor.sign(&Kind::Equals, "=")?;
    if !cursor.sees_word("bounded") {
        return cursor.keyword("glue");
    }
    cursor.advance();
    let opened = cursor.open("bounded")?;
    cursor.note(Place::Glue);
    let pairs = cursor.number("a number of pairs")?;
    cursor.close(opened)?;
    // What does not fit is too many in any case, and validation says so.
    Ok(Glue::Bounded(u32::try_from(pairs).unwrap_or(u32::MAX)))
}

impl Display for Buddy {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "buddy({}", self.system)?;
        if self.start != Start::default() {
            f.write_str(", start=")?;
            word(f, self.start)?;
        }
        if let Glue::Bounded(pairs) = self.glue {
            write!(f, ", glue=bounded({pairs})")?;
        }
        if self.grow != Grow::default() {
            f.write_str(", grow=")?;
            word(f, self.grow)?;
        }
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

impl Keyword for Start {
    const WORDS: &'static [(&'static str, Self)] = &[("wilderness", Self::Wilderness), ("one-block", Self::OneBlock)];
}

impl Keyword for Glue {
    const WORDS: &'static [(&'static str, Self)] = &[("all", Self::All)];
}

impl Keyword for Grow {
    const WORDS: &'static [(&'static str, Self)] =
        &[("after-gluing", Self::AfterGluing), ("before-gluing", Self::BeforeGluing)];
}

impl Keyword for Defragment {
    const WORDS: &'static [(&'static str, Self)] = &[("never", Self::Never), ("on-demand", Self::OnDemand)];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Just, Strategy, prop_oneof};

    use super::{Buddy, BuddySystem, Defragment, Glue, Grow, Start};
    use crate::arbitrary::{generated, word};

    /// Levels of the estranged system; those of Knuth's are the defaults.
    fn levels(buddy: Buddy) -> Buddy {
        let (glue, grow) = match (buddy.system, buddy.start) {
            (BuddySystem::Knuth, _) => (Glue::All, Grow::default()),
            (BuddySystem::Estranged, Start::OneBlock) => (buddy.glue, Grow::default()),
            (BuddySystem::Estranged, Start::Wilderness) => (buddy.glue, buddy.grow),
        };
        Buddy { glue, grow, ..buddy }
    }

    generated!(Buddy, {
        let glue = prop_oneof![3 => Just(Glue::All), 1 => (0..=40_u32).prop_map(Glue::Bounded)];
        (word::<BuddySystem>(), word::<Start>(), glue, word::<Grow>(), word::<Defragment>())
            .prop_map(|(system, start, glue, grow, defragment)| levels(Buddy { system, start, glue, grow, defragment }))
    });
}
