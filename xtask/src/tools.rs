//! What the tests need beside Rust, installed from the distribution's packages.

use crate::run::{Outcome, is_there, run};

/// A program, and the Debian package that has it.
struct Tool {
    program: &'static str,
    package: &'static str,
    why: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "cc", package: "build-essential", why: "to build SQLite, and programs to record" },
    Tool { program: "valgrind", package: "valgrind", why: "to count allocations beside the recorder" },
    Tool { program: "sqlite3", package: "sqlite3", why: "to record it" },
    Tool { program: "python3", package: "python3", why: "to record it" },
    Tool { program: "chromium", package: "chromium", why: "to open the page as a reader would" },
];

/// Installs what the tests need and is missing, or says what to install.
pub fn install() -> Outcome {
    install_all(TOOLS)
}

/// Installs what the benchmark of recording is compared with.
pub fn install_heaptrack() -> Outcome {
    install_all(&[Tool { program: "heaptrack", package: "heaptrack", why: "to compare with" }])
}

fn install_all(tools: &[Tool]) -> Outcome {
    let missing: Vec<&Tool> = tools.iter().filter(|tool| !is_there(tool.program)).collect();
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
