//! Folders of results.

use heapsmith_output::ResultsFolder;

use crate::{names, refusal};

fn is_ours(folder: &std::path::Path) -> bool {
    folder.join("mark").exists()
}

#[test]
fn a_folder_is_ours_if_it_is_new_or_empty_or_marked() {
    let dir = tempfile::tempdir().expect("a folder");
    assert!(ResultsFolder::claim(dir.path(), is_ours).expect("it is empty").is_new());
    let new = dir.path().join("a/b");
    assert!(ResultsFolder::claim(&new, is_ours).expect("it is made").is_new());
    std::fs::write(new.join(".heapsmith-killed.part"), "").expect("a file");
    let folder = ResultsFolder::claim(&new, is_ours).expect("a killed run left it so");
    folder.create("mark").and_then(|output| output.put("")).expect("written");
    assert!(!ResultsFolder::claim(&new, is_ours).expect("it is marked").is_new());
}

#[test]
fn a_folder_with_other_files_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["trace-1.parquet", "b", "c", "d"] {
        std::fs::write(dir.path().join(name), "kept").expect("a file");
    }
    let before = names(dir.path());
    let error = ResultsFolder::claim(dir.path(), is_ours).expect_err("it is not ours");
    assert!(refusal(&error).contains("(b, c, d and 1 more)"), "{error}");
    assert_eq!(names(dir.path()), before);
}
