//! Libraries that were compiled for one heap, kept in the user's folder.
//!
//! ```text
//!   libheapsmith_run-KEY.so:   ELF file │ SHA-256 of KEY and of the file, 32 bytes
//! ```
//!
//! The key is a checksum of all that a library is made of, so none is ever out of date. A library is in its place whole or not
//! at all, and used only with its checksum behind it, which loaders do not read. Where two commands make the same one, the later
//! replaces it by the same bytes. None is ever removed: a program that was started may start others for as long as it lives.

use std::borrow::Cow;
use std::path::PathBuf;

use rustix::process::{Resource, getrlimit};
use sha2::{Digest, Sha256};

use crate::error::LibraryError;
use crate::place;

/// Bytes of a checksum.
const SEAL: usize = 32;

/// The library that is made of `ingredients`: the one that is kept, or what `make` makes. An error of that is the inner one.
///
/// # Errors
///
/// [`LibraryError::NoFolder`] and [`LibraryError::Unloadable`], where there is no place for it.
pub fn compiled<E>(
    ingredients: &[&str],
    make: impl FnOnce() -> Result<Vec<u8>, E>,
) -> Result<Result<PathBuf, E>, LibraryError> {
    let key = key(ingredients);
    let hex: String = key.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let seal = |file: &[u8]| Sha256::new().chain_update(key).chain_update(file).finalize();
    let is_sealed =
        |there: &[u8]| there.split_last_chunk::<SEAL>().is_some_and(|(file, end)| seal(file)[..] == end[..]);
    let sealed = || {
        let mut file = make()?;
        file.extend_from_slice(&seal(&file));
        Ok(Cow::Owned(file))
    };
    place::in_private(&format!("libheapsmith_run-{hex}.so"), is_sealed, sealed)
}

/// A checksum of texts, none of which runs into the next.
fn key(ingredients: &[&str]) -> [u8; SEAL] {
    let mut hash = Sha256::new();
    for text in [env!("CARGO_PKG_VERSION")].iter().chain(ingredients) {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// Whether a process may reserve address space that it does not use: what a compiled library does, for its region.
pub fn may_reserve() -> bool {
    /// No reservation is free of charge (proc_sys_vm(5), `overcommit_memory`).
    const STRICT: &str = "2";
    let accounting = std::fs::read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
    getrlimit(Resource::As).current.is_none() && accounting.trim() != STRICT
}
