//! Whether a pick holds where it was not made: chosen on one half of a trace, evaluated on the other, and on other captures
//! of its kind.
//!
//! ```text
//!   first half ──explore──▶ pick ──replay on the other half──┐
//!   other half ──explore──▶ the pick that it would have given ├─▶ regret in footprint and in accesses
//! ```
//!
//! Regret is what the pick has beyond the other half's own pick by the same rule, as a share. A pick may have more of one and
//! less of the other, so what both cost together is shown too: the product of footprint and accesses with two more for the
//! call, which is what the balanced pick minimises. The rule of `--robust off` is next to it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{Outcome, cargo, output, root, target};

/// No input has more events: an exploration takes seconds then.
const EVENTS: u64 = 60_000;

/// A pick that is farther from the other half's is overfitted.
const REAL: f64 = 0.05;

/// Accesses that a call costs, as the balanced pick counts them.
const CALL: f64 = 2.0;

/// What is explored: a name, a file or a workload, what to make of it, and a file to evaluate on instead of its other half.
type Input = (&'static str, &'static str, Option<&'static str>, Option<&'static str>);

/// The samples of the repository, and workloads that need none.
const OWN: &[Input] = &[
    ("ftp drr", "samples/ftp.pcap.xz", Some("drr"), None),
    ("web drr", "samples/web.pcap.xz", Some("drr"), None),
    ("mixed easyport", "samples/mixed.pcapng.xz", Some("easyport"), None),
    ("web url", "samples/web.log.xz", Some("url"), None),
    ("modem", "workload:modem", None, None),
    ("health", "workload:health", None, None),
    ("cfrac", "workload:cfrac", None, None),
];

/// Captures, logs and traces next to the workspace.
const SHARED: &[Input] = &[
    ("auckland drr", "pcap/auckland-20000125.pcap.xz", Some("drr"), None),
    ("http drr", "pcap/http-browsing-20130502.pcap.xz", Some("drr"), None),
    ("industrial drr", "pcap/industrial-mb2-20121112.pcap.xz", Some("drr"), None),
    ("ftp download drr", "pcap/ftp-download-2019.pcap.xz", Some("drr"), None),
    (
        "wlan drr, other capture",
        "pcap/wlan-80211-home-20220727.pcap.xz",
        Some("drr"),
        Some("pcap/wlan-probe-requests-20231214.pcap.xz"),
    ),
    (
        "ftp drr, other capture",
        "pcap/ftp-cwd-navigation-2016.pcap.xz",
        Some("drr"),
        Some("pcap/ftp-ipv6-nasa-1998.pcap.xz"),
    ),
    ("nasa url, other month", "urls/nasa_19950701.tsv.xz", Some("url"), Some("urls/nasa_19950801.tsv.xz")),
    ("kasztp url", "urls/kasztp-48k-urls.txt.xz", Some("url"), None),
    ("heaptrack_gui", "alloc/heaptrack/heaptrack.heaptrack_gui.99454.xz", None, None),
    ("surfaceflinger", "alloc/android/surfaceflinger.txt.xz", None, None),
    ("cpp-demangle", "alloc/wee_alloc/cpp-demangle.trace", None, None),
    ("dogfood", "alloc/wee_alloc/dogfood.trace.xz", None, None),
    ("gcc-hello", "alloc/wee_alloc/gcc-hello.trace.xz", None, None),
];

/// A pick on the trace that it is evaluated on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Regret {
    footprint: f64,
    accesses: f64,
    both: f64,
    /// Requests that it refused there.
    refused: bool,
}

/// Where the data next to the workspace is.
fn shared() -> PathBuf {
    root().join("../shared/data")
}

/// Writes `bench/results/robust.txt`.
pub fn robust() -> Outcome {
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let dir = target().join("bench/robust");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    let own = OWN.iter().map(|input| (input, root()));
    let others = SHARED.iter().map(|input| (input, shared()));
    let mut text = String::new();
    let mut rows = Vec::new();
    for ((name, file, workload, other), from) in own.chain(others) {
        let path = |file: &str| {
            if file.starts_with("workload:") { file.to_owned() } else { from.join(file).display().to_string() }
        };
        if !file.starts_with("workload:") && !Path::new(&path(file)).exists() {
            let _ = writeln!(text, "left out, as there is no {file}: {name}");
            continue;
        }
        eprintln!("judging {name}");
        let read = |file: &str, to: &str| {
            let to = dir.join(format!("{}-{to}.parquet", name.replace([' ', ','], "-"))).display().to_string();
            let (path, events) = (path(file), EVENTS.to_string());
            let mut arguments = vec!["import", &path, "--limit", &events, "--out", &to];
            arguments.extend(workload.iter().flat_map(|workload| ["--as", *workload]));
            output(&heapsmith(), &arguments).map(|_| to.clone())
        };
        let whole = read(file, "trace")?;
        let events = events(&whole)?;
        let (first, second) = match other {
            Some(other) => ((whole, String::from("..")), (read(other, "other")?, String::from(".."))),
            None => ((whole.clone(), format!("..{}", events / 2)), (whole, format!("{}..", events / 2))),
        };
        let judge = |robust: &str| evaluated(&first, &second, robust, &dir);
        let ((new, overfitted), (old, _)) = (judge("on")?, judge("off")?);
        rows.push((*name, new, old, overfitted));
    }
    text.push_str(&table(&rows));
    print!("{text}");
    let file = root().join("bench/results/robust.txt");
    std::fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn heapsmith() -> String {
    target().join("release/heapsmith").display().to_string()
}

/// Events of a trace.
fn events(trace: &str) -> Result<u64, String> {
    let rows = json(&["replay", trace, "--heap", "tlsf", "--format", "json"])?;
    rows[0]["operations"].as_u64().ok_or_else(|| format!("{trace} has no operations"))
}

fn json(arguments: &[&str]) -> Result<Value, String> {
    let text = output(&heapsmith(), arguments)?;
    serde_json::from_str(&text).map_err(|error| format!("heapsmith {}: {error}", arguments.join(" ")))
}

/// The pick of one part on the other, and whether it was announced as overfitted.
fn evaluated(
    (trace, part): &(String, String),
    (other, rest): &(String, String),
    robust: &str,
    dir: &Path,
) -> Result<(Regret, bool), String> {
    let pick = picked(trace, part, robust, dir)?;
    let oracle = picked(other, rest, robust, dir)?;
    let text = |pick: &Value| pick["heap"].as_str().unwrap_or_default().to_owned();
    let on_other = |heap: &str| -> Result<(f64, f64, bool), String> {
        let mut arguments = vec!["replay", other, "--heap", heap, "--format", "json"];
        if rest != ".." {
            arguments.extend(["--slice", rest]);
        }
        let rows = json(&arguments)?;
        let number = |name: &str| rows[0][name].as_f64().ok_or_else(|| format!("no {name} of {heap}"));
        Ok((number("footprint_peak")?, number("accesses_per_op")?, number("failed")? > 0.0))
    };
    let ((footprint, accesses, refused), (lowest, fewest, _)) = (on_other(&text(&pick))?, on_other(&text(&oracle))?);
    let both = footprint * (accesses + CALL) / (lowest * (fewest + CALL)) - 1.0;
    let regret = Regret { footprint: footprint / lowest - 1.0, accesses: accesses / fewest - 1.0, both, refused };
    Ok((regret, pick["overfitted"] == "yes"))
}

/// The row of the pick of a part of a trace.
fn picked(trace: &str, part: &str, robust: &str, dir: &Path) -> Result<Value, String> {
    let out = dir.join("results");
    let _ = std::fs::remove_dir_all(&out);
    let out = out.display().to_string();
    let mut arguments = vec!["explore", trace, "--target", "network-2006", "--robust", robust];
    arguments.extend(["--rounds", "0", "--no-peers", "--format", "json", "--out", &out]);
    if part != ".." {
        arguments.extend(["--slice", part]);
    }
    let rows = json(&arguments)?;
    let pick = rows.as_array().and_then(|rows| rows.iter().find(|row| row["note"] == "pick"));
    pick.cloned().ok_or_else(|| format!("{trace} has no pick"))
}

fn table(rows: &[(&str, Regret, Regret, bool)]) -> String {
    let mut text = String::from("regret of the pick where it was not made, compared with the pick made there\n");
    let _ = writeln!(
        text,
        "{:26} {:>10} {:>9} {:>7}  {:10} | {:>10} {:>9} {:>7}",
        "input", "footprint", "accesses", "both", "announced", "footprint", "accesses", "both"
    );
    let _ = writeln!(text, "{:26} {:>40} | {:>28}", "", "robust", "--robust off");
    for (name, new, old, overfitted) in rows {
        let refused = |regret: &Regret| if regret.refused { " refuses" } else { "" };
        let _ = writeln!(
            text,
            "{name:26} {:>9.1}% {:>8.1}% {:>6.1}%  {:10} | {:>9.1}% {:>8.1}% {:>6.1}%{}{}",
            new.footprint * 100.0,
            new.accesses * 100.0,
            new.both * 100.0,
            if *overfitted { "overfitted" } else { "" },
            old.footprint * 100.0,
            old.accesses * 100.0,
            old.both * 100.0,
            refused(new),
            refused(old)
        );
    }
    for (name, of) in [("footprint", 0), ("accesses", 1), ("both", 2)] {
        let values = |which: fn(&(&str, Regret, Regret, bool)) -> Regret| -> Vec<f64> {
            let mut values: Vec<f64> =
                rows.iter().map(which).map(|regret| [regret.footprint, regret.accesses, regret.both][of]).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let (new, old) = (values(|row| row.1), values(|row| row.2));
        let _ = writeln!(
            text,
            "{name:10} median {:.1}%, maximum {:.1}%; --robust off: median {:.1}%, maximum {:.1}%",
            median(&new) * 100.0,
            new.last().copied().unwrap_or(0.0) * 100.0,
            median(&old) * 100.0,
            old.last().copied().unwrap_or(0.0) * 100.0
        );
    }
    let announced = rows.iter().filter(|row| row.3).count();
    let real = rows.iter().filter(|row| row.3 && (row.1.footprint > REAL || row.1.accesses > REAL)).count();
    let _ = writeln!(text, "announced as overfitted: {announced} of {}, {real} with a regret above 5%", rows.len());
    text
}

fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => (sorted[even / 2 - 1] + sorted[even / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_medians_and_says_what_was_announced() {
        let regret = |share: f64| Regret { footprint: share, accesses: -share, both: 0.0, refused: false };
        let rows = [("a", regret(0.02), regret(0.5), false), ("b", regret(0.06), regret(0.1), true)];
        let text = table(&rows);
        assert!(
            text.contains("footprint  median 4.0%, maximum 6.0%; --robust off: median 30.0%, maximum 50.0%"),
            "{text}"
        );
        assert!(text.contains("announced as overfitted: 1 of 2, 1 with a regret above 5%"), "{text}");
    }
}
