//! In place of [`held`](super::held) where no thread can be held: neither Linux nor x86-64.

use crate::attach::{AttachError, process::Running};

/// A thread that is held: there is none.
pub struct Held;

impl Held {
    pub fn hold(_: &Running, _: &[u64]) -> Result<Held, AttachError> {
        Err(AttachError::NotHere)
    }

    pub fn put(&mut self, _: &[u8]) -> Result<u64, AttachError> {
        Err(AttachError::NotHere)
    }

    pub fn text(&self, _: u64) -> Result<String, AttachError> {
        Err(AttachError::NotHere)
    }

    pub fn words(&self, _: u64) -> Result<[u64; 4], AttachError> {
        Err(AttachError::NotHere)
    }

    pub fn call(&mut self, _: u64, _: [u64; 3]) -> Result<u64, AttachError> {
        Err(AttachError::NotHere)
    }

    pub fn release(self) -> Result<(), AttachError> {
        Err(AttachError::NotHere)
    }
}
