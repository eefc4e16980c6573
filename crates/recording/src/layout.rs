//! Where the blocks of each window are in a recording, which may still grow.

use std::collections::BTreeMap;

use crate::RecordingError;
use crate::file::{Records, Source};
use crate::format::GRANULE;

/// A stretch of records in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub granule: u64,
    /// How often its window had been begun again.
    pub sequence: u64,
    /// Bytes of records before it in its granule.
    pub from: usize,
    /// Bytes of records up to its end.
    pub bytes: usize,
}

/// Where the records of a window begin that are in no earlier trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub sequence: u64,
    pub bytes: usize,
    /// Stacks that the window named before that sequence.
    pub stacks: u64,
}

/// What a window or a block begins with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub window: u64,
    pub sequence: u64,
    pub bytes: usize,
    pub mark: Mark,
}

/// A window, and those of its blocks that are whole.
#[derive(Debug)]
pub(crate) struct Window {
    pub sequence: u64,
    pub bytes: usize,
    mark: Mark,
    pub blocks: BTreeMap<u64, Block>,
}

/// What is known of the file.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Granules that were looked at; the first is the file's header.
    seen: u64,
    /// Those of them that were empty, or had a block that is perhaps not whole.
    pending: Vec<u64>,
    pub windows: BTreeMap<u64, Window>,
}

impl Layout {
    /// Looks at what has come. A block that its window has not moved on from was perhaps not written whole; the window has
    /// the same records.
    pub fn look(&mut self, source: &Source) -> Result<(), RecordingError> {
        // The windows first: what they have moved on from by now is whole.
        for (&granule, window) in &mut self.windows {
            if let Some(header) = source.read_block_header(granule)? {
                (window.sequence, window.bytes) = (header.sequence, header.bytes);
            }
        }
        let granules = source.length()?.div_ceil(GRANULE as u64);
        let fresh = self.seen.max(1)..granules;
        self.seen = granules;
        let mut blocks = Vec::new();
        for granule in std::mem::take(&mut self.pending).into_iter().chain(fresh) {
            match source.read_block_header(granule)? {
                None => self.pending.push(granule),
                Some(Header { window, sequence, bytes, mark }) if window == granule => {
                    self.windows.insert(granule, Window { sequence, bytes, mark, blocks: BTreeMap::new() });
                }
                Some(header) => blocks.push((granule, header)),
            }
        }
        for (granule, Header { window: number, sequence, bytes, .. }) in blocks {
            match self.windows.get_mut(&number) {
                Some(window) if sequence < window.sequence => {
                    let block = Block { granule, sequence, from: 0, bytes };
                    if sequence >= window.mark.sequence && window.blocks.insert(sequence, block).is_some() {
                        let cause = format!("its window {number} has two blocks of its number");
                        return Err(source.damaged(granule, 0, cause));
                    }
                }
                _ => self.pending.push(granule),
            }
        }
        Ok(())
    }

    /// All records that are in the file.
    pub fn records(self, source: &Source) -> Result<Vec<Records>, RecordingError> {
        let records = |(granule, window): (u64, Window)| {
            let Window { sequence, bytes, mark, mut blocks } = window;
            blocks.insert(sequence, Block { granule, sequence, from: 0, bytes });
            let missing = (mark.sequence..).zip(blocks.keys()).find(|(expected, sequence)| expected != *sequence);
            match missing {
                Some((expected, _)) => {
                    Err(source.damaged(granule, 0, format!("block {expected} of its thread is missing")))
                }
                None => Ok(Records { mark, blocks: blocks.into_values().collect() }),
            }
        };
        self.windows.into_iter().map(records).collect()
    }
}
