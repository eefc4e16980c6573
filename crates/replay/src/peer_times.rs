//! Times of reference allocators, in a process of their own.
//!
//! ```text
//!   parent                                        child: the command, run again
//!   the events ──────────────────────────────────▶ kept
//!   "peer:libc 40000\n" ─────────────────────────▶ one round
//!   waits, so that nothing else is timed     ◀──── "15.2\n": nanoseconds an operation
//! ```
//!
//! The C library's allocator serves the process that times it, too. Who explored has free blocks of a million other requests in
//! its lists, and there it takes twice as long for the same events. In a process that does nothing else it begins as in a program.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use heapsmith_trace::{Bytes, PackedTrace};
use quanta::Clock;

use crate::error::ReplayError;
use crate::pages::{receive, send};
use crate::region::Region;
use crate::subject::Subject;
use crate::timed::one_round;

/// First argument of a process that times reference allocators for its parent.
pub const TIME_CHILD: &str = "--time-for";

/// The parent's end. The child ends with it.
pub(crate) struct PeerTimes {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<Box<dyn Read>>,
}

impl PeerTimes {
    /// Runs `command` again, and hands it the events.
    pub fn begin(command: &Path, trace: &PackedTrace) -> Result<PeerTimes, ReplayError> {
        let begin = || {
            let mut child = Command::new(command)
                .arg(TIME_CHILD)
                .args(
                    [Region::size_for_timing(trace).0, trace.slots as u64, trace.events.len() as u64]
                        .map(|it| it.to_string()),
                )
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let (asks, answers) = (child.stdin.take(), child.stdout.take());
            let (mut asks, answers) = asks.zip(answers).ok_or(io::ErrorKind::BrokenPipe)?;
            send(&trace.events, &mut asks)?;
            Ok(PeerTimes { child, asks, answers: BufReader::new(Box::new(answers)) })
        };
        begin().map_err(lost)
    }

    /// One round of a peer on the first events: nanoseconds an operation.
    pub fn round(&mut self, subject: &Subject, events: usize) -> Result<f64, ReplayError> {
        let mut answer = String::new();
        writeln!(self.asks, "{subject} {events}").map_err(lost)?;
        self.answers.read_line(&mut answer).map_err(lost)?;
        answer.trim().parse().map_err(|_| lost(io::ErrorKind::UnexpectedEof.into()))
    }
}

impl Drop for PeerTimes {
    fn drop(&mut self) {
        // It only waits for what to do next.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lost(source: io::Error) -> ReplayError {
    ReplayError::PeerTimes { said: source.to_string() }
}

/// The child: what follows [`TIME_CHILD`] are its arguments. It answers until its input ends.
///
/// # Errors
///
/// [`ReplayError::PeerTimes`] where its parent said what it does not understand, or has gone.
pub fn time_child(arguments: &[String], input: &mut impl BufRead, output: &mut impl Write) -> Result<(), ReplayError> {
    let wrong = || lost(io::ErrorKind::InvalidInput.into());
    let numbers: Vec<usize> = arguments.iter().filter_map(|word| word.parse().ok()).collect();
    let [region, slots, count] = numbers[..] else { return Err(wrong()) };
    let events = receive(input, count).map_err(lost)?;
    let (mut region, clock) = (Region::new(Bytes(region as u64))?, Clock::new());
    for line in input.lines() {
        let line = line.map_err(lost)?;
        let (subject, events) = line
            .rsplit_once(' ')
            .and_then(|(subject, count)| Some((subject.parse::<Subject>().ok()?, events.get(..count.parse().ok()?)?)))
            .ok_or_else(wrong)?;
        let took = one_round(&subject, events, slots, subject.reuses(), &mut region, &clock)?;
        writeln!(output, "{took}").and_then(|()| output.flush()).map_err(lost)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Event, Trace};

    use super::*;

    #[test]
    fn a_child_answers_every_line_and_ends_with_its_input() {
        let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(64), alignment: 0 });
        let trace = Trace { events: (0..100).map(allocate).collect(), ..Trace::default() };
        let trace = PackedTrace::new(&trace).expect("a trace");
        let arguments = [1 << 20, trace.slots, trace.events.len()].map(|number| number.to_string());
        let answers = |asked: &str| {
            let (mut input, mut output) = (Vec::new(), Vec::new());
            send(&trace.events, &mut input).expect("memory");
            input.extend_from_slice(asked.as_bytes());
            let outcome = time_child(&arguments, &mut input.as_slice(), &mut output);
            (outcome, String::from_utf8(output).expect("text"))
        };
        let (outcome, text) = answers("peer:libc 100\npeer:rlsf 50\n");
        let times: Vec<f64> = text.lines().map(|line| line.parse().expect("a number")).collect();
        assert!(outcome.is_ok() && times.len() == 2 && times.iter().all(|&took| took > 0.0), "{outcome:?} {text}");
        for wrong in ["peer:libc 101\n", "peer:nobody 10\n", "peer:libc\n"] {
            assert!(matches!(answers(wrong).0, Err(ReplayError::PeerTimes { .. })), "{wrong}");
        }
    }
}
