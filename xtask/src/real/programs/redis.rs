//! A server: redis, with clients on its socket.
//!
//! Debian links redis with jemalloc as a shared library, under malloc's own names. What is preloaded comes before it,
//! so redis allocates from what is preloaded all the same (`allocator_allocated` of `INFO` stays at jemalloc's own
//! few bytes); for glibc, the C library itself has to be preloaded. `INFO` says `jemalloc` in every case.

use std::fmt::Write;
use std::path::Path;

use crate::real::program::{Client, Inputs, Program, Step, Task, Words, words};
use crate::run::Outcome;
use crate::tools::Tool;

/// `redis-server`, filled by `redis-cli --pipe`, then under `redis-benchmark`.
pub const SERVER: Program = Program {
    name: "redis",
    about: "redis-server filled with every kind of value, then redis-benchmark; its figures, the clients' clock",
    threads: true,
    // The clock is the clients' as much as the server's.
    benchmark: false,
    min_calls: 10_000,
    tools: &[
        Tool { name: "redis-server", package: "redis-server", why: "to run it" },
        Tool { name: "redis-benchmark", package: "redis-tools", why: "to run redis" },
    ],
    prepare,
    task,
};

/// Commands that fill it: strings of many lengths, some made longer, replaced, deleted; hashes, lists, sets.
fn prepare(inputs: &Inputs) -> Outcome {
    let number: u64 = if inputs.quick { 10_000 } else { 100_000 };
    let mut text = String::new();
    let mut state = 1_u64;
    for i in 0..number {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (draw, value) = (state >> 33, "v".repeat(1 + (state >> 40) as usize % 300));
        let _ = match draw % 10 {
            0..=3 => writeln!(text, "SET key:{} {value}", draw % number),
            4 => writeln!(text, "APPEND key:{} {value}", draw % number),
            5 => writeln!(text, "HSET hash:{} field:{} {value}", draw % 500, draw % 97),
            6 => writeln!(text, "RPUSH list:{} {value}", draw % 300),
            7 => writeln!(text, "ZADD sorted:{} {} member:{i}", draw % 50, draw % 10_000),
            8 => writeln!(text, "DEL key:{} key:{}", draw % number, i / 2),
            _ => writeln!(text, "SADD set:{} {}", draw % 40, draw % 100_000),
        };
    }
    std::fs::write(inputs.path("commands"), text).map_err(|error| format!("cannot write the commands: {error}"))
}

fn task(inputs: &Inputs, scratch: &Path) -> Task {
    // Paths of sockets are short; nobody else has this process's number.
    let socket = std::env::temp_dir().join(format!("redis-{}.socket", std::process::id())).display().to_string();
    let scratch = scratch.display().to_string();
    let server = [
        "redis-server",
        "--port",
        "0",
        "--unixsocket",
        &socket,
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        &scratch,
        "--enable-debug-command",
        "yes",
        "--daemonize",
        "no",
    ];
    let cli = |command: &[&str]| words(&[&["redis-cli", "-s", &socket], command].concat());
    let same = |command: Words| Step { command, compared: true };
    let fill = format!("redis-cli -s '{socket}' --pipe <'{}' | grep errors", inputs.path("commands"));
    let requests = inputs.amount(60_000, 3_000);
    let tests = "set,get,incr,lpush,rpop,sadd,hset,zadd,lrange_100,mset";
    let benchmark =
        ["redis-benchmark", "-s", &socket, "-q", "-n", &requests, "-r", "20000", "-d", "120", "-P", "8", "-t", tests];
    let client = Client {
        ready: cli(&["ping"]),
        steps: vec![
            same(words(&["sh", "-c", &fill])),
            same(cli(&["dbsize"])),
            same(cli(&["debug", "digest"])),
            same(cli(&["hlen", "hash:7"])),
            same(cli(&["sort", "list:7", "alpha", "limit", "0", "3"])),
            Step { command: words(&benchmark), compared: false },
            same(cli(&["flushall"])),
            same(words(&["sh", "-c", &fill])),
            same(cli(&["debug", "digest"])),
        ],
        stop: cli(&["shutdown", "nosave"]),
    };
    Task {
        // Only the clients' output is the same in every run: the server's has times and process numbers.
        lasting: |_| String::new(),
        brings_allocator: true,
        client: Some(client),
        proof: "errors: 0, replies: ",
        ..Task::new("redis-server", words(&server))
    }
}
