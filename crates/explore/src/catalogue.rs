//! The allocators of the catalogue, replayed together with the designs.

use std::sync::atomic::AtomicBool;

use heapsmith_spec::{Spec, catalogue};
use heapsmith_trace::PackedTrace;

use crate::error::SweepError;
use crate::regions::Regions;
use crate::store::Store;

/// Replays every general allocator of the catalogue that the store has no results of, and keeps the results.
///
/// # Errors
///
/// An allocator that cannot be replayed; a store that cannot be written; [`SweepError::Interrupted`] where `stop` was set.
pub fn measure_catalogue(store: &mut Store, traces: &[PackedTrace], stop: &AtomicBool) -> Result<(), SweepError> {
    let known = store.catalogue()?;
    let mut regions = Regions::default();
    for entry in catalogue() {
        let Ok(spec) = entry.spec.parse::<Spec>() else { continue };
        // What frees nothing, or only in order, or serves one size, is no allocator for a whole program.
        if !spec.pool.is_general() {
            continue;
        }
        let text = spec.to_string();
        if known.iter().any(|known| known.name == entry.name && known.spec == text) {
            continue;
        }
        let measures = regions.replay_until(&spec, traces, stop)?.ok_or(SweepError::Interrupted)?;
        store.add_catalogued(entry.name, &text, &measures)?;
    }
    Ok(())
}
