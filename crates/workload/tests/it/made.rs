//! Captures made byte by byte.

use std::path::PathBuf;

use etherparse::PacketBuilder;
use tempfile::TempDir;

/// A frame for a capture: time in nanoseconds, bytes captured, length on the wire.
#[derive(Clone)]
pub struct Frame {
    pub time: u64,
    pub bytes: Vec<u8>,
    pub wire: u32,
}

/// A TCP segment on Ethernet from host 1 to host 2, whole.
pub fn segment(time: u64, port: u16, payload: &[u8]) -> Frame {
    let mut bytes = Vec::new();
    PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .tcp(port, 80, 1, 1024)
        .write(&mut bytes, payload)
        .unwrap();
    let wire = bytes.len() as u32;
    Frame { time, bytes, wire }
}

/// A few segments of two flows: 100 bytes and none, a millisecond apart.
pub fn segments() -> Vec<Frame> {
    let payload = |index: u64| vec![1; if index.is_multiple_of(2) { 100 } else { 0 }];
    (0..6).map(|index| segment(5_000_000_000 + index * 1_000_000, 1000 + (index % 2) as u16, &payload(index))).collect()
}

/// Numbers in one byte order or the other.
#[derive(Clone, Copy)]
pub struct ByteOrder {
    pub big: bool,
}

impl ByteOrder {
    pub fn half(self, number: u16) -> Vec<u8> {
        if self.big { number.to_be_bytes() } else { number.to_le_bytes() }.to_vec()
    }

    pub fn word(self, number: u32) -> Vec<u8> {
        if self.big { number.to_be_bytes() } else { number.to_le_bytes() }.to_vec()
    }
}

/// A pcap file.
pub fn pcap(order: ByteOrder, nanoseconds: bool, link: u32, frames: &[Frame]) -> Vec<u8> {
    let magic = if nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let mut file = order.word(magic);
    file.extend([order.half(2), order.half(4)].concat());
    for number in [0, 0, 65535, link] {
        file.extend(order.word(number));
    }
    for frame in frames {
        let fraction = frame.time % 1_000_000_000;
        let numbers = [
            (frame.time / 1_000_000_000) as u32,
            (if nanoseconds { fraction } else { fraction / 1000 }) as u32,
            frame.bytes.len() as u32,
            frame.wire,
        ];
        file.extend(numbers.into_iter().flat_map(|number| order.word(number)));
        file.extend(&frame.bytes);
    }
    file
}

/// A block of a pcapng file.
pub fn block(order: ByteOrder, kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = order.word(body.len() as u32 + 12);
    [order.word(kind), length.clone(), body, length].concat()
}

/// The blocks that begin a pcapng file: a section, and an interface with a resolution.
pub fn pcapng_head(order: ByteOrder, resolution: u8, link: u16) -> Vec<u8> {
    let section = [order.word(0x1a2b_3c4d), order.half(1), order.half(0), vec![0xff; 8]].concat();
    let option = [order.half(9), order.half(1), vec![resolution, 0, 0, 0], order.word(0)].concat();
    let interface = [order.half(link), order.half(0), order.word(0), option].concat();
    [block(order, 0x0a0d_0d0a, &section), block(order, 1, &interface)].concat()
}

/// A pcapng file of enhanced packet blocks; `units` are the interface's in a second.
pub fn pcapng(order: ByteOrder, resolution: u8, units: u64, frames: &[Frame]) -> Vec<u8> {
    let mut file = pcapng_head(order, resolution, 1);
    for frame in frames {
        let time = (u128::from(frame.time) * u128::from(units)).div_ceil(1_000_000_000) as u64;
        let numbers = [0, (time >> 32) as u32, time as u32, frame.bytes.len() as u32, frame.wire];
        let mut body: Vec<u8> = numbers.into_iter().flat_map(|number| order.word(number)).collect();
        body.extend(&frame.bytes);
        file.extend(block(order, 6, &body));
    }
    file
}

/// Puts bytes into a file of its own.
pub fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}
