//! Simulations: a unit and its test bench as one program.

use std::path::{Path, PathBuf};

use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output, run};
use crate::tools;

/// A unit to simulate.
#[derive(Clone, Copy)]
pub struct Bench {
    /// The top module, and the name of its test bench.
    pub top: &'static str,
    /// Its parameters.
    pub parameters: &'static [(&'static str, u32)],
    /// The parameters that its test bench gets.
    pub defines: &'static [(&'static str, u32)],
}

/// The unit of the paper: pages of 4096 bytes, objects from 16.
pub const PAPER: Bench =
    Bench { top: "page_unit", parameters: &[("P", 4096), ("S", 16)], defines: &[("PAGE", 4096), ("SMALLEST", 16)] };
/// A smaller one, all of whose objects fit one word.
pub const SMALL: Bench =
    Bench { top: "page_unit", parameters: &[("P", 256), ("S", 16)], defines: &[("PAGE", 256), ("SMALLEST", 16)] };
/// Chang's allocator.
pub const CHANG: Bench = Bench { top: "chang_allocator", parameters: &[("LEAVES", 64)], defines: &[("UNITS", 64)] };
/// Chang's allocator with the other interconnection.
pub const SHARED: Bench =
    Bench { top: "chang_allocator", parameters: &[("LEAVES", 64), ("SHARED", 1)], defines: &[("UNITS", 64)] };

impl Bench {
    /// Builds the simulation of the modules in `rtl`, and returns the program.
    pub fn build(&self, rtl: &Path, name: &str) -> Result<PathBuf, String> {
        let folder = built().join(name);
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
        let bench = hardware().join("tb").join(format!("{}.cpp", self.top));
        let defines: Vec<String> = self.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        let mut arguments: Vec<String> =
            ["--cc", "--exe", "--build", "-Wall", "-j", "2", "--assert", "-DASSERTIONS", "--top-module", self.top]
                .map(String::from)
                .into();
        arguments.extend(["--Mdir".to_owned(), text(&folder), "-CFLAGS".to_owned(), defines.join(" ")]);
        arguments.extend(self.parameters.iter().map(|(name, value)| format!("-G{name}={value}")));
        arguments.extend(modules(rtl)?.iter().map(|file| text(file)));
        arguments.extend(modules(&hardware().join("formal"))?.iter().map(|file| text(file)));
        arguments.push(text(&bench));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        eprintln!("xtask: verilator --build {} in {}", self.top, folder.display());
        output("verilator", &arguments)?;
        Ok(folder.join(format!("V{}", self.top)))
    }
}

/// The heap's requests to a unit, in a file.
pub fn vectors() -> Result<PathBuf, String> {
    let lines =
        output(env!("CARGO"), &["run", "--quiet", "--package", "heapsmith", "--example", "search_unit", "vectors"])?;
    let path = built().join("vectors.txt");
    std::fs::create_dir_all(built())
        .and_then(|()| std::fs::write(&path, lines))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// Every test bench; the heap's requests; a heap whose unit is the simulated one.
pub fn simulate() -> Outcome {
    tools::install(&tools::SIMULATION)?;
    let rtl = hardware().join("rtl");
    let unit = PAPER.build(&rtl, "page_unit")?;
    run(&text(&unit), &[&text(&vectors()?)])?;
    let drive =
        ["run", "--quiet", "--package", "heapsmith", "--example", "search_unit", "drive", &text(&unit), "--serve"];
    run(env!("CARGO"), &drive)?;
    for (bench, name) in [(CHANG, "chang"), (SMALL, "small_unit"), (SHARED, "chang_shared")] {
        run(&text(&bench.build(&rtl, name)?), &[])?;
    }
    Ok(())
}
