//! Which blocks are neighbours in the buffer at some moment.
//!
//! A block that begins to live comes between two others; one that ends leaves the two around it as neighbours. That is three pairs
//! a block at most. Any two blocks that live at once are linked by neighbours when the later of them begins, so
//! if no pair overlaps, no two blocks do.

use std::collections::{BTreeMap, BTreeSet};

use super::PlacedBlock;

/// The pairs, the lower block first, by number; `None` if two blocks that live at once begin at the same offset.
pub(super) fn neighbours(blocks: &[PlacedBlock]) -> Option<Vec<(usize, usize)>> {
    let mut ends: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * blocks.len());
    for (number, block) in blocks.iter().enumerate() {
        ends.extend([(block.upper, false, number), (block.lower, true, number)]);
    }
    ends.sort_unstable();
    let mut live: BTreeMap<u64, usize> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for (_, is_birth, number) in ends {
        let offset = blocks[number].offset;
        if !is_birth {
            live.remove(&offset);
        }
        let below = live.range(..offset).next_back().map(|(_, &below)| below);
        let above = live.range(offset..).next().map(|(_, &above)| above);
        if is_birth {
            pairs.extend(below.map(|below| (below, number)));
            pairs.extend(above.map(|above| (number, above)));
            if live.insert(offset, number).is_some() {
                return None;
            }
        } else {
            pairs.extend(below.zip(above));
        }
    }
    Some(pairs.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(lower: u64, upper: u64, offset: u64) -> PlacedBlock {
        PlacedBlock { id: String::new(), lower, upper, size: 1, alignment: 1, offset }
    }

    #[test]
    fn each_birth_and_each_death_makes_neighbours() {
        // 1 lies between 0 and 2 until it ends; 3 takes its place.
        let blocks = [block(0, 9, 0), block(0, 2, 4), block(1, 9, 8), block(4, 9, 5)];
        assert_eq!(neighbours(&blocks), Some(vec![(0, 1), (0, 2), (0, 3), (1, 2), (3, 2)]));
        assert_eq!(neighbours(&[block(0, 2, 0), block(1, 3, 0)]), None);
        assert_eq!(neighbours(&[block(0, 2, 0), block(2, 3, 0)]), Some(vec![]));
    }
}
