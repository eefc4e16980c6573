//! What is read off a program: instructions, what it asked for, times of the stack.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

use super::programs::{Program, file, glue};
use crate::run::run;

/// What one run of a program showed.
pub struct Counts {
    /// Inside the two functions of the allocator.
    pub instructions: u64,
    /// Bytes requested, the least and the greatest size, and bytes by which the heap grew: fields of a row.
    pub asked: String,
}

/// Counts a program with the seed 1.
pub fn counts(program: &Program, folder: &Path, requests: u64) -> Result<Counts, String> {
    let path = folder.join(file(program.name, program.asks));
    let traced = path.display().to_string() + "-traced";
    let asked = ran(Command::new(traced).arg(requests.to_string()).arg("0").env("SEED", "1"))?;
    let collect = program.functions().map(|name| format!("--toggle-collect={name}"));
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

/// Ten allocations of each size of Figure 18 by the authors' stack, in processes of their own.
pub fn stack_times(files: &Path, folder: &Path, runs: u64) -> Result<String, String> {
    let stack = files.join("Stack");
    let program = folder.join("stack").display().to_string();
    let [original, include] = [stack.join("mymalloc.c").display().to_string(), format!("-I{}", stack.display())];
    run("cc", &["-w", &include, &original, &format!("{}/stack.c", glue()), "-Wl,--wrap=sbrk", "-o", &program])?;
    let mut text = "run,size,nanoseconds,breaks\n".to_owned();
    for number in 0..runs {
        let output = ran(&mut Command::new(&program))?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let _ = writeln!(text, "{number},{line}");
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn what_callgrind_collected_is_read() {
        let said = "==7== Callgrind\n==7== \n==7== Events    : Ir\n==7== Collected : 223638\n";
        assert_eq!(collected(said), Ok(223_638));
        assert!(collected("==7== killed").is_err());
    }
}
