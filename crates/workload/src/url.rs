//! URL-based switching: a switch that looks into requests and sends each to the server
//! that its URL belongs to.
//!
//! ```text
//!   start:    requests ─► most common folders, endings, hosts ─► pattern table ─► servers
//!
//!   request:  GET /images/logo.gif HTTP/1.0
//!             header ─► tokens: GET · images · logo · gif · HTTP/1.0
//!                       tokens ─► matched against the table ─► route ─► connection
//! ```
//!
//! What is allocated when. Sizes are those of C structures with 32-bit pointers:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | pattern | 20: text, length, kind, server, next | start | end |
//! | its text | length + 1 | start | end |
//! | server | 20: address, port, load, first, next | start | end |
//! | header | request line and host as received | request comes | reply sent |
//! | token | 8: text, next | request comes | reply sent |
//! | its text | length + 1 | request comes | reply sent |
//! | connection | `connection-bytes`: the two ends, sequence numbers | request is routed | reply sent |
//! | upstream | `upstream-bytes`: buffers' heads, state | first request in flight to a server | last reply of it sent |
//!
//! The table is learnt from the first `learn` requests: the most common first folders,
//! endings and host names, `patterns` of them in all, dealt out to `servers` servers. A
//! request goes to the server of the longest pattern that one of its tokens equals (and of
//! the first in the table among equally long ones), or to the first server. That decides
//! which upstream objects live.
//!
//! How long a request is in flight: as long as its reply takes at the rate of the client's
//! line. With `client-rate=auto` that is the rate at which `concurrency` requests are in
//! flight on average (by Little's law). Where a source has no times, requests come one per
//! millisecond; where it has no reply size, replies have `reply-bytes`. At most 64 times
//! `concurrency` requests are in flight; beyond, the one due next is finished early.
//!
//! Source: G. Memik, W. H. Mangione-Smith, W. Hu, "NetBench: A Benchmarking Suite for
//! Network Processors", ICCAD 2001, application "URL"; Mamagkakis et al., Computer
//! Communications 29 (2006), section 6, which describes the table, its routes, and the
//! parsing and matching of every header (dominant blocks of 8, 11 and 20 bytes). Neither
//! gives the structures; these are this workload's own.

mod flight;
mod switch;
mod table;
mod tokens;

use heapsmith_trace::Nanoseconds;

use crate::error::LoadError;
use crate::input::{Format, Input, requests};
use crate::settings::Settings;
use crate::tape::Tape;
use crate::workload::{KEEP_DAMAGED, Parameter, Run, Workload};

use self::flight::Schedule;
use self::switch::{Sizes, Switch};
use self::table::Table;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "url",
    about: "URL-based switching: requests parsed into tokens, matched against patterns, routed",
    source: "G. Memik, W. H. Mangione-Smith, W. Hu: NetBench, ICCAD 2001, application URL; \
             Mamagkakis et al., Computer Communications 29 (2006), section 6",
    input: "request log or URL list or capture",
    parameters: &[
        Parameter { name: "patterns", default: "64", about: "number of patterns in the table, at most" },
        Parameter {
            name: "learn",
            default: "1000",
            about: "number of first requests that the patterns are learnt from",
        },
        Parameter { name: "servers", default: "8", about: "number of servers that requests are sent to" },
        Parameter {
            name: "concurrency",
            default: "16",
            about: "with client-rate=auto: number of requests in flight on average",
        },
        Parameter {
            name: "client-rate",
            default: "auto",
            about: "rate of every client's line in bit/s, such as 28.8k; auto is the rate at which \
                    `concurrency` requests are in flight on average",
        },
        Parameter {
            name: "reply-bytes",
            default: "8192",
            about: "size of a reply, in bytes, where the input does not tell it",
        },
        Parameter {
            name: "connection-bytes",
            default: "40",
            about: "bytes of the object that every request in flight has",
        },
        Parameter {
            name: "upstream-bytes",
            default: "64",
            about: "bytes of the object that every server with requests in flight has",
        },
        KEEP_DAMAGED,
    ],
    formats: &[Format::Log, Format::TabLog, Format::UrlList, Format::Capture],
    run: Run::Input(run),
};

const COUNT: &str = "a whole number from 1 to 65536";
const BYTES: &str = "bytes from 1 to 1048576";

fn run<'s>(input: Input, settings: &mut Settings, mut tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let patterns = settings.number("patterns", 0, 1 << 16, "a whole number up to 65536")?;
    let learn = settings.number("learn", 0, 1 << 32, "a whole number up to 4294967296")?;
    let servers = settings.number("servers", 1, 1 << 16, COUNT)?;
    let concurrency = settings.number("concurrency", 1, 1 << 16, COUNT)?;
    let reply_bytes = settings.number("reply-bytes", 0, 1 << 40, "bytes up to 2^40")?;
    let sizes = Sizes {
        connection: settings.number("connection-bytes", 1, 1 << 20, BYTES)?,
        upstream: settings.number("upstream-bytes", 1, 1 << 20, BYTES)?,
    };
    let rate = settings.rate("client-rate")?;
    let requests = requests(input, settings.keep_damaged()?)?;
    let schedule = Schedule::of(&requests, rate, concurrency, reply_bytes);
    if rate.is_none() {
        settings.found("client-rate", schedule.client_rate().to_string());
    }
    let learnt = &requests[..requests.len().min(learn as usize)];
    let table = Table::learn(learnt, patterns as usize, servers as usize);
    let mut switch = Switch::new(&mut tape, &table, sizes, concurrency as usize * 64);
    tape.mark(Nanoseconds(0), "table formed");
    for (index, request) in requests.iter().enumerate() {
        if tape.is_full() {
            break;
        }
        let (time, done) = schedule.flight(index, request);
        switch.finish_until(&mut tape, time);
        switch.take(&mut tape, request, time, done);
    }
    switch.end(&mut tape);
    Ok(tape)
}

#[cfg(test)]
mod tests;
