//! Events as CSV, one a line.
//!
//! ```text
//!   action,id,size,alignment,time,thread,site
//!   allocate,1,66,0,0,0,main.c:7
//!   reallocate,1,132,,2000,0,
//!   free,1,,,5000,0,
//! ```
//!
//! The first line names the columns, which can be in any order; others are ignored.
//! `action` (or `op`, `operation`, `type`) and `id` (or `address`, `ptr`, `pointer`) have to
//! be there. Actions go by several names: `allocate`, `alloc`, `malloc`, `a`, `+`; `free`,
//! `dealloc`, `deallocate`, `f`, `-`; `reallocate`, `realloc`, `r`. Numbers are decimal, or
//! hexadecimal with `0x`; times are nanoseconds. Where blocks are named by their address, `old` (or `from`) is that of the
//! block before a reallocation, as the trace macro of an emitted heap tells it. A field with a comma is in quotes, in
//! which a quote is doubled; line ends within quotes are not read.
//!
//! `heapsmith import -o FILE.csv` writes this form.

use std::borrow::Cow;

use heapsmith_trace::Nanoseconds;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::whole;
use crate::recording::{Recording, Taken};

pub(crate) const IMPORTER: Importer = Importer {
    name: "csv",
    about: "events as lines of comma-separated values",
    source: "this project",
    input: "a CSV list of events (action,id,size,…)",
    parameters: &[KEEP_DAMAGED],
    begins: |head| head.lines().first().is_some_and(|line| Columns::of(line).is_some()),
    format: Format::Text(|| Box::new(Csv::default())),
};

/// What every heap behind `malloc` gives: a reallocation that asks for no more loses nothing.
const ALIGNED: u64 = 16;

/// The fields of a line.
pub(crate) fn fields(line: &str) -> Vec<Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(',').map(|field| Cow::Borrowed(field.trim())).collect();
    }
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let field = fields.len() - 1;
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                fields[field].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields[field].push(other),
        }
    }
    fields.into_iter().map(|field| Cow::Owned(field.trim().to_owned())).collect()
}

/// The names of a header, in small letters.
pub(crate) fn columns(header: &str) -> Vec<String> {
    fields(header).iter().map(|name| name.to_ascii_lowercase()).collect()
}

#[derive(Clone, Copy)]
struct Columns {
    action: usize,
    id: usize,
    size: Option<usize>,
    alignment: Option<usize>,
    old: Option<usize>,
    time: Option<usize>,
    thread: Option<usize>,
    site: Option<usize>,
}

impl Columns {
    fn of(header: &str) -> Option<Columns> {
        let names = columns(header);
        let position = |any: &[&str]| names.iter().position(|name| any.contains(&name.as_str()));
        Some(Columns {
            action: position(&["action", "op", "operation", "type"])?,
            id: position(&["id", "address", "ptr", "pointer"])?,
            size: position(&["size", "bytes"]),
            alignment: position(&["alignment", "align"]),
            old: position(&["old", "from"]),
            time: position(&["time", "time_ns", "timestamp"]),
            thread: position(&["thread", "tid"]),
            site: position(&["site", "caller"]),
        })
    }
}

#[derive(Default)]
struct Csv {
    columns: Option<Columns>,
}

impl Text for Csv {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        let Some(columns) = self.columns else {
            self.columns = Some(Columns::of(line).ok_or("a header without action and id")?);
            return Ok(());
        };
        let fields = fields(line);
        let field = |column: Option<usize>| {
            let field = column.and_then(|column| fields.get(column));
            field.map(|field| &**field).filter(|field| !field.is_empty())
        };
        let number = |column, what: &str| match field(column) {
            None => Ok(None),
            Some(text) => whole(text).map(Some).ok_or_else(|| format!("the {what} is not a number")),
        };
        recording.time = Nanoseconds(number(columns.time, "time")?.unwrap_or(0));
        let thread = number(columns.thread, "thread")?.unwrap_or(0);
        recording.thread = u32::try_from(thread).map_err(|_| "a thread above 4294967295")?;
        recording.at_site(field(columns.site).unwrap_or(""));
        let action = field(Some(columns.action)).ok_or("no action")?.to_ascii_lowercase();
        if action == "mark" {
            return Ok(());
        }
        // Id 0 is a block like any other; as an address it would be the null pointer.
        let key = number(Some(columns.id), "id")?.ok_or("no id")?.checked_add(1).ok_or("the id is too large")?;
        let size = || number(columns.size, "size")?.ok_or_else(|| "no size".to_owned());
        let is_live = recording.is_live(key);
        match action.as_str() {
            "allocate" | "alloc" | "malloc" | "a" | "+" if is_live => {
                Err("an id that is live already; free it first, or give the block an id of its own".into())
            }
            "allocate" | "alloc" | "malloc" | "a" | "+" => {
                let alignment = number(columns.alignment, "alignment")?.unwrap_or(0);
                recording.allocate(key, size()?, alignment)
            }
            "free" | "dealloc" | "deallocate" | "f" | "-" => recording.free_known(key),
            "reallocate" | "realloc" | "r" => {
                if number(columns.alignment, "alignment")?.is_some_and(|alignment| alignment > ALIGNED) {
                    recording.aligned_reallocation();
                }
                match number(columns.old, "old id")?.map(|old| old.saturating_add(1)) {
                    Some(old) if old != key && is_live => Err("a block that is moved to the id of a live one".into()),
                    Some(old) if old != key && recording.is_live(old) => recording.reallocate(old, key, size()?),
                    Some(old) if old != key => Err("the block that is reallocated is not live".into()),
                    _ => recording.resize(key, size()?),
                }
            }
            _ => Err("an action that is none of allocate, free, reallocate and mark".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_commas_and_quotes() {
        assert_eq!(fields(r#"a, b ,"c,d","say ""hi""",,"#), ["a", "b", "c,d", "say \"hi\"", "", ""]);
        assert_eq!(fields("a,,b"), ["a", "", "b"]);
    }
}
