//! The traces that are compared: network traffic, and programs that are recorded on the spot.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Bench;
use crate::run::root;

/// A trace.
pub struct Input {
    pub name: String,
    pub about: String,
    pub path: PathBuf,
    /// What makes a trace of it; none for a trace file.
    pub workload: Option<&'static str>,
    /// Events that are used of it.
    pub events: u64,
}

/// The repository's samples as the three network applications.
const SAMPLES: &[(&str, &str)] = &[("drr", "ftp.pcap.xz"), ("easyport", "mixed.pcapng.xz"), ("url", "web.log.xz")];

/// Foreign traffic, if a developer has it next to the checkout.
const FOREIGN: &[(&str, &str)] = &[
    ("drr", "pcap/auckland-20000125.pcap.xz"),
    ("easyport", "pcap/http-browsing-20130502.pcap.xz"),
    ("url", "urls/nasa_19950701.tsv.xz"),
];

/// Every trace there is.
pub fn all(bench: &Bench<'_>) -> Result<Vec<Input>, String> {
    let mut inputs: Vec<Input> = SAMPLES
        .iter()
        .map(|&(workload, file)| traffic(workload, "sample", &root().join("samples").join(file), bench))
        .collect();
    let shared = root().join("../shared/data");
    for &(workload, file) in FOREIGN {
        let path = shared.join(file);
        if path.exists() {
            inputs.push(traffic(workload, "foreign", &path, bench));
        } else {
            println!("NOT RUN: {workload} on {file}, which is not in ../shared/data next to this checkout");
        }
    }
    inputs.extend(recorded(bench)?);
    Ok(inputs)
}

/// The programs, recorded.
pub fn recorded(bench: &Bench<'_>) -> Result<Vec<Input>, String> {
    let recorded = |program: Program| {
        let path = bench.record(program.name, &program.command)?;
        let about = format!("recorded: {}", program.about);
        Ok(Input { name: program.name.to_owned(), about, path, workload: None, events: bench.arguments.program_events })
    };
    programs(bench)?.into_iter().map(recorded).collect()
}

fn traffic(workload: &'static str, kind: &str, path: &Path, bench: &Bench<'_>) -> Input {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Input {
        name: format!("{workload}-{kind}"),
        about: format!("{workload} of {file}"),
        path: path.to_owned(),
        workload: Some(workload),
        events: bench.arguments.events,
    }
}

struct Program {
    name: &'static str,
    about: &'static str,
    command: Vec<String>,
}

/// Programs of different character; what they work on is generated.
fn programs(bench: &Bench<'_>) -> Result<Vec<Program>, String> {
    let c = written(bench, "functions.c", &c_source())?;
    let python = written(bench, "words.py", PYTHON)?;
    let perl = written(bench, "words.pl", PERL)?;
    let sql = written(bench, "orders.sql", SQL)?;
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    Ok(vec![
        Program {
            name: "cc",
            about: "the C compiler on 300 functions",
            command: words(&["cc", "-O1", "-c", "-o", "/dev/null", &c]),
        },
        Program {
            name: "python3",
            about: "an interpreter: dictionaries of words, its own allocator off",
            command: words(&["env", "PYTHONMALLOC=malloc", "python3", &python]),
        },
        Program { name: "perl", about: "an interpreter: hashes of words", command: words(&["perl", &perl]) },
        Program {
            name: "sqlite3",
            about: "a database in memory: inserts, an index, joins",
            command: words(&["sqlite3", ":memory:", &format!(".read {sql}")]),
        },
    ])
}

fn written(bench: &Bench<'_>, name: &str, text: &str) -> Result<String, String> {
    let path = bench.folder.join(name);
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path.display().to_string())
}

fn c_source() -> String {
    let mut source = String::new();
    for n in 0..300 {
        let _ = writeln!(
            source,
            "struct s{n} {{ int a, b[{}]; struct s{n} *next; }};\n\
             int f{n}(struct s{n} *s, int x) {{ int t = x * {n}; for (int i = 0; i < {}; i++) t += s->b[i] ^ i; \
             return s->next ? t + f{n}(s->next, t) : t; }}",
            n % 17 + 1,
            n % 17 + 1
        );
    }
    source
}

const PYTHON: &str = "
words = {}
for n in range(6000):
    word = 'word%d' % (n * 7919 % 2003)
    words.setdefault(word, []).append((n, word.upper()))
    if n % 5 == 0:
        words.pop('word%d' % (n % 2003), None)
print(sum(len(v) for v in words.values()))
";

const PERL: &str = "
my %words;
for my $n (0 .. 20000) {
    my $word = 'word' . ($n * 7919 % 2003);
    push @{ $words{$word} }, [ $n, uc $word ];
    delete $words{ 'word' . ($n % 2003) } if $n % 5 == 0;
}
print scalar(keys %words), \"\\n\";
";

const SQL: &str = "
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO orders SELECT i, 'customer' || (i * 7919 % 311), i * 0.5 FROM n;
CREATE INDEX by_customer ON orders (customer);
SELECT a.customer, count(*), group_concat(b.amount) FROM orders a JOIN orders b USING (customer)
WHERE a.id < 200 GROUP BY a.customer ORDER BY 2 DESC LIMIT 20;
DELETE FROM orders WHERE id % 3 = 0;
SELECT count(*), sum(amount) FROM orders;
";
