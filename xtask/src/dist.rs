//! `cargo xtask dist`: what is handed out, each tried where nothing else is.
//!
//! | made | tried in |
//! |---|---|
//! | `target/dist/heapsmith`: the command, linked statically, with every library inside | an empty root |
//! | `Containerfile`: an image of it alone | a container of the image that buildah builds; an empty root, laid out by the file's own lines |
//! | `target/dist/*.whl`: the Python package | a fresh virtual environment |
//!
//! The command is linked with musl's C library, whose programs run on any Linux of the processor. Where Rust's library for
//! it cannot be had, it is linked statically with the machine's own, and that is said.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Outcome, cargo_with, output, root, run_with, target};
use crate::tools;

/// The target of the command.
pub const MUSL: &str = "x86_64-unknown-linux-musl";
const GNU: &str = "x86_64-unknown-linux-gnu";

/// The trial of the command: the input next to it, and what the answer contains.
const QUESTION: (&str, &[&str], &str) =
    ("ftp.pcap.xz", &["replay", "/ftp.pcap.xz", "--as", "drr", "--limit", "2000", "--heap", "tlsf"], "tlsf");

/// Makes everything and tries it.
pub fn dist() -> Outcome {
    tools::install(&[tools::CC, tools::MUSL, tools::PYTHON, tools::VENV])?;
    let folder = target().join("dist");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let command = command(&folder)?;
    let size = std::fs::metadata(&command).map_or(0, |data| data.len());
    eprintln!("xtask: {} has {:.1} MB", command.display(), size as f64 / 1e6);
    let empty = fresh(&folder.join("root"))?;
    copy(&command, &empty.join("heapsmith"))?;
    answers(&empty, &["/heapsmith"])?;
    image(&folder)?;
    wheel(&folder)
}

/// The command, linked statically, in `folder`.
fn command(folder: &Path) -> Result<PathBuf, String> {
    let command = folder.join("heapsmith");
    copy(&built(&root(), &target())?, &command)?;
    Ok(command)
}

/// Builds the command from `sources` into `target`. Its bytes do not depend on where these are, on where cargo keeps what it
/// loaded, nor on the time: C that writes down when it was compiled (mimalloc) gets the time of the commit.
pub fn built(sources: &Path, target: &Path) -> Result<PathBuf, String> {
    let time = output("git", &["log", "-1", "--format=%ct"])?;
    let build = |name: &str, environment: &[(&str, &str)], flags: &str| {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap_or_default();
        let from = |folder: &Path, to: &str| format!("--remap-path-prefix={}={to}", folder.display());
        let flags = format!("{flags}{} {}", from(&home, "cargo"), from(sources, "."));
        let manifest = sources.join("Cargo.toml").display().to_string();
        let into = target.display().to_string();
        let build = ["build", "--locked", "--profile", "dist", "--manifest-path", &manifest, "--target-dir", &into];
        let what = ["--package", "heapsmith-cli", "--features", "carry", "--target", name];
        let same = [("RUSTFLAGS", flags.as_str()), ("SOURCE_DATE_EPOCH", time.trim())];
        cargo_with(&[environment, &same].concat(), &[&build[..], &what].concat())?;
        Ok(target.join(name).join("dist/heapsmith"))
    };
    match output("rustup", &["target", "add", MUSL]) {
        Ok(_) => build(MUSL, &[("CC_x86_64_unknown_linux_musl", "musl-gcc")], ""),
        Err(why) => {
            eprintln!(
                "xtask: Rust's library for {MUSL} cannot be had, so the command has the C library of this machine: {why}"
            );
            build(GNU, &[], "-C target-feature=+crt-static ")
        }
    }
}

/// Lays out the image that the container file describes, and runs its entry point.
fn image(folder: &Path) -> Outcome {
    let text =
        std::fs::read_to_string(root().join("Containerfile")).map_err(|error| format!("Containerfile: {error}"))?;
    let image = Image::read(&text)?;
    let empty = fresh(&folder.join("image"))?;
    for (from, to) in &image.copies {
        copy(&placed(from), &empty.join(to.trim_start_matches('/')))?;
    }
    answers(&empty, &image.entry.iter().map(String::as_str).collect::<Vec<_>>())?;
    match &tools::obtain(&[tools::BUILDAH])[..] {
        [] => image.build(folder),
        missing => {
            missing.iter().for_each(|(tool, why)| eprintln!("xtask: NOT RUN: {} {}: {why}", tool.name, tool.why));
            Ok(())
        }
    }
}

/// Where what the container file copies is now: the target folder may be elsewhere.
fn placed(from: &str) -> PathBuf {
    from.strip_prefix("target/").map_or_else(|| root().join(from), |rest| target().join(rest))
}

/// What a container file of an image from nothing says.
#[derive(Debug, PartialEq, Eq)]
struct Image {
    copies: Vec<(String, String)>,
    entry: Vec<String>,
}

impl Image {
    fn read(text: &str) -> Result<Image, String> {
        let mut image = Image { copies: Vec::new(), entry: Vec::new() };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.split_once(' ') {
                Some(("FROM", "scratch")) => {}
                Some(("COPY", paths)) => {
                    let (from, to) = paths.split_once(' ').ok_or_else(|| format!("Containerfile: {line}"))?;
                    image.copies.push((from.to_owned(), to.trim().to_owned()));
                }
                Some(("ENTRYPOINT", words)) => {
                    image.entry =
                        serde_json::from_str(words).map_err(|error| format!("Containerfile: {line}: {error}"))?;
                }
                _ => return Err(format!("Containerfile: this line is not known to what tries it: {line}")),
            }
        }
        if image.entry.is_empty() { Err("Containerfile has no entry point".to_owned()) } else { Ok(image) }
    }

    /// Builds the image, and asks a container of it.
    fn build(&self, folder: &Path) -> Outcome {
        let (images, context) = (fresh(&folder.join("images"))?, fresh(&folder.join("context"))?);
        for (from, _) in &self.copies {
            let to = context.join(from);
            let parent = to.parent().unwrap_or(&context);
            std::fs::create_dir_all(parent).map_err(|error| format!("cannot make {}: {error}", parent.display()))?;
            copy(&placed(from), &to)?;
        }
        // Folders of its own, and neither a service nor a file system of overlays.
        let buildah = |arguments: &[&str]| {
            let mut command = Command::new("buildah");
            command.arg("--root").arg(images.join("root")).arg("--runroot").arg(images.join("run"));
            command.args(["--storage-driver", "vfs"]).args(arguments).env("BUILDAH_ISOLATION", "chroot");
            let output = command.output().map_err(|error| format!("cannot run buildah: {error}"))?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let errors = String::from_utf8_lossy(&output.stderr);
            let said = || format!("buildah {} failed: {text}{errors}", arguments.join(" "));
            if output.status.success() { Ok(text) } else { Err(said()) }
        };
        let file = root().join("Containerfile").display().to_string();
        buildah(&["build", "--quiet", "--tag", "heapsmith", "--file", &file, &context.display().to_string()])?;
        let container = buildah(&["from", "localhost/heapsmith"])?;
        let (input, question, expected) = QUESTION;
        buildah(&["copy", "--quiet", &container, &root().join("samples").join(input).display().to_string(), "/"])?;
        let entry: Vec<&str> = self.entry.iter().map(String::as_str).collect();
        let said = buildah(&[&["run", &container, "--"], &entry[..], question].concat())?;
        if !said.contains(expected) {
            return Err(format!("a container of the image does not answer: {said}"));
        }
        eprintln!("xtask: {} answers in a container of the image", entry.join(" "));
        Ok(())
    }
}

/// Runs a program in a root where only it and its input are.
fn answers(empty: &Path, program: &[&str]) -> Outcome {
    let (input, question, expected) = QUESTION;
    copy(&root().join("samples").join(input), &empty.join(input))?;
    std::fs::create_dir_all(empty.join("tmp")).map_err(|error| format!("{}: {error}", empty.display()))?;
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--root"]).arg(empty).args(program).args(question).env_clear();
    let output = command.output().map_err(|error| format!("cannot run unshare: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && text.contains(expected) {
        eprintln!("xtask: {} answers in {}", program.join(" "), empty.display());
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} does not answer in {}: {}\n{text}{errors}", program.join(" "), empty.display(), output.status))
}

/// The wheel, built by one environment and installed into another.
fn wheel(folder: &Path) -> Outcome {
    let path = folder.display().to_string();
    let builder = environment(&folder.join("builder"))?;
    let python = root().join("python").display().to_string();
    run_with(&builder, &[], &["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", &path, &python])?;
    let user = environment(&folder.join("user"))?;
    run_with(&user, &[], &["-m", "pip", "install", "--quiet", "--find-links", &path, "heapsmith"])?;
    let sample = root().join("samples").join(QUESTION.0).display().to_string();
    // As Python writes texts, too.
    let program =
        format!("import heapsmith; print(heapsmith.replay(heapsmith.Trace.read({sample:?}, format='drr'), ['tlsf']))");
    run_with(&user, &[], &["-I", "-c", &program])
}

/// A new virtual environment's Python.
fn environment(folder: &Path) -> Result<String, String> {
    run_with("python3", &[], &["-m", "venv", "--clear", &folder.display().to_string()])?;
    Ok(folder.join("bin/python").display().to_string())
}

/// An empty folder.
fn fresh(folder: &Path) -> Result<PathBuf, String> {
    let failed = |error| format!("cannot empty {}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    Ok(folder.to_owned())
}

fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_file_holds_the_command_alone() {
        let text = std::fs::read_to_string(root().join("Containerfile")).expect("a file");
        let image = Image::read(&text).expect("known lines");
        assert_eq!(image.copies, [("target/dist/heapsmith".to_owned(), "/heapsmith".to_owned())]);
        assert_eq!(image.entry, ["/heapsmith"]);
        assert!(Image::read("FROM debian\n").is_err() && Image::read("FROM scratch\n").is_err());
    }
}
