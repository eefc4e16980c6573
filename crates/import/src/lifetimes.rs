//! Lists of buffers with their lifetimes, as static allocation problems have them.
//!
//! ```text
//!   id,lower,upper,size
//!   0,995328,1000448,656384      live in [lower, upper), in logical time
//! ```
//!
//! The columns can be in any order; others are ignored. The ends of all lifetimes
//! are sorted by time; at equal times frees come first, and allocations keep the order of
//! the file. Logical time becomes the events' time. A buffer that ends where it begins lives
//! nowhere and is left out.
//!
//! Memory: 40 bytes a buffer, as the file has to be read to its end before the first event.
//!
//! Source: the repository google/minimalloc, and the static allocation benchmarks that share its form.

use heapsmith_trace::{Nanoseconds, TraceError, memory};

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
    lower: usize,
    upper: usize,
    size: usize,
}

impl Columns {
    fn of(header: &str) -> Option<Columns> {
        let names = columns(header);
        let position = |name: &str| names.iter().position(|known| known == name);
        Some(Columns {
            lower: position("lower").or_else(|| position("start"))?,
            upper: position("upper").or_else(|| position("end"))?,
            size: position("size")?,
        })
    }
}

struct Buffer {
    lower: u64,
    upper: u64,
    size: u64,
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
        let fields = fields(line);
        let number = |column: usize| fields.get(column).and_then(|field| whole(field));
        let (Some(lower), Some(upper), Some(size)) =
            (number(columns.lower), number(columns.upper), number(columns.size))
        else {
            return Err("lower, upper or size is not a number".into());
        };
        if upper < lower {
            return Err("a buffer that ends before it begins".into());
        }
        if upper == lower {
            recording.left_out();
            return Ok(());
        }
        self.buffers.push(Buffer { lower, upper, size });
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
                true => recording.allocate(key, self.buffers[number].size, 0)?,
                false => recording.free_known(key)?,
            }
        }
        Ok(())
    }
}
