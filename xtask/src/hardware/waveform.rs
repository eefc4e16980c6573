//! A picture of one allocation and one free on a bus: `hardware/tb/waveform.sv`, simulated by Icarus Verilog, drawn as
//! `hardware/doc/malloc-free.svg`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output};
use crate::tools;

/// The signals from the top down, with what is said of them.
const SIGNALS: [(&str, &str); 10] = [
    ("pclk", "clock"),
    ("psel", "an access"),
    ("penable", "its second cycle"),
    ("pwrite", "1: it writes"),
    ("paddr", "register"),
    ("pwdata", "written"),
    ("pready", "it ends"),
    ("prdata", "read"),
    ("bitmap", "class 0: 1 is free"),
    ("first_free", "what the trees say"),
];
/// What happens, from and to which time.
const SPANS: [(&str, u64, u64); 2] =
    [("allocate: reads 0x0100, answered 4", 46, 66), ("free: writes 4 to 0x0200", 76, 96)];
/// Times of the picture, and pixels for one.
const BEGIN: u64 = 36;
const END: u64 = 108;
const STEP: u64 = 11;
const LEFT: u64 = 190;
const TOP: u64 = 44;
const ROW: u64 = 34;
const HEIGHT: u64 = 20;

/// A signal: its width, and its values from which time on.
#[derive(Debug, Default)]
struct Signal {
    width: u32,
    values: Vec<(u64, u64)>,
}

/// Draws it anew.
pub fn waveform() -> Outcome {
    fs::write(picture(), drawn()?).map_err(|error| format!("cannot write {}: {error}", text(&picture())))
}

/// Fails if the picture is not that of the source.
pub fn compare() -> Outcome {
    let kept = fs::read_to_string(picture()).map_err(|error| format!("cannot read {}: {error}", text(&picture())))?;
    if kept == drawn()? {
        return Ok(());
    }
    Err(format!("{} is not what hardware/tb/waveform.sv does: cargo xtask hardware waveform", text(&picture())))
}

fn picture() -> PathBuf {
    hardware().join("doc/malloc-free.svg")
}

fn drawn() -> Result<String, String> {
    tools::install(&[tools::ICARUS])?;
    let folder = built().join("waveform");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let program = text(&folder.join("waveform"));
    let mut arguments: Vec<String> = ["-g2012", "-Wall", "-s", "waveform", "-o", &program].map(String::from).into();
    arguments.extend(modules(&hardware().join("rtl"))?.iter().map(|file| text(file)));
    arguments.push(text(&hardware().join("tb/waveform.sv")));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    output("iverilog", &arguments)?;
    output("sh", &["-c", &format!("cd '{}' && vvp -n '{program}'", text(&folder))])?;
    let dump = fs::read_to_string(folder.join("waveform.vcd")).map_err(|error| error.to_string())?;
    draw(&read(&dump)?)
}

/// The signals of a dump (IEEE 1364, value change dump), by name.
fn read(dump: &str) -> Result<BTreeMap<String, Signal>, String> {
    let (mut codes, mut signals, mut now) = (BTreeMap::new(), BTreeMap::<String, Signal>::new(), 0);
    for line in dump.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (value, code) = match words[..] {
            ["$var", _, width, code, name, ..] => {
                codes.insert(code.to_owned(), name.to_owned());
                let width = width.parse().map_err(|_| format!("a signal without a width: {line}"))?;
                signals.insert(name.to_owned(), Signal { width, values: Vec::new() });
                continue;
            }
            [value, code] if value.starts_with('b') => (u64::from_str_radix(&value[1..], 2), code),
            [time] if time.starts_with('#') => {
                now = time[1..].parse().map_err(|_| format!("no time: {line}"))?;
                continue;
            }
            [one] if one.starts_with(['0', '1']) => (one[..1].parse(), &one[1..]),
            _ => continue,
        };
        let value = value.map_err(|_| format!("a value that is not known: {line}"))?;
        if let Some(signal) = codes.get(code).and_then(|name| signals.get_mut(name)) {
            signal.values.push((now, value));
        }
    }
    Ok(signals)
}

fn x(time: u64) -> u64 {
    LEFT + (time.clamp(BEGIN, END) - BEGIN) * STEP
}

/// The picture.
fn draw(signals: &BTreeMap<String, Signal>) -> Result<String, String> {
    let (width, height) = (x(END) + 12, TOP + ROW * SIGNALS.len() as u64 + 6);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"monospace\" font-size=\"12\">\n\
         <title>An allocation and a free of the page unit on APB</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (name, from, to) in SPANS {
        let (left, wide) = (x(from), x(to) - x(from));
        let (middle, high) = (left + wide / 2, height - TOP + 6);
        writeln!(svg, "<rect x=\"{left}\" y=\"{}\" width=\"{wide}\" height=\"{high}\" fill=\"#e8f0fa\"/>", TOP - 10)
            .expect("text");
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{name}</text>", TOP - 18).expect("text");
    }
    for (row, (name, means)) in SIGNALS.iter().enumerate() {
        let signal = signals.get(*name).ok_or_else(|| format!("hardware/tb/waveform.sv has no signal {name}"))?;
        let base = TOP + ROW * row as u64 + HEIGHT;
        writeln!(svg, "<text x=\"8\" y=\"{}\">{name}</text>", base - 6).expect("text");
        writeln!(svg, "<text x=\"8\" y=\"{}\" font-size=\"10\" fill=\"#666\">{means}</text>", base + 6).expect("text");
        svg.push_str(&if signal.width == 1 { signal.bit(base) } else { signal.word(base) });
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

impl Signal {
    /// Its values with the times from which and up to which they hold.
    fn spans(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let ends = self.values.iter().skip(1).map(|value| value.0).chain([END]);
        self.values.iter().zip(ends).map(|(&(from, value), to)| (from, to, value)).filter(|(from, ..)| *from < END)
    }

    /// A line that goes up and down.
    fn bit(&self, base: u64) -> String {
        let level = |value: u64| base - HEIGHT * value;
        let points: Vec<String> = self
            .spans()
            .flat_map(|(from, to, value)| [from, to].map(|time| format!("{},{}", x(time), level(value))))
            .collect();
        format!("<polyline points=\"{}\" fill=\"none\" stroke=\"#1a4e8a\" stroke-width=\"1.5\"/>\n", points.join(" "))
    }

    /// A box for each value, in hexadecimal.
    fn word(&self, base: u64) -> String {
        let mut boxes = String::new();
        let digits = self.width.div_ceil(4) as usize;
        for (from, to, value) in self.spans() {
            let (left, right, top, middle) = (x(from), x(to), base - HEIGHT, base - HEIGHT / 2);
            writeln!(
                boxes,
                "<path d=\"M{left},{middle} L{},{top} L{},{top} L{right},{middle} L{},{base} L{},{base} Z\" fill=\"white\" \
                 stroke=\"#1a4e8a\" stroke-width=\"1.5\"/>",
                left + 4,
                right - 4,
                right - 4,
                left + 4
            )
            .expect("text");
            let shown = format!("{value:0digits$x}");
            // Where it does not fit it is left out: the value is one that nobody reads.
            if right - left >= 8 * digits as u64 + 12 {
                let (at, line) = ((left + right) / 2, base - 6);
                writeln!(boxes, "<text x=\"{at}\" y=\"{line}\" text-anchor=\"middle\">{shown}</text>").expect("text");
            }
        }
        boxes
    }
}
