//! `heapsmith replay`: measures named heaps and reference allocators on traces.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_peers::{PREFIX, Peer};
use heapsmith_replay::{
    AtPeak, ByRegion, Cost, Latencies, Measures, PeerMeasures, Region, ReplayOptions, Subject, TimingEffort, Timings,
    TouchedPages, at_peak, by_region, cost, in_min_region, latencies, replay, replay_peer, time,
};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace, plural};

use crate::args::{Format, Replay};
use crate::commands::{pages, plays};
use crate::console::{error, note};
use crate::failure::Failure;
use crate::heap::{self, By, Named};
use crate::{input, output, progress, shipped};

mod lives;
mod moments;
mod passes;
mod perfetto;
mod regions;
mod rows;
mod threaded;

pub fn run(mut arguments: Replay) -> Result<(), Failure> {
    arguments.heap.iter_mut().try_for_each(picked)?;
    let arguments = &arguments;
    if arguments.threaded.is_some() {
        return if arguments.time { plays::replay(arguments) } else { threaded::replay(arguments) };
    }
    match arguments.heap.iter().filter(|named| plays::is_played(named)).count() {
        0 if arguments.pace.is_some() => {
            return Err(Failure::wrong_use("--pace is of plays: add --threaded, or name an allocator with knobs"));
        }
        0 => {}
        all if all == arguments.heap.len() => return plays::replay(arguments),
        _ => return Err(Failure::wrong_use("allocators with knobs are played, others are replayed: name them apart")),
    }
    let subjects = subjects(&arguments.heap)?;
    if arguments.map.is_some() || arguments.perfetto.is_some() {
        let heaps: Vec<&Spec> = subjects.iter().filter_map(Subject::spec).collect();
        if heaps.len() < subjects.len() {
            return Err(Failure::wrong_use("--map and --perfetto cannot look into reference allocators"));
        }
        return lives::write(arguments, &heaps);
    }
    if arguments.over_time.is_some() || arguments.passes.is_some() {
        return over_time(arguments, &subjects);
    }
    if arguments.compiled && !(arguments.time || arguments.latency) {
        return Err(Failure::wrong_use("--compiled is of --time and --latency: add one of them"));
    }
    let timed = match arguments.compiled {
        // Nobody sets it: an interrupt ends a replay at once.
        true => shipped::subjects(subjects.clone(), &AtomicBool::new(false)),
        false => subjects.clone(),
    };
    let job = Job { arguments, subjects: &subjects, timed: &timed };
    job.warn();
    let mut results = Vec::new();
    for path in &arguments.traces {
        let trace = input::stream_packed(path, &arguments.reading)?;
        input::announce(&trace);
        results.extend(job.measure_all(&trace)?);
    }
    rows::table(arguments, &results).print(arguments.format)?;
    if arguments.format == Format::Table {
        rows::explain(arguments, &results)?;
    }
    let refused: Vec<String> = results.iter().filter_map(Measured::refused).collect();
    match refused.first() {
        Some(first) if arguments.verify => Err(Failure::job(first)),
        _ => {
            refused.iter().for_each(|refused| error!("heapsmith: {refused}"));
            Ok(())
        }
    }
}

/// Puts its pick in the place of a folder that was explored.
fn picked(named: &mut String) -> Result<(), Failure> {
    if Path::new(named).is_dir() {
        let Named { spec, by } = heap::named(OsStr::new(named), None)?;
        if matches!(by, By::Exploration { .. }) {
            *named = spec.to_string();
        }
    }
    Ok(())
}

/// Looks at heaps along their traces, in place of measuring them as a whole.
fn over_time(arguments: &Replay, subjects: &[Subject]) -> Result<(), Failure> {
    let names = arguments.heap.iter().filter(|name| !name.starts_with(PREFIX));
    let heaps: Vec<(&String, &Spec)> = names.zip(subjects.iter().filter_map(Subject::spec)).collect();
    if heaps.len() < subjects.len() {
        note!("--over-time and --loop skip reference allocators: they cannot be inspected");
    }
    // Before a trace is read: what will not be written is said at once.
    let page = arguments.html.as_deref().map(|out| output::beside_text(out, &arguments.traces)).transpose()?;
    let (mut moments, mut drifts, mut watched) = (moments::table(), passes::table(), Vec::new());
    for path in &arguments.traces {
        let trace = input::stream_packed(path, &arguments.reading)?;
        input::announce(&trace);
        let mut own = Vec::new();
        for (name, spec) in &heaps {
            let spinner = progress::spinner(&format!("{} on {spec}", trace.name));
            if let Some(count) = arguments.over_time {
                let heap = moments::watch(name, spec, &trace, arguments.region.map(Bytes), count as usize)?;
                moments::add(&mut moments, &trace, &heap);
                own.push(heap);
            }
            if let Some(count) = arguments.passes {
                passes::add(&mut drifts, spec, &trace, arguments, count as usize)?;
            }
            spinner.finish_and_clear();
        }
        watched.push((trace.name.clone(), own));
    }
    if let Some(page) = page {
        output::put(page, heapsmith_report::over_time(&watched))?;
    }
    if arguments.over_time.is_some() {
        moments.print(arguments.format)?;
        moments::explain(arguments);
    }
    if arguments.passes.is_some() {
        drifts.print(arguments.format)?;
        passes::explain(arguments);
    }
    Ok(())
}

/// The heaps as they were named; `peer:all` is every peer of this build.
fn subjects(named: &[String]) -> Result<Vec<Subject>, Failure> {
    let mut subjects = Vec::new();
    for text in named {
        if text.strip_prefix(PREFIX) == Some("all") {
            subjects.extend(Peer::built().map(Subject::Peer));
        } else {
            subjects.push(text.parse()?);
        }
    }
    Ok(subjects)
}

/// What was measured of one heap on one trace.
struct Measured {
    subject: Subject,
    /// Whether it was timed as C, emitted and compiled.
    is_compiled: bool,
    trace: String,
    requested_peak: Bytes,
    counted: Counted,
    timing: Option<Timings>,
    latency: Option<Latencies>,
    pages: Option<TouchedPages>,
    /// Events that were replayed, where not all were.
    cut_short: Option<usize>,
}

/// What can be counted: everything of our heaps, little of a peer.
enum Counted {
    Heap {
        measures: Box<Measures>,
        at_peak: AtPeak,
        smallest: Option<(Bytes, Box<Measures>)>,
        cost: Option<Cost>,
        by_region: Option<ByRegion>,
    },
    Peer(PeerMeasures),
}

impl Measured {
    fn refused(&self) -> Option<String> {
        let failed = match &self.counted {
            Counted::Heap { measures, .. } => measures.failed,
            Counted::Peer(measures) => measures.failed,
        };
        (failed > 0)
            .then(|| format!("{} refused {} of {}", self.subject, plural(failed, "request", "requests"), self.trace))
    }
}

struct Job<'a> {
    arguments: &'a Replay,
    subjects: &'a [Subject],
    /// The same as they are timed.
    timed: &'a [Subject],
}

impl Job<'_> {
    /// Says what does not bind a peer.
    fn warn(&self) {
        let peers: Vec<Peer> = self.subjects.iter().filter_map(Subject::peer).collect();
        let own = peers.iter().filter(|peer| peer.entry().of_the_process).map(Peer::to_string).collect::<Vec<_>>();
        if self.arguments.region.is_some() && !own.is_empty() {
            note!("--region does not bind {}: they allocate from the system", own.join(", "));
        }
        if !peers.is_empty() && (self.arguments.min_region || self.arguments.check.is_some()) {
            note!("--min-region and --check skip reference allocators: they cannot be inspected");
        }
    }

    fn effort(&self) -> TimingEffort {
        let rounds = TimingEffort::rounds(self.arguments.rounds.into()).repeated();
        TimingEffort { linear_events: self.arguments.linear_events, ..rounds }
    }

    fn measure_all(&self, trace: &PackedTrace) -> Result<Vec<Measured>, Failure> {
        let timings = self.timings(trace)?;
        let latencies = self.latencies(trace)?;
        let mut region = Region::for_trace(trace)?;
        let with_pages = self.arguments.pages || self.subjects.iter().any(|subject| subject.peer().is_some());
        let each = self.subjects.iter().enumerate().map(|(number, subject)| {
            let spinner = progress::spinner(&format!("{} on {subject}", trace.name));
            let events = self.effort().events(subject, trace);
            let counted = match subject {
                Subject::Peer(peer) => Counted::Peer(replay_peer(*peer, trace, &mut region, self.options(), events)?),
                Subject::Heap(spec) | Subject::Compiled(spec, _) => self.count(spec, trace, &mut region)?,
                Subject::Nothing => Counted::Peer(PeerMeasures::default()),
            };
            let pages = if with_pages { pages_of(subject, trace, events)? } else { None };
            spinner.finish_and_clear();
            Ok(Measured {
                subject: subject.clone(),
                is_compiled: matches!(self.timed[number], Subject::Compiled(..)),
                trace: trace.name.clone(),
                requested_peak: trace.requested_peak,
                counted,
                timing: timings.as_ref().map(|timings| Timings {
                    subjects: vec![timings.subjects[number].clone()],
                    null_allocator: timings.null_allocator.clone(),
                }),
                latency: latencies.as_ref().map(|all| Latencies { subjects: vec![all.subjects[number]], ..*all }),
                pages,
                cut_short: (events < trace.events.len()).then_some(events),
            })
        });
        each.collect()
    }

    fn options(&self) -> ReplayOptions {
        ReplayOptions {
            region: self.arguments.region.map(Bytes),
            verify: self.arguments.verify,
            check_every: self.arguments.check,
            stop_when_refused: false,
        }
    }

    fn count(&self, spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Counted, Failure> {
        let measures = replay(spec, trace, region, self.options())?;
        let at_peak = at_peak(spec, trace, region, &measures)?;
        let wanted = self.arguments.min_region;
        let smallest = wanted.then(|| in_min_region(spec, trace, region)).transpose()?.flatten();
        let smallest = smallest.map(|(bytes, there)| (bytes, Box::new(there)));
        let cost = self.arguments.cost.then(|| cost(spec, trace, region)).transpose()?;
        let by_region = by_region(spec, trace, region)?;
        Ok(Counted::Heap { measures: Box::new(measures), at_peak, smallest, cost, by_region })
    }

    fn timings(&self, trace: &PackedTrace) -> Result<Option<Timings>, Failure> {
        if !self.arguments.time {
            return Ok(None);
        }
        let spinner = progress::spinner(&format!("timing {} rounds of {}", self.arguments.rounds, trace.name));
        let timings = time(self.timed, trace, &mut Region::for_timing(trace)?, self.effort())?;
        spinner.finish_and_clear();
        Ok(Some(timings))
    }

    fn latencies(&self, trace: &PackedTrace) -> Result<Option<Latencies>, Failure> {
        if !self.arguments.latency {
            return Ok(None);
        }
        let spinner = progress::spinner(&format!("timing single operations of {}", trace.name));
        let latencies = latencies(self.timed, trace, &mut Region::for_timing(trace)?, self.effort())?;
        spinner.finish_and_clear();
        Ok(Some(latencies))
    }
}

/// The memory by pages; none, with a note, if the system does not report it.
fn pages_of(subject: &Subject, trace: &PackedTrace, events: usize) -> Result<Option<TouchedPages>, Failure> {
    match pages::measure(subject, trace, events) {
        Ok(pages) => Ok(Some(pages)),
        Err(failure) if failure.code() == Failure::ENVIRONMENT => {
            error!("heapsmith: {}", failure.message());
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}
