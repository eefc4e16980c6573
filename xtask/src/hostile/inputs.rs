//! Good inputs of every kind, small: what cases damage, rename and put where it does not belong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::launched::Launch;
use crate::run::root;

mod captures;
mod texts;

/// A space of some fifty designs of two structures.
pub const SPACE: &str = r#"
[[family]]
name = "classic"
heap = "list(order=address)"

[family.levels]
freelists = [0, 1, 2, 8]
fit = [0, 30, 100]
split = [0, 50, 100]
coalesce = [0, 50, 100]

[[family]]
name = "two-level"
heap = ["tlsf(second-level=1)", "tlsf(second-level=4)", "half-fit"]

[family.levels]
freelists = [0, 2]
word = [4, 8]
align = ["word", 16]
"#;

/// A space of two designs, for what runs thousands of times.
pub const FEW: &str = r#"
[[family]]
name = "classic"
heap = "list(order=address)"

[family.levels]
freelists = [0, 2]
"#;

/// A check file of what `trace.parquet` and the store have.
pub const CHECK: &str = r#"
[trace.half]
file = "trace.parquet"

[heap.named]
spec = "first-fit"

[[assert]]
measure = "min_region"
max = "1M"

[[assert]]
measure = "bound"
max = "64M"

[[assert]]
measure = "drift"
passes = 3
max = "1M"

[[assert]]
measure = "largest_request"
region = "1M"
moments = 5
min = 1
"#;

/// How `inputs/store` is explored, and resumed.
pub const EXPLORE: [&str; 8] =
    ["explore", "trace.parquet", "--space", "space.toml", "--rounds", "0", "--no-peers", "--out"];

/// What an exploration like that reads, with a second trace.
pub const EXPLORED: [&str; 3] = ["trace.parquet", "drr.parquet", "space.toml"];

/// What it left.
pub const STORED: [&str; 4] =
    ["store/results.sqlite", "store/results.csv", "store/results.parquet", "store/trace-1.parquet"];

/// The folder of the good inputs.
pub struct Inputs {
    folder: PathBuf,
}

impl Inputs {
    /// Makes them all, the traces with the command itself.
    pub fn make(command: &Path, folder: &Path) -> Result<Inputs, String> {
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let inputs = Inputs { folder: folder.to_owned() };
        for (name, text) in texts::ALL {
            inputs.write(name, text.as_bytes())?;
        }
        inputs.write("space.toml", SPACE.as_bytes())?;
        inputs.write("few.toml", FEW.as_bytes())?;
        inputs.write("heap.toml", CHECK.as_bytes())?;
        inputs.write("replay.bytehound", &texts::bytehound())?;
        for (name, file) in [
            ("cores.svdat", "systemview/two-cores"),
            ("script.log", "esp-idf/with-lines"),
            ("notes.log", "nuttx/notes"),
        ] {
            let path = root().join("crates/fuzz/corpus").join(file);
            let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            inputs.write(name, &bytes)?;
        }
        inputs.write("small.pcap", &captures::pcap(&unpacked("samples/ftp.pcap.xz")?, 80))?;
        inputs.write("small.pcapng", &captures::pcapng(&unpacked("samples/mixed.pcapng.xz")?, 80))?;
        let log = unpacked("samples/web.log.xz")?;
        let lines: Vec<&[u8]> = log.split_inclusive(|&byte| byte == b'\n').take(200).collect();
        inputs.write("web.log", &lines.concat())?;
        for name in ["small.pcap", "small.pcapng", "web.log", "lea.rep"] {
            inputs.pack(name)?;
        }
        let run = |arguments: &[&str]| {
            let mut launch = Launch::new(command, folder);
            let ended = launch.arguments(arguments).environment("XDG_CACHE_HOME", folder.join("cache")).run()?;
            if ended.code == Some(0) { Ok(ended) } else { Err(ended.describe("cannot make the good inputs")) }
        };
        let half = ["import", "workload:random-half", "--set", "requests=150", "--out"];
        for name in ["trace.parquet", "trace.rep", "trace.csv"] {
            run(&[&half[..], &[name]].concat())?;
        }
        run(&["import", "small.pcap", "--as", "drr", "--out", "drr.parquet"])?;
        run(&[&EXPLORE[..], &["store"]].concat())?;
        let heaps = run(&["heaps", "--format", "json"])?;
        inputs.write("specs.txt", specs(&heaps.out)?.join("\n").as_bytes())?;
        inputs.programs()?;
        inputs.record(command)?;
        Ok(inputs)
    }

    /// Where one of them lies.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// One of them.
    pub fn read(&self, name: impl AsRef<Path>) -> Result<Vec<u8>, String> {
        let path = self.path(name);
        std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.path(name);
        std::fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Packs a file with every packer, next to the file.
    fn pack(&self, name: &str) -> Result<(), String> {
        for packer in PACKERS {
            let packed = pack(packer, &self.path(name))?;
            self.write(&format!("{name}.{}", packer.ending), &packed)?;
        }
        Ok(())
    }

    /// The hostile programs, compiled, and their names; and what is preloaded to make calls fail.
    fn programs(&self) -> Result<(), String> {
        let mut compile = Command::new("cc");
        compile
            .args(["-O1", "-pthread", "-w", "-o"])
            .arg(self.path("programs"))
            .arg(root().join("xtask/hostile/programs.c"));
        printed(compile.arg("-ldl"))?;
        for library in ["faults", "clock"] {
            let mut compile = Command::new("cc");
            compile.args(["-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o"]).arg(self.path(format!("{library}.so")));
            printed(compile.arg(root().join(format!("xtask/hostile/{library}.c"))).arg("-ldl"))?;
        }
        self.write("programs.txt", &printed(&mut Command::new(self.path("programs")))?)
    }

    /// A recording whose program was killed in the middle, together with `heapsmith record`.
    fn record(&self, command: &Path) -> Result<(), String> {
        let mut launch = Launch::new(command, &self.folder);
        launch.environment("XDG_CACHE_HOME", self.folder.join("cache"));
        let running = launch.arguments(&["record", "--out", "recorded", "--", "sh", "-c", "ls -l; exec cat /dev/zero"]);
        let mut running = running.stdout(std::process::Stdio::null()).start()?;
        let is_there =
            || files(&self.path("recorded")).into_iter().find(|path| path.extension() != Some("parquet".as_ref()));
        for _ in 0..200 {
            if is_there().is_some() {
                break;
            }
            running.runs_after(Duration::from_millis(50))?;
        }
        running.runs_after(Duration::from_millis(300))?;
        drop(running);
        let path = is_there().ok_or("cannot make the good inputs: no recording was begun")?;
        std::fs::copy(&path, self.path("killed.recording")).map(drop).map_err(|error| format!("cannot copy: {error}"))
    }
}

/// A program that packs.
#[derive(Clone, Copy)]
pub struct Packer {
    /// Its name.
    pub program: &'static str,
    /// The ending of what it packs.
    pub ending: &'static str,
}

/// Those whose files the command reads.
pub const PACKERS: [Packer; 3] = [
    Packer { program: "gzip", ending: "gz" },
    Packer { program: "xz", ending: "xz" },
    Packer { program: "zstd", ending: "zst" },
];

/// A file, packed.
pub fn pack(packer: Packer, path: &Path) -> Result<Vec<u8>, String> {
    printed(Command::new(packer.program).args(["-q", "-c"]).arg(path))
}

/// One of the samples, unpacked.
fn unpacked(sample: &str) -> Result<Vec<u8>, String> {
    printed(Command::new("xz").args(["-d", "-c"]).arg(root().join(sample)))
}

/// What a program prints, which must succeed.
fn printed(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("cannot run {:?}: {error}", command.get_program()))?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("{command:?} failed: {}", output.status)) }
}

/// The heaps of the catalogue, as the command lists them.
fn specs(json: &[u8]) -> Result<Vec<String>, String> {
    let heaps: Vec<serde_json::Value> =
        serde_json::from_slice(json).map_err(|error| format!("heaps --format json: {error}"))?;
    Ok(heaps.iter().filter_map(|heap| heap["heap"].as_str()).map(str::to_owned).collect())
}

/// All files below a folder, sorted; links are not followed.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&entry.path())),
            _ => found.push(entry.path()),
        }
    }
    found.sort();
    found
}
