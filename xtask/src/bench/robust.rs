//! Whether a pick holds where it was not made: chosen on one half of a trace, evaluated on the other, and on other captures
//! of its kind.
//!
//! ```text
//!   first half ──explore──▶ pick ──replay on the other half──┐
//!   other half ──explore──▶ the pick that it would have given ├─▶ regret in footprint and in accesses
//! ```
//!
//! A pick has two regrets, each against the Pareto front of what it is evaluated on: footprint beyond that of the smallest
//! design there with no more accesses, and accesses beyond those of the fastest design there with no larger footprint. A pick
//! on that front has none: a design with half the footprint and three times the accesses is another trade, not a worse one.
//! What the trade itself costs is next to them: the product of footprint and accesses, with two more for the call, which is
//! what the balanced pick minimises, beyond the smallest product there. The differences to the other part's own pick are
//! kept in a table of their own, and the rule of `--robust off` is next to all.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{Outcome, cargo, output, root, target};

/// No input has more events: an exploration takes seconds then.
const EVENTS: u64 = 60_000;

/// A regret of more is real.
const REAL: f64 = 0.05;

/// Places are printed with five digits.
const SAME: f64 = 1.0 + 1e-5;

/// What a pick does not give away of memory for less of work, or the other way.
const TRADE: f64 = 1.1;

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

/// What a heap has on a trace: footprint, as a multiple of the peak live bytes, and accesses of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    footprint: f64,
    accesses: f64,
    /// Whether it refused requests.
    refuses: bool,
}

impl Place {
    /// What the balanced pick minimises.
    fn product(self) -> f64 {
        self.footprint * (self.accesses + CALL)
    }

    /// Whether it has less of both; places are printed with five digits.
    fn beats(self, other: Place) -> bool {
        self.footprint * SAME < other.footprint && self.accesses * SAME < other.accesses
    }

    /// Whether it saves more than a tenth of memory for less than a tenth of work, or the other way.
    fn is_better_trade_than(self, other: Place) -> bool {
        let (memory, work) = (other.footprint / self.footprint, (other.accesses + CALL) / (self.accesses + CALL));
        (memory > TRADE && work * TRADE > 1.0) || (work > TRADE && memory * TRADE > 1.0)
    }
}

/// A pick on what it is evaluated on, by shares.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Regret {
    /// Footprint, at no more accesses.
    footprint: f64,
    /// Accesses, at no larger footprint.
    accesses: f64,
    product: f64,
    /// Footprint and accesses beyond those of the pick that was made there, whatever the other is.
    differences: [f64; 2],
    refuses: bool,
}

impl Regret {
    fn of(own: Place, front: &[Place], there: Place) -> Regret {
        let min = |of: fn(&Place) -> f64, among: &dyn Fn(&&Place) -> bool| {
            front.iter().filter(among).map(of).fold(f64::INFINITY, f64::min)
        };
        let beyond = |own: f64, min: f64| (own / min - 1.0).max(0.0);
        Regret {
            footprint: beyond(own.footprint, min(|at| at.footprint, &|at| at.accesses <= own.accesses * SAME)),
            accesses: beyond(own.accesses, min(|at| at.accesses, &|at| at.footprint <= own.footprint * SAME)),
            product: beyond(own.product(), min(|at| at.product(), &|_| true)),
            differences: [own.footprint / there.footprint - 1.0, own.accesses / there.accesses - 1.0],
            refuses: own.refuses,
        }
    }
}

/// What an exploration of a part of a trace gave.
struct Explored {
    trace: String,
    part: String,
    /// The places of the designs on its front.
    front: Vec<Place>,
    /// The places of the allocators of the catalogue.
    named: Vec<Place>,
    /// The row of the pick.
    pick: Value,
    /// That of `--robust off`.
    nominal: Value,
}

/// What is better than a pick on what it was made on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Lost {
    /// Whether an allocator of the catalogue beats it in both.
    beaten: bool,
    /// Whether it gives away more than a tenth of memory for less than a tenth of work, or the other way.
    trades: bool,
}

/// Where the data next to the workspace is.
fn shared() -> PathBuf {
    root().join("../shared/data")
}

/// Name, trace and workload of every input that is here; what is not is said.
pub fn inputs() -> impl Iterator<Item = (&'static str, String, Option<&'static str>)> {
    let own = OWN.iter().map(|input| (input, root()));
    own.chain(SHARED.iter().map(|input| (input, shared()))).filter_map(|(&(name, file, workload, _), from)| {
        let path = from.join(file);
        if file.starts_with("workload:") {
            return Some((name, file.to_owned(), workload));
        }
        if !path.exists() {
            println!("NOT RUN: {name}, as there is no {}", path.display());
            return None;
        }
        Some((name, path.display().to_string(), workload))
    })
}

/// Writes `bench/results/robust.txt`; of the inputs whose names have `only` in them, the results are only printed.
pub fn robust(only: Option<&str>) -> Outcome {
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let dir = target().join("bench/robust");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    let own = OWN.iter().map(|input| (input, root()));
    let others = SHARED.iter().map(|input| (input, shared()));
    let wanted = own.chain(others).filter(|(input, _)| only.is_none_or(|only| input.0.contains(only)));
    let mut text = String::new();
    let mut rows = Vec::new();
    for (input, from) in wanted {
        if !input.1.starts_with("workload:") && !from.join(input.1).exists() {
            let _ = writeln!(text, "left out, as there is no {}: {}", input.1, input.0);
            continue;
        }
        eprintln!("judging {}", input.0);
        rows.push(evaluated(input, &from, &dir)?);
    }
    text.push_str(&table(&rows));
    print!("{text}");
    if only.is_some() {
        return Ok(());
    }
    let file = root().join("bench/results/robust.txt");
    std::fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The picks of an input's first part on its other one.
fn evaluated(input: &Input, from: &Path, dir: &Path) -> Result<Row, String> {
    let (name, file, workload, other) = *input;
    let path = |file: &str| match file.starts_with("workload:") {
        true => file.to_owned(),
        false => from.join(file).display().to_string(),
    };
    let read = |file: &str, to: &str| {
        let to = dir.join(format!("{}-{to}.parquet", name.replace([' ', ','], "-"))).display().to_string();
        let (path, events) = (path(file), EVENTS.to_string());
        let mut arguments = vec!["import", &path, "--limit", &events, "--out", &to];
        arguments.extend(workload.iter().flat_map(|workload| ["--as", *workload]));
        output(&heapsmith(), &arguments).map(|_| to.clone())
    };
    let whole = read(file, "trace")?;
    let (first, second) = match other {
        Some(other) => ((whole, String::from("..")), (read(other, "other")?, String::from(".."))),
        None => {
            let half = events(&whole)? / 2;
            ((whole.clone(), format!("..{half}")), (whole, format!("{half}..")))
        }
    };
    let (made, there) = (explored(first, dir)?, explored(second, dir)?);
    let heap = |pick: &Value| pick["heap"].as_str().unwrap_or_default().to_owned();
    let places = there.replayed(&[&made.pick, &made.nominal, &there.pick, &there.nominal].map(heap))?;
    let [new, old, own, own_nominal] = *places.as_slice() else { return Err(format!("{name}: no four heaps")) };
    let lost = |pick: &Value| -> Result<Lost, String> {
        let own = place(pick)?;
        let mut all = made.front.iter().chain(&made.named);
        let beaten = made.named.iter().any(|named| named.beats(own));
        Ok(Lost { beaten, trades: all.any(|other| other.is_better_trade_than(own)) })
    };
    Ok(Row {
        name,
        lost: [lost(&made.pick)?, lost(&made.nominal)?],
        new: Regret::of(new, &there.front, own),
        old: Regret::of(old, &there.front, own_nominal),
        announced: made.pick["overfitted"] == "yes",
    })
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

/// Explores a part of a trace.
fn explored((trace, part): (String, String), dir: &Path) -> Result<Explored, String> {
    let out = dir.join("results");
    let _ = std::fs::remove_dir_all(&out);
    let out = out.display().to_string();
    let mut arguments = vec!["explore", &trace, "--target", "network-2006", "--rounds", "0", "--no-peers"];
    arguments.extend(["--format", "json", "--out", &out]);
    if part != ".." {
        arguments.extend(["--slice", &part]);
    }
    let of = |rows: &Value| {
        let pick = rows.as_array().and_then(|rows| rows.iter().find(|row| row["note"] == "pick"));
        pick.cloned().ok_or_else(|| format!("{trace} has no pick"))
    };
    let rows = json(&arguments)?;
    let nominal = of(&json(&["pick", &out, "--robust", "off", "--format", "json"])?)?;
    let designs = rows.as_array().into_iter().flatten().filter(|row| row["note"] == "" || row["note"] == "pick");
    let front = designs.map(place).collect::<Result<_, String>>()?;
    let is_named = |row: &&Value| row["design"].is_string() && row["note"] != "refuses";
    let named = rows.as_array().into_iter().flatten().filter(is_named);
    let named = named.map(place).collect::<Result<_, String>>()?;
    Ok(Explored { pick: of(&rows)?, nominal, front, named, trace, part })
}

impl Explored {
    /// What heaps do on this part.
    fn replayed(&self, heaps: &[String]) -> Result<Vec<Place>, String> {
        let mut arguments = vec!["replay", &self.trace, "--format", "json"];
        arguments.extend(heaps.iter().flat_map(|heap| ["--heap", heap]));
        if self.part != ".." {
            arguments.extend(["--slice", &self.part]);
        }
        json(&arguments)?.as_array().into_iter().flatten().map(place).collect()
    }
}

/// What a row says of its heap.
fn place(row: &Value) -> Result<Place, String> {
    let number = |name: &str| row[name].as_f64().ok_or_else(|| format!("no {name} of {}", row["heap"]));
    let refuses = row["failed"].as_f64().is_some_and(|failed| failed > 0.0);
    Ok(Place { footprint: 1.0 + number("fragmentation")?, accesses: number("accesses_per_op")?, refuses })
}

/// An input: the pick of today, that of `--robust off`, and whether the first was announced as overfitted.
struct Row {
    name: &'static str,
    new: Regret,
    old: Regret,
    announced: bool,
    /// What is better than either, where they were made.
    lost: [Lost; 2],
}

/// A column: how it is named, and its share.
type Column = (&'static str, fn(&Regret) -> f64);

const REGRETS: [Column; 3] =
    [("footprint", |of| of.footprint), ("accesses", |of| of.accesses), ("product", |of| of.product)];
const DIFFERENCES: [Column; 2] = [("footprint", |of| of.differences[0]), ("accesses", |of| of.differences[1])];

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "Regret of the pick where it was not made: footprint beyond that of the smallest design of that part's front with no\n\
         more accesses, accesses beyond those of the fastest with no larger footprint, and the product of footprint and\n\
         accesses + 2 beyond the smallest product of any design there. A pick that regrets neither of the first two is on\n\
         that front: it is another trade, which the product prices. Median and maximum of the first two are what has to hold.\n\n",
    );
    part(&mut text, rows, &REGRETS);
    text.push_str("\nDifference to the pick that was made there by the same rule, whatever the other column is\n\n");
    part(&mut text, rows, &DIFFERENCES);
    let announced = rows.iter().filter(|row| row.announced).count();
    let is_real = |row: &&Row| row.announced && (row.new.footprint > REAL || row.new.accesses > REAL);
    let real = rows.iter().filter(is_real).count();
    let _ = writeln!(
        text,
        "\nannounced as overfitted: {announced} of {}, {real} with a regret above 5% in footprint or accesses",
        rows.len()
    );
    let count = |pick: usize, is: fn(&Lost) -> bool| rows.iter().filter(|row| is(&row.lost[pick])).count();
    let mut on_its_part = |what: &str, is: fn(&Lost) -> bool| {
        let names: Vec<&str> = rows.iter().filter(|row| is(&row.lost[0])).map(|row| row.name).collect();
        let (new, old, names) = (count(0, is), count(1, is), names.join("; "));
        let names = if names.is_empty() { names } else { format!(": {names}") };
        let _ = writeln!(text, "{what}: {new} of {} (--robust off: {old}){names}", rows.len());
    };
    on_its_part("beaten in footprint and accesses by an allocator of the catalogue, where it was made", |lost| {
        lost.beaten
    });
    on_its_part("gives away over 10% of footprint for under 10% of accesses + 2, or the other way", |lost| lost.trades);
    text
}

/// A table of some columns, with medians and maxima.
fn part(text: &mut String, rows: &[Row], columns: &[Column]) {
    let names: String = columns.iter().map(|(name, _)| format!(" {name:>10}")).collect();
    let gap = " ".repeat(names.len() - "robust".len());
    let _ = writeln!(text, "{:24}{gap}robust              | --robust off", "");
    let _ = writeln!(text, "{:24}{names}  {:10}  |{names}", "input", "announced");
    let shares =
        |of: &Regret| columns.iter().map(|(_, share)| format!(" {:>9.1}%", share(of) * 100.0)).collect::<String>();
    for Row { name, new, old, announced, .. } in rows {
        let refuses = |regret: &Regret| if regret.refuses { " refuses" } else { "" };
        let announced = if *announced { "overfitted" } else { "" };
        let (of_new, of_old) = (shares(new), shares(old));
        let _ = writeln!(text, "{name:24}{of_new}{}  {announced:10}  |{of_old}{}", refuses(new), refuses(old));
    }
    for (name, share) in columns {
        let values = |which: fn(&Row) -> &Regret| {
            let mut values: Vec<f64> = rows.iter().map(|row| share(which(row)) * 100.0).collect();
            values.sort_by(f64::total_cmp);
            (median(&values), values.last().copied().unwrap_or(0.0))
        };
        let ((median, max), (old_median, old_max)) = (values(|row| &row.new), values(|row| &row.old));
        let _ = writeln!(
            text,
            "{name:10} median {median:.1}%, maximum {max:.1}%; --robust off: median {old_median:.1}%, maximum {old_max:.1}%"
        );
    }
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

    fn at(footprint: f64, accesses: f64) -> Place {
        Place { footprint, accesses, refuses: false }
    }

    #[test]
    fn a_place_on_the_front_regrets_nothing_but_its_trade() {
        let front = [at(1.0, 10.0), at(1.5, 4.0), at(2.0, 3.0)];
        let own = Regret::of(at(1.0, 10.0), &front, front[1]);
        assert_eq!((own.footprint, own.accesses), (0.0, 0.0));
        assert!((own.product - (12.0 / 9.0 - 1.0)).abs() < 1e-9, "{own:?}");
        assert_eq!(own.differences, [1.0 / 1.5 - 1.0, 1.5]);
        let beaten = Regret::of(at(1.8, 5.0), &front, front[1]);
        assert!((beaten.footprint - 0.2).abs() < 1e-9 && (beaten.accesses - 0.25).abs() < 1e-9, "{beaten:?}");
        let beyond = Regret::of(at(3.0, 2.0), &front, front[1]);
        assert_eq!(
            (beyond.footprint, beyond.accesses),
            (0.0, 0.0),
            "no design there is as fast, and none slower is smaller"
        );
    }

    #[test]
    fn the_table_has_medians_and_says_what_was_announced() {
        let regret = |share: f64| Regret {
            footprint: share,
            accesses: 0.0,
            product: 0.0,
            differences: [-share, share],
            refuses: false,
        };
        let (fine, lost) = (Lost { beaten: false, trades: false }, Lost { beaten: true, trades: false });
        let row = |name, new, old, announced, own| {
            let lost = [own, lost];
            Row { name, new: regret(new), old: regret(old), announced, lost }
        };
        let text = table(&[row("a", 0.02, 0.5, false, fine), row("b", 0.06, 0.1, true, lost)]);
        assert!(
            text.contains("footprint  median 4.0%, maximum 6.0%; --robust off: median 30.0%, maximum 50.0%"),
            "{text}"
        );
        assert!(text.contains("announced as overfitted: 1 of 2, 1 with a regret above 5%"), "{text}");
        assert!(text.contains("where it was made: 1 of 2 (--robust off: 2): b\n"), "{text}");
        assert!(text.contains("or the other way: 0 of 2 (--robust off: 0)\n"), "{text}");
    }

    #[test]
    fn a_better_trade_saves_a_tenth_of_one_for_less_of_the_other() {
        let pick = at(1.2, 8.0);
        assert!(at(1.08, 8.5).is_better_trade_than(pick) && at(1.3, 6.0).is_better_trade_than(pick));
        assert!(!at(1.08, 9.5).is_better_trade_than(pick), "a tenth of memory for 15% of work");
        assert!(!at(1.1, 8.5).is_better_trade_than(pick), "9% of memory");
        assert!(at(1.1, 7.0).beats(pick) && !at(1.1, 8.0).beats(pick) && !pick.beats(pick));
    }
}
