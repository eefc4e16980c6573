//! What boards record with tools of their own: SystemView, ESP-IDF's script, NuttX's notes.

use crate::made::{read, refusal, text};
use crate::packets::{ALLOC, FREE, HEAP_MODULE, Stream, esp_idf};
use heapsmith_import::Imported;
use heapsmith_trace::Trace;
use proptest::prelude::*;

fn systemview(bytes: &[u8]) -> (Trace, Imported) {
    let (trace, imported) = read(bytes, None, false).unwrap().expect("it is recognised");
    assert_eq!(imported.origin.program, "systemview");
    (trace, imported)
}

fn times(trace: &Trace) -> Vec<u64> {
    trace.events.iter().map(|event| event.time.0 / 1000).collect()
}

fn threads(trace: &Trace) -> Vec<u32> {
    trace.events.iter().map(|event| event.thread).collect()
}

#[test]
fn a_saved_recording_and_its_stream_are_one() {
    let (trace, imported) = systemview(&esp_idf().0);
    assert_eq!(systemview(&esp_idf().saved("")).0, trace);
    assert_eq!(times(&trace), [20, 25, 30, 35, 40, 45]);
    assert_eq!(trace.sites, ["0x40082e5f:0x400d9c2d", "0x40082e5f"]);
    assert_eq!((imported.remarks, imported.origin.settings), (vec![], vec![]));
}

#[test]
fn events_of_seggers_own_are_shifted_and_of_several_heaps() {
    let stream = Stream::begin()
        .with(31, &[2, 4, 4, 1024, 8])
        .with(31, &[3, 4, 0x40, 25])
        .with(31, &[4, 9, 0x40, 8, 0x77])
        .with(31, &[5, 9, 0x40])
        .with(31, &[5, 4, 0x40])
        .with(31, &[3, 4, 0x3800_0000, 25])
        .with(31, &[7, 1]);
    let (trace, imported) = systemview(&stream.0);
    assert_eq!(text(&trace), "+0:100 +1:32 -1 -0");
    assert_eq!(trace.sites, ["tag 0x77"]);
    let remarks = [
        "the board has several heaps: their requests are in one trace",
        "1 request that the program's own heap refused, left out",
    ];
    assert_eq!(imported.remarks, remarks);
    assert_eq!(imported.origin.settings[0].0, "sizes");
}

#[test]
fn cores_in_parts_are_one_trace_in_the_order_of_time() {
    let first = Stream::begin().with_module(ALLOC, HEAP_MODULE).with(17, &[]).with(ALLOC, &[0x10, 100]);
    let first = first.with(17, &[]).with(FREE, &[0x20]);
    let second =
        Stream::begin().with(17, &[]).with(17, &[]).with(17, &[]).with(ALLOC, &[0x20, 200]).with(FREE, &[0x10]);
    let lines = format!("; Author      Espressif Inc\n; Offset Core0 0\n; Offset Core1 {}\n", first.0.len());
    let both = || Stream([&first.0[..], &second.0].concat());
    let (trace, _) = systemview(&both().saved(&lines));
    // Core 0: 20 and 30; core 1: 25 and 30.
    assert_eq!(text(&trace), "+0:100 +1:200 -1 -0");
    assert_eq!(times(&trace), [20, 25, 30, 30]);
    assert_eq!(threads(&trace), [0, 1, 0, 1]);
    // A part that is too short or out of order is damage, not another trace.
    let short = refusal(&both().saved(&lines.replace("Core1 ", "Core1 1")), None);
    assert!(short.contains("no ten zero bytes"), "{short}");
    let wrong = Stream::begin().saved("; Offset Core0 9\n; Offset Core1 9\n");
    assert!(refusal(&wrong, None).contains("not one after the other"));
}

#[test]
fn older_recordings_have_the_core_in_the_event() {
    let stream = Stream::begin().with_module(ALLOC, HEAP_MODULE).with(4, &[7]).on_second_core(4, &[8]);
    let stream = stream.with(ALLOC, &[0x10, 100]).on_second_core(ALLOC, &[0x20, 200]).with(FREE, &[0x20]);
    let (trace, _) = systemview(&stream.saved("; Author      Espressif Inc\n; ESP_Extension\n"));
    assert_eq!((text(&trace).as_str(), threads(&trace)), ("+0:100 +1:200 -1", vec![0, 1, 0]));
}

#[test]
fn a_module_that_was_never_described_is_at_its_usual_place() {
    let stream = |system: &str| Stream::begin().with_system(system).with(ALLOC, &[0x10, 100]);
    assert_eq!(text(&systemview(&stream("N=x,D=esp32c6,O=FreeRTOS").0).0), "+0:100");
    assert!(refusal(&stream("N=x,D=stm32,O=FreeRTOS").0, None).contains("none of a heap"));
    // Another module has that place: the heap's comes behind it.
    let other =
        Stream::begin().with_system("D=esp32").with_module(ALLOC, "M=ESP_FunctionTrace,V=1").with(ALLOC, &[1, 2]);
    assert!(refusal(&other.0, None).contains("CONFIG_HEAP_TRACING_TOHOST"));
    let both = other.with_module(514, HEAP_MODULE).with(514, &[0x10, 100]).with(515, &[0x10]);
    assert_eq!(text(&systemview(&both.0).0), "+0:100 -0");
}

#[test]
fn threads_are_tasks_interrupts_and_idle() {
    let event = |stream: Stream, address: u32| stream.with(ALLOC, &[address, 8]);
    let stream = event(Stream::begin().with_module(ALLOC, HEAP_MODULE), 1); // nobody knows
    let stream = event(stream.with(4, &[7]), 2); // task 7
    let stream = event(stream.with(2, &[7]), 3); // interrupt 7
    let stream = event(stream.with(3, &[]), 4); // task 7
    let stream = event(stream.with(7, &[7, 0]), 5); // nobody
    let stream = event(stream.with(2, &[7]).with(18, &[]).with(4, &[9]), 6); // task 9
    assert_eq!(threads(&systemview(&stream.0).0), [0, 1, 2, 1, 0, 3]);
}

#[test]
fn losses_are_told_and_ends_are_where_the_bytes_end() {
    let lossy = esp_idf().with(1, &[3]).with(1, &[9]).with(1, &[9]);
    // Three times the buffer was full: 3, 6 and 0 packets that were counted, and the first of each.
    let (_, imported) = systemview(&lossy.0);
    assert!(imported.remarks[0].starts_with("12 events were lost on the board"), "{:?}", imported.remarks);
    let whole = esp_idf().0;
    for cut in 1..9 {
        let (trace, imported) = systemview(&whole[..whole.len() - cut]);
        assert_eq!((trace.events.len(), &*imported.remarks[0]), (5, "the recording ends within a packet"));
    }
    let middle = [&[9, 9, 0, 0, 10, 24], &whole[..]].concat();
    let (trace, imported) = systemview(&middle);
    assert_eq!(trace, systemview(&whole).0);
    assert_eq!(imported.remarks, ["the recording was under way: 6 bytes before its first begin, left out"]);
    // A buffer that is overwritten begins again and again.
    let again = [&whole[..], &Stream::begin().with(ALLOC, &[0x10, 8]).0].concat();
    assert_eq!(systemview(&again).0.events.len(), 7);
}

#[test]
fn packets_that_cannot_be_are_damage() {
    let begin = || Stream::begin().with_module(ALLOC, HEAP_MODULE).with(ALLOC, &[0x10, 100]);
    let raw = |bytes: &[u8]| [&begin().0[..], bytes].concat();
    for (bytes, cause) in [
        (begin().with(ALLOC, &[0x10]).0, "record 5: an event of the heap without address or size"),
        (begin().with(31, &[3, 1, 1]).0, "record 5: an event of the heap without heap, address or size"),
        (begin().with(31, &[3, 1, 1, u32::MAX]).0, "a request of more than 4 GB"),
        (begin().with(24, &[1, 1, 1, 99]).0, "shifted by 99 bits"),
        (begin().with(24, &[1]).0, "without the clock"),
        (begin().with(40_000, &[]).0, "an event 40000; the last is 32767"),
        (raw(&[1, 0xff, 0xff, 0xff, 0xff, 0x1f, 5]), "a number of more than 32 bits"),
        (raw(&[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), "a number of more than 32 bits"),
        (raw(&[40, 0xff, 0xff, 0x7f]), "a packet of 2097151 bytes"),
    ] {
        let told = refusal(&bytes, None);
        assert!(told.contains(cause), "{told}");
        assert_eq!(text(&read(&bytes, None, true).unwrap().unwrap().0), "+0:100");
    }
}

const SCRIPT: &str = "EVENT[7]: 0.000006650 - core[0].svInit(24), plen 14: []\n\
    [0.001650800] HEAP: Allocated 8 bytes @ 0x3ffb68a0 from task \"main on core 7\" on core 0 by: \n\
    ??:0\n/idf/components/heap/heap_caps.c:84\n/idf/components/newlib/src/heap.c:25\n/app/main/log.c:83\n/idf/components/freertos/port.c:141\n\n\
    [0.001650800] HEAP: Allocated 8 bytes @ 0x3ffb68a0 from task \"main on core 7\" on core 0 by: \n/idf/components/heap/heap_caps.c:84\n\n\
    [0.002] LOG: I (298) example: a message\nof two lines\n\
    [0.003606975] HEAP: Freed bytes @ 0x3ffb68a0 from IRQ \"TIMER\" on core 1 by: 0x40082e5f:0x400d9c2d\n\
    [0.004] HEAP: Allocated 9 bytes @ 0x3ffb68a0 from task \"main on core 7\" on core 1 by: 0x40082e5f\n\
    [0.005] HEAP: Allocated 9 bytes @ 0x0 from task \"x\" on core 1 by: 0x40082e5f\n\
    Processed 2641 events\n=============== HEAP TRACE REPORT ===============\nProcessed 3 heap events.\n\
    [0.004] HEAP: Allocated 9 bytes @ 0x3ffb68a0 from task \"main on core 7\" on core 1 by: 0x40082e5f\n\
    Found 9 leaked bytes in 1 blocks.\n";

#[test]
fn the_script_of_esp_idf_is_read_up_to_its_report() {
    let (trace, imported) = read(SCRIPT.as_bytes(), None, false).unwrap().unwrap();
    assert_eq!((imported.origin.program.as_str(), text(&trace).as_str()), ("esp-idf", "+0:8 -0 +1:9"));
    assert_eq!(
        (trace.sites.as_slice(), threads(&trace)),
        (&["/app/main/log.c:83".into(), "0x40082e5f".into()][..], vec![0, 1, 0])
    );
    assert_eq!(trace.events[1].time.0, 3_606_975);
    assert_eq!(imported.remarks, ["1 request that the program's own heap refused, left out"]);
}

#[test]
fn what_esp_idf_prints_that_makes_no_trace_says_what_to_use() {
    let report = &SCRIPT[SCRIPT.find("Processed 2641").unwrap()..];
    let dump = "I (300) x: y\n====== Heap Trace: 2 records (8 capacity) ======\n     6 bytes (@ 0x3fffb1c0, Internal) allocated CPU 0 ccount 0x1a caller 0x400d1\n";
    let begin = "====== Heap Trace: 2 records (8 capacity) ======\n";
    let json = "{\n    \"events\": [\n        {\n            \"core_id\": 0,\n            \"ctx_name\": \"IDLE1\",\n";
    for (bytes, wanted) in [
        (report, "run sysviewtrace_proc.py with -p"),
        (dump, "CONFIG_HEAP_TRACING_TOHOST"),
        (begin, "record --board"),
        (json, "import the .svdat file"),
    ] {
        for named in [None, Some("esp-idf")] {
            let told = refusal(bytes.as_bytes(), named);
            assert!(told.contains(wanted) && told.starts_with("input makes no trace: "), "{told}");
            assert!(read(bytes.as_bytes(), named, true).is_err());
        }
    }
}

/// Notes of NuttX, as its driver prints them.
fn notes(lines: &[(&str, u64, &str)]) -> String {
    let lines = lines.iter().map(|(task, microseconds, what)| {
        let (seconds, nanoseconds) = (microseconds / 1_000_000, microseconds % 1_000_000 * 1000);
        format!("{task:>8}-{:<3} [0] {seconds:>3}.{nanoseconds:09}: {what}\n", 7)
    });
    format!("# tracer: nop\n#\n{}", lines.collect::<String>())
}

#[test]
fn notes_of_nuttx_are_of_nodes() {
    let usage = |task: u32, what: &str| format!("tracing_mark_write: C|{task}|Heap Usage|4096|{what}");
    let text_of = notes(&[
        (
            "init",
            900_000,
            "sched_switch: prev_comm=init prev_pid=3 prev_prio=100 prev_state=R ==> next_comm=a next_pid=7 next_prio=100",
        ),
        ("init", 950_000, &usage(7, "add: heap: 0x2000a000 size:40960, address: 0x2000a100")),
        ("a [1] b-c", 1_000_000, &usage(7, "malloc: heap: 0x2000a000 size:48, address: 0x2000b0f8")),
        ("hello", 1_000_250, &usage(8, "malloc: heap: 0x2000a000 size:64, address: 2000c0f8")),
        ("hello", 1_000_260, "tracing_mark_write: C|8|counter|5"),
        ("hello", 1_000_500, &usage(8, "free: heap: 0x2000a000 size:48, address: 0x2000b0f8")),
    ]);
    let (trace, imported) = read(text_of.as_bytes(), None, false).unwrap().unwrap();
    assert_eq!((imported.origin.program.as_str(), text(&trace).as_str()), ("nuttx", "+0:48 +1:64 -0"));
    assert_eq!((times(&trace), threads(&trace)), (vec![50_000, 50_250, 50_500], vec![0, 1, 1]));
    assert!(imported.origin.settings.iter().any(|(name, value)| name == "sizes" && value.contains("header")));
    let cut = &text_of[..text_of.len() - 30];
    assert!(
        refusal(cut.as_bytes(), None).contains("line 8: not `C|TASK|Heap Usage|"),
        "{}",
        refusal(cut.as_bytes(), None)
    );
    let other = notes(&[("init", 900_000, "irq_handler_entry: irq=15 name=timer")]);
    assert!(refusal(other.as_bytes(), None).contains("CONFIG_SCHED_INSTRUMENTATION_HEAP"));
    // Linux writes its traces in nearly the same form.
    let linux = "  <idle>-0     [001] d..2  1150.123456: tracing_mark_write: C|7|Heap Usage|4096\n";
    assert!(read(linux.as_bytes(), None, false).unwrap().is_none());
}

proptest! {
    /// What requests are written, those are read: whatever else happens between them.
    #[test]
    fn requests_come_back_between_other_events(
        requests in proptest::collection::vec((1_u32..40, 1_u32..5000, any::<bool>(), 0_u32..24), 1..80),
        seggers in any::<bool>(),
    ) {
        let mut stream = Stream::begin();
        if !seggers {
            stream = stream.with_module(ALLOC, HEAP_MODULE);
        }
        let (mut live, mut wanted, mut births) = (std::collections::BTreeMap::new(), Vec::new(), 0);
        for (address, size, frees, other) in requests {
            // Events with text are written elsewhere, and a loss is remarked.
            const NUMBERS: [Option<usize>; 24] = [
                Some(0), None, Some(1), Some(0), Some(1), Some(0), Some(1), Some(2), Some(1), None, Some(0), Some(0),
                Some(1), Some(2), None, Some(1), Some(1), Some(0), Some(0), Some(1), Some(0), Some(4), None, Some(2),
            ];
            if let Some(numbers) = NUMBERS[other as usize] {
                stream = stream.with(other, &[300, 7, 1 << 20, u32::MAX][..numbers]);
            }
            let (size, place) = (size * 4, address * 64);
            match (frees, live.remove(&address)) {
                (true, Some(id)) => {
                    wanted.push(format!("-{id}"));
                    stream = if seggers { stream.with(31, &[5, 1, place]) } else { stream.with(FREE, &[place, 0]) };
                }
                (_, known) => {
                    wanted.extend(known.map(|id: u64| format!("-{id}")));
                    wanted.push(format!("+{births}:{size}"));
                    live.insert(address, births);
                    births += 1;
                    stream = if seggers { stream.with(31, &[3, 1, place, size / 4]) } else { stream.with(ALLOC, &[place, size, 0]) };
                }
            }
        }
        let (trace, _) = systemview(&stream.0);
        prop_assert_eq!(text(&trace), wanted.join(" "));
    }
}
