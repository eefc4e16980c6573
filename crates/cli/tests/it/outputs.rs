//! What the command writes, where, and what it never replaces.

use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SMALL: &str = "[[family]]\nname = \"small\"\nheap = [\"list(order=lifo)\", \"tlsf\"]\n[family.levels]\n\
                     freelists = [0, 2]\nword = [4, 8]\n";

/// A folder with a trace of some events, a space, and a file that nobody is to touch.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    std::fs::write(dir.path().join("victim"), "kept").expect("a file");
    trace(dir.path(), "trace-1.parquet", 1);
    dir
}

/// A trace file of 400 events.
fn trace(dir: &Path, name: &str, seed: u64) {
    let mut text = "time,thread,action,id,size,alignment,label,site\n".to_owned();
    for id in 0..200 {
        text += &format!("{id},0,allocate,{id},{},0,,\n{id},0,free,{id},,,,\n", 16 + (id * 37 * seed) % 900);
    }
    let csv = dir.join(format!("{name}.csv"));
    std::fs::write(&csv, text).expect("a file");
    let made = heapsmith(dir, &["import", csv.to_str().expect("text"), "-o", name]);
    assert!(made.status.success(), "{}", errors(&made));
    std::fs::remove_file(csv).expect("a file");
}

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).current_dir(dir).output().expect("the command runs")
}

fn explore(dir: &Path, more: &[&str]) -> Output {
    heapsmith(dir, &[&["explore", "--space", "small.toml", "--rounds", "0", "--no-peers"], more].concat())
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn refused(output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(2), "{}", errors(output));
    assert!(errors(output).contains("cannot write") && errors(output).contains(why), "{}", errors(output));
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = dir.read_dir().expect("a folder").flatten().map(|entry| entry.path()).collect();
    names.sort();
    names
}

fn read(dir: &Path, name: &str) -> Vec<u8> {
    std::fs::read(dir.join(name)).expect("a file")
}

/// A pipe with a name, and what is read from it.
fn fifo(dir: &Path, name: &str) -> std::process::Child {
    assert!(Command::new("mkfifo").arg(dir.join(name)).status().expect("mkfifo runs").success());
    Command::new("cat").arg(dir.join(name)).stdout(Stdio::piped()).spawn().expect("cat runs")
}

#[test]
fn a_trace_is_written_into_a_pipe_and_not_over_it() {
    let dir = folder();
    let attack =
        ["attack", "first-fit", "--max-live", "2K", "--max-size", "64", "--rounds", "0", "--operations", "100"];
    for (name, arguments) in [("one", &["import", "trace-1.parquet"][..]), ("two", &attack[..])] {
        let reader = fifo(dir.path(), name);
        let output = heapsmith(dir.path(), &[arguments, &["-o", name]].concat());
        assert!(output.status.success(), "{}", errors(&output));
        let kind = dir.path().join(name).symlink_metadata().expect("the pipe").file_type();
        assert!(kind.is_fifo(), "{name} is a pipe still");
        let read = reader.wait_with_output().expect("cat ends").stdout;
        assert!(read.starts_with(b"PAR1") && read.ends_with(b"PAR1"), "{name} has {} bytes", read.len());
    }
}

/// With a device of its own: at fault, this would replace the machine's.
#[test]
fn a_trace_is_written_to_a_device_and_not_over_it() {
    let dir = folder();
    let null = dir.path().join("null");
    let made = Command::new("mknod").arg(&null).args(["c", "1", "3"]).stderr(Stdio::null()).status();
    if !made.is_ok_and(|status| status.success()) || std::fs::read(&null).is_err() {
        eprintln!("NOT RUN: only root can make a device here");
        return;
    }
    let output = heapsmith(dir.path(), &["import", "trace-1.parquet", "-o", "null"]);
    assert!(output.status.success(), "{}", errors(&output));
    let output = heapsmith(dir.path(), &["run", "--heap", "tlsf", "--stats", "null", "--", "true"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(null.symlink_metadata().expect("the device").file_type().is_char_device());
}

#[test]
fn a_dash_is_standard_output_and_refused_where_an_answer_goes_there() {
    let dir = folder();
    // Not /dev/stdout: at fault, this would replace the machine's.
    for name in ["-", "/proc/self/fd/1"] {
        let output = heapsmith(dir.path(), &["import", "trace-1.parquet", "-o", name]);
        assert!(output.status.success(), "{}", errors(&output));
        assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
        std::fs::write(dir.path().join("again.parquet"), &output.stdout).expect("a file");
        assert!(heapsmith(dir.path(), &["inspect", "again.parquet"]).status.success(), "it is a trace");
    }
    let attack = ["attack", "first-fit", "--max-live", "2K", "--max-size", "64", "--rounds", "0", "-o", "-"];
    refused(&heapsmith(dir.path(), &attack), "answer goes there");
    refused(&heapsmith(dir.path(), &["inspect", "trace-1.parquet", "--html", "-"]), "answer goes there");
    let rep = dir.path().join("pipe.rep");
    let mut reader = fifo(dir.path(), "pipe.rep");
    refused(&heapsmith(dir.path(), &["import", "trace-1.parquet", "-o", "pipe.rep"]), "as a stream");
    reader.wait().expect("cat ends");
    assert!(rep.exists());
    assert!(!dir.path().join("-").exists());
}

#[test]
fn an_input_is_never_the_output() {
    let dir = folder();
    let before = read(dir.path(), "trace-1.parquet");
    std::fs::hard_link(dir.path().join("trace-1.parquet"), dir.path().join("same.parquet")).expect("another name");
    for out in ["trace-1.parquet", "./trace-1.parquet", "same.parquet"] {
        refused(&heapsmith(dir.path(), &["import", "trace-1.parquet", "--limit", "100", "-o", out]), "is the input");
        refused(&heapsmith(dir.path(), &["inspect", "trace-1.parquet", "--html", out]), "is the input");
    }
    assert!(explore(dir.path(), &["trace-1.parquet", "-o", "out"]).status.success());
    for (out, why) in
        [("out/results.sqlite", "is the input"), ("out/trace-1.parquet", "is the input"), ("out", "folder")]
    {
        refused(&heapsmith(dir.path(), &["report", "out", "-o", out]), why);
    }
    assert_eq!(read(dir.path(), "trace-1.parquet"), before);
    assert_eq!(read(dir.path(), "same.parquet"), before);
}

#[test]
fn nothing_that_is_named_is_written_through_a_link() {
    let dir = folder();
    symlink("victim", dir.path().join("link")).expect("a link");
    assert!(explore(dir.path(), &["trace-1.parquet", "-o", "out"]).status.success());
    refused(&heapsmith(dir.path(), &["import", "trace-1.parquet", "-o", "link"]), "symbolic link");
    refused(&heapsmith(dir.path(), &["inspect", "trace-1.parquet", "--html", "link"]), "symbolic link");
    refused(&heapsmith(dir.path(), &["report", "out", "-o", "link"]), "symbolic link");
    refused(&heapsmith(dir.path(), &["run", "--heap", "tlsf", "--stats", "link", "--", "true"]), "symbolic link");
    assert_eq!(read(dir.path(), "victim"), b"kept");
    assert!(dir.path().join("link").is_symlink());
}

#[test]
fn a_folder_that_holds_other_files_gets_no_results() {
    let dir = folder();
    trace(dir.path(), "trace-2.parquet", 2);
    let before = (names(dir.path()), read(dir.path(), "trace-1.parquet"), read(dir.path(), "trace-2.parquet"));
    for arguments in [
        &["trace-1.parquet", "--limit", "100", "-o", "."][..],
        &["trace-2.parquet", "trace-1.parquet", "-o", "."],
        &["trace-2.parquet", "-o", dir.path().to_str().expect("text")],
    ] {
        refused(&explore(dir.path(), arguments), "files that are not heapsmith's results");
    }
    let after = (names(dir.path()), read(dir.path(), "trace-1.parquet"), read(dir.path(), "trace-2.parquet"));
    assert_eq!(before, after);
}

#[test]
fn results_replace_results_and_follow_no_links() {
    let dir = folder();
    let out = dir.path().join("out");
    let again = || explore(dir.path(), &["trace-1.parquet", "-o", "out"]);
    assert!(again().status.success());
    assert!(again().status.success(), "the same resumes");
    for name in [".writable", "results.parquet.unfinished"] {
        symlink("../victim", out.join(name)).expect("a link");
        assert!(again().status.success());
        assert!(out.join(name).is_symlink(), "heapsmith did not write it");
    }
    for name in ["results.csv", "results.parquet", "report.html", "results.sqlite"] {
        let (file, kept) = (out.join(name), out.join("kept"));
        std::fs::rename(&file, &kept).expect("moved away");
        symlink("../victim", &file).expect("a link");
        refused(&again(), "symbolic link");
        std::fs::rename(&kept, &file).expect("moved back");
    }
    assert!(again().status.success());
    assert_eq!(read(dir.path(), "victim"), b"kept");
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn an_emitted_heap_replaces_what_was_emitted_and_no_other_file() {
    let dir = folder();
    let emit = |lang: &str| heapsmith(dir.path(), &["emit", "tlsf", "--lang", lang, "--name", "own", "-o", "src"]);
    for lang in ["c", "rust", "so"] {
        assert!(emit(lang).status.success() && emit(lang).status.success(), "an emitted heap is replaced");
    }
    for (lang, file) in [("c", "own.h"), ("c", "own.c"), ("rust", "own.rs"), ("so", "own_malloc.c")] {
        let path = dir.path().join("src").join(file);
        std::fs::write(&path, "/* written by hand */\n").expect("a file");
        refused(&emit(lang), "heapsmith did not write it");
        assert_eq!(std::fs::read(&path).expect("the file"), b"/* written by hand */\n");
        std::fs::remove_file(&path).expect("the file");
        symlink("../victim", &path).expect("a link");
        refused(&emit(lang), "heapsmith did not write it");
        std::fs::remove_file(&path).expect("the link");
        assert!(emit(lang).status.success());
    }
    assert_eq!(read(dir.path(), "victim"), b"kept");
}

/// The shell plants links under the names that were used before, which hold the number of the process, and becomes the
/// command, which has that number then.
#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn sources_that_sizes_are_measured_of_lie_where_nobody_can_guess() {
    let (dir, tmp) = (folder(), tempfile::tempdir().expect("a folder"));
    let victim = dir.path().join("victim");
    let script = "for name in size code; do mkdir $TMPDIR/heapsmith-$name-$$; \
                  ln -s $VICTIM $TMPDIR/heapsmith-$name-$$/own_heap.c; done; exec \"$0\" \"$@\"";
    let run = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_heapsmith")]).args(arguments);
        command.env("TMPDIR", tmp.path()).env("VICTIM", &victim).current_dir(dir.path());
        let output = command.output().expect("the command runs");
        assert!(output.status.success(), "{}", errors(&output));
    };
    run(&["emit", "half-fit", "--lang", "c", "--name", "own_heap", "-o", "src", "--size"]);
    let explore = ["explore", "trace-1.parquet", "--space", "small.toml", "--rounds", "0", "--no-peers"];
    run(&[&explore[..], &["--objectives", "fragmentation,code_size", "-o", "out"]].concat());
    assert_eq!(read(dir.path(), "victim"), b"kept");
    assert_eq!(names(tmp.path()).len(), 4, "nothing is left but what was planted");
}

#[test]
fn what_a_killed_import_left_goes_with_the_next() {
    let dir = folder();
    let left = dir.path().join(".heapsmith-k1lled.parquet.part");
    std::fs::write(&left, "half a trace").expect("a file");
    assert!(heapsmith(dir.path(), &["import", "trace-1.parquet", "-o", "new.parquet"]).status.success());
    assert!(!left.exists());
}

#[test]
fn pages_of_papers_replace_no_other_pages() {
    let dir = folder();
    std::fs::write(dir.path().join("papers.md"), "# My papers\n").expect("a file");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").display().to_string();
    let arguments = ["reproduce", "001-figure-18", "--samples", &samples, "-o", "."];
    refused(&heapsmith(dir.path(), &arguments), "heapsmith did not write it");
    std::fs::remove_file(dir.path().join("papers.md")).expect("the file");
    std::fs::write(dir.path().join("papers/my-own.csv"), "a,b\n").expect("a file");
    refused(&heapsmith(dir.path(), &arguments), "files that are not heapsmith's results");
}
