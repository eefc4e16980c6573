//! What the tests need beside Rust, installed from the distribution's packages.

use crate::run::{Outcome, is_there, run};

/// A program, and the Debian package that has it.
struct Tool {
    program: &'static str,
    package: &'static str,
    why: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "cc", package: "build-essential", why: "to build SQLite" },
    Tool { program: "chromium", package: "chromium", why: "to open the page as a reader would" },
];

/// Installs what is missing, or says what to install.
pub fn install() -> Outcome {
    let missing: Vec<&Tool> = TOOLS.iter().filter(|tool| !is_there(tool.program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|tool| tool.package).collect();
    let reasons: Vec<String> = missing.iter().map(|tool| format!("{} {}", tool.program, tool.why)).collect();
    if !is_there("apt-get") {
        return Err(format!("the tests need {}: install them", reasons.join(", ")));
    }
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(&packages);
    run("apt-get", &["update"])
        .and_then(|()| run("apt-get", &install))
        .map_err(|error| format!("{error}; the tests need {}: install them as root", reasons.join(", ")))
}
