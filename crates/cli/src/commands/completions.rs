//! `heapsmith completions`: what a shell needs to complete verbs and options.

use clap::CommandFactory;

use crate::args::{Arguments, Completions};
use crate::console;
use crate::failure::Failure;

pub fn run(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "heapsmith", &mut script);
    console::hand_over(&script);
    Ok(())
}
