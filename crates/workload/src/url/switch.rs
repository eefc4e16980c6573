//! The switch itself: what it holds for the table, and for every request in flight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::HashMap;

use heapsmith_trace::Nanoseconds;

use super::table::Table;
use super::tokens::{header_length, tokens};
use crate::input::Request;
use crate::tape::{Block, Site, Tape};

/// Text, length, kind, server, next: five words of four bytes.
const PATTERN: u64 = 20;
/// Address, port, load, first connection, next: five words of four bytes.
const SERVER: u64 = 20;
/// Text, next: two words of four bytes.
const TOKEN: u64 = 8;
/// What ends a text in C.
const TERMINATOR: u64 = 1;

/// The sizes that are parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub connection: u64,
    pub upstream: u64,
}

/// The places that allocate.
#[derive(Clone, Copy)]
struct Sites {
    pattern: Site,
    server: Site,
    header: Site,
    token: Site,
    text: Site,
    connection: Site,
    upstream: Site,
}

impl Sites {
    fn new(tape: &mut Tape) -> Sites {
        Sites {
            pattern: tape.site("pattern"),
            server: tape.site("server"),
            header: tape.site("header"),
            token: tape.site("token"),
            text: tape.site("text"),
            connection: tape.site("connection"),
            upstream: tape.site("upstream"),
        }
    }
}

/// A request whose reply is not sent yet.
struct InFlight {
    server: usize,
    blocks: Vec<Block>,
}

/// Requests of one server.
#[derive(Default)]
struct Upstream {
    in_flight: u64,
    block: Option<Block>,
}

pub(super) struct Switch<'a> {
    table: &'a Table,
    table_blocks: Vec<Block>,
    sizes: Sizes,
    sites: Sites,
    max: usize,
    taken: u64,
    in_flight: HashMap<u64, InFlight>,
    /// The requests in flight by when they are done, and by number among equals.
    due: BinaryHeap<Reverse<(Nanoseconds, u64)>>,
    upstreams: Vec<Upstream>,
    latest: Nanoseconds,
}

impl<'a> Switch<'a> {
    /// Forms the table. No more than `max` requests will be in flight at once.
    pub fn new(tape: &mut Tape, table: &'a Table, sizes: Sizes, max: usize) -> Switch<'a> {
        let sites = Sites::new(tape);
        let start = Nanoseconds(0);
        let mut table_blocks = Vec::new();
        for _ in 0..table.servers {
            table_blocks.push(tape.allocate(start, sites.server, SERVER));
        }
        for pattern in &table.patterns {
            table_blocks.push(tape.allocate(start, sites.pattern, PATTERN));
            let length = pattern.text.len() as u64 + TERMINATOR;
            table_blocks.push(tape.allocate(start, sites.text, length));
        }
        Switch {
            table,
            table_blocks,
            sizes,
            sites,
            max,
            taken: 0,
            in_flight: HashMap::new(),
            due: BinaryHeap::new(),
            upstreams: (0..table.servers).map(|_| Upstream::default()).collect(),
            latest: start,
        }
    }

    /// Takes a request in: parses, matches and routes it.
    pub fn take(&mut self, tape: &mut Tape, request: &Request, time: Nanoseconds, done: Nanoseconds) {
        if self.in_flight.len() >= self.max {
            self.finish_next(tape, Some(time));
        }
        self.latest = self.latest.max(time);
        let header = header_length(request);
        let mut blocks = vec![tape.allocate(time, self.sites.header, header)];
        let tokens = tokens(request);
        for (_, text) in &tokens {
            blocks.push(tape.allocate(time, self.sites.token, TOKEN));
            let length = text.len() as u64 + TERMINATOR;
            blocks.push(tape.allocate(time, self.sites.text, length));
        }
        let server = self.table.route(&tokens);
        blocks.push(tape.allocate(time, self.sites.connection, self.sizes.connection));
        let upstream = &mut self.upstreams[server];
        upstream.in_flight += 1;
        if upstream.block.is_none() {
            upstream.block = Some(tape.allocate(time, self.sites.upstream, self.sizes.upstream));
        }
        self.due.push(Reverse((done, self.taken)));
        self.in_flight.insert(self.taken, InFlight { server, blocks });
        self.taken += 1;
    }

    /// Finishes every request that is done by `time`.
    pub fn finish_until(&mut self, tape: &mut Tape, time: Nanoseconds) {
        while self.due.peek().is_some_and(|Reverse((done, _))| *done <= time) {
            self.finish_next(tape, None);
        }
    }

    /// Finishes all requests and takes the table down.
    pub fn end(mut self, tape: &mut Tape) {
        while !self.due.is_empty() {
            self.finish_next(tape, None);
        }
        for block in self.table_blocks {
            tape.free(self.latest, block);
        }
    }

    /// Finishes the request that is due next, when it is due or at this time.
    fn finish_next(&mut self, tape: &mut Tape, time: Option<Nanoseconds>) {
        let Some(Reverse((done, number))) = self.due.pop() else {
            return;
        };
        let Some(InFlight { server, blocks }) = self.in_flight.remove(&number) else {
            return;
        };
        let time = time.unwrap_or(done);
        self.latest = self.latest.max(time);
        for block in blocks {
            tape.free(time, block);
        }
        let upstream = &mut self.upstreams[server];
        upstream.in_flight -= 1;
        if upstream.in_flight == 0
            && let Some(block) = upstream.block.take()
        {
            tape.free(time, block);
        }
    }
}
