//! The packets of a recording: numbers of seven bits a byte, strings with their length.
//!
//! ```text
//!   number, the event       less than 24: what each has is fixed
//!   number, the length      otherwise: bytes that follow before the time
//!   numbers and strings
//!   number, the time        ticks since the packet before
//!
//!   a number   least significant seven bits first; a byte above 127 has another after it; 32 bits at most
//!   a string   a byte, its length; 255: two more bytes, the more significant one first
//! ```

use std::io::{BufRead, ErrorKind};

use crate::importer::Stop;
use crate::recording::Refusal;

/// Zero bytes before the first packet.
const SYNC: u64 = 10;
/// The event that follows them.
pub const TRACE_START: u32 = 10;
/// Events below this have no length.
const WITHOUT_LENGTH: u32 = 24;
/// The last event that there can be.
const LAST_EVENT: u32 = 32_767;
/// Bytes of a packet; SEGGER's recorder makes none of more than a few hundred.
const LONGEST: u32 = 1 << 14;

/// Numbers of an event without a length, and whether a string follows them; from event 0 to 23.
const FIELDS: [(usize, bool); WITHOUT_LENGTH as usize] = [
    (0, false), // nothing
    (1, false), // overflow: events that were dropped
    (1, false), // an interrupt begins: its number
    (0, false), // and ends
    (1, false), // a task runs
    (0, false), // it ends
    (1, false), // a task is ready
    (2, false), // it is not: the cause
    (1, false), // a task is made
    (2, true),  // its priority and name
    (0, false), // the recording begins
    (0, false), // and ends
    (1, false), // the time in cycles
    (2, false), // and in microseconds
    (0, true),  // the system
    (1, false), // a marker begins
    (1, false), // and ends
    (0, false), // no task runs
    (0, false), // an interrupt ends in the scheduler
    (1, false), // a timer begins
    (0, false), // and ends
    (4, false), // the stack of a task
    (2, true),  // a module: its number, its first event, what it is
    (2, false), // a value that is sampled
];

/// A packet, taken apart as far as its event says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Packet {
    pub event: u32,
    /// Of an event with a length, all that is in it.
    pub numbers: Vec<u32>,
    pub text: String,
    /// Ticks since the packet before.
    pub ticks: u32,
}

/// Reads packets, and knows how far it came.
pub struct Packets<'r> {
    reader: &'r mut dyn BufRead,
    /// Bytes that were read.
    pub position: u64,
    /// Packets that were read, of which the last may be damaged.
    pub count: u64,
}

/// Why there is no packet.
pub enum NoPacket {
    /// The stream ends within it.
    Cut,
    Stop(Stop),
}

impl From<Stop> for NoPacket {
    fn from(stop: Stop) -> NoPacket {
        NoPacket::Stop(stop)
    }
}

type Read<T> = Result<T, NoPacket>;

impl<'r> Packets<'r> {
    pub fn new(reader: &'r mut dyn BufRead) -> Packets<'r> {
        Packets { reader, position: 0, count: 0 }
    }

    /// The next byte, which stays; none at the end.
    pub fn peek(&mut self) -> Result<Option<u8>, Stop> {
        loop {
            match self.reader.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Stop::Read(error)),
            }
        }
    }

    /// The next byte; none at the end.
    pub fn byte(&mut self) -> Result<Option<u8>, Stop> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.reader.consume(1);
            self.position += 1;
        }
        Ok(byte)
    }

    /// Goes behind the zero bytes with which a recording begins: the bytes before them, none where there are no zero bytes.
    pub fn find_start(&mut self) -> Result<Option<u64>, Stop> {
        let (mut zeros, mut read) = (0, 0_u64);
        while let Some(byte) = self.peek()? {
            if zeros >= SYNC && u32::from(byte) == TRACE_START {
                return Ok(Some(read - zeros));
            }
            zeros = if byte == 0 { zeros + 1 } else { 0 };
            self.byte()?;
            read += 1;
        }
        Ok(None)
    }

    /// The next packet; none at the end. `extension` says that the bit below the highest one of an event is the core.
    pub fn next(&mut self, extension: bool) -> Read<Option<(Packet, usize)>> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        self.count += 1;
        let (event, core) = self.event(extension)?;
        if event > LAST_EVENT {
            return Err(damaged(format!("an event {event}; the last is {LAST_EVENT}")));
        }
        let mut packet = Packet { event, ..Packet::default() };
        match FIELDS.get(event as usize) {
            Some(&(numbers, has_text)) => {
                for _ in 0..numbers {
                    packet.numbers.push(self.number()?);
                }
                if has_text {
                    packet.text = self.text()?;
                }
            }
            None => self.with_length(&mut packet)?,
        }
        packet.ticks = self.number()?;
        Ok(Some((packet, core)))
    }

    fn event(&mut self, extension: bool) -> Read<(u32, usize)> {
        let event = self.number()?;
        if !extension {
            return Ok((event, 0));
        }
        // One byte has the bit at 6, two have it at 13.
        let bit = if event < 1 << 7 { 1 << 6 } else { 1 << 13 };
        Ok((event & !bit, usize::from(event & bit != 0)))
    }

    fn with_length(&mut self, packet: &mut Packet) -> Read<()> {
        let length = self.number()?;
        if length > LONGEST {
            return Err(damaged(format!("a packet of {length} bytes; there are none above {LONGEST}")));
        }
        let mut bytes = Vec::new();
        for _ in 0..length {
            bytes.push(self.byte()?.ok_or(NoPacket::Cut)?);
        }
        // Of most events nobody asks what is in them: it may be text, or a number that has no end.
        let mut left = &bytes[..];
        while let Some((number, after)) = number_of(left) {
            packet.numbers.push(number);
            left = after;
        }
        Ok(())
    }

    fn number(&mut self) -> Read<u32> {
        let mut bytes = [0; 5];
        for at in 0..bytes.len() {
            bytes[at] = self.byte()?.ok_or(NoPacket::Cut)?;
            if bytes[at] < 0x80 {
                return number_of(&bytes[..=at]).map(|(number, _)| number).ok_or_else(too_large);
            }
        }
        Err(too_large())
    }

    fn text(&mut self) -> Read<String> {
        let mut length = usize::from(self.byte()?.ok_or(NoPacket::Cut)?);
        if length == 255 {
            let [high, low] = [self.byte()?, self.byte()?].map(|byte| byte.map(usize::from).ok_or(NoPacket::Cut));
            length = high? << 8 | low?;
        }
        let mut bytes = Vec::new();
        for _ in 0..length {
            bytes.push(self.byte()?.ok_or(NoPacket::Cut)?);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The number at the beginning of these bytes, and what is behind it; none where it has no end or more than 32 bits.
fn number_of(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let end = bytes.iter().take(5).position(|byte| *byte < 0x80)?;
    let (number, after) = bytes.split_at(end + 1);
    let value = number.iter().rev().fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((u32::try_from(value).ok()?, after))
}

/// Whether a recording without a file header begins somewhere in these bytes: zero bytes, its begin, and what the clock is.
pub fn has_start(bytes: &[u8]) -> bool {
    const INIT: u8 = 24;
    let starts = |bytes: &[u8]| {
        let (_, after) = number_of(bytes.strip_prefix(&[0; SYNC as usize])?.strip_prefix(&[TRACE_START as u8])?)?;
        let (length, mut fields) = number_of(after.strip_prefix(&[INIT])?)?;
        let end = fields.len().checked_sub(length as usize)?;
        for _ in 0..4 {
            fields = number_of(fields)?.1;
        }
        (fields.len() >= end).then_some(())
    };
    (0..bytes.len()).any(|at| starts(&bytes[at..]).is_some())
}

fn too_large() -> NoPacket {
    damaged("a number of more than 32 bits".to_owned())
}

fn damaged(cause: String) -> NoPacket {
    NoPacket::Stop(Stop::Refused(Refusal::Damaged(cause)))
}
