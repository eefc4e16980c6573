//! `heapsmith workloads`: what makes a trace of a capture or a log.

use heapsmith_workload::workloads;

use crate::args::Listing;
use crate::failure::Failure;
use crate::table::{Table, text};

pub fn run(arguments: &Listing) -> Result<(), Failure> {
    let mut table = Table::new(&["name", "about", "input", "parameter", "default", "meaning"]).hiding(&["source"]);
    for workload in workloads() {
        for (number, parameter) in workload.parameters.iter().enumerate() {
            let head = if number == 0 { [workload.name, workload.about, workload.input] } else { [""; 3] };
            let items = head.into_iter().chain([parameter.name, parameter.default, parameter.about, workload.source]);
            table.row(items.map(text));
        }
    }
    table.print(arguments.format)
}
