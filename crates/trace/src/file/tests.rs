#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use parquet::data_type::Int64Type;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tempfile::TempDir;

use super::write::ROW_GROUP;
use crate::{Action, Bytes, Event, Module, Nanoseconds, Origin, Trace, TraceError};

fn example() -> Trace {
    let mut trace = Trace::new(Origin::new("drr", "a.pcap.xz"));
    trace.origin.settings = vec![("rate".into(), "10 Mbit/s".into()), ("odd".into(), "a=b".into())];
    let module = |name: &str, path: &str| Module { name: name.into(), path: path.into(), build_id: "09af".into() };
    trace.origin.modules = vec![module("server", "/opt/a b/server"), module("libc.so.6", "/lib/libc.so.6")];
    trace.labels = vec!["warm-up".into(), "steady = yes".into()];
    trace.sites = vec!["main.c:7".into()];
    let allocate = |id, size| Action::Allocate { id, size: Bytes(size), alignment: 4096 };
    trace.events = vec![
        Event::at(0, Action::Mark { label: 1 }),
        Event::at(9, allocate(u64::MAX, 1 << 56)),
        Event { time: Nanoseconds(u64::MAX), thread: u32::MAX, site: Some(0), action: allocate(3, 0) },
        Event::at(5, Action::Reallocate { id: 3, size: Bytes(66) }),
        Event::at(6, Action::Free { id: u64::MAX }),
    ];
    trace
}

fn folder_with(trace: &Trace) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    trace.write(&path).unwrap();
    (folder, path)
}

/// A Parquet file with one column `time` and the given metadata.
fn foreign_parquet(metadata: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.parquet");
    let schema = Arc::new(parse_message_type("message m { required int64 time; }").unwrap());
    let pairs = metadata.iter();
    let pairs = pairs.map(|&(k, v)| KeyValue::new(k.to_owned(), v.to_owned()));
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs.collect()));
    let file = File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[1], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    (folder, path)
}

#[test]
fn a_trace_comes_back_as_it_was() {
    let (_folder, path) = folder_with(&example());
    assert_eq!(Trace::read(&path).unwrap(), example());
}

#[test]
fn a_trace_without_events_comes_back_too() {
    let empty = Trace::new(Origin::new("drr", "a.pcap"));
    let (_folder, path) = folder_with(&empty);
    assert_eq!(Trace::read(&path).unwrap(), empty);
}

#[test]
fn several_row_groups_come_back_in_order() {
    let mut trace = example();
    trace.events = (0..2 * ROW_GROUP as u64 + 3)
        .map(|id| {
            let size = Bytes(id % 1461);
            Event::at(id * 7, Action::Allocate { id, size, alignment: 0 })
        })
        .collect();
    let (_folder, path) = folder_with(&trace);
    assert_eq!(Trace::read(&path).unwrap(), trace);
}

#[test]
fn the_same_trace_gives_the_same_file() {
    let (_one, first) = folder_with(&example());
    let (_two, second) = folder_with(&example());
    assert_eq!(fs::read(first).unwrap(), fs::read(second).unwrap());
}

#[test]
fn writing_replaces_and_leaves_nothing_else() {
    let (folder, path) = folder_with(&example());
    Trace::default().write(&path).unwrap();
    assert_eq!(Trace::read(&path).unwrap().events.len(), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_is_not_there_is_the_environments_fault() {
    let error = example().write("no-such-folder/t.parquet").unwrap_err();
    assert!(matches!(error, TraceError::Write { .. }), "{error}");
    let error = Trace::read("no-such-folder/t.parquet").unwrap_err();
    assert!(matches!(error, TraceError::Read { .. }), "{error}");
}

#[test]
fn other_files_are_told_from_traces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    fs::write(&path, b"").unwrap();
    assert!(matches!(Trace::read(&path), Err(TraceError::Empty { .. })));
    fs::write(&path, b"neither fish nor flesh").unwrap();
    assert!(matches!(Trace::read(&path), Err(TraceError::NotATrace { .. })));
    let (_folder, path) = foreign_parquet(&[("pandas", "{}")]);
    let error = Trace::read(&path).unwrap_err();
    assert!(matches!(error, TraceError::NotATrace { .. }), "{error}");
    assert!(error.to_string().contains("heapsmith.schema"), "{error}");
}

#[test]
fn too_old_and_too_new_are_told_apart() {
    let (_folder, path) = foreign_parquet(&[("heapsmith.schema", "0")]);
    assert!(matches!(Trace::read(&path), Err(TraceError::TooOld { found: 0, oldest: 1, .. })));
    let (_folder, path) = foreign_parquet(&[("heapsmith.schema", "9")]);
    assert!(matches!(Trace::read(&path), Err(TraceError::TooNew { found: 9, newest: 1, .. })));
    let (_folder, path) = foreign_parquet(&[("heapsmith.schema", "new")]);
    assert!(matches!(Trace::read(&path), Err(TraceError::NotATrace { .. })));
}

#[test]
fn a_missing_column_is_named() {
    let (_folder, path) = foreign_parquet(&[("heapsmith.schema", "1")]);
    let error = Trace::read(&path).unwrap_err();
    assert!(error.to_string().ends_with("is damaged: column thread is missing"), "{error}");
}

#[test]
fn a_mark_without_a_name_is_named() {
    let mut trace = example();
    trace.labels.truncate(1);
    let (_folder, path) = folder_with(&trace);
    let error = Trace::read(&path).unwrap_err().to_string();
    assert!(error.ends_with("is damaged at event 1: label 1 has no name in the metadata"), "{error}");
}

#[test]
fn no_flipped_bit_goes_unnoticed_or_panics() {
    let (_folder, path) = folder_with(&example());
    let whole = fs::read(&path).unwrap();
    let harmless = harmless_bytes(&path);
    let mut unnoticed = Vec::new();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        match Trace::read(&path) {
            Ok(trace) if trace.events != example().events => panic!("byte {place} changed events"),
            Ok(_) if !harmless.contains(&place) => unnoticed.push(place),
            _ => {}
        }
    }
    // Statistics in page headers and names in the metadata may change without harm.
    assert!(unnoticed.len() < whole.len() / 2, "{unnoticed:?}");
}

/// Places in the footer, which holds texts that may be anything.
fn harmless_bytes(path: &PathBuf) -> std::ops::Range<usize> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let group = reader.metadata().row_group(0);
    let end = group.columns().iter().map(|c| c.byte_range().0 + c.byte_range().1).max();
    end.unwrap() as usize..usize::MAX
}

#[test]
fn no_cut_off_file_is_taken_for_whole() {
    let (_folder, path) = folder_with(&example());
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(Trace::read(&path).is_err(), "{length} of {} bytes", whole.len());
    }
}
