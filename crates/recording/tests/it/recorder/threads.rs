//! Several threads in one order.

use super::programs::{Bench, allocations_of};
use heapsmith_launch::Ended;
use heapsmith_recording::Remarks;
use heapsmith_trace::{Action, EndedThreads};

#[test]
fn blocks_that_threads_pass_to_each_other_are_freed_after_they_were_allocated() {
    let bench = Bench::new();
    let program = bench.compile("threads.c");
    assert_eq!(bench.run(&[program]), Ended::Code(0));
    let recorded = bench.only();
    assert_eq!(recorded.remarks, Remarks::default(), "no event had to be bent");
    assert_eq!(recorded.threads, 5);
    let large = |action: &Action| matches!(action, Action::Allocate { size, .. } if (2000..5000).contains(&size.0));
    assert_eq!(recorded.trace.events.iter().filter(|event| large(&event.action)).count(), 240_000);
    let elsewhere = freed_by_another(&recorded);
    assert!(elsewhere > 10_000, "{elsewhere} blocks changed their thread");
}

/// While one thread is still inside `free`, another gets the block; while it waits inside
/// `malloc`, the first frees it. So a free has to be stamped before, an allocation after.
#[test]
fn the_stamps_of_a_block_that_changes_hands_are_in_order() {
    let bench = Bench::new();
    let library = bench.compile_library("lender.c");
    let program = bench.compile_with("borrowers.c", &[&library]);
    assert_eq!(bench.run(&[program]), Ended::Code(0));
    let recorded = bench.only();
    assert_eq!(allocations_of(&recorded, 12345), 100);
    assert_eq!((recorded.reordered, recorded.remarks), (0, Remarks::default()));
}

fn freed_by_another(recorded: &heapsmith_recording::Recorded) -> usize {
    let mut owner = std::collections::HashMap::new();
    let mut count = 0;
    for event in &recorded.trace.events {
        match event.action {
            Action::Allocate { id, .. } => {
                owner.insert(id, event.thread);
            }
            Action::Free { id } => count += usize::from(owner[&id] != event.thread),
            _ => {}
        }
    }
    count
}

#[test]
fn threads_that_end_hand_their_window_on_and_lose_nothing() {
    let bench = Bench::new();
    let program = bench.compile("shortlived.c");
    assert_eq!(bench.run(&[program]), Ended::Code(0));
    let recorded = bench.only();
    assert_eq!((allocations_of(&recorded, 7777), allocations_of(&recorded, 8888)), (3000, 3000));
    let mut live = std::collections::HashSet::new();
    for event in &recorded.trace.events {
        match event.action {
            Action::Allocate { id, size, .. } if size.0 == 7777 => assert!(live.insert(id)),
            Action::Free { id } => {
                live.remove(&id);
            }
            _ => {}
        }
    }
    assert!(live.is_empty(), "what is freed while a thread ends is seen");
    assert!(recorded.threads >= 3001);
    assert_eq!(
        recorded.trace.origin.ended_threads(),
        [EndedThreads { threads: 1..=recorded.threads - 1, while_began: None }],
        "all but the first, which is there until the end"
    );
    let bytes = bench.files()[0].metadata().expect("a file").len();
    assert!(bytes < 3_000_000, "{bytes} bytes for three thousand threads");
}

#[test]
fn a_thread_that_ends_late_knows_who_began_meanwhile() {
    let bench = Bench::new();
    let program = bench.compile("overlapping.c");
    assert_eq!(bench.run(&[program]), Ended::Code(0));
    let ended = bench.only().trace.origin.ended_threads();
    let shown: Vec<String> = ended.iter().map(EndedThreads::to_string).collect();
    assert_eq!(shown, ["1@2", "2@3", "3"]);
}
