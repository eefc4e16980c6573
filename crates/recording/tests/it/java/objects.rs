//! Counts, sizes, deaths and collections, against what the programs know themselves.

use std::collections::HashMap;

use heapsmith_recording::{COLLECTION, Recorded};
use heapsmith_trace::{Action, Bytes, PackedTrace};

use super::{Place, read};

/// A node of `Trees`: 12 bytes of header, 12 of value and links, 40 longs.
const NODE: u64 = 344;
/// `byte[10_003]`, with 16 bytes of header; the JVM puts it into 10,024.
const DYING: u64 = 16 + 10_003;
/// `long[777]`.
const STAYING: u64 = 16 + 777 * 8;

/// What happened to the objects of one size.
#[derive(Debug, Default, PartialEq, Eq)]
struct Story {
    born: u64,
    died: u64,
    /// Most of them that lived at once.
    max: u64,
    /// Collections before the first death.
    collections_before_death: Option<u64>,
}

fn story(recorded: &Recorded, wanted: u64) -> Story {
    let (mut story, mut live, mut collections) = (Story::default(), HashMap::new(), 0);
    for event in &recorded.trace.events {
        match event.action {
            Action::Allocate { id, size: Bytes(size), .. } if size == wanted => {
                assert!(live.insert(id, ()).is_none(), "an id is used once at a time");
                story.born += 1;
                story.max = story.max.max(live.len() as u64);
            }
            Action::Free { id } if live.remove(&id).is_some() => {
                story.died += 1;
                story.collections_before_death.get_or_insert(collections);
            }
            Action::Mark { label } => {
                assert_eq!(recorded.trace.labels[label as usize], COLLECTION);
                collections += 1;
            }
            _ => {}
        }
    }
    story
}

/// The trace replays, and the JVM reported every object from its beginning on.
fn is_whole(recorded: &Recorded) {
    PackedTrace::new(&recorded.trace).expect("it can be replayed");
    let java = recorded.java.expect("it is of a JVM");
    assert!(java.early_objects > 1000 && java.early_bytes > 50_000, "{java:?}");
    // HotSpot fills holes and the ends of threads' buffers with objects that nobody asked for: a few, but never none.
    assert!(java.unseen_objects > 0 && java.unseen_objects <= 600.max(recorded.allocations / 100), "{java:?}");
    assert_eq!(recorded.remarks, heapsmith_recording::Remarks::default());
}

#[test]
fn every_node_of_trees_is_an_object_whether_interpreted_or_compiled() {
    let place = Place::new();
    for options in [&["-Xint"], &["-XX:TieredStopAtLevel=1"], &["-XX:+UseSerialGC"], &["-XX:+UseParallelGC"]] {
        let (nodes, recorded) = place.java(options, &["Trees", "10", "30"], None);
        is_whole(&recorded);
        assert_eq!(nodes, (30 * 1023).to_string());
        assert_eq!(story(&recorded, NODE).born, 30 * 1023, "{options:?}");
    }
}

#[test]
fn arrays_have_their_number_and_size_and_die_at_the_collection_that_the_program_asks_for() {
    let place = Place::new();
    for collector in ["-XX:+UseSerialGC", "-XX:+UseG1GC"] {
        let (_, recorded) = place.java(&[collector, "-Xmn128m"], &["Arrays", "100", "70", "1", "true"], None);
        is_whole(&recorded);
        let dying = story(&recorded, DYING);
        assert_eq!((dying.born, dying.died, dying.max), (100, 100, 100), "{collector}");
        assert!(dying.collections_before_death >= Some(1), "no death without a collection: {dying:?}");
        let staying = story(&recorded, STAYING);
        assert_eq!((staying.born, staying.died, staying.max), (70, 0, 70), "what lives at exit stays live");
    }
}

#[test]
fn without_a_collection_nothing_dies() {
    let place = Place::new();
    let (_, recorded) = place.java(&["-XX:+UseSerialGC", "-Xmn128m"], &["Arrays", "100", "70", "1", "false"], None);
    is_whole(&recorded);
    assert_eq!(recorded.java.expect("of a JVM").collections, 0);
    assert_eq!(story(&recorded, DYING), Story { born: 100, died: 0, max: 100, collections_before_death: None });
    assert!(recorded.trace.events.iter().all(|event| matches!(event.action, Action::Allocate { .. })));
}

#[test]
fn the_site_of_an_object_is_its_class() {
    let place = Place::new();
    let (_, recorded) = place.java(&["-XX:+UseSerialGC"], &["Arrays", "100", "70", "2", "true"], None);
    let classes = |wanted: u64| -> std::collections::BTreeSet<&str> {
        let name = |event: &heapsmith_trace::Event| match event.action {
            Action::Allocate { size, .. } if size.0 == wanted => {
                event.site.map(|site| recorded.trace.sites[site as usize].as_str())
            }
            _ => None,
        };
        recorded.trace.events.iter().filter_map(name).collect()
    };
    assert!(classes(DYING).contains("byte[]") && classes(STAYING).contains("long[]"), "{:?}", recorded.trace.sites);
    assert!(classes(DYING).len() == 1 && classes(STAYING).len() == 1);
    assert!(recorded.trace.sites.iter().any(|name| name == "java.lang.Object[]"));
    let is_named = |event: &heapsmith_trace::Event| match event.action {
        Action::Allocate { .. } => event.site.is_some(),
        _ => true,
    };
    assert!(recorded.trace.events.iter().all(is_named), "no object is without a class");
}

#[test]
fn threads_that_make_collections_due_do_not_wait_for_each_other() {
    let place = Place::new();
    let (_, recorded) = place.java(&["-XX:+UseSerialGC"], &["Arrays", "400", "10", "4", "true"], Some(8192));
    is_whole(&recorded);
    let dying = story(&recorded, DYING);
    assert_eq!((dying.born, dying.died), (1600, 1600));
    assert!(dying.max < dying.born, "deaths are known before the end: {dying:?}");
}

#[test]
fn threads_record_together() {
    let place = Place::new();
    let (_, recorded) = place.java(&[], &["Arrays", "500", "10", "4", "true"], None);
    is_whole(&recorded);
    assert_eq!(story(&recorded, DYING).born, 2000);
    assert_eq!(story(&recorded, STAYING).born, 10);
    let allocates =
        |event: &&heapsmith_trace::Event| matches!(event.action, Action::Allocate { size: Bytes(DYING), .. });
    let threads: std::collections::BTreeSet<u32> =
        recorded.trace.events.iter().filter(allocates).map(|event| event.thread).collect();
    assert_eq!(threads.len(), 4);
}

#[test]
fn collections_on_request_make_deaths_known_soon() {
    let place = Place::new();
    let options = ["-XX:+UseSerialGC", "-Xmn128m"];
    let trees = ["Trees", "6", "100"];
    let (_, late) = place.java(&options, &trees, None);
    let (_, soon) = place.java(&options, &trees, Some(64 * 1024));
    is_whole(&late);
    is_whole(&soon);
    // A tree has 63 nodes, and 64 KiB are at most 190 more. A few MB are no reason for a JVM to collect by itself.
    let (late, nodes) = (story(&late, NODE), story(&soon, NODE));
    assert_eq!((late.born, late.died), (6300, 0));
    assert_eq!((nodes.born, nodes.died), (6300, 6300), "a last collection at the end finds the rest");
    assert!(nodes.max <= 63 + 191, "{nodes:?}");
    let java = soon.java.expect("of a JVM");
    let requested: u64 = soon
        .trace
        .events
        .iter()
        .map(|event| match event.action {
            Action::Allocate { size, .. } => size.0,
            _ => 0,
        })
        .sum();
    assert_eq!(java.gc_every, 64 * 1024);
    assert!(java.collections >= requested / (64 * 1024 * 2) && java.collections <= requested / (64 * 1024) + 3);
}

#[test]
fn every_jvm_that_a_program_starts_leaves_a_recording() {
    let place = Place::new();
    let command = "java -Xint -cp . Trees 3 1 && java -Xint -cp . Trees 4 1; kill -9 $$";
    let output = place.start(&["sh", "-c", command], None);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "7\n15\n");
    let mut nodes: Vec<u64> = place.recordings().iter().map(|path| story(&read(path), NODE).born).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, [7, 15]);
}

#[test]
fn a_jvm_that_is_killed_leaves_what_it_did_until_then() {
    let place = Place::new();
    let agent = place.agent();
    let command = ["java", "-Xint", "-Xmx256m", "-cp", ".", "Trees", "10", "1000000"].map(std::ffi::OsString::from);
    let launch = heapsmith_recording::JavaLaunch {
        command: &command,
        agent: &agent,
        folder: place.folder.path(),
        gc_every: None,
    };
    let mut java = launch
        .command()
        .current_dir(place.folder.path())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("java: {error}: {}", super::INSTALL));
    let long = |path: &std::path::PathBuf| path.metadata().is_ok_and(|file| file.len() > 2_000_000);
    while !place.recordings().iter().any(long) {
        assert!(java.try_wait().expect("a child").is_none(), "it has hours to do");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    java.kill().expect("it can be killed");
    java.wait().expect("it ends");
    let recorded = read(&place.recordings()[0]);
    PackedTrace::new(&recorded.trace).expect("it can be replayed");
    assert!(story(&recorded, NODE).born > 10_000);
    let java = recorded.java.expect("of a JVM");
    assert!(java.early_objects > 1000 && java.unseen_objects == 0, "{java:?}");
}
