//! The registers of the unit behind a bus: `hardware/registers.csv` as a C header and as a page of documentation.
//!
//! The tests of the buses (`hardware/tb/cocotb`) read the table too: each address has to answer as the table says, and no other.

use std::fmt::Write as _;
use std::fs;

use super::source::{hardware, text};
use crate::run::Outcome;

/// A line of the table.
struct Register {
    name: String,
    offset: u32,
    count: u32,
    stride: u32,
    inner_count: u32,
    inner_stride: u32,
    access: String,
    does: String,
    reading: String,
    writing: String,
}

const HEAD: &str = "name,offset,count,stride,inner_count,inner_stride,access,does,reading,writing";

fn table() -> Result<Vec<Register>, String> {
    let path = hardware().join("registers.csv");
    let lines = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
    let (head, lines) = lines.split_once('\n').unwrap_or_default();
    if head != HEAD {
        return Err(format!("{} does not begin with {HEAD}", text(&path)));
    }
    lines.lines().map(|line| register(line).ok_or(format!("{}: not a register: {line}", text(&path)))).collect()
}

fn register(line: &str) -> Option<Register> {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |at: usize| {
        let field: &str = fields.get(at)?;
        field.strip_prefix("0x").map_or(field.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok())
    };
    let field = |at: usize| fields.get(at).map(|field| (*field).to_owned());
    (fields.len() == 10).then_some(())?;
    Some(Register {
        name: field(0)?,
        offset: number(1)?,
        count: number(2)?,
        stride: number(3)?,
        inner_count: number(4)?,
        inner_stride: number(5)?,
        access: field(6)?,
        does: field(7)?,
        reading: field(8)?,
        writing: field(9)?,
    })
}

/// The C header.
fn header(registers: &[Register]) -> String {
    let mut header = "/* Registers of the search unit behind a bus. Made from hardware/registers.csv by `cargo xtask hardware registers`. */\n\
                      #ifndef PAGE_UNIT_REGISTERS_H\n#define PAGE_UNIT_REGISTERS_H\n"
        .to_owned();
    for Register { name, offset, count, stride, inner_count, inner_stride, access, does, reading, writing } in registers
    {
        let name = name.to_uppercase();
        let mut told = format!("{access}: {does}");
        for (verb, what) in [("read", reading), ("written", writing)] {
            if !what.is_empty() {
                write!(told, "; {verb}: {what}").expect("text");
            }
        }
        let place = match (*count > 1, *inner_count > 1) {
            (false, _) => format!("{name} {offset:#06x}u"),
            (true, false) => format!("{name}(c) ({offset:#06x}u + {stride}u * (c))"),
            (true, true) => format!("{name}(c, n) ({offset:#06x}u + {stride}u * (c) + {inner_stride}u * (n))"),
        };
        write!(header, "\n/* {told}. */\n#define PAGE_UNIT_{place}\n").expect("text");
        if let Some(value) = reading.split(':').next().filter(|value| value.starts_with("0x") && *count == 1) {
            writeln!(header, "#define PAGE_UNIT_{name}_VALUE {value}u").expect("text");
        }
    }
    header + "\n#endif\n"
}

/// The page of documentation.
fn page(registers: &[Register]) -> String {
    let mut page = "# Registers of the search unit behind a bus\n\nMade from [`registers.csv`](../registers.csv) by `cargo xtask hardware \
                    registers`. Words are 32 bits; c is a class, n a word of its bitmap. An access to any other address, in the other \
                    direction, to a class or word that there is not, or to a part of a word is an error of the bus and does \
                    nothing.\n\n| offset | name | access | does | read | written |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for Register { name, offset, count, stride, inner_count, inner_stride, access, does, reading, writing } in registers
    {
        let place = match (*count > 1, *inner_count > 1) {
            (false, _) => format!("{offset:#06x}"),
            (true, false) => format!("{offset:#06x} + {stride} c"),
            (true, true) => format!("{offset:#06x} + {stride} c + {inner_stride} n"),
        };
        writeln!(page, "| {place} | `{name}` | {access} | {does} | {reading} | {writing} |").expect("text");
    }
    page
}

fn made() -> Result<[(&'static str, String); 2], String> {
    let registers = table()?;
    Ok([("include/page_unit_registers.h", header(&registers)), ("doc/registers.md", page(&registers))])
}

/// Writes header and page.
pub fn registers() -> Outcome {
    for (name, content) in made()? {
        let path = hardware().join(name);
        fs::write(&path, content).map_err(|error| format!("cannot write {}: {error}", text(&path)))?;
    }
    Ok(())
}

/// That header and page are those of the table.
pub fn compare() -> Outcome {
    for (name, content) in made()? {
        let path = hardware().join(name);
        let kept = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
        if kept != content {
            return Err(format!("{} is not made from registers.csv: cargo xtask hardware registers", text(&path)));
        }
    }
    Ok(())
}
