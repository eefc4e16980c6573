//! Builds each folder of `examples/` by its own build files and checks what it demonstrates.
//!
//! That the heaps in it are what the command emits is shown by `heapsmith-cli`'s tests in `emit`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use heapsmith_emit::Name;
use heapsmith_spec::resolve;
use heapsmith_trace::{Operation, PackedEvent, PackedTrace};
use heapsmith_workload::load;

use crate::differential::heaps::Heap;
use crate::differential::programs::{Program, Request};
use crate::differential::tape::{Kind, NONE, Step};
use crate::differential::{record, tape};

/// The heap of the firmware.
const PACKET_HEAP: &str = "freelists(54,66,74,78,94,337,347,370,376,378,386,394,441,939,1309,1514) \
    list(order=address, fit=first, split>=66, coalesce=immediate)";

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Runs a program and returns what it wrote.
fn run(command: &mut Command, install: &str) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; install {install}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}\n{stderr}\n(it needs {install})", output.status);
    text
}

fn make(name: &str, out: &Path, goal: Option<&str>, install: &str) -> String {
    let mut make = Command::new("make");
    make.arg(format!("OUT={}", out.display())).args(goal).current_dir(example(name));
    run(&mut make, install)
}

/// The first events of the sample that the firmware's heap was measured on.
fn events() -> Vec<PackedEvent> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/web.pcap.xz");
    let trace = load(&sample, Some("easyport"), &[]).unwrap_or_else(|error| panic!("{error}"));
    let packed = PackedTrace::new(&trace).unwrap_or_else(|error| panic!("{error}"));
    packed.events[..6000].to_vec()
}

/// The events as the malloc lab writes them: every block has an id of its own.
fn rep(events: &[PackedEvent]) -> String {
    let (mut ids, mut next, mut lines) = (HashMap::new(), 0, String::new());
    for event in events {
        let line = match event.operation {
            Operation::Allocate => {
                ids.insert(event.slot, next);
                next += 1;
                format!("a {} {}\n", next - 1, event.size)
            }
            Operation::Free => format!("f {}\n", ids[&event.slot]),
            Operation::Reallocate => format!("r {} {}\n", ids[&event.slot], event.size),
        };
        lines.push_str(&line);
    }
    format!("0\n{next}\n{}\n1\n{lines}", events.len())
}

/// The hash that the firmware makes of offsets, of what the explored heap answers.
fn hash_of_offsets(steps: &[Step]) -> u64 {
    let served = steps.iter().filter(|step| matches!(step.kind, Kind::Allocate | Kind::Reallocate));
    let bytes: Vec<u8> = served
        .flat_map(|step| {
            assert_ne!(step.answer, NONE, "the region has room");
            (step.answer as u32).to_le_bytes()
        })
        .collect();
    tape::hash(&bytes)
}

/// The numbers of a line `name: … instructions mean M worst W`.
fn instructions(text: &str, name: &str) -> (f64, u64) {
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {text}"));
    let after = |word: &str| {
        let mut words = line.split_whitespace().skip_while(|&found| found != word);
        words.nth(1).expect("a number").to_owned()
    };
    (after("mean").parse().expect("a number"), after("worst").parse().expect("a number"))
}

#[test]
fn the_firmware_gives_the_explored_addresses_and_is_faster_than_the_c_library() {
    const NEEDS: &str = "make, gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm";
    let dir = tempfile::tempdir().expect("a folder");
    let events = events();
    std::fs::write(dir.path().join("trace.rep"), rep(&events)).expect("the trace is written");
    let requests = events.into_iter().map(Request::Traced).collect();
    let name = Name::new("packet_heap").expect("a name");
    let heap = Heap { name, ..Heap::new(0, resolve(PACKET_HEAP).expect("a heap")) };
    let tape = record::tape(&heap, 0, &Program { region: 1 << 20, requests, every: usize::MAX });
    let mut images = tape.steps.iter().filter(|step| step.kind == Kind::Image);
    let peak = images.next_back().expect("the last image").size;

    make("firmware", dir.path(), None, NEEDS);
    let text = make("firmware", dir.path(), Some("run"), NEEDS);
    println!("{text}");
    let offsets = format!("offsets {:016x} peak {peak} broken 0", hash_of_offsets(&tape.steps));
    assert!(text.lines().any(|line| line == offsets), "expected {offsets}\n{text}");
    let ((mean, worst), (library_mean, library_worst)) =
        (instructions(&text, "packet_heap:"), instructions(&text, "malloc:"));
    assert!(mean < library_mean && worst < library_worst, "{text}");
}

/// A server that is killed when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_server_refuses_what_does_not_fit_and_goes_on() {
    let dir = tempfile::tempdir().expect("a folder");
    make("server", dir.path(), None, "make, build-essential");
    let mut child = Command::new(dir.path().join("server")).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = String::new();
    let out = child.stdout.take().expect("a pipe");
    let mut server = Server(child);
    BufReader::new(out).read_line(&mut said).expect("it says where it listens");
    let port: u16 = said.split_whitespace().last().and_then(|port| port.parse().ok()).expect("a port");
    let mut out = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let mut answers = BufReader::new(out.try_clone().expect("a socket")).lines();
    let mut ask = |line: &str| {
        out.write_all(format!("{line}\n").as_bytes()).expect("it reads");
        answers.next().expect("an answer").expect("text")
    };
    assert_eq!(ask("set city Paris"), "ok");
    assert_eq!(ask("set city Rome, the eternal"), "ok");
    assert_eq!(ask("get city"), "Rome, the eternal");
    assert_eq!(ask("get town"), "none");
    let value = "x".repeat(1000);
    let stored = (0..1000).take_while(|number| ask(&format!("set key{number} {value}")) == "ok").count();
    assert!((150..260).contains(&stored), "{stored} values of 1,000 bytes in 256 KiB");
    assert_eq!(ask(&format!("set one-more {value}")), "error: the heap is full");
    assert!(ask("stats").ends_with("broken 0"));
    assert_eq!(ask("get city"), "Rome, the eternal");
    (0..stored).for_each(|number| assert_eq!(ask(&format!("del key{number}")), "ok"));
    assert_eq!(ask(&format!("set one-more {value}")), "ok");
    assert!(ask("stats").ends_with("broken 0"));
    out.write_all(b"quit\n").expect("it reads");
    assert!(server.0.wait().expect("it ends").success());
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn the_global_allocator_serves_a_program_of_threads() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--offline", "--locked", "--target-dir"]).arg(dir.path());
    let text = run(cargo.current_dir(example("global")), "a Rust toolchain");
    assert!(text.contains(" heap\n") && text.ends_with("the heap is sound\n"), "{text}");
}

#[test]
fn the_examples_build_with_cmake() {
    let dir = tempfile::tempdir().expect("a folder");
    let arm = [
        "-DCMAKE_SYSTEM_NAME=Generic",
        "-DCMAKE_C_COMPILER=arm-none-eabi-gcc",
        "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
    ];
    for (name, flags, program) in [("server", &[][..], "server"), ("firmware", &arm[..], "firmware.elf")] {
        let build = dir.path().join(name);
        run(Command::new("cmake").arg("-S").arg(example(name)).arg("-B").arg(&build).args(flags), "cmake");
        run(Command::new("cmake").arg("--build").arg(&build), "cmake");
        assert!(build.join(program).exists(), "{name}");
    }
}
