//! The same plan gives the same bytes: again in the same folder, on any number of threads, stopped or killed and gone on
//! with, and after something else was explored there. Times alone may differ.
//!
//! The quick part explores a small space of every structure on a small trace, each plan in two ways by turns. The whole
//! takes minutes: every plan in every way (`cargo xtask nightly whole`), [`every_plan_on_real_traffic`] and the kills
//! (`cargo xtask nightly determinism`).

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heapsmith_explore::{
    Constraint, Exploration, Goal, HoldOut, Objective, Observer, Plan, Preference, Progress, RunError, Space, Stage,
    Store, StoreError, Strategy, SweepError, run,
};
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, Draws, Event, Origin, PackedTrace, Trace};
use heapsmith_workload::load;

/// 450 designs: a part of the classic space, and other structures.
const SMALL: &str = r#"
[[family]]
name = "classic"
heap = "list(order=address)"
[family.levels]
freelists = [0, 1, 2, 3, 8]
fit = [0, 30, 100]
split = [0, 30, 60, 100]
coalesce = [0, 30, 60, 100]

[[family]]
name = "bins"
heap = ["bins(lea)", "bins(log(4))", "tree(red-black)"]
[family.levels]
freelists = [0, 2, "saved 4"]
split = [0, 60, 100]
coalesce = [0, 100, "deferred"]
word = [4, 8]

[[family]]
name = "two-level"
heap = ["tlsf(second-level=3)", "tlsf(second-level=5)", "half-fit"]
[family.levels]
freelists = [0, 2, 4]
word = [4, 8]
"#;

/// Packets in a queue that fills and drains.
fn queue(seed: u64, packets: u64) -> Trace {
    let mut trace = Trace::new(Origin::new("queue", ""));
    let mut draws = Draws::new(seed);
    let mut queue = std::collections::VecDeque::new();
    for id in 0..packets {
        let size = [66, 66, 1514, 1514, 40 + draws.below(1400)][draws.below(5) as usize];
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        queue.push_back(id);
        while queue.len() as u64 > 8 + draws.below(30) {
            let oldest = queue.pop_front().expect("it is not empty");
            trace.events.push(Event::at(id, Action::Free { id: oldest }));
        }
    }
    trace
}

fn sample(file: &str, workload: &str, events: usize) -> Trace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(file);
    let mut trace = load(&path, Some(workload), &[]).expect("the sample reads");
    trace.events.truncate(events);
    trace
}

/// What is asked for.
#[derive(Clone)]
struct Asked {
    objectives: Vec<Objective>,
    constraints: Vec<Constraint>,
    search: Strategy,
    prune: bool,
    perturbed: u32,
}

impl Asked {
    fn new(objectives: &[Objective], search: Strategy, prune: bool) -> Asked {
        Asked { objectives: objectives.to_vec(), constraints: Vec::new(), search, prune, perturbed: 0 }
    }

    fn is_timed(&self) -> bool {
        self.objectives.contains(&Objective::Time)
    }

    /// As words, for a child process.
    fn words(&self) -> String {
        let objectives: Vec<&str> = self.objectives.iter().map(|objective| objective.name()).collect();
        format!("{} {} {}", objectives.join(","), self.search.name(), self.prune)
    }

    fn parse(words: &str) -> Asked {
        let [objectives, search, prune] = words.split(' ').collect::<Vec<_>>().try_into().expect("three words");
        let objectives: Vec<Objective> =
            objectives.split(',').map(|name| name.parse().expect("an objective")).collect();
        Asked::new(&objectives, search.parse().expect("a search"), prune == "true")
    }
}

/// Every objective, by itself or with others, and every search, pruned or not.
fn everything() -> Vec<Asked> {
    use Objective::{Accesses, CodeSize, External, FootprintMean, Fragmentation, Internal, MaxOp, MinRegion, P99};
    use Objective::{FootprintOverTime, Instructions, MaxInstructions, Retained, RetainedOverTime, Time};
    let objectives: [&[Objective]; 9] = [
        &Objective::FRONT,
        &[Fragmentation, Accesses, MinRegion],
        &[Fragmentation, CodeSize],
        &[Fragmentation, Instructions, MaxInstructions],
        &[Internal, External, Accesses],
        &[MaxOp, P99],
        &[FootprintMean, Retained, Accesses],
        &[FootprintOverTime, RetainedOverTime, Accesses],
        &[Fragmentation, Time],
    ];
    let mut all = Vec::new();
    for search in [Strategy::Exhaustive, Strategy::Halving] {
        for prune in [false, true] {
            let compared = |objective: &Objective| !objective.is_counted() || Objective::FRONT.contains(objective);
            let sound = objectives.iter().filter(|objectives| !prune || objectives.iter().all(compared));
            all.extend(sound.map(|objectives| Asked::new(objectives, search, prune)));
        }
    }
    let bounded = Constraint { objective: MinRegion, max: 40_000.0 };
    all.push(Asked {
        constraints: vec![bounded],
        ..Asked::new(&[Fragmentation, Accesses], Strategy::Exhaustive, true)
    });
    all.push(Asked { perturbed: 2, ..Asked::new(&[Fragmentation, Accesses], Strategy::Exhaustive, false) });
    all
}

/// Counts the code of a heap by its text, and stops once this many designs are done.
struct Watching<'w> {
    stop: &'w AtomicBool,
    at: Option<usize>,
}

impl Observer for Watching<'_> {
    fn stage(&mut self, stage: Stage<'_>) {
        let late = matches!(stage, Stage::Finalists | Stage::HoldOut(..));
        self.stop.fetch_or(late && self.at == Some(usize::MAX), Ordering::Relaxed);
    }

    fn progress(&mut self, at: Progress) {
        self.stop.fetch_or(self.at.is_some_and(|designs| at.designs >= designs), Ordering::Relaxed);
    }

    fn compiled(
        &mut self,
        what: Objective,
        spec: &Spec,
        _traces: &[PackedTrace],
    ) -> Result<Option<f64>, Box<dyn Error + Send + Sync>> {
        let text = spec.to_string();
        let bytes = text.len() as f64;
        let value = if what == Objective::Instructions { bytes / 7.0 } else { bytes };
        Ok((!text.contains("half-fit")).then_some(value))
    }
}

/// What is explored: traces and a space.
struct Ground {
    traces: Vec<Trace>,
    packed: Vec<PackedTrace>,
    space: (String, String),
}

impl Ground {
    fn new(traces: Vec<Trace>, name: &str, text: &str) -> Ground {
        let packed = traces.iter().map(|trace| PackedTrace::new(trace).expect("a sound trace")).collect();
        Ground { traces, packed, space: (name.to_owned(), text.to_owned()) }
    }

    fn small() -> Ground {
        Ground::new(vec![queue(1, 150), queue(2, 120)], "small", SMALL)
    }

    /// Explores in a folder; not to the end when it is stopped.
    fn explore(&self, dir: &Path, asked: &Asked, jobs: usize, stop_at: Option<usize>) -> Option<Found> {
        let stop = AtomicBool::new(false);
        let plan = Plan {
            space: (&self.space.0, &self.space.1),
            question: Goal { objectives: asked.objectives.clone(), constraints: asked.constraints.clone() }.into(),
            search: Some(asked.search),
            prune: asked.prune,
            jobs,
            holdout: HoldOut { perturbed: asked.perturbed, ..HoldOut::default() },
            ..Plan::new(dir, &self.packed, &stop)
        };
        let mut write = |number: usize, path: &Path| self.traces[number].write(path);
        match run(&plan, &mut write, &mut Watching { stop: &stop, at: stop_at }) {
            Ok(_) => Some(Found::of(dir, asked)),
            Err(RunError::Sweep(SweepError::Interrupted)) => None,
            Err(error) => panic!("{}: {error}", asked.words()),
        }
    }
}

/// All that is not timed, of a finished exploration.
#[derive(PartialEq)]
struct Found {
    csv: String,
    parquet: Vec<u8>,
    front: Vec<usize>,
    front_2d: Vec<usize>,
    picks: Vec<Option<usize>>,
    evaluated: String,
}

impl Found {
    fn of(dir: &Path, asked: &Asked) -> Found {
        let exploration = Exploration::open(dir).expect("a finished exploration");
        let mut csv = std::fs::read_to_string(dir.join("results.csv")).expect("a table");
        let preferences = [Preference::Balanced, Preference::Speed, Preference::Memory, Preference::Bounded];
        let mut found = Found {
            csv: String::new(),
            parquet: std::fs::read(dir.join("results.parquet")).expect("a table"),
            picks: preferences.map(|preference| exploration.pick(preference)).to_vec(),
            evaluated: format!("{:?}", exploration.evaluated),
            front: exploration.front,
            front_2d: exploration.front_2d,
        };
        if asked.is_timed() {
            // The front depends on times.
            csv = without_column(&csv, "on_front");
            (found.parquet, found.front, found.picks[0]) = (Vec::new(), Vec::new(), None);
        }
        Found { csv, ..found }
    }
}

fn without_column(csv: &str, name: &str) -> String {
    let place = csv.lines().next().and_then(|heading| heading.split(',').position(|column| column == name));
    let place = place.expect("the column");
    // Specs may have commas, but come after it.
    let line = |line: &str| {
        line.split(',')
            .enumerate()
            .filter(|(column, _)| *column != place)
            .map(|(_, text)| text)
            .collect::<Vec<_>>()
            .join(",")
    };
    csv.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Every row of the store that no clock has a part in: the smallest region of a pick that times chose is left out.
fn rows(dir: &Path, asked: &Asked) -> Vec<String> {
    let store = rusqlite::Connection::open(dir.join(Store::FILE)).expect("a store");
    let mut rows = Vec::new();
    for table in ["trace", "design", "result", "chosen", "pruned", "slice", "finalist", "evaluated", "catalogue"] {
        let mut statement = store
            .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2, 3"))
            .or_else(|_| store.prepare(&format!("SELECT * FROM {table} ORDER BY 1")))
            .expect("a table");
        let columns = statement.column_count();
        let mut found = statement.query([]).expect("rows");
        while let Some(row) = found.next().expect("a row") {
            if table == "finalist"
                && asked.is_timed()
                && row.get_ref_unwrap(1).as_str().is_ok_and(|name| name == "min_region")
            {
                continue;
            }
            let values: Vec<String> = (0..columns).map(|column| format!("{:?}", row.get_ref_unwrap(column))).collect();
            rows.push(format!("{table}: {}", values.join(" ")));
        }
    }
    rows
}

fn assert_same(found: &Found, expected: &Found, asked: &Asked, how: &str) {
    let what = asked.words();
    assert!(found.csv == expected.csv, "{what}, {how}: the CSV differs");
    assert!(found.parquet == expected.parquet, "{what}, {how}: the Parquet file differs");
    assert_eq!(found.front, expected.front, "{what}, {how}");
    assert_eq!(found.front_2d, expected.front_2d, "{what}, {how}");
    assert_eq!(found.picks, expected.picks, "{what}, {how}");
    assert_eq!(found.evaluated, expected.evaluated, "{what}, {how}");
}

/// How a plan is carried out another time.
#[derive(Clone, Copy)]
enum Way {
    /// In the folder that has its results.
    Again,
    /// In a new folder on this many threads.
    Threads(usize),
    /// Stopped at several moments, and gone on with.
    Stopped,
    /// In a folder where another plan was carried out.
    After,
}

impl Way {
    const ALL: [Way; 5] = [Way::Again, Way::Threads(2), Way::Threads(8), Way::Stopped, Way::After];
}

/// A folder in memory where there is one: what is compared are bytes, and a disk is slow to keep each of many commits.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

/// Explores once, and again in other ways.
fn explore_in(ways: &[Way], ground: &Ground, asked: &Asked, others: &Asked, stops: &[usize]) {
    let first = folder();
    let expected = ground.explore(first.path(), asked, 1, None).expect("not stopped");
    let kept = rows(first.path(), asked);
    for &way in ways {
        let (new, mut jobs) = (folder(), 2);
        let (dir, how) = match way {
            Way::Again => (first.path(), "again in the same folder".to_owned()),
            Way::Threads(threads) => {
                jobs = threads;
                (new.path(), format!("on {threads} threads"))
            }
            Way::Stopped => {
                stops.iter().for_each(|&at| drop(ground.explore(new.path(), asked, 2, Some(at))));
                (new.path(), "stopped and gone on with".to_owned())
            }
            Way::After => {
                ground.explore(new.path(), others, 2, None).expect("not stopped");
                (new.path(), format!("after {} in the same folder", others.words()))
            }
        };
        assert_same(&ground.explore(dir, asked, jobs, None).expect("not stopped"), &expected, asked, &how);
        // Another plan leaves its own rows.
        if !matches!(way, Way::After) {
            assert_eq!(rows(dir, asked), kept, "{}: what the store keeps, {how}", asked.words());
        }
    }
}

#[test]
fn the_same_plan_gives_the_same_bytes_in_every_way() {
    let (ground, all) = (Ground::small(), everything());
    let is_whole = std::env::var_os("HEAPSMITH_WHOLE").is_some();
    for (number, asked) in all.iter().enumerate() {
        let others = &all[(number * 7 + 5) % all.len()];
        let two = [number, number + 2].map(|turn| Way::ALL[turn % Way::ALL.len()]);
        let ways = if is_whole { &Way::ALL[..] } else { &two };
        explore_in(ways, &ground, asked, others, &[1, 150, usize::MAX]);
    }
}

#[test]
#[ignore = "takes minutes: `cargo xtask nightly determinism`"]
fn every_plan_on_real_traffic_gives_the_same_bytes_in_every_way() {
    let (classic, wide) = (Space::own_text("classic").expect("ours"), Space::own_text("wide").expect("ours"));
    let traces = || vec![sample("ftp.pcap.xz", "drr", 2_000), sample("web.log.xz", "url", 1_500)];
    let grounds = [Ground::new(traces(), "classic", classic), Ground::new(traces(), "wide", wide)];
    let all = everything();
    for ground in &grounds {
        for (number, asked) in all.iter().enumerate() {
            if ground.space.0 == "wide" && asked.search == Strategy::Exhaustive && number % 5 > 0 {
                continue;
            }
            let others = &all[(number * 7 + 5) % all.len()];
            explore_in(&Way::ALL, ground, asked, others, &[1, 2_000, 7_000, usize::MAX]);
        }
    }
}

/// Where a child explores, and what.
const CHILD: &str = "HEAPSMITH_TEST_EXPLORES";

/// What a killed child was at.
#[test]
#[ignore = "run by the tests that kill it"]
fn a_child_that_explores() {
    let Ok(told) = std::env::var(CHILD) else { return };
    let (dir, words) = told.split_once('\n').expect("a folder and words");
    let asked = Asked::parse(words);
    Ground::new(vec![queue(3, 400)], "classic", Space::own_text("classic").expect("ours")).explore(
        Path::new(dir),
        &asked,
        2,
        None,
    );
}

fn child(dir: &Path, asked: &Asked) -> std::process::Child {
    let program: PathBuf = std::env::current_exe().expect("this test");
    Command::new(program)
        .args(["--exact", "determinism::a_child_that_explores", "--ignored", "--test-threads", "1"])
        .env(CHILD, format!("{}\n{}", dir.display(), asked.words()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child")
}

/// Kills a child that explores at several moments, wherever it is by then, and compares what the last one finds.
fn killed(asked: &Asked, moments: &[u64]) {
    let (whole, broken) = (folder(), folder());
    assert!(child(whole.path(), asked).wait().expect("a child").success());
    for &milliseconds in moments {
        let mut child = child(broken.path(), asked);
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().expect("SIGKILL");
        child.wait().expect("it is over");
    }
    assert!(child(broken.path(), asked).wait().expect("a child").success());
    let (expected, found) = (Found::of(whole.path(), asked), Found::of(broken.path(), asked));
    assert_same(&found, &expected, asked, "killed and gone on with");
    assert_eq!(rows(broken.path(), asked), rows(whole.path(), asked), "{}", asked.words());
}

#[test]
fn an_exploration_that_was_killed_ends_with_the_same_bytes() {
    use Objective::{Accesses, Fragmentation, MinRegion};
    killed(&Asked::new(&[Fragmentation, Accesses, MinRegion], Strategy::Exhaustive, true), &[300, 700]);
}

#[test]
#[ignore = "takes minutes: `cargo xtask nightly determinism`"]
fn explorations_killed_at_any_moment_end_with_the_same_bytes() {
    for asked in everything().into_iter().filter(|asked| asked.constraints.is_empty() && asked.perturbed == 0) {
        killed(&asked, &[50, 100, 200, 300, 400, 600, 800, 1_000, 1_500, 2_000]);
    }
}

#[test]
fn pruning_is_refused_where_it_would_cut_into_the_front() {
    let dir = tempfile::tempdir().expect("a folder");
    let (ground, stop) = (Ground::small(), AtomicBool::new(false));
    let goal = Goal { objectives: vec![Objective::Accesses, Objective::External], constraints: Vec::new() };
    let plan = Plan { question: goal.into(), prune: true, ..Plan::new(dir.path(), &ground.packed, &stop) };
    let refused = run(&plan, &mut |_, _| Ok(()), &mut ()).expect_err("it is not sound");
    assert!(matches!(&refused, RunError::WrongUse(text) if text.contains("external fragmentation")), "{refused}");
}

#[test]
fn a_second_explorer_is_refused_by_name_and_readers_are_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let (ground, asked) = (Ground::small(), Asked::new(&Objective::FRONT, Strategy::Exhaustive, false));
    assert!(ground.explore(dir.path(), &asked, 1, Some(1)).is_none());
    let space = Space::of(&ground.space.0, &ground.space.1, &ground.packed).expect("a space");
    let file = dir.path().join(Store::FILE);
    let first = Store::begin(&file, &space, &ground.packed, "the first").expect("nobody else is there");
    let second = Store::begin(&file, &space, &ground.packed, "the second").expect_err("the first is at work");
    assert!(matches!(second, StoreError::Busy { .. }), "{second}");
    let text = second.to_string();
    assert!(text.contains(&dir.path().display().to_string()) && text.contains("--wait"), "{text}");
    let reading = Exploration::open(dir.path()).expect_err("it is not finished");
    assert!(reading.to_string().contains("it is being explored now"), "{reading}");
    drop(first);
    let reading = Exploration::open(dir.path()).expect_err("it is not finished");
    assert!(reading.to_string().contains("that began it again"), "{reading}");
    ground.explore(dir.path(), &asked, 2, None).expect("the lock ended with its holder");
    let _third = Store::begin(&file, &space, &ground.packed, "the third").expect("nobody else is there");
    assert!(Exploration::open(dir.path()).is_ok(), "finished results can be read during a write");
}

#[test]
fn a_lock_that_somebody_made_a_link_or_a_pipe_is_neither_followed_nor_waited_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let ground = Ground::small();
    let space = Space::of(&ground.space.0, &ground.space.1, &ground.packed).expect("a space");
    let begin = || Store::begin(&dir.path().join(Store::FILE), &space, &ground.packed, "a test");
    drop(begin().expect("a store"));
    let lock = dir.path().join("results.lock");
    std::fs::remove_file(&lock).expect("it is there");
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), &lock).expect("a link");
    let refused = begin().expect_err("a link").to_string();
    assert!(refused.contains("it is a link") && !dir.path().join("elsewhere").exists(), "{refused}");
    assert!(Exploration::open(dir.path()).is_err(), "it is not finished");
    std::fs::remove_file(&lock).expect("it is there");
    assert!(Command::new("mkfifo").arg(&lock).status().expect("mkfifo runs").success());
    assert!(Exploration::open(dir.path()).is_err(), "nobody waits for the other end");
}

#[test]
fn who_waits_explores_when_the_folder_is_free() {
    let dir = tempfile::tempdir().expect("a folder");
    let (ground, stop) = (Ground::small(), AtomicBool::new(false));
    let space = Space::of(&ground.space.0, &ground.space.1, &ground.packed).expect("a space");
    let first = Store::begin(&dir.path().join(Store::FILE), &space, &ground.packed, "the first").expect("a store");
    struct Waiting<'w>(&'w std::sync::Mutex<Option<Store>>);
    impl Observer for Waiting<'_> {
        fn stage(&mut self, stage: Stage<'_>) {
            if stage == Stage::Waiting {
                drop(self.0.lock().expect("a lock").take());
            }
        }
    }
    let first = std::sync::Mutex::new(Some(first));
    let plan =
        Plan { space: (&ground.space.0, &ground.space.1), wait: true, ..Plan::new(dir.path(), &ground.packed, &stop) };
    let mut write = |number: usize, path: &Path| ground.traces[number].write(path);
    run(&plan, &mut write, &mut Waiting(&first)).expect("the folder became free");
    assert!(first.lock().expect("a lock").is_none(), "it was notified of the wait");
}

/// Rows without an end.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 0, 0 FROM n";

#[test]
fn a_store_that_somebody_made_of_views_is_refused() {
    for table in ["result", "design", "trace", "chosen", "meta"] {
        let dir = tempfile::tempdir().expect("a folder");
        let (ground, asked) = (Ground::small(), Asked::new(&Objective::FRONT, Strategy::Exhaustive, false));
        ground.explore(dir.path(), &asked, 2, None).expect("not stopped");
        let store = rusqlite::Connection::open(dir.path().join(Store::FILE)).expect("a store");
        store.execute_batch(&format!("DROP VIEW results; CREATE VIEW results AS {ENDLESS}")).expect("a view");
        assert!(Exploration::open(dir.path()).is_ok(), "nobody reads the view");
        store.execute_batch(&format!("DROP TABLE {table}; CREATE VIEW {table} AS {ENDLESS}")).expect("a view");
        let refused = Exploration::open(dir.path()).expect_err("no table").to_string();
        let expected = if table == "meta" { "it has no schema".to_owned() } else { format!("its {table} is no table") };
        assert!(refused.contains(&expected), "{refused}");
        // Resuming writes to it, and verifies it first.
        let begun = Store::begin(
            &dir.path().join(Store::FILE),
            &Space::of("small", SMALL, &ground.packed).expect("a space"),
            &ground.packed,
            "a test",
        );
        assert!(begun.is_err_and(|refused| refused.to_string().contains(&expected)));
    }
}

#[test]
fn a_store_of_another_version_is_refused_with_what_to_do() {
    let (ground, asked) = (Ground::small(), Asked::new(&Objective::FRONT, Strategy::Exhaustive, false));
    let dir = tempfile::tempdir().expect("a folder");
    ground.explore(dir.path(), &asked, 2, None).expect("not stopped");
    let file = dir.path().join(Store::FILE);
    for version in ["1", "13", "15", "17", "1000000", "", "twelve"] {
        let store = rusqlite::Connection::open(&file).expect("a store");
        store.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [version]).expect("a version");
        let kept = std::fs::read(&file).expect("a store");
        let space = Space::of("small", SMALL, &ground.packed).expect("a space");
        let read = Exploration::open(dir.path()).map(drop);
        let resumed = Store::begin(&file, &space, &ground.packed, "a test").map(drop);
        for refused in [read, resumed].map(|outcome| outcome.expect_err("another version").to_string()) {
            assert!(refused.contains(&format!("it has schema {version}, this one reads")), "{refused}");
            assert!(refused.ends_with("choose another --out, or delete its folder"), "{refused}");
        }
        assert!(std::fs::read(&file).expect("a store") == kept, "who refuses a store changes nothing in it");
    }
}

#[test]
fn a_store_does_nothing_of_its_own_while_it_is_gone_on_with() {
    let (ground, asked) = (Ground::small(), Asked::new(&Objective::FRONT, Strategy::Exhaustive, false));
    let (dir, whole) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let expected = ground.explore(whole.path(), &asked, 2, None).expect("not stopped");
    ground.explore(dir.path(), &asked, 2, Some(100));
    let store = rusqlite::Connection::open(dir.path().join(Store::FILE)).expect("a store");
    let trigger = "CREATE TRIGGER changes AFTER INSERT ON result BEGIN DELETE FROM chosen; END";
    store.execute_batch(trigger).expect("a trigger");
    drop(store);
    let found = ground.explore(dir.path(), &asked, 2, None).expect("not stopped");
    assert_same(&found, &expected, &asked, "with a trigger in the store");
    assert_eq!(rows(dir.path(), &asked), rows(whole.path(), &asked), "what the store keeps, with a trigger in it");
}

#[test]
fn a_store_with_a_flipped_bit_is_refused_whichever_value_has_it() {
    let (ground, asked) = (Ground::small(), Asked::new(&Objective::FRONT, Strategy::Exhaustive, false));
    let changes = [
        ("result", "footprint_peak = footprint_peak + 1"),
        ("result", "operations = 0"),
        ("design", "spec = spec || ' '"),
        ("design", "same_as = 0"),
        ("meta", "value = value || ' '"),
        ("trace", "events = events - 1"),
        ("chosen", "design = design + 100000"),
    ];
    for (table, change) in changes {
        let dir = tempfile::tempdir().expect("a folder");
        ground.explore(dir.path(), &asked, 2, None).expect("not stopped");
        let store = rusqlite::Connection::open(dir.path().join(Store::FILE)).expect("a store");
        let only = format!("UPDATE {table} SET {change} WHERE rowid = (SELECT max(rowid) FROM {table})");
        assert_eq!(store.execute(&only, []).expect("a change"), 1, "{table}: {change}");
        let refused = Exploration::open(dir.path()).map(drop).expect_err("a damaged row");
        assert!(refused.to_string().contains("is damaged") || refused.to_string().contains("schema"), "{refused}");
    }
}
