//! Captures of every kind give the same trace.

use std::io::Write;

use crate::made::{ByteOrder, Frame, block, file, pcap, pcapng, pcapng_head, segment, segments};
use heapsmith_trace::{Action, Trace};
use heapsmith_workload::load;

const LITTLE: ByteOrder = ByteOrder { big: false };
const BIG: ByteOrder = ByteOrder { big: true };

fn read(workload: &str, name: &str, bytes: &[u8]) -> Trace {
    let (_folder, path) = file(name, bytes);
    load(&path, Some(workload), &[("rate".into(), "1M".into())]).unwrap()
}

#[test]
fn byte_orders_and_resolutions_tell_the_same() {
    let wanted = read("drr", "a.pcap", &pcap(LITTLE, false, 1, &segments())).events;
    assert_eq!(wanted.len(), 6 * 2 + 6 * 2, "every packet finds its flow idle");
    for (name, bytes) in [
        ("big endian", pcap(BIG, false, 1, &segments())),
        ("nanoseconds", pcap(LITTLE, true, 1, &segments())),
        ("big endian, nanoseconds", pcap(BIG, true, 1, &segments())),
        ("next generation", pcapng(LITTLE, 6, 1_000_000, &segments())),
        ("next generation, big endian", pcapng(BIG, 6, 1_000_000, &segments())),
        ("next generation, nanoseconds", pcapng(LITTLE, 9, 1_000_000_000, &segments())),
        ("next generation, milliseconds", pcapng(BIG, 3, 1000, &segments())),
    ] {
        assert_eq!(read("drr", "a.pcap", &bytes).events, wanted, "{name}");
    }
}

#[test]
fn resolutions_may_be_powers_of_two() {
    let units = 1 << 20;
    let trace = read("easyport", "a.pcapng", &pcapng(LITTLE, 0x80 | 20, units, &segments()));
    let second = trace.events.iter().filter(|e| matches!(e.action, Action::Allocate { .. })).nth(1);
    let late = second.unwrap().time.0.abs_diff(1_000_000);
    assert!(late < 2_000_000_000 / units, "{late} ns off");
}

#[test]
fn sections_may_change_their_byte_order() {
    let both = [pcapng(LITTLE, 6, 1_000_000, &segments()), pcapng(BIG, 6, 1_000_000, &segments())];
    let trace = read("easyport", "a.pcapng", &both.concat());
    assert_eq!(trace.events.len(), 2 * 2 * 6);
}

#[test]
fn simple_packet_blocks_come_when_the_one_before_came() {
    let mut bytes = pcapng_head(LITTLE, 6, 1);
    for frame in segments() {
        bytes.extend(block(LITTLE, 3, &[LITTLE.word(frame.wire), frame.bytes].concat()));
    }
    let trace = read("drr", "a.pcapng", &bytes);
    let sizes: Vec<u64> = trace
        .events
        .iter()
        .filter_map(|event| match event.action {
            Action::Allocate { size, .. } => Some((event.time.0, size.0)),
            _ => None,
        })
        .map(|(time, size)| {
            assert_eq!(time, 0);
            size
        })
        .collect();
    assert_eq!(sizes, [116, 64, 16, 64, 116, 16, 116, 16]);
}

#[test]
fn blocks_of_other_kinds_are_passed_over() {
    let mut bytes = pcapng_head(LITTLE, 6, 1);
    bytes.extend(block(LITTLE, 4, &[0; 4]));
    bytes.extend(block(LITTLE, 0x0bad, &vec![7; 300_000]));
    let frames = pcapng(LITTLE, 6, 1_000_000, &segments());
    bytes.extend(&frames[pcapng_head(LITTLE, 6, 1).len()..]);
    assert_eq!(read("easyport", "a.pcapng", &bytes).events.len(), 12);
}

#[test]
fn compressed_captures_read_as_they_are() {
    let bytes = pcap(LITTLE, false, 1, &segments());
    let wanted = read("drr", "a.pcap", &bytes).events;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&bytes).unwrap();
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    xz.write_all(&bytes).unwrap();
    let zstd = |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    // Several frames in one file, as parallel compressors write them.
    let (begin, end) = bytes.split_at(100);
    for (name, packed) in [
        ("a.gz", gzip.finish().unwrap()),
        ("a.xz", xz.finish().unwrap()),
        ("a.zst", zstd(&bytes)),
        ("b.zst", [zstd(begin), zstd(end)].concat()),
        ("name says nothing", zstd(&bytes)),
    ] {
        assert_eq!(read("drr", name, &packed).events, wanted, "{name}");
    }
}

#[test]
fn the_size_is_what_was_on_the_wire_not_what_was_captured() {
    let mut frames = segments();
    for frame in &mut frames {
        frame.bytes.truncate(54);
    }
    let cut = read("drr", "a.pcap", &pcap(LITTLE, false, 1, &frames));
    let whole = read("drr", "a.pcap", &pcap(LITTLE, false, 1, &segments()));
    assert_eq!(cut.events, whole.events);
}

#[test]
fn stamps_that_go_backwards_keep_file_order() {
    let mut frames = segments();
    frames[0].time += 2_500_000;
    frames[3].time -= 2_000_000;
    let trace = read("easyport", "a.pcap", &pcap(LITTLE, false, 1, &frames));
    assert!(trace.events.is_sorted_by_key(|event| event.time));
    let sizes = trace.events.iter().filter_map(|event| match event.action {
        Action::Allocate { size, .. } => Some(size.0),
        _ => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [154, 54, 154, 54, 154, 54]);
}

#[test]
fn an_origin_says_what_would_make_the_trace_again() {
    let (_folder, path) = file("a.pcap", &pcap(LITTLE, false, 1, &segments()));
    let trace = load(&path, Some("drr"), &[("quantum".into(), "500".into())]).unwrap();
    assert_eq!(trace.name(), "drr of a.pcap");
    let again = load(&path, Some("drr"), &trace.origin.settings).unwrap();
    assert_eq!(again, trace);
    let rate = &trace.origin.settings[0];
    assert!(rate.0 == "rate" && rate.1.parse::<u64>().is_ok(), "{rate:?}");
}

#[test]
fn requests_are_read_from_captured_segments() {
    let request = b"GET /images/logo.gif HTTP/1.1\r\nAccept: */*\r\nHost: www.example.com\r\n\r\n";
    let mut reply = segment(5_001_000_000, 1000, &[b'x'; 500]);
    // The reply goes the other way: addresses and ports change places.
    reply.bytes[26..34].rotate_left(4);
    reply.bytes[34..38].rotate_left(2);
    let frames: Vec<Frame> = vec![
        segment(5_000_000_000, 1000, request),
        reply,
        segment(5_002_000_000, 1000, b"GET out of here, says this text"),
        segment(5_003_000_000, 1000, b"POST /form?a=1 HTTP/1.0\r\n\r\n"),
    ];
    let (_folder, path) = file("a.pcap", &pcap(LITTLE, false, 1, &frames));
    let settings = [("client-rate".to_owned(), "4k".to_owned()), ("learn".to_owned(), "0".to_owned())];
    let trace = load(&path, Some("url"), &settings).unwrap();
    let site = |name: &str| trace.sites.iter().position(|site| site == name).map(|site| site as u32);
    let sizes = |name: &str| -> Vec<u64> {
        let events = trace.events.iter().filter(|event| event.site == site(name));
        let sizes = events.filter_map(|event| match event.action {
            Action::Allocate { size, .. } => Some(size.0),
            _ => None,
        });
        sizes.collect()
    };
    // GET, host, images, logo, gif, version; POST, form, a, 1, version.
    assert_eq!(sizes("text"), [4, 16, 7, 5, 4, 9, 5, 5, 2, 2, 9]);
    assert_eq!(sizes("token"), [8; 11]);
    assert_eq!(sizes("header"), [31 + 23, 25]);
    // 500 bytes at 4 kbit/s take a second.
    let end = trace.events.iter().map(|event| event.time.0).max();
    assert_eq!(end, Some(1_000_000_000));
}
