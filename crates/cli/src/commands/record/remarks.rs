//! What recordings could not say.

use heapsmith_recording::Remarks;
use heapsmith_trace::{Bytes, plural};

use super::Made;
use crate::console::note;

/// What the recordings could not say, over all processes.
pub(super) fn give(made: &[Made]) {
    for Made { recorded, .. } in made {
        if let Some(stopped) = &recorded.remarks.stopped {
            note!(
                "heapsmith: recording of {} ({}) ended before the program did: {}",
                recorded.program,
                recorded.process,
                stopped.advice()
            );
        }
    }
    java(made);
    // What is missing where functions of the program's own were recorded has other reasons than elsewhere.
    for own in [true, false] {
        let those = made.iter().map(|one| &one.recorded.remarks).filter(|remarks| remarks.own_functions == own);
        let all = those.fold(Remarks::default(), |all, one| all.and(one));
        all.sentences().iter().for_each(|sentence| note!("heapsmith: {sentence}"));
    }
}

/// What the recordings of Java virtual machines could not say.
fn java(made: &[Made]) {
    for Made { recorded, .. } in made {
        let Some(java) = recorded.java else { continue };
        let process = recorded.process;
        note!(
            "heapsmith: {process}: {}; an object's death is known when one finds it{}",
            plural(java.collections, "collection", "collections"),
            if java.gc_every == 0 { ": --java-collect 64K would have one more often" } else { "" }
        );
        note!(
            "heapsmith: {process}: {} objects ({}) were there before the program began, and are not in the trace",
            java.early_objects,
            Bytes(java.early_bytes)
        );
        // HotSpot fills holes with objects that nobody asked for; from some version on clones lose their tag.
        if java.unseen_objects > 600.max(recorded.allocations / 100) {
            note!(
                "heapsmith: {process}: {} objects ({}) in its heap at the end have no tag: fillers, clones, or objects that it did not report",
                java.unseen_objects,
                Bytes(java.unseen_bytes)
            );
        }
    }
}
