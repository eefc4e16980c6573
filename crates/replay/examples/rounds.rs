//! Replays a made program a number of times and prints nothing: for tools that count instructions.
//!
//! `rounds PROGRAM HEAP ROUNDS`: a program of [`PROGRAMS`], a spec or `nothing`, and how often.
//! What one round takes is half of what three take beyond one.

use heapsmith_replay::{Region, rounds};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Action, Bytes, Event, PackedTrace, Trace};

/// Events of a program.
const EVENTS: u64 = 20_000;

/// Blocks that a program with random lifetimes keeps.
const LIVE: u64 = 256;

/// Programs by name: the size of each request, by a random number, and the blocks that live.
const PROGRAMS: [(&str, u64, fn(u64) -> u64); 3] = [
    ("pairs", 1, |_| 64),
    ("packets", LIVE, |random| [64, 64, 64, 1500][random as usize % 4]),
    ("mixed", LIVE, |random| 1 + random % 1024),
];

/// Allocates, and frees a random block once so many live.
fn program(live: u64, size: fn(u64) -> u64) -> Trace {
    let mut random = 1_u64;
    let mut next = || {
        // Lehmer's generator, modulus 2^31 - 1.
        random = random * 48_271 % 0x7fff_ffff;
        random
    };
    let mut trace = Trace::default();
    let mut ids: Vec<u64> = Vec::new();
    for time in 0..EVENTS {
        let action = if ids.len() as u64 == live {
            let id = ids.swap_remove((next() % live) as usize);
            Action::Free { id }
        } else {
            ids.push(time);
            Action::Allocate { id: time, size: Bytes(size(next())), alignment: 0 }
        };
        trace.events.push(Event::at(time, action));
    }
    trace
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, heap, number] = &arguments[..] else { return Err("say PROGRAM HEAP ROUNDS".into()) };
    let (_, live, size) = PROGRAMS.iter().find(|(known, ..)| known == name).ok_or("no such program")?;
    let trace = PackedTrace::new(&program(*live, *size))?;
    let spec: Option<Spec> = if heap == "nothing" { None } else { Some(resolve(heap)?) };
    let mut region = Region::for_trace(&trace)?;
    rounds(spec.as_ref(), &trace, &mut region, number.parse()?)?;
    Ok(())
}
