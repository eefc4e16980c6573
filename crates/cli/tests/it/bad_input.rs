//! What bad input gets: an error that says what happened, where, and how to
//! mend it; the exit code of its kind; nothing lost.

use std::path::Path;
use std::process::Command;

/// Exit code and standard error of a command, in a folder of its own, whose name is cut out.
fn fails(dir: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .current_dir(dir)
        .env("COLUMNS", "1000")
        .output()
        .expect("the command runs");
    let error = String::from_utf8(output.stderr).expect("text");
    (output.status.code().unwrap_or(-1), error.replace(&format!("{}/", dir.display()), ""))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A capture of one Ethernet frame, with this link type.
fn capture(link: u32) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, link] {
        file.extend(word.to_le_bytes());
    }
    for word in [1_u32, 0, 20, 60] {
        file.extend(word.to_le_bytes());
    }
    file.extend([0; 12]);
    file.extend([0x08, 0x06]);
    file.extend([0; 6]);
    file
}

fn write(dir: &Path, name: &str, contents: impl AsRef<[u8]>) {
    std::fs::write(dir.join(name), contents).expect("a file");
}

#[test]
fn a_spec_with_a_typo_points_at_it() {
    let dir = folder();
    write(dir.path(), "a.pcap", capture(1));
    let (code, error) = fails(dir.path(), &["replay", "a.pcap", "--as", "easyport", "--heap", "list(ordr=fifo)"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!("a_typo_in_a_spec", error);
    let (code, error) = fails(dir.path(), &["replay", "a.pcap", "--as", "easyport", "--heap", "windows-px"]);
    assert_eq!(code, 2);
    assert!(error.contains("windows-xp"), "{error}");
}

#[test]
fn a_region_of_three_bytes_is_too_small() {
    let dir = folder();
    write(dir.path(), "a.pcap", capture(1));
    let arguments = ["replay", "a.pcap", "--as", "easyport", "--heap", "list", "--region", "3"];
    let (code, error) = fails(dir.path(), &arguments);
    assert_eq!(code, 2);
    insta::assert_snapshot!("a_region_of_three_bytes", error);
}

#[test]
fn captures_that_cannot_be_read_say_why() {
    let dir = folder();
    write(dir.path(), "usb.pcap", capture(189));
    let mut cut = capture(1);
    cut.truncate(cut.len() - 7);
    write(dir.path(), "cut.pcap", cut);
    write(dir.path(), "empty.pcap", "");
    write(dir.path(), "text.pcap", "dear diary,\ntoday nothing was captured\n\u{1}\u{2}");
    for (name, file) in
        [("unknown_link_type", "usb.pcap"), ("cut_off", "cut.pcap"), ("empty", "empty.pcap"), ("foreign", "text.pcap")]
    {
        let (code, error) = fails(dir.path(), &["explore", file, "--as", "drr"]);
        assert_eq!(code, 3, "{file}: {error}");
        insta::assert_snapshot!(name, error);
    }
    assert!(!dir.path().join("explore-usb-drr").exists(), "nothing was begun");
}

#[test]
fn a_log_line_that_does_not_parse_is_named() {
    let dir = folder();
    let good = r#"10.0.0.1 - - [01/Jul/2025:00:00:01 -0400] "GET /a/b.gif HTTP/1.0" 200 6245"#;
    write(dir.path(), "web.log", format!("{good}\n{good}\nthis is no request\n{good}\n"));
    let (code, error) = fails(dir.path(), &["inspect", "web.log", "--as", "url"]);
    assert_eq!(code, 3);
    insta::assert_snapshot!("a_bad_log_line", error);
    let (code, _) = fails(dir.path(), &["inspect", "web.log", "--as", "url", "--set", "keep-damaged=yes"]);
    assert_eq!(code, 0, "what is readable can be kept");
}

#[test]
fn a_capture_without_a_workload_says_which_there_are() {
    let dir = folder();
    write(dir.path(), "a.pcap", capture(1));
    let (code, error) = fails(dir.path(), &["explore", "a.pcap"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!("no_workload", error);
    let (code, error) = fails(dir.path(), &["explore", "a.pcap", "--as", "dr"]);
    assert_eq!(code, 2);
    assert!(error.contains("drr"), "{error}");
}

#[test]
fn damage_that_makes_the_parquet_reader_panic_is_only_an_error() {
    let dir = folder();
    let trace = "trace.parquet";
    let (code, error) = fails(dir.path(), &["import", "workload:modem", "--limit", "100", "-o", trace]);
    assert_eq!(code, 0, "{error}");
    let whole = std::fs::read(dir.path().join(trace)).expect("the trace");
    let length = whole.len() - 8;
    let footer = u32::from_le_bytes(whole[length..length + 4].try_into().expect("four bytes")) as usize;
    // In the footer, 8 is the number 4, where the first page of the first column begins, and 7 is -4.
    let fours = (length - footer..length).filter(|&at| whole[at] == 8);
    let mut refused = 0;
    for at in fours {
        let mut damaged = whole.clone();
        damaged[at] = 7;
        write(dir.path(), trace, damaged);
        let (code, error) = fails(dir.path(), &["inspect", trace]);
        assert!(!error.contains("panicked"), "byte {at}: {error}");
        refused += usize::from(code == 3 && error.contains("a page makes no sense"));
    }
    assert!(refused > 0, "the reader panics for one of them");
}

#[test]
fn a_folder_that_cannot_be_written_is_the_environment() {
    let dir = folder();
    write(dir.path(), "a.pcap", capture(1));
    write(dir.path(), "taken", "a file where a folder should be");
    let (code, error) = fails(dir.path(), &["explore", "a.pcap", "--as", "easyport", "--out", "taken/results"]);
    assert_eq!(code, 4);
    insta::assert_snapshot!("a_folder_that_cannot_be_written", error);
}

#[test]
fn a_trace_that_cannot_be_written_leaves_nothing_behind() {
    let dir = folder();
    write(dir.path(), "a.pcap", capture(1));
    let (code, error) =
        fails(dir.path(), &["import", "a.pcap", "--as", "easyport", "-o", "no/such/folder/out.parquet"]);
    assert_eq!(code, 4, "{error}");
    assert!(!dir.path().join("no").exists());
}

#[test]
fn a_page_of_no_exploration_says_what_to_run() {
    let dir = folder();
    let (code, error) = fails(dir.path(), &["report", "nowhere"]);
    assert_eq!(code, 3);
    insta::assert_snapshot!("no_exploration", error);
}

#[test]
fn wrong_options_are_wrong_use() {
    let dir = folder();
    assert_eq!(fails(dir.path(), &["explore"]).0, 2);
    assert_eq!(fails(dir.path(), &["explore", "x", "--prefer", "luck"]).0, 2);
    assert_eq!(fails(dir.path(), &["frobnicate"]).0, 2);
    assert_eq!(fails(dir.path(), &["--help"]).0, 0);
}

#[test]
fn repetitions_beyond_reason_are_wrong_use() {
    let dir = folder();
    write(dir.path(), "t.rep", "0\n1\n2\n1\na 0 16\nf 0\n");
    let commands = [
        &["explore", "t.rep", "--rounds", "9223372036854775807"][..],
        &["explore", "t.rep", "--perturb", "4294967295"],
        &["replay", "t.rep", "--heap", "tlsf", "--loop", "4294967295"],
    ];
    for command in commands {
        let (code, error) = fails(dir.path(), command);
        assert_eq!(code, 2, "{command:?}: {error}");
        assert!(error.contains("is not in") && error.contains(command[command.len() - 2]), "{command:?}: {error}");
    }
    let (code, error) = fails(dir.path(), &["replay", "t.rep", "--heap", "tlsf", "--shuffle", "4294967295"]);
    assert_eq!(code, 2, "{error}");
    let (code, error) = fails(dir.path(), &["replay", "t.rep", "--heap", "tlsf", "--shuffle", "1000000"]);
    assert_eq!(code, 0, "a part holds an event at least: {error}");
}

#[test]
fn a_reference_allocator_in_a_region_of_one_byte_refuses() {
    let dir = folder();
    write(dir.path(), "t.rep", "0\n1\n2\n1\na 0 16\nf 0\n");
    for peer in ["linked_list_allocator", "rlsf", "talc", "dlmalloc", "buddy_system_allocator"] {
        let peer = format!("peer:{peer}");
        let (code, error) = fails(dir.path(), &["replay", "t.rep", "--heap", &peer, "--region", "1"]);
        assert!(code < 2 && !error.contains("panicked"), "{peer}: {code}, {error}");
    }
}

#[test]
fn an_input_that_is_missing_ends_every_verb_with_3() {
    let dir = tempfile::tempdir().expect("a folder");
    let check = "[trace.t]\nfile = \"missing.parquet\"\n[heap.h]\nspec = \"tlsf\"\n[[assert]]\nmeasure = \"min_region\"\n\
                 max = \"1M\"\n";
    std::fs::write(dir.path().join("check.toml"), check).expect("a file");
    std::fs::write(dir.path().join("growth.toml"), check.replace("max = \"1M\"", "max_growth = \"5%\""))
        .expect("a file");
    let missing: [&[&str]; 20] = [
        &["inspect", "missing.parquet"],
        &["inspect", "workload:sizes", "missing.rep"],
        &["plan", "missing.csv", "-o", "out"],
        &["plan", "missing.csv", "--pools", "4", "-o", "out"],
        &["import", "missing.log.xz", "-o", "out.rep"],
        &["replay", "missing.parquet", "--heap", "tlsf"],
        &["replay", "missing.parquet", "--heap", "tlsf", "--over-time"],
        &["explore", "missing.pcap", "--as", "drr"],
        &["explore", "workload:sizes", "--limit", "9", "--holdout", "missing.parquet", "-o", "out"],
        &["explore", "workload:sizes", "--limit", "9", "--space", "missing.toml", "-o", "out"],
        &["pick", "missing"],
        &["report", "missing", "--table"],
        &["compare", "missing", "missing"],
        &["check", "missing.toml"],
        &["check", "check.toml"],
        &["check", "growth.toml", "--base", "missing.json"],
        &["emit", "tlsf", "--lang", "c", "-o", "out", "--trace", "missing.parquet"],
        &["emit", "missing/", "--lang", "c", "-o", "out"],
        &["run", "--heap", "./missing", "--", "true"],
        &["reproduce", "000", "--samples", "missing", "-o", "out"],
    ];
    for arguments in missing {
        let (code, error) = fails(dir.path(), arguments);
        assert_eq!(code, 3, "{arguments:?}: {error}");
        assert!(error.contains("missing"), "{arguments:?}: {error}");
    }
}

#[test]
fn an_option_that_would_be_ignored_is_refused_with_what_it_is_of() {
    let dir = tempfile::tempdir().expect("a folder");
    let ignored: [(&[&str], &str); 7] = [
        (&["record", "--for", "1s", "--", "true"], "--pid"),
        (&["run", "--heap", "tlsf", "--prefer", "memory", "--", "true"], "folder"),
        (&["emit", "tlsf", "--lang", "c", "--prefer", "memory", "-o", "out"], "folder"),
        (&["race", "--heap", "tlsf", "--prefer", "memory", "--", "true"], "folder"),
        (&["race", "--heap", "tlsf", "--runners-up", "3", "--", "true"], "folder"),
        (&["replay", "workload:sizes", "--heap", "tlsf", "--pace", "3"], "--threaded"),
        (&["explore", "workload:sizes", "--pace", "2", "-o", "out"], "--space knobs"),
    ];
    for (arguments, of) in ignored {
        let (code, error) = fails(dir.path(), arguments);
        assert_eq!(code, 2, "{arguments:?}: {error}");
        assert!(error.contains(of), "{arguments:?}: {error}");
    }
}
