//! Recordings made word by word: what the decoder makes of stamps the wrong way round, of
//! a flush that was cut short, and of files that are damaged, foreign or of another version.

use std::path::{Path, PathBuf};

use heapsmith_recording::format::{
    BLOCK_HEADER, FILE_HEADER, GRANULE, MAGIC_BLOCK, MAGIC_FILE, VERSION, header, operation,
};
use heapsmith_recording::{Recorded, Recording, RecordingError, Remarks, Stopped, decode, decode_to, is_recording};
use heapsmith_trace::{Action, Bytes, PackedTrace, Trace, Transforms};

const A: u64 = 0x5555_0000_1000;
const B: u64 = 0x7fff_0000_2000;

fn thread(number: u64) -> Vec<u64> {
    vec![number << 3 | 7]
}

fn clock(ticks: u64) -> Vec<u64> {
    vec![ticks << 3 | 6, ticks]
}

fn allocate(address: u64, since: u64, size: u64) -> Vec<u64> {
    vec![address >> 3 << 20 | since << 3 | 1, size]
}

fn small(address: u64, size: u64) -> Vec<u64> {
    vec![address >> 3 << 20 | size << 3 | 3]
}

fn free(address: u64, since: u64) -> Vec<u64> {
    vec![address >> 3 << 20 | since << 3 | 2]
}

fn begin(address: u64, since: u64) -> Vec<u64> {
    vec![address >> 3 << 20 | since << 3 | 4]
}

fn end(address: u64, since: u64, size: u64) -> Vec<u64> {
    vec![address >> 3 << 20 | since << 3 | 5, size]
}

/// A recording that is being made.
struct Made {
    bytes: Vec<u8>,
}

impl Made {
    fn new() -> Made {
        let mut made = Made { bytes: vec![0; FILE_HEADER] };
        for (word, value) in [(header::MAGIC, MAGIC_FILE), (header::VERSION, VERSION), (header::PID, 77)] {
            made.set(word, value);
        }
        made
    }

    fn set(&mut self, word: usize, value: u64) {
        self.bytes[word * 8..][..8].copy_from_slice(&value.to_le_bytes());
    }

    /// A window or block in this granule, with these records.
    fn granule(mut self, granule: u64, window: u64, sequence: u64, records: &[Vec<u64>]) -> Made {
        let records: Vec<u64> = records.concat();
        let at = granule as usize * GRANULE;
        if self.bytes.len() < at + GRANULE {
            self.bytes.resize(at + GRANULE, 0);
        }
        let head = [MAGIC_BLOCK, window, sequence << 32 | (records.len() * 8) as u64];
        for (number, word) in head.iter().enumerate() {
            self.set(at / 8 + number, *word);
        }
        for (number, word) in records.iter().enumerate() {
            self.set((at + BLOCK_HEADER) / 8 + number, *word);
        }
        self
    }

    /// One of a Java virtual machine.
    fn java(mut self) -> Made {
        self.set(header::JAVA, 1);
        self
    }

    fn read(&self) -> Result<Recorded, RecordingError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path: PathBuf = folder.path().join("made-77.recording");
        std::fs::write(&path, &self.bytes).expect("a file");
        assert!(is_recording(&path) || self.bytes.get(..8) != Some(&MAGIC_FILE.to_le_bytes()[..]));
        decode(&Recording::open(&path)?)
    }

    /// What comes to a sink behind `transforms`.
    fn through(&self, transforms: &Transforms) -> Trace {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.recording");
        std::fs::write(&path, &self.bytes).expect("a file");
        let mut trace = Trace::default();
        let recording = Recording::open(&path).expect("a recording");
        decode_to(&recording, &mut *transforms.before(&mut trace)).expect("a good recording");
        trace
    }

    fn actions(&self) -> Vec<(u32, Action)> {
        let recorded = self.read().expect("a good recording");
        PackedTrace::new(&recorded.trace).expect("it can be replayed");
        recorded.trace.events.iter().map(|event| (event.thread, event.action)).collect()
    }

    fn fails(&self) -> String {
        let error = self.read().expect_err("a bad recording").to_string();
        error.split_once("made-77.recording ").map_or(error.clone(), |(_, rest)| rest.to_owned())
    }
}

fn allocated(id: u64, size: u64) -> Action {
    Action::Allocate { id, size: Bytes(size), alignment: 0 }
}

#[test]
fn a_free_that_is_stamped_too_early_waits_for_its_allocation() {
    let made = Made::new()
        .granule(1, 1, 0, &[thread(0), clock(1000), allocate(A, 50, 10), allocate(B, 9000, 11)])
        .granule(2, 2, 0, &[thread(1), clock(1000), free(A, 20), small(A, 12), free(A, 10)]);
    let expected = [
        (0, allocated(0, 10)),
        (1, Action::Free { id: 0 }),
        (1, allocated(1, 12)),
        (1, Action::Free { id: 1 }),
        (0, allocated(2, 11)),
    ];
    assert_eq!(made.actions(), expected);
}

#[test]
fn what_a_sink_holds_back_comes_at_the_end_of_the_recording() {
    let made = Made::new().granule(1, 1, 0, &[thread(0), clock(1000), small(A, 12), free(A, 10)]);
    let collected = made.through(&Transforms { gc_every: Some(Bytes(100)), ..Transforms::default() });
    let actions: Vec<Action> = collected.events.iter().map(|event| event.action).collect();
    assert_eq!(actions, [allocated(0, 12), Action::Free { id: 0 }]);
}

#[test]
fn an_allocation_that_is_stamped_too_early_waits_for_the_free() {
    let made = Made::new().granule(1, 1, 0, &[thread(0), clock(1000), allocate(A, 0, 10), free(A, 40)]).granule(
        2,
        2,
        0,
        &[thread(1), clock(1000), allocate(A, 30, 12)],
    );
    assert_eq!(made.actions(), [(0, allocated(0, 10)), (0, Action::Free { id: 0 }), (1, allocated(1, 12))]);
}

#[test]
fn a_place_that_a_reallocation_leaves_may_be_taken_before_it_ends() {
    let made = Made::new()
        .granule(1, 1, 0, &[thread(0), clock(1000), allocate(A, 0, 10), begin(A, 10), end(B, 50, 20), free(B, 1)])
        .granule(2, 2, 0, &[thread(1), clock(1000), allocate(A, 30, 12)]);
    let expected = [
        (0, allocated(0, 10)),
        (1, allocated(1, 12)),
        (0, Action::Reallocate { id: 0, size: Bytes(20) }),
        (0, Action::Free { id: 0 }),
    ];
    assert_eq!(made.actions(), expected);
}

#[test]
fn a_free_that_is_stamped_before_the_other_threads_reallocation_comes_after_it() {
    let made = Made::new()
        .granule(1, 1, 0, &[thread(0), clock(1000), allocate(A, 0, 10), begin(A, 50), end(A, 50, 20)])
        .granule(2, 2, 0, &[thread(1), clock(1000), free(A, 20)]);
    let expected =
        [(0, allocated(0, 10)), (0, Action::Reallocate { id: 0, size: Bytes(20) }), (1, Action::Free { id: 0 })];
    assert_eq!(made.actions(), expected);
    assert_eq!(made.read().expect("a good recording").remarks, Remarks::default());
}

/// Thread 0 frees the first block, and gets the place again for one that it hands over; thread 1 frees that, stamped before.
#[test]
fn a_free_that_seems_to_be_of_the_block_before_changes_places_with_that_ones() {
    let made = Made::new().granule(1, 1, 0, &[thread(0), clock(1000), free(A, 200), allocate(A, 10, 20)]).granule(
        2,
        2,
        0,
        &[thread(1), clock(1000), allocate(A, 100, 10), free(A, 90)],
    );
    let expected =
        [(1, allocated(0, 10)), (1, Action::Free { id: 0 }), (0, allocated(1, 20)), (1, Action::Free { id: 1 })];
    assert_eq!(made.actions(), expected);
    assert_eq!(made.read().expect("a good recording").remarks, Remarks::default());
}

/// Thread 1 gets the place that thread 0 has left, stamped before thread 0 got it, and then waits for thread 0.
#[test]
fn an_allocation_that_seems_to_be_before_the_one_that_made_it_possible_is_put_aside() {
    let of_first = [thread(0), clock(1000), allocate(A, 200, 20), free(A, 10), allocate(B, 10, 30)];
    let made = Made::new().granule(1, 1, 0, &of_first).granule(
        2,
        2,
        0,
        &[thread(1), clock(1000), allocate(A, 190, 10), free(B, 40), free(A, 70)],
    );
    let expected = [
        (1, allocated(0, 10)),
        (0, allocated(1, 20)),
        (0, Action::Free { id: 1 }),
        (0, allocated(2, 30)),
        (1, Action::Free { id: 2 }),
        (1, Action::Free { id: 0 }),
    ];
    assert_eq!(made.actions(), expected);
    assert_eq!(made.read().expect("a good recording").remarks, Remarks::default());
}

#[test]
fn what_cannot_be_is_counted_and_the_trace_stays_one_that_can_be_replayed() {
    let made = Made::new().granule(
        1,
        1,
        0,
        &[
            thread(0),
            clock(1000),
            free(A, 1),
            allocate(A, 1, 5),
            small(A, 6),
            begin(B, 2),
            end(B, 2, 7),
            begin(B, 1),
            end(0, 1, 1 << 50),
            begin(B, 1),
            end(0, 1, 0),
            begin(A, 1),
        ],
    );
    let recorded = made.read().expect("a good recording");
    PackedTrace::new(&recorded.trace).expect("it can be replayed");
    let remarks = recorded.remarks;
    assert_eq!((remarks.unknown_frees, remarks.missed_frees), (1, 1));
    assert_eq!((remarks.unknown_reallocations, remarks.failed_reallocations), (1, 1));
    assert_eq!(recorded.live_peak, Bytes(13));
    assert_eq!(recorded.trace.events.len(), 5, "{:?}", recorded.trace.events);
}

#[test]
fn a_flush_that_was_cut_short_counts_once() {
    let first = [thread(0), clock(1000), allocate(A, 1, 5)];
    let second = [thread(0), clock(2000), free(A, 1)];
    let expected = [(0, allocated(0, 5)), (0, Action::Free { id: 0 })];
    // The window still has what the block was to get, and the block is nonsense after its head.
    let cut = Made::new().granule(1, 1, 0, &[first.concat(), second[2].clone()]).granule(2, 1, 0, &[vec![0; 9]]);
    assert_eq!(cut.actions(), expected);
    let whole = Made::new().granule(1, 1, 1, &second).granule(3, 1, 0, &first);
    assert_eq!(whole.actions(), expected, "a granule that was taken and never used is passed over");
}

#[test]
fn what_happened_after_a_thread_stopped_is_left_out() {
    let mut made = Made::new().granule(1, 1, 0, &[thread(0), clock(1000), allocate(A, 1, 5)]).granule(
        2,
        2,
        0,
        &[thread(1), clock(1000), allocate(B, 1, 6), free(B, 500)],
    );
    made.set(header::STOPPED, 28);
    made.set(header::STOP_TICKS, 1400);
    assert_eq!(made.actions(), [(0, allocated(0, 5)), (1, allocated(1, 6))]);
    assert_eq!(made.read().expect("it is good").remarks.stopped, Some(Stopped::Error(28)));
}

#[test]
fn ticks_become_nanoseconds_by_the_farthest_readings() {
    let mut made = Made::new().granule(1, 1, 0, &[thread(0), clock(3000), allocate(A, 1000, 5), free(A, 2000)]);
    for (word, value) in [
        (header::COUNTER, 1),
        (header::START_TICKS, 1000),
        (header::START_TIME, 50),
        (header::END_TICKS, 9000),
        (header::END_TIME, 4050),
    ] {
        made.set(word, value);
    }
    let times: Vec<u64> = made.read().expect("it is good").trace.events.iter().map(|event| event.time.0).collect();
    assert_eq!(times, [1500, 2500]);
}

#[test]
fn damage_is_named_with_its_block_and_record() {
    let good = [thread(0), clock(1000), allocate(A, 1, 5)];
    let of = |records: &[Vec<u64>]| Made::new().granule(1, 1, 0, records).fails();
    assert_eq!(
        of(&[good.concat(), vec![0]]),
        "is damaged in block 1, after 3 good records of its thread: a record is of no known kind"
    );
    assert_eq!(
        of(&[good.concat(), vec![A << 17 | 1]]),
        "is damaged in block 1, after 3 good records of its thread: its last record is cut off"
    );
    assert_eq!(
        of(&[good.concat(), vec![A << 17 | 1, 99 << 56]]),
        "is damaged in block 1, after 3 good records of its thread: an allocation makes no sense"
    );
    let mut made = Made::new().granule(1, 1, 0, &good);
    made.set(GRANULE / 8 + 2, 1 << 30);
    assert!(made.fails().contains("it claims 1073741824 bytes of records"));
    made.set(GRANULE / 8, 1);
    assert!(made.fails().contains("it does not begin as a block does"));
    let made = Made::new().granule(1, 1, 2, &good).granule(2, 1, 0, &good);
    assert!(made.fails().contains("block 1 of its thread is missing"));
    let mut made = Made::new().granule(1, 1, 0, &good);
    made.bytes.truncate(GRANULE + BLOCK_HEADER + 20);
    assert_eq!(made.fails(), "is damaged in block 1, after 0 good records of its thread: the file ends within it");
}

#[test]
fn what_is_no_recording_or_one_of_another_version_is_refused() {
    let mut made = Made::new();
    made.set(header::VERSION, 9);
    assert!(made.fails().contains("a recording of version 9; this heapsmith reads version 1: use the heapsmith"));
    made.set(header::MAGIC, 9);
    assert!(made.fails().contains("is not a recording"));
    made.bytes.truncate(100);
    assert!(made.fails().contains("is not a recording"));
    assert!(matches!(Recording::open(Path::new("no/such/file")), Err(RecordingError::Read { .. })));
    assert!(!is_recording(Path::new("no/such/file")));
}

/// Whatever a bit that flips does, it ends in a trace that can be replayed or in an error.
#[test]
fn no_flipped_bit_is_a_panic() {
    let made = Made::new()
        .granule(1, 1, 0, &[thread(0), clock(1000), allocate(A, 0, 10), begin(A, 10), end(B, 50, 20), free(B, 1)])
        .granule(2, 2, 0, &[thread(1), clock(1000), allocate(A, 30, 12), small(B, 4), free(A, 3)]);
    let mut places: Vec<usize> = (0..14 * 64).collect();
    for granule in 1..3 {
        places.extend((0..(BLOCK_HEADER + 80) * 8).map(|bit| granule * GRANULE * 8 + bit));
    }
    // One in five, which meets each bit of a byte, where not everything is tried, as `cargo xtask nightly` does.
    let every = if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 1 } else { 5 };
    for bit in places.into_iter().step_by(every) {
        let mut bytes = made.bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(recorded) = (Made { bytes }).read() {
            // A size that no program could mean is found by a replay.
            let _ = PackedTrace::new(&recorded.trace);
        }
    }
}

#[test]
fn a_collection_is_a_mark_and_a_mark_without_a_known_label_is_damage() {
    let mark = |label: u64| vec![label << 20 | 5 << 3 | operation::MARK];
    let made = Made::new().java().granule(1, 1, 0, &[thread(2), clock(1000), small(A, 9), mark(1), free(A, 1)]);
    let expected = [(2, allocated(0, 9)), (2, Action::Mark { label: 0 }), (2, Action::Free { id: 0 })];
    assert_eq!(made.actions(), expected);
    assert_eq!(made.read().expect("a good recording").trace.labels, ["garbage collection"]);
    let damaged = Made::new().java().granule(1, 1, 0, &[thread(0), clock(1000), mark(2)]);
    assert_eq!(damaged.fails(), "is damaged in block 1, after 2 good records of its thread: a mark has no known label");
}

#[test]
fn the_frames_of_an_object_are_the_name_of_its_class() {
    let named = |name: &[u8]| {
        let words = name.chunks(8).map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        let words: Vec<u64> = words.collect();
        [vec![(words.len() as u64) << 4 | 8], words].concat()
    };
    let (string, again) = (named(b"Ljava/lang/String;"), vec![1 << 4]);
    let records = [thread(0), clock(1000), string, small(A, 24), named(b"[[C"), small(B, 16), again, small(A + 8, 24)];
    let trace = Made::new().java().granule(1, 1, 0, &records).read().expect("a good recording").trace;
    assert_eq!(trace.sites, ["java.lang.String", "char[][]"]);
    assert_eq!(trace.events.iter().map(|event| event.site).collect::<Vec<_>>(), [Some(0), Some(1), Some(0)]);
}
