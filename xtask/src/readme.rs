//! `cargo xtask readme`: runs the README's first command and keeps what it
//! shows, so that the README shows what the command does today.

use std::process::{Command, Stdio};

use crate::run::{Outcome, root, run};
use crate::tools;

/// What the README shows: its first command's arguments.
const FIRST: &[&str] = &["explore", "samples/ftp.pcap.xz", "--as", "drr"];

/// Where that command leaves its results.
const OUT: &str = "explore-ftp-drr";

/// Runs the first command; writes `docs/first-run.txt` and `docs/first-run.png`.
pub fn readme() -> Outcome {
    tools::install(&[tools::CC, tools::BROWSER])?;
    let old = root().join(OUT);
    if old.exists() {
        std::fs::remove_dir_all(&old).map_err(|error| format!("cannot empty {}: {error}", old.display()))?;
    }
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--"])
        .args(FIRST)
        .current_dir(root())
        .env("COLUMNS", "80")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let docs = root().join("docs");
    std::fs::create_dir_all(&docs).map_err(|error| format!("cannot make {}: {error}", docs.display()))?;
    let shown =
        [b"$ heapsmith explore samples/ftp.pcap.xz --as drr\n".as_slice(), &output.stderr, &output.stdout].concat();
    let lines: Vec<String> = String::from_utf8_lossy(&shown).lines().map(|line| line.trim_end().to_owned()).collect();
    std::fs::write(docs.join("first-run.txt"), lines.join("\n") + "\n").map_err(|error| error.to_string())?;
    picture(&docs.join("first-run.png").display().to_string())
}

/// The first screen of the page, as a browser draws it.
fn picture(path: &str) -> Outcome {
    let page = format!("file://{}", root().join(OUT).join("report.html").display());
    let screenshot = format!("--screenshot={path}");
    run(
        "chromium",
        &[
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1200,2110",
            "--virtual-time-budget=20000",
            &screenshot,
            &page,
        ],
    )
}
