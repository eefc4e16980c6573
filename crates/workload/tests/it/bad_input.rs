//! What is wrong with an input is said where it is wrong, and whose fault it is.

use heapsmith_trace::{Origin, PackedTrace, Trace};
use heapsmith_workload::{ErrorKind, load, workload, workloads};
use proptest::prelude::*;

use crate::made::{ByteOrder, block, file, pcap, pcapng, pcapng_head, segments};

const LITTLE: ByteOrder = ByteOrder { big: false };

/// The kind and message of the error, with the file's folder taken out.
fn refusal(workload: Option<&str>, settings: &[(&str, &str)], bytes: &[u8]) -> (ErrorKind, String) {
    let (folder, path) = file("input", bytes);
    let settings = settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let settings: Vec<(String, String)> = settings.collect();
    let error = load(&path, workload, &settings).unwrap_err();
    let folder = format!("{}/", folder.path().display());
    (error.kind(), error.to_string().replace(&folder, ""))
}

fn bad(workload: &str, bytes: &[u8]) -> String {
    let (kind, text) = refusal(Some(workload), &[], bytes);
    assert_eq!(kind, ErrorKind::BadInput, "{text}");
    text
}

fn wrong(workload: Option<&str>, settings: &[(&str, &str)], bytes: &[u8]) -> String {
    let (kind, text) = refusal(workload, settings, bytes);
    assert_eq!(kind, ErrorKind::WrongUse, "{text}");
    text
}

#[test]
fn an_empty_file_is_called_empty() {
    assert_eq!(bad("drr", b""), "input is empty");
    let (kind, text) = refusal(None, &[], b"");
    assert_eq!((kind, text.as_str()), (ErrorKind::BadInput, "input is empty"));
}

#[test]
fn a_capture_without_packets_says_so() {
    assert_eq!(bad("drr", &pcap(LITTLE, false, 1, &[])), "input holds no packets");
    assert_eq!(bad("easyport", &pcapng_head(LITTLE, 6, 1)), "input holds no packets");
}

#[test]
fn an_unknown_link_type_is_named_with_those_that_are_read() {
    let text = bad("easyport", &pcap(LITTLE, false, 147, &segments()));
    assert!(text.starts_with("input has link type 147; read are 1 (Ethernet), 101,"), "{text}");
    let mut bytes = pcapng_head(LITTLE, 6, 147);
    bytes.extend(block(LITTLE, 3, &[LITTLE.word(60), vec![0; 60]].concat()));
    assert!(bad("drr", &bytes).starts_with("input has link type 147"));
}

#[test]
fn a_cut_off_capture_is_refused_by_record_or_kept_as_far_as_it_goes() {
    for whole in [pcap(LITTLE, false, 1, &segments()), pcapng(LITTLE, 6, 1_000_000, &segments())] {
        let cut = &whole[..whole.len() - 10];
        let text = bad("easyport", cut);
        assert!(text.contains("bytes; --set keep-damaged=yes takes what comes before"), "{text}");
        let (_folder, path) = file("a.pcap", cut);
        let keep = [("keep-damaged".to_owned(), "yes".to_owned())];
        assert_eq!(load(&path, Some("easyport"), &keep).unwrap().events.len(), 10);
    }
    let text = bad("easyport", &pcap(LITTLE, false, 1, &segments())[..70]);
    assert!(text.starts_with("input: record 1: cut off after 46 bytes"), "{text}");
    let text = bad("easyport", &pcap(LITTLE, false, 1, &segments())[..20]);
    assert!(text.starts_with("input: record 1: its header is cut off"), "{text}");
}

#[test]
fn a_capture_cut_anywhere_is_refused_or_whole_up_to_there() {
    for whole in [pcap(LITTLE, false, 1, &segments()), pcapng(LITTLE, 6, 1_000_000, &segments())] {
        // Every third is enough to meet every field, as fields are of 2 and 4 bytes.
        for length in (1..whole.len()).step_by(3) {
            let (_folder, path) = file("a.pcap", &whole[..length]);
            if let Ok(trace) = load(&path, Some("easyport"), &[]) {
                assert!(trace.events.len() < 12);
            }
        }
    }
}

#[test]
fn no_changed_byte_of_a_capture_makes_a_panic() {
    for whole in [pcap(LITTLE, true, 1, &segments()), pcapng(ByteOrder { big: true }, 6, 1_000_000, &segments())] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pcap");
        for place in (0..whole.len()).step_by(3) {
            for (change, workload) in [0x01, 0x80, 0xff].into_iter().zip(workloads()) {
                let mut bytes = whole.clone();
                bytes[place] ^= change;
                std::fs::write(&path, bytes).unwrap();
                // Many changes leave a good capture; whatever comes is an answer.
                if let Ok(trace) = load(&path, Some(workload.name), &[]) {
                    PackedTrace::new(&trace).unwrap();
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_panic(text in "(h - - \\[01/Jul/1995:00:00:01 -0400\\] \"GET [ -~]{0,9}\" 200 1\n)?[ -~é\t\\\\\"\\[]{0,80}\n[ -~\n\t]{0,80}") {
        let (_folder, path) = file("a.log", text.as_bytes());
        for keep in ["no", "yes"] {
            let keep = [("keep-damaged".to_owned(), keep.to_owned())];
            if let Ok(trace) = load(&path, Some("url"), &keep) {
                PackedTrace::new(&trace).unwrap();
            }
        }
    }
}

#[test]
fn a_length_that_cannot_be_is_named_by_record() {
    let mut bytes = pcap(LITTLE, false, 1, &segments());
    let second = 24 + 16 + 154;
    bytes[second + 15] = 0x7f;
    let text = bad("drr", &bytes);
    assert!(text.starts_with("input: record 2: a frame of 2130706486 bytes"), "{text}");
    bytes[second + 11] = 0x7f;
    let text = bad("drr", &bytes);
    assert!(text.starts_with("input: record 2: cut off after 550 bytes"), "{text}");
}

#[test]
fn damaged_compression_tells_how_far_it_went() {
    use std::io::Write;
    let mut frames = Vec::new();
    for _ in 0..2000 {
        frames.extend(segments());
    }
    let mut state = 1u32;
    for byte in frames.iter_mut().flat_map(|frame| frame.bytes[54..].iter_mut()) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (state >> 24) as u8;
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&pcap(LITTLE, false, 1, &frames)).unwrap();
    let bytes = gzip.finish().unwrap();
    let text = bad("easyport", &bytes[..bytes.len() / 2]);
    assert!(text.starts_with("cannot read input after record "), "{text}");
}

#[test]
fn a_log_line_that_does_not_parse_is_shown_by_number() {
    let good = "h - - [01/Jul/1995:00:00:01 -0400] \"GET / HTTP/1.0\" 200 1\n";
    let text =
        format!("{good}{good}this is no line of a log, and goes on for much longer than any message should\n{good}");
    assert_eq!(
        bad("url", text.as_bytes()),
        "input: line 3: no time in brackets: \"this is no line of a log, and goes on for much \
         longer than a…\"; --set keep-damaged=yes leaves such lines out"
    );
    let (_folder, path) = file("a.log", text.as_bytes());
    let keep = [("keep-damaged".to_owned(), "yes".to_owned())];
    assert!(load(&path, Some("url"), &keep).is_ok());
}

#[test]
fn a_tab_log_line_that_does_not_parse_is_shown_by_number() {
    let text = "host\ttime\turl\tbytes\nh\t1\t/a\t10\t\t\nh\tnow\t/a\t10\n";
    assert!(bad("url", text.as_bytes()).starts_with("input: line 3: the time is not a number"));
}

#[test]
fn a_file_of_no_known_format_names_the_list_of_formats() {
    for bytes in [&b"\x00\x01\x02binary"[..], b"Dear diary,\ntoday was fine.\n"] {
        let text = bad("drr", bytes);
        assert!(text.starts_with("unrecognised input format: input. Pass --as"), "{text}");
    }
}

#[test]
fn an_input_without_a_workload_lists_those_that_fit() {
    let text = wrong(None, &[], &pcap(LITTLE, false, 1, &segments()));
    assert_eq!(
        text,
        "input is a packet capture, not a trace: say what to make of it with --as drr or easyport \
         or url or netbench-url"
    );
    let text = wrong(None, &[], b"https://example.com/\n");
    assert!(text.ends_with("with --as url"), "{text}");
}

#[test]
fn wrong_names_get_the_right_ones() {
    let capture = pcap(LITTLE, false, 1, &segments());
    let text = wrong(Some("easyprot"), &[], &capture);
    assert_eq!(
        text,
        "there is no workload or importer \"easyprot\" (did you mean easyport?); there are drr, easyport, url, netbench-url, \
         distribution, \
         modem, java, random-half, sizes, every-other, treeadd, bisort, perimeter, voronoi, health, cfrac, board, systemview, esp-idf, nuttx, heaptrack, bytehound, mtrace, memory-replay, wee-alloc, lifetimes, csv, rep, calls"
    );
    let text = wrong(Some("drr"), &[("quantom", "1")], &capture);
    assert!(text.starts_with("drr has no parameter \"quantom\" (did you mean quantum?); it has rate,"));
    let text = wrong(Some("drr"), &[("quantum", "lots")], &capture);
    assert_eq!(text, "drr: quantum=lots makes no sense; it takes bytes from 16 to 1048576");
}

#[test]
fn a_workload_that_does_not_read_the_input_says_what_would() {
    let text = wrong(Some("drr"), &[], b"https://example.com/\n");
    assert_eq!(text, "input is a list of URLs, which drr does not read (its input: packet capture); url does");
}

#[test]
fn a_trace_needs_no_workload() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let trace = Trace::new(Origin::new("test", "x"));
    trace.write(&path).unwrap();
    assert_eq!(load(&path, None, &[]).unwrap(), trace);
    let error = load(&path, Some("drr"), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongUse);
}

#[test]
fn a_file_that_is_not_there_is_bad_input() {
    for format in [None, Some("drr"), Some("mtrace")] {
        let error = load("no/such/file".as_ref(), format, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadInput, "{error}");
    }
}

#[test]
fn every_workload_is_described() {
    for listed in workloads() {
        assert_eq!(workload(listed.name).map(|found| found.name), Some(listed.name));
        assert!(!listed.about.is_empty() && !listed.source.is_empty() && !listed.input.is_empty());
        for parameter in listed.parameters {
            assert!(!parameter.about.is_empty() && !parameter.default.is_empty());
        }
    }
}
