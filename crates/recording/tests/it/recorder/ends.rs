//! Programs that are killed, and disks that are full: what was recorded is there.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::programs::{Bench, read, words};
use heapsmith_launch::{Effect, Ended};
use heapsmith_recording::{Recorded, Stopped};
use heapsmith_trace::Action;

const NO_SPACE: i32 = 28;
const FILE_TOO_LARGE: i32 = 27;

/// How far the program says that it came.
fn told(file: &Path) -> u64 {
    let bytes = std::fs::read(file).unwrap_or_default();
    bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// Blocks of 1, 2, 3 … bytes that were allocated and freed without a gap.
fn steps(recorded: &Recorded) -> u64 {
    let mut steps = 0;
    let events = &recorded.trace.events;
    let start = events.iter().position(|event| matches!(event.action, Action::Allocate { size, .. } if size.0 == 1));
    for pair in events[start.expect("the first step")..].chunks(2) {
        match (pair[0].action, pair.get(1).map(|event| event.action)) {
            (Action::Allocate { id, size, .. }, Some(Action::Free { id: freed })) => {
                assert_eq!((id, size.0), (freed, steps + 1), "a gap");
                steps += 1;
            }
            (Action::Allocate { size, .. }, None) => assert_eq!(size.0, steps + 1),
            other => panic!("{other:?} is no step"),
        }
    }
    steps
}

#[test]
fn a_killed_program_loses_nothing_that_it_did() {
    let bench = Bench::new();
    let (program, file) = (bench.compile("endless.c"), bench.path().join("told"));
    let mut child = bench.start(&[program, file.clone().into()]);
    while told(&file) < 300_000 {
        std::thread::sleep(Duration::from_millis(2));
        assert!(child.try_wait().expect("a child").is_none(), "it runs until it is killed");
    }
    child.kill().expect("it is killed");
    assert_eq!(Ended::from(child.wait().expect("it ends")), Ended::Signal(9));
    let (told, recorded) = (told(&file), steps(&bench.only()));
    assert!(recorded == told || recorded == told + 1, "{told} steps were made, {recorded} recorded");
}

/// Runs 200,000 steps through a shell; the program must not notice that recording stops on the way.
fn stops(bench: &Bench, before: &str, error: i32) {
    let (program, file) = (bench.compile("endless.c"), bench.path().join("told"));
    let command = format!("{before} exec {} {} 200000", program.display(), file.display());
    assert_eq!(bench.run(&words(&["bash", "-c", &command])), Ended::Code(0));
    assert_eq!(told(&file), 200_000);
    let recorded = bench.recorded();
    let stopped = recorded.iter().find(|one| one.program == "endless").expect("a recording");
    assert_eq!(stopped.remarks.stopped, Some(Stopped::Error(error)));
    let steps = steps(stopped);
    assert!((10_000..200_000).contains(&steps), "{steps} steps are kept");
}

#[test]
fn a_limit_on_files_ends_the_recording_and_not_the_program() {
    // In units of 1024 bytes.
    stops(&Bench::new(), "ulimit -f 1200;", FILE_TOO_LARGE);
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let bench = Bench::new();
    let folder = bench.recordings();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1300k", "none"]).arg(&folder).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("did not run: only root can mount a small file system; the limit on files is tested instead");
        return;
    }
    let unmount = Unmount(folder.clone().into());
    stops(&bench, "", NO_SPACE);
    drop(unmount);
}

#[test]
fn limits_below_what_a_recording_begins_with_do_not_touch_the_program_and_are_noted() {
    let bench = Bench::new();
    let program = bench.compile("limits.c");
    let limited = words(&["bash", "-c", &format!("ulimit -f 4; exec {}", program.display())]);
    let witnessed = bench.witnessed(&limited);
    assert_eq!((witnessed.ended, witnessed.effect), (Ended::Code(0), Effect::Refused(FILE_TOO_LARGE)));
    let own = |file: &std::path::PathBuf| file.to_string_lossy().contains("limits-");
    assert!(!bench.files().iter().any(own), "no recording that is none: {:?}", bench.files());
}

#[test]
fn a_program_that_limits_itself_is_recorded_on() {
    let bench = Bench::new();
    let program = bench.compile("limits.c");
    for limit in ["files", "descriptors"] {
        let witnessed = bench.witnessed(&[program.clone(), limit.into()]);
        assert_eq!((witnessed.ended, witnessed.effect), (Ended::Code(0), Effect::Took), "{limit}");
        let file = bench.files().remove(0);
        let recorded = read(&file);
        std::fs::remove_file(file).expect("a recording");
        assert_eq!((recorded.remarks.stopped, recorded.allocations >= 100_000), (None, true), "{limit}");
    }
}

#[test]
fn a_disk_that_is_full_from_the_beginning_is_noted() {
    let bench = Bench::new();
    let folder = bench.recordings();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4k", "none"]).arg(&folder).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("did not run: only root can mount a small file system; a folder that is not there is tested instead");
        std::fs::remove_dir(&folder).expect("an empty folder");
        let program = bench.compile("count.c");
        assert_eq!(bench.witnessed(&[program]).effect, Effect::Refused(2));
        return;
    }
    let unmount = Unmount(folder.clone().into());
    let program = bench.compile("endless.c");
    let witnessed = bench.witnessed(&[program, bench.path().join("told").into(), "1000".into()]);
    assert_eq!((witnessed.ended, witnessed.effect), (Ended::Code(0), Effect::Refused(NO_SPACE)));
    drop(unmount);
}

#[test]
fn a_program_that_forbids_itself_almost_every_system_call_runs_as_without_the_recorder() {
    let bench = Bench::new();
    let program = bench.compile("restricts.c");
    let witnessed = bench.witnessed(&[program, "strict".into(), "1000".into()]);
    assert_eq!((witnessed.ended, witnessed.effect), (Ended::Code(0), Effect::Took));
    let recorded = bench.only();
    assert!(recorded.allocations >= 1000, "what came before is there: {}", recorded.allocations);
    assert_eq!(recorded.remarks.stopped, Some(Stopped::RestrictedCalls));
}

#[test]
fn a_program_behind_a_filter_of_system_calls_is_recorded_on() {
    let bench = Bench::new();
    let program = bench.compile("restricts.c");
    let events = |steps: &str| {
        let witnessed = bench.witnessed(&[program.clone(), "filter".into(), steps.into()]);
        assert_eq!((witnessed.ended, witnessed.effect), (Ended::Code(0), Effect::Took));
        let file = bench.files().remove(0);
        let recorded = read(&file);
        std::fs::remove_file(file).expect("a recording");
        recorded
    };
    // Two windows before and two after: blocks are copied to the reserve.
    let recorded = events("40000");
    assert_eq!((recorded.remarks.stopped, recorded.allocations >= 80_000), (None, true), "{}", recorded.allocations);
    // Beyond the reserve: the recording ends, and the program does not notice.
    let recorded = events("1500000");
    assert_eq!(recorded.remarks.stopped, Some(Stopped::RestrictedCalls));
    assert!(recorded.allocations > 2_000_000, "{}", recorded.allocations);
}

struct Unmount(OsString);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
