//! The replay loop.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::{with_dyn_heap, with_heap};
use heapsmith_spec::Spec;
use heapsmith_spec::build::Job;
use heapsmith_trace::{Bytes, Gap, Nanoseconds, Operation, PackedEvent, PackedTrace};

use crate::error::{Fault, ReplayError};
use crate::live::{Live, LiveTable};
use crate::measures::{ACCESS_TIME, Measures};
use crate::region::Region;
use crate::tally::Tally;

/// What to do besides measuring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayOptions {
    /// Bytes of the region; by default all that was reserved.
    pub region: Option<Bytes>,
    /// Fill every payload with a pattern, and verify it when it is freed or moved.
    pub verify: bool,
    /// Verify every invariant of the heap after every N operations.
    pub check_every: Option<u64>,
    /// Stop at the first request that is refused.
    pub stop_when_refused: bool,
}

impl ReplayOptions {
    /// Measure, and nothing else.
    pub const MEASURE: ReplayOptions =
        ReplayOptions { region: None, verify: false, check_every: None, stop_when_refused: false };
    /// Measure and verify payloads.
    pub const VERIFY: ReplayOptions = ReplayOptions { verify: true, ..ReplayOptions::MEASURE };
}

/// Replays `trace` through the heap of `spec` and measures it.
pub fn replay(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    options: ReplayOptions,
) -> Result<Measures, ReplayError> {
    let source = region.source_for(spec, options.region.unwrap_or(Bytes(u64::MAX)))?;
    let outcome = if options.verify || options.check_every.is_some() {
        with_dyn_heap(spec, source, |heap| verify(heap, trace, &options))?
    } else {
        Ok(with_heap(spec, source, Measured { trace, options, watch: None })?)
    };
    outcome.map_err(|(event, fault)| ReplayError::Fault { event, fault, heap: spec.to_string() })
}

/// Replays and measures as [`replay`] does, for as long as `goes_on` says. It is asked some times in a
/// replay, with what is certain by then: the measures that would come out if nothing that follows took
/// any memory or access. No measure of the whole trace is less. Returns none when it was stopped.
pub fn replay_while(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    goes_on: &mut dyn FnMut(&Measures) -> bool,
) -> Result<Option<Measures>, ReplayError> {
    let (mut stopped, options) = (false, ReplayOptions::MEASURE);
    let mut watch = |lower_bound: &Measures| {
        stopped = !goes_on(lower_bound);
        !stopped
    };
    let job = Measured { trace, options, watch: Some(&mut watch) };
    let measures = with_heap(spec, region.source_for(spec, Bytes(u64::MAX))?, job)?;
    Ok((!stopped).then_some(measures))
}

/// A replay checks whether to continue after this share of the events.
const PARTS: usize = 16;

/// Or after this many accesses, if that is sooner: an event may search thousands of blocks.
const WORK: u64 = 1 << 24;

/// Measures: the one loop that is compiled for every structure of heap.
struct Measured<'t> {
    trace: &'t PackedTrace,
    options: ReplayOptions,
    /// Asked after every part of the trace.
    watch: Option<&'t mut dyn FnMut(&Measures) -> bool>,
}

impl Job<'_, Counting> for Measured<'_> {
    type Output = Measures;

    fn run<H: Heap<Meter = Counting>>(mut self, mut heap: H) -> Measures {
        let mut replay = Loop::new(self.trace, heap.meter());
        let events = &self.trace.events;
        let (part, work) = match self.watch {
            Some(_) => (events.len().div_ceil(PARTS), WORK),
            None => (usize::MAX, u64::MAX),
        };
        let (mut pause, mut busy) = (part, work);
        for (index, event) in events.iter().enumerate() {
            replay.step(&mut heap, event, index);
            replay.tally(&heap, event.gap);
            if self.options.stop_when_refused && replay.measures.failed > 0 {
                break;
            }
            let accesses = replay.before.accesses;
            if index + 1 == pause || accesses >= busy {
                (pause, busy) = (index + 1 + part, accesses + work);
                if self.watch.as_mut().is_some_and(|goes_on| !goes_on(&replay.lower_bound(&heap, events.len()))) {
                    break;
                }
            }
        }
        replay.finish(&heap)
    }
}

/// Measures and verifies. Its loop is compiled once, over any heap.
fn verify(
    heap: &mut dyn Heap<Meter = Counting>,
    trace: &PackedTrace,
    options: &ReplayOptions,
) -> Result<Measures, (u64, Fault)> {
    let mut replay = Loop::new(trace, heap.meter());
    for (index, event) in trace.events.iter().enumerate() {
        replay.verified(heap, event, index, options).map_err(|fault| (index as u64 + 1, fault))?;
        replay.tally(heap, event.gap);
        if options.stop_when_refused && replay.measures.failed > 0 {
            break;
        }
    }
    Ok(replay.finish(heap))
}

/// The state of a replay.
struct Loop {
    live: LiveTable,
    requested: u64,
    blocks: u64,
    measures: Measures,
    accesses: Tally,
    visits: Tally,
    /// What was held after every event.
    by_events: Held,
    /// What was held at all times.
    by_time: Held,
    /// From the first operation to the last, in nanoseconds: the trace's gaps and the heap's accesses.
    time: u128,
    /// The footprint after the last operation; none before the first.
    footprint: u64,
    /// The bytes requested and live after the last operation.
    live_before: u64,
    /// The meter after the last operation.
    before: Counting,
    /// Of the trace; zero where it has no times.
    duration: Nanoseconds,
}

/// Sums of what a heap held, each state as often as its weight says.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    /// Bytes of the footprint.
    footprint: u128,
    /// Bytes of it that are requested and live.
    live: u128,
}

impl Held {
    #[inline(always)]
    fn add(&mut self, footprint: u64, live: u64, weight: u64) {
        self.footprint += u128::from(footprint) * u128::from(weight);
        self.live += u128::from(live) * u128::from(weight);
    }

    /// The means of the footprint and of what of it is not live, over states of this weight in all.
    fn means(&self, weight: u128) -> (Bytes, Bytes) {
        let mean = |sum: u128| Bytes((sum / weight.max(1)) as u64);
        (mean(self.footprint), mean(self.footprint - self.live))
    }
}

impl Loop {
    fn new(trace: &PackedTrace, meter: &Counting) -> Self {
        let measures = Measures { requested_peak: trace.requested_peak, ..Measures::default() };
        let (live, accesses, visits) = (LiveTable::new(trace.slots), Tally::new(), Tally::new());
        let (by_events, by_time) = (Held::default(), Held::default());
        let (before, duration) = (*meter, trace.duration);
        Loop {
            live,
            requested: 0,
            blocks: 0,
            measures,
            accesses,
            visits,
            by_events,
            by_time,
            time: 0,
            footprint: 0,
            live_before: 0,
            before,
            duration,
        }
    }

    /// Counts what the last operation cost, what the heap held until it was done, and holds after it.
    #[inline(always)]
    fn tally<H: Heap<Meter = Counting> + ?Sized>(&mut self, heap: &H, gap: Gap) {
        let meter = heap.meter();
        let accesses = meter.accesses - self.before.accesses;
        self.accesses.add(accesses);
        let time = gap.nanoseconds() + ACCESS_TIME.0 * accesses;
        self.time += u128::from(time);
        self.by_time.add(self.footprint, self.live_before, time);
        self.visits.add(meter.visits - self.before.visits);
        (self.before.accesses, self.before.visits) = (meter.accesses, meter.visits);
        (self.footprint, self.live_before) = (heap.footprint() as u64, self.requested);
        self.by_events.add(self.footprint, self.requested, 1);
    }

    #[inline(always)]
    fn step<H: Heap + ?Sized>(&mut self, heap: &mut H, event: &PackedEvent, index: usize) {
        self.measures.operations += 1;
        match event.operation {
            Operation::Allocate => match self.live.allocate(heap, event.slot, event.size, event.alignment()) {
                Some(live) => {
                    self.add(live);
                    self.note_peak(heap, index);
                }
                None => self.measures.failed += 1,
            },
            Operation::Free => {
                if let Some(live) = self.live.free(heap, event.slot) {
                    self.subtract(live);
                }
            }
            Operation::Reallocate => match self.live.reallocate(heap, event.slot, event.size) {
                Ok(Some((old, new))) => {
                    self.subtract(old);
                    self.add(new);
                    self.note_peak(heap, index);
                }
                Ok(None) => {}
                Err(()) => self.measures.failed += 1,
            },
        }
    }

    #[inline(always)]
    fn add(&mut self, live: Live) {
        self.requested += live.requested;
        self.blocks += live.block;
    }

    #[inline(always)]
    fn subtract(&mut self, live: Live) {
        self.requested -= live.requested;
        self.blocks -= live.block;
    }

    #[inline(always)]
    fn note_peak<H: Heap + ?Sized>(&mut self, heap: &H, index: usize) {
        if self.requested > self.measures.requested_at_peak.0 {
            self.measures.peak_event = index as u64;
            self.measures.requested_at_peak = Bytes(self.requested);
            self.measures.blocks_at_peak = Bytes(self.blocks);
            self.measures.footprint_at_peak = Bytes(heap.footprint() as u64);
        }
    }

    /// A step with payloads filled and verified, and the heap checked.
    fn verified<H: Heap + ?Sized>(
        &mut self,
        heap: &mut H,
        event: &PackedEvent,
        index: usize,
        options: &ReplayOptions,
    ) -> Result<(), Fault> {
        let before = self.live.get(event.slot);
        if options.verify && event.operation != Operation::Allocate {
            self.intact(heap, event.slot, u64::MAX)?;
        }
        self.step(heap, event, index);
        if options.verify
            && let Some(live) = self.live.get(event.slot)
        {
            if !LiveTable::is_aligned(live, event.alignment()) {
                let offset = self.live.offset(heap, live);
                return Err(Fault::Misaligned { offset, alignment: event.alignment() });
            }
            if event.operation == Operation::Reallocate {
                self.intact(heap, event.slot, before.map_or(0, |old| old.requested))?;
            }
            self.live.fill(event.slot, index as u64);
        }
        if options.check_every.is_some_and(|every| (index as u64 + 1).is_multiple_of(every.max(1))) {
            heap.check()?;
        }
        Ok(())
    }

    /// Verifies the first `max` bytes of the payload of a slot.
    fn intact<H: Heap + ?Sized>(&self, heap: &H, slot: u32, max: u64) -> Result<(), Fault> {
        let Some(live) = self.live.get(slot) else { return Ok(()) };
        self.live.verify(slot, max.min(live.requested)).map_err(|damage| Fault::Damaged {
            offset: self.live.offset(heap, live),
            size: live.requested,
            byte: damage.byte,
        })
    }

    /// The measures of all `operations`, if those to come took nothing.
    #[cold]
    fn lower_bound<H: Heap<Meter = Counting> + ?Sized>(&self, heap: &H, operations: usize) -> Measures {
        let accesses = self.accesses.lower_bound(operations as u64);
        let footprint_peak = Bytes(heap.footprint_peak() as u64);
        let (footprint_mean, retained) = self.by_events.means(operations as u128);
        // Averages over time have none but zero: how long the operations to come take is up to the heap.
        let operations = operations as u64;
        Measures { operations, footprint_peak, footprint_mean, retained, accesses, ..self.measures.clone() }
    }

    fn finish<H: Heap<Meter = Counting> + ?Sized>(self, heap: &H) -> Measures {
        let [at_once, after_split, after_coalescing, by_growing, after_defragmentation] = heap.meter().served;
        let operations = u128::from(self.measures.operations);
        let (footprint_mean, retained) = self.by_events.means(operations);
        let (footprint_over_time, retained_over_time) = match self.duration {
            Nanoseconds(0) => (footprint_mean, retained),
            _ => self.by_time.means(self.time),
        };
        Measures {
            footprint_peak: Bytes(heap.footprint_peak() as u64),
            footprint_mean,
            retained,
            footprint_over_time,
            retained_over_time,
            accesses: self.accesses.summary(),
            visits: self.visits.summary(),
            at_once,
            after_split,
            after_coalescing,
            by_growing,
            after_defragmentation,
            ..self.measures
        }
    }
}
