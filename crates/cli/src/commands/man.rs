//! `heapsmith man`: a manual page for the command, and one for each verb.

use clap::CommandFactory;
use clap_mangen::Man;
use heapsmith_output::{Inputs, Output};

use crate::args::{self, Arguments};
use crate::console::note;
use crate::failure::Failure;

/// The section of manuals for commands.
const SECTION: u8 = 1;

pub fn run(arguments: &args::Man) -> Result<(), Failure> {
    let dir = &arguments.dir;
    std::fs::create_dir_all(dir).map_err(|error| Failure::writing(dir, &error))?;
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let pages: Vec<clap::Command> = std::iter::once(&command).chain(verbs).cloned().collect();
    let written = pages.len();
    for page in pages {
        let name = page.get_display_name().unwrap_or_else(|| page.get_name()).to_owned();
        let mut text = Vec::new();
        Man::new(page).render(&mut text).map_err(|error| Failure::job(format!("cannot write {name}: {error}")))?;
        let path = dir.join(format!("{name}.{SECTION}"));
        let put = Output::named(&path, &Inputs::default()).and_then(|output| output.put(text));
        put.map_err(|error| Failure::writing(&path, &error))?;
    }
    note!("wrote {written} pages to {}; `man heapsmith` shows the first where its folder is searched", dir.display());
    Ok(())
}
