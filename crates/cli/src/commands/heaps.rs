//! `heapsmith heaps`: the allocators that have a name.

use heapsmith_spec::catalogue;

use crate::args::{Format, Listing};
use crate::failure::Failure;
use crate::table::{Table, text};

pub fn run(arguments: &Listing) -> Result<(), Failure> {
    let mut table = Table::new(&["name", "heap", "source"]).hiding(&["note", "papers"]);
    for entry in catalogue() {
        let papers = entry.papers.join("; ");
        table.row([entry.name, entry.spec, entry.source, entry.note, &papers].map(text));
    }
    table.print(arguments.format)?;
    if arguments.format == Format::Table {
        println!("Any spec may stand where a name may: layers, a pool, options. --format json adds what the");
        println!("sources leave open and what was chosen.");
    }
    Ok(())
}
