//! Every option of every verb, with values at and beyond their ends, alone and together.
//!
//! Options are read from the verbs' help, so a new one is tried without a line here. No value is a path out of the
//! case's folder: the trial may run as root.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use super::inputs::STORED;
use super::{Case, Kind};

/// Values of options.
pub fn kinds() -> Vec<Kind> {
    vec![Kind { name: "options/values", cases: 10_000, quick: 60, attempt }]
}

/// How a verb is called where its options are tried.
struct Verb {
    name: &'static str,
    /// What it needs before its options.
    first: &'static [&'static str],
    /// Options that it needs, where they are not among those that are tried.
    needed: &'static [(&'static str, &'static str)],
    /// What comes behind the options.
    last: &'static [&'static str],
}

const VERBS: [Verb; 20] = [
    Verb { name: "heaps", first: &[], needed: &[], last: &[] },
    Verb { name: "workloads", first: &[], needed: &[], last: &[] },
    Verb { name: "record", first: &[], needed: &[], last: &["--", "true"] },
    Verb { name: "run", first: &[], needed: &[("--heap", "tlsf")], last: &["--", "true"] },
    Verb {
        name: "race",
        first: &[],
        needed: &[("--heap", "tlsf"), ("--runs", "1"), ("--out", "out")],
        last: &["--", "true"],
    },
    Verb { name: "import", first: &["trace.parquet"], needed: &[("--out", "out.parquet")], last: &[] },
    Verb { name: "inspect", first: &["trace.parquet"], needed: &[], last: &[] },
    Verb { name: "replay", first: &["trace.parquet"], needed: &[("--heap", "tlsf")], last: &[] },
    Verb {
        name: "explore",
        first: &["trace.parquet"],
        needed: &[("--space", "space.toml"), ("--rounds", "0"), ("--out", "out")],
        last: &["--no-peers"],
    },
    Verb { name: "pick", first: &["store"], needed: &[], last: &[] },
    Verb { name: "report", first: &["store"], needed: &[], last: &[] },
    Verb { name: "check", first: &["heap.toml"], needed: &[], last: &[] },
    Verb { name: "compare", first: &["store", "store"], needed: &[], last: &[] },
    Verb { name: "emit", first: &["tlsf"], needed: &[("--lang", "c"), ("--out", "out")], last: &[] },
    Verb { name: "plan", first: &["trace.parquet"], needed: &[("--out", "out")], last: &[] },
    Verb { name: "reproduce", first: &["--list"], needed: &[], last: &[] },
    Verb { name: "bound", first: &["tlsf"], needed: &[("--max-live", "20K"), ("--max-size", "512")], last: &[] },
    Verb {
        name: "attack",
        first: &["tlsf"],
        needed: &[("--max-live", "20K"), ("--max-size", "512"), ("--rounds", "5"), ("--operations", "500")],
        last: &[],
    },
    Verb { name: "completions", first: &["bash"], needed: &[], last: &[] },
    Verb { name: "man", first: &["pages"], needed: &[], last: &[] },
];

/// Values that an option may not expect. Those that its help names are tried too.
const VALUES: [&str; 58] = [
    "",
    " ",
    "0",
    "1",
    "2",
    "3",
    "7",
    "64",
    "1000",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "-0",
    "+5",
    "1e3",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "0.5",
    "1.5",
    "0x10",
    "1K",
    "16K",
    "1M",
    "1G",
    "17179869184G",
    "K",
    "0%",
    "10%",
    "100%",
    "101%",
    "each=10%",
    "marks",
    "..",
    "5..3",
    "0..1000",
    "..1000",
    "1.5s..2s",
    "=",
    "a=b",
    "every=64K",
    "every=0",
    "a,b",
    "fragmentation",
    "accesses,accesses",
    "tlsf",
    "peer:all",
    "trace.parquet",
    "\u{1b}[31m\n",
    "ünïcode",
];

/// An option, as its verb's help shows it.
struct Found {
    name: String,
    /// Whether a value follows.
    value: bool,
    /// Whether it follows with an equals sign only.
    joined: bool,
    named: Vec<String>,
}

/// A verb and its options.
type Tried = (&'static Verb, Vec<Found>);

/// A few options of one verb.
fn attempt(case: &mut Case<'_>) -> Result<usize, String> {
    let all = options(case)?;
    let (verb, options) = &all[case.draw.usize(..all.len())];
    case.copy(&["trace.parquet", "space.toml", "heap.toml"])?;
    if verb.first.contains(&"store") {
        case.copy(&STORED)?;
    }
    let count = if options.is_empty() { 0 } else { case.draw.usize(1..=3) };
    let tried: Vec<&Found> = (0..count).map(|_| &options[case.draw.usize(..options.len())]).collect();
    let mut words: Vec<OsString> = [&[verb.name], verb.first].concat().iter().map(Into::into).collect();
    for option in &tried {
        let value = value(case, option);
        match (option.value, option.joined) {
            (false, _) => words.push(option.name.clone().into()),
            (true, false) if case.draw.bool() => words.extend([option.name.clone().into(), value]),
            (true, _) => {
                let mut word = OsString::from(format!("{}=", option.name));
                word.push(value);
                words.push(word);
            }
        }
    }
    for (name, value) in verb.needed.iter().filter(|(name, _)| tried.iter().all(|option| option.name != *name)) {
        words.extend([OsString::from(name), OsString::from(value)]);
    }
    // An option that is set twice is refused at once.
    words.extend(verb.last.iter().filter(|word| tried.iter().all(|option| option.name != **word)).map(OsString::from));
    let memory = if verb.name == "run" || verb.name == "record" { 0 } else { 8 << 30 };
    case.heapsmith(&words).memory(memory).within(3).run()?.ends_when_asked()?;
    Ok(1)
}

fn value(case: &mut Case<'_>, option: &Found) -> OsString {
    match case.draw.u8(..20) {
        0 => OsStr::from_bytes(b"\xff\xfe\x80").to_owned(),
        1 => "9".repeat(case.draw.usize(20..100_000)).into(),
        2..8 if !option.named.is_empty() => (&option.named[case.draw.usize(..option.named.len())]).into(),
        _ => case.choose(&VALUES).into(),
    }
}

/// All verbs with their options; read once.
fn options(case: &Case<'_>) -> Result<&'static [Tried], String> {
    static ALL: OnceLock<Result<Vec<Tried>, String>> = OnceLock::new();
    let read = || {
        let help = text(&case.must_succeed(&["--help"])?.out);
        let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names = verbs.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
        let mut all = Vec::new();
        for name in names.filter(|name| *name != "help") {
            let verb = VERBS.iter().find(|verb| verb.name == name);
            let verb =
                verb.ok_or_else(|| format!("the verb {name} needs its line in VERBS of xtask/src/hostile/options.rs"))?;
            all.push((verb, found(&text(&case.must_succeed(&[name, "--help"])?.out))));
        }
        Ok(all)
    };
    ALL.get_or_init(read).as_deref().map_err(Clone::clone)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The options of a help text: `-j, --jobs <N>`, `--sites[=<FRAMES>]`, and the values that lines below them name.
fn found(help: &str) -> Vec<Found> {
    let mut options: Vec<Found> = Vec::new();
    for line in help.lines().map(str::trim) {
        let is_option = line.starts_with("--") || (line.starts_with('-') && line.contains(", --"));
        if is_option {
            let long = line.find("--").map_or("", |at| &line[at..]);
            let name = long.split([' ', '[', '=']).next().unwrap_or_default().to_owned();
            options.push(Found { value: long.contains('<'), joined: long.contains("[="), name, named: Vec::new() });
        } else if let (Some(option), Some(value)) = (options.last_mut(), line.strip_prefix("- ")) {
            option.named.extend(value.split(':').next().map(str::to_owned));
        }
    }
    options.retain(|option| option.name != "--help" && option.name != "--version");
    options
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn options_are_read_from_help() {
        let help = "Options:\n  -j, --jobs <N>\n          Threads\n\n      --sites[=<FRAMES>]\n          Sites\n\n      --fast\n  \
                    \n      --format <FORMAT>\n          Possible values:\n          - table: For people\n  -h, --help\n";
        let options = found(help);
        let shown: Vec<String> = options
            .iter()
            .map(|option| format!("{} {} {} {:?}", option.name, option.value, option.joined, option.named))
            .collect();
        assert_eq!(
            shown,
            [
                "--jobs true false []",
                "--sites true true []",
                "--fast false false []",
                "--format true false [\"table\"]"
            ]
        );
    }
}
