//! The records of a capture as frames: interfaces, resolutions, lengths, and what can be
//! wrong with them.

use std::path::Path;

use heapsmith_trace::Nanoseconds;
use pcap_parser::pcapng::{Block, InterfaceDescriptionBlock, OptionCode};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{PcapBlockOwned, PcapHeader};

use super::source::Fault;
use super::{Captured, Visit};
use crate::error::LoadError;
use crate::input::frame::Link;

/// The longest frame that is believed. Nothing on a network is longer; a damaged length is.
const LONGEST_FRAME: u32 = 1 << 24;

/// What is known of a capture while its records are read.
pub(super) struct Records<'a> {
    path: &'a Path,
    /// Records read so far; every block of a pcapng file is one.
    record: u64,
    /// The absolute time of the first frame.
    first: Option<i128>,
    /// The time of the latest frame since the first.
    latest: Nanoseconds,
    interfaces: Vec<Interface>,
    /// Whether who looks at the frames has seen enough.
    pub is_enough: bool,
    /// The byte order of the section, which `pcap-parser` leaves out of one option.
    big_endian: bool,
}

/// Where frames were captured.
struct Interface {
    link: i32,
    /// Units of time in a second.
    resolution: u64,
    /// Seconds to add to every time.
    offset: i64,
    /// The most bytes captured of a frame; 0 for all of them.
    snap: u32,
}

/// What a record says about its frame.
struct Frame<'a> {
    interface: usize,
    time: Nanoseconds,
    captured: u32,
    original: u32,
    data: &'a [u8],
}

impl<'a> Records<'a> {
    pub fn new(path: &'a Path) -> Records<'a> {
        Records {
            path,
            record: 0,
            first: None,
            latest: Nanoseconds(0),
            interfaces: Vec::new(),
            is_enough: false,
            big_endian: false,
        }
    }

    /// Takes in the next block, and gives its frame to `visit` if it has one.
    pub fn take(&mut self, block: PcapBlockOwned<'_>, visit: &mut Visit<'_>) -> Result<(), LoadError> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => return self.header(&header),
            PcapBlockOwned::Legacy(frame) => {
                let resolution = self.interface(0)?.resolution;
                let seconds = i128::from(frame.ts_sec) * 1_000_000_000;
                let fraction = frame.ts_usec as u64 * (1_000_000_000 / resolution);
                let time = self.since_first(seconds + i128::from(fraction));
                let frame =
                    Frame { interface: 0, time, captured: frame.caplen, original: frame.origlen, data: frame.data };
                self.frame(frame, visit)?;
            }
            PcapBlockOwned::NG(block) => self.next_generation(&block, visit)?,
        }
        self.record += 1;
        Ok(())
    }

    fn header(&mut self, header: &PcapHeader) -> Result<(), LoadError> {
        let resolution = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
        // The upper bits of the number say whether frames end with a check sequence.
        let link = header.network.0 & 0x0fff_ffff;
        self.link(link)?;
        self.interfaces.push(Interface { link, resolution, offset: 0, snap: 0 });
        Ok(())
    }

    fn next_generation(&mut self, block: &Block<'_>, visit: &mut Visit<'_>) -> Result<(), LoadError> {
        match block {
            Block::SectionHeader(section) => {
                self.interfaces.clear();
                self.big_endian = section.big_endian();
            }
            Block::InterfaceDescription(description) => {
                let interface = self.described(description)?;
                self.interfaces.push(interface);
            }
            Block::EnhancedPacket(frame) => {
                let interface = self.interface(frame.if_id as usize)?;
                let units = u64::from(frame.ts_high) << 32 | u64::from(frame.ts_low);
                let time = interface.absolute(units);
                let frame = Frame {
                    interface: frame.if_id as usize,
                    time: self.since_first(time),
                    captured: frame.caplen,
                    original: frame.origlen,
                    data: frame.packet_data(),
                };
                self.frame(frame, visit)?;
            }
            Block::SimplePacket(frame) => {
                let snap = match self.interface(0)?.snap {
                    0 => usize::MAX,
                    snap => snap as usize,
                };
                let data = frame.packet_data();
                let data = &data[..data.len().min(snap)];
                let frame = Frame {
                    interface: 0,
                    // It carries no time: it came when the one before it came.
                    time: self.latest,
                    captured: data.len() as u32,
                    original: frame.origlen,
                    data,
                };
                self.frame(frame, visit)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn described(&self, block: &InterfaceDescriptionBlock<'_>) -> Result<Interface, LoadError> {
        let exponent = u32::from(block.if_tsresol & 0x7f);
        let base: u64 = if block.if_tsresol & 0x80 == 0 { 10 } else { 2 };
        let resolution = base
            .checked_pow(exponent)
            .ok_or_else(|| self.damaged("an interface with a time resolution that cannot be"))?;
        let mut offset = 0;
        for option in &block.options {
            if option.code == OptionCode::IfTsoffset
                && let Some(bytes) = option.value.first_chunk()
            {
                offset = if self.big_endian { i64::from_be_bytes(*bytes) } else { i64::from_le_bytes(*bytes) };
            }
        }
        Ok(Interface { link: block.linktype.0, resolution, offset, snap: block.snaplen })
    }

    fn frame(&mut self, frame: Frame<'_>, visit: &mut Visit<'_>) -> Result<(), LoadError> {
        if frame.captured > LONGEST_FRAME || frame.original > LONGEST_FRAME {
            let (captured, original) = (frame.captured, frame.original);
            return Err(self.damaged(format!(
                "a frame of {original} bytes with {captured} bytes captured, longer than any frame"
            )));
        }
        let link = self.link(self.interface(frame.interface)?.link)?;
        self.latest = frame.time;
        let length = frame.data.len().min(frame.captured as usize);
        let captured = Captured { time: frame.time, link, original: frame.original, data: &frame.data[..length] };
        self.is_enough |= visit(captured).is_break();
        Ok(())
    }

    fn interface(&self, index: usize) -> Result<&Interface, LoadError> {
        self.interfaces
            .get(index)
            .ok_or_else(|| self.damaged(format!("captured on interface {index}, never described")))
    }

    fn link(&self, number: i32) -> Result<Link, LoadError> {
        Link::of(number).ok_or_else(|| LoadError::LinkType { path: self.path.to_owned(), number, known: Link::KNOWN })
    }

    fn since_first(&mut self, time: i128) -> Nanoseconds {
        let first = *self.first.get_or_insert(time);
        Nanoseconds(u64::try_from(time - first).unwrap_or(0))
    }

    /// The end of the file: a good one unless reading stopped at a fault.
    pub fn end(&self, fault: &Fault) -> Result<(), LoadError> {
        match fault.take() {
            Some(source) => Err(self.unreadable(source)),
            None => Ok(()),
        }
    }

    /// The error for a record that breaks off: the fault that broke it, else `cause`.
    pub fn broken_off(&self, fault: &Fault, cause: &str) -> LoadError {
        match fault.take() {
            Some(source) => self.unreadable(source),
            None => self.damaged(cause),
        }
    }

    fn damaged(&self, cause: impl Into<String>) -> LoadError {
        LoadError::Record { path: self.path.to_owned(), record: self.record + 1, cause: cause.into() }
    }

    fn unreadable(&self, source: std::io::Error) -> LoadError {
        LoadError::reading(self.path, format!("after record {}", self.record), source)
    }
}

impl Interface {
    /// The time of `units` in nanoseconds.
    fn absolute(&self, units: u64) -> i128 {
        let fraction = i128::from(units) * 1_000_000_000 / i128::from(self.resolution);
        fraction + i128::from(self.offset) * 1_000_000_000
    }
}
