//! Static plans through the command: what is written, what is proven, what C compilers say, and what is refused.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Buffers with a gap that no order avoids: the lowest placement is above the peak live bytes, which are 12.
const GAP: &str = "id,lower,upper,size\n0,0,3,4\n1,1,6,4\n2,2,4,4\n3,3,5,4\n4,4,8,4\n5,5,9,8\n";
/// As tensors have them, with alignments.
const TENSORS: &str =
    "id,lower,upper,size,alignment\n0,0,4,100,16\n1,2,6,300,16\n3,3,9,60,4\n4,5,9,200,\n7,8,12,300,8\n";

fn plan(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .arg("plan")
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "80")
        .output()
        .expect("the command runs")
}

fn told(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn folder(list: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("list.csv"), list).expect("a file");
    folder
}

/// (lower, upper, size, alignment, offset) of each line, by the columns of a plan.
fn placements(folder: &Path) -> Vec<[u64; 5]> {
    let text = std::fs::read_to_string(folder.join("out/plan.csv")).expect("placements");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("id,lower,upper,size,alignment,offset"));
    let numbers = |line: &str| {
        let fields: Vec<u64> = line.split(',').skip(1).map(|field| field.parse().expect("a number")).collect();
        fields.try_into().expect("five numbers")
    };
    lines.map(numbers).collect()
}

/// Every pair is compared: it shares nothing with what verifies in the command.
fn assert_sound(placements: &[[u64; 5]], bytes: u64) {
    for (number, [lower, upper, size, alignment, offset]) in placements.iter().enumerate() {
        assert!(offset + size <= bytes && offset % alignment.max(&1) == 0, "block {number}");
        for [other_lower, other_upper, other_size, _, other_offset] in &placements[..number] {
            let meets = lower < other_upper && other_lower < upper;
            let overlaps = *offset < other_offset + other_size && *other_offset < offset + size;
            assert!(!(meets && overlaps), "block {number} overlaps");
        }
    }
}

#[test]
fn a_list_is_planned_and_the_answer_says_what_is_proven() {
    let folder = folder(TENSORS);
    let output = plan(folder.path(), &["list.csv", "--capacity", "1K", "-o", "out"]);
    let (answer, remarks) = told(&output);
    assert!(output.status.success(), "{remarks}");
    assert!(answer.lines().count() <= 12 && answer.lines().all(|line| line.chars().count() <= 80), "{answer}");
    insta::assert_snapshot!(answer);
    let placements = placements(folder.path());
    assert_eq!(placements.len(), 5);
    let bytes = placements.iter().map(|[_, _, size, _, offset]| size + offset).max().expect("blocks");
    assert_sound(&placements, bytes);
    // Version, subgraphs, count; tensors 2, 5 and 6 are not planned.
    let tensors = std::fs::read(folder.path().join("out/plan_tflm.bin")).expect("offsets");
    let words: Vec<i32> =
        tensors.chunks(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
    let offset = |block: usize| placements[block][4] as i32;
    assert_eq!(words, [1, 1, 8, offset(0), offset(1), -1, offset(2), offset(3), -1, -1, offset(4)]);
    // The same again: the folder has its own files only, and the bytes are the same.
    let before = std::fs::read(folder.path().join("out/plan.c")).expect("a source");
    assert!(plan(folder.path(), &["list.csv", "--capacity", "1K", "-o", "out"]).status.success());
    assert!(std::fs::read(folder.path().join("out/plan.c")).expect("a source") == before);
}

#[test]
fn programs_read_what_is_proven() {
    let folder = folder(GAP);
    let output = plan(folder.path(), &["list.csv", "-o", "out", "--format", "json"]);
    let rows: Value = serde_json::from_slice(&output.stdout).expect("an array");
    let row = &rows[0];
    assert_eq!((&row["blocks"], &row["capacity"]), (&Value::from(6), &Value::Null));
    assert_eq!(row["is_optimal"], "yes");
    assert_eq!(row["bytes"], row["proven"]);
    assert_sound(&placements(folder.path()), row["bytes"].as_u64().expect("bytes"));
}

#[test]
fn a_capacity_that_is_too_small_is_answered_with_one_that_is_not() {
    let folder = folder(TENSORS);
    let output = plan(folder.path(), &["list.csv", "--capacity", "300", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(told(&output).1);
    assert!(!folder.path().join("out").exists(), "nothing is written");
}

#[test]
fn files_of_the_user_are_left_alone() {
    let folder = folder(TENSORS);
    std::fs::create_dir(folder.path().join("out")).expect("a folder");
    std::fs::write(folder.path().join("out/plan.c"), "int mine;\n").expect("a file");
    let output = plan(folder.path(), &["list.csv", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output).1);
    assert_eq!(std::fs::read_to_string(folder.path().join("out/plan.c")).expect("it is there"), "int mine;\n");
    std::fs::rename(folder.path().join("list.csv"), folder.path().join("plan.csv")).expect("a file");
    let output = plan(folder.path(), &["plan.csv", "-o", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).1.contains("it is the input"), "{}", told(&output).1);
}

/// Compiles a file with every warning an error.
fn compiles(compiler: &str, standard: &str, folder: &Path, file: &str) -> bool {
    let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-c", "-o", "/dev/null"];
    let standard = format!("-std={standard}");
    let ran = Command::new(compiler).arg(standard).args(warnings).arg(file).current_dir(folder).output();
    ran.expect("a compiler").status.success()
}

/// A plan and pools compile in every standard; a plan in which a block was moved onto another does in none.
fn assert_has_no_warning_of(compiler: &str) {
    let folder = folder(TENSORS);
    assert!(plan(folder.path(), &["list.csv", "-o", "out"]).status.success());
    let pools = ["list.csv", "-o", "out", "--pools", "2", "--name", "pools", "--align", "16"];
    assert!(plan(folder.path(), &pools).status.success());
    let out = folder.path().join("out");
    let source = std::fs::read_to_string(out.join("plan.c")).expect("a source");
    let placements = placements(folder.path());
    let define = |offset: u64| format!("#define OFFSET_1 UINT32_C({offset})\n");
    // Blocks 0 and 1 live at once.
    let overlapping = source.replace(&define(placements[1][4]), &define(placements[0][4]));
    assert_ne!(source, overlapping);
    std::fs::write(out.join("wrong.c"), overlapping).expect("a file");
    for standard in ["c99", "c11", "c17", "c2x"] {
        assert!(compiles(compiler, standard, &out, "plan.c"), "{compiler} -std={standard}");
        assert!(compiles(compiler, standard, &out, "pools.c"), "{compiler} -std={standard}");
        assert!(!compiles(compiler, standard, &out, "wrong.c"), "{compiler} -std={standard} takes an overlap");
    }
}

#[test]
fn plans_compile_without_a_warning_and_with_an_overlap_not_at_all() {
    assert_has_no_warning_of("gcc");
}

#[test]
fn plans_have_no_warning_of_clang() {
    assert_has_no_warning_of("clang");
}

#[test]
fn plans_have_no_warning_of_arm_gcc() {
    assert_has_no_warning_of("arm-none-eabi-gcc");
}

#[test]
fn the_table_of_c_is_that_of_the_placements() {
    let folder = folder(TENSORS);
    assert!(plan(folder.path(), &["list.csv", "-o", "out"]).status.success());
    let out = folder.path().join("out");
    let main = "#include <stdio.h>\n#include \"plan.h\"\nstatic unsigned char buffer[PLAN_BYTES];\nint main(void) {\n\
                for (size_t i = 0; i < PLAN_BLOCKS; i++) printf(\"%ld %lu\\n\",\n\
                (long)((unsigned char *)plan_address(buffer, i) - buffer), (unsigned long)plan_blocks[i].size);\n\
                return plan_address(buffer, PLAN_BLOCKS) != NULL; }\n";
    std::fs::write(out.join("main.c"), main).expect("a file");
    let built = Command::new("cc").args(["main.c", "plan.c", "-o", "main"]).current_dir(&out).status();
    assert!(built.expect("a compiler").success());
    let ran = Command::new(out.join("main")).output().expect("it runs");
    assert!(ran.status.success());
    let wanted: String =
        placements(folder.path()).iter().map(|[_, _, size, _, offset]| format!("{offset} {size}\n")).collect();
    assert_eq!(told(&ran).0, wanted);
}

#[test]
fn pools_are_proven_by_replay() {
    let folder = tempfile::tempdir().expect("a folder");
    let modem = ["workload:modem", "--set", "calls=20", "--pools", "4", "-o", "out"];
    let output = plan(folder.path(), &modem);
    let (answer, remarks) = told(&output);
    assert!(output.status.success(), "{remarks}");
    assert!(answer.lines().count() <= 12, "{answer}");
    insta::assert_snapshot!(answer);
    let json = plan(folder.path(), &[&modem[..], &["--format", "json"]].concat());
    let rows: Value = serde_json::from_slice(&json.stdout).expect("an array");
    assert!(rows.as_array().is_some_and(|rows| rows.len() == 4 && rows.iter().all(|row| row["is_tight"] == "yes")));
}

#[test]
fn a_trace_is_planned_by_its_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = plan(folder.path(), &["workload:modem", "--set", "calls=5", "-o", "out", "--effort", "20"]);
    let (answer, remarks) = told(&output);
    assert!(output.status.success(), "{remarks}");
    let placements = placements(folder.path());
    let bytes = placements.iter().map(|[_, _, size, _, offset]| size + offset).max().expect("blocks");
    assert!(placements.iter().all(|[_, _, _, alignment, _]| *alignment >= 8), "{answer}");
    assert_sound(&placements, bytes);
}

/// A problem that no search ends on: a thousand blocks of many sizes.
fn hard() -> String {
    let mut text = String::from("id,lower,upper,size\n");
    let mut state = 1_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    for id in 0..1000 {
        text += &format!("{id},{id},{},{}\n", id + 1 + below(64), 1 + below(100_000));
    }
    text
}

/// Begins a search that does not end, and interrupts it when it has looked around.
fn interrupted(folder: &Path, capacity: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(["plan", "list.csv", "-o", "out", "--effort", "1000000"]).args(capacity).current_dir(folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    std::thread::sleep(Duration::from_secs(2));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    child.wait_with_output().expect("it ends")
}

#[test]
fn an_interrupt_keeps_the_best_plan_so_far_or_nothing() {
    let folder = folder(&hard());
    let output = interrupted(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(130), "{}", told(&output).1);
    let placements = placements(folder.path());
    let bytes = placements.iter().map(|[_, _, size, _, offset]| size + offset).max().expect("blocks");
    assert_sound(&placements, bytes);
    std::fs::remove_dir_all(folder.path().join("out")).expect("it was written");
    // The peak live bytes: too little to be found, and not proven to be impossible.
    let output = interrupted(folder.path(), &["--capacity", "2299272"]);
    assert_eq!(output.status.code(), Some(130), "{}", told(&output).1);
    assert!(told(&output).1.contains("Nothing is written"), "{}", told(&output).1);
    assert!(!folder.path().join("out").exists());
}
