//! Inputs that ask for more than there is: refused with the file's name, and in bounded memory.

use std::path::Path;
use std::process::Command;

mod bombs;

use bombs::{Claims, gzip, packets, parquet, pcap_header};

/// Exit code and standard error of a command that may take this many MB of address space.
fn within(megabytes: u64, dir: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v {}; exec \"$0\" \"$@\"", megabytes << 10)])
        .arg(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .current_dir(dir)
        .output()
        .expect("the command runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn folder_with(name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join(name), bytes).expect("a file");
    dir
}

#[test]
fn a_trace_file_that_claims_more_than_it_holds_is_damaged() {
    const MANY: i64 = 2_000_000_000;
    for (what, claims, said) in [
        ("rows", Claims { rows: MANY, values: MANY, ..Claims::HONEST }, "it claims 2000000000 events in"),
        ("values", Claims { rows: 1 << 19, values: MANY, ..Claims::HONEST }, "a page of 2000000000 values"),
        ("unpacked", Claims { unpacked: Some(i32::MAX.into()), ..Claims::HONEST }, "a page of 2147483647 bytes"),
        ("packed", Claims { unpacked: Some(1 << 20), ..Claims::HONEST }, "that claims to unpack to 1048576"),
        ("dictionary", Claims { dictionary: Some(1 << 24), ..Claims::HONEST }, "a dictionary that claims 16777216"),
        ("dictionary", Claims { dictionary: Some(MANY), ..Claims::HONEST }, "a page of 2000000000 values"),
    ] {
        let dir = folder_with("t.parquet", &parquet(&claims));
        let (code, error) = within(4096, dir.path(), &["inspect", "t.parquet"]);
        assert_eq!(code, 3, "{what}: {error}");
        assert!(error.contains("t.parquet is damaged") && error.contains(said), "{what}: {error}");
    }
    let dir = folder_with("t.parquet", &parquet(&Claims::HONEST));
    let (code, error) = within(4096, dir.path(), &["inspect", "t.parquet"]);
    assert_eq!((code, error.as_str()), (0, ""), "what claims what it holds is read");
}

#[test]
fn a_line_without_an_end_is_refused() {
    let dir = folder_with("urls.gz", &gzip(b"/", &[b'a'; 1 << 20], 8));
    let (code, error) = within(4096, dir.path(), &["inspect", "urls.gz", "--as", "url"]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("urls.gz: line 1: a line of more than 1048576 bytes"), "{error}");
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn a_packed_file_gives_256_megabytes_or_200_times_its_size_and_no_more() {
    // Lines of blanks, which nothing has to be kept of: a thousandth of their size, packed.
    let mut line = vec![b' '; 1 << 20];
    line[(1 << 20) - 1] = b'\n';
    let dir = folder_with("urls.gz", &gzip(b"/a\n", &line, 255));
    let (code, error) = within(4096, dir.path(), &["inspect", "urls.gz", "--as", "url"]);
    assert_eq!((code, error.as_str()), (0, ""), "255 MB are read");
    let dir = folder_with("urls.gz", &gzip(b"/a\n", &line, 260));
    for heap in [&[][..], &["--heap", "tlsf"]] {
        let verb = if heap.is_empty() { "inspect" } else { "replay" };
        let (code, error) = within(4096, dir.path(), &[&[verb, "urls.gz", "--as", "url"], heap].concat());
        assert_eq!(code, 3, "{verb}: {error}");
        assert!(error.contains("urls.gz") && error.contains("unpacks to more than 256 MB"), "{verb}: {error}");
    }
}

#[test]
fn a_dictionary_of_four_gigabytes_is_refused() {
    let dir = folder_with("urls.xz", &bombs::xz_of_largest_dictionary());
    let (code, error) = within(4096, dir.path(), &["inspect", "urls.xz", "--as", "url"]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("urls.xz"), "{error}");
}

#[test]
fn more_than_the_budget_ends_with_exit_code_4_and_the_files_name() {
    let dir = folder_with("blocks.csv", &lifetimes(200_000));
    let input = ["blocks.csv", "--memory", "16M"];
    for (verb, more) in
        [("replay", &["--heap", "tlsf"][..]), ("inspect", &["--lower-bound"]), ("explore", &["-o", "out"])]
    {
        let (code, error) = within(4096, dir.path(), &[&[verb], &input[..], more].concat());
        assert_eq!(code, 4, "{verb}: {error}");
        assert!(error.contains("blocks.csv: ") && error.contains("more than the 16.0 MB of memory"), "{verb}: {error}");
    }
    let (code, error) = within(
        4096,
        dir.path(),
        &["replay", "workload:random-half", "--set", "requests=1000000", "--heap", "bump", "--memory", "16M"],
    );
    assert_eq!(code, 4, "{error}");
    assert!(error.contains("workload:random-half: it takes more"), "{error}");
}

/// Buffers that live one after another.
fn lifetimes(buffers: usize) -> Vec<u8> {
    let lines = (0..buffers).map(|number| format!("{number},{number},{},64\n", number + 100_000));
    format!("id,lower,upper,size\n{}", lines.collect::<String>()).into_bytes()
}

#[test]
fn a_limit_of_events_bounds_what_a_workload_takes() {
    let dir = folder_with("urls", "/a\n".repeat(200_000).as_bytes());
    // Their whole trace has two million events.
    let (code, error) = within(250, dir.path(), &["inspect", "urls", "--as", "url", "--limit", "1000"]);
    assert_eq!((code, error.as_str()), (0, ""));
}

#[test]
fn a_limit_of_events_ends_the_reading_where_the_link_is_given() {
    let mut capture = pcap_header();
    capture.extend(packets(1000));
    capture.extend([0xff; 40]);
    let dir = folder_with("t.pcap", &capture);
    for workload in ["drr", "easyport"] {
        let inspect = ["inspect", "t.pcap", "--as", workload, "--limit", "100"];
        let (code, error) = within(4096, dir.path(), &[&inspect[..], &["--set", "rate=8M"]].concat());
        assert_eq!((code, error.as_str()), (0, ""), "{workload}: what is not needed is not read");
        let (code, error) = within(4096, dir.path(), &inspect);
        assert_eq!(code, 3, "{workload}: rate=auto needs all of it: {error}");
    }
}
