//! Worst cases that others print for an allocator, to be compared with what attacks reach.
//!
//! | allocator | printed | where |
//! |---|---|---|
//! | o1heap | a·k + 2·l·n·M_f·(⌈log2 n_f⌉ + 1)/(l + n), with M_f = ⌈M/l⌉, n_f = ⌈n/l⌉, k = M_f − n_f + 1 and a its overhead for each block | README of o1heap 2.2.0, "should be used for sizing the heap space" |
//! | first fit | M·(1 + ⌈log2 n⌉) | the same, table |
//! | half-fit | 2·M·(1 + ⌈log2 n⌉) | the same |
//! | best fit, TLSF | M·(n − 2) | the same |
//!
//! The table's rows are about whole units without headers. Here a unit is the smallest block and blocks count with their
//! headers, which is the reading that grants the most memory. glibc, mimalloc, jemalloc, snmalloc, dlmalloc, talc and rlsf print
//! no bound in the peak live bytes.

use heapsmith_replay::Reference;
use heapsmith_spec::{Fit, ListOrder, Pool, Spec};

use crate::bound::{Demand, ProgramClass};

/// A worst case that somebody prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Bytes, for the programs that were asked about.
    pub bytes: u64,
    /// The formula.
    pub formula: &'static str,
    /// Where it is printed.
    pub source: &'static str,
}

const TABLE: &str = "README of o1heap 2.2.0, table of allocation strategies";

/// What is printed about heaps such as that of `spec`; none if nothing is known to us.
pub fn published(spec: &Spec, program: ProgramClass) -> Option<Published> {
    if !spec.layers.is_empty() {
        return None;
    }
    let (formula, factor): (_, fn(u64) -> u64) = match &spec.pool {
        Pool::HalfFit(_) => ("2·M·(1 + ⌈log2 n⌉)", |n| 2 * (1 + log2_ceil(n))),
        Pool::Tlsf(_) => ("M·(n − 2)", |n| n.saturating_sub(2)),
        Pool::List(list) => match list.fit {
            Fit::First if matches!(list.order, ListOrder::Address | ListOrder::Implicit) => {
                ("M·(1 + ⌈log2 n⌉)", |n| 1 + log2_ceil(n))
            }
            Fit::Best { .. } => ("M·(n − 2)", |n| n.saturating_sub(2)),
            _ => return None,
        },
        _ => return None,
    };
    let demand = Demand::new(spec, program).ok()?;
    let units = demand.largest_block().div_ceil(demand.min_block());
    let bytes = demand.steps().iter().map(|step| program.live * step.need / step.from).max()?;
    Some(Published { bytes: bytes.saturating_mul(factor(units)), formula, source: TABLE })
}

/// What a reference allocator's own documentation prints; none if nothing is known to us. A library is known by the name of
/// its file.
pub fn published_of(reference: &Reference, program: ProgramClass) -> Option<Published> {
    let Reference::Library(path) = reference else { return None };
    let is_o1heap = path.file_stem()?.to_str()?.trim_start_matches("lib").starts_with("o1heap");
    is_o1heap.then(|| Published {
        bytes: o1heap(program, 4 * size_of::<usize>() as u64),
        formula: "a·k + 2·l·n·M_f·(⌈log2 n_f⌉ + 1)/(l + n)",
        source: "README of o1heap 2.2.0, the equation for sizing the heap space",
    })
}

/// The equation of o1heap, whose blocks have `overhead` bytes more than the request.
fn o1heap(program: ProgramClass, overhead: u64) -> u64 {
    let ProgramClass { live, max_size: n, min_size: l, .. } = program;
    let (n_f, m_f) = (n.div_ceil(l), live.div_ceil(l));
    let blocks = m_f - n_f + 1;
    let fragments = 2.0 * l as f64 * n as f64 * m_f as f64 * (log2_ceil(n_f) + 1) as f64 / (l + n) as f64;
    overhead * blocks + fragments.ceil() as u64
}

fn log2_ceil(value: u64) -> u64 {
    u64::from(value.max(1).next_power_of_two().ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equation_of_o1heap_is_computed_as_it_is_printed() {
        let program = ProgramClass::new(8192, 256, 32).expect("a program");
        // 16 · 249 + 2 · 32 · 256 · 256 · 4 / 288.
        assert_eq!(o1heap(program, 16), 3_984 + 58_255);
        // Blocks of one size: the overhead, and each block once.
        assert_eq!(o1heap(ProgramClass::new(640, 64, 64).expect("a program"), 32), 320 + 640);
    }

    #[test]
    fn a_row_counts_blocks_with_their_headers() {
        let program = ProgramClass::new(8192, 256, 32).expect("a program");
        let bytes = |spec: &str| published(&spec.parse().expect("a spec"), program).map(|printed| printed.bytes);
        // A request of 33 bytes takes 40: 9929 in all. The largest block has 260 bytes, the smallest 36: 8 units.
        assert_eq!(bytes("half-fit"), Some(9929 * 8));
        assert_eq!(bytes("tlsf"), Some(9929 * 6));
        assert_eq!(bytes("list(order=address, fit=first)"), Some(9929 * 4));
        assert_eq!(bytes("bump"), None);
    }
}
