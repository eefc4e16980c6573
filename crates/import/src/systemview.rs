//! Recordings of SEGGER SystemView with what a heap did, as ESP-IDF and SEGGER's recorder write them.
//!
//! ```text
//!   ;                                          a header, if a program of the host saved it
//!   ; Version     SEGGER SystemViewer V3.60
//!   ; Offset Core0 0                           several cores, one after the other
//!   ; Offset Core1 12262
//!   ;
//!   0 × 10   begin   clock, address base   names   packets …          of core 0
//!   0 × 10   begin   clock, address base   names   packets …          of core 1
//! ```
//!
//! | event | has |
//! |---|---|
//! | of the module `ESP32 SystemView Heap Tracing Module`, its first | address, size, callers (ESP-IDF) |
//! | its second | address, callers |
//! | 31, with 3 or 4 | heap, address, size, tag: `SEGGER_SYSVIEW_HeapAlloc`, `HeapAllocEx` |
//! | 31, with 5 | heap, address: `SEGGER_SYSVIEW_HeapFree` |
//!
//! Addresses and sizes of SEGGER's events are shifted, so they are multiples of the shift; the sizes are what the firmware passes, which
//! should be those of blocks. A reallocation is a free and an allocation in both. Alignments are not recorded. Call sites are the callers
//! or the tag, threads are the tasks that run, interrupts and what no task does on a core.
//!
//! | the recording | is taken as |
//! |---|---|
//! | begins in the middle, as a buffer that was overwritten does | beginning where it first begins, which is said |
//! | ends within a packet | its whole packets |
//! | says that packets were dropped | what came through; how many at least is said |
//! | has several cores in parts of their own | their requests in the order of their times, which are held at 48 bytes each |
//! | describes no module, which a filter of the firmware may drop | ESP-IDF's heap module at its usual numbers, 512 and 513 |
//!
//! Source: SEGGER's user guide of SystemView (UM08027) and the description of packets in its recorder (`SEGGERMicro/SystemView`); the
//! repository espressif/esp-idf, `tools/esp_app_trace`.

mod header;
mod packet;
mod part;

use std::io::BufRead;

use heapsmith_trace::{Nanoseconds, TraceError, memory, plural};

use crate::importer::{Format, Importer, KEEP_DAMAGED, Stop};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::Head;
use header::Header;
use packet::{NoPacket, Packet, Packets, has_start};
use part::Part;

pub(crate) const IMPORTER: Importer = Importer {
    name: "systemview",
    about: "a recording of SEGGER SystemView with events of a heap",
    source: "SEGGER SystemView (UM08027); espressif/esp-idf, heap tracing to the host",
    input: "a SystemView recording (.svdat)",
    parameters: &[KEEP_DAMAGED],
    begins: |head: &Head| {
        let header = b"; Version     SEGGER SystemView";
        let is_header = head.bytes.starts_with(b";") && head.bytes.windows(header.len()).any(|bytes| bytes == header);
        is_header || has_start(&head.bytes)
    },
    format: Format::Binary(read),
};

/// What a recording without a request lacks.
const NO_REQUESTS: &str = "its SystemView events are none of a heap; with ESP-IDF set CONFIG_HEAP_TRACING_TOHOST and call heap_trace_start(), \
     elsewhere call SEGGER_SYSVIEW_HeapAlloc() and SEGGER_SYSVIEW_HeapFree() in the allocator, or use `heapsmith record --board`";

const ONLY_FREES: &str = "it frees blocks that it never allocates: where each core has a file of its own, none is a trace; record with \
     `esp sysview_mcore start`, which puts all cores into one file";

/// ESP-IDF's heap module, and the events that it has where no other module comes before it.
const HEAP_MODULE: &str = "M=ESP32 SystemView Heap Tracing Module";
const FIRST_MODULE: u32 = 512;

/// A request, and all that a trace has of it.
struct Request {
    time: Nanoseconds,
    thread: u64,
    site: Option<u32>,
    /// Heap and address.
    block: u64,
    /// None for a free.
    size: Option<u32>,
}

impl Request {
    fn send(self, recording: &mut Recording<'_>) -> Taken {
        recording.time = self.time;
        recording.on_thread(self.thread);
        recording.site = self.site;
        match self.size {
            Some(size) => recording.allocate(self.block, u64::from(size), 0),
            None => recording.free(self.block),
        }
    }
}

fn read(reader: &mut dyn BufRead, recording: &mut Recording<'_>) -> Result<(), (u64, Stop)> {
    let mut packets = Packets::new(reader);
    parts(&mut packets, recording).map_err(|stop| (packets.count, stop))
}

/// Reads the header and the part of each core; what came before damage is sent.
fn parts(packets: &mut Packets<'_>, recording: &mut Recording<'_>) -> Result<(), Stop> {
    let header = Header::read(packets)?;
    let begin = packets.position;
    let mut stream = Stream::of(&header);
    let ends = header.offsets.iter().skip(1).map(|offset| Some(begin.saturating_add(*offset))).chain([None]);
    let outcome = ends.enumerate().try_for_each(|(core, end)| stream.part(packets, core, end, recording));
    if stream.lost > 0 {
        recording.remark(format!(
            "{} events were lost on the board, where the buffer was full, and requests may be among them: \
             make SEGGER_SYSVIEW_RTT_BUFFER_SIZE larger, or record fewer kinds of events",
            stream.lost
        ));
    }
    let mut held = stream.held.unwrap_or_default();
    // A stable sort takes room for half of them.
    memory::room_for((held.len() * size_of::<Request>() / 2) as u64)
        .map_err(TraceError::from)
        .map_err(Refusal::from)?;
    held.sort_by_key(|request| request.time.0);
    for request in held {
        if recording.is_full() {
            break;
        }
        request.send(recording)?;
    }
    outcome?;
    match (recording.has_begun() || recording.is_full(), stream.has_frees) {
        (true, true) => {}
        (true, false) if stream.is_espressif && header.offsets.is_empty() => recording.remark(
            "nothing is freed in it: where each core has a file of its own, record with `esp sysview_mcore start`"
                .to_owned(),
        ),
        (true, false) => {}
        (false, true) => return Err(Refusal::Incomplete(ONLY_FREES).into()),
        (false, false) => return Err(Refusal::Incomplete(NO_REQUESTS).into()),
    }
    Ok(())
}

/// The state of a recording.
struct Stream {
    has_cores: bool,
    is_espressif: bool,
    /// The first event of ESP-IDF's heap module, once it is described.
    heap_module: Option<u32>,
    /// Another module has the events that it usually has.
    is_first_taken: bool,
    ticks_per_second: u32,
    address_base: u32,
    shift: u32,
    /// The heap of the first of SEGGER's events.
    heap: Option<u32>,
    has_heaps: bool,
    has_frees: bool,
    /// Events that were lost, on the core that lost most.
    lost: u64,
    /// Requests of several cores, until all are there.
    held: Option<Vec<Request>>,
}

impl Stream {
    fn of(header: &Header) -> Stream {
        Stream {
            has_cores: header.has_cores,
            is_espressif: header.is_espressif,
            heap_module: None,
            is_first_taken: false,
            ticks_per_second: 0,
            address_base: 0,
            shift: 0,
            heap: None,
            has_heaps: false,
            has_frees: false,
            lost: 0,
            held: (header.offsets.len() > 1).then(Vec::new),
        }
    }

    /// Reads up to `end`, or to the end of the file.
    fn part(
        &mut self,
        packets: &mut Packets<'_>,
        core: usize,
        end: Option<u64>,
        recording: &mut Recording<'_>,
    ) -> Result<(), Stop> {
        let nothing = || Refusal::from("no ten zero bytes and begin of a recording");
        let skipped = packets.find_start()?.ok_or_else(nothing)?;
        if skipped > 0 {
            recording.remark(format!(
                "the recording was under way: {} before its first begin, left out",
                plural(skipped, "byte", "bytes")
            ));
        }
        let mut part = Part::new(core);
        while end.is_none_or(|end| packets.position < end) && !recording.is_full() {
            match packets.next(self.has_cores) {
                Ok(Some(_)) if end.is_some_and(|end| packets.position > end) => {
                    return Err(Refusal::from("a packet that reaches into the part of the next core").into());
                }
                Ok(Some((packet, bit))) => self.take(&packet, bit, &mut part, recording)?,
                Ok(None) => break,
                Err(NoPacket::Cut) => {
                    recording.remark("the recording ends within a packet".to_owned());
                    break;
                }
                Err(NoPacket::Stop(stop)) => return Err(stop),
            }
        }
        self.lost = self.lost.max(part.lost);
        Ok(())
    }

    fn take(
        &mut self,
        packet: &Packet,
        bit: usize,
        part: &mut Part,
        recording: &mut Recording<'_>,
    ) -> Result<(), Stop> {
        part.pass(packet, self.ticks_per_second);
        let first = packet.numbers.first().copied();
        match (packet.event, first) {
            (1, Some(dropped)) => part.dropped(dropped),
            (14, _) => self.is_espressif |= packet.text.split(',').any(|word| word.starts_with("D=esp32")),
            (22, _) => self.module(packet),
            (24, _) => self.clock(packet)?,
            (31, Some(kind)) => self.heap_event(kind, packet, bit, part, recording)?,
            (event, _) if event >= FIRST_MODULE => self.module_event(packet, bit, part, recording)?,
            _ => part.follow(bit, packet.event, first),
        }
        Ok(())
    }

    fn module(&mut self, packet: &Packet) {
        let &[_, event] = &packet.numbers[..] else { return };
        match packet.text.split(',').next() {
            Some(HEAP_MODULE) => self.heap_module = Some(event),
            _ => self.is_first_taken |= event == FIRST_MODULE,
        }
    }

    fn clock(&mut self, packet: &Packet) -> Taken {
        let &[ticks_per_second, _, address_base, shift, ..] = &packet.numbers[..] else {
            return Err("a begin without the clock, the base of addresses and their shift".into());
        };
        if shift > 16 {
            return Err(format!("addresses that are shifted by {shift} bits").into());
        }
        (self.ticks_per_second, self.address_base, self.shift) = (ticks_per_second, address_base, shift);
        Ok(())
    }

    /// An event of a module: is it one of ESP-IDF's heap?
    fn module_event(&mut self, packet: &Packet, bit: usize, part: &mut Part, recording: &mut Recording<'_>) -> Taken {
        let usual = (self.is_espressif && !self.is_first_taken).then_some(FIRST_MODULE);
        let Some(first) = self.heap_module.or(usual) else { return Ok(()) };
        let (address, size, callers) = match (packet.event.checked_sub(first), &packet.numbers[..]) {
            (Some(0), &[address, size, ref callers @ ..]) => (address, Some(size), callers),
            (Some(1), &[address, ref callers @ ..]) => (address, None, callers),
            (Some(0 | 1), _) => return Err("an event of the heap without address or size".into()),
            _ => return Ok(()),
        };
        let callers = callers.iter().take_while(|caller| **caller != 0).map(|caller| format!("{caller:#x}"));
        let site = callers.collect::<Vec<_>>().join(":");
        self.request(u64::from(address), size, &site, bit, part, recording)
    }

    /// One of SEGGER's extended events: is it one of a heap?
    fn heap_event(
        &mut self,
        kind: u32,
        packet: &Packet,
        bit: usize,
        part: &mut Part,
        recording: &mut Recording<'_>,
    ) -> Taken {
        let (heap, block, size, site) = match (kind, &packet.numbers[1..]) {
            (3, &[heap, block, size, ..]) => (heap, block, Some(size), String::new()),
            (4, &[heap, block, size, tag, ..]) => (heap, block, Some(size), format!("tag {tag:#x}")),
            (5, &[heap, block, ..]) => (heap, block, None, String::new()),
            (3..=5, _) => return Err("an event of the heap without heap, address or size".into()),
            _ => return Ok(()),
        };
        recording.fact("sizes", "of blocks, as the firmware passes them to SystemView");
        if *self.heap.get_or_insert(heap) != heap && !self.has_heaps {
            self.has_heaps = true;
            recording.remark("the board has several heaps: their requests are in one trace".to_owned());
        }
        let address = self.address_base.wrapping_add(block << self.shift);
        let size = size.map(|size| size.checked_shl(self.shift).filter(|shifted| *shifted >> self.shift == size));
        let size = size.map(|size| size.ok_or("a request of more than 4 GB")).transpose()?;
        // Two heaps may have a block at one address: a pool begins where the block that it lies in does.
        let heap = u64::from(heap) << 32;
        let block = if address == 0 { 0 } else { heap | u64::from(address) };
        self.request(block, size, &site, bit, part, recording)
    }

    fn request(
        &mut self,
        block: u64,
        size: Option<u32>,
        site: &str,
        bit: usize,
        part: &mut Part,
        recording: &mut Recording<'_>,
    ) -> Taken {
        self.has_frees |= size.is_none();
        if block == 0 {
            if size.is_some() {
                recording.failed();
            }
            return Ok(());
        }
        // Where a block is freed is no site of a request.
        recording.at_site(size.map_or("", |_| site));
        let (site, thread) = (recording.site, part.thread(bit));
        let request = Request { time: part.time, thread, site, block, size };
        match &mut self.held {
            Some(held) => {
                memory::reserve_one(held).map_err(TraceError::from)?;
                held.push(request);
                Ok(())
            }
            None => request.send(recording),
        }
    }
}
