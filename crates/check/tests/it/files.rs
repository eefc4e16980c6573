//! Check files that say nothing, or what nobody knows: each is refused at its place, with what may stand there.

use std::path::Path;

use heapsmith_check::CheckFile;

const HEAD: &str = "[trace.a]\nfile = \"a\"\n[heap.h]\nspec = \"tlsf\"\n";

fn refused(text: &str) -> String {
    CheckFile::parse(Path::new("ci/heap.toml"), text).expect_err(text).to_string()
}

/// The error of an assertion whose lines come behind a trace and a heap: it begins in line 6.
fn assertion(lines: &str) -> String {
    refused(&format!("{HEAD}[[assert]]\n{lines}\n"))
}

#[test]
fn every_mistake_is_refused_at_its_place() {
    let cases = [
        ("measure = \"min_region\"", "6:11: min_region has no limit: add max, min or max_growth"),
        ("measure = \"largest_request\"\nregion = 1", "6:11: largest_request has no limit: add max, min or max_drop"),
        ("measure = \"largest_request\"\nmin = 1", "6:11: largest_request depends on the region: add region"),
        ("measure = \"speed\"\nmax = 1", "6:11: \"speed\" is no measure: write one of min_region, requested_peak"),
        ("measure = \"drift\"\nmax = -1", "7:7: -1 is out of range"),
        ("measure = \"drift\"\nmax = nan", "7:7: "),
        (
            "measure = \"drift\"\nmax = \"5 apples\"",
            "7:7: \"5 apples\" is no amount: write a number as 65536 or \"64K\"",
        ),
        (
            "measure = \"drift\"\nmax = \"5%\"",
            "7:7: drift is no share: write a number, or compare with a base by max_growth",
        ),
        ("measure = \"drift\"\nmax = true", "7:7: "),
        ("measure = \"drift\"\nmax_drop = 1", "7:12: drift is better smaller: write max_growth in place of max_drop"),
        (
            "measure = \"largest_request\"\nregion = 1\nmax_growth = 1",
            "8:14: largest_request is better larger: write max_drop in place of max_growth",
        ),
        ("measure = \"bound\"\nmax = 1\npasses = 3", "8:10: passes belongs to drift: remove it"),
        (
            "measure = \"drift\"\nmax = 1\nregion = 3",
            "8:10: region belongs to footprint_peak, fragmentation, accesses_per_op, accesses_p99, accesses_max and largest_request: remove it",
        ),
        ("measure = \"drift\"\nmax = 1\npasses = 1", "8:10: passes is a whole number from 2 to 10000"),
        (
            "measure = \"drift\"\nmax = 1\nleaked = \"x\"",
            "8:10: \"x\" is no rule for what is never freed: keep, or free",
        ),
        ("measure = \"largest_request\"\nmin = 1\nregion = 0", "8:10: a region is a whole number of bytes above 0"),
        (
            "measure = \"largest_request\"\nmin = 1\nregion = 8\nat = \"end\"\nmoments = 2",
            "10:11: at = \"end\" is one moment: remove moments",
        ),
        (
            "measure = \"largest_request\"\nmin = 1\nregion = 8\nat = \"noon\"",
            "9:6: \"noon\" is no moment: worst, or end",
        ),
        ("measure = \"bound\"\nmax = 1\nheaps = [\"i\"]", "8:10: \"i\" is no heap of this file: write one of h"),
        ("measure = \"bound\"\nmax = 1\ntraces = [\"b\"]", "8:11: \"b\" is no trace of this file: write one of a"),
        ("measure = \"bound\"\nmax = 1\nheaps = []", "6:11: the assertion is about no heap"),
        (
            "measure = \"never_freed\"\nmax = 1\nheaps = [\"h\"]",
            "8:10: never_freed is a figure of the trace, the same for every heap: remove heaps",
        ),
        ("measure = \"bound\"\nmax = 1\nmaximum = 2", "8:1: unknown field `maximum`, expected one of `measure`, `max`"),
        ("max = 1", "missing field `measure`"),
    ];
    for (lines, wanted) in cases {
        let error = assertion(lines);
        assert!(error.starts_with("ci/heap.toml:") && error.contains(wanted), "{lines}\n{error}\nwanted {wanted}");
    }
}

#[test]
fn what_no_assertion_is_about_is_refused() {
    let of_trace = "[[assert]]\nmeasure = \"never_freed\"\nmax = 1\n";
    assert!(refused(&format!("{HEAD}{of_trace}")).contains(":3:1: no assertion is about the heap \"h\""));
    let listed = format!("{HEAD}[trace.b]\nfile = \"b\"\n[[assert]]\nmeasure = \"bound\"\nmax = 1\ntraces = [\"a\"]\n");
    assert!(refused(&listed).contains("no assertion is about the trace \"b\""));
    assert!(refused(HEAD).contains("it asserts nothing"));
    assert!(refused(of_trace).contains("the check file has no trace: add [trace.NAME]"));
    assert!(refused("[trace.a]\nfile = \"a\"\n[[assert]]\nmeasure = \"bound\"\nmax = 1").contains("has no heap"));
}

#[test]
fn heaps_and_traces_are_named_in_one_way() {
    let heap = |lines: &str| refused(&format!("[trace.a]\nfile = \"a\"\n[heap.h]\n{lines}\n"));
    assert!(heap("").contains("has no spec"));
    assert!(heap("spec = \"tlsf\"\nexploration = \"x\"").contains("a spec and an exploration"));
    assert!(heap("spec = \"tlsf\"\nprefer = \"memory\"").contains("remove prefer"));
    assert!(refused("[trace.a]\nfile = \"\"").contains("has no file"));
    assert!(refused("[trace.a]\nfile = \"a\"\nread = { set = { a = true } }").contains("read.set is neither"));
    assert!(refused("[trace.a]\nfile = 5").contains(":2:8: "));
    assert!(refused("[trace.a\n").starts_with("ci/heap.toml:1:"));
    assert!(
        refused("traces = 1").contains("unknown field `traces`, expected one of `base`, `trace`, `heap`, `assert`")
    );
}

#[test]
fn options_of_reading_are_words_in_the_files_order() {
    let text = format!(
        "{}read = {{ as = \"drr\", set = {{ b = 1, a = \"x\" }}, thread = [2, 1], limit = 9 }}\n{}",
        "[trace.a]\nfile = \"a\"\n", "[[assert]]\nmeasure = \"never_freed\"\nmax = 1\n"
    );
    let file = CheckFile::parse(Path::new("heap.toml"), &text).expect("a check file");
    let options: Vec<String> = file.traces[0].options.iter().map(|(key, value)| format!("{key} {value}")).collect();
    assert_eq!(options, ["as drr", "set b=1", "set a=x", "thread 2", "thread 1", "limit 9"]);
}
