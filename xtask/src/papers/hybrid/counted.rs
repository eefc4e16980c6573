//! Instructions of a program and of `malloc` and its kin in it, and how often these are called, by callgrind.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::{Program, ended, said};

/// `malloc` and its kin.
const FAMILY: [&str; 8] =
    ["malloc", "free", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc", "valloc"];

/// How long is waited before it is looked again whether callgrind wrote what it counted.
const AGAIN: Duration = Duration::from_millis(200);

/// What callgrind counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    whole: u64,
    allocating: u64,
    events: u64,
}

impl Counts {
    /// The same for this many events.
    pub fn of_events(self, events: u64) -> Counts {
        Counts { events, ..self }
    }

    /// As a sample has them.
    pub fn text(&self) -> String {
        format!("whole {}\nallocating {}\nevents {}\n", self.whole, self.allocating, self.events)
    }
}

/// Counts a program to its end, or to a number of basic blocks.
pub fn count(program: &Program, folder: &Path, scratch: &Path) -> Result<Counts, String> {
    let out = scratch.join("counted");
    let mut command = program.command(Path::new("valgrind"), folder, scratch)?;
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
    let Some(blocks) = program.blocks else {
        ended(command.arg(program.file()).args(program.arguments))?;
        return read(&out);
    };
    command.arg(format!("--dump-every-bb={blocks}")).arg(program.file()).args(program.arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|error| said(&out, error))?;
    let first = first_dump(&mut child, &scratch.join("counted.1"));
    child.kill().and_then(|()| child.wait()).map_err(|error| said(&out, error))?;
    first
}

/// What was counted until the first dump, once it is whole.
fn first_dump(child: &mut Child, dump: &Path) -> Result<Counts, String> {
    loop {
        let has_ended = child.try_wait().map_err(|error| said(dump, error))?.is_some();
        let is_whole = std::fs::read(dump).is_ok_and(|text| String::from_utf8_lossy(&text).contains("\ntotals: "));
        if is_whole || has_ended {
            return read(dump);
        }
        std::thread::sleep(AGAIN);
    }
}

fn read(path: &Path) -> Result<Counts, String> {
    let text = std::fs::read(path).map_err(|error| said(path, error))?;
    let counts = parsed(&String::from_utf8_lossy(&text));
    counts.ok_or_else(|| format!("{}: callgrind counted nothing", path.display()))
}

/// Sums the calls of `malloc` and its kin by functions that are none of them.
fn parsed(text: &str) -> Option<Counts> {
    let (mut counts, mut names) = (Counts::default(), HashMap::new());
    let (mut caller, mut called, mut calls) = ("", "", None);
    for line in text.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            caller = named(function, &mut names)?;
        } else if let Some(function) = line.strip_prefix("cfn=") {
            called = named(function, &mut names)?;
        } else if let Some(call) = line.strip_prefix("calls=") {
            calls = call.split(' ').next()?.parse::<u64>().ok();
        } else if let Some(number) = calls.take() {
            if FAMILY.contains(&called) && !FAMILY.contains(&caller) {
                counts.events += number;
                counts.allocating += line.split(' ').nth(1)?.parse::<u64>().ok()?;
            }
        } else if let Some(sum) = line.strip_prefix("summary: ") {
            counts.whole = sum.trim().parse().ok()?;
        }
    }
    (counts.whole > 0).then_some(counts)
}

/// The function's name: `(7) name` where it is first named, `(7)` later; a recursion has `'2` after it.
fn named<'t>(function: &'t str, names: &mut HashMap<&'t str, &'t str>) -> Option<&'t str> {
    let (number, name) = function.split_once(')')?;
    if !name.is_empty() {
        names.insert(number, name.trim_start().split('\'').next()?);
    }
    names.get(number).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_malloc_and_its_kin_by_others_are_summed() {
        let text = "summary: 900\n\nfn=(1) main\n5 20\ncfn=(2) malloc\ncalls=3 10 \n6 300\ncfn=(4) work\ncalls=1 1 \n7 100\n\n\
                    fn=(3) realloc\ncfn=(2)\ncalls=2 10 \n8 50\n\nfn=(4)\ncfn=(3)\ncalls=4 9 \n9 80\ncfn=(5) free'2\ncalls=1 9 \n3 7\n";
        assert_eq!(parsed(text), Some(Counts { whole: 900, allocating: 387, events: 8 }));
        assert_eq!(parsed("fn=(1) main\n5 20\n"), None, "it has no sum");
    }
}
