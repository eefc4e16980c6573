//! Outputs that are not what a file is: odd names, closed pipes, full disks, devices, links, and the inputs themselves.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::inputs::{EXPLORE, EXPLORED, STORED};
use super::kills::rows;
use super::{Case, Kind, is_root};

/// Every way that an output can be odd.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind { name: "outputs/names", cases: 200, quick: 6, attempt: names },
        Kind { name: "outputs/closed-pipes", cases: 60, quick: 6, attempt: closed_pipes },
        Kind { name: "outputs/full-streams", cases: 60, quick: 4, attempt: full_streams },
        Kind { name: "outputs/full-disk", cases: 40, quick: 1, attempt: full_disk },
        Kind { name: "outputs/devices", cases: 60, quick: 4, attempt: devices },
        Kind { name: "outputs/links", cases: 60, quick: 4, attempt: links },
        Kind { name: "outputs/inputs", cases: 12, quick: 4, attempt: over_inputs },
    ]
}

/// What every command of this part may read.
fn prepare(case: &Case<'_>) -> Result<(), String> {
    case.copy(&["trace.parquet", "space.toml", "small.pcap", "heap.toml"])?;
    case.copy(&STORED)
}

/// Commands that write one file; its name is added.
const WRITERS: [&[&str]; 8] = [
    &["import", "trace.parquet", "--out"],
    &["inspect", "trace.parquet", "--html"],
    &["compare", "store", "store", "--html"],
    &["report", "store", "--out"],
    &["attack", "first-fit", "--max-live", "2K", "--max-size", "64", "--rounds", "2", "--operations", "300", "--out"],
    &["import", "small.pcap", "--as", "drr", "--out"],
    &["check", "heap.toml", "--format", "sarif", "--out"],
    &["check", "heap.toml", "--save"],
];

/// Names that a file may have.
const NAMES: [&[u8]; 18] = [
    b"with space.parquet",
    b"new\nline.parquet",
    b"tab\t.csv",
    b"\xff\xfe.parquet",
    b"esc\x1b[31m.parquet",
    b"-dash.parquet",
    b"--out",
    b"quote'\".rep",
    b"$(id).parquet",
    b"*.parquet",
    b"%s%n.parquet",
    b"\xe2\x80\xae.parquet",
    b".hidden",
    b"a=b.csv",
    b"workload:treeadd",
    b"peer:libc",
    b"<script>.parquet",
    b"semi;colon.parquet",
];

/// A file of any name is written, and read again.
fn names(case: &mut Case<'_>) -> Result<usize, String> {
    prepare(case)?;
    let mut name = case.choose(&NAMES).to_vec();
    if case.draw.u8(..6) == 0 {
        name = [vec![b'n'; case.draw.usize(200..260)], b".parquet".to_vec()].concat();
    }
    let path = [b"./".to_vec(), name].concat();
    let path = OsStr::from_bytes(&path);
    let writer = case.choose(&WRITERS);
    let words: Vec<&OsStr> = writer.iter().map(OsStr::new).chain([path]).collect();
    let written = case.must_end_well(&words)?;
    if written.code == Some(0) && !case.path(Path::new(path)).exists() {
        return Err(written.describe("wrote another file than was asked for"));
    }
    case.must_end_well(&[OsStr::new("inspect"), path])?;
    case.must_end_well(&["replay".as_ref(), path, "--heap".as_ref(), path])?;
    case.must_end_well(&["emit".as_ref(), "tlsf".as_ref(), "--lang".as_ref(), "c".as_ref(), "--out".as_ref(), path])?;
    Ok(4)
}

/// Commands that print.
const PRINTERS: [&[&str]; 13] = [
    &["heaps"],
    &["workloads"],
    &["--help"],
    &["heaps", "--format", "json"],
    &["inspect", "trace.parquet"],
    &["replay", "trace.parquet", "--heap", "tlsf", "--heap", "first-fit"],
    &["bound", "first-fit", "--max-live", "20K", "--max-size", "512"],
    &["explore", "--print-space", "wide"],
    &["explore", "trace.parquet", "--space", "space.toml", "--rounds", "0", "--no-peers", "--out", "out"],
    &["reproduce", "--list"],
    &["check", "heap.toml"],
    &["check", "--print-example"],
    &["compare", "store", "store"],
];

/// Nobody reads what is printed: a quiet end.
fn closed_pipes(case: &mut Case<'_>) -> Result<usize, String> {
    prepare(case)?;
    let (reader, writer) = std::io::pipe().map_err(|error| format!("cannot make a pipe: {error}"))?;
    drop(reader);
    let words = PRINTERS[case.number % PRINTERS.len()];
    let launched = case.heapsmith(words).stdout(Stdio::from(writer)).run()?;
    // The code that `heapsmith --help` names for this case, and only for it.
    const CLOSED: i32 = 141;
    if launched.code == Some(CLOSED) && !launched.says("panicked") {
        return Ok(1);
    }
    launched.is_documented()?;
    Ok(1)
}

/// Standard output, or all that is printed, goes to a disk that is full.
fn full_streams(case: &mut Case<'_>) -> Result<usize, String> {
    prepare(case)?;
    let words = PRINTERS[case.number % PRINTERS.len()];
    let redirected = if case.draw.bool() { ">/dev/full" } else { ">/dev/full 2>&1" };
    let script = format!("exec \"$0\" \"$@\" {redirected}");
    let command = case.place.command.to_string_lossy();
    let words = [&["-c", &script, &command], words].concat();
    let launched = case.program("sh", &words).run()?;
    launched.is_documented()?;
    match launched.code {
        Some(0) => Err(launched.describe("said that all was well although nothing could be printed")),
        _ => Ok(1),
    }
}

/// Devices, made here: not those of the machine, which a failure would replace.
fn devices(case: &mut Case<'_>) -> Result<usize, String> {
    prepare(case)?;
    let device = case.path("device");
    let made = if is_root() { &["device", "c", "1", "3"][..] } else { &["device", "p"] };
    run(Command::new("mknod").args(made).current_dir(case.folder()))?;
    let writer = WRITERS[case.number % WRITERS.len()];
    // A FIFO is waited for until somebody reads.
    let mut reader =
        Command::new("sh").args(["-c", "exec cat device >/dev/null"]).current_dir(case.folder()).spawn().ok();
    let launched = case.heapsmith(&[writer, &["device"]].concat()).run();
    if let Some(reader) = &mut reader {
        let _ = reader.kill();
        let _ = reader.wait();
    }
    let launched = launched?;
    launched.is_documented()?;
    let kind = device.symlink_metadata().map_err(|error| format!("the device is gone: {error}"))?.file_type();
    if kind.is_char_device() || kind.is_fifo() {
        return Ok(1);
    }
    Err(launched.describe("replaced a device by a file"))
}

/// Links at the place of an output: what they lead to stays as it was.
fn links(case: &mut Case<'_>) -> Result<usize, String> {
    prepare(case)?;
    case.write("victim", "precious")?;
    let link = |name: &str| {
        let name = case.path(name);
        std::os::unix::fs::symlink(case.path("victim"), &name)
            .map_err(|error| format!("cannot link {}: {error}", name.display()))
    };
    let mut words: Vec<&str> = WRITERS[case.number % WRITERS.len()].to_vec();
    match case.number / WRITERS.len() % 4 {
        0 | 1 => {
            link("out")?;
            words.push("out");
        }
        2 => {
            words = vec!["emit", "tlsf", "--lang", "c", "--out", "."];
            link(["my_heap.c", "my_heap.h"][case.number % 2])?;
        }
        _ => {
            words = [&EXPLORE[..], &["fresh"]].concat();
            std::fs::create_dir(case.path("fresh")).map_err(|error| format!("cannot make a folder: {error}"))?;
            let names =
                ["results.csv", "results.parquet", "report.html", ".writable", "trace-1.parquet", "results.sqlite"];
            link(&format!("fresh/{}", names[case.number / (4 * WRITERS.len()) % names.len()]))?;
        }
    }
    let launched = case.heapsmith(&words).run()?;
    launched.is_documented()?;
    match std::fs::read(case.path("victim")) {
        Ok(bytes) if bytes == b"precious" => Ok(1),
        _ => Err(launched.describe("wrote through a link")),
    }
}

/// Commands whose output is their own input, or a file of the user's that has the name of one of theirs.
const OVER: [(&str, &[&str]); 8] = [
    ("trace.parquet", &["import", "trace.parquet", "--limit", "10", "--out", "trace.parquet"]),
    ("trace.parquet", &["inspect", "trace.parquet", "--html", "trace.parquet"]),
    ("store/results.sqlite", &["report", "store", "--out", "store/results.sqlite"]),
    (
        "trace-1.parquet",
        &[
            "explore",
            "trace-1.parquet",
            "--limit",
            "100",
            "--space",
            "space.toml",
            "--rounds",
            "0",
            "--no-peers",
            "--out",
            ".",
        ],
    ),
    (
        "trace-1.parquet",
        &[
            "explore",
            "drr.parquet",
            "trace-1.parquet",
            "--space",
            "space.toml",
            "--rounds",
            "0",
            "--no-peers",
            "--out",
            ".",
        ],
    ),
    ("heap.toml", &["check", "heap.toml", "--out", "./heap.toml"]),
    ("trace.parquet", &["check", "heap.toml", "--save", "trace.parquet"]),
    ("small.pcap", &["import", "small.pcap", "--as", "drr", "--out", "./small.pcap"]),
];

/// An input is never overwritten.
fn over_inputs(case: &mut Case<'_>) -> Result<usize, String> {
    prepare(case)?;
    case.copy(&["drr.parquet"])?;
    std::fs::copy(case.path("trace.parquet"), case.path("trace-1.parquet"))
        .map_err(|error| format!("cannot copy: {error}"))?;
    let (input, words) = OVER[case.number % OVER.len()];
    let before = std::fs::read(case.path(input)).map_err(|error| format!("cannot read {input}: {error}"))?;
    let launched = case.must_end_well(words)?;
    match std::fs::read(case.path(input)) {
        Ok(after) if after == before => Ok(1),
        _ => Err(launched.describe(&format!("overwrote {input}"))),
    }
}

/// A disk that becomes full in the middle, then larger: what was begun resumes and ends with the same rows.
fn full_disk(case: &mut Case<'_>) -> Result<usize, String> {
    if !is_root() {
        return Err("a full disk needs the superuser: run the trial as root".to_owned());
    }
    let disk = Disk::mount(case, case.draw.clone().usize(100..2000))?;
    case.copy(&EXPLORED)?;
    let store = disk.folder.join("store");
    let explore: Vec<OsString> = EXPLORE.iter().map(OsString::from).chain([store.clone().into()]).collect();
    let program = case.place.inputs.path("programs");
    let out = |name: &str| disk.folder.join(name).into_os_string();
    let words: Vec<OsString> = match case.number % 4 {
        0 | 1 => explore.clone(),
        2 => ["import".into(), "workload:random-half".into(), "--out".into(), out("trace.parquet")].to_vec(),
        _ => ["record".into(), "--out".into(), out("recorded"), "--".into(), program.into(), "plain".into()].to_vec(),
    };
    case.must_end_well(&words)?;
    disk.grow()?;
    if case.number % 4 > 1 {
        case.must_succeed(&words)?;
        return Ok(2);
    }
    case.must_succeed(&explore)?;
    let (wanted, found) = (rows(&case.place.inputs.path("store"))?, rows(&store)?);
    // The command that is kept in the store names another folder.
    match wanted.iter().zip(&found).take(2).find(|(wanted, found)| wanted != found) {
        None => Ok(2),
        Some(((name, _), _)) => Err(format!("an exploration on a full disk went on to other rows in {name}")),
    }
}

/// A small disk in memory, which is gone when this is.
struct Disk {
    folder: PathBuf,
}

impl Disk {
    fn mount(case: &Case<'_>, kibibytes: usize) -> Result<Disk, String> {
        let folder = case.path("disk");
        std::fs::create_dir(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        run(Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={kibibytes}k"), "none"]).arg(&folder))?;
        Ok(Disk { folder })
    }

    fn grow(&self) -> Result<(), String> {
        run(Command::new("mount").args(["-o", "remount,size=64m"]).arg(&self.folder))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run(Command::new("umount").arg("--lazy").arg(&self.folder));
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}
