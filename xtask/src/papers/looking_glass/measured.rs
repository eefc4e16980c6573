//! What is read off a program: instructions, what it asked for, times of first calls.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

use super::programs::{Program, file};

/// What one run of a program showed.
pub struct Counts {
    /// Inside the two functions of the allocator.
    pub instructions: u64,
    /// Bytes requested, the smallest and the largest size, frees, and bytes by which the heap grew: fields of a row.
    pub asked: String,
}

/// Counts a program with the seed 1.
pub fn counts(program: &Program, folder: &Path, requests: u64) -> Result<Counts, String> {
    let path = folder.join(file(program.name, program.asks));
    let traced = path.display().to_string() + "-traced";
    let asked = ran(Command::new(traced).arg(requests.to_string()).arg("0").env("SEED", "1"))?;
    let collect = program.functions.map(|name| format!("--toggle-collect={name}"));
    let out = format!("--callgrind-out-file={}", folder.join("callgrind").display());
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", &collect[0], &collect[1], &out]).arg(path);
    let counted = ran(command.arg(requests.to_string()).arg("0").env("SEED", "1"))?;
    Ok(Counts {
        instructions: collected(&String::from_utf8_lossy(&counted.stderr))?,
        asked: String::from_utf8_lossy(&asked.stderr).trim().to_owned(),
    })
}

/// The instructions in what callgrind says at the end.
fn collected(said: &str) -> Result<u64, String> {
    let line = said.lines().find_map(|line| line.split_once("Collected : "));
    line.and_then(|(_, count)| count.trim().parse().ok()).ok_or_else(|| format!("callgrind counted nothing:\n{said}"))
}

fn ran(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))
}

/// Ten allocations of each size of Figure 18 in processes of their own, by the heaps in turns.
pub fn first_calls(folder: &Path, runs: u64) -> Result<String, String> {
    let mut text = "heap,run,size,nanoseconds,system_calls\n".to_owned();
    for number in 0..runs {
        for name in STACKS {
            let output = ran(&mut Command::new(folder.join(format!("first-calls-{name}"))))?;
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                let _ = writeln!(text, "{name},{number},{line}");
            }
        }
    }
    Ok(text)
}

/// The authors' stack, and heaps of this project that get a region and its pages in their first call.
const STACKS: [&str; 3] = ["stack", "our-stack", "our-linear"];

/// What the authors' own runs took, as they kept it next to their programs: median and interval of the microseconds.
pub fn kept(folder: &Path) -> Result<String, String> {
    let mut text = "program,requests,runs,low,median,high\n".to_owned();
    for name in ["implicit", "explicit", "tree", "malloc"] {
        for requests in [10, 100, 1000, 10_000] {
            let path = folder.join("kept").join(name).join(format!("outputTime{requests}.txt"));
            let said = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let times = said.lines().filter_map(|line| line.trim().parse::<f64>().ok()).map(|ms| ms * 1000.0);
            let (runs, [low, median, high]) = of_median(times.collect());
            let _ = writeln!(text, "{name},{requests},{runs},{low:.3},{median:.3},{high:.3}");
        }
    }
    Ok(text)
}

/// How many there are, and the median of 100 with the ends of its interval of 95% by the sign test.
fn of_median(mut times: Vec<f64>) -> (usize, [f64; 3]) {
    times.sort_by(f64::total_cmp);
    let at = |rank: usize| times.get(rank - 1).copied().unwrap_or(f64::NAN);
    (times.len(), [at(40), (at(50) + at(51)) / 2.0, at(61)])
}

#[cfg(test)]
mod tests {
    use super::{collected, of_median};

    #[test]
    fn what_callgrind_collected_is_read() {
        let said = "==7== Callgrind\n==7== \n==7== Events    : Ir\n==7== Collected : 223638\n";
        assert_eq!(collected(said), Ok(223_638));
        assert!(collected("==7== killed").is_err());
    }

    #[test]
    fn the_interval_of_a_hundred_leaves_out_39_at_either_end() {
        let times = (1..=100).rev().map(f64::from).collect();
        assert_eq!(of_median(times), (100, [40.0, 50.5, 61.0]));
    }
}
