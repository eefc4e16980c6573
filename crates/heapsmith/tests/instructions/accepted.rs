//! What was counted before, in a file.

use std::path::Path;

/// What a count of instructions may differ by: another compiler gives other code.
const TOLERANCE: f64 = 0.10;

/// Whether a count is another. One that sank is, too, so that the file stays true.
pub fn differs(old: f64, new: f64) -> bool {
    (new / old - 1.0).abs() > TOLERANCE
}

/// Whether everything is counted: in `cargo xtask nightly` (`HEAPSMITH_WHOLE`), and when counts are accepted. Otherwise every
/// heap and every search is counted under a third of the programs, by turns: Valgrind is slow.
pub fn is_whole() -> bool {
    ["HEAPSMITH_WHOLE", "HEAPSMITH_ACCEPT"].iter().any(|name| std::env::var_os(name).is_some())
}

/// In the place of a count that was not taken.
pub const NOT_COUNTED: &str = "-";

/// A count of a table; none if it was not taken.
pub fn count(word: &str) -> Option<f64> {
    (word != NOT_COUNTED).then(|| word.parse().expect("a count"))
}

/// Holds `table` against `file`, a path from this crate: `changes` between what it has and `table` there must be none.
/// With `HEAPSMITH_ACCEPT=1` the file is written anew.
pub fn hold(file: &str, table: &str, changes: impl Fn(&str, &str) -> Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(&path, table).expect("the file can be written");
    }
    let accepted = std::fs::read_to_string(&path).expect(file);
    let changes = changes(&accepted, table);
    assert!(changes.is_empty(), "{changes:#?}\nif this is meant: HEAPSMITH_ACCEPT=1 cargo test --test instructions");
}
