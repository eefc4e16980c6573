//! The list of heaps: every line is complete and names a heap that can be replayed.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn rows(arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .args(["--format", "json"])
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an array of objects")
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("no text {key} in {row}"))
}

/// The heaps of the list without other people's, which a build may not have.
fn ours() -> Vec<Value> {
    rows(&["heaps"]).into_iter().filter(|row| !text(row, "name").starts_with("peer:")).collect()
}

#[test]
fn every_heap_has_its_costs_its_bound_and_its_source() {
    let listed = ours();
    assert!(listed.len() >= 28, "{} heaps", listed.len());
    for row in &listed {
        for key in ["heap", "allocate", "free", "footprint", "source"] {
            assert!(!text(row, key).is_empty(), "{} has no {key}", row["name"]);
        }
    }
    for paper in ["Mamagkakis et al. 2006", "Diamantstein", "Donahue et al. 2001", "Peintner"] {
        assert!(listed.iter().any(|row| text(row, "papers").contains(paper)), "no heap is of {paper}");
    }
}

#[test]
fn every_name_of_the_list_can_be_replayed() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ftp.pcap.xz");
    let listed = ours();
    let mut command = vec!["replay", sample.to_str().expect("text"), "--as", "drr", "--limit", "300"];
    listed.iter().for_each(|row| command.extend(["--heap", text(row, "name")]));
    let replayed = rows(&command);
    assert_eq!(replayed.len(), listed.len());
    for (row, named) in replayed.iter().zip(&listed) {
        assert_eq!(text(row, "heap"), text(named, "heap"));
    }
}
