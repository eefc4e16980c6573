//! Traces replayed as threads share heaps: counted, played by real threads, and compared with a program that runs on such a heap.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const LISTS: &str = "freelists(16..=1024 step 16) bins(lea) word=8";

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache")).args(arguments);
    command.output().expect("the command runs")
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn rows(dir: &Path, arguments: &[&str]) -> Vec<Value> {
    let text = told(&heapsmith(dir, &[arguments, &["--format", "json"]].concat()));
    serde_json::from_str(&text).expect("an array")
}

fn of(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"))
}

/// Two threads, each of which frees what the other allocated.
fn trace(dir: &Path) {
    let mut text = "time_ns,thread,action,id,size\n".to_owned();
    for round in 0..20_u64 {
        for block in 0..500_u64 {
            text += &format!(
                "{},{},allocate,{},{}\n",
                round * 1000 + block,
                block % 2,
                round * 500 + block,
                16 + block % 300
            );
        }
        for block in 0..500_u64 {
            text += &format!("{},{},free,{},\n", round * 1000 + 500 + block, 1 - block % 2, round * 500 + block);
        }
    }
    std::fs::write(dir.join("t.csv"), text).expect("a file");
}

#[test]
fn ways_to_share_are_counted_in_the_recorded_order_and_in_others() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let heaps = ["one", "each", "lists", "lists(2K)"].map(|way| format!("{LISTS} threads={way}"));
    let heaps: Vec<&str> = heaps.iter().flat_map(|heap| ["--heap", heap]).collect();
    let arguments = [&["replay", "t.csv", "--threaded=5"], &heaps[..]].concat();
    let rows = rows(dir.path(), &arguments);
    let [one, each, lists, few] = &rows[..] else { panic!("{rows:?}") };
    for row in &rows {
        assert_eq!((of(row, "operations"), of(row, "threads"), of(row, "orders")), (20_000.0, 2.0, 5.0));
        assert!(of(row, "ns_per_op_low") <= of(row, "ns_per_op") && of(row, "ns_per_op") <= of(row, "ns_per_op_high"));
    }
    assert!(of(one, "moves_per_op") > 0.9 && of(one, "stranded_peak") == 0.0 && of(one, "blow_up") == 1.0, "{one}");
    assert!(of(each, "remote_frees_per_op") > 0.49 && of(each, "moves") == 0.0 && of(each, "blow_up") > 1.0, "{each}");
    assert!(of(lists, "locks_per_op") < 0.1 && of(lists, "stranded_peak") > of(few, "stranded_peak"), "{lists} {few}");
    let again = told(&heapsmith(dir.path(), &arguments));
    assert_eq!(again, told(&heapsmith(dir.path(), &arguments)), "a seed, a table");
    assert!(again.contains("blow up") && again.contains("5 further orders"), "{again}");
}

#[test]
fn heaps_are_played_by_threads_next_to_reference_allocators() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let heap = format!("{LISTS} threads=lists");
    let rows = rows(
        dir.path(),
        &["replay", "t.csv", "--threaded", "--time", "--rounds", "1", "--heap", &heap, "--heap", "peer:libc"],
    );
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((of(row, "threads"), of(row, "operations"), of(row, "refused")), (2.0, 20_000.0, 0.0), "{row}");
        assert!(of(row, "cpu_time") > 0.0 && of(row, "peak") > 0.0, "{row}");
    }
    let wrong = heapsmith(dir.path(), &["replay", "t.csv", "--threaded", "--heap", "peer:libc"]);
    assert_eq!(wrong.status.code(), Some(2), "a reference allocator is not counted");
}

#[test]
fn what_is_stranded_is_what_the_program_stranded() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/threads/xmalloc.c");
    let program = dir.path().join("xmalloc");
    let compiled = Command::new("cc").args(["-O2", "-pthread", "-o"]).arg(&program).arg(&source).status();
    assert!(compiled.expect("a compiler").success());
    // A trace does not say when a thread ends, and what was its peak may have gone back by then: with few bytes on lists that shows.
    let both = &["stranded_mean", "stranded_peak"][..];
    for (way, keys) in [("lists", both), ("lists(65536)", &both[..1]), ("each", both)] {
        let heap = format!("{LISTS} threads={way}");
        let (stats, traces) = (format!("{way}.json"), format!("run-{way}"));
        let options = ["run", "--heap", &heap, "--stats", &stats, "--record", &traces, "--"];
        let program = [program.to_str().expect("a path"), "1", "400"];
        told(&heapsmith(dir.path(), &[&options[..], &program].concat()));
        let ran: Value =
            serde_json::from_str(&std::fs::read_to_string(dir.path().join(&stats)).expect("a file")).expect("JSON");
        let mut traces =
            std::fs::read_dir(dir.path().join(traces)).expect("a folder").flatten().map(|file| file.path());
        let trace = traces.find(|path| path.extension().is_some_and(|end| end == "parquet")).expect("a trace");
        let counted =
            &rows(dir.path(), &["replay", trace.to_str().expect("a path"), "--threaded=0", "--heap", &heap])[0];
        for key in keys {
            let share = of(counted, key) / of(&ran, key);
            // Threads are recorded in the order of their clocks, which is not quite that of the heap.
            assert!((0.8..=1.25).contains(&share), "{heap}: {key} {} counted, {} ran", of(counted, key), of(&ran, key));
        }
    }
}

#[test]
fn an_exploration_says_how_threads_share_the_pick_best() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let options = ["--limit", "4000", "--no-peers", "--rounds", "0", "--robust", "off", "-o"];
    let explored =
        |trace: &str, out: &str| told(&heapsmith(dir.path(), &[&["explore", trace], &options[..], &[out]].concat()));
    let said = explored("t.csv", "two");
    let mut lines = said.lines().skip_while(|line| !line.starts_with("Threads "));
    let (line, heap) = (lines.next().expect("a line"), lines.next().expect("a heap").trim().trim_matches('\''));
    let way = heap.rsplit(' ').next().expect("the last option");
    assert!(way.starts_with("threads="), "{heap}");
    assert!(line.contains(way) && line.contains("2 allocate") && line.contains("one lock"), "{line}");
    // What it says is what a replay by threads says.
    let counted = &rows(dir.path(), &["replay", "t.csv", "--limit", "4000", "--threaded=0", "--heap", heap])[0];
    assert!(line.contains(&format!("{:.0} ns/op and", of(counted, "ns_per_op"))), "{line}: {counted}");
    // No other way that takes as little memory takes less time.
    let plain = heap.trim_end_matches(way).trim();
    let ways = ["one", "each", "lists", "lists(16K)"].map(|way| format!("{plain} threads={way}"));
    let replays = ways.iter().map(|heap| {
        heapsmith(
            dir.path(),
            &["replay", "t.csv", "--limit", "4000", "--threaded=0", "--heap", heap, "--format", "json"],
        )
    });
    // Without free lists there are none for threads.
    let all = replays.filter(|output| output.status.success());
    let all: Vec<Value> =
        all.flat_map(|output| serde_json::from_slice::<Vec<Value>>(&output.stdout).expect("an array")).collect();
    assert!(all.len() >= 2, "{all:?}");
    let max = of(&all[0], "footprint") * 1.05;
    let fitting = all.iter().filter(|row| of(row, "footprint") <= max).map(|row| of(row, "ns_per_op"));
    assert_eq!(fitting.fold(f64::INFINITY, f64::min), of(counted, "ns_per_op"), "{all:?}");
    let alone =
        std::fs::read_to_string(dir.path().join("t.csv")).expect("a file").replace(",1,allocate", ",0,allocate");
    let alone = alone.replace(",1,free", ",0,free");
    std::fs::write(dir.path().join("alone.csv"), alone).expect("a file");
    assert!(!explored("alone.csv", "one").contains("\nThreads "), "one thread has nobody to share with");
    // Both are played by as many threads, where times are asked for.
    std::fs::write(dir.path().join("one.toml"), "[[family]]\nname = \"one\"\nheap = [\"tlsf align=16\"]\n")
        .expect("a file");
    let timed = ["--limit", "1000", "--space", "one.toml", "--rounds", "1", "--robust", "off", "-o", "timed"];
    let timed = told(&heapsmith(dir.path(), &[&["explore", "t.csv", "--target", "host"], &timed[..]].concat()));
    let played = timed.lines().find(|line| line.starts_with("Played ")).unwrap_or_else(|| panic!("{timed}"));
    assert!(played.contains("; peer:libc: ") && played.matches(" of processors").count() == 2, "{played}");
    // Nobody knows what both take in threads.
    let answer = |out: &str| told(&heapsmith(dir.path(), &["pick", out, "--prefer", "speed"]));
    let (two, one) = (answer("two"), answer("one"));
    assert!(two.contains("2 threads") && two.contains("heapsmith race --heap two"), "{two}");
    assert!(!one.contains("threads") && one.contains("heapsmith run --heap one"), "{one}");
}

#[test]
fn what_goes_back_is_counted_as_a_program_gives_it_back() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("holes.c"), include_str!("serving/holes.c")).expect("a file");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-w", "-fno-builtin", "-o", "holes", "holes.c"]).current_dir(dir.path());
    assert!(cc.status().expect("a compiler").success());
    told(&heapsmith(dir.path(), &["record", "-o", "traces", "--", "./holes"]));
    let mut traces = std::fs::read_dir(dir.path().join("traces")).expect("a folder").flatten().map(|file| file.path());
    let trace = traces.find(|path| path.extension().is_some_and(|end| end == "parquet")).expect("a trace");
    let trace = trace.to_str().expect("a path");
    let levels = ["never", "top", "after(1000)", "after(16000)", "after(10ms)", "lazy(1000)"];
    let heaps = levels.map(|level| format!("freelists(16..=512 step 16) tlsf word=8 purge={level}"));
    let named: Vec<&str> = heaps.iter().flat_map(|heap| ["--heap", heap]).collect();
    let counted = rows(dir.path(), &[&["replay", trace, "--threaded=0"], &named[..]].concat());
    let played = rows(dir.path(), &[&["replay", trace, "--threaded", "--time", "--rounds", "1"], &named[..]].concat());
    for ((heap, counted), played) in heaps.iter().zip(&counted).zip(&played) {
        let said = told(&heapsmith(dir.path(), &["run", "--heap", heap, "--", "./holes"]));
        let full: f64 = said.split_whitespace().next().and_then(|word| word.parse().ok()).expect("kB");
        for (what, one, other) in [
            ("the peak that was played", of(counted, "resident_peak"), of(played, "peak")),
            ("what the program said", of(counted, "resident_peak"), full * 1024.0),
            ("the faults that were played", of(counted, "faults"), of(played, "faults")),
        ] {
            assert!((0.95..=1.05).contains(&(one / other)), "{heap}: {one} counted, {other}: {what}");
        }
    }
    let [never, top, often, seldom, later, lazy] = &counted[..] else { panic!("{counted:?}") };
    assert_eq!((of(never, "purges"), of(never, "visited")), (0.0, 0.0));
    assert!(of(top, "resident_mean") < of(never, "resident_mean") * 0.8, "{top}");
    assert!(of(often, "resident_mean") < of(seldom, "resident_mean"), "{often} {seldom}");
    assert!(of(seldom, "resident_mean") < of(top, "resident_mean"), "{seldom} {top}");
    assert!(of(often, "ns_per_op") > of(seldom, "ns_per_op") && of(seldom, "ns_per_op") > of(never, "ns_per_op"));
    assert!(of(later, "resident_mean") < of(top, "resident_mean"), "time passes in the recording: {later} {top}");
    assert_eq!(of(lazy, "faults"), of(never, "faults"), "what the system did not take is used again without a fault");
    let kept = of(lazy, "resident_mean") - of(lazy, "lazy_mean");
    assert!((0.95..=1.05).contains(&(kept / of(often, "resident_mean"))), "{lazy} {often}");
    assert!(of(never, "huge_mean") > of(never, "resident_mean") * 0.9, "{never}");
    assert!(of(often, "huge_mean") < of(often, "resident_mean") * 0.9, "holes break huge pages: {often}");
}

#[test]
fn an_exploration_says_what_goes_back_to_the_system_saves_and_costs() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut text = String::from("time,action,id,size\n");
    // Most of what was live goes, and small blocks come and go above holes.
    (0..2000).for_each(|id| text += &format!("{id},allocate,{id},20000\n"));
    (0..2000).filter(|id| id % 50 != 0).for_each(|id| text += &format!("{},free,{id},\n", 2000 + id));
    (2000..8000).for_each(|id| text += &format!("{id},allocate,{id},100\n{id},free,{id},\n"));
    std::fs::write(dir.path().join("t.csv"), text).expect("a file");
    let options = ["--no-peers", "--rounds", "0", "--robust", "off", "-o", "out"];
    let said = told(&heapsmith(dir.path(), &[&["explore", "t.csv"], &options[..]].concat()));
    let mut lines = said.lines().skip_while(|line| !line.starts_with("Purge "));
    let (base, saves) = (lines.next().expect("a line"), lines.next().expect("a level"));
    let heap = lines.find(|line| line.contains('\'')).expect("a heap").trim().trim_matches('\'');
    assert!(
        heap.rsplit(' ').next().is_some_and(|level| level.starts_with("purge=after(") && saves.contains(level)),
        "{said}"
    );
    let plain = heap.rsplit_once(' ').expect("an option").0;
    let counted = rows(dir.path(), &["replay", "t.csv", "--threaded=0", "--heap", plain, "--heap", heap]);
    let mean = |row: &Value| format!("{:.1} MB", of(row, "resident_in_time") / f64::from(1 << 20));
    assert!(base.contains(&mean(&counted[0])) && saves.contains(&mean(&counted[1])), "{base} {saves}: {counted:?}");
}
