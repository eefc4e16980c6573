//! Where results come from: the kind of machine, and the commit.

use crate::run::output;

/// The kind of machine; not which.
pub struct Machine {
    /// The model of its processor.
    pub processor: String,
    /// Processors that this process may use.
    pub processors: usize,
    /// Operating system and architecture.
    pub system: String,
    /// The Rust compiler.
    pub compiler: String,
}

impl Machine {
    /// The machine that this runs on.
    pub fn here() -> Machine {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Machine {
            processor: model.map_or("unknown", |(_, model)| model).to_owned(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            compiler: output("rustc", &["--version"]).unwrap_or_default().trim().to_owned(),
        }
    }
}

/// The commit, and whether something was changed since. Results that are kept line by line change nothing: a run that was
/// interrupted goes on.
pub fn commit() -> Result<String, String> {
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"])?;
    let status = ["status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results"];
    let changed = !output("git", &status)?.trim().is_empty();
    Ok(format!("{}{}", commit.trim(), if changed { " and changes" } else { "" }))
}
