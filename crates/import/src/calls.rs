//! Logs of calls that ltrace, strace and tools like them write.
//!
//! ```text
//!   malloc(24)                                 = 0x55d0c6a2a0        ltrace
//!   [pid 712] 12:00:01.5 a.out->realloc(0x55d0c6a2a0, 48) = 0x55d0c6b2c0
//!   712 free(0x55d0c6b2c0)                     = <void>
//!   712 malloc(24 <unfinished ...>             a call that another thread interrupts
//!   712 <... malloc resumed> )                 = 0x55d0c6a2a0
//!   mmap(NULL, 8192, PROT_READ|PROT_WRITE, …)  = 0x7ff7751bc000      strace
//! ```
//!
//! Taken are malloc, calloc, realloc, reallocarray, free, memalign, aligned_alloc, valloc,
//! C++ new and delete (mangled or not), mmap, mremap and munmap; every other line is left
//! alone, as such logs hold other calls and the program's own output. `posix_memalign` does
//! not name its address and is counted as left out, as is an munmap of part of a mapping.
//! A mapping inside another is a block of its own. Process or thread numbers, and times of
//! `-t`, `-tt`, `-ttt` and `-r`, are understood. Processes of `-f` share one set of addresses.
//!
//! Source: the manual pages ltrace(1) and strace(1).

use std::collections::HashMap;

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::{hexadecimal, seconds, whole};
use crate::recording::{Recording, Taken};
use crate::source::Head;

pub(crate) const IMPORTER: Importer = Importer {
    name: "calls",
    about: "logs of malloc and free, or mmap and munmap, by ltrace, strace and the like",
    source: "ltrace(1), strace(1)",
    input: "an ltrace or strace log",
    parameters: &[KEEP_DAMAGED],
    begins,
    format: Format::Text(|| Box::new(Calls::default())),
};

/// Interrupted calls that are remembered: one a thread.
const MAX_PENDING: usize = 1 << 16;
const DAY: u64 = 86_400_000_000_000;

fn begins(head: &Head) -> bool {
    head.lines().iter().any(|line| {
        let (_, call) = stamp(line);
        matches!(part(call), Part::Whole { name, result, .. } if kind(name).is_some() && !result.is_empty())
    })
}

/// A call that is followed.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Malloc,
    Calloc,
    Realloc,
    ReallocArray,
    Free,
    Aligned,
    PosixMemalign,
    Map,
    Remap,
    Unmap,
}

fn kind(name: &str) -> Option<Kind> {
    let name = name.rsplit("->").next().unwrap_or(name);
    let name = name.split('@').next().unwrap_or(name).trim_start_matches("SYS_");
    Some(match name {
        "malloc" | "valloc" | "pvalloc" | "_Znwm" | "_Znam" | "_Znwj" | "_Znaj" | "operator new" | "operator new[]" => {
            Kind::Malloc
        }
        "calloc" => Kind::Calloc,
        "realloc" => Kind::Realloc,
        "reallocarray" => Kind::ReallocArray,
        "free" | "cfree" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" | "operator delete" | "operator delete[]" => {
            Kind::Free
        }
        "memalign" | "aligned_alloc" => Kind::Aligned,
        "posix_memalign" => Kind::PosixMemalign,
        "mmap" | "mmap2" => Kind::Map,
        "mremap" => Kind::Remap,
        "munmap" => Kind::Unmap,
        _ => return None,
    })
}

/// The prefix of a call: who, and when.
#[derive(Default, Clone, Copy)]
struct Stamp {
    thread: Option<u64>,
    time: Option<Time>,
}

#[derive(Clone, Copy)]
enum Time {
    /// Of the day.
    Clock(u64),
    /// Since 1970, or since the last line where it is small.
    Seconds(u64),
}

/// Takes thread and time off a line.
fn stamp(line: &str) -> (Stamp, &str) {
    let (mut stamp, mut rest) = (Stamp::default(), line);
    if let Some((thread, after)) = rest.strip_prefix("[pid").and_then(|rest| rest.split_once(']')) {
        (stamp.thread, rest) = (whole(thread.trim()), after.trim_start());
    }
    while let Some((word, after)) = rest.split_once(char::is_whitespace) {
        if let Some(time) = time_of(word) {
            stamp.time = Some(time);
        } else if let (None, Some(thread)) = (stamp.thread, whole(word)) {
            stamp.thread = Some(thread);
        } else {
            break;
        }
        rest = after.trim_start();
    }
    (stamp, rest)
}

fn time_of(word: &str) -> Option<Time> {
    let Some((hours, rest)) = word.split_once(':') else { return seconds(word).map(Time::Seconds) };
    let (minutes, second) = rest.split_once(':')?;
    let second = seconds(second).or_else(|| whole(second)?.checked_mul(1_000_000_000))?;
    let minutes = whole(hours)?.checked_mul(60)?.checked_add(whole(minutes)?)?;
    minutes.checked_mul(60_000_000_000)?.checked_add(second).map(Time::Clock)
}

/// What a line holds of a call.
enum Part<'l> {
    Whole {
        name: &'l str,
        arguments: &'l str,
        result: &'l str,
    },
    Begin {
        name: &'l str,
        arguments: &'l str,
    },
    End {
        name: &'l str,
        arguments: &'l str,
        result: &'l str,
    },
    /// An allocation call that stops in its middle.
    Cut,
    Other,
}

fn part(call: &str) -> Part<'_> {
    let ends = |text| -> Option<(&str, &str)> {
        let (arguments, result) = str::rsplit_once(text, " = ").or_else(|| str::rsplit_once(text, ")= "))?;
        let arguments = arguments.trim_end();
        Some((arguments.strip_suffix(')').unwrap_or(arguments), result.trim()))
    };
    if let Some((name, rest)) = call.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
        return match ends(rest) {
            Some((arguments, result)) => Part::End { name, arguments, result },
            None if kind(name).is_some() => Part::Cut,
            None => Part::Other,
        };
    }
    // Demangled names have brackets of their own: operator new(unsigned long)(24).
    let Some((name, rest)) = call.split_once('(') else { return Part::Other };
    let rest = match rest.split_once(")(") {
        Some((_, rest)) if name.contains("operator ") => rest,
        _ => rest,
    };
    if let Some(arguments) = rest.strip_suffix("<unfinished ...>") {
        return Part::Begin { name, arguments };
    }
    match ends(rest) {
        Some((arguments, result)) => Part::Whole { name, arguments, result },
        None if kind(name) == Some(Kind::Free) && rest.ends_with(')') => {
            Part::Whole { name, arguments: &rest[..rest.len() - 1], result: "<void>" }
        }
        None if kind(name).is_some() => Part::Cut,
        None => Part::Other,
    }
}

#[derive(Default)]
struct Calls {
    pending: HashMap<u64, (Kind, String)>,
    mapped: HashMap<u64, u64>,
    first: Option<u64>,
    last: u64,
    days: u64,
}

impl Text for Calls {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        let (stamp, call) = stamp(line);
        let thread = stamp.thread.unwrap_or(0);
        match part(call) {
            Part::Other => Ok(()),
            Part::Cut => Err("a call that stops before its result".into()),
            Part::Begin { name, arguments } => {
                let Some(kind) = kind(name) else { return Ok(()) };
                if self.pending.len() >= MAX_PENDING {
                    return Err("too many calls that never return".into());
                }
                self.pending.insert(thread, (kind, arguments.to_owned()));
                Ok(())
            }
            Part::End { name, arguments, result } => {
                let Some(kind) = kind(name) else { return Ok(()) };
                let Some((begun, before)) = self.pending.remove(&thread).filter(|(begun, _)| *begun == kind) else {
                    recording.left_out();
                    return Ok(());
                };
                self.at(stamp, thread, recording);
                self.call(begun, &format!("{before},{arguments}"), result, recording)
            }
            Part::Whole { name, arguments, result } => {
                let Some(kind) = kind(name) else { return Ok(()) };
                self.at(stamp, thread, recording);
                self.call(kind, arguments, result, recording)
            }
        }
    }
}

impl Calls {
    fn at(&mut self, stamp: Stamp, thread: u64, recording: &mut Recording<'_>) {
        recording.on_thread(thread);
        let now = match stamp.time {
            None => return,
            Some(Time::Clock(clock)) => {
                let now = clock.saturating_add(self.days);
                if now + DAY / 2 < self.last {
                    self.days += DAY;
                }
                clock.saturating_add(self.days)
            }
            // A time since 1970 is past 2001.
            Some(Time::Seconds(since)) if since >= 1_000_000_000_000_000_000 => since,
            Some(Time::Seconds(step)) => self.last.saturating_add(step),
        };
        self.last = now;
        let first = *self.first.get_or_insert(now);
        recording.time = Nanoseconds(now.saturating_sub(first));
    }

    fn call(&mut self, kind: Kind, arguments: &str, result: &str, recording: &mut Recording<'_>) -> Taken {
        let number = |place: usize| {
            let arguments = arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty());
            let text = arguments.into_iter().nth(place).unwrap_or("");
            whole(text).or_else(|| hexadecimal(text)).ok_or_else(|| format!("argument {} is not a number", place + 1))
        };
        let result = result.split_ascii_whitespace().next().unwrap_or("");
        let address = || hexadecimal(result).ok_or("the result is not an address");
        let product = |a: u64, b: u64| a.checked_mul(b).ok_or("count times size is more than 2^64 bytes");
        if matches!(kind, Kind::Free) {
            return recording.free(number(0)?);
        }
        if result.starts_with('-')
            || result == "?"
            || (address() == Ok(0) && !matches!(kind, Kind::Realloc | Kind::Unmap | Kind::PosixMemalign))
        {
            recording.failed();
            return Ok(());
        }
        match kind {
            Kind::Malloc => recording.allocate(address()?, number(0)?, 0),
            Kind::Calloc => recording.allocate(address()?, product(number(0)?, number(1)?)?, 0),
            Kind::Realloc => recording.reallocate(number(0)?, address()?, number(1)?),
            Kind::ReallocArray => recording.reallocate(number(0)?, address()?, product(number(1)?, number(2)?)?),
            Kind::Aligned => recording.allocate(address()?, number(1)?, number(0)?),
            Kind::Map => {
                self.mapped.insert(address()?, number(1)?);
                recording.allocate(address()?, number(1)?, 0)
            }
            Kind::Remap => {
                self.mapped.remove(&number(0)?);
                self.mapped.insert(address()?, number(2)?);
                recording.reallocate(number(0)?, address()?, number(2)?)
            }
            Kind::Unmap => {
                let (address, length) = (number(0)?, number(1)?);
                match self.mapped.get(&address) {
                    Some(&size) if length.saturating_add(4095) >= size => {
                        self.mapped.remove(&address);
                        recording.free(address)
                    }
                    _ => {
                        recording.left_out();
                        Ok(())
                    }
                }
            }
            Kind::PosixMemalign => {
                recording.left_out();
                Ok(())
            }
            Kind::Free => Ok(()),
        }
    }
}
