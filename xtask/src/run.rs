//! Running other programs from the workspace's root.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// What every verb gives: nothing, or what went wrong.
pub type Outcome = Result<(), String>;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into)
}

/// Runs a program and fails if it does.
pub fn run(program: &str, arguments: &[&str]) -> Outcome {
    run_with(program, &[], arguments)
}

thread_local! {
    /// Where programs that this thread runs write, if not where this process does.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
    /// Processor time of the programs that this thread ran; none once the system did not report one.
    static SPENT: Cell<Option<Duration>> = const { Cell::new(Some(Duration::ZERO)) };
}

/// Processor time of all programs that this thread ran with [`run_with`], and of theirs; none if the system does not report
/// it.
pub fn spent() -> Option<Duration> {
    SPENT.get()
}

/// Does a job on this thread; what the programs that it runs write goes to `log`.
pub fn logged<T>(log: File, job: impl FnOnce() -> T) -> T {
    LOG.set(Some(log));
    let done = job();
    LOG.set(None);
    done
}

/// Runs a program with more in its environment.
pub fn run_with(program: &str, environment: &[(&str, &str)], arguments: &[&str]) -> Outcome {
    eprintln!("xtask: {program} {}", arguments.join(" "));
    let failed = |error: std::io::Error| format!("cannot run {program}: {error}");
    let mut command = Command::new(program);
    command.args(arguments).envs(environment.iter().copied()).current_dir(root());
    LOG.with_borrow(|log| {
        let Some(log) = log else { return Ok(()) };
        command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        Ok(())
    })
    .map_err(failed)?;
    let status = command.spawn().and_then(wait).map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("{program} {} failed: {status}", arguments.join(" "))) }
}

/// Waits for a program; what it spent is this thread's.
fn wait(mut child: Child) -> std::io::Result<ExitStatus> {
    let ended = waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let took = ended.ok().and_then(|_| processor_time_of(child.id()));
    SPENT.set(SPENT.get().zip(took).map(|(earlier, now)| earlier + now));
    child.wait()
}

/// Processor time of a process, and of those that it waited for.
fn processor_time_of(process: u32) -> Option<Duration> {
    ticks(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?, 14..=17)
}

/// Processor time of all processes that this one started and that ended, and of theirs.
pub fn processor_time() -> Option<Duration> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?, 16..=17)
}

/// The sum of fields of `/proc/PID/stat` that are hundredths of a second: 14 and 15 are the process's, 16 and 17 those of
/// its children that ended.
fn ticks(stat: &str, fields: RangeInclusive<usize>) -> Option<Duration> {
    // The program's name may hold anything, and ends with the last parenthesis; field 3 follows.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.map(|field| words.get(field - 3)?.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(10 * ticks))
}

/// Compiles a C program of one file, which may have threads; `source` begins at the workspace.
pub fn compile(source: &str, program: &Path) -> Outcome {
    let source = root().join(source).display().to_string();
    run("cc", &["-O2", "-pthread", "-o", &program.display().to_string(), &source])
}

/// Asks a server until it answers, for a minute at most.
pub fn answers(ask: impl Fn() -> Result<String, String>) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(60);
    let began = Instant::now();
    while let Err(why) = ask() {
        if began.elapsed() > PATIENCE {
            return Err(why);
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Runs a program and returns what it wrote, or what it said went wrong.
pub fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{program} {} failed:\n{}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)))
}

/// Runs cargo.
pub fn cargo(arguments: &[&str]) -> Outcome {
    run(env!("CARGO"), arguments)
}

/// Runs cargo with more in its environment.
pub fn cargo_with(environment: &[(&str, &str)], arguments: &[&str]) -> Outcome {
    run_with(env!("CARGO"), environment, arguments)
}

/// Whether a program can be run, with the words that follow its name.
pub fn is_there(program: &str) -> bool {
    let mut words = program.split_whitespace();
    let name = words.next().unwrap_or(program);
    Command::new(name).args(words).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_times_are_read_behind_a_name_with_parentheses() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 100 900 0 0 11 12 130 25 20 0 1 0 5 0 0";
        assert_eq!(ticks(stat, 16..=17), Some(Duration::from_millis(1550)));
        assert_eq!(ticks(stat, 14..=17), Some(Duration::from_millis(1780)));
        assert_eq!(ticks("no stat", 14..=17), None);
    }

    #[test]
    fn a_thread_knows_what_its_own_programs_spent() {
        run("sh", &["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"]).expect("a shell");
        assert!(spent().is_some_and(|spent| spent >= Duration::from_millis(20)), "{:?}", spent());
        assert_eq!(std::thread::spawn(spent).join().expect("no panic"), Some(Duration::ZERO));
    }
}
