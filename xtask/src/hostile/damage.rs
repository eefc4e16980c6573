//! Damaged inputs of every kind: read, or refused with nothing left behind.

use std::path::PathBuf;

use super::inputs::{EXPLORE, PACKERS, STORED, files, pack};
use super::mutate::damaged;
use super::{Case, Kind, Launched};

/// A kind for each format.
pub fn kinds() -> Vec<Kind> {
    let kind = |name, cases, attempt| Kind { name, cases, quick: 12, attempt };
    vec![
        kind("damage/pcap", 2_000, |case| read(case, &["small.pcap"])),
        kind("damage/pcapng", 2_000, |case| read(case, &["small.pcapng"])),
        kind("damage/packed", 2_000, packed),
        kind("damage/parquet", 2_400, |case| read(case, &["trace.parquet", "drr.parquet"])),
        kind("damage/recording", 1_000, |case| read(case, &["killed.recording"])),
        kind("damage/rep", 1_000, |case| read(case, &["lea.rep", "trace.rep"])),
        kind("damage/mtrace", 1_000, |case| read(case, &["log.mtrace"])),
        kind("damage/calls", 1_200, |case| read(case, &["log.ltrace", "log.strace"])),
        kind("damage/heaptrack", 1_600, |case| read(case, &["raw.heaptrack", "interpreted.heaptrack"])),
        kind("damage/bytehound", 1_000, |case| read(case, &["replay.bytehound"])),
        kind("damage/boards", 1_200, |case| read(case, &["cores.svdat", "script.log", "notes.log"])),
        kind("damage/csv", 1_400, |case| read(case, &["events.csv", "trace.csv", "lifetimes.csv"])),
        kind("damage/lists", 1_000, |case| read(case, &["android.txt", "wee.txt"])),
        kind("damage/logs", 1_600, |case| read(case, &["web.log", "tabs.log", "urls.txt", "frames.txt", "sizes.txt"])),
        kind("damage/space", 1_000, space),
        kind("damage/store", 800, store),
        kind("damage/check", 1_000, check),
    ]
}

/// What a damaged file has of address space, in bytes: its good form is read in a thousandth.
const MEMORY: u64 = 4 << 30;

/// One of several good files, with damage.
fn damage(case: &mut Case<'_>, names: &[&'static str]) -> Result<(&'static str, Vec<u8>), String> {
    const OTHERS: [&str; 4] = ["trace.parquet", "events.csv", "small.pcap", "log.ltrace"];
    let name = case.choose(names);
    let good = case.place.inputs.read(name)?;
    let other = case.place.inputs.read(case.choose(&OTHERS))?;
    Ok((name, damaged(&mut case.draw, &good, &other)))
}

/// Damages a file and reads it.
fn read(case: &mut Case<'_>, names: &[&'static str]) -> Result<usize, String> {
    let (name, bytes) = damage(case, names)?;
    case.write(name, bytes)?;
    given(case, name)
}

/// A packed file with damage in it, or to its packing.
fn packed(case: &mut Case<'_>) -> Result<usize, String> {
    let (name, bytes) = damage(case, &["small.pcap", "small.pcapng", "web.log", "lea.rep"])?;
    let packer = case.choose(&PACKERS);
    let file = format!("{name}.{}", packer.ending);
    if case.draw.bool() {
        case.write(name, bytes)?;
        let bytes = pack(packer, &case.path(name))?;
        case.write(&file, bytes)?;
        let _ = std::fs::remove_file(case.path(name));
    } else {
        let good = case.place.inputs.read(&file)?;
        let bytes = damaged(&mut case.draw, &good, &bytes);
        case.write(&file, bytes)?;
    }
    given(case, &file)
}

/// Gives a file to one of the commands that read.
fn given(case: &mut Case<'_>, name: &str) -> Result<usize, String> {
    let mut words: Vec<&str> = match case.draw.u8(..5) {
        0 | 1 => vec!["inspect", name],
        2 => vec!["replay", name, "--heap", "tlsf", "--verify"],
        3 => vec!["import", name, "--out", "out.parquet"],
        _ => vec!["import", name, "--out", case.choose(&["out.rep", "out.csv"])],
    };
    match name {
        _ if name.contains("pcap") => words.extend(["--as", case.choose(&["drr", "easyport", "url"])]),
        _ if name.starts_with("web") || name.ends_with(".log") || name == "urls.txt" => words.extend(["--as", "url"]),
        "frames.txt" => words.extend(["--as", "easyport"]),
        "sizes.txt" => words.extend(["--as", "distribution", "--set", "events=500"]),
        _ => {}
    }
    if case.draw.u8(..3) == 0 {
        words.extend(["--set", "keep-damaged=yes"]);
    }
    let before = files(case.folder());
    let launched = case.heapsmith(&words).memory(MEMORY).run()?;
    launched.is_documented()?;
    has_no_control_characters(&launched)?;
    left_nothing(case, &before, &launched)?;
    Ok(1)
}

/// Nothing is left where the command failed, and nothing but what was asked for where it did not.
fn left_nothing(case: &Case<'_>, before: &[PathBuf], launched: &Launched) -> Result<(), String> {
    let wanted = case.path("out");
    for file in files(case.folder()).into_iter().filter(|file| !before.contains(file)) {
        if launched.code != Some(0) || file.with_extension("") != wanted {
            return Err(launched.describe(&format!("left {}", file.display())));
        }
    }
    Ok(())
}

/// What a terminal would obey must not come out of a file and reach it.
fn has_no_control_characters(launched: &Launched) -> Result<(), String> {
    let obeyed = |&byte: &u8| (byte < b' ' && !b"\n\t\r".contains(&byte)) || byte == 0x7f;
    match launched.out.iter().chain(&launched.err).find(|byte| obeyed(byte)) {
        None => Ok(()),
        Some(byte) => Err(launched.describe(&format!("printed the control character {byte:#04x}"))),
    }
}

/// A damaged space: explored, or refused. It may have become a large one, and so need to be asked to end.
fn space(case: &mut Case<'_>) -> Result<usize, String> {
    let good = case.place.inputs.read("space.toml")?;
    let bytes = damaged(&mut case.draw, &good, b"[family.levels]\nword = [4]\norder = [\"lifo\"]\n\"saved 1\" 100%");
    case.write("space.toml", bytes)?;
    case.copy(&["trace.parquet"])?;
    let launched = case.heapsmith(&EXPLORE).arguments(&["out"]).memory(MEMORY).within(20).run()?;
    launched.ends_when_asked()?;
    Ok(1)
}

/// A damaged check file: its assertions are evaluated, or it is refused. It may have become one of many replays, and so
/// need to be asked to end.
fn check(case: &mut Case<'_>) -> Result<usize, String> {
    let good = case.place.inputs.read("heap.toml")?;
    let bytes =
        damaged(&mut case.draw, &good, b"[heap.other]\nexploration = \"store\"\nmax_growth = \"5%\" at = \"end\"");
    case.write("heap.toml", bytes)?;
    case.copy(&["trace.parquet"])?;
    let format = case.choose(&["text", "junit", "sarif"]);
    let launched = case.heapsmith(&["check", "heap.toml", "--format", format]).memory(MEMORY).within(20).run()?;
    launched.ends_when_asked()?;
    has_no_control_characters(&launched)?;
    Ok(1)
}

/// A folder of results with one damaged file: used, mended or refused, never used wrongly.
fn store(case: &mut Case<'_>) -> Result<usize, String> {
    case.copy(&["trace.parquet", "space.toml"])?;
    case.copy(&STORED)?;
    let file =
        case.choose(&["store/results.sqlite", "store/results.sqlite", "store/results.sqlite", "store/trace-1.parquet"]);
    let good = case.place.inputs.read(file)?;
    let bytes = damaged(&mut case.draw, &good, b"SQLite format 3\0results designs meta");
    case.write(file, bytes)?;
    let resumed = case.draw.bool();
    let launched = match case.draw.u8(..4) {
        _ if resumed => case.heapsmith(&EXPLORE).arguments(&["store"]).memory(MEMORY).run()?,
        0 => case.heapsmith(&["emit", "store", "--lang", "c", "--out", "emitted"]).memory(MEMORY).run()?,
        _ => case.heapsmith(&["report", "store", "--out", "page.html"]).memory(MEMORY).run()?,
    };
    launched.is_documented()?;
    if resumed && launched.code == Some(0) {
        let same = |name: &str| std::fs::read(case.path(name)).ok() == case.place.inputs.read(name).ok();
        if !same("store/results.csv") {
            return Err(launched.describe("gave other results from a damaged store"));
        }
    }
    Ok(1)
}
