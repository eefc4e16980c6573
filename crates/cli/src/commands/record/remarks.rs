//! What recordings could not say.

use heapsmith_recording::Remarks;
use heapsmith_trace::Bytes;

use super::Made;
use crate::console::note;

const INHERITED: &str = "frees of blocks that a process inherited from its parent were left out";
const EARLIER: &str = "frees of blocks from before the recording were left out";
const MISSED: &str = "blocks were freed in a way that the recorder cannot see; the traces free them late";

/// Where the program's own functions are recorded, not all may be known.
const UNNAMED: &str = "frees of blocks that no function of --symbols was seen to give were left out: there are other functions \
                       that allocate, the compiler has put one of them into its callers, or a library began before the recorder";
const UNNAMED_FREES: &str = "blocks were freed by no function of --symbols, and the traces free them late: there are other \
                             functions that free, or the compiler has put one of them into its callers";

pub(super) fn give(made: &[Made], own: bool) {
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
    if made.iter().any(|one| one.recorded.remarks.no_modules) {
        note!(
            "heapsmith: call sites have no names: the program's C library cannot say which file an address is in; \
             glibc can from version 2.35 on"
        );
    }
    java(made);
    let attached = made.iter().any(|one| one.recorded.remarks.attached);
    type Count = fn(&Remarks) -> u64;
    let unknown = match (own, attached) {
        (true, _) => UNNAMED,
        (_, true) => EARLIER,
        _ => INHERITED,
    };
    let counts: [(Count, &str); 4] = [
        (|one| one.unknown_frees, unknown),
        (|one| one.unknown_reallocations, "reallocations of such blocks were recorded as allocations"),
        (|one| one.missed_frees, if own { UNNAMED_FREES } else { MISSED }),
        (|one| one.unrecordable, "blocks at addresses that the record format cannot hold were left out"),
    ];
    for (count, what) in counts {
        let sum: u64 = made.iter().map(|one| count(&one.recorded.remarks)).sum();
        if sum > 0 {
            note!("heapsmith: {sum} {what}");
        }
    }
}

/// What the recordings of Java virtual machines could not say.
fn java(made: &[Made]) {
    for Made { recorded, .. } in made {
        let Some(java) = recorded.java else { continue };
        let process = recorded.process;
        note!(
            "heapsmith: {process}: {} collections; an object's death is known when one finds it{}",
            java.collections,
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
