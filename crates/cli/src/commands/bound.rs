//! `heapsmith bound`: the most memory that a heap can be made to need, with how it comes about.

use heapsmith_limits::{Bound, ProgramClass, bound_of};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, plural};

use crate::args::{self, Format};
use crate::commands::limited;
use crate::console;
use crate::failure::Failure;
use crate::table::{Table, flag, integer, none, text};

pub fn run(arguments: &args::Bound) -> Result<(), Failure> {
    let heaps = limited::heaps(&arguments.heap)?;
    let program = limited::programs(&arguments.programs, &heaps)?;
    let bounds = heaps.iter().map(|heap| (&heap.spec, bound_of(&heap.spec, program)));
    if arguments.format == Format::Table {
        let text: String = bounds.map(|(spec, bound)| page(spec, program, &bound)).collect::<Vec<_>>().join("\n");
        console::say_text(&text);
        return Ok(());
    }
    let mut table = Table::new(&[
        "heap",
        "max_live",
        "max_size",
        "min_size",
        "max_blocks",
        "reallocations",
        "align",
        "bound",
        "region",
        "any_allocator",
        "formula",
        "numbers",
        "source",
        "requires",
        "why_none",
        "worst_case_allocate",
        "worst_case_free",
        "worst_case_formula",
    ]);
    for (spec, bound) in bounds {
        let number = |value: Option<u64>| value.map_or_else(none, integer);
        table.row([
            text(spec.to_string()),
            integer(program.live),
            integer(program.max_size),
            integer(program.min_size),
            integer(program.max_blocks),
            flag(program.reallocates),
            integer(program.alignment),
            number(bound.footprint),
            number(bound.region),
            number(bound.any_allocator),
            text(&bound.formula),
            text(&bound.numbers),
            text(bound.source),
            text(bound.requires.join("; ")),
            text(&bound.why_none),
            number(bound.worst_case.allocate),
            number(bound.worst_case.free),
            text(&bound.worst_case.formula),
        ]);
    }
    table.print(arguments.format)
}

/// What people read: a paragraph a heap.
fn page(spec: &Spec, program: ProgramClass, bound: &Bound) -> String {
    let ProgramClass { live, max_size, min_size, reallocates, alignment, .. } = program;
    let blocks = match program.limits_blocks() {
        true => format!(" in {}", plural(program.max_blocks, "block", "blocks")),
        false => String::new(),
    };
    let resized = if reallocates { ", which are resized" } else { "" };
    let aligned = if alignment > 1 { format!(", at multiples of up to {alignment}") } else { String::new() };
    let mut lines = vec![
        spec.to_string(),
        format!(
            "  programs       at most {live} bytes live{blocks}, in requests of {min_size} to {max_size} bytes{resized}{aligned}"
        ),
    ];
    match bound.footprint {
        Some(footprint) => {
            let times = footprint as f64 / live as f64;
            lines.push(format!(
                "  bound          {footprint} bytes ({}), {times:.2} × the live bytes",
                Bytes(footprint)
            ));
            match bound.region {
                Some(region) if region != footprint => lines.push(format!(
                    "  region         {region} bytes ({}) refuse no request{}",
                    Bytes(region),
                    if region < footprint { ", though a larger region is filled further" } else { "" }
                )),
                Some(_) => {}
                None => lines.push(format!("  region         none that refuses no request: {}", bound.why_none)),
            }
        }
        None => {
            lines.push(match bound.region {
                Some(region) => {
                    format!("  bound          a region of {region} bytes ({}) refuses no request", Bytes(region))
                }
                None => "  bound          none known".to_owned(),
            });
            lines.push(format!("  why            {}", bound.why_none));
        }
    }
    lines.push(format!("  formula        {}", bound.formula));
    if !bound.numbers.is_empty() {
        lines.push(format!("                 = {}", bound.numbers));
    }
    let terms = bound.terms.iter();
    lines.extend(terms.map(|term| format!("    {:<12} {} = {}", term.symbol, term.meaning, term.value)));
    lines.push(format!("  source         {}", bound.source));
    lines.extend(bound.requires.iter().map(|requires| format!("  requires       {requires}")));
    let worst_case = &bound.worst_case;
    let holds = match bound.room.filter(|_| spec.gives_back_when_full()) {
        Some(room) => format!(" in {room} bytes or more; in a full region no number"),
        None => String::new(),
    };
    let accesses =
        |max: Option<u64>| max.map_or_else(|| "no number".to_owned(), |max| format!("at most {max} accesses{holds}"));
    lines.push(format!("  one allocation {}", accesses(worst_case.allocate)));
    lines.push(format!("  one free       {}", accesses(worst_case.free)));
    if !worst_case.formula.is_empty() {
        lines.push(format!("                 {}", worst_case.formula));
    }
    if let Some(forced) = bound.any_allocator {
        lines.push(format!(
            "  any allocator  at least {forced} bytes for every heap that does not move blocks (Robson 1971, 1974)"
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}
