//! `bound` and `attack`: what they print, what they refuse, and that an attack's trace replays to what was said.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .current_dir(dir)
        .env("COLUMNS", "110")
        .output()
        .expect("the command runs")
}

fn prints(arguments: &[&str]) -> String {
    let output = heapsmith(Path::new("."), arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn rows(dir: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = heapsmith(dir, &[arguments, &["--format", "json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an array of objects")
}

fn refuses(arguments: &[&str]) -> String {
    let output = heapsmith(Path::new("."), arguments);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).expect("text")
}

const SMALL: [&str; 6] = ["--max-live", "20K", "--max-size", "512", "--min-size", "16"];

#[test]
fn what_is_proven_of_an_operation_names_the_region_where_a_full_one_costs_more() {
    let class = ["--max-live", "8192", "--min-size", "32", "--max-size", "256"];
    let said = |heap: &str| prints(&[&["bound", heap], &class[..]].concat());
    let lists = said("freelists(16..=256 step 16) list(order=address)");
    assert!(lists.contains("in a full region no number"), "{lists}");
    let plain = said("tlsf");
    assert!(!plain.contains("in a full region") && plain.contains("one allocation at most "), "{plain}");
}

#[test]
fn a_bound_comes_with_its_formula_its_numbers_and_its_source() {
    for name in ["first-fit", "best-fit", "tlsf", "knuth-buddy", "phk", "enea-ose", "pool-64", "stack"] {
        let text = prints(&[&["bound", name], &SMALL[..]].concat());
        insta::assert_snapshot!(format!("bound_of_{}", name.replace('-', "_")), text);
    }
}

#[test]
fn where_no_bound_is_known_the_reason_stands() {
    for name in ["windows-xp", "lea-2.7.2", "linear"] {
        let text = prints(&[&["bound", name], &SMALL[..]].concat());
        insta::assert_snapshot!(format!("no_bound_of_{}", name.replace(['-', '.'], "_")), text);
    }
}

#[test]
fn bounds_are_data_too() {
    let rows = rows(Path::new("."), &[&["bound", "tlsf", "linear"], &SMALL[..]].concat());
    assert!(rows[0]["bound"].as_u64().is_some_and(|bound| bound > 20_480));
    assert_eq!(rows[0]["worst_case_allocate"], 45);
    assert!(rows[1]["bound"].is_null() && !rows[1]["why_none"].as_str().unwrap_or("").is_empty());
}

#[test]
fn fewer_blocks_have_a_lower_bound_and_an_attack_keeps_to_them() {
    let limited = |verb: &'static str| [&[verb, "tlsf"], &SMALL[..], &["--max-blocks", "50"]].concat();
    let text = prints(&limited("bound"));
    assert!(text.contains("at most 20480 bytes live in 50 blocks, in requests of 16 to 512 bytes"), "{text}");
    let of = |arguments: &[&str]| rows(Path::new("."), arguments).remove(0);
    let (few, many) = (of(&limited("bound")), of(&[&["bound", "tlsf"], &SMALL[..]].concat()));
    assert_eq!((&few["max_blocks"], &many["max_blocks"]), (&Value::from(50), &Value::from(1280)));
    assert!(few["bound"].as_u64() < many["bound"].as_u64());
    let attack = of(&[&limited("attack")[..], &["--rounds", "5"]].concat());
    assert_eq!(attack["bound"], few["bound"]);
    assert!(attack["footprint_peak"].as_u64() <= few["bound"].as_u64(), "{attack}");
}

#[test]
fn numbers_that_make_no_program_are_refused_with_what_to_do() {
    let cases: [(&str, &[&str]); 5] = [
        ("max_above_live", &["bound", "tlsf", "--max-live", "100", "--max-size", "200"]),
        ("min_above_max", &["attack", "tlsf", "--max-live", "100", "--max-size", "20", "--min-size", "30"]),
        ("zero", &["bound", "tlsf", "--max-live", "0", "--max-size", "0"]),
        ("no_such_heap", &["attack", "tlfs", "--max-live", "100", "--max-size", "20"]),
        ("two_heaps_one_file", &["attack", "tlsf", "phk", "--max-live", "100", "--max-size", "20", "-o", "a.parquet"]),
    ];
    let errors: Vec<String> = cases.iter().map(|(name, arguments)| format!("{name}: {}", refuses(arguments))).collect();
    insta::assert_snapshot!("numbers_that_make_no_program", errors.join("\n"));
}

#[test]
fn a_heap_that_refuses_every_such_request_is_told() {
    let error = refuses(&["attack", "pool-64", "--max-live", "1000", "--max-size", "200", "--min-size", "100"]);
    assert!(error.contains("refuses every request of 100 bytes or more"), "{error}");
}

#[test]
fn an_attack_is_a_trace_that_replays_to_the_same_footprint() {
    let dir = tempfile::tempdir().expect("a folder");
    for heap in ["first-fit", "best-fit", "guard(quarantine=4) tlsf"] {
        let attack = [&["attack", heap, "--rounds", "5", "-o", "worst.parquet"], &SMALL[..]].concat();
        let attacked = rows(dir.path(), &attack);
        let replayed = rows(dir.path(), &["replay", "worst.parquet", "--heap", heap, "--verify"]);
        assert_eq!(attacked[0]["footprint_peak"], replayed[0]["footprint_peak"], "{heap}");
        let bound = attacked[0]["bound"].as_u64().expect("a bound");
        assert!(attacked[0]["footprint_peak"].as_u64().expect("a footprint") <= bound);
    }
}

#[test]
fn an_attack_on_accesses_finds_the_long_search() {
    let attack = |goal| {
        let options = ["attack", "best-fit", "--rounds", "0", "--goal", goal];
        rows(Path::new("."), &[&options, &SMALL[..]].concat()).remove(0)
    };
    let (accesses, footprint) = (attack("accesses"), attack("footprint"));
    let worst = |row: &Value| row["max"].as_u64().expect("a number");
    assert!(worst(&accesses) >= worst(&footprint) && worst(&accesses) > worst(&accesses).min(1000));
    assert!(worst(&accesses) <= accesses["max_bound"].as_u64().expect("a bound"));
}

/// What is asked of a region is answered, whether it refuses or not.
#[test]
fn an_attack_after_a_refusal_says_what_came_of_it() {
    let refusal = |region: &str| {
        let options = ["attack", "half-fit", "--rounds", "20", "--goal", "refusal", "--region", region];
        let program = ["--max-live", "8K", "--max-size", "256", "--min-size", "32", "--format", "json"];
        let output = heapsmith(Path::new("."), &[&options[..], &program].concat());
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).expect("an array of objects");
        (rows[0].clone(), String::from_utf8(output.stderr).expect("text"))
    };
    let (row, said) = refusal("48K");
    assert_eq!((row["refused"].as_u64(), row["region"].as_u64()), (Some(256), Some(49_152)), "{row}");
    assert!(
        row["refused_live"].as_u64().is_some_and(|live| live < 8_192)
            && said.contains("half-fit refused 256 bytes with")
    );
    let (row, said) = refusal("64K");
    assert!(
        row["refused"].is_null()
            && said.contains("is refused a request in 65536 bytes, which proves nothing of others"),
        "{said}"
    );
    let (row, said) = refusal("138897");
    assert!(row["refused"].is_null() && said.contains("by any such program: 138897 are proven to be enough"), "{said}");
    let what = |options: &[&str]| {
        refuses(&[&["attack"], options, &SMALL[..]].concat()).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(what(&["tlsf", "--goal", "refusal"]).contains("add --region"));
    assert!(what(&["peer:rlsf", "--goal", "accesses"]).contains("are not counted"));
    assert!(what(&["--peer", "rlsf", "--reallocations"]).contains("leave --reallocations and --align out"));
    assert!(refuses(&["bound", "tlsf", "--max-live", "20K"]).contains("--max-size is missing"));
}

#[test]
fn blocks_that_are_resized_and_aligned_are_attacked_and_replayed() {
    let dir = tempfile::tempdir().expect("a folder");
    let options = ["--rounds", "5", "--reallocations", "--align", "64", "-o", "worst.parquet"];
    let attacked = rows(dir.path(), &[&["attack", "tlsf"], &options[..], &SMALL[..]].concat()).remove(0);
    let number = |key: &str| attacked[key].as_u64().unwrap_or_else(|| panic!("{key}: {attacked}"));
    assert!(number("footprint_peak") >= number("random_footprint") && number("footprint_peak") <= number("bound"));
    assert!(attacked["published"].is_null(), "what is printed is not about such programs: {attacked}");
    let replayed = rows(dir.path(), &["replay", "worst.parquet", "--heap", "tlsf", "--verify"]);
    assert_eq!(attacked["footprint_peak"], replayed[0]["footprint_peak"]);
    let bound = rows(dir.path(), &[&["bound", "tlsf", "--reallocations", "--align", "64"], &SMALL[..]].concat());
    assert_eq!((&bound[0]["bound"], &bound[0]["align"]), (&attacked["bound"], &Value::from(64)));
}

/// The pick of an exploration, and the programs that are as its traces.
#[test]
fn a_folder_has_a_heap_and_the_limits_of_its_programs() {
    let dir = tempfile::tempdir().expect("a folder");
    let explore = ["explore", "workload:modem", "--set", "calls=30", "--prefer", "bounded", "-o", "board"];
    let quick = ["--target", "cortex-m", "--no-peers", "--rounds", "0", "--format", "json"];
    let output = heapsmith(dir.path(), &[&explore[..], &quick].concat());
    let front: Vec<Value> = serde_json::from_slice(&output.stdout).expect("an array of objects");
    let pick = front.iter().find(|row| row["note"] == "pick").expect("a pick");
    let bound = rows(dir.path(), &["bound", "board"]).remove(0);
    assert_eq!(bound["region"], pick["guaranteed_bytes"], "{bound} {pick}");
    assert!(bound["max_blocks"].as_u64().is_some_and(|blocks| blocks > 1), "{bound}");
    let attacked = rows(dir.path(), &["attack", "board", "--rounds", "0", "--operations", "20000"]).remove(0);
    assert_eq!(attacked["heap"], bound["heap"]);
    let lower = rows(dir.path(), &["bound", "board", "--max-blocks", "2"]).remove(0);
    assert!(lower["region"].as_u64() < bound["region"].as_u64());
    // A region that has room for the best proof asks for no other, however far that design is from the fronts.
    let room = pick["proven_bytes"].to_string();
    let again = rows(dir.path(), &["pick", "board", "--prefer", "bounded", "--max-region", &room]);
    let again = again.iter().find(|row| row["note"] == "pick").expect("a pick");
    assert_eq!((&again["heap"], &again["proven_accesses"]), (&pick["heap"], &pick["proven_accesses"]));
}

#[test]
fn an_attack_prints_a_table_for_people() {
    let text = prints(&[&["attack", "pool-64", "stack", "--rounds", "0"], &SMALL[..]].concat());
    insta::assert_snapshot!("attack_table", text);
}

#[test]
fn a_reference_allocator_is_attacked_in_a_process_of_its_own() {
    let dir = tempfile::tempdir().expect("a folder");
    // A peer is asked for each operation by itself, so there are few.
    let attack = |options: &[&str]| {
        let program = ["--rounds", "0", "--max-live", "4K", "--max-size", "256", "--min-size", "16"];
        rows(dir.path(), &[&["attack"], options, &program].concat())
    };
    let rows = attack(&["--peer", "rlsf", "--peer", "libc", "--peer", "heap_4"]);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let measures: Vec<_> = rows.iter().map(|row| (text(row, "heap"), text(row, "measure"))).collect();
    let expected = [("peer:rlsf", "addresses"), ("peer:libc", "pages"), ("freertos/heap_4", "region")];
    assert_eq!(measures, expected.map(|(heap, measure)| (heap.to_owned(), measure.to_owned())));
    for row in &rows {
        let number = |key: &str| row[key].as_u64().expect("a number");
        assert!(number("footprint_peak") > number("random_footprint"), "{row}");
        assert!(number("footprint_peak") > number("live_peak"), "{row}");
    }
    // Accesses of others are not counted.
    assert!(rows[0]["max"].is_null() && rows[2]["max"].is_u64());
    let again = attack(&["--peer", "rlsf", "-o", "worst.parquet"]);
    assert_eq!(again[0]["footprint_peak"], rows[0]["footprint_peak"], "the same attack");
    let replayed = self::rows(dir.path(), &["replay", "worst.parquet", "--heap", "peer:rlsf"]);
    assert_eq!(replayed[0]["failed"], 0);
}

/// Compiles a library of C.
fn library(dir: &Path, name: &str, source: &str) {
    std::fs::write(dir.join("library.c"), source).expect("the folder can be written");
    let options = ["-shared", "-fPIC", "-O1", "-Wl,-Bsymbolic", "-o", name, "library.c"];
    let output = Command::new("cc").args(options).current_dir(dir).output().expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_library_is_attacked_and_its_crash_ends_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    // It frees nothing, and its fortieth block is one too many.
    let bump = "#include <stddef.h>\nstatic char arena[1 << 20]; static size_t used; static int count;\n\
        void *malloc(size_t n) { void *block = arena + used; if (++count == LAST) __builtin_trap(); \
        used += (n + 15) / 16 * 16; return used <= sizeof arena ? block : NULL; }\nvoid free(void *p) { (void)p; }\n";
    library(dir.path(), "sound.so", &format!("#define LAST 0\n{bump}"));
    library(dir.path(), "broken.so", &format!("#define LAST 40\n{bump}"));
    let program = ["--max-live", "1K", "--max-size", "16", "--min-size", "16", "--rounds", "0", "--operations", "100"];
    let sound = rows(dir.path(), &[&["attack", "--peer", "./sound.so"], &program[..]].concat());
    // Half of the operations are frees, at most: what is asked for again is new memory.
    assert!(sound[0]["footprint_peak"].as_u64() >= Some(1024 + 16), "{sound:?}");
    let broken = heapsmith(dir.path(), &[&["attack", "--peer", "./broken.so"], &program[..]].concat());
    let said = String::from_utf8_lossy(&broken.stderr);
    assert!(broken.status.success() && said.contains("crashed") && said.contains("after 39 operations"), "{said}");
    assert!(refused(dir.path(), &["attack", "--peer", "./none.so"], &program).contains("no library"));
}

fn refused(dir: &Path, options: &[&str], program: &[&str]) -> String {
    let output = heapsmith(dir, &[options, program].concat());
    assert_eq!(output.status.code(), Some(3));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_small_region_is_refuted_by_a_refusal() {
    let dir = tempfile::tempdir().expect("a folder");
    let options =
        ["attack", "half-fit", "--rounds", "0", "--region", "32K", "--goal", "refusal", "-o", "worst.parquet"];
    let program = ["--max-live", "8K", "--max-size", "256", "--min-size", "32"];
    let output = heapsmith(dir.path(), &[&options[..], &program[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("half-fit refused"), "{said}");
    let replayed = rows(dir.path(), &["replay", "worst.parquet", "--heap", "half-fit", "--region", "32K"]);
    assert_eq!(replayed[0]["failed"], 1, "the last request is the refused one");
}

/// The programs of `samples/attacks` on the heaps that are ours.
#[test]
fn kept_attacks_replay_to_the_published_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = std::fs::read_to_string(root.join("bench/results/known-allocators.csv")).expect("the table");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |name: &str| header.iter().position(|other| *other == name).expect("a column");
    let (heap, footprint, measure) = (column("heap"), column("footprint_peak"), column("measure"));
    let ours = lines.filter(|row| row[0] == "8K" && row[measure] == "region");
    let mut count = 0;
    for row in ours {
        let trace = root.join(format!("samples/attacks/{}-8K.parquet", row[heap].replace('/', "-")));
        let trace = trace.display().to_string();
        let replayed = rows(Path::new("."), &["replay", &trace, "--heap", row[heap]]);
        assert_eq!(replayed[0]["footprint_peak"].to_string(), row[footprint], "{}", row[heap]);
        count += 1;
    }
    assert_eq!(count, 6);
}
