//! Importing, transforming and inspecting through the command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::browser::{Browser, Screen};

fn heapsmith(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "100")
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn sample(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    path.canonicalize().expect("a sample").display().to_string()
}

/// Two sizes in turns, the blocks of one of them freed late.
fn recording(folder: &Path) {
    let mut text = String::from("= Start\n");
    for number in 1..400_u64 {
        text += &format!("@ ./server:(parse+0x1d)[0x401156] + {:#x} {:#x}\n", number * 4096, 66 + number % 2 * 1448);
        if number > 20 && number % 2 == 0 {
            text += &format!("@ ./server:(done+0x2)[0x401256] - {:#x}\n", (number - 10) * 4096);
        }
    }
    std::fs::write(folder.join("server.log"), text).expect("a file");
}

#[test]
fn a_recording_of_another_tool_is_inspected_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    let output = heapsmith(folder.path(), &["inspect", "server.log"]);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout));
}

/// Ten sites ask for much and free it; another asks for little and keeps it: it is named, with all frames where those are asked for.
#[test]
fn a_site_that_leaks_is_named_however_little_it_asks_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::from("= Start\n");
    for number in 1..=200_u64 {
        let (at, site) = (number * 4096, number % 10);
        text += &format!("@ ./server:(busy{site}+0x2)[0x4012{site}6] + {at:#x} 0x1000\n");
        text += &format!("@ ./server:(busy{site}+0x9)[0x4012{site}9] - {at:#x}\n");
        if number % 50 == 0 {
            text += &format!("@ ./server:(forgets+0x2)[0x401356] + {:#x} 0x18\n", at + 2048);
        }
    }
    std::fs::write(folder.path().join("server.log"), text).expect("a file");
    let said = |more: &[&str]| {
        let output = heapsmith(folder.path(), &[&["inspect", "server.log"], more].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let leaks: Vec<String> =
        said(&[]).lines().filter(|line| line.contains("never freed, by")).map(str::to_owned).collect();
    assert_eq!(leaks.len(), 1, "{leaks:?}");
    assert!(leaks[0].contains("96 B in 4 blocks never freed, by ") && leaks[0].contains("forgets"), "{leaks:?}");
    let whole = said(&["--sites"]);
    let first = whole.split_once("\n1. ").expect("a first site").1;
    assert!(first.starts_with("96 B in 4 blocks never freed, of 96 B in 4 requests;"), "{first}");
    assert!(first.lines().nth(1).is_some_and(|frame| frame.contains("forgets")), "{first}");
    let rows: serde_json::Value = serde_json::from_str(&said(&["--sites", "--format", "json"])).expect("JSON");
    let rows = rows.as_array().expect("rows");
    assert_eq!(
        (rows.len(), rows[0]["never_freed"].as_u64(), rows[0]["blocks_never_freed"].as_u64()),
        (11, Some(96), Some(4))
    );
    assert!(rows[1..].iter().all(|row| row["never_freed"] == 0 && row["requested"] == 81_920), "{rows:?}");
    heapsmith(folder.path(), &["inspect", "server.log", "--html", "page.html"]);
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(page.contains("what leaks, and what a program keeps") && page.contains("forgets"));
    let refused = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        let output =
            command.arg("inspect").args(arguments).current_dir(folder.path()).output().expect("the command runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    std::fs::write(folder.path().join("bare.csv"), "op,id,size\nalloc,1,16\nfree,1,0\n").expect("a file");
    let (code, why) = refused(&["bare.csv", "--sites"]);
    assert!(code == Some(3) && why.contains("has no call sites for --sites"), "{code:?} {why}");
    let (code, why) = refused(&["server.log", "--sites", "--classes", "2", "--format", "csv"]);
    assert!(code == Some(2) && why.contains("name one of them"), "{code:?} {why}");
}

#[test]
fn pools_of_optimal_classes_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    heapsmith(folder.path(), &["import", "workload:modem", "--set", "calls=20", "-o", "board.csv"]);
    let shown = |columns: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
            .args(["inspect", "board.csv", "--classes", "6", "--lower-bound"])
            .current_dir(folder.path())
            .env("COLUMNS", columns)
            .output()
            .expect("the command runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let wide = shown("80");
    assert!(wide.contains("lower bound: ") && wide.contains("cumulated"), "{wide}");
    let (_, pools) = wide.split_once("\n6 pools").expect("pools");
    insta::assert_snapshot!(format!("6 pools{pools}"));
    assert!(pools.lines().all(|line| line.chars().count() <= 80), "{pools}");
    assert!(shown("40").lines().all(|line| line.chars().count() <= 40));
}

/// The rows of `--classes` for programs.
fn pools(folder: &Path, arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = heapsmith(folder, &[&["inspect"], arguments, &["--format", "json"]].concat());
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    rows.as_array().expect("rows").clone()
}

#[test]
fn pools_of_optimal_classes_are_for_programs_too() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    let numbers = |rows: &[serde_json::Value], field: &str| -> Vec<u64> {
        rows.iter().map(|row| row[field].as_u64().expect("a number")).collect()
    };
    let rows = pools(folder.path(), &["server.log", "--classes", "5"]);
    assert_eq!(numbers(&rows, "block"), [72, 1520], "there are two sizes");
    assert_eq!(numbers(&rows, "smallest"), [1, 73]);
    assert_eq!(numbers(&rows, "requests"), [199, 200]);
    assert_eq!(numbers(&rows, "blocks"), [11, 200]);
    assert_eq!(numbers(&rows, "bytes"), [792, 304_000]);
    assert_eq!(numbers(&rows, "pools_bytes"), [304_792; 2]);
    assert!(rows[0].get("trace").is_none() && rows[0]["internal"].as_f64() == Some(0.090909), "{rows:?}");
    let exact = pools(folder.path(), &["server.log", "--classes", "2", "--align", "1"]);
    assert_eq!(numbers(&exact, "block"), [66, 1514]);
    assert_eq!(numbers(&exact, "pools_bytes"), [11 * 66 + 200 * 1514; 2]);
    assert_eq!(numbers(&exact, "peak_live"), [303_460; 2]);
    let one = pools(folder.path(), &["server.log", "--classes", "1", "--align", "4096"]);
    assert_eq!((numbers(&one, "block"), numbers(&one, "blocks")), (vec![4096], vec![210]));
    // Each trace has its own, and transforms come before.
    heapsmith(folder.path(), &["import", "server.log", "--limit", "100", "-o", "short.parquet"]);
    let both = pools(folder.path(), &["server.log", "short.parquet", "--classes", "2"]);
    assert_eq!(both.len(), 4, "{both:?}");
    assert!(both.iter().all(|row| row["trace"].is_string()), "{both:?}");
    let short = pools(folder.path(), &["server.log", "--limit", "100", "--classes", "2"]);
    assert_eq!(numbers(&both[2..], "bytes"), numbers(&short, "bytes"));
    let copies = pools(folder.path(), &["server.log", "--copies", "3", "--classes", "2"]);
    assert_eq!(numbers(&copies, "blocks"), [33, 600], "three at once");
    // A page and a profile of call sites are written as without pools.
    heapsmith(folder.path(), &["inspect", "server.log", "--html", "plain.html", "--pprof", "plain.pb"]);
    let with = ["inspect", "server.log", "--classes", "2", "--html", "with.html", "--pprof", "with.pb"];
    heapsmith(folder.path(), &with);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    assert!(read("plain.html") == read("with.html") && read("plain.pb") == read("with.pb"));
    for (wrong, why) in [
        (&["--classes", "0"][..], "1 to 1024"),
        (&["--classes", "1025"], "1 to 1024"),
        (&["--classes", "2", "--align", "3"], "a power of two"),
        (&["--align", "4"], "--classes"),
        (&["--classes", "2", "--lower-bound", "--format", "csv"], "name one of them"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        let refused = command.args(["inspect", "server.log"]).args(wrong).current_dir(folder.path()).output();
        let refused = refused.expect("the command runs");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains(why), "{wrong:?}: {said}");
    }
}

#[test]
fn transforms_are_told_and_every_command_takes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    let all = ["--slice", "100..300", "--thread", "0", "--copies", "3", "--gc-every", "20K"];
    let output = heapsmith(folder.path(), &[&["inspect", "server.log"], &all[..]].concat());
    let told = String::from_utf8_lossy(&output.stdout);
    for setting in ["slice=100..300", "thread=0", "copies=3", "gc-every=20480"] {
        assert!(told.contains(setting), "{told}");
    }
    heapsmith(folder.path(), &[&["import", "server.log", "-o", "out.parquet"], &all[..]].concat());
    let imported = heapsmith(folder.path(), &["inspect", "out.parquet"]).stdout;
    assert_eq!(String::from_utf8_lossy(&imported), told, "the transforms are in the file");
    heapsmith(folder.path(), &[&["replay", "server.log", "--heap", "list", "--verify"], &all[..]].concat());
}

#[test]
fn exports_are_importable() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    let sizes = |file: &str| heapsmith(folder.path(), &["inspect", file, "--format", "csv"]).stdout;
    let wanted = sizes("server.log");
    for out in ["out.parquet", "out.rep", "out.csv"] {
        heapsmith(folder.path(), &["import", "server.log", "-o", out]);
        assert_eq!(sizes(out), wanted, "{out}");
    }
}

#[test]
fn the_page_of_a_trace_draws_itself_without_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["inspect", &sample("ftp.pcap.xz"), "--as", "drr", "--slice", "..20000", "--html", "page.html"];
    heapsmith(folder.path(), &arguments);
    let page = folder.path().join("page.html");
    let mut browser = Browser::start();
    browser.open(&page, Screen { width: 400, height: 800, dark: false });
    let figures = browser.evaluate("[...document.querySelectorAll('.plot')].map((plot) => plot.id)");
    assert_eq!(figures, serde_json::json!(["plot-live", "plot-sizes-0", "plot-heat", "plot-turnover"]));
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth > innerWidth"), false, "it scrolls sideways");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
    let dom = browser.evaluate("document.documentElement.outerHTML");
    let dom = dom.as_str().expect("text");
    for section in ["totals", "live", "sizes", "heat", "turnover", "sites"] {
        assert!(dom.contains(&format!("<section id=\"{section}\"")), "no section {section}");
    }
}

#[test]
fn call_sites_are_written_for_pprof() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    heapsmith(folder.path(), &["inspect", "server.log", "--pprof", "sites.pb", "--html", "page.html"]);
    let profile = std::fs::read(folder.path().join("sites.pb")).expect("a profile");
    let has = |text: &str| profile.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("parse") && has("inuse_space") && !has("done"), "who frees is no site of a request");
    assert!(folder.path().join("page.html").exists());
    heapsmith(folder.path(), &["import", "server.log", "-o", "plain.rep"]);
    for (traces, code, why) in [(&["plain.rep"][..], 3, "--sites"), (&["server.log", "plain.rep"], 2, "name one")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        command.arg("inspect").args(traces).args(["--pprof", "none.pb"]).current_dir(folder.path());
        let refused = command.output().expect("the command runs");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(code) && said.contains(why), "{said}");
        assert!(!folder.path().join("none.pb").exists());
    }
}

#[test]
fn wrong_transforms_are_wrong_use() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    for wrong in [["--slice", "9..3"], ["--gc-every", "64KB"], ["--gc-every", "0"], ["--copies", "0"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
            .args(["inspect", "server.log"])
            .args(wrong)
            .current_dir(folder.path())
            .output()
            .expect("the command runs");
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn several_traces_are_inspected_one_after_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    recording(folder.path());
    heapsmith(folder.path(), &["import", "server.log", "--limit", "100", "-o", "short.parquet"]);
    let told = |arguments: &[&str]| {
        let output = heapsmith(folder.path(), &[&["inspect"], arguments].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let each = ["server.log", "short.parquet"].map(|trace| told(&[trace]));
    assert_eq!(told(&["server.log", "short.parquet"]), each.join("\n"));
    let rows = |text: String| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let both = told(&["server.log", "short.parquet", "--format", "csv"]);
    assert!(both.starts_with("trace,size,requests,"), "{both}");
    let one = rows(told(&["short.parquet", "--format", "csv"]));
    assert!(one.iter().all(|row| both.contains(&format!(",{row}\n"))), "{both}: {one:?}");
    let bounds = told(&["server.log", "short.parquet", "--lower-bound", "--format", "csv"]);
    assert_eq!(bounds.lines().count(), 3, "{bounds}");
    let page = ["inspect", "server.log", "short.parquet", "--html", "page.html"];
    let refused = Command::new(env!("CARGO_BIN_EXE_heapsmith")).args(page).current_dir(folder.path()).output();
    let refused = refused.expect("the command runs");
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    assert!(!folder.path().join("page.html").exists());
}
