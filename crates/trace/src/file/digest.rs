//! A digest of all events, so that a flipped bit in a file is noticed.

use std::hash::Hasher;

use twox_hash::XxHash64;

use crate::{Action, Event};

/// Events that are hashed at a time.
const BATCH: usize = 64;

/// Takes in events and gives one number at the end.
pub(super) struct Digest(XxHash64);

impl Digest {
    pub fn new() -> Digest {
        Digest(XxHash64::with_seed(0))
    }

    pub fn update(&mut self, events: &[Event]) {
        let mut bytes = [[[0; 8]; 7]; BATCH];
        for batch in events.chunks(BATCH) {
            for (place, event) in bytes.iter_mut().zip(batch) {
                place.iter_mut().zip(fields(event)).for_each(|(bytes, field)| *bytes = field.to_le_bytes());
            }
            self.0.write(bytes[..batch.len()].as_flattened().as_flattened());
        }
    }

    /// The digest as the metadata has it: 16 hexadecimal digits.
    pub fn finish(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// What the digest is of.
fn fields(event: &Event) -> [u64; 7] {
    let (kind, a, b, c) = match event.action {
        Action::Allocate { id, size, alignment } => (0, id, size.0, alignment),
        Action::Free { id } => (1, id, 0, 0),
        Action::Reallocate { id, size } => (2, id, size.0, 0),
        Action::Mark { label } => (3, u64::from(label), 0, 0),
    };
    let site = event.site.map_or(u64::MAX, u64::from);
    [kind, event.time.0, u64::from(event.thread), site, a, b, c]
}
