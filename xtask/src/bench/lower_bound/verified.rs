//! Whether a placement is one, by the files alone: nothing of heapsmith is used.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::run::output;

/// A line: times, size, offset.
type Line = (u64, u64, u64, u64);

/// Compares a placement with the list of buffers that it is for, and looks for overlaps.
pub fn verify(problem: &Path, placement: &Path, bytes: u64) -> Result<(), String> {
    let asked = lines(problem)?;
    let placed = lines(placement)?;
    let alive = asked.iter().filter(|(_, line)| line.0 < line.1 && line.2 > 0).count();
    if alive != placed.len() {
        return Err(format!("{alive} buffers have {} offsets", placed.len()));
    }
    for (id, (lower, upper, size, _)) in &placed {
        let (asked_lower, asked_upper, asked_size, _) = asked.get(id).ok_or_else(|| format!("{id} is nowhere"))?;
        if (lower, upper, size) != (asked_lower, asked_upper, asked_size) {
            return Err(format!("{id} is another buffer"));
        }
    }
    no_overlap(&placed.into_values().collect::<Vec<_>>(), bytes)
}

/// Adds and takes away blocks by time, and looks at both neighbours of each that comes.
fn no_overlap(blocks: &[Line], bytes: u64) -> Result<(), String> {
    let mut times: Vec<(u64, bool, &Line)> = Vec::new();
    for block in blocks {
        times.push((block.0, true, block));
        times.push((block.1, false, block));
    }
    times.sort_by_key(|&(time, begins, _)| (time, begins));
    let mut live = BTreeSet::new();
    for (_, begins, &(_, _, size, offset)) in times {
        let here = (offset, offset + size);
        if !begins {
            live.remove(&here);
            continue;
        }
        if here.1 > bytes {
            return Err(format!("a block ends at {}, above {bytes}", here.1));
        }
        let above = live.range(here..).next().is_some_and(|above: &(u64, u64)| above.0 < here.1);
        let below = live.range(..here).next_back().is_some_and(|below: &(u64, u64)| below.1 > here.0);
        if above || below {
            return Err(format!("blocks overlap at {offset}"));
        }
        live.insert(here);
    }
    Ok(())
}

/// The lines of a list by id; without a column `offset` it is 0.
fn lines(path: &Path) -> Result<HashMap<String, Line>, String> {
    let name = path.display().to_string();
    let text = match name.ends_with(".xz") {
        true => output("xz", &["--decompress", "--stdout", &name])?,
        false => output("cat", &[&name])?,
    };
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|known| known.trim() == name);
    let wanted = |name: &str| column(name).ok_or_else(|| format!("no column {name}"));
    let (id, lower, upper, size) = (wanted("id")?, wanted("lower")?, wanted("upper")?, wanted("size")?);
    let offset = column("offset");
    let mut found = HashMap::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let number = |place: usize| {
            fields.get(place).and_then(|field| field.parse::<u64>().ok()).ok_or_else(|| format!("no number: {line}"))
        };
        let offset = offset.map_or(Ok(0), number)?;
        let key = fields.get(id).ok_or_else(|| format!("no id: {line}"))?;
        if found.insert((*key).to_owned(), (number(lower)?, number(upper)?, number(size)?, offset)).is_some() {
            return Err(format!("two buffers have the id {key}"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_found() {
        assert_eq!(no_overlap(&[(0, 4, 8, 0), (2, 6, 8, 8), (4, 8, 8, 0)], 16), Ok(()));
        assert!(no_overlap(&[(0, 4, 8, 0), (2, 6, 8, 7)], 16).is_err());
        assert!(no_overlap(&[(0, 4, 8, 7), (2, 6, 8, 0)], 16).is_err());
        assert!(no_overlap(&[(0, 4, 8, 0), (2, 6, 8, 9)], 16).is_err());
        assert!(no_overlap(&[(0, 4, 8, 4), (2, 6, 8, 4)], 16).is_err());
    }
}
