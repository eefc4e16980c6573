//! The memory of a running program, sampled.
//!
//! ```text
//!   /proc/PID/task/*/children ─▶ its processes ─▶ VmRSS of each, summed ─▶ samples ─▶ peak, mean
//!                                            └──▶ VmHWM of each, the system's own record ─▶ peak of one
//! ```
//!
//! A sample costs some 20 µs a process on another processor than the program's, where there is one. It is taken every tenth of a
//! millisecond or so at first, as programs may be short, then every millisecond, and every five later. What processes share after
//! a fork counts once: their parts of it are summed (Pss_Anon), for which the system walks all pages, so three times what that took is waited.
//! Pages of files are counted in each.
//! A process that its parent did not wait for (a daemon's) is not found. What is missed between samples is bounded by the record that
//! the system keeps of each process, but for its last samples.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use heapsmith_launch::descendants;

/// Between samples, until so long after the beginning; the system adds some 50 µs to each. And then.
const FINE: [(Duration, Duration); 2] =
    [(Duration::from_micros(50), Duration::from_millis(20)), (Duration::from_millis(1), Duration::from_millis(300))];
const COARSE: Duration = Duration::from_millis(5);

/// Between looks for new processes.
const LOOK: Duration = Duration::from_millis(20);

/// A watch over a program, until it is ended.
pub struct Watch {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<Samples>,
}

/// What was sampled.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// Bytes resident, at moments.
    resident: Vec<(Instant, u64)>,
    /// Most bytes resident in one process, by the system's record.
    record: u64,
}

impl Watch {
    /// Begins to watch a process and those that it starts. `forces` ends it from outside: asked at every sample, with the time
    /// since the beginning.
    pub fn begin(process: u32, forces: impl Fn(Duration) -> bool + Send + 'static) -> std::io::Result<Watch> {
        let ends = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ends);
        let thread = thread::Builder::new().name("watch".to_owned()).spawn(move || watch(process, &seen, &forces))?;
        Ok(Watch { ends, thread })
    }

    /// Ends it; what was sampled.
    pub fn end(self) -> Samples {
        self.ends.store(true, Ordering::Release);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

fn watch(process: u32, ends: &AtomicBool, forces: &dyn Fn(Duration) -> bool) -> Samples {
    let began = Instant::now();
    let mut samples = Samples::default();
    let (mut processes, mut looked) = (vec![process], began);
    while !ends.load(Ordering::Acquire) {
        let now = Instant::now();
        if now - looked >= LOOK {
            (processes, looked) = (descendants(process), now);
        }
        let statuses: Vec<Status> = processes.iter().filter_map(|&process| status(process)).collect();
        let resident: u64 = match statuses.len() {
            0 | 1 => statuses.iter().map(|status| status.resident).sum(),
            // A parent before its children: one that ends meanwhile had its part taken off, and is not counted twice.
            _ => processes.iter().filter_map(|&process| part(process)).sum(),
        };
        let took = now.elapsed();
        if resident > 0 {
            samples.resident.push((now, resident));
        }
        samples.record = statuses.iter().map(|status| status.record).fold(samples.record, u64::max);
        if forces(now - began) {
            break;
        }
        let fine = FINE.iter().find(|(_, until)| now - began < *until);
        thread::park_timeout(fine.map_or(COARSE, |&(between, _)| between).max(3 * took));
    }
    samples
}

impl Samples {
    /// Most bytes resident at once.
    pub fn peak(&self) -> u64 {
        self.resident.iter().map(|(_, resident)| *resident).fold(self.record, u64::max)
    }

    /// Bytes resident on average between two moments; of a program that ended before the first sample, its peak.
    pub fn mean(&self, from: Instant, to: Instant) -> f64 {
        let inside: Vec<(Instant, u64)> =
            self.resident.iter().copied().filter(|(at, _)| *at >= from && *at <= to).collect();
        let (mut sum, mut time) = (0.0, 0.0);
        for pair in inside.windows(2) {
            let seconds = (pair[1].0 - pair[0].0).as_secs_f64();
            sum += seconds * (pair[0].1 + pair[1].1) as f64 / 2.0;
            time += seconds;
        }
        match inside.first() {
            _ if time > 0.0 => sum / time,
            Some((_, resident)) => *resident as f64,
            None => self.peak() as f64,
        }
    }
}

/// Most bytes that this process ever had resident: a child's record begins with it.
pub fn own_record() -> u64 {
    status(std::process::id()).map_or(0, |status| status.record)
}

/// The memory of a process, in bytes.
struct Status {
    /// Resident now.
    resident: u64,
    /// The most that ever were.
    record: u64,
}

/// None of a process that has ended.
fn status(process: u32) -> Option<Status> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(Status { resident: field(&text, "VmRSS:")?, record: field(&text, "VmHWM:")? })
}

/// Bytes resident in a process, of anonymous memory that it shares its part; all where the system does not say so.
fn part(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let of_parts = || Some(field(&text, "Rss:")? - field(&text, "Anonymous:")? + field(&text, "Pss_Anon:")?);
    of_parts().or_else(|| status(process).map(|status| status.resident))
}

/// Bytes of a field of the system's.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_weighted_by_time() {
        let began = Instant::now();
        let at = |milliseconds: u64| began + Duration::from_millis(milliseconds);
        let resident = vec![(at(0), 100), (at(10), 100), (at(10), 300), (at(40), 300)];
        let samples = Samples { resident, record: 350 };
        assert_eq!((samples.peak(), samples.mean(at(0), at(100)).round()), (350, 250.0));
        assert_eq!(samples.mean(at(10), at(40)).round(), 300.0, "within a window");
        assert_eq!(samples.mean(at(50), at(60)), 350.0, "nothing was sampled there");
    }

    #[test]
    fn this_process_has_its_record() {
        assert!(own_record() > 1 << 20);
    }
}
