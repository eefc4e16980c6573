//! Names of traces and heaps, and those that an assertion selects.

use std::ops::Range;

use toml::Spanned;

use super::{HeapInput, TraceInput, Wrong};

/// The names that a check file gives.
pub(super) struct Names<'f> {
    pub traces: Vec<&'f str>,
    pub heaps: Vec<&'f str>,
}

impl<'f> Names<'f> {
    pub fn of(traces: &'f [TraceInput], heaps: &'f [HeapInput]) -> Names<'f> {
        Names {
            traces: traces.iter().map(|trace| trace.name.as_str()).collect(),
            heaps: heaps.iter().map(|heap| heap.name.as_str()).collect(),
        }
    }
}

/// Indexes of the names that an assertion lists; of all where it lists none.
pub(super) fn selected(
    kind: &str,
    names: &[&str],
    listed: Option<&[Spanned<String>]>,
    span: Range<usize>,
) -> Result<Vec<usize>, Wrong> {
    if names.is_empty() {
        return Err((span, format!("the check file has no {kind}: add [{kind}.NAME]")));
    }
    let Some(listed) = listed else { return Ok((0..names.len()).collect()) };
    if listed.is_empty() {
        return Err((span, format!("the assertion is about no {kind}: name one, or remove {kind}s for all")));
    }
    let index = |name: &Spanned<String>| {
        let found = names.iter().position(|known| known == name.get_ref());
        found.ok_or_else(|| {
            let name_of = name.get_ref();
            (name.span(), format!("{name_of:?} is no {kind} of this file: write one of {}", names.join(", ")))
        })
    };
    let mut indexes = listed.iter().map(index).collect::<Result<Vec<usize>, Wrong>>()?;
    indexes.sort_unstable();
    indexes.dedup();
    Ok(indexes)
}
