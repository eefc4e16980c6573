//! `heapsmith plan --pools N`: block sizes and counts of fixed pools, as C.

use heapsmith_emit::Name;
use heapsmith_emit::placed::StaticPools;
use heapsmith_report::thousands;
use heapsmith_trace::{Bytes, FixedPools, PackedTrace, plural};

use super::problem::ALIGNMENT;
use super::put;
use crate::args::{Format, Plan};
use crate::console::{self, say};
use crate::failure::Failure;
use crate::input;
use crate::table::{Table, integer, percent, text};

pub fn run(arguments: &Plan, name: &Name, count: usize) -> Result<(), Failure> {
    let trace = input::stream_packed(&arguments.trace, &arguments.reading)?;
    let alignment = arguments.align.map_or(ALIGNMENT, u64::from);
    let pools = FixedPools::optimal(&trace, count, alignment);
    if pools.pools.is_empty() || pools.bytes() == Bytes(u64::MAX) {
        return Err(Failure::bad_input(format!("{} has nothing that pools can serve", trace.name)));
    }
    aligned(&trace, alignment)?;
    pools.serves(&trace).map_err(|error| Failure::job(format!("the pools do not serve {}: {error}", trace.name)))?;
    let is_tight = pools.is_tight(&trace);
    let plan = StaticPools {
        name: name.clone(),
        about: about(&trace, &pools, is_tight),
        pools: pools.pools.iter().map(|pool| (pool.block.0, pool.blocks)).collect(),
        alignment,
    };
    let [header, source] = plan.c();
    put(arguments, &[plan.csv(), header, source], None)?;
    answer(arguments, &trace, &pools, is_tight)
}

/// A request that wants more than blocks have would be served at a wrong address.
fn aligned(trace: &PackedTrace, alignment: u64) -> Result<(), Failure> {
    let coarsest = trace.events.iter().map(|event| event.alignment()).max().unwrap_or(1);
    match coarsest > alignment {
        true => Err(Failure::wrong_use(format!(
            "{} asks for blocks at multiples of {coarsest} bytes, and those of pools are at multiples of {alignment}: \
             use --align {coarsest}",
            trace.name
        ))),
        false => Ok(()),
    }
}

fn about(trace: &PackedTrace, pools: &FixedPools, is_tight: bool) -> Vec<String> {
    let (name, bytes) = (console::name(&trace.name).into_owned(), thousands(pools.bytes().0));
    let mut about = vec![
        format!("{} for {name} in {bytes} bytes.", plural(pools.pools.len() as u64, "pool", "pools")),
        format!("Proven by replay: they serve all {} operations.", thousands(pools.operations)),
    ];
    if is_tight {
        about.push("With any block less a request is not served.".to_owned());
    }
    about
}

fn answer(arguments: &Plan, trace: &PackedTrace, pools: &FixedPools, is_tight: bool) -> Result<(), Failure> {
    let mut table = Table::new(&["block", "smallest", "requests", "blocks", "bytes"]).hiding(&[
        "pools_bytes",
        "pools_internal",
        "peak_live",
        "serves",
        "is_tight",
    ]);
    for pool in &pools.pools {
        let yes = |is_so: bool| text(if is_so { "yes" } else { "no" });
        let numbers = [pool.block.0, pool.from.0, pool.requests, pool.blocks, pool.bytes().0].map(integer);
        let totals = [integer(pools.bytes().0), percent(pools.internal()), integer(trace.requested_peak.0)];
        table.row(numbers.into_iter().chain(totals).chain([yes(true), yes(is_tight)]));
    }
    if arguments.format == Format::Table {
        say!("{}", console::name(&trace.name));
        say!(
            "plan       {} in {} bytes for {} peak live bytes",
            plural(pools.pools.len() as u64, "pool", "pools"),
            thousands(pools.bytes().0),
            thousands(trace.requested_peak.0)
        );
        say!("proven     by replay: all {} operations are served", thousands(pools.operations));
        if is_tight {
            say!("           with any block less, a request is not");
        }
    }
    table.print(arguments.format)
}
