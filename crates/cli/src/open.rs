//! A page in the browser of the desktop.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// What opens a file in the program that the desktop has for it.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens a page.
pub fn page(page: &Path) -> Result<(), Failure> {
    // Whole, as a path that begins with - would be an option.
    let path = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
    let mut opener = Command::new(OPENER);
    opener.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let why = match opener.status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => format!("{OPENER} failed ({status})"),
        Err(error) => format!("cannot run {OPENER}: {error}"),
    };
    Err(Failure::environment(format!("cannot open the page: {why}; open {} in a browser", page.display())))
}
