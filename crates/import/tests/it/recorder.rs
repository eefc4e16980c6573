//! The recorder for boards (`trace/`), compiled here: what it records comes out of the importer, on every kind of processor.
//!
//! ```text
//!   random requests ──▶ player.c + heapsmith_trace.c ──stream──▶ importer "board" ──▶ events ═?
//!          └─────────────────────────── as CSV ──────────────▶ importer "csv"   ──▶ events
//! ```

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use heapsmith_trace::Trace;
use tempfile::TempDir;

use crate::made::{read, text};

/// Events that the ring takes, and those that a request may need.
const EVENTS: usize = 64;
const REQUEST: usize = 10;

/// The recorder's options in the player: a clock of 1,000 ticks a second, tasks and callers.
const OPTIONS: [&str; 10] = [
    "-DHEAPSMITH_TRACE_WRITE=player_write",
    "-DHEAPSMITH_TRACE_EVENTS=64U",
    "-DHEAPSMITH_TRACE_HZ=1000U",
    "-DHEAPSMITH_TRACE_CLOCK=player_ticks",
    "-DHEAPSMITH_TRACE_TASK=player_task",
    "-DHEAPSMITH_TRACE_SITE=player_site",
    "-include",
    "player.h",
    "-std=c99",
    "-O1",
];

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trace")
}

/// A player, compiled by a compiler, and what it is started with.
struct Player {
    _folder: TempDir,
    command: Vec<String>,
}

impl Player {
    fn new(compiler: &[&str], emulator: &[&str]) -> Player {
        let folder = tempfile::tempdir().expect("a folder");
        let header = "#include <stdint.h>\nuint32_t player_ticks(void);\nuint32_t player_task(void);\nuint32_t player_site(void);\n";
        std::fs::write(folder.path().join("player.h"), header).expect("it is written");
        let program = folder.path().join("player");
        let mut cc = Command::new(compiler[0]);
        cc.args(&compiler[1..]).args(OPTIONS).arg("-I").arg(folder.path()).arg("-I").arg(files());
        cc.arg(files().join("heapsmith_trace.c"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/recorder/player.c"));
        let output = cc.arg("-o").arg(&program).output().unwrap_or_else(|error| panic!("{cc:?}: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let command = emulator.iter().map(|&word| word.to_owned()).chain([program.display().to_string()]).collect();
        Player { _folder: folder, command }
    }

    /// The stream, and how many events the recorder says were lost.
    fn play(&self, lines: &str) -> (Vec<u8>, u64) {
        let mut player = Command::new(&self.command[0]);
        player.args(&self.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = player.spawn().unwrap_or_else(|error| panic!("{player:?}: {error}"));
        let mut input = child.stdin.take().expect("a pipe");
        let lines = lines.to_owned();
        let writer = thread::spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("it does not panic").expect("all is read");
        assert!(output.status.success(), "{}", output.status);
        let lost = String::from_utf8_lossy(&output.stderr).trim().parse().expect("a number");
        (output.stdout, lost)
    }
}

/// Requests for a player, and the same as CSV.
struct Requests {
    lines: String,
    csv: String,
}

/// Random requests at addresses of `bits` bits; drained after each request, by `bytes` of the link at once.
fn random(count: u64, bits: u32, bytes: u64) -> Requests {
    let mut requests =
        Requests { lines: String::new(), csv: "action,id,size,alignment,old,time,thread,site\n".to_owned() };
    let mut random = 7_u64;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let (mut live, mut ticks): (Vec<u64>, u64) = (Vec::new(), 5000);
    for number in 1..=count {
        ticks += draw(3);
        let (task, site) = (draw(2), [0_u64, 0x800_1234][draw(2) as usize]);
        let named = if site == 0 { String::new() } else { format!("{site:#x}") };
        let tail = format!("{},{task},{named}", (ticks - 5000) * 1_000_000);
        writeln!(requests.lines, "c {ticks} {task} {site:x}").expect("a string");
        let address = (number << (bits - 20)) + 0x40 + number * 8;
        let size = if draw(20) == 0 { 0xff_fffe + draw(4) } else { draw(5000) };
        match draw(10) {
            0..4 if !live.is_empty() => {
                let block = live.swap_remove(draw(live.len() as u64) as usize);
                writeln!(requests.lines, "f {block:x}").expect("a string");
                writeln!(requests.csv, "f,{block:#x},,,,{tail}").expect("a string");
            }
            4 if !live.is_empty() => {
                let at = draw(live.len() as u64) as usize;
                let old = std::mem::replace(&mut live[at], address);
                writeln!(requests.lines, "r {old:x} {address:x} {}", size + 1).expect("a string");
                writeln!(requests.csv, "r,{address:#x},{},,{old:#x},{tail}", size + 1).expect("a string");
            }
            5 => writeln!(requests.lines, "a 0 {size} 0").expect("a string"),
            other => {
                let alignment = if other == 6 { 64 } else { 0 };
                live.push(address);
                writeln!(requests.lines, "a {address:x} {size} {alignment}").expect("a string");
                writeln!(requests.csv, "a,{address:#x},{size},{alignment},,{tail}").expect("a string");
            }
        }
        writeln!(requests.lines, "d {bytes}").expect("a string");
    }
    requests.lines.push_str("e\n");
    requests
}

/// The stream of a player has the events that it was told, and its start, end and order.
fn tells_all(player: &Player, bits: u32) {
    for bytes in [u64::from(u32::MAX), 200, 61] {
        let requests = random(3000, bits, bytes);
        let (stream, lost) = player.play(&requests.lines);
        let (mut trace, imported) = read(&stream, None, false).unwrap().expect("its mark says what it is");
        let (mut wanted, _) = read(requests.csv.as_bytes(), Some("csv"), false).unwrap().unwrap();
        assert_eq!((lost, imported.origin.program.as_str()), (0, "board"));
        let refused = imported.remarks.iter().all(|remark| remark.contains("the program's own heap refused"));
        assert!(refused && imported.remarks.len() == 1, "{:?}", imported.remarks);
        // The first time that a stream has is its beginning.
        let begin = trace.events[0].time.0;
        let began = wanted.events[0].time.0;
        trace.events.iter_mut().for_each(|event| event.time.0 -= begin);
        wanted.events.iter_mut().for_each(|event| event.time.0 -= began);
        assert_eq!(trace.sites, wanted.sites);
        for (at, (event, wanted)) in trace.events.iter().zip(&wanted.events).enumerate() {
            assert_eq!(event, wanted, "event {at}");
        }
        assert_eq!(trace.events.len(), wanted.events.len());
    }
}

#[test]
fn a_board_of_64_bits_tells_what_it_did() {
    tells_all(&Player::new(&["cc"], &[]), 47);
}

#[test]
fn a_board_in_c_of_32_bits_tells_what_it_did() {
    tells_all(&Player::new(&["cc", "-m32"], &[]), 32);
}

#[test]
fn a_board_of_big_endian_tells_what_it_did() {
    let player = Player::new(&["powerpc-linux-gnu-gcc", "-static"], &["qemu-ppc"]);
    tells_all(&player, 32);
    let (stream, _) = player.play("a 100 20 0\nd 1000\n");
    assert!(stream.starts_with(b"HEAPSMIT"), "the board's own order");
}

/// Allocations of `sizes` at addresses of their own.
fn allocations(sizes: impl Iterator<Item = usize>) -> String {
    sizes.fold(String::new(), |lines, size| lines + &format!("a {:x} {size} 0\n", 0x1000 + size * 16))
}

#[test]
fn nothing_is_lost_up_to_the_ring_and_what_is_beyond_it_is_said() {
    let player = Player::new(&["cc"], &[]);
    // A context comes first: its event is one that the ring takes.
    let room = EVENTS - REQUEST + 1;
    let burst = |count: usize| format!("{}d 1000000\na 99990 7 0\nd 1000000\n", allocations(1..=count));
    let (stream, lost) = player.play(&burst(room));
    let (trace, imported) = read(&stream, None, false).unwrap().unwrap();
    assert_eq!((trace.events.len(), lost, imported.remarks.len()), (room + 1, 0, 0));
    for beyond in [1, 2, 100] {
        let (stream, lost) = player.play(&burst(room + beyond));
        let (trace, imported) = read(&stream, None, false).unwrap().unwrap();
        assert_eq!((trace.events.len(), lost), (room + 1, beyond as u64));
        let said = format!("{beyond} requests were lost on the board");
        assert!(imported.remarks.iter().any(|remark| remark.starts_with(&said)), "{:?}", imported.remarks);
    }
    // The last requests were lost: nothing follows that could say so, but a mark does.
    let (stream, _) = player.play(&format!("{}d 1000000\n", allocations(1..=room + 5)));
    let (_, imported) = read(&stream, None, false).unwrap().unwrap();
    assert!(imported.remarks[0].starts_with("5 requests were lost"), "{:?}", imported.remarks);
}

#[test]
fn a_link_that_loses_bytes_is_found_out() {
    let (stream, _) = Player::new(&["cc"], &[]).play(&format!("{}d 1000000\n", random(400, 47, 1 << 30).lines));
    for (from, count) in [(500, 1), (504, 8), (777, 3), (2000, 64)] {
        let mut cut = stream.clone();
        cut.drain(from..from + count);
        let error = read(&cut, None, false).unwrap_err().to_string();
        assert!(["check", "kind", "lost bytes", "belongs"].iter().any(|cause| error.contains(cause)), "{error}");
        let (trace, _) = read(&cut, None, true).unwrap().unwrap();
        assert!(!trace.events.is_empty());
    }
}

#[test]
fn a_recording_may_begin_anywhere_and_end_in_the_middle() {
    let player = Player::new(&["cc"], &[]);
    let (stream, _) = player.play(&format!("{}d 1000000\n", random(1000, 47, 1 << 30).lines));
    let marks: Vec<usize> = (1..stream.len() - 8).filter(|&at| stream[at..].starts_with(b"PAEHTIMS")).collect();
    let (trace, imported) = read(&stream[marks[0] - 13..stream.len() - 30], None, false).unwrap().unwrap();
    assert!(trace.events.len() > 500);
    assert!(
        imported.remarks[0].starts_with("the recording was under way: 256 events, 13 bytes before the first mark"),
        "{:?}",
        imported.remarks
    );
}

#[test]
fn a_reset_frees_what_was_live() {
    let player = Player::new(&["cc"], &[]);
    let (first, _) = player.play("a 100 1 0\na 200 2 0\nd 1000\n");
    let (second, _) = player.play("a 200 3 0\nf 200\nd 1000\ne\n");
    for partial in [0, 3] {
        let both = [&first[..], &first[24..24 + partial], &second].concat();
        let (trace, imported): (Trace, _) = read(&both, None, false).unwrap().unwrap();
        assert_eq!(text(&trace), "+0:1 +1:2 -0 -1 +2:3 -2");
        assert!(imported.remarks[0].starts_with("the board was reset after"), "{:?}", imported.remarks);
    }
}
