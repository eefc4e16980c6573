//! Small files that ask for much: read in little memory, or refused with the file's name; never without an end.
//!
//! Trace files that claim more than they hold are crafted by the command's own tests (`memory::`).

mod files;

use super::inputs::STORED;
use super::{Case, Kind};
use files::{endless, repeated, zstd_window};

/// Each bomb in three sizes.
pub fn kinds() -> Vec<Kind> {
    vec![Kind { name: "bombs/all", cases: BOMBS.len() * 3, quick: 6, attempt }]
}

/// What a bomb has of address space, in bytes.
const MEMORY: u64 = 4 << 30;

/// What is done with a bomb.
struct Bomb {
    /// Makes `bomb` plus an ending in the case's folder; the number is its unpacked size in megabytes.
    make: fn(&Case<'_>, usize) -> Result<(), String>,
    /// What is called.
    words: &'static [&'static str],
    /// Whether it is work without an end that was asked for, and has to end when it is asked to.
    work: bool,
}

const fn file(make: fn(&Case<'_>, usize) -> Result<(), String>, words: &'static [&'static str]) -> Bomb {
    Bomb { make, words, work: false }
}

const fn work(words: &'static [&'static str]) -> Bomb {
    Bomb { make: |_, _| Ok(()), words, work: true }
}

const LOG: &[u8] = b"10.0.0.1 - - [01/Jul/2025:00:00:01 -0400] \"GET /a/b.gif HTTP/1.0\" 200 6245\n";

const BOMBS: [Bomb; 26] = [
    file(|case, size| endless(case, "gzip", b"\0", size), &["inspect", "bomb.gz", "--as", "url"]),
    file(|case, size| endless(case, "xz", b"a", size), &["inspect", "bomb.xz", "--as", "rep"]),
    file(|case, size| endless(case, "zstd", b"7", size), &["inspect", "bomb.zst"]),
    file(|case, size| endless(case, "gzip", b",", size), &["replay", "bomb.gz", "--as", "csv", "--heap", "tlsf"]),
    file(
        |case, size| repeated(case, "gzip", b"", b"http://example.org/a/b?c=d\n", size),
        &["inspect", "bomb.gz", "--as", "url", "--limit", "1000"],
    ),
    file(
        |case, size| repeated(case, "zstd", b"", LOG, size),
        &["inspect", "bomb.zst", "--as", "url", "--limit", "1000"],
    ),
    file(
        |case, size| repeated(case, "xz", b"", LOG, size / 8),
        &["replay", "bomb.xz", "--as", "url", "--heap", "tlsf"],
    ),
    file(|case, size| captured(case, "gzip", size), &["inspect", "bomb.gz", "--as", "drr", "--limit", "1000"]),
    file(|case, size| captured(case, "zstd", size / 8), &["replay", "bomb.zst", "--as", "easyport", "--heap", "tlsf"]),
    file(
        |case, size| repeated(case, "zstd", b"v 10400 2\nx /a.out\n", b"m lib.so 7f0000000000 0 1000\n", size / 4),
        &["inspect", "bomb.zst", "--as", "heaptrack"],
    ),
    file(
        |case, size| repeated(case, "gzip", b"v 10400 2\nx /a.out\n", b"t 401156 0\n", size / 4),
        &["inspect", "bomb.gz", "--as", "heaptrack"],
    ),
    file(
        |case, size| repeated(case, "zstd", b"v 10400 3\na 64 0\n", b"+ 0\n", size / 64),
        &["import", "bomb.zst", "--as", "heaptrack", "--out", "out.parquet"],
    ),
    file(
        |case, size| repeated(case, "xz", b"", b"Alloc(100),\n", size / 8),
        &["inspect", "bomb.xz", "--as", "wee-alloc"],
    ),
    file(
        |case, size| repeated(case, "gzip", b"", b"186: thread_done 0x0\n", size),
        &["inspect", "bomb.gz", "--as", "memory-replay"],
    ),
    file(
        |case, size| case.write("bomb.rep", format!("20000\n{0}\n{0}\n1\na {0} {0}\nf {0}\n", u64::MAX >> (size / 64))),
        &["replay", "bomb.rep", "--heap", "tlsf"],
    ),
    file(
        |case, size| case.write("bomb.csv", format!("action,id,size\nallocate,1,{}\n", 1_u64 << (62 - size / 64))),
        &["replay", "bomb.csv", "--heap", "tlsf", "--verify"],
    ),
    file(
        |case, size| {
            case.write(
                "bomb.bytehound",
                [2_u64, u64::MAX >> (size / 64), 1, 0, 5000, 100].map(u64::to_le_bytes).concat(),
            )
        },
        &["inspect", "bomb.bytehound"],
    ),
    file(|case, size| record_of(case, "small.pcap", 32, u32::MAX >> (size / 128)), &["inspect", "bomb", "--as", "drr"]),
    file(
        |case, size| record_of(case, "small.pcapng", 4, (u32::MAX >> (size / 128)) & !3),
        &["inspect", "bomb", "--as", "drr"],
    ),
    file(|case, size| zstd_window(case, 31 - size / 256), &["inspect", "bomb.zst", "--as", "url"]),
    file(|case, size| repeated(case, "gzip", b"", b"", size), &["inspect", "bomb.gz", "--as", "url"]),
    file(recursive_view, &["report", "store", "--out", "page.html"]),
    file(
        |case, _| case.write("bomb.txt", "1,1e30,1e30\n2,1e-30,1e30\n"),
        &["replay", "bomb.txt", "--as", "distribution", "--set", "events=1000", "--heap", "tlsf"],
    ),
    Bomb {
        make: space,
        words: &["explore", "trace.parquet", "--space", "bomb.toml", "--rounds", "0", "--no-peers", "--out", "out"],
        work: true,
    },
    work(&["inspect", "workload:treeadd", "--set", "depth=60"]),
    work(&["replay", "workload:random-half", "--set", "requests=1000000000000000", "--heap", "tlsf"]),
];

/// One bomb in one size.
fn attempt(case: &mut Case<'_>) -> Result<usize, String> {
    // A quick trial meets six of them, not the first six.
    let at = case.number * 7 % (BOMBS.len() * 3);
    let bomb = &BOMBS[at % BOMBS.len()];
    (bomb.make)(case, [32, 128, 512][at / BOMBS.len()])?;
    let launched = case.heapsmith(bomb.words).memory(MEMORY).within(if bomb.work { 20 } else { 120 }).run()?;
    if bomb.work {
        launched.ends_when_asked()?;
    } else {
        launched.is_documented()?;
    }
    let named = bomb.words[1].trim_start_matches("workload:");
    if matches!(launched.code, Some(3 | 4)) && !launched.says(named) {
        return Err(launched.describe("did not name the file"));
    }
    Ok(1)
}

/// The packets of a small capture, again and again.
fn captured(case: &Case<'_>, packer: &str, megabytes: usize) -> Result<(), String> {
    let capture = case.place.inputs.read("small.pcap")?;
    let (head, packets) = capture.split_at(24);
    repeated(case, packer, head, packets, megabytes)
}

/// A capture, one of whose records has another length.
fn record_of(case: &Case<'_>, capture: &str, at: usize, length: u32) -> Result<(), String> {
    let mut bytes = case.place.inputs.read(capture)?;
    bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
    case.write("bomb", bytes)
}

/// A store whose designs are a view without an end.
fn recursive_view(case: &Case<'_>, _: usize) -> Result<(), String> {
    case.copy(&STORED)?;
    let script = "DROP VIEW results; ALTER TABLE design RENAME TO hidden; CREATE VIEW design AS WITH RECURSIVE again AS \
                  (SELECT * FROM hidden UNION ALL SELECT * FROM again) SELECT * FROM again; CREATE VIEW results AS SELECT \
                  design.*, result.* FROM design JOIN result ON result.design = design.same_as;";
    let altered = case.program("sqlite3", &["store/results.sqlite", script]).run()?;
    if altered.code == Some(0) { Ok(()) } else { Err(altered.describe("cannot make the view")) }
}

/// A space of 10^9 to 10^12 designs, in some kilobytes.
fn space(case: &Case<'_>, size: usize) -> Result<(), String> {
    case.copy(&["trace.parquet"])?;
    let numbers = |max: usize| (0..max).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let (lists, percents) = (numbers(size * 4), numbers(100));
    case.write(
        "bomb.toml",
        format!(
            "[[family]]\nname = \"classic\"\nheap = \"list(order=address)\"\n\n[family.levels]\nfreelists = [{lists}]\n\
             fit = [{percents}]\nsplit = [{percents}]\ncoalesce = [{percents}]\n"
        ),
    )
}
