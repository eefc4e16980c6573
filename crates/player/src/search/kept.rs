//! The plays of a search, so that one that was interrupted does not make them again.
//!
//! A play is kept with what it was of: the configuration, and a number made of the trace, of the seconds it had, of the library, and of
//! the version of this crate. A search that is begun again asks for the same plays in the same order, and gets each that is kept once: two of the
//! same are two measurements.

use std::fmt;
use std::hash::Hasher;

use heapsmith_peers::Configured;
use twox_hash::XxHash64;

use crate::play::{Played, Player, Served};
use crate::scenario::Scenario;

/// The first line of the table.
const HEADER: &str = "allocator,of,peak,mean,faults,cpu_ns,wall_ns,refused";

/// Plays that were made; its text is a table in CSV.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    rows: Vec<Row>,
    /// Of each row, whether this search had it.
    taken: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    allocator: String,
    of: u64,
    played: Played,
}

impl Kept {
    /// Plays as they were written.
    ///
    /// # Errors
    ///
    /// The number of the first line that is none.
    pub fn of(text: &str) -> Result<Kept, usize> {
        let mut rows = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            match line.strip_suffix('\n') {
                Some(HEADER) if number == 0 => {}
                Some(line) if number > 0 => rows.push(row(line).ok_or(number + 1)?),
                _ => return Err(number + 1),
            }
        }
        Ok(Kept { taken: vec![false; rows.len()], rows })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A play that was kept, once.
    pub(super) fn take(&mut self, configured: &Configured, of: u64) -> Option<Played> {
        let name = configured.to_string();
        let place = (0..self.rows.len())
            .find(|&place| !self.taken[place] && self.rows[place].of == of && self.rows[place].allocator == name)?;
        self.taken[place] = true;
        Some(self.rows[place].played)
    }

    /// Keeps a play that this search made.
    pub(super) fn add(&mut self, configured: &Configured, of: u64, played: Played) {
        self.rows.push(Row { allocator: configured.to_string(), of, played });
        self.taken.push(true);
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for Row { allocator, of, played } in &self.rows {
            let Played { peak, mean, faults, processors, clock, failed } = played;
            writeln!(f, "\"{allocator}\",{of:016x},{peak},{mean},{faults},{processors},{clock},{failed}")?;
        }
        Ok(())
    }
}

/// A line; the name, which has commas and no quotes, is in quotes.
fn row(line: &str) -> Option<Row> {
    let (allocator, numbers) = line.strip_prefix('"')?.split_once("\",")?;
    let mut cells = numbers.split(',');
    let of = u64::from_str_radix(cells.next()?, 16).ok()?;
    let mut number = || cells.next()?.parse::<u64>().ok();
    let played = Played {
        peak: number()?,
        mean: number()?,
        faults: number()?,
        processors: number()?,
        clock: number()?,
        failed: number()?,
    };
    cells.next().is_none().then(|| Row { allocator: allocator.to_owned(), of, played })
}

/// What a play is of, but for the configuration: a library that is replaced is another one.
pub(super) fn what(player: &Player, served: &Served, scenario: &Scenario) -> u64 {
    let mut hasher = XxHash64::with_seed(scenario.fingerprint());
    hasher.write_u64(player.seconds.to_bits());
    hasher.write(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.write(served.library.as_os_str().as_encoded_bytes());
    if let Ok(changed) = served.library.metadata().and_then(|data| data.modified()) {
        let since = changed.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        hasher.write_u128(since.as_nanos());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_had_once_and_damage_is_named() {
        let of = |text: &str| text.parse::<Configured>().expect("a configuration");
        let (plain, both) = (of("jemalloc"), of("jemalloc(narenas=2, tcache=off)"));
        let played = |peak| Played { peak, mean: 2, faults: 3, processors: 4, clock: 5, failed: 0 };
        let mut kept = Kept::default();
        kept.add(&plain, 7, played(10));
        kept.add(&plain, 7, played(11));
        kept.add(&both, u64::MAX, played(12));
        assert_eq!(kept.take(&plain, 7), None, "this search made it");
        let text = kept.to_string();
        let mut read = Kept::of(&text).expect("it was written so");
        assert_eq!((read.to_string(), read.len()), (text.clone(), 3));
        assert_eq!(read.take(&both, 7), None, "of another trace");
        assert_eq!(read.take(&both, u64::MAX), Some(played(12)));
        assert_eq!([(); 3].map(|()| read.take(&plain, 7)), [Some(played(10)), Some(played(11)), None]);
        assert_eq!(Kept::of(""), Ok(Kept::default()));
        let last = text[..text.len() - 1].rfind('\n').expect("lines") + 1;
        for end in last + 1..text.len() {
            assert_eq!(Kept::of(&text[..end]), Err(4), "cut within the last line: {}", &text[..end]);
        }
        assert_eq!(Kept::of("another file\n"), Err(1));
        assert_eq!(Kept::of(&text.replacen("\n", "\nx\n", 1)), Err(2));
    }
}
