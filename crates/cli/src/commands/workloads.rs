//! `heapsmith workloads`: what makes a trace of a file.

use heapsmith_import::{Importer, importers};
use heapsmith_workload::{PREFIX, Workload, workloads};

use crate::args::{Format, Listing};
use crate::console::say;
use crate::failure::Failure;
use crate::table::{Table, text};

pub fn run(arguments: &Listing) -> Result<(), Failure> {
    if arguments.format == Format::Table {
        workloads().iter().for_each(show);
        say!("Input formats, recognised by their content:\n");
        importers().iter().for_each(show_importer);
        say!("\n    all have keep-damaged=no; with yes they import the part before the first damage\n");
        say!("Use one with --as NAME, and set its parameters with --set KEY=VALUE.");
        say!("Name a workload that reads no file as {PREFIX}NAME in place of the file.");
        return Ok(());
    }
    let mut table = Table::new(&["name", "about", "input", "source", "parameter", "default", "meaning"]);
    for workload in workloads() {
        for parameter in workload.parameters {
            let head = [workload.name, workload.about, workload.input, workload.source];
            table.row(head.into_iter().chain([parameter.name, parameter.default, parameter.about]).map(text));
        }
    }
    for importer in importers() {
        for parameter in importer.parameters {
            let head = [importer.name, importer.about, importer.input, importer.source];
            table.row(head.into_iter().chain([parameter.name, parameter.default, parameter.about]).map(text));
        }
    }
    table.print(arguments.format)
}

fn show_importer(importer: &Importer) {
    say!("{:<14} {}", importer.name, importer.about);
}

fn show(workload: &Workload) {
    say!("{}  {}", workload.name, workload.about);
    let named = if workload.is_alone() { format!(" ({PREFIX}{})", workload.name) } else { String::new() };
    say!("    reads {}{named}; after {}", workload.input, workload.source);
    for parameter in workload.parameters {
        let setting = format!("{}={}", parameter.name, parameter.default);
        say!("    {setting:<24} {}", wrapped(parameter.about, 70).join(&format!("\n{:29}", "")));
    }
    say!();
}

/// Words in lines of at most this many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
