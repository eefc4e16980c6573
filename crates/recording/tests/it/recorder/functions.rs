//! Every function of the allocator, counted to the byte.

use std::collections::HashMap;
use std::process::Command;

use super::programs::{Bench, allocations_of, words};
use heapsmith_launch::Ended;
use heapsmith_recording::Remarks;
use heapsmith_trace::Action;

/// The events of blocks that were ever this large, in a short form.
fn story(recorded: &heapsmith_recording::Recorded, first_sizes: &[u64]) -> Vec<String> {
    let mut known: HashMap<u64, usize> = HashMap::new();
    let mut story = Vec::new();
    for event in &recorded.trace.events {
        match event.action {
            Action::Allocate { id, size, alignment } if first_sizes.contains(&size.0) => {
                known.insert(id, known.len());
                story.push(format!("{}: {} at {alignment}", known[&id], size.0));
            }
            Action::Free { id } if known.contains_key(&id) => story.push(format!("{}: free", known[&id])),
            Action::Reallocate { id, size } if known.contains_key(&id) => {
                story.push(format!("{}: becomes {}", known[&id], size.0));
            }
            _ => {}
        }
    }
    story
}

#[test]
fn every_function_is_written_down_with_what_was_asked() {
    let bench = Bench::new();
    assert_eq!(bench.run(&[bench.compile("functions.c")]), Ended::Code(0), "the program notices nothing");
    let recorded = bench.only();
    let sizes = [1001, 1003, 1005, 1009, 1010, 1024, 1011, 1013, 1015, 1017, 200_000];
    let expected = [
        "0: 1001 at 0",
        "0: becomes 500001",
        "0: free",
        "1: 1003 at 0",
        "1: free",
        "2: 1005 at 0",
        "2: becomes 4028",
        "2: free",
        "3: 1009 at 256",
        "3: free",
        "4: 1024 at 512",
        "4: free",
        "5: 1011 at 1024",
        "5: free",
        "6: 1013 at 4096",
        "6: free",
        "7: 1015 at 4096",
        "7: free",
        "8: 200000 at 0",
        "8: free",
        "9: 1017 at 0",
    ];
    assert_eq!(story(&recorded, &sizes), expected);
    assert_eq!(recorded.remarks, Remarks { failed_reallocations: 1, ..Remarks::default() });
}

#[test]
fn a_program_that_counts_for_itself_counts_the_same() {
    let bench = Bench::new();
    let program = bench.compile("count.c");
    let plain = Command::new(&program).output().expect("the program runs");
    let counted: Vec<u64> =
        String::from_utf8_lossy(&plain.stdout).split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert_eq!(bench.run(&[program]), Ended::Code(0));
    let recorded = bench.only();
    let [peak, allocations, calls] = counted[..] else { panic!("three numbers: {counted:?}") };
    assert_eq!((recorded.live_peak.0, recorded.allocations), (peak, allocations));
    assert_eq!(recorded.trace.events.len() as u64, calls);
    assert_eq!(recorded.remarks, Remarks::default());
    assert!(bench.files()[0].metadata().expect("a file").len() > 1_500_000, "windows were flushed on the way");
}

#[test]
fn objects_of_cpp_come_through_malloc_with_their_alignment() {
    let bench = Bench::new();
    assert_eq!(bench.run(&[bench.compile("objects.cpp")]), Ended::Code(0));
    let recorded = bench.only();
    let expected =
        ["0: 6001 at 0", "1: 384 at 128", "2: 6004 at 0", "3: 6006 at 0", "3: free", "2: free", "1: free", "0: free"];
    assert_eq!(story(&recorded, &[6001, 384, 6004, 6006]), expected);
}

#[test]
fn times_are_nanoseconds_that_never_go_back() {
    let bench = Bench::new();
    let before = std::time::Instant::now();
    // Enough behind the pause that a stamp is taken there: 16 events may share one.
    let busy = "sleep 0.3; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$(echo x)$(echo y); done; echo $x >/dev/null";
    bench.run(&words(&["sh", "-c", busy]));
    let all = before.elapsed().as_nanos() as u64;
    let recorded = bench.recorded();
    let shell = recorded.iter().max_by_key(|one| one.trace.events.last().map(|event| event.time)).expect("a trace");
    let times: Vec<u64> = shell.trace.events.iter().map(|event| event.time.0).collect();
    assert!(times.is_sorted());
    let last = *times.last().expect("events");
    assert!(last > 250_000_000 && last <= all, "{last} ns of {all} ns");
    assert_eq!(allocations_of(shell, u64::MAX), 0);
}
