//! The guides of the book: every command in them runs, in its order, and prints what the guide shows.
//!
//! ```text
//!   docs/guides/NAME.md ──console blocks──▶ commands ──one shell, a new folder──▶ output ⊇ the lines shown, in order
//! ```
//!
//! A line with `$ ` is a command; the lines below it are a part of its output. `[..]` in a line is any text, and a line
//! `...` says to the reader that others are left out. A guide whose first line is `<!-- needs: TOOL... -->` runs where
//! these are, one with `<!-- nightly -->` where `HEAPSMITH_WHOLE` is set, one with `<!-- kernel -->` where `HEAPSMITH_FREERTOS` names the
//! sources of FreeRTOS (`cargo xtask firmware`). The guides of boards end with a recording of the emitted heap, whose addresses
//! are compared with the explored heap's.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_replay::{Region, offsets};
use heapsmith_spec::resolve;
use heapsmith_trace::{Bytes, Operation, PackedTrace, Trace};
use tempfile::TempDir;

/// What separates the outputs of commands.
const MARK: char = '\u{1e}';

/// A command of a guide, and what it is shown to print.
#[derive(Debug, Default)]
struct Step {
    command: String,
    shown: Vec<String>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The commands of a guide's console blocks. A command goes on below a backslash, and to the line `END` of `<<'END'`.
fn steps(guide: &str) -> Vec<Step> {
    let (mut steps, mut in_console): (Vec<Step>, bool) = (Vec::new(), false);
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            in_console = line == "```console";
        } else if !in_console {
        } else if let Some(begin) = line.strip_prefix("$ ") {
            let mut command = begin.to_owned();
            let is_open =
                |command: &str| command.ends_with('\\') || (command.contains("<<'END'") && !command.ends_with("\nEND"));
            while is_open(&command) {
                command = format!("{command}\n{}", lines.next().expect("a command ends"));
            }
            steps.push(Step { command, shown: Vec::new() });
        } else if let Some(step) = steps.last_mut()
            && !line.trim().is_empty()
            && line != "..."
        {
            step.shown.push(line.to_owned());
        }
    }
    steps
}

/// Whether a line of output is a line shown, in which `[..]` is any text.
fn is_shown(shown: &str, printed: &str) -> bool {
    let mut rest = printed.trim_end();
    let parts: Vec<&str> = shown.trim_end().split("[..]").collect();
    for (place, part) in parts.iter().enumerate() {
        let found = match place {
            0 => rest.starts_with(part).then_some(0),
            last if last + 1 == parts.len() => rest.ends_with(part).then(|| rest.len() - part.len()),
            _ => rest.find(part),
        };
        let Some(begin) = found else { return false };
        rest = &rest[begin + part.len()..];
    }
    parts.len() > 1 || rest.is_empty()
}

/// The first line shown that the output has not in its place.
fn missing<'a>(step: &'a Step, output: &str) -> Option<&'a String> {
    let mut printed = output.lines();
    step.shown.iter().find(|shown| !printed.any(|line| is_shown(shown, line)))
}

/// The tools that a guide names and that are not here.
fn absent_tools(guide: &str) -> Vec<&str> {
    let needed = guide.lines().find_map(|line| line.strip_prefix("<!-- needs: ")?.strip_suffix(" -->"));
    let is_absent = |tool: &&str| Command::new(tool).arg("--version").output().is_err();
    needed.map(|tools| tools.split_whitespace().filter(is_absent).collect()).unwrap_or_default()
}

/// Runs a guide in a folder that has what a clone of the repository has for it. The folder and what its commands printed; none if
/// it cannot run here, which is said.
fn follow(name: &str) -> Option<(TempDir, String)> {
    let path = repository().join("docs/guides").join(name).with_extension("md");
    let guide = std::fs::read_to_string(&path).expect("a guide");
    let absent = absent_tools(&guide);
    if !absent.is_empty() {
        println!("NOT RUN: the guide {name}, for lack of {}", absent.join(", "));
        return None;
    }
    let kernel = std::env::var_os("HEAPSMITH_FREERTOS");
    if guide.contains("<!-- kernel -->") && kernel.is_none() {
        println!("NOT RUN: the guide {name}, for lack of the sources of FreeRTOS: `cargo xtask firmware`");
        return None;
    }
    if guide.contains("<!-- nightly -->") && std::env::var_os("HEAPSMITH_WHOLE").is_none() {
        println!("NOT RUN: the guide {name} takes long: `cargo xtask nightly whole`");
        return None;
    }
    let steps = steps(&guide);
    assert!(!steps.is_empty(), "{name} has commands");
    let mut script = "set -e\nexec 2>&1\n".to_owned();
    for step in &steps {
        writeln!(script, "printf '{MARK}'\n{}", step.command).expect("a text");
    }
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["samples", "examples", "crates", "hardware", "Cargo.toml"] {
        symlink(repository().join(name), dir.path().join(name)).expect("a link");
    }
    if let Some(kernel) = kernel {
        symlink(kernel, dir.path().join("FreeRTOS-Kernel")).expect("a link");
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_heapsmith")).parent().expect("a folder");
    let search = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a path"));
    let ran = Command::new("bash")
        .args(["-c", &script])
        .current_dir(dir.path())
        .env("PATH", search)
        .env_remove("COLUMNS")
        .output()
        .expect("bash runs");
    let text = String::from_utf8_lossy(&ran.stdout);
    let outputs: Vec<&str> = text.split(MARK).skip(1).collect();
    for (step, output) in steps.iter().zip(&outputs) {
        if let Some(line) = missing(step, output) {
            panic!("{name}: `{}` does not print\n  {line}\nbut\n{output}", step.command);
        }
    }
    assert!(ran.status.success(), "{name} ends with {}: {text}", ran.status);
    Some((dir, text.into_owned()))
}

/// The addresses of the blocks in the stream of a board: events of 8 bytes between marks of 24, whose kinds 1 and 4 have them.
fn addresses(stream: &[u8]) -> Vec<u32> {
    let word = |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().expect("a word"));
    let (mut at, mut addresses) = (0, Vec::new());
    while at + 8 <= stream.len() {
        if stream[at..].starts_with(b"PAEHTIMS") {
            at += 24;
            continue;
        }
        if matches!(word(at + 4) >> 28, 1 | 4) && word(at) != 0 {
            addresses.push(word(at));
        }
        at += 8;
    }
    addresses
}

/// The emitted heap, recorded on the board in `heap.trace`, gave the addresses that the explored one gives in `region` bytes.
fn has_the_explored_addresses(dir: &Path, region: u64) {
    let command = |arguments: &[&str]| {
        let mut heapsmith = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        let output = heapsmith.args(arguments).current_dir(dir).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = command(&["emit", "board", "--lang", "c", "-o", "again"]);
    let spec = said.lines().find_map(|line| line.strip_prefix("the pick of board: ")).expect("a spec");
    command(&["import", "heap.trace", "-o", "again.parquet"]);
    let trace = PackedTrace::new(&Trace::read(dir.join("again.parquet")).expect("a trace")).expect("a sound trace");
    let heap = resolve(spec).expect("a heap");
    let mut memory = Region::new(Bytes(region)).expect("memory");
    let explored = offsets(&heap.into(), &trace, &mut memory, Bytes(region)).expect("it plays");
    let blocks = trace.events.iter().zip(&explored).filter(|(event, _)| event.operation != Operation::Free);
    let explored: Vec<usize> = blocks.map(|(_, offset)| offset.expect("it serves every request")).collect();
    let recorded = addresses(&std::fs::read(dir.join("heap.trace")).expect("a stream"));
    assert_eq!(recorded.len(), explored.len());
    assert!(recorded.len() > 200, "much was recorded");
    for (number, (address, offset)) in recorded.iter().zip(&explored).enumerate() {
        let own = (address.wrapping_sub(recorded[0])) as i32;
        assert_eq!(i64::from(own), *offset as i64 - explored[0] as i64, "block {number}");
    }
}

/// The number in the first line that begins with `name`.
fn figure(text: &str, name: &str) -> u64 {
    let line = text.lines().rev().find_map(|line| line.trim_start_matches(MARK).strip_prefix(name)).expect(name);
    let digits = |word: &str| word.replace(',', "").parse().ok();
    line.split_whitespace().find_map(digits).expect("a number")
}

#[test]
fn firmware() {
    follow("firmware");
}

#[test]
fn freertos() {
    let Some((dir, text)) = follow("freertos") else { return };
    has_the_explored_addresses(dir.path(), figure(&text, "region "));
    let (own, heap_4) = (figure(&text, "footprint_peak "), figure(&text, "Baseline "));
    println!("FreeRTOS: {own} bytes of the emitted heap, {heap_4} of heap_4.c on its own trace");
    assert!(own < heap_4, "{own} bytes, heap_4 {heap_4}");
}

#[test]
fn newlib() {
    let Some((dir, text)) = follow("newlib") else { return };
    let (own, libc) = (figure(&text, "footprint "), figure(&text, "the C library's heap took "));
    println!("newlib: {own} bytes of the emitted heap, {libc} of the C library's");
    assert!(own < libc, "{own} bytes, the C library {libc}");
    has_the_explored_addresses(dir.path(), figure(&text, "Reserve "));
}

#[test]
fn regions() {
    follow("regions");
}

#[test]
fn static_plan() {
    follow("static-plan");
}

#[test]
fn server() {
    follow("server");
}

#[test]
fn embedded_rust() {
    follow("embedded-rust");
}

#[test]
fn teaching() {
    follow("teaching");
}

#[test]
fn hardware() {
    follow("hardware");
}

#[test]
fn evidence() {
    follow("evidence");
}

#[test]
fn every_guide_is_followed() {
    let here = include_str!("guides.rs");
    let named: HashSet<String> = here
        .lines()
        .filter_map(|line| line.split_once("follow(\"")?.1.split_once("\")"))
        .map(|(name, _)| name.to_owned())
        .collect();
    let guides = std::fs::read_dir(repository().join("docs/guides")).expect("guides");
    for guide in guides {
        let path = guide.expect("a guide").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(named.contains(&name), "no test follows {name}");
    }
}

#[test]
fn a_line_shown_is_looked_for_in_its_place() {
    let step = Step { command: String::new(), shown: vec!["a [..] c".to_owned(), "d".to_owned()] };
    assert_eq!(missing(&step, "x\na b c\nd"), None);
    assert_eq!(missing(&step, "d\na b c\n"), Some(&"d".to_owned()));
    assert_eq!(missing(&step, "a b d\nd"), Some(&"a [..] c".to_owned()));
}

#[test]
fn commands_are_read_with_what_they_print() {
    let read = steps("text\n```console\n$ a \\\n    b\nout\n...\nend\n$ c <<'END'\nd\nEND\n```\n```\n$ no\n```\n");
    let read: Vec<(&str, usize)> = read.iter().map(|step| (&*step.command, step.shown.len())).collect();
    assert_eq!(read, [("a \\\n    b", 2), ("c <<'END'\nd\nEND", 0)]);
}
