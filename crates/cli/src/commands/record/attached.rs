//! `heapsmith record --pid`: a program that runs already is recorded for a while, and runs on.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use heapsmith_recording::{Attached, Detached, EVENTS};
use heapsmith_trace::{Bytes, plural};

use super::rotating::Rotating;
use super::{Making, Of, folder, made, show};
use crate::args::Record;
use crate::console::{error, note};
use crate::failure::Failure;
use crate::quoted::quoted;
use crate::{interrupt, progress};

/// How often it is looked whether to end.
const STEP: Duration = Duration::from_millis(50);

pub(super) fn run(arguments: &Record, process: u32) -> Result<u8, Failure> {
    refuse(arguments)?;
    let stop = interrupt::catch();
    let program = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
    let folder = folder(arguments.out.as_deref(), program.file_name().unwrap_or(OsStr::new("program")))?;
    let begun = Attached::to(process, &folder, arguments.sites.unwrap_or(0), arguments.every());
    let attached = begun.inspect_err(|_| drop(std::fs::remove_dir(&folder)))?;
    let until = arguments.lasts.map(|lasts| Instant::now() + lasts);
    let spinner = progress::spinner("");
    let begun = Instant::now();
    let making = Making { keep_command: arguments.keep_command, of: Of::Running, peer: None, own: None };
    let mut rotating = Rotating::of(arguments);
    while !stop.load(Ordering::Relaxed) && until.is_none_or(|until| Instant::now() < until) && attached.runs() {
        // A file that cannot be written to is one that the recorder cannot write to either.
        let _ = attached.note();
        if let Some(rotating) = &mut rotating {
            rotating.turn(attached.recording(), &folder, &making, || attached.rotation());
        }
        let seconds = begun.elapsed().as_secs();
        let bytes = Bytes(attached.bytes());
        spinner.set_message(format!(
            "recording {process}: {seconds} s, {bytes}; Ctrl-C ends the recording, not the program"
        ));
        sleep(STEP);
    }
    spinner.finish_and_clear();
    let detached = attached.detach(&folder)?;
    let made = made(std::slice::from_ref(&detached.recording), &making, rotating.as_mut())?;
    let gone = rotating.map_or(0, |rotating| rotating.events_gone);
    say(process, &program, &detached, gone + made.iter().map(|one| one.recorded.events).sum::<u64>());
    show(&folder, &made, None, arguments.format)?;
    Ok(0)
}

/// Options that are of a program that is started.
fn refuse(arguments: &Record) -> Result<(), Failure> {
    if !arguments.symbols.is_empty() {
        let list = quoted(Path::new(&arguments.symbols.join(",")));
        return Err(Failure::wrong_use(format!(
            "--symbols changes functions before a program's first instruction, and --pid is of one that runs: start it, by \
             heapsmith record --symbols {list} -- PROGRAM"
        )));
    }
    if !arguments.only.is_empty() {
        return Err(Failure::wrong_use(
            "--pid records one process, and none that it starts: leave --only out, and name the process that you want, \
             as pgrep NAME prints it",
        ));
    }
    Ok(())
}

/// What the recording took from the program.
fn say(process: u32, program: &Path, detached: &Detached, events: u64) {
    let name = program.file_name().unwrap_or_default().display();
    let Detached { lasted, busy, held, event_cost, .. } = detached;
    let on = if detached.ended { "it has ended" } else { "it runs on" };
    note!("heapsmith: {name} ({process}) was recorded for {:.1} s, and {on}", lasted.as_secs_f64());
    let held = held.as_secs_f64() * 1000.0;
    note!("heapsmith: slow-down: one thread held for {held:.1} ms in all; {}", cost(events, *event_cost, *busy));
    if events == 0 {
        error!("heapsmith: nothing was allocated or freed meanwhile");
    }
}

/// What events took, by the cost of this many that were measured alone, and of what processor time.
fn cost(events: u64, of_some: Duration, busy: Duration) -> String {
    let counted = plural(events, "event", "events");
    let one = of_some.as_nanos() / u128::from(EVENTS);
    let took = of_some.mul_f64(events as f64 / f64::from(EVENTS)).as_secs_f64();
    // The system counts processor time in hundredths of a second.
    let busy = Some(busy.as_secs_f64()).filter(|busy| *busy >= 0.1);
    match busy {
        _ if one == 0 => format!("what {counted} took is not known"),
        Some(busy) if took >= busy => format!(
            "{counted} took less than its {busy:.1} s of processor time: the {one} ns that one was measured to take are \
             what else the machine did then"
        ),
        busy => {
            let share = busy.map_or_else(String::new, |busy| {
                format!(" of its {busy:.1} s of processor time ({:.1}%)", took / busy * 100.0)
            });
            format!(
                "{counted} took {took:.2} s or more{share}, as one takes {one} ns where the caches have all that it needs"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_take_no_more_than_their_program() {
        let some = |nanoseconds: u64| Duration::from_nanos(nanoseconds * u64::from(EVENTS));
        let said = |one, busy| cost(10_000_000, some(one), Duration::from_millis(busy));
        assert!(
            said(20, 400).contains("took 0.20 s or more of its 0.4 s of processor time (50.0%)"),
            "{}",
            said(20, 400)
        );
        assert!(said(204, 200).contains("took less than its 0.2 s of processor time"), "{}", said(204, 200));
        assert!(said(0, 200).ends_with("is not known") && !said(20, 50).contains("processor time"));
    }
}
