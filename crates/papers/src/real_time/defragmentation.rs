//! Section 2.8: defragmentation on demand, which moves just enough for one request.

use heapsmith_replay::{
    MovableMeasures, MovableOptions, MovedFor, Moving, Region, ReplayOptions, replay, replay_movable,
};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Bytes, PackedTrace};
use serde::Serialize;

use super::loads::Shape;
use super::objects::Collection;
use super::programs::{BEGINNING, FILES, INPUTS};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::looking_glass::programs::RandomProgram;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-defragmentation",
    paper: &REAL_TIME,
    place: "Section 2.8",
    title: "defragmentation on demand: requests until the first refusal",
    claim: "Where there is room but no block, exchanging the used buddies of free blocks, recursively, makes one block \
            of the size that is wanted, in Knuth's system and in the estranged one: just enough is moved, in bounded \
            time, where a compaction moves all live objects to one end of the heap. The paper measures nothing of it \
            (Donahue et al. 2001, section 2.8).",
    differs: "There is no measurement to compare with. Loads that fragment, with 50% to 90% of a heap of a power of two \
              live in blocks of powers of two, and the objects of 100,000 events of Java programs in 90% to 100% of the \
              smallest heap that needs no moving; every block has a handle, whose words lie together at the heap's beginning. Pinned is the \
              same heap without moving. The window, the test for room and the bound of (k - l)·2^k words for a \
              block of 2^k, l being the smallest order, are this project's. A compaction slides every used block behind \
              a hole to the front.",
    samples: FILES,
    run,
};

const SYSTEMS: [(&str, &str); 2] =
    [("Knuth's", "buddy(knuth, defragment=on-demand)"), ("estranged", "buddy(estranged, defragment=on-demand)")];
/// Shares of the heap that are live.
const LIVE: [f64; 4] = [0.5, 0.7, 0.8, 0.9];
/// A block of the figure's scene, in bytes.
const SCENE: u64 = 64;
/// The heap of the loads, in bytes.
const HEAP: u64 = 1 << 16;
/// Heaps of one load at one share, to see what grows.
const HEAPS: [u64; 4] = [1 << 14, 1 << 16, 1 << 18, 1 << 20];
/// Shares of the smallest heap that serves a recorded program.
const SHARES: [f64; 4] = [1.0, 0.98, 0.95, 0.9];
/// Handles are made as they are needed, between other blocks.
const SCATTERED: MovableOptions = MovableOptions { moving: Moving::Allowed, reserve_handles: false };
/// Heaps that move nothing, of every kind.
const OTHERS: [&str; 6] = ["first-fit", "best-fit", "tlsf", "half-fit", "buddy(knuth)", "buddy(estranged)"];

#[derive(Debug, Serialize)]
struct Row {
    load: String,
    kind: &'static str,
    system: &'static str,
    heap: u64,
    share: f64,
    requests: u64,
    until_refused_pinned: u64,
    until_refused: u64,
    refused_pinned: u64,
    refused: u64,
    refused_with_room_pinned: u64,
    refused_with_room: u64,
    refused_with_room_scattered: u64,
    requests_that_moved: u64,
    moved_mean: f64,
    max_moved: u64,
    bound_reached: f64,
    compaction_mean: f64,
}

/// What was replayed, and every request that moved blocks.
#[derive(Default)]
struct Replays {
    rows: Vec<Row>,
    moved: Vec<MovedFor>,
    /// Heaps without moving that refused something of a load at a share, of all that were tried.
    plagued: (u64, u64),
    /// Regions of the recorded programs, smallest without moving and with it, by system.
    smallest: Vec<(String, u64, u64)>,
    /// Bytes moved in the figure's scene, where it was served.
    scene: Vec<u64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut replays = Replays { scene: scene()?, ..Replays::default() };
    generated(setting, &mut replays)?;
    recorded(setting, &mut replays)?;
    outcome(&replays)
}

/// The loads, at each share and in each heap.
fn generated(setting: &mut Setting<'_>, replays: &mut Replays) -> Result<(), ExperimentError> {
    let requests = setting.of(100_000, 2_000);
    let mut runs: Vec<(Shape, u64, f64)> = Vec::new();
    runs.extend(Shape::ALL.into_iter().flat_map(|shape| LIVE.map(|share| (shape, HEAP, share))));
    runs.extend(HEAPS.into_iter().filter(|&heap| heap != HEAP).map(|heap| (Shape::Drifting, heap, LIVE[2])));
    for (number, &(shape, heap, share)) in runs.iter().enumerate() {
        setting.step(number, 2 * runs.len(), &format!("{}, {} live", shape.name(), percent(share)))?;
        let trace = shape.program(requests, (heap as f64 * share) as u64, setting.seed)?;
        for system in SYSTEMS {
            replays.add(shape.name(), "generated", system, &trace, (heap, share))?;
        }
        if heap == HEAP && share == LIVE[1] {
            for other in OTHERS {
                let options = ReplayOptions { region: Some(Bytes(heap)), ..ReplayOptions::MEASURE };
                let failed = replay(&resolve(other)?, &trace, &mut Region::new(Bytes(heap))?, options)?.failed;
                replays.plagued.0 += u64::from(failed > 0);
                replays.plagued.1 += 1;
            }
        }
    }
    Ok(())
}

/// The figure's scene: of eight blocks of one size every other is freed, in a heap that has room for no more, and one of
/// twice the size asked for. What was moved, in bytes, by system.
fn scene() -> Result<Vec<u64>, ExperimentError> {
    let mut program = RandomProgram::new("two free blocks", 0);
    let blocks: Vec<u64> = (0..8).map(|_| program.allocate(SCENE - 8)).collect();
    blocks.iter().step_by(2).for_each(|&block| program.free(block));
    program.allocate(2 * SCENE - 8);
    let trace = program.packed()?;
    let mut moved = Vec::new();
    for (_, spec) in SYSTEMS {
        let (spec, mut region) = (resolve(spec)?, Region::for_trace(&trace)?);
        let mut play = |bytes, options| replay_movable(&spec, &trace, &mut region, Bytes(bytes), options);
        let only_the_last =
            |bytes: &u64| play(*bytes, MovableOptions::PINNED).is_ok_and(|found| found.until_refused == 8);
        let Some(bytes) = (SCENE..64 * SCENE).step_by(8).find(only_the_last) else { continue };
        let found = play(bytes, MovableOptions::MOVING)?;
        moved.extend((found.failed == 0).then(|| found.moved.iter().map(|one| one.moved.0).sum::<u64>()));
    }
    Ok(moved)
}

/// The recorded programs, in heaps of decreasing size.
fn recorded(setting: &mut Setting<'_>, replays: &mut Replays) -> Result<(), ExperimentError> {
    for (number, program) in INPUTS.into_iter().enumerate() {
        setting.step(INPUTS.len() + number, 2 * INPUTS.len(), program.name)?;
        let trace = Collection::Occasional.trace(setting, program.beginning(BEGINNING))?;
        for system in SYSTEMS {
            let spec = resolve(system.1)?;
            let pinned = smallest(&spec, &trace, MovableOptions::PINNED)?;
            let moving = smallest(&spec, &trace, MovableOptions::MOVING)?;
            replays.smallest.push((format!("{}, {}", program.name, system.0), pinned, moving));
            for share in SHARES {
                let heap = ((pinned as f64 * share) as u64).next_multiple_of(8);
                replays.add(program.name, "recorded", system, &trace, (heap, share))?;
            }
        }
    }
    Ok(())
}

/// The smallest region in which no request is refused, to a five-hundredth.
fn smallest(spec: &Spec, trace: &PackedTrace, options: MovableOptions) -> Result<u64, ExperimentError> {
    let mut region = Region::for_trace(trace)?;
    let mut min = replay(spec, trace, &mut region, ReplayOptions::MEASURE)?.requested_peak.0;
    let mut max = region.size().0;
    while max - min > max / 500 {
        let middle = (min + max) / 2;
        match replay_movable(spec, trace, &mut region, Bytes(middle), options) {
            Ok(measures) if measures.failed == 0 => max = middle,
            _ => min = middle,
        }
    }
    Ok(max)
}

impl Replays {
    fn add(
        &mut self,
        load: &str,
        kind: &'static str,
        (system, spec): (&'static str, &str),
        trace: &PackedTrace,
        (heap, share): (u64, f64),
    ) -> Result<(), ExperimentError> {
        let (spec, mut region) = (resolve(spec)?, Region::new(Bytes(heap))?);
        let mut play = |options| replay_movable(&spec, trace, &mut region, Bytes(heap), options);
        let (pinned, with) = (play(MovableOptions::PINNED)?, play(MovableOptions::MOVING)?);
        let scattered = play(SCATTERED)?;
        let MovableMeasures { moved, .. } = with;
        let mean = |of: fn(&MovedFor) -> u64| moved.iter().map(of).sum::<u64>() as f64 / moved.len().max(1) as f64;
        self.rows.push(Row {
            load: load.to_owned(),
            kind,
            system,
            heap,
            share,
            requests: with.requests,
            until_refused_pinned: pinned.until_refused,
            until_refused: with.until_refused,
            refused_pinned: pinned.failed,
            refused: with.failed,
            refused_with_room_pinned: pinned.failed_with_room,
            refused_with_room: with.failed_with_room,
            refused_with_room_scattered: scattered.failed_with_room,
            requests_that_moved: moved.len() as u64,
            moved_mean: mean(|one| one.moved.0),
            max_moved: moved.iter().map(|one| one.moved.0).max().unwrap_or(0),
            bound_reached: moved.iter().map(|one| one.moved.0 as f64 / one.bound.0 as f64).fold(0.0, f64::max),
            compaction_mean: mean(|one| one.compaction.0),
        });
        self.moved.extend(moved);
        Ok(())
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.kind == kind)
    }
}

fn outcome(replays: &Replays) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&replays.rows)?;
    served(&mut outcome, replays);
    moved(&mut outcome, replays);
    grows(&mut outcome, replays);
    ours(&mut outcome, replays);
    outcome.tables.push(shown(replays));
    draw(&mut outcome, &replays.moved);
    Ok(outcome)
}

/// Which requests are served, without moving and with it.
fn served(outcome: &mut Outcome, replays: &Replays) {
    let sum = |of: fn(&Row) -> u64, system: &str| {
        replays.of_kind("generated").filter(|row| row.system == system).map(of).sum::<u64>()
    };
    let pinned = SYSTEMS.map(|(system, _)| sum(|row| row.refused_with_room_pinned, system));
    let moving = SYSTEMS.map(|(system, _)| sum(|row| row.refused_with_room, system));
    let scattered = SYSTEMS.map(|(system, _)| sum(|row| row.refused_with_room_scattered, system));
    let requests = SYSTEMS.map(|(system, _)| sum(|row| row.requests, system));
    let words = |of: [u64; 2]| format!("{} and {}", thousands(of[0]), thousands(of[1]));
    outcome.state(
        "002:room-but-no-block",
        format!(
            "without moving {} of {} requests are refused with as many bytes free (Knuth's and estranged)",
            words(pinned),
            thousands(requests[0])
        ),
        pinned[0] > 0 && pinned[1] > 0,
    );
    outcome.state(
        "002:moving-serves-requests",
        format!(
            "{} of {} requests with as many bytes free are refused; {} where words of handles lie between blocks",
            words(moving),
            thousands(requests[0]),
            words(scattered)
        ),
        moving == [0, 0],
    );
    outcome.state(
        "002:moving-suits-both-systems",
        format!(
            "of {} requests that Knuth's and the estranged system refuse with room, moving serves all but {}",
            words(pinned),
            words(moving)
        ),
        moving == [0, 0] && pinned[0] > 0 && pinned[1] > 0,
    );
    outcome.state(
        "002:any-allocator-fragments",
        format!(
            "with 70% of the heap live {} of {} runs of heaps that move nothing refuse requests",
            replays.plagued.0, replays.plagued.1
        ),
        replays.plagued.0 == replays.plagued.1,
    );
    let total: u64 = moving.iter().sum();
    let first = |of: fn(&Row) -> u64| {
        let mut all: Vec<u64> = replays.of_kind("generated").map(of).collect();
        all.sort_unstable();
        all[all.len() / 2]
    };
    outcome.found = format!(
        "The median load is served up to request {} without moving, and up to {} with it, of {}; {} requests are refused \
         with as many bytes free as their block has, in place of {}.",
        thousands(first(|row| row.until_refused_pinned)),
        thousands(first(|row| row.until_refused)),
        thousands(first(|row| row.requests)),
        thousands(total),
        thousands(pinned.iter().sum::<u64>())
    );
}

/// What moves for a request.
fn moved(outcome: &mut Outcome, replays: &Replays) {
    let (moved, count) = (&replays.moved, thousands(replays.moved.len() as u64));
    let number = |of: fn(&&MovedFor) -> bool| moved.iter().filter(of).count();
    let all = |some: usize| some == moved.len() && some > 0;
    let within = number(|one| one.moved <= one.bound);
    let reached = replays.rows.iter().map(|row| row.bound_reached).fold(0.0, f64::max);
    outcome.state(
        "002:moves-are-bounded",
        format!(
            "within the bound in {} of {count} requests; {} of it at most",
            thousands(within as u64),
            percent(reached)
        ),
        all(within),
    );
    let less = number(|one| one.moved < one.compaction);
    let own = number(|one| one.moved < one.block);
    let total = |of: fn(&MovedFor) -> u64| moved.iter().map(of).sum::<u64>() as f64;
    let share = total(|one| one.moved.0) / total(|one| one.compaction.0).max(1.0);
    outcome.state(
        "002:moves-just-enough",
        format!(
            "less than a compaction in {} of {count} requests, {} of its bytes in all; less than the block that was asked \
             for in {}",
            thousands(less as u64),
            percent(share),
            thousands(own as u64)
        ),
        Answer::of_readings([share < 1.0 && !moved.is_empty(), all(less)]),
    );
    let bytes = listed(&replays.scene.iter().map(u64::to_string).collect::<Vec<_>>());
    outcome.state(
        "002:figure-6",
        format!("{bytes} bytes are moved for a block of {}", 2 * SCENE),
        replays.scene == [SCENE; 2],
    );
    let smaller = number(|one| one.largest_free < one.block);
    outcome.state(
        "002:what-is-free-is-smaller",
        format!("in {} of {count} requests that made blocks move", thousands(smaller as u64)),
        all(smaller),
    );
}

/// What grows with the heap.
fn grows(outcome: &mut Outcome, replays: &Replays) {
    let of = |heap: u64, value: fn(&Row) -> f64| {
        let own = replays.of_kind("generated").filter(|row| {
            row.heap == heap
                && row.share == LIVE[2]
                && row.load == Shape::Drifting.name()
                && row.requests_that_moved > 0
        });
        let all: Vec<f64> = own.map(value).collect();
        all.iter().fold(0.0, |sum, value| sum + value) / all.len().max(1) as f64
    };
    let words = |value: fn(&Row) -> f64| listed(&HEAPS.map(|heap| digits(of(heap, value))));
    let (small, large) = (HEAPS[0], HEAPS[HEAPS.len() - 1]);
    let factor = |value: fn(&Row) -> f64| of(large, value) / of(small, value).max(1.0);
    let (compaction, moved) = (factor(|row| row.compaction_mean), factor(|row| row.moved_mean));
    outcome.state(
        "002:compaction-grows-with-the-heap",
        format!(
            "in heaps of 16 KB to 1 MB a compaction moves {} bytes ({} times), one request {} ({} times)",
            words(|row| row.compaction_mean),
            digits(compaction),
            words(|row| row.moved_mean),
            digits(moved)
        ),
        compaction > 16.0 && moved < 4.0,
    );
}

/// What this project asks: memory, and refusals.
fn ours(outcome: &mut Outcome, replays: &Replays) {
    let smaller: Vec<String> = replays
        .smallest
        .iter()
        .filter(|(_, pinned, moving)| moving < pinned)
        .map(|(name, pinned, moving)| format!("{name} ({} less)", percent(1.0 - *moving as f64 / *pinned as f64)))
        .collect();
    let all = replays.smallest.len();
    let list = if smaller.is_empty() { String::new() } else { format!(": {}", listed(&smaller)) };
    outcome.state(
        "002:moving-saves-memory",
        format!("smaller for {} of {all} programs and systems{list}", smaller.len()),
        smaller.len() == all,
    );
    let later = replays.rows.iter().filter(|row| row.until_refused >= row.until_refused_pinned).count();
    outcome.state(
        "002:first-refusal-comes-no-earlier",
        format!("in {later} of {} runs", replays.rows.len()),
        later == replays.rows.len(),
    );
    let more: Vec<&Row> = replays.rows.iter().filter(|row| row.refused > row.refused_pinned).collect();
    let short = more.iter().filter(|row| row.refused_with_room == 0).count();
    outcome.state(
        "002:refusals-do-not-rise",
        format!(
            "they rise in {} of {} runs; in {short} of these no request is refused with as many bytes free",
            more.len(),
            replays.rows.len()
        ),
        more.is_empty(),
    );
}

fn shown(replays: &Replays) -> Shown {
    let mut shown = Shown::new(
        "Every load and heap; with room: as many bytes were free as the block has",
        [
            "load",
            "system",
            "heap, bytes",
            "live, or of the smallest",
            "requests",
            "served until a refusal, pinned",
            "moving",
            "refused, pinned",
            "moving",
            "with room, pinned",
            "moving",
            "handles between blocks",
            "moved for",
            "bytes, mean",
            "max",
            "of the bound",
            "compaction, mean",
        ],
    );
    for row in &replays.rows {
        shown.row([
            row.load.as_str().into(),
            row.system.into(),
            row.heap.into(),
            Value::Share(row.share),
            row.requests.into(),
            row.until_refused_pinned.into(),
            row.until_refused.into(),
            row.refused_pinned.into(),
            row.refused.into(),
            row.refused_with_room_pinned.into(),
            row.refused_with_room.into(),
            row.refused_with_room_scattered.into(),
            row.requests_that_moved.into(),
            row.moved_mean.into(),
            row.max_moved.into(),
            Value::Share(row.bound_reached),
            row.compaction_mean.into(),
        ]);
    }
    shown
}

/// Max requests that are drawn.
const DOTS: usize = 2000;

fn draw(outcome: &mut Outcome, moved: &[MovedFor]) {
    let dots = || moved.iter().step_by(moved.len().div_ceil(DOTS).max(1));
    let of = |value: fn(&MovedFor) -> u64| dots().map(move |one| (one.compaction.0.max(1) as f64, value(one) as f64));
    let max = dots().map(|one| one.compaction.0 as f64).fold(16.0, f64::max);
    let chart = Chart {
        title: "Bytes moved for one request".into(),
        x: Axis::logarithmic("bytes that a compaction would move"),
        y: Axis::logarithmic("bytes moved"),
        series: vec![
            Series::new("bound", Mark::Cloud, of(|one| one.bound.0)),
            Series::new("moved", Mark::Cloud, of(|one| one.moved.0)),
            Series::new("a compaction", Mark::Broken, [(16.0, 16.0), (max, max)]),
        ],
    };
    outcome.draw(
        "",
        "Requests that moved blocks: what each moved and its bound, over what a compaction would have moved",
        chart.svg(),
    );
}
