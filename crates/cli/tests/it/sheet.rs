//! The figures that a firmware is signed with: `emit --sheet`, and the assertions about them.

use std::path::Path;
use std::process::Command;

fn heapsmith(dir: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    let output = command.args(arguments).current_dir(dir).output().expect("it runs");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), said)
}

/// What a command says that has to succeed.
fn said(dir: &Path, arguments: &[&str]) -> String {
    let (succeeded, said) = heapsmith(dir, arguments);
    assert!(succeeded, "{arguments:?}: {said}");
    said
}

/// What a command says that has to fail.
fn refused(dir: &Path, arguments: &[&str]) -> String {
    let (succeeded, said) = heapsmith(dir, arguments);
    assert!(!succeeded, "{arguments:?}: {said}");
    said
}

fn read(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Few designs: some have a proof of all, some of memory alone, some of nothing.
const SPACE: &str = "[[family]]\nname = \"lists\"\nheap = \"list(order=address)\"\n[family.levels]\n\
                     freelists = [0, 4, \"8..=1024 step 8\"]\nsplit = [0, 100]\n\
                     [[family]]\nname = \"tlsf\"\nheap = \"tlsf\"\n[family.levels]\nfreelists = [0, 4]\n";

/// The options of a quick exploration.
const QUICK: [&str; 7] = ["--space", "space.toml", "--target", "cortex-m", "--rounds", "0", "--no-peers"];

/// A recording of few calls.
fn recorded(dir: &Path, calls: u32, file: &str) {
    said(dir, &["import", "workload:modem", "--set", &format!("calls={calls}"), "-o", file]);
}

/// The text of a figure, in one line.
fn text(page: &str, name: &str) -> String {
    let is_begin = |line: &&str| line.strip_prefix(name).is_some_and(|text| text.starts_with(' '));
    let mut lines = page.lines().skip_while(|line| !is_begin(line));
    let first = lines.next().unwrap_or_else(|| panic!("no {name}: {page}"));
    let more = lines.take_while(|line| line.starts_with(' '));
    [first].into_iter().chain(more).flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The numbers of a text, as it writes them.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|char: char| !char.is_ascii_digit() && char != ',');
    words.map(|word| word.trim_matches(',')).filter(|word| !word.is_empty()).collect()
}

fn first_number(text: &str) -> u64 {
    numbers(text)[0].replace(',', "").parse().expect("a number")
}

#[test]
fn a_sheet_has_every_figure_and_its_assertions_hold() {
    let temporary = tempfile::tempdir().expect("a folder");
    let dir = temporary.path();
    recorded(dir, 20, "board.parquet");
    let emit = [
        "emit",
        "first-fit",
        "--lang",
        "c",
        "--name",
        "board_heap",
        "--sheet",
        "--trace",
        "board.parquet",
        "-o",
        "out",
        "--evidence",
        "shown",
    ];
    let wrote = said(dir, &emit);
    assert!(wrote.contains("board_heap_sheet.txt") && wrote.contains("board_heap_check.toml"), "{wrote}");
    let page = read(dir, "out/board_heap_sheet.txt");
    // The evidence is of the same source, and has the page, but not the assertions, which name places.
    for file in ["board_heap.h", "board_heap.c", "board_heap_sheet.txt"] {
        assert_eq!(read(dir, &format!("shown/{file}")), read(dir, &format!("out/{file}")), "{file}");
    }
    assert!(!dir.join("shown/board_heap_check.toml").exists());
    for name in ["target", "recorded", "peak live", "worst", "instructions", "code", "MISRA"] {
        assert!(!text(&page, name).is_empty());
    }
    // Each is at most what is below it: the trace, its copies, any program; an attack is a program.
    let [live, reserve, copies, proven] =
        ["peak live", "reserve", "copies", "proven"].map(|name| first_number(&text(&page, name)));
    assert!(live < reserve && reserve <= copies && copies < 2 * reserve && copies < proven, "{page}");
    let attack = text(&page, "attack");
    let attacked = first_number(attack.split_once("takes").expect("an attack").1);
    assert!(reserve < attacked && attacked <= proven && attack.contains("% of what is proven"), "{page}");
    let header = read(dir, "out/board_heap.h");
    let lines: Vec<&str> = page.lines().skip(4).collect();
    assert!(lines.len() > 12 && lines.iter().all(|line| header.contains(line)), "{header}");
    said(dir, &["check", "out/board_heap_check.toml"]);
    // A heap that takes more fails.
    let check = read(dir, "out/board_heap_check.toml");
    assert!(check.contains("file = \"../board.parquet\""), "{check}");
    let less = check.replace(&format!("max = {reserve}"), &format!("max = {}", reserve - 8));
    std::fs::write(dir.join("out/less.toml"), less).expect("it is written");
    let why = refused(dir, &["check", "out/less.toml"]);
    assert!(why.contains("footprint_peak of board_heap"), "{why}");
    said(dir, &emit);
}

/// What an answer, its page and the sheet of its folder state of a guarantee.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Stated {
    Nothing,
    Memory,
    Both,
}

/// Checks that the lines in which an exploration ends, its page and what is signed of its folder state the same.
fn assert_agrees(dir: &Path, folder: &str, answer: &str) -> (Stated, String) {
    said(dir, &["emit", folder, "--lang", "c", "--sheet", "-o", "out"]);
    said(dir, &["report", folder]);
    said(dir, &["check", "out/my_heap_check.toml"]);
    let (sheet, page) = (read(dir, "out/my_heap_sheet.txt"), read(dir, &format!("{folder}/report.html")));
    let context = format!("{answer}\n{sheet}");
    let reserve = text(answer, "Reserve");
    let bytes = numbers(&reserve)[0];
    assert!(text(&sheet, "reserve").starts_with(&format!("reserve {bytes} bytes of RAM")), "{context}");
    assert!(page.contains(&format!("{bytes} bytes")), "{context}");
    let worst = text(answer, "Worst");
    let [max, _, p99] = numbers(&worst)[..] else { panic!("{context}") };
    let stated = text(&sheet, "worst");
    assert!(stated.starts_with(&format!("worst {max} metadata accesses")), "{context}");
    assert!(stated.contains(&format!("p99 {p99}, in {bytes} bytes")), "{context}");
    assert!(page.contains(&format!("measured in {bytes} bytes")), "{context}");
    let asserted = format!("accesses_max\"\nmax = {max}\nregion = {bytes}\n").replace(',', "");
    assert!(read(dir, "out/my_heap_check.toml").contains(&asserted), "{asserted}");
    let (guarantee, proven) = (text(answer, "Guarantee"), text(&sheet, "proven"));
    let numbers = numbers(&guarantee);
    let stated = if guarantee.contains("never refused in") {
        let words = format!("never refused in {} bytes", numbers[0]);
        assert!(proven.contains(&words) && page.contains(&words), "{context}");
        if guarantee.contains("proven: ") {
            assert!(proven.contains(&format!("at most {} metadata accesses", numbers[1])), "{context}");
            assert!(page.contains(&format!("{words}, at most {} accesses", numbers[1])), "{context}");
            Stated::Both
        } else {
            Stated::Memory
        }
    } else {
        assert!(proven.starts_with("proven nothing: "), "{context}");
        Stated::Nothing
    };
    (stated, sheet)
}

#[test]
fn the_sheet_of_a_folder_states_the_figures_of_its_answer_and_page() {
    let temporary = tempfile::tempdir().expect("a folder");
    let dir = temporary.path();
    std::fs::write(dir.join("space.toml"), SPACE).expect("it is written");
    recorded(dir, 6, "board.csv");
    recorded(dir, 4, "other.csv");
    let explore = |traces: &[&str], out: &str| said(dir, &[&["explore"], traces, &QUICK[..], &["-o", out]].concat());
    let (first, sheet) = assert_agrees(dir, "board", &explore(&["board.csv"], "board"));
    // The same heap on the same trace without the folder, but for where to find a proof.
    let spec = sheet.lines().nth(2).expect("a spec");
    said(dir, &["emit", spec, "--lang", "c", "--sheet", "--trace", "board.csv", "-o", "alone"]);
    let alone = read(dir, "alone/my_heap_sheet.txt");
    for name in ["peak live", "reserve", "copies", "attack", "worst", "instructions", "code", "MISRA"] {
        assert_eq!(text(&alone, name), text(&sheet, name));
    }
    let mut seen = vec![first];
    for preference in ["bounded", "speed", "memory"] {
        seen.push(assert_agrees(dir, "board", &said(dir, &["pick", "board", "--prefer", preference])).0);
    }
    let region = first_number(&text(&sheet, "reserve")) * 5 / 4;
    let answer = explore(&["board.csv", "other.csv", "--max-region", &region.to_string()], "both");
    let (last, sheet) = assert_agrees(dir, "both", &answer);
    assert!(sheet.contains("the region that was asked for"), "{sheet}");
    assert_eq!((first_number(&text(&sheet, "reserve")), sheet.matches("recorded ").count()), (region, 2));
    seen.push(last);
    let all = [Stated::Nothing, Stated::Memory, Stated::Both];
    assert!(all.iter().all(|one| seen.contains(one)), "every kind of guarantee is tried: {seen:?}");
}

#[test]
fn hold_out_traces_are_named() {
    let temporary = tempfile::tempdir().expect("a folder");
    let dir = temporary.path();
    std::fs::write(dir.join("space.toml"), SPACE).expect("it is written");
    recorded(dir, 3, "board.csv");
    recorded(dir, 4, "other.csv");
    let more = ["explore", "board.csv", "--holdout", "other.csv", "-o", "board"];
    said(dir, &[&more[..], &QUICK[..]].concat());
    said(dir, &["emit", "board", "--for", "freertos", "--name", "rtos_heap", "--sheet", "-o", "out"]);
    let page = read(dir, "out/rtos_heap_sheet.txt");
    assert!(text(&page, "hold-out").contains("other.csv"), "{page}");
    let reserve = first_number(&text(&page, "reserve"));
    assert!(
        read(dir, "out/rtos_heap_freertos.c").contains(&format!("{reserve}, in which what was measured is served")),
        "{page}"
    );
}

#[test]
fn what_is_not_proven_is_not_asserted() {
    let temporary = tempfile::tempdir().expect("a folder");
    let dir = temporary.path();
    let trace = "action,id,size\na,1,100\nr,1,200\na,2,50\nf,1,\n";
    std::fs::write(dir.join("moves.csv"), trace).expect("it is written");
    let sheet = |heap: &str| {
        said(dir, &["emit", heap, "--lang", "c", "--sheet", "--trace", "moves.csv", "-o", "out"]);
        (read(dir, "out/my_heap_sheet.txt"), read(dir, "out/my_heap_check.toml"))
    };
    let (page, check) = sheet("list(fit=first, coalesce=never)");
    assert!(page.contains("proven        nothing: ") && page.contains("--prefer bounded"), "{page}");
    assert!(!check.contains("bound"), "{check}");
    // Lists that give all back before a request is refused: bytes, and no time.
    let (page, check) = sheet("freelists(64) list(order=address)");
    assert!(
        text(&page, "proven").starts_with("proven never refused in")
            && text(&page, "proven").contains("no time is proven"),
        "{page}"
    );
    assert!(text(&page, "proven").contains("reallocations to sizes between"), "{page}");
    assert!(check.contains("\"bound\"") && !check.contains("accesses_bound"), "{check}");
    let (page, check) = sheet("tlsf threads=each");
    assert!(text(&page, "proven").contains("each further one has a heap of its own"), "{page}");
    assert!(check.contains("accesses_bound"), "{check}");
    said(dir, &["check", "out/my_heap_check.toml"]);
}

#[test]
fn a_sheet_without_a_recording_says_how_to_get_one() {
    let temporary = tempfile::tempdir().expect("a folder");
    let dir = temporary.path();
    let wrote = said(dir, &["emit", "tlsf", "--lang", "c", "--sheet", "-o", "out"]);
    assert!(wrote.contains("no figure of a program") && !wrote.contains("check.toml"), "{wrote}");
    let page = read(dir, "out/my_heap_sheet.txt");
    assert!(text(&page, "recorded").contains("heapsmith record --board"), "{page}");
    assert!(text(&page, "proven").contains("heapsmith bound 'tlsf(second-level=5)'"), "{page}");
    assert!(text(&page, "reserve").contains("not known") && text(&page, "worst").contains("not known"), "{page}");
}

#[test]
fn what_cannot_be_signed_says_why() {
    let temporary = tempfile::tempdir().expect("a folder");
    let dir = temporary.path();
    recorded(dir, 2, "board.csv");
    let emit = |heap: &str, more: &[&str]| refused(dir, &[&["emit", heap, "--sheet", "-o", "out"], more].concat());
    let why = emit("tlsf", &["--lang", "c", "--trace", "board.csv", "--limit", "100"]);
    assert!(why.contains("heapsmith import board.csv -o board.parquet"), "{why}");
    let why = emit("tlsf", &["--lang", "so", "--trace", "board.csv"]);
    assert!(why.contains("--lang c") && why.contains("heapsmith race"), "{why}");
    let why = emit("fixed(64)", &["--lang", "c", "--trace", "board.csv"]);
    assert!(why.contains("fixed(64) refuses requests") && why.contains("heapsmith explore"), "{why}");
    assert!(!dir.join("out").exists(), "nothing is written");
}
