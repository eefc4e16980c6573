//! What a terminal shows: lines that fit, twelve lines of an answer, colour.

use std::path::Path;
use std::process::{Command, Output};

use unicode_width::UnicodeWidthStr;

/// Widths of terminals.
const WIDTHS: [usize; 3] = [80, 100, 160];
/// Lines of an answer.
const MAX_LINES: usize = 12;

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    path.to_str().expect("a plain path").to_owned()
}

/// The command in a folder, as a terminal of this many columns shows it.
fn shown(dir: &Path, columns: usize, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).args(arguments).env("COLUMNS", columns.to_string()).env("NO_COLOR", "1");
    command.env("XDG_CACHE_HOME", dir.join("cache")).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is printed, of a command that succeeds.
fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Refuses lines that are longer than the terminal.
fn assert_fits(columns: usize, arguments: &[&str], output: &Output) {
    for line in [&output.stdout, &output.stderr]
        .into_iter()
        .flat_map(|bytes| text(bytes).lines().map(str::to_owned).collect::<Vec<_>>())
    {
        assert!(line.width() <= columns, "{arguments:?} at {columns}: {} columns\n{line}", line.width());
    }
}

/// Designs that differ in memory and in work; the last has lists for the very sizes of the trace.
const SMALL: &str = "[[family]]\nname = \"small\"\nheap = [\"list(order=lifo)\", \"list(order=address)\", \"tlsf\"]\n\
                     [family.levels]\nfreelists = [0, 2, 16, 64]\n";

/// A folder with the space `small.toml` and the trace `t.rep`, the beginning of a sample.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    let input = sample("ftp.pcap.xz");
    told(&shown(dir.path(), 80, &["import", &input, "--as", "drr", "--limit", "2500", "-o", "t.parquet"]));
    dir
}

/// An exploration of no time at all.
const QUICK: [&str; 9] =
    ["explore", "t.parquet", "--space", "small.toml", "--rounds", "0", "--no-peers", "--jobs", "2"];

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    QUICK.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn what_people_read_first_fits_their_terminal() {
    let dir = folder();
    told(&shown(dir.path(), 80, &quick(&["-o", "out"])));
    for columns in WIDTHS {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_suffix(format!("{columns}"));
        settings.bind(|| {
            let text = |arguments: &[&str]| {
                let output = shown(dir.path(), columns, arguments);
                assert_fits(columns, arguments, &output);
                told(&output)
            };
            insta::assert_snapshot!("explore", text(&quick(&["-o", "out"])));
            insta::assert_snapshot!("explore_table", text(&quick(&["-o", "out", "--table"])));
            insta::assert_snapshot!("pick", text(&["pick", "out", "--prefer", "bounded"]));
            insta::assert_snapshot!("report", text(&["report", "out", "-o", "page.html"]));
            insta::assert_snapshot!("inspect", text(&["inspect", "t.parquet"]));
            let heaps = text(&["heaps"]);
            let (catalogue, _) = heaps.split_once("Reference allocators").expect("the peers follow");
            insta::assert_snapshot!("heaps", catalogue);
        });
    }
}

/// Lines of `-h`: two screens of 20 lines, or one of 40.
const MAX_HELP: usize = 40;

/// Every verb.
fn verbs(dir: &Path) -> Vec<String> {
    let help = told(&shown(dir, 80, &["--help"]));
    let (_, commands) = help.split_once("Commands:\n").expect("the verbs");
    let verbs = commands.lines().take_while(|line| line.starts_with("  "));
    // A description that goes on in another line is indented further.
    let named = verbs.map(|line| &line[2..]).filter(|line| !line.starts_with(' '));
    named.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

#[test]
fn help_fits_a_screen_and_long_help_teaches_by_examples() {
    let dir = tempfile::tempdir().expect("a folder");
    let verbs = verbs(dir.path());
    assert!(verbs.len() > 17 && verbs.iter().any(|verb| verb == "completions"), "{verbs:?}");
    for columns in WIDTHS {
        for verb in std::iter::once("").chain(verbs.iter().map(String::as_str)).filter(|verb| *verb != "help") {
            let help = |option| [verb, option].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
            let (short, long) = (help("-h"), help("--help"));
            let output = shown(dir.path(), columns, &short);
            assert_fits(columns, &short, &output);
            let lines = told(&output).lines().count();
            assert!(lines <= MAX_HELP, "{short:?} has {lines} lines at {columns} columns");
            let output = shown(dir.path(), columns, &long);
            assert_fits(columns, &long, &output);
            assert!(told(&output).contains(&format!("\n  heapsmith {verb}")), "no example: {long:?}");
        }
    }
}

#[test]
fn without_a_verb_five_lines_show_where_to_begin() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = shown(dir.path(), 80, &[]);
    assert_fits(80, &[], &output);
    let text = told(&output);
    let commands = text.lines().filter(|line| line.starts_with("  heapsmith ")).count();
    assert_eq!((text.lines().count(), commands), (5, 3), "{text}");
}

#[test]
fn completions_and_manual_pages_know_every_verb() {
    let dir = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = told(&shown(dir.path(), 80, &["completions", shell]));
        assert!(script.contains("explore") && script.contains("max-region"), "{shell}");
    }
    told(&shown(dir.path(), 80, &["man", "man1"]));
    for verb in verbs(dir.path()).iter().filter(|verb| *verb != "help") {
        let page = std::fs::read_to_string(dir.path().join(format!("man1/heapsmith-{verb}.1"))).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{verb}");
    }
    assert!(dir.path().join("man1/heapsmith.1").exists());
    let script = "heapsmith() { :; }; source /dev/stdin && complete -p heapsmith";
    let completions = std::fs::File::create(dir.path().join("bash")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    assert!(command.args(["completions", "bash"]).stdout(completions).status().expect("it starts").success());
    let input = std::fs::File::open(dir.path().join("bash")).expect("a file");
    let bash = Command::new("bash").args(["-c", script]).stdin(input).status().expect("bash runs");
    assert!(bash.success(), "bash takes the script");
}

/// A run of each verb that prints something for people, in the folder of [`folder`] with the exploration `out`. What
/// --print-space and --print-example print is a file.
const RUNS: [&[&str]; 24] = [
    &["heaps"],
    &["workloads"],
    &["workloads", "-q"],
    &["inspect", "t.parquet", "workload:sizes"],
    &["inspect", "t.parquet", "--lower-bound"],
    &["import", "t.parquet", "-o", "u.rep"],
    &["replay", "t.parquet", "--heap", "tlsf", "--heap", "windows-xp", "--min-region", "--cost"],
    &["replay", "t.parquet", "--heap", "tlsf", "--heap", "peer:libc", "--time", "--latency", "--rounds", "2"],
    &["replay", "t.parquet", "--heap", "windows-xp", "--over-time=5"],
    &["replay", "t.parquet", "--heap", "windows-xp", "--loop", "3"],
    &["pick", "out"],
    &["pick", "out", "--table"],
    &["pick", "out", "--prefer", "memory", "--table", "-q"],
    &["report", "out", "-o", "page.html", "--table"],
    &["report", "out", "-o", "page.html", "--prefer", "speed"],
    &["compare", "out", "out"],
    &["emit", "out", "--lang", "c", "-o", "c"],
    &["run", "--heap", "tlsf", "--stats", "--", "sort", "t.toml"],
    &["record", "-o", "r", "--", "sort", "t.toml"],
    &["bound", "tlsf", "lea-2.7.2", "windows-xp", "--max-live", "20K", "--max-size", "512"],
    &["attack", "stack", "--max-live", "1K", "--max-size", "64", "--rounds", "1", "--operations", "99"],
    &["reproduce", "--list"],
    &["inspect", "missing.parquet"],
    &["pick", "out", "--max-region", "1K", "--max-op", "2", "--max-fragmentation", "0.1"],
];

#[test]
fn no_line_of_any_verb_is_longer_than_the_terminal() {
    let dir = folder();
    std::fs::write(dir.path().join("t.toml"), "").expect("a file");
    told(&shown(dir.path(), 80, &quick(&["-o", "out"])));
    for columns in WIDTHS {
        for arguments in RUNS {
            let output = shown(dir.path(), columns, arguments);
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{arguments:?}: {}", text(&output.stderr));
            assert_fits(columns, arguments, &output);
        }
    }
}

/// A heap that refuses larger requests than the trace has, and some that do not.
const TRAP: &str = "[[family]]\nname = \"trap\"\nheap = [\"list(order=address)\", \"classes(8..=1472 step 8)\", \"tlsf\"]\n\
                    [family.levels]\nfreelists = [0]\n";

/// A question that nothing meets, with every constraint that there is but for code size, which takes a compiler.
const MISSED: [&str; 20] = [
    "--max-region",
    "1K",
    "--max-op",
    "1",
    "--max-p99",
    "1",
    "--max-accesses",
    "0.1",
    "--max-fragmentation",
    "0.001",
    "--max-footprint-mean",
    "1",
    "--max-retained",
    "1",
    "--max-footprint-over-time",
    "1",
    "--max-retained-over-time",
    "1",
    "--max-ns",
    "0.001",
];

/// A row of the answer as programs get it.
fn row(dir: &Path, out: &str, note: &str) -> serde_json::Value {
    let rows = told(&shown(dir, 80, &["pick", out, "--format", "json", "--prefer", "memory", "-q"]));
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).expect("JSON");
    rows.into_iter().find(|row| row["note"] == note).expect("a row")
}

#[test]
fn an_answer_has_twelve_lines_whatever_was_asked_for() {
    let dir = folder();
    std::fs::write(dir.path().join("trap.toml"), TRAP).expect("a file");
    let short = ["import", "t.parquet", "--limit", "300", "-o", "short.parquet"];
    told(&shown(dir.path(), 80, &short));
    for target in ["host", "cortex-m", "riscv32", "avr", "network-2006"] {
        let trace = if target == "avr" { "short.parquet" } else { "t.parquet" };
        let space = ["--space", "trap.toml", "--rounds", "0", "--no-peers", "--target", target, "-o", target, "-q"];
        let explored = shown(dir.path(), 80, &[&["explore", trace], &space[..]].concat());
        assert_lines(&explored, &format!("explore {target}"));
        let own = row(dir.path(), target, "pick")["heap"].as_str().expect("a heap").to_owned();
        for prefer in ["balanced", "speed", "memory", "bounded"] {
            let cases: [(&str, &[&str]); 5] = [
                ("The pick|Change|Keep", &[]),
                ("no design meets every constraint", &MISSED),
                ("Keep what you have", &["--baseline", &own, "--robust", "off"]),
                ("OVERFITTED", &["--max-accesses", "8"]),
                ("No advice|Change|Keep", &["--baseline", "peer:linked_list_allocator", "--max-region", "900K"]),
            ];
            for (expected, question) in cases {
                let asked = [&["pick", target, "--prefer", prefer, "-q"], question].concat();
                let output = shown(dir.path(), 80, &asked);
                let said = assert_lines(&output, &format!("{asked:?}"));
                // What was picked by proof is not evaluated on copies, and may not be what was picked for memory.
                let is_evaluated = prefer != "bounded" && (prefer == "memory" || !question.contains(&own.as_str()));
                assert!(!is_evaluated || expected.split('|').any(|words| said.contains(words)), "{asked:?}: {said}");
            }
        }
    }
}

#[test]
fn what_is_emitted_of_an_overfitted_pick_says_so() {
    let dir = folder();
    std::fs::write(dir.path().join("trap.toml"), TRAP).expect("a file");
    let explore = ["explore", "t.parquet", "--space", "trap.toml", "--rounds", "0", "--no-peers", "-o", "out", "-q"];
    told(&shown(dir.path(), 80, &explore));
    let overfitted = told(&shown(dir.path(), 80, &["pick", "out", "--max-accesses", "8", "-q"]));
    assert!(overfitted.contains("OVERFITTED"), "{overfitted}");
    for (lang, file) in [("c", "my_heap.h"), ("rust", "my_heap.rs")] {
        told(&shown(dir.path(), 80, &["emit", "out", "--lang", lang, "--name", "my_heap", "-o", lang]));
        let source = std::fs::read_to_string(dir.path().join(lang).join(file)).expect("a source");
        assert!(source.contains("OVERFITTED"), "{lang}: {source}");
    }
}

/// The next command of an answer.
fn next(said: &str) -> &str {
    said.lines().find_map(|line| line.strip_prefix("Next")).unwrap_or_else(|| panic!("no next command: {said}")).trim()
}

#[test]
fn what_is_next_is_a_question_that_is_answered_otherwise_or_nothing() {
    let dir = folder();
    told(&shown(dir.path(), 80, &quick(&["-o", "out", "-q"])));
    let ask = |more: &[&str]| told(&shown(dir.path(), 80, &[&["pick", "out", "-q", "--robust", "off"], more].concat()));
    let fastest = ask(&["--prefer", "speed", "--baseline", "tlsf"]);
    assert!(
        fastest.starts_with("Answer     Change") && next(&fastest) == "heapsmith emit out --lang c -o OUT",
        "{fastest}"
    );
    // The tightest design is kept for its memory, and changed for its work.
    let tightest = row(dir.path(), "out", "pick")["heap"].as_str().expect("a heap").to_owned();
    let kept = ask(&["--prefer", "memory", "--baseline", &tightest]);
    assert!(kept.starts_with("Answer     Keep") && next(&kept) == "heapsmith pick out --prefer speed", "{kept}");
    let asked: Vec<&str> = next(&kept).split_whitespace().skip(3).collect();
    let other = ask(&[&asked[..], &["--baseline", &tightest]].concat());
    assert!(other.starts_with("Answer     Change"), "the question is answered otherwise: {other}");
    // Of a space with one design nothing else can be had.
    std::fs::write(dir.path().join("one.toml"), ONE).expect("a file");
    let one = ["explore", "t.parquet", "--space", "one.toml", "--rounds", "0", "--no-peers", "-q", "-o", "one"];
    let nothing = told(&shown(dir.path(), 80, &[&one[..], &["--baseline", "tlsf"]].concat()));
    assert!(nothing.starts_with("Answer     Keep") && next(&nothing).starts_with("nothing: "), "{nothing}");
    // A proof is of the code that is emitted, and is more than none.
    let proven = ["pick", "one", "-q", "--prefer", "bounded", "--baseline"];
    for (baseline, advice) in [("tlsf", "Keep"), ("list(coalesce=never)", "Change"), ("peer:libc", "Change")] {
        let said = told(&shown(dir.path(), 80, &[&proven[..], &[baseline]].concat()));
        assert!(said.starts_with(&format!("Answer     {advice}")), "{baseline}: {said}");
        assert_eq!(said.contains("no proven worst case"), advice == "Change", "{said}");
        assert_eq!(next(&said), "heapsmith emit one --lang c -o OUT");
    }
}

/// A space of one design.
const ONE: &str = "[[family]]\nname = \"one\"\nheap = \"tlsf\"\n[family.levels]\nfreelists = [0]\n";

#[test]
fn the_caret_of_a_bad_spec_points_at_it_on_every_terminal() {
    let dir = folder();
    let lists =
        |end: &str| format!("freelists(8,16,24,32,40,48,56,64,72) list(order=address, fit=best, split=always, {end})");
    let bad = [
        lists("coalesce=deferre"),
        lists("coalesce=never, ordr=fifo"),
        format!("freelist({}) tlsf", "8,16,24,32,".repeat(12)),
    ];
    for (spec, word) in bad.iter().zip(["deferre", "ordr", "freelist"]) {
        for columns in WIDTHS {
            let arguments = ["replay", "t.parquet", "--heap", spec];
            let output = shown(dir.path(), columns, &arguments);
            assert_fits(columns, &arguments, &output);
            let said = text(&output.stderr);
            let lines: Vec<&str> = said.lines().collect();
            let caret = lines.iter().position(|line| line.trim() == "^").unwrap_or_else(|| panic!("no caret: {said}"));
            let column = lines[caret].width() - 1;
            let below: String = lines[caret - 1].chars().skip(column).collect();
            assert!(below.starts_with(word), "{said}");
        }
    }
}

/// Refuses more lines than an answer has, and longer ones; returns them.
fn assert_lines(output: &Output, asked: &str) -> String {
    assert_fits(80, &[asked], output);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.lines().count() <= MAX_LINES, "{asked} gives {} lines:\n{said}", said.lines().count());
    said
}

#[test]
fn who_reads_only_the_answer_knows_the_pick_what_it_saves_and_what_to_reserve() {
    let dir = folder();
    let said = told(&shown(dir.path(), 80, &quick(&["-o", "out", "--prefer", "memory"])));
    let line = |label: &str| {
        let found = said.lines().find_map(|line| line.strip_prefix(label));
        found.unwrap_or_else(|| panic!("no {label}: {said}")).trim().to_owned()
    };
    let (pick, baseline) = (row(dir.path(), "out", "pick"), row(dir.path(), "out", "baseline"));
    let number = pick["design"].to_string();
    assert!(line("Answer").contains(&format!("design {number}")), "{said}");
    let saved = pick["memory_saved"].as_f64().expect("a share");
    assert!(said.contains(&format!("{:.1}% less memory", saved * 100.0)), "{saved}: {said}");
    let bytes = pick["region"].as_u64().expect("bytes");
    assert!(line("Reserve").replace(',', "").starts_with(&format!("{bytes} bytes of RAM")), "{bytes}: {said}");
    let max = pick["max_in_region"].as_u64().expect("accesses");
    assert!(line("Worst").replace(',', "").contains(&format!("{max} metadata accesses")), "{max}: {said}");
    assert!(line("Baseline").starts_with(baseline["design"].as_str().expect("a name")), "{said}");
    assert!(line("Pick").starts_with(&format!("design {number}: ")), "{said}");
    assert!(line("Guarantee").contains("--prefer bounded") || line("Guarantee").contains("at most"), "{said}");
    assert!(dir.path().join(line("Page")).is_file(), "{said}");
    let next = line("Next").replace("heapsmith ", "").replace("OUT", "emitted");
    let words: Vec<&str> = next.split_whitespace().collect();
    told(&shown(dir.path(), 80, &words));
}

#[test]
fn tables_and_quiet_change_what_people_read_and_nothing_else() {
    let dir = folder();
    let json =
        |more: &[&str]| told(&shown(dir.path(), 80, &quick(&[&["-o", "out", "--format", "json"], more].concat())));
    let plain = json(&[]);
    assert_eq!(json(&["--table", "--quiet"]), plain, "programs get the same");
    let answer = told(&shown(dir.path(), 80, &["pick", "out"]));
    let tables = told(&shown(dir.path(), 80, &["pick", "out", "--table"]));
    assert!(tables.ends_with(&answer) && tables.len() > 2 * answer.len(), "{tables}");
    let quiet = shown(dir.path(), 80, &["report", "out", "-q", "--table", "-o", "page.html"]);
    assert!(quiet.stderr.is_empty(), "{}", text(&quiet.stderr));
    let missing = shown(dir.path(), 80, &["report", "nowhere", "-q"]);
    assert!(missing.status.code() == Some(3) && text(&missing.stderr).contains("nowhere"), "errors are said");
    let rows = |format: &str| told(&shown(dir.path(), 80, &["pick", "out", "--format", format]));
    assert_eq!(rows("markdown").lines().count(), rows("csv").lines().count() + 1, "a rule, and a line for each row");
    let stream = told(&shown(dir.path(), 80, &["report", "out", "-o", "-"]));
    assert!(stream.trim_end().ends_with("</html>"), "a page on standard output is all that is there");
}

#[test]
fn a_page_that_cannot_be_opened_is_said_in_a_sentence() {
    let dir = folder();
    for (script, code) in [("exit 0", 0), ("exit 3", 4)] {
        let opener = dir.path().join("bin");
        std::fs::create_dir_all(&opener).expect("a folder");
        let shell = format!("#!/bin/sh\necho \"$1\" > opened\n{script}\n");
        std::fs::write(opener.join("xdg-open"), shell).expect("a file");
        std::fs::set_permissions(opener.join("xdg-open"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("a script");
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        let run = command
            .current_dir(dir.path())
            .args(quick(&["-o", "out", "--open"]))
            .env("PATH", format!("{}:/bin:/usr/bin", opener.display()));
        let output = run.output().expect("it starts");
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let opened = std::fs::read_to_string(dir.path().join("opened")).expect("it was called");
        assert!(opened.trim().ends_with("out/report.html"), "{opened}");
        let said = text(&output.stderr);
        assert_eq!(said.contains("cannot open the page"), code != 0, "{said}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    let output = command.current_dir(dir.path()).args(["report", "out", "--open"]).env("PATH", "").output();
    let output = output.expect("it starts");
    assert!(output.status.code() == Some(4) && text(&output.stderr).contains("open out/report.html in a browser"));
}

/// What a terminal of this many columns gets from a command of a shell.
fn typed(dir: &Path, columns: usize, command: &str) -> String {
    let run =
        format!("stty rows 50 columns {columns}; {}", command.replace("heapsmith", env!("CARGO_BIN_EXE_heapsmith")));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &run, "/dev/null"]).current_dir(dir);
    let output = script.env_remove("COLUMNS").env_remove("NO_COLOR").env("TERM", "xterm").output();
    text(&output.expect("script is there").stdout)
}

#[test]
fn a_terminal_has_its_own_width_and_colour_unless_that_is_not_wanted() {
    let dir = folder();
    told(&shown(dir.path(), 80, &quick(&["-o", "out"])));
    let coloured = typed(dir.path(), 100, "heapsmith pick out");
    assert!(coloured.contains("\x1b[1m") && coloured.contains("\x1b[36m"), "{coloured}");
    let plain = typed(dir.path(), 100, "NO_COLOR=1 heapsmith pick out --table");
    assert!(!plain.contains("\x1b[") && plain.contains("Reserve"), "{plain}");
    assert!(plain.lines().all(|line| line.trim_end().width() <= 100), "{plain}");
    let heap = "freelists(8,16,24,32,40,48,56) list(order=address, fit=best, split=always, coalesce=deferred)";
    let replay = |columns| typed(dir.path(), columns, &format!("heapsmith replay t.parquet --heap '{heap}'"));
    assert!(replay(1000).contains(heap) && !replay(100).contains(heap));
    assert!(!told(&shown(dir.path(), 1000, &["pick", "out"])).contains('\x1b'), "no colour in a pipe");
}

#[test]
fn an_interrupted_job_leaves_no_progress_bar() {
    let dir = folder();
    let trace = sample("ftp.pcap.xz");
    for job in [
        format!("explore {trace} --as drr --rounds 0 -o long"),
        "inspect workload:treeadd --set depth=23 --lower-bound".to_owned(),
    ] {
        let shown = typed(dir.path(), 100, &format!("timeout --signal=INT 3 heapsmith {job}"));
        let (before, last) =
            shown.rsplit_once("\x1b[2K").unwrap_or_else(|| panic!("{job}: no bar was cleared: {shown:?}"));
        assert!(before.contains('⠁') || before.contains('━') || before.contains("reading"), "{job}: a bar was there");
        assert!(!last.contains('━') && !last.contains("reading"), "{job}: {last:?}");
    }
}
