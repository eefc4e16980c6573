//! A static memory plan: blocks at offsets that were found when all lifetimes were known, as firmware takes them.
//!
//! ```text
//!   NAME.csv       id,lower,upper,size,alignment,offset
//!   NAME.h/.c      the offsets as a table, with assertions that the compiler checks
//!   NAME_tflm.bin  the offsets for TensorFlow Lite Micro
//! ```
//!
//! **The C proves itself.** A block ends within the buffer, at an aligned offset; and of two blocks that are neighbours in the
//! buffer at some moment, the lower ends before the upper begins. Blocks that live at once are linked by a
//! chain of such neighbours, so those are all that is to be asserted: at most three for each block (`neighbours`).
//!
//! **TensorFlow Lite Micro** reads offsets from the metadata `OfflineMemoryAllocation` of a model: a buffer of 32-bit integers, which
//! are the format's version, the number of subgraphs, the number of offsets, and an offset for each tensor, -1 for what it is
//! to place by itself. Source: tensorflow/tflite-micro @0009f77, tensorflow/lite/micro/docs/memory_management.md.

mod fixed;
mod neighbours;
mod source;

use std::fmt::Write;

pub use fixed::StaticPools;
pub use source::MAX_BLOCKS;

use crate::{File, Name};

/// A block at its offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedBlock {
    /// Its name in the input.
    pub id: String,
    /// When it begins to live.
    pub lower: u64,
    /// When it no longer lives, above `lower`.
    pub upper: u64,
    /// Bytes, at least 1.
    pub size: u64,
    /// A power of two that divides its offset.
    pub alignment: u64,
    /// Where it begins in the buffer.
    pub offset: u64,
}

/// A plan that was found and verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticPlan {
    /// The name of files and symbols.
    pub name: Name,
    /// Lines for a comment: what it was made of, what was proven.
    pub about: Vec<String>,
    /// Its blocks.
    pub blocks: Vec<PlacedBlock>,
    /// Bytes of the buffer: where the highest block ends.
    pub bytes: u64,
}

/// Tensors of a model at most: ids are numbers of tensors, and what has none gets -1.
const MAX_TENSORS: u64 = 1 << 20;

impl StaticPlan {
    /// The largest alignment of a block, which the buffer needs.
    pub fn alignment(&self) -> u64 {
        self.blocks.iter().map(|block| block.alignment).max().unwrap_or(1)
    }

    /// The placements as CSV, a line a block.
    pub fn csv(&self) -> File {
        let mut text = String::from("id,lower,upper,size,alignment,offset\n");
        for PlacedBlock { id, lower, upper, size, alignment, offset } in &self.blocks {
            let is_quoted = id.contains([',', '"']);
            let id = if is_quoted { format!("\"{}\"", id.replace('"', "\"\"")) } else { id.clone() };
            let _ = writeln!(text, "{id},{lower},{upper},{size},{alignment},{offset}");
        }
        File::new(format!("{}.csv", self.name.lower()), text)
    }

    /// The offsets for TensorFlow Lite Micro: the contents of the buffer of its metadata, 32-bit integers in little-endian order.
    /// An id is the number of a tensor.
    ///
    /// # Errors
    ///
    /// Why it cannot have them.
    pub fn tensor_offsets(&self) -> Result<Vec<u8>, &'static str> {
        if self.bytes > i32::MAX as u64 {
            return Err("its offsets have 32 bits");
        }
        let numbers: Option<Vec<u64>> = self.blocks.iter().map(|block| block.id.parse().ok()).collect();
        let numbers = numbers.ok_or("ids are no numbers of tensors")?;
        let count = numbers.iter().max().map_or(0, |max| max.saturating_add(1));
        if count > MAX_TENSORS {
            return Err("an id is above a million, so it is no number of a tensor");
        }
        let mut offsets = vec![-1_i32; count as usize];
        for (number, block) in numbers.iter().zip(&self.blocks) {
            let offset = &mut offsets[*number as usize];
            if *offset >= 0 {
                return Err("two blocks have the same id");
            }
            *offset = i32::try_from(block.offset).map_err(|_| "its offsets have 32 bits")?;
        }
        let header = [1, 1, offsets.len() as i32];
        Ok(header.into_iter().chain(offsets).flat_map(i32::to_le_bytes).collect())
    }
}
