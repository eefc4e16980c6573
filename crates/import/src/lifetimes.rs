//! Lists of buffers with their lifetimes, as static allocation problems have them.
//!
//! ```text
//!   id,lower,upper,size
//!   0,995328,1000448,656384      live in [lower, upper), in logical time
//! ```
//!
//! The columns can be in any order; others are ignored, but for `alignment`: a power of two, which may be empty. The ends of all lifetimes
//! are sorted by time; at equal times frees come first, and allocations keep the order of
//! the file. Logical time becomes the events' time. A buffer that ends where it begins lives
//! nowhere and is left out.
//!
//! Memory: some 100 bytes a buffer, as the file has to be read to its end before the first event.
//!
//! Source: the repository google/minimalloc, and the static allocation benchmarks that share its form.

use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use heapsmith_trace::{Nanoseconds, TraceError, memory};

use crate::compression::unpacked;
use crate::csv::{columns, fields};
use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::whole;
use crate::recording::{Recording, Taken};

pub(crate) const IMPORTER: Importer = Importer {
    name: "lifetimes",
    about: "buffers with the logical times between which they live",
    source: "google/minimalloc",
    input: "a CSV list of lifetimes (id,lower,upper,size)",
    parameters: &[KEEP_DAMAGED],
    begins: |head| head.lines().first().is_some_and(|line| Columns::of(line).is_some()),
    format: Format::Text(|| Box::new(Lifetimes::default())),
};

#[derive(Clone, Copy)]
struct Columns {
    id: Option<usize>,
    lower: usize,
    upper: usize,
    size: usize,
    alignment: Option<usize>,
}

impl Columns {
    fn of(header: &str) -> Option<Columns> {
        let names = columns(header);
        let position = |name: &str| names.iter().position(|known| known == name);
        Some(Columns {
            id: position("id").or_else(|| position("buffer")),
            alignment: position("alignment"),
            lower: position("lower").or_else(|| position("start"))?,
            upper: position("upper").or_else(|| position("end"))?,
            size: position("size")?,
        })
    }
}

/// A buffer of a list: a line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Its name; its number in the list, from 0, where the list has none.
    pub id: String,
    /// When it begins to live.
    pub lower: u64,
    /// When it no longer lives.
    pub upper: u64,
    /// Bytes.
    pub size: u64,
    /// What its offset is a multiple of; 0 where the list does not say.
    pub alignment: u64,
}

impl Buffer {
    fn of(line: &str, columns: Columns, number: usize) -> Result<Buffer, &'static str> {
        let fields = fields(line);
        let whole_in = |column: usize| fields.get(column).and_then(|field| whole(field));
        let (Some(lower), Some(upper), Some(size)) =
            (whole_in(columns.lower), whole_in(columns.upper), whole_in(columns.size))
        else {
            return Err("lower, upper or size is not a number");
        };
        let given = columns.alignment.and_then(|column| fields.get(column)).filter(|field| !field.is_empty());
        let alignment = given.map_or(Some(0), |field| whole(field)).ok_or("the alignment is not a number")?;
        let id = columns.id.and_then(|column| fields.get(column)).filter(|field| !field.is_empty());
        let id = id.map_or_else(|| number.to_string(), |field| field.to_string());
        if upper < lower {
            Err("a buffer that ends before it begins")
        } else {
            Ok(Buffer { id, lower, upper, size, alignment })
        }
    }
}

/// The buffers of a list of lifetimes in the order of the file, without those that live nowhere; `None` where a file is no such list,
/// or is damaged, which importing it reports.
pub fn buffers(path: &Path) -> Option<Vec<Buffer>> {
    let mut lines = BufReader::new(unpacked(path).ok()?).lines();
    let columns = Columns::of(&lines.next()?.ok()?)?;
    let mut buffers = Vec::new();
    for line in lines {
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => buffers.push(Buffer::of(&line, columns, buffers.len()).ok()?),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    buffers.retain(|buffer| buffer.lower < buffer.upper);
    Some(buffers)
}

#[derive(Default)]
struct Lifetimes {
    columns: Option<Columns>,
    buffers: Vec<Buffer>,
}

impl Text for Lifetimes {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        let Some(columns) = self.columns else {
            self.columns = Some(Columns::of(line).ok_or("a header without lower, upper and size")?);
            return Ok(());
        };
        let buffer = Buffer::of(line, columns, self.buffers.len())?;
        if buffer.upper == buffer.lower {
            recording.left_out();
            return Ok(());
        }
        self.buffers.push(buffer);
        Ok(())
    }

    fn salvage(&mut self, recording: &mut Recording<'_>) -> Taken {
        self.end(recording)
    }

    fn end(&mut self, recording: &mut Recording<'_>) -> Taken {
        let mut ends: Vec<(u64, bool, usize)> = Vec::new();
        memory::grow(&mut ends, 2 * self.buffers.len()).map_err(TraceError::from)?;
        for (number, buffer) in self.buffers.iter().enumerate() {
            ends.extend([(buffer.upper, false, number), (buffer.lower, true, number)]);
        }
        ends.sort_unstable();
        for (time, is_birth, number) in ends {
            if recording.is_full() {
                break;
            }
            recording.time = Nanoseconds(time);
            let key = number as u64 + 1;
            match is_birth {
                true => recording.allocate(key, self.buffers[number].size, self.buffers[number].alignment)?,
                false => recording.free_known(key)?,
            }
        }
        Ok(())
    }
}
