//! `inspect --classes N`: pools of fixed blocks.

use heapsmith_trace::{FixedPools, Statistics, plural};

use crate::args::Format;
use crate::console::say;
use crate::failure::Failure;
use crate::table::{Table, bytes, integer, number, percent, text};

/// The pools of one trace, or of several by name. Programs get the totals of the trace in each row.
pub fn table(is_named: bool) -> Table {
    let columns = ["block", "smallest", "requests", "mean_live", "blocks", "bytes", "internal"];
    let columns: &[&str] = &match is_named {
        true => [&["trace"][..], &columns].concat(),
        false => columns.to_vec(),
    };
    Table::new(columns).hiding(&["pools_bytes", "pools_internal", "peak_live"])
}

/// Adds a row for each pool.
pub fn add(table: &mut Table, name: Option<&str>, pools: &FixedPools, statistics: &Statistics) {
    for pool in &pools.pools {
        let [block, smallest, requests] = [pool.block.0, pool.from.0, pool.requests].map(integer);
        let (live, blocks) = (number(pools.mean_live(pool), 1), integer(pool.blocks));
        let (memory, internal) = (integer(pool.bytes().0), percent(pool.internal()));
        let totals = [bytes(pools.bytes()), percent(pools.internal()), bytes(statistics.requested_peak)];
        let row = [block, smallest, requests, live, blocks, memory, internal];
        table.row(name.map(text).into_iter().chain(row).chain(totals));
    }
}

/// The pools for people, with what they are together.
pub fn show(pools: &FixedPools, statistics: &Statistics) -> Result<(), Failure> {
    let (count, peak) = (pools.pools.len(), statistics.requested_peak);
    say!(
        "{} of fixed blocks: {} for {peak} peak live bytes{}",
        plural(count as u64, "pool", "pools"),
        pools.bytes(),
        match peak.0 {
            0 => String::new(),
            live => format!(" (+{:.1}%)", (pools.bytes().0 as f64 / live as f64 - 1.0) * 100.0),
        }
    );
    say!("internal fragmentation: {:.1}% of the live bytes, averaged over the operations", pools.internal() * 100.0);
    let mut shown = table(false);
    add(&mut shown, None, pools, statistics);
    shown.print(Format::Table)
}
