//! Logs of glibc's `mtrace()`.
//!
//! ```text
//!   = Start
//!   @ ./a.out:(main+0x1d)[0x401156] + 0x1c6c2a0 0x64   allocate   address size
//!   @ ./a.out:[0x1192] < 0x1c6c2a0                     reallocate: the old address,
//!   @ ./a.out:[0x1192] > 0x1c6c310 0x80                  then the new one and the size
//!   @ ./a.out:[0x1192] - 0x1c6c310                     free
//!   @ ./a.out:[0x1192] ! 0x1c6c310 0x4000000000000000  a reallocation that failed
//!   = End
//! ```
//!
//! The caller is the call site. Alignments are not recorded. The log begins where the
//! program calls `mtrace()`, so blocks from before may be freed in it. Several threads
//! write whole lines, but `<` and `>` of one may lie apart: each `>` belongs to the last `<`
//! from the same place that has none yet.
//!
//! Source: the GNU C Library's `malloc/mtrace-impl.c`, and *Interpreting the traces* in its manual.

use std::collections::HashMap;

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::hexadecimal;
use crate::recording::{Recording, Taken};

pub(crate) const IMPORTER: Importer = Importer {
    name: "mtrace",
    about: "the log of glibc's mtrace()",
    source: "the GNU C Library manual, Tracing malloc",
    input: "a glibc mtrace log",
    parameters: &[KEEP_DAMAGED],
    begins: |head| head.lines().first().is_some_and(|line| line == "= Start" || Entry::of(line).is_some()),
    format: Format::Text(|| Box::new(Mtrace::default())),
};

/// Reallocations of which only the first half was seen that are remembered.
const MAX_PENDING: usize = 1 << 16;

/// A line, taken apart.
struct Entry<'l> {
    site: &'l str,
    kind: char,
    address: u64,
    size: Option<u64>,
}

impl<'l> Entry<'l> {
    fn of(line: &'l str) -> Option<Entry<'l>> {
        let (site, rest) = match line.strip_prefix("@ ") {
            // A path may hold blanks: the operation is the last word by itself.
            Some(rest) => {
                let at =
                    [" + 0x", " - 0x", " < 0x", " > 0x", " ! 0x"].iter().filter_map(|sign| rest.rfind(sign)).max()?;
                (rest[..at].trim(), rest[at..].trim())
            }
            None => ("", line),
        };
        let mut fields = rest.split_ascii_whitespace();
        let kind = match fields.next()? {
            "+" => '+',
            "-" => '-',
            "<" => '<',
            ">" => '>',
            "!" => '!',
            _ => return None,
        };
        let address = hexadecimal(fields.next()?)?;
        let size = fields.next().map(|size| hexadecimal(size).ok_or(())).transpose().ok()?;
        Some(Entry { site, kind, address, size })
    }
}

#[derive(Default)]
struct Mtrace {
    /// Old addresses of reallocations whose new address is still to come, by place.
    pending: HashMap<String, Vec<u64>>,
}

impl Text for Mtrace {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        if line.starts_with('=') {
            return Ok(());
        }
        let Entry { site, kind, address, size } =
            Entry::of(line).ok_or("not `@ PLACE + ADDRESS SIZE`, nor one with -, <, > or !")?;
        recording.at_site(site);
        let size = || size.ok_or("an allocation without a size");
        match kind {
            '+' if address == 0 => {
                recording.failed();
                Ok(())
            }
            '+' => recording.allocate(address, size()?, 0),
            '-' => recording.free(address),
            '<' if self.pending.len() < MAX_PENDING => {
                self.pending.entry(site.to_owned()).or_default().push(address);
                Ok(())
            }
            '<' => Err("too many reallocations without their second half".into()),
            '>' => {
                let known = self.pending.get_mut(site);
                let old = known.and_then(Vec::pop);
                self.pending.retain(|_, old| !old.is_empty());
                recording.reallocate(
                    old.ok_or("the second half of a reallocation (>) without the first (<)")?,
                    address,
                    size()?,
                )
            }
            _ => {
                recording.failed();
                Ok(())
            }
        }
    }
}
