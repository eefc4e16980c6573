//! The files that were named on the command line to be written.

use std::io::IsTerminal;
use std::path::Path;

use heapsmith_output::{Inputs, Output};

use crate::console::note;
use crate::failure::Failure;

/// An output that may be a stream, `-` for standard output; never one of the inputs.
pub fn named<P: AsRef<Path>>(out: &Path, inputs: impl IntoIterator<Item = P>) -> Result<Output, Failure> {
    Output::named(out, &Inputs::of(inputs)).map_err(|error| Failure::writing(out, &error))
}

/// As [`named`], for what is no text: a terminal would show it as noise.
pub fn binary<P: AsRef<Path>>(out: &Path, inputs: impl IntoIterator<Item = P>) -> Result<Output, Failure> {
    let output = named(out, inputs)?;
    if output.is_standard() && std::io::stdout().is_terminal() {
        let out = out.display();
        return Err(Failure::wrong_use(format!("cannot write {out}: it is a terminal; name a file, or redirect it")));
    }
    Ok(output)
}

/// As [`named`], for a command that prints its answer on standard output.
pub fn beside_text<P: AsRef<Path>>(out: &Path, inputs: impl IntoIterator<Item = P>) -> Result<Output, Failure> {
    let output = named(out, inputs)?;
    if output.is_standard() {
        let out = out.display();
        return Err(Failure::wrong_use(format!("cannot write {out}: this command's answer goes there; name a file")));
    }
    Ok(output)
}

/// Writes an output as a whole, and says so.
pub fn put(output: Output, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    let out = output.path().to_owned();
    output.put(contents).map_err(|error| Failure::writing(&out, &error))?;
    note!("wrote {}", out.display());
    Ok(())
}
