//! Every importer on a good file, a damaged one and a foreign one; and what is odd about formats.

use std::fmt::Write;

use crate::made::{self, all, read, refusal, text};
use heapsmith_import::importers;
use heapsmith_trace::{Action, Bytes, PackedTrace, Statistics};

#[test]
fn every_importer_is_told_by_content_and_reads_its_good_file() {
    for made in all() {
        let (trace, imported) = read(&made.good, None, false).unwrap().expect("its content says what it is");
        assert_eq!(imported.origin.program, made.importer);
        assert_eq!(text(&trace), made.wanted, "{}", made.importer);
        PackedTrace::new(&trace).unwrap();
        let (named, _) = read(&made.good, Some(made.importer), false).unwrap().unwrap();
        assert_eq!(named, trace);
    }
    for importer in importers() {
        assert!(all().iter().any(|made| made.importer == importer.name), "{} has no file", importer.name);
    }
}

#[test]
fn windows_line_ends_and_byte_order_marks_change_nothing() {
    for made in all().iter().filter(|made| !matches!(made.importer, "board" | "bytehound" | "systemview")) {
        let unix = String::from_utf8(made.good.clone()).unwrap();
        let windows = format!("\u{feff}{}", unix.replace('\n', "\r\n"));
        let (trace, imported) = read(windows.as_bytes(), None, false).unwrap().unwrap();
        assert_eq!((imported.origin.program.as_str(), text(&trace).as_str()), (made.importer, made.wanted));
    }
}

#[test]
fn damage_is_told_by_place_and_cause() {
    let mut told = String::new();
    for made in all() {
        writeln!(told, "{}\n    {}", made.importer, refusal(&made.damaged, Some(made.importer))).unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_comes_before_the_damage_is_kept_when_asked_for() {
    for made in all() {
        let (trace, imported) = read(&made.damaged, Some(made.importer), true).unwrap().unwrap();
        assert!(!trace.events.is_empty(), "{}", made.importer);
        PackedTrace::new(&trace).unwrap();
        assert!(imported.remarks.iter().any(|remark| remark.contains("before the damage")), "{:?}", imported.remarks);
    }
}

#[test]
fn reallocations_with_an_alignment_are_counted() {
    let text = b"action,id,size,alignment\na,1,10,64\na,2,100,\nr,1,1000,64\nr,2,200,16\n";
    let (trace, imported) = read(text, None, false).unwrap().unwrap();
    assert_eq!(trace.events.len(), 4);
    let [remark] = &imported.remarks[..] else { panic!("{:?}", imported.remarks) };
    assert!(remark.starts_with("1 reallocation with an alignment"), "{remark}");
}

#[test]
fn foreign_files_are_refused_and_named() {
    let foreign: [(&str, &[u8]); 4] = [
        ("an ELF file", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0"),
        ("a letter", b"dear diary,\ntoday nothing was allocated\n"),
        ("JSON", b"{\"traceEvents\": []}\n"),
        ("a wee_alloc trace", b"Alloc(100),\nFree(0),\n"),
    ];
    let mut told = String::new();
    for importer in importers() {
        for (name, bytes) in foreign {
            if importer.name != "wee-alloc" || name != "a wee_alloc trace" {
                writeln!(told, "{} on {name}\n    {}", importer.name, refusal(bytes, Some(importer.name))).unwrap();
            }
        }
    }
    insta::assert_snapshot!(told);
    for (name, bytes) in &foreign[..3] {
        assert!(read(bytes, None, false).unwrap().is_none(), "{name} is taken for something");
    }
}

#[test]
fn malloc_lab_headers_come_in_three_dialects() {
    for header in ["20000\n1\n2\n1\n", "1\n1\n2\n0\n", "1 1 2 0\n", "1 2 1\n", "", "# made by hand\n20000\n1\n2\n1\n"] {
        let (trace, _) = read(format!("{header}a 0 512\nf 0\n").as_bytes(), None, false).unwrap().unwrap();
        assert_eq!(text(&trace), "+0:512 -0", "{header:?}");
    }
    let cut = refusal(b"20000\n2\n4\n1\na 0 512\na 1 5\n", None);
    insta::assert_snapshot!(cut);
}

#[test]
fn malloc_lab_oddities_do_as_the_driver_does() {
    let requests = "a 3 10\nf -1\nr 5 20\nr 3 0\nr 3 0\na 3 30\nf 3\na 3 40\nr 5 6000000000\na 0 0\n";
    let (trace, _) = read(requests.as_bytes(), Some("rep"), false).unwrap().unwrap();
    assert_eq!(text(&trace), "+0:10 +1:20 -0 +2:30 -2 +3:40 ~1:6000000000 +4:0");
    assert_eq!(Statistics::of(&trace).unwrap().blocks_left, 3);
}

#[test]
fn what_recorders_miss_is_mended_and_counted() {
    let log = "186: malloc 0x10 1\n186: malloc 0x10 2\n186: free 0x99\n186: realloc 0x30 0x77 3\n186: realloc 0x0 0x30 9\n\
               187: realloc 0x30 0x30 0\n187: realloc 0x50 0x0 4\n";
    let (trace, imported) = read(log.as_bytes(), None, false).unwrap().unwrap();
    assert_eq!(text(&trace), "+0:1 -0 +1:2 +2:3 -2 +3:4");
    insta::assert_snapshot!(imported.remarks.join("\n"));
    assert_eq!(trace.events.iter().map(|event| event.thread).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 1]);
}

#[test]
fn call_sites_come_by_name() {
    let sites = |importer: &str, nth: usize| {
        let made = all().into_iter().filter(|made| made.importer == importer).nth(nth).unwrap();
        read(&made.good, None, false).unwrap().unwrap().0.sites
    };
    assert_eq!(sites("heaptrack", 0), ["main (main.c:26)"]);
    assert_eq!(sites("heaptrack", 1), ["a.out+0x1156"]);
    assert_eq!(sites("mtrace", 0)[0], "./a out:(main+0x1d)[0x401156]");
    assert_eq!(sites("csv", 0), ["main.c, line 7"]);
}

#[test]
fn times_count_from_the_first() {
    let times = |importer: &str| {
        let made = all().into_iter().find(|made| made.importer == importer).unwrap();
        let trace = read(&made.good, None, false).unwrap().unwrap().0;
        trace.events.iter().map(|event| event.time.0).collect::<Vec<_>>()
    };
    assert_eq!(times("bytehound"), [0, 1000, 2000, 3000, 4000]);
    assert_eq!(times("heaptrack"), [0, 0, 5_000_000, 5_000_000, 5_000_000, 5_000_000]);
    assert_eq!(times("lifetimes"), [10, 20, 30, 30, 40, 50]);
    assert_eq!(times("csv"), [5, 6, 7, 8, 9]);
    let log = "9 23:59:59.5 malloc(1) = 0x10\n9 00:00:00.5 free(0x10) = <void>\n";
    let (trace, _) = read(log.as_bytes(), None, false).unwrap().unwrap();
    assert_eq!(trace.events[1].time.0, 1_000_000_000);
}

#[test]
fn mappings_are_blocks() {
    let log = "mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7f0000\nmmap(NULL, 99, PROT_READ, MAP_PRIVATE, -1, 0) = -1 ENOMEM (no)\n\
               mremap(0x7f0000, 8192, 16384, MREMAP_MAYMOVE) = 0x7e0000\nmunmap(0x7e0000, 4096) = 0\nmunmap(0x7e0000, 16384) = 0\nbrk(NULL) = 0x5000\n";
    let (trace, imported) = read(log.as_bytes(), None, false).unwrap().unwrap();
    assert_eq!(text(&trace), "+0:8192 ~0:16384 -0");
    assert_eq!(imported.remarks.len(), 2, "{:?}", imported.remarks);
}

#[test]
fn heaptrack_frees_the_youngest_of_its_kind() {
    let file = "v 10400 3\na 64 0\n+ 0\n+ 0\n- 0\n- 0\n- 0\n";
    let (trace, imported) = read(file.as_bytes(), None, false).unwrap().unwrap();
    assert_eq!(text(&trace), "+0:100 +1:100 -1 -0");
    assert_eq!(imported.remarks.len(), 1, "{:?}", imported.remarks);
}

#[test]
fn modules_of_heaptrack_with_odd_names_and_places_name_their_addresses() {
    // Each module has a page; some have no length, one ends beyond the last address, two have one place.
    let long = "n".repeat(100_000);
    let text = format!(
        "v 10400 2\nx /bin/../a\u{202e}.out\nm x 400000 0 1000\nm / 500000 0 1000\nm /lib/{long} 600000 0 1000\n\
         m /lib/\u{1b}[31m.so 700000 0 1000\nm none 800000\nm odd 800000 0\nm empty 800000 0 0\nm first 900000 0 1000\n\
         m second 900000 0 10\nm last fffffffffffff000 0 ffffffffffffffff\n"
    );
    let addresses = [0x0, 0x40_0010, 0x50_0010, 0x60_0010, 0x70_0010, 0x80_0010, 0x90_0008, 0x90_0010, u64::MAX - 0xf];
    let mut file = text;
    for (number, address) in addresses.iter().enumerate() {
        let number = number + 1;
        file += &format!("t {address:x} 0\n+ 10 {number:x} {:x}\n", number * 64);
    }
    file += "m -\nt 400010 0\n+ 10 a 5000\n";
    let sites = read(file.as_bytes(), Some("heaptrack"), false).unwrap().unwrap().0.sites;
    assert!(sites.iter().all(|site| site.chars().count() < 400), "a name is kept in part");
    let short: Vec<String> = sites.iter().map(|site| site.replace(&"n".repeat(300), "n…")).collect();
    let expected = [
        "0x0",
        "a\u{202e}.out+0x10",
        "+0x10",
        "n…+0x10",
        "\u{1b}[31m.so+0x10",
        "0x800010",
        "second+0x8",
        "0x900010",
        "last+0xff0",
        "0x400010",
    ];
    assert_eq!(short, expected);
}

#[test]
fn many_modules_of_heaptrack_are_looked_up_and_not_searched() {
    // A hundred thousand modules, of which the last have no room, and as many addresses: ten thousand million steps
    // where each address is compared with each module.
    let modules: String = (0..100_000).map(|at| format!("m lib{at}.so {:x} 0 1000\n", at * 0x2000)).collect();
    let blocks = (0..100_000_u64).map(|at| {
        let number = at + 1;
        format!("t {:x} 0\n+ 10 {number:x} {:x}\n", at * 0x2000 + 8, number * 64)
    });
    let file = format!("v 10400 2\nx a.out\n{modules}{}", blocks.collect::<String>());
    let trace = read(file.as_bytes(), Some("heaptrack"), false).unwrap().unwrap().0;
    assert_eq!(trace.events.len(), 100_000);
    let named = |number: usize| format!("lib{number}.so+0x8");
    assert_eq!((&trace.sites[0], &trace.sites[65_535]), (&named(0), &named(65_535)));
    assert_eq!(trace.sites[65_536], format!("{:#x}", 65_536_u64 * 0x2000 + 8));
}

#[test]
fn sizes_and_alignments_that_cannot_be_are_damage() {
    for (importer, bytes, cause) in [
        ("wee-alloc", "Alloc(5),\nAlloc(99999999999999999),\n", "the largest that a trace may hold"),
        ("memory-replay", "1: malloc 0x10 5\n1: memalign 0x20 3 5\n", "alignment 3 is not a power of two"),
        ("memory-replay", "1: malloc 0x10 5\n1: calloc 0x20 99999999999 99999999999\n", "more than 2^64 bytes"),
        ("rep", "a 0 5\na 0 5\n", "live already"),
        ("heaptrack", "v 1 4\n", "heaptrack file version 4; read are 1 to 3"),
    ] {
        let told = refusal(bytes.as_bytes(), Some(importer));
        assert!(told.contains(cause), "{told}");
    }
}

#[test]
fn a_file_without_allocations_says_so() {
    assert_eq!(refusal(b"= Start\n= End\n", None), "input holds no allocations");
    assert_eq!(refusal(b"", None), "input is empty");
    assert_eq!(refusal(&[b'x'; 3 << 20], Some("calls")).split(": ").nth(1), Some("line 1"));
}

#[test]
fn a_stopped_sink_stops_the_import() {
    use heapsmith_trace::{Slice, Trace, Transforms};
    let (_folder, path) = made::file(format!("a 0 5\nf 0\n{}", "nonsense\n".repeat(9)).as_bytes());
    let mut trace = Trace::default();
    let transforms = Transforms { slice: Some(Slice::first(2)), ..Transforms::default() };
    heapsmith_import::import(&path, None, false, &mut *transforms.before(&mut trace)).unwrap();
    assert_eq!(trace.events.len(), 2);
}

#[test]
fn exports_come_back_as_they_were() {
    use heapsmith_import::{CsvWriter, RepWriter};
    let folder = tempfile::tempdir().unwrap();
    for made in all() {
        let (trace, _) = read(&made.good, None, false).unwrap().unwrap();
        let (csv, rep) = (folder.path().join("t.csv"), folder.path().join("t.rep"));
        let mut writer = CsvWriter::create(&csv).unwrap();
        trace.send(&mut writer).unwrap();
        writer.finish().unwrap();
        let (again, _) = read(&std::fs::read(&csv).unwrap(), None, false).unwrap().unwrap();
        assert_eq!(again.events, trace.events, "{}", made.importer);
        // A site that asked for nothing is not written.
        assert!(trace.sites.starts_with(&again.sites), "{}", made.importer);
        let mut writer = RepWriter::create(&rep).unwrap();
        trace.send(&mut writer).unwrap();
        writer.finish().unwrap();
        let (again, _) = read(&std::fs::read(&rep).unwrap(), None, false).unwrap().unwrap();
        assert_eq!(text(&again), text(&trace), "{}", made.importer);
    }
    let rep = std::fs::read_to_string(folder.path().join("t.rep")).unwrap();
    let header: Vec<&str> = rep.lines().take(4).map(str::trim).collect();
    assert_eq!(header, ["0", "2", "5", "1"]);
    assert!(heapsmith_import::CsvWriter::create(folder.path().join("no/t.csv")).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
}

/// As the trace macro of an emitted heap tells it.
#[test]
fn a_block_of_a_csv_list_may_move_to_another_address() {
    let header = "action,id,size,alignment,old\na,0x100,24,8,0\n";
    let text = format!("{header}r,0x200,40,8,0x100\nr,0x200,60,8,0x200\na,0x100,5,0,0\nf,0x200,,,\n");
    let (trace, _) = read(text.as_bytes(), None, false).unwrap().unwrap();
    let actions: Vec<Action> = trace.events.iter().map(|event| event.action).collect();
    let expected = [
        Action::Allocate { id: 0, size: Bytes(24), alignment: 8 },
        Action::Reallocate { id: 0, size: Bytes(40) },
        Action::Reallocate { id: 0, size: Bytes(60) },
        Action::Allocate { id: 1, size: Bytes(5), alignment: 0 },
        Action::Free { id: 0 },
    ];
    assert_eq!(actions, expected);
    for (wrong, why) in [("r,0x300,40,8,0x200\n", "not live"), ("a,0x200,4,,\nr,0x200,40,8,0x100\n", "a live one")] {
        let told = refusal(format!("{header}{wrong}").as_bytes(), Some("csv"));
        assert!(told.contains(why), "{told}");
    }
}
