//! Programs on heaps, in turns: processor time and resident memory, with intervals.
//!
//! A heap is deployed as the library that `heapsmith emit --lang so` makes of it: the library of `heapsmith run` has every heap,
//! and keeps a megabyte of its own code resident.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::heaps::Heap;
use super::programs::Program;
use crate::run::{output, root, run};

/// A median and its interval over rounds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spread {
    /// The lower end.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The upper end.
    pub high: f64,
}

impl Spread {
    /// Of no round it is nothing. The interval is that of the median, of 95% or more where there are six rounds (order
    /// statistics); of fewer it is all of them.
    pub fn of(rounds: &[f64]) -> Spread {
        if rounds.is_empty() {
            return Spread::default();
        }
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        // The first counts of rounds at which another one may be left out at each end.
        let outside = [9, 12, 15, 17, 20].iter().filter(|&&count| count <= sorted.len()).count();
        Spread { low: sorted[outside], median: sorted[sorted.len() / 2], high: sorted[sorted.len() - 1 - outside] }
    }

    /// Whether this is less beyond doubt.
    pub fn is_below(&self, other: &Spread) -> bool {
        self.high < other.low
    }
}

/// What a program took on a heap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deployed {
    /// Seconds of processors.
    pub time: Spread,
    /// Most bytes resident.
    pub peak: Spread,
    /// Bytes resident on average over the time of the program.
    pub mean: Spread,
    /// Bytes of the heap's own pages that have memory, on average over its operations; none of glibc's.
    pub touched: Spread,
}

/// Rounds in which a heap is asked for its own pages: what it does there depends on no clock. And rounds of a slow heap.
const ASKED: usize = 3;

/// Times as long as on glibc from which on a program's heap is slow: more rounds say nothing new of it.
const SLOW: f64 = 4.0;

/// What starts programs.
pub struct Launcher {
    /// The command.
    heapsmith: String,
    /// The instrument.
    resident: String,
    /// Where all of it lies.
    pub folder: PathBuf,
}

impl Launcher {
    /// Compiles the instrument, and the library of `heapsmith run` where it is not there.
    pub fn new(heapsmith: &Path, folder: &Path) -> Result<Launcher, String> {
        let source = root().join("xtask/real/resident.c").display().to_string();
        let resident = folder.join("resident").display().to_string();
        run("cc", &["-O2", "-Wall", "-Wextra", "-Werror", "-o", &resident, &source])?;
        let heapsmith = heapsmith.display().to_string();
        output(&heapsmith, &["run", "--heap", "tlsf", "--", "true"])?;
        Ok(Launcher { heapsmith, resident, folder: folder.to_owned() })
    }

    /// What the command prints.
    pub fn heapsmith(&self, arguments: &[&str]) -> Result<String, String> {
        output(&self.heapsmith, arguments)
    }

    /// Records a program: the trace.
    pub fn record(&self, program: &Program) -> Result<PathBuf, String> {
        let into = self.folder.join(format!("record-{}", program.name));
        eprintln!("xtask: recording {}", program.name);
        let status = Command::new(&self.heapsmith)
            .args(["record", "-o"])
            .arg(&into)
            .arg("--")
            .args(&program.command)
            .envs(program.environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|error| format!("cannot run heapsmith: {error}"))?;
        let files = std::fs::read_dir(&into).map_err(|error| format!("{}: {error}, {status}", into.display()))?;
        let sizes = files.flatten().filter_map(|file| Some((file.metadata().ok()?.len(), file.path())));
        sizes.max().map(|(_, path)| path).ok_or_else(|| format!("{} has no recording: {status}", into.display()))
    }

    /// Explores a recording: to the answer alone, or with times and reference allocators.
    pub fn explore(&self, recording: &Path, dir: &Path, space: &str, quick: bool) -> Result<(), String> {
        eprintln!("xtask: exploring {}", recording.display());
        let mut command = Command::new(&self.heapsmith);
        command.arg("explore").arg(recording).args(["--target", "host", "--space", space, "-o"]).arg(dir);
        if quick {
            command.args(["--rounds", "0", "--no-peers"]);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot run heapsmith: {error}"))?;
        let mut told = child.stdout.take().ok_or("its standard output is not there")?;
        let cannot_read = |error| format!("cannot read what heapsmith says: {error}");
        told.read(&mut [0]).map_err(cannot_read)?;
        if quick {
            // What comes after the answer is not asked for.
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        }
        told.read_to_end(&mut Vec::new()).map_err(cannot_read)?;
        child.wait().map(drop).map_err(|error| format!("cannot wait for heapsmith: {error}"))
    }

    /// A program on glibc and on every heap, in turns.
    pub fn rounds(
        &self,
        program: &Program,
        heaps: &[Heap],
        rounds: usize,
    ) -> Result<(Deployed, Vec<Deployed>), String> {
        let libraries = self.libraries(program, heaps)?;
        let mut taken: Vec<[Vec<f64>; 3]> = vec![Default::default(); heaps.len() + 1];
        for round in 0..rounds {
            eprintln!("xtask: round {} of {rounds}: {}", round + 1, program.name);
            let slow = SLOW * Spread::of(&taken[0][0]).median;
            for turn in 0..taken.len() {
                // Each round begins with another.
                let number = (turn + round) % taken.len();
                if round >= ASKED && Spread::of(&taken[number][0]).median > slow {
                    continue;
                }
                let heap = number.checked_sub(1).map(|number| (&heaps[number], libraries[number].as_path()));
                let figures = self.once(program, heap)?;
                taken[number].iter_mut().zip(figures).for_each(|(all, figure)| all.push(figure));
            }
        }
        let mut all = taken.iter().map(|[time, peak, mean]| Deployed {
            time: Spread::of(time),
            peak: Spread::of(peak),
            mean: Spread::of(mean),
            touched: Spread::default(),
        });
        let baseline = all.next().unwrap_or_default();
        let asked = all.zip(heaps).map(|(deployed, heap)| {
            let touched = (0..ASKED).map(|_| self.touched(program, heap)).collect::<Result<Vec<f64>, _>>()?;
            Ok(Deployed { touched: Spread::of(&touched), ..deployed })
        });
        Ok((baseline, asked.collect::<Result<Vec<Deployed>, String>>()?))
    }

    /// Bytes of the heap's own pages that have memory, on average over the operations of a run.
    fn touched(&self, program: &Program, heap: &Heap) -> Result<f64, String> {
        let statistics = self.folder.join("statistics.json").display().to_string();
        let _ = std::fs::remove_file(&statistics);
        let said = Command::new(&self.heapsmith)
            .args(["run", "--map-from", "1024G", "--stats", &statistics, "--heap", &heap.spec, "--"])
            .args(&program.command)
            .envs(program.environment.iter().copied())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run {} on {}: {error}", program.name, heap.name))?;
        let text = std::fs::read_to_string(&statistics)
            .map_err(|_| format!("{} on {}: {}", program.name, heap.name, String::from_utf8_lossy(&said.stderr)))?;
        let counted: serde_json::Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        counted["touched_mean"].as_f64().ok_or_else(|| format!("no touched_mean in {text}"))
    }

    /// The library of each heap.
    fn libraries(&self, program: &Program, heaps: &[Heap]) -> Result<Vec<PathBuf>, String> {
        let library = |(number, heap): (usize, &Heap)| {
            let dir = self.folder.join(format!("emitted-{}-{number}", program.name));
            self.heapsmith(&["emit", &heap.spec, "--lang", "so", "-o", &dir.display().to_string()])?;
            Ok(dir.join("libmy_heap.so"))
        };
        heaps.iter().enumerate().map(library).collect()
    }

    /// One run, on glibc or on a heap's library: seconds, and bytes at the peak and on average.
    fn once(&self, program: &Program, heap: Option<(&Heap, &Path)>) -> Result<[f64; 3], String> {
        let figures = self.folder.join("figures");
        let _ = std::fs::remove_file(&figures);
        let mut command = Command::new(&self.resident);
        heap.map(|(_, library)| command.env("LD_PRELOAD", library));
        let name = heap.map_or("glibc", |(heap, _)| &heap.name);
        let said = command
            .arg(&figures)
            .args(&program.command)
            .envs(program.environment.iter().copied())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run {} on {name}: {error}", program.name))?;
        let failed = || format!("{} on {name}: {}", program.name, String::from_utf8_lossy(&said.stderr));
        let line = std::fs::read_to_string(&figures).map_err(|_| failed())?;
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [time, peak, mean, 0.0] => Ok([time / 1e6, peak * 1024.0, mean * 1024.0]),
            _ => Err(failed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn one_odd_round_of_nine_is_not_in_the_interval() {
        let spread = Spread::of(&[5.0, 1.0, 4.0, 6.0, 3.0, 7.0, 2.0, 8.0, 90.0]);
        assert_eq!((spread.low, spread.median, spread.high), (2.0, 5.0, 8.0));
        assert!(spread.is_below(&Spread::of(&[9.0, 10.0, 11.0])));
        assert!(!spread.is_below(&Spread::of(&[7.0, 10.0, 11.0])));
    }
}
