//! The programs: recorded on the spot, with inputs of a second at most.

use std::path::{Path, PathBuf};

use crate::run::{output, root};

/// A program, its input and its environment.
pub struct Program {
    /// Its name in tables.
    pub name: &'static str,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// More for its environment: what makes two runs alike.
    pub environment: &'static [(&'static str, &'static str)],
}

/// Lines of the file that is compiled.
const LINES: &str = "440";
/// Rows of the tables of SQLite's speed test.
const ROWS: &str = "8000";
/// Commits that git shows.
const COMMITS: usize = 250;
/// What jq does: texts, objects and sorting.
const JQ: &str = "[range(12000) | {key: (. * 7919 % 4001 | tostring), value: [., (. % 40 | tostring * 3)]}] \
                  | group_by(.key) | map({key: .[0].key, value: map(.value)}) | from_entries | tojson | length";
/// Words that Perl counts.
const WORDS: &str = "3000";
/// What cfrac factors.
const NUMBER: &str = "175451865205073170563711388363";
/// Product terms of espresso's input that are kept.
const TERMS: usize = 100;

/// Python without an allocator of its own: objects of many sizes that live long and short.
const PYTHON: &str = "
import json
words = {}
for i in range(12000):
    words.setdefault(str(i * 7919 % 4001), []).append(i)
tree = [[str(j) * (j % 9) for j in range(i % 40)] for i in range(1500)]
text = json.dumps([words, tree])
for _ in range(3):
    again = json.loads(text)
print(len(text), len(again[0]), sum(map(len, again[1])))
";

/// Every program that can be had; says which cannot.
pub fn all(folder: &Path, suite: Option<&Path>) -> Result<Vec<Program>, String> {
    let sample = |name: &str| root().join("xtask/real").join(name).display().to_string();
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let source = folder.join("large.c");
    let text = output("python3", &[&sample("large.py"), LINES])?;
    write(&source, &text)?;
    let cc1 = output("gcc", &["-print-prog-name=cc1"])?;
    let object = folder.join("large.s").display().to_string();
    let rows = format!("CREATE TABLE size AS SELECT {ROWS} AS rows");
    let read = format!(".read '{}'", sample("speed.sql"));
    let mut all = vec![
        Program {
            name: "cc1",
            command: words(&[cc1.trim(), "-quiet", "-O1", &source.display().to_string(), "-o", &object]),
            environment: &[],
        },
        Program { name: "sqlite3", command: words(&["sqlite3", "-cmd", &rows, ":memory:", &read]), environment: &[] },
        Program {
            name: "perl",
            command: words(&["perl", &sample("words.pl"), WORDS]),
            environment: &[("PERL_HASH_SEED", "0")],
        },
        Program {
            name: "python3",
            command: words(&["/usr/bin/python3", "-S", "-c", PYTHON]),
            environment: &[("PYTHONMALLOC", "malloc"), ("PYTHONHASHSEED", "0")],
        },
        Program {
            name: "git",
            command: words(&["git", "--no-pager", "--git-dir", &repository(folder)?, "log", "--stat", "-p"]),
            environment: &[("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")],
        },
        Program { name: "jq", command: words(&["jq", "-n", JQ]), environment: &[] },
    ];
    match suite {
        Some(suite) => all.extend(of_suite(folder, &suite.join("bench"))?),
        None => println!("NOT RUN: cfrac and espresso, without --suite DIR"),
    }
    Ok(all)
}

/// A repository of some files that each commit changes a little: its folder.
fn repository(folder: &Path) -> Result<String, String> {
    let mut stream = String::new();
    for commit in 0..COMMITS {
        let message = format!("Change {commit}");
        stream += "commit refs/heads/main\n";
        stream += &format!("committer A <a@example.org> {} +0000\n", 1_000_000_000 + commit);
        stream += &format!("data {}\n{message}\n", message.len());
        for file in (0..40).filter(|file| (file + commit) % 8 == 0) {
            let line = |line: usize| {
                format!("line {line} {}\n", line * file % 89 + commit * usize::from(line % 50 == commit % 50))
            };
            let text: String = (0..300).map(line).collect();
            stream += &format!("M 100644 inline part-{file}\ndata {}\n{text}\n", text.len());
        }
    }
    let dir = folder.join("repository").display().to_string();
    let path = folder.join("stream");
    write(&path, &stream)?;
    output("git", &["init", "--quiet", "--bare", "--initial-branch", "main", &dir])?;
    let script = format!("git --git-dir '{dir}' fast-import --quiet < '{}'", path.display());
    output("sh", &["-c", &script]).map(|_| dir)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// cfrac and espresso, compiled of their sources.
fn of_suite(folder: &Path, suite: &Path) -> Result<Vec<Program>, String> {
    let compile = |name: &str, left_out: &[&str]| {
        let binary = folder.join(name).display().to_string();
        let mut arguments = ["-O2", "-w", "-std=gnu89", "-DNOMEMOPT=1", "-o", &binary].map(str::to_owned).to_vec();
        let files = std::fs::read_dir(suite.join(name)).map_err(|error| format!("{}: {error}", suite.display()))?;
        let sources: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        let kept = |path: &&PathBuf| {
            path.extension().is_some_and(|end| end == "c")
                && !left_out.iter().any(|name| path.file_name().is_some_and(|file| file == *name))
        };
        arguments.extend(sources.iter().filter(kept).map(|path| path.display().to_string()));
        arguments.push("-lm".to_owned());
        output("gcc", &arguments.iter().map(String::as_str).collect::<Vec<_>>()).map(|_| binary)
    };
    let cfrac = compile("cfrac", &["getopt.c", "ltop.c", "pfactor.c", "ptob.c"])?;
    let espresso = compile("espresso", &[])?;
    // The head of the input, as many of its terms, and its end.
    let path = suite.join("espresso/largest.espresso");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut terms, mut short) = (0, String::new());
    for line in text.lines().filter(|line| !line.starts_with(".p ")) {
        terms += usize::from(!line.starts_with(['.', '#']));
        if terms <= TERMS || line.starts_with(".e") {
            short += &format!("{line}\n");
        }
    }
    let input = folder.join("short.espresso");
    write(&input, &short)?;
    Ok(vec![
        Program { name: "cfrac", command: vec![cfrac, NUMBER.to_owned()], environment: &[] },
        Program {
            name: "espresso",
            command: vec![espresso, "-s".to_owned(), input.display().to_string()],
            environment: &[],
        },
    ])
}
