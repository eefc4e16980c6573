//! Wrong units: a swapped gate, an address that is off by one, … Each must make the tests fail.

use std::path::PathBuf;
use std::process::Command;

use super::simulate::{Bench, CHANG, SMALL};
use super::source::{built, hardware, text};
use crate::run::Outcome;
use crate::tools;

/// One change of one line.
struct Mutant {
    what: &'static str,
    bench: Bench,
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const MUTANTS: [Mutant; 8] = [
    Mutant {
        what: "an OR gate for an AND gate in the AND-tree",
        bench: SMALL,
        file: "and_tree.sv",
        from: "assign all[n] = skip & ",
        to: "assign all[n] = skip | ",
    },
    Mutant {
        what: "an AND gate for an OR gate in the OR-tree",
        bench: SMALL,
        file: "or_tree.sv",
        from: ".value[2*n] | gen_level",
        to: ".value[2*n] & gen_level",
    },
    Mutant {
        what: "the bit next to the object's is flipped",
        bench: SMALL,
        file: "object_unit.sv",
        from: ".address_i(address),",
        to: ".address_i(address + Depth'(1)),",
    },
    Mutant {
        what: "free clears and allocate sets",
        bench: SMALL,
        file: "object_unit.sv",
        from: ".set_i    (frees),",
        to: ".set_i    (takes),",
    },
    Mutant {
        what: "a word is loaded without a request",
        bench: SMALL,
        file: "object_unit.sv",
        from: "assign bitmap_d = valid_i & (op_i == unit_pkg::OpLoad) ? data_i",
        to: "assign bitmap_d = (op_i == unit_pkg::OpLoad) ? data_i",
    },
    Mutant {
        what: "every class takes what is asked of one",
        bench: SMALL,
        file: "page_unit.sv",
        from: ".valid_i (valid_i & (class_i == c[Class-1:0])),",
        to: ".valid_i (valid_i),",
    },
    Mutant {
        what: "Chang's allocator takes a block where there is none",
        bench: CHANG,
        file: "chang_allocator.sv",
        from: ".enable_i (valid_i & (free_i | ~all)),",
        to: ".enable_i (valid_i),",
    },
    Mutant {
        what: "the end of Chang's block turns the wrong way",
        bench: CHANG,
        file: "chang_bit_flipper.sv",
        from: "assign turn = fill | ",
        to: "assign turn = fill & ",
    },
];

/// Builds every mutant and sees its test bench fail.
pub fn mutants() -> Outcome {
    tools::install(&tools::SIMULATION)?;
    for (number, mutant) in MUTANTS.iter().enumerate() {
        let rtl = mutant.write(&format!("mutant{number}-rtl"))?;
        let program = mutant.bench.build(&rtl, &format!("mutant{number}"))?;
        let outcome =
            Command::new(&program).output().map_err(|error| format!("cannot run {}: {error}", text(&program)))?;
        // The bench says what differs and ends with 1, or an assertion of `hardware/formal` fails and the simulator stops it.
        let said = [outcome.stdout, outcome.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let broken = said.lines().find(|line| line.contains("Assertion failed"));
        if outcome.status.code() != Some(1) && broken.is_none() {
            return Err(format!("the tests pass, or end otherwise than they should, with {}", mutant.what));
        }
        eprintln!("xtask: with {}: {}", mutant.what, broken.unwrap_or(said.trim()));
    }
    Ok(())
}

/// The modules with the first mutant among them.
pub fn write_first() -> Result<PathBuf, String> {
    MUTANTS[0].write("wrong-rtl")
}

impl Mutant {
    /// A copy of the modules with the change, and its folder.
    fn write(&self, name: &str) -> Result<PathBuf, String> {
        let folder = built().join(name);
        let failed = |error| format!("cannot copy hardware/rtl: {error}");
        std::fs::create_dir_all(&folder).map_err(failed)?;
        for entry in std::fs::read_dir(hardware().join("rtl")).map_err(failed)?.flatten() {
            let mut source = std::fs::read_to_string(entry.path()).map_err(failed)?;
            if entry.file_name() == self.file {
                if source.matches(self.from).count() != 1 {
                    return Err(format!("{} has not one place with `{}`: mend the mutant", self.file, self.from));
                }
                source = source.replace(self.from, self.to);
            }
            std::fs::write(folder.join(entry.file_name()), source).map_err(failed)?;
        }
        Ok(folder)
    }
}
