//! Workloads that need no file, where a trace is named.

use std::process::{Command, Output};

fn heapsmith(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_workload_is_listed_with_how_it_is_named() {
    let list = text(&heapsmith(&["workloads"]).stdout);
    for name in
        ["modem", "random-half", "sizes", "every-other", "treeadd", "bisort", "perimeter", "voronoi", "health", "cfrac"]
    {
        assert!(list.contains(&format!("reads nothing (workload:{name}); after ")), "{name}: {list}");
    }
    assert!(list.contains("java  a recorded Java program"), "{list}");
    let csv = text(&heapsmith(&["workloads", "--format", "csv"]).stdout);
    assert!(csv.contains("depth,14,"), "{csv}");
}

#[test]
fn a_workload_without_a_file_is_replayed_inspected_and_imported() {
    let set = ["workload:treeadd", "--set", "depth=8"];
    let replayed = heapsmith(&[&["replay"][..], &set, &["--heap", "phk", "--format", "json"]].concat());
    assert!(replayed.status.success(), "{}", text(&replayed.stderr));
    let json: serde_json::Value = serde_json::from_slice(&replayed.stdout).expect("an array");
    assert_eq!((&json[0]["requested_peak"], &json[0]["trace"]), (&(24 * 255).into(), &"treeadd".into()));
    assert!(heapsmith(&[&["inspect"][..], &set].concat()).status.success());
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("trace.parquet");
    let out = out.to_str().expect("a name");
    assert!(heapsmith(&[&["import"][..], &set, &["-o", out]].concat()).status.success());
    let again = heapsmith(&["replay", out, "--heap", "phk", "--format", "json"]);
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).expect("an array");
    assert_eq!(again[0]["accesses"], json[0]["accesses"]);
    // The same as a recorded program, under a collection.
    let java = heapsmith(&["inspect", out, "--as", "java", "--set", "heap=6120"]);
    assert!(java.status.success(), "{}", text(&java.stderr));
}

#[test]
fn wrong_use_says_how_to_mend_it() {
    for (arguments, told) in [
        (&["inspect", "workload:treadd"][..], "did you mean treeadd?"),
        (&["inspect", "workload:drr"], "name the file, and add --as drr"),
        (&["inspect", file!(), "--as", "treeadd"], "write workload:treeadd in place of the file"),
        (&["inspect", "workload:treeadd", "--set", "depth=99"], "treeadd: depth=99 makes no sense; it takes levels"),
    ] {
        let output = heapsmith(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
}
