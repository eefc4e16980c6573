//! The stream of the recorder for boards (`trace/heapsmith_trace.c`).
//!
//! ```text
//!   mark ─ up to 256 events ─ mark ─ up to 256 events ─ … ─ mark (end)
//!
//!   event  31                  0   31  28 27   24 23              0      two words of 32 bits, in the board's order
//!          ├─ address, or less ┤   ├ kind ┼ check ┼─ size, or 0 ──┤
//!   mark   "HEAP" "SMIT"   events sent   version, flags, check   ticks a second   events lost
//! ```
//!
//! The recorder's head has the kinds. The check makes the exclusive or of the 16 digits of an event zero, and that of the 16 bytes
//! of a mark behind its name.
//!
//! | the stream | is taken as |
//! |---|---|
//! | begins in the middle, as a serial port does | beginning with its first mark, which is said |
//! | ends within an event, as when a board is switched off | its whole events |
//! | says that the ring was full | what came through; the number that was lost is said |
//! | begins again with a mark of 0 events: the board was reset | a free of all that is live, then what follows |
//! | has an event with a wrong check, or another number of events than a mark says | damage |

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind};

use heapsmith_trace::{Nanoseconds, plural};

use crate::importer::{Format, Importer, KEEP_DAMAGED, Stop};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::Head;

pub(crate) const IMPORTER: Importer = Importer {
    name: "board",
    about: "the stream of heapsmith's recorder for boards",
    source: "this project, trace/heapsmith_trace.c",
    input: "a recording of a board (trace/heapsmith_trace.c)",
    parameters: &[KEEP_DAMAGED],
    begins: |head: &Head| head.bytes.windows(8).any(|bytes| Order::of(bytes).is_some()),
    format: Format::Binary(read),
};

/// The version of the stream that is read.
const VERSION: u32 = 1;
const NAME: [u32; 2] = [0x4845_4150, 0x534d_4954];
/// A size that does not fit into its 24 bits; it comes before the request.
const MAX_SIZE: u32 = 0xff_ffff;
/// Bytes of a mark behind its name.
const MARK: usize = 16;

/// The order of the bytes in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    /// The order in which these bytes are the name of a mark.
    fn of(bytes: &[u8]) -> Option<Order> {
        [Order::Little, Order::Big].into_iter().find(|order| order.words(bytes).is_some_and(|words| words == NAME))
    }

    fn words<const N: usize>(self, bytes: &[u8]) -> Option<[u32; N]> {
        let word = |at: usize| -> Option<u32> {
            let bytes = bytes.get(at * 4..at * 4 + 4)?.try_into().ok()?;
            Some(if self == Order::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
        };
        let mut words = [0; N];
        for (at, place) in words.iter_mut().enumerate() {
            *place = word(at)?;
        }
        Some(words)
    }
}

/// What a mark says.
struct Mark {
    events: u32,
    is_end: bool,
    ticks_per_second: u32,
    lost: u32,
}

impl Mark {
    fn of(words: [u32; 4]) -> Result<Mark, String> {
        let all = words.iter().fold(0, |all, word| all ^ word).to_le_bytes();
        if all.iter().fold(0, |all, byte| all ^ byte) != 0 {
            return Err("a mark whose check does not hold".to_owned());
        }
        let [events, about, ticks_per_second, lost] = words;
        match about >> 24 {
            VERSION => Ok(Mark { events, is_end: about >> 8 & 1 == 1, ticks_per_second, lost }),
            version => Err(format!("a stream of version {version}; this heapsmith reads {VERSION}")),
        }
    }
}

/// The bytes of a stream, which can be looked at before they are taken.
struct Bytes<'r> {
    reader: &'r mut dyn BufRead,
    ahead: VecDeque<u8>,
}

impl Bytes<'_> {
    /// The next bytes, or all that are left where those are fewer.
    fn look(&mut self, count: usize) -> std::io::Result<&[u8]> {
        while self.ahead.len() < count {
            let read = match self.reader.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => {
                    let wanted = bytes.len().min(count - self.ahead.len());
                    self.ahead.extend(&bytes[..wanted]);
                    wanted
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.reader.consume(read);
        }
        let found = self.ahead.len().min(count);
        Ok(&self.ahead.make_contiguous()[..found])
    }

    fn skip(&mut self, count: usize) {
        self.ahead.drain(..count.min(self.ahead.len()));
    }

    /// Goes to the next mark; its order, and the bytes before it. None at the end.
    fn find_mark(&mut self) -> std::io::Result<(Option<Order>, u64)> {
        let mut skipped = 0;
        loop {
            let found = self.look(8)?;
            if found.len() < 8 {
                return Ok((None, skipped));
            }
            if let Some(order) = Order::of(found) {
                return Ok((Some(order), skipped));
            }
            self.skip(1);
            skipped += 1;
        }
    }
}

/// The state of a run of the board, and what belongs to the request that is being read.
#[derive(Default)]
struct Run {
    ticks_per_second: u32,
    /// Events that were sent, as the board counts them.
    events: u32,
    /// Events that were lost: as the last mark has it beyond the first, and as was said in their places.
    lost_before: u32,
    lost_by_marks: u32,
    lost_by_events: u64,
    ticks: Option<u32>,
    time: u64,
    high: u64,
    from: Option<u64>,
    size: Option<u64>,
    alignment: u64,
}

impl Run {
    fn begin(mark: &Mark) -> Run {
        // Where a stream begins with the board, all that was lost belongs to it.
        let lost_before = if mark.events == 0 { 0 } else { mark.lost };
        Run {
            ticks_per_second: mark.ticks_per_second,
            events: mark.events,
            lost_before,
            lost_by_marks: mark.lost - lost_before,
            ..Run::default()
        }
    }

    fn lost(&self) -> u64 {
        self.lost_by_events.max(u64::from(self.lost_by_marks))
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), String> {
        if mark.events != self.events {
            return Err(format!("the link lost bytes: the board sent {} events and {} came", mark.events, self.events));
        }
        self.lost_by_marks = mark.lost.wrapping_sub(self.lost_before);
        Ok(())
    }

    fn event(&mut self, [first, second]: [u32; 2], recording: &mut Recording<'_>) -> Taken {
        let all = first ^ second;
        let all = all ^ all >> 16;
        let all = all ^ all >> 8;
        if (all ^ all >> 4) & 0xf != 0 {
            return Err("an event whose check does not hold".into());
        }
        self.events = self.events.wrapping_add(1);
        let low = second & 0xff_ffff;
        let address = self.high << 32 | u64::from(first);
        match second >> 28 {
            1 | 4 => self.request(second >> 28 == 4, address, low, recording),
            2 => recording.free(address),
            3 => self.said(|run| run.from = Some(address)),
            5 => self.said(|run| run.size = Some(u64::from(low) << 32 | u64::from(first))),
            6 => self.said(|run| run.alignment = u64::from(first)),
            7 => self.said(|run| run.lost_by_events += u64::from(first)),
            8 => {
                self.pass(first);
                recording.time = Nanoseconds(self.time);
                Ok(())
            }
            9 => {
                recording.on_thread(u64::from(first));
                Ok(())
            }
            10 => {
                let name = if first == 0 { String::new() } else { format!("{first:#x}") };
                recording.at_site(&name);
                Ok(())
            }
            11 => self.said(|run| run.high = u64::from(first)),
            kind => Err(format!("an event of kind {kind}; known are 1 to 11").into()),
        }
    }

    fn said(&mut self, what: impl FnOnce(&mut Run)) -> Taken {
        what(self);
        Ok(())
    }

    fn request(&mut self, is_reallocation: bool, address: u64, low: u32, recording: &mut Recording<'_>) -> Taken {
        let size = match (low, self.size.take()) {
            (MAX_SIZE, Some(size)) => size,
            (MAX_SIZE, None) => return Err("a large request without its size".into()),
            (_, Some(_)) => return Err("a size that belongs to no large request".into()),
            (low, None) => u64::from(low),
        };
        let alignment = std::mem::take(&mut self.alignment);
        // The high half is that of the last block, and a refused request has none.
        let address = if address as u32 == 0 { 0 } else { address };
        match (is_reallocation, self.from.take()) {
            (true, Some(from)) => recording.reallocate(from, address, size),
            (true, None) => Err("a reallocation without its old address".into()),
            (false, Some(_)) => Err("an old address that belongs to no reallocation".into()),
            (false, None) if address == 0 => {
                recording.failed();
                Ok(())
            }
            (false, None) => recording.allocate(address, size, alignment),
        }
    }

    /// The clock of the board is at `ticks`, of which 32 bits are there.
    fn pass(&mut self, ticks: u32) {
        let passed = ticks.wrapping_sub(*self.ticks.get_or_insert(ticks));
        self.ticks = Some(ticks);
        if self.ticks_per_second > 0 {
            let nanoseconds = u128::from(passed) * 1_000_000_000 / u128::from(self.ticks_per_second);
            self.time = self.time.saturating_add(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        }
    }
}

fn read(reader: &mut dyn BufRead, recording: &mut Recording<'_>) -> Result<(), (u64, Stop)> {
    // Before it says another, the recorder is in task 0.
    recording.on_thread(0);
    let mut stream = Stream { bytes: Bytes { reader, ahead: VecDeque::new() }, records: 0, lost: 0 };
    let outcome = stream.read(recording);
    if stream.lost > 0 {
        recording.remark(format!(
            "{} requests were lost on the board, where the ring was full: drain it more often, or set HEAPSMITH_TRACE_EVENTS higher",
            stream.lost
        ));
    }
    outcome.map_err(|stop| (stream.records, stop))
}

struct Stream<'r> {
    bytes: Bytes<'r>,
    /// Events and marks that were read.
    records: u64,
    /// Events that were lost on the board in all runs.
    lost: u64,
}

impl Stream<'_> {
    fn read(&mut self, recording: &mut Recording<'_>) -> Result<(), Stop> {
        let (order, skipped) = self.bytes.find_mark().map_err(Stop::Read)?;
        let order = order.ok_or_else(|| damaged("no mark of the recorder"))?;
        let Some(mark) = self.mark(order)? else { return Ok(()) };
        if skipped > 0 || mark.events > 0 {
            recording.remark(format!(
                "the recording was under way: {} before the first mark, left out",
                [plural(mark.events.into(), "event", "events"), plural(skipped, "byte", "bytes")].join(", ")
            ));
        }
        let mut run = Run::begin(&mark);
        let outcome = self.runs(order, &mut run, recording);
        self.lost += run.lost();
        outcome
    }

    fn runs(&mut self, order: Order, run: &mut Run, recording: &mut Recording<'_>) -> Result<(), Stop> {
        while !recording.is_full() {
            let found = self.bytes.look(8).map_err(Stop::Read)?;
            let Some(words) = order.words(found) else {
                if !found.is_empty() {
                    recording.remark("the stream ends within an event".to_owned());
                }
                break;
            };
            if words == NAME {
                let Some(mark) = self.mark(order)? else { break };
                self.go_on(&mark, run, recording)?;
                if mark.is_end {
                    break;
                }
            } else {
                self.records += 1;
                match run.event(words, recording) {
                    Ok(()) => self.bytes.skip(8),
                    Err(Refusal::Damaged(cause)) => self.reset(order, run, recording, cause)?,
                    Err(other) => return Err(other.into()),
                }
            }
        }
        Ok(())
    }

    /// A mark: the run goes on, or another one begins.
    fn go_on(&mut self, mark: &Mark, run: &mut Run, recording: &mut Recording<'_>) -> Result<(), Stop> {
        if mark.events == 0 && run.events > 0 {
            recording.remark(format!(
                "the board was reset after {}: what was live is freed there",
                plural(run.events.into(), "event", "events")
            ));
            self.lost += run.lost();
            *run = Run { time: run.time, ..Run::begin(mark) };
            recording.free_all()?;
            return Ok(());
        }
        run.mark(mark).map_err(damaged)
    }

    /// An event that is none: the board was reset while it sent it, if the next mark says so.
    fn reset(&mut self, order: Order, run: &mut Run, recording: &mut Recording<'_>, cause: String) -> Result<(), Stop> {
        let (found, _) = self.bytes.find_mark().map_err(Stop::Read)?;
        if found != Some(order) {
            return Err(damaged(cause));
        }
        match self.mark(order)? {
            Some(mark) if mark.events == 0 => self.go_on(&mark, run, recording),
            _ => Err(damaged(cause)),
        }
    }

    /// Reads a mark, whose name is next. None if the stream ends within it.
    fn mark(&mut self, order: Order) -> Result<Option<Mark>, Stop> {
        self.records += 1;
        let found = self.bytes.look(8 + MARK).map_err(Stop::Read)?;
        let Some(words) = found.get(8..).and_then(|bytes| order.words(bytes)) else {
            self.bytes.skip(8 + MARK);
            return Ok(None);
        };
        let mark = Mark::of(words).map_err(damaged)?;
        self.bytes.skip(8 + MARK);
        Ok(Some(mark))
    }
}

fn damaged(cause: impl Into<String>) -> Stop {
    Stop::Refused(Refusal::Damaged(cause.into()))
}
