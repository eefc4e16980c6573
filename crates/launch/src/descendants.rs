//! What a process started.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// A process and all that it started, and those started, as far as they live.
pub fn descendants(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut at = 0;
    while at < found.len() {
        let threads = fs::read_dir(format!("/proc/{}/task", found[at])).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|number| number.parse::<u32>().ok()));
        }
        at += 1;
    }
    found
}

/// Sends a signal to all that this process started, and to what those started, as far as they live.
pub fn end_descendants(signal: Signal) {
    for process in descendants(std::process::id()).into_iter().skip(1) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        // One that has just ended needs no signal.
        process.map(|process| kill_process(process, signal));
    }
}
