//! When requests come and how long they are in flight.

use heapsmith_trace::Nanoseconds;

use crate::input::Request;

/// Between two requests of a source without times.
const STEP: u64 = 1_000_000;
/// A request without a reply is still parsed, sent on and acknowledged.
const MIN: u64 = 1_000_000;

/// The times of requests.
#[derive(Debug)]
pub(super) struct Schedule {
    timed: bool,
    client_rate: u64,
    reply_bytes: u64,
}

impl Schedule {
    /// A schedule for `requests`, at this rate or at that at which `concurrency` of
    /// them are in flight on average.
    pub fn of(requests: &[Request], rate: Option<u64>, concurrency: u64, reply_bytes: u64) -> Schedule {
        let mut schedule = Schedule {
            // A source where only some requests have a time counts as one without times.
            timed: requests.iter().all(|request| request.time.is_some()),
            client_rate: 1,
            reply_bytes,
        };
        schedule.client_rate = rate.unwrap_or_else(|| {
            let last = requests.len().saturating_sub(1);
            let duration = requests.get(last).map_or(0, |r| schedule.time(last, r).0);
            let bits = requests.iter().map(|r| schedule.reply(r) as f64 * 8.0).sum::<f64>();
            // Little's law: bits / rate, summed, is concurrency times duration.
            let seconds = duration.max(STEP) as f64 / 1e9;
            (bits / (concurrency as f64 * seconds)).ceil().max(1.0) as u64
        });
        schedule
    }

    /// Bits in a second of every client's line.
    pub fn client_rate(&self) -> u64 {
        self.client_rate
    }

    /// When a request comes, and when its reply is sent.
    pub fn flight(&self, index: usize, request: &Request) -> (Nanoseconds, Nanoseconds) {
        let time = self.time(index, request);
        let bits = u128::from(self.reply(request)) * 8;
        let takes = bits * 1_000_000_000 / u128::from(self.client_rate);
        let takes = u64::try_from(takes).unwrap_or(u64::MAX).max(MIN);
        (time, Nanoseconds(time.0.saturating_add(takes)))
    }

    fn time(&self, index: usize, request: &Request) -> Nanoseconds {
        match request.time {
            Some(time) if self.timed => time,
            _ => Nanoseconds(index as u64 * STEP),
        }
    }

    fn reply(&self, request: &Request) -> u64 {
        request.reply.unwrap_or(self.reply_bytes)
    }
}
