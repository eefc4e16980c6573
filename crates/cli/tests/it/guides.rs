//! The guides of the book: every command in them runs, in its order, and prints what the guide shows.
//!
//! ```text
//!   docs/guides/NAME.md ──console blocks──▶ commands ──one shell, a new folder──▶ output ⊇ the lines shown, in order
//! ```
//!
//! A line with `$ ` is a command; the lines below it are a part of its output. `[..]` in a line is any text, and a line
//! `...` says to the reader that others are left out. A guide whose first line is `<!-- needs: TOOL... -->` runs where
//! these are, one with `<!-- nightly -->` where `HEAPSMITH_WHOLE` is set.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Runs a guide in a folder that has what a clone of the repository has for it.
fn follow(name: &str) {
    let path = repository().join("docs/guides").join(name).with_extension("md");
    let guide = std::fs::read_to_string(&path).expect("a guide");
    let absent = absent_tools(&guide);
    if !absent.is_empty() {
        println!("NOT RUN: the guide {name}, for lack of {}", absent.join(", "));
        return;
    }
    if guide.contains("<!-- nightly -->") && std::env::var_os("HEAPSMITH_WHOLE").is_none() {
        println!("NOT RUN: the guide {name} takes long: `cargo xtask nightly whole`");
        return;
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
}

#[test]
fn firmware() {
    follow("firmware");
}

#[test]
fn freertos() {
    follow("freertos");
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
fn every_guide_is_followed() {
    let here = include_str!("guides.rs");
    let named: HashSet<String> = here
        .lines()
        .filter_map(|line| line.trim().strip_prefix("follow(\""))
        .map(|rest| rest.trim_end_matches("\");").to_owned())
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
