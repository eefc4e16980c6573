//! Traces of the CS:APP malloc lab (`.rep`), and of the courses that took it over.
//!
//! ```text
//!   20000        header: up to four numbers, on lines of their own or together
//!   3            (the second is the number of ids, the third the number of requests)
//!   8
//!   1
//!   a 0 512      allocate     id size
//!   r 0 640      reallocate   id size
//!   f 0          free         id
//! ```
//!
//! Three dialects are about: a header that begins with a suggested heap size and ends with
//! a weight (2002), one that begins with the weight and ends with a flag (2016), and none at
//! all. The first and the last number are of no use here, so the two read alike; a header of
//! three numbers is one without the first. Fewer requests than the header promises are
//! damage: the file was cut off.
//!
//! As the lab's driver does: `f -1` is `free(NULL)`; `r` on an id that is not live is an
//! allocation; `r` to 0 bytes is a free; an id may be allocated again after its free.
//! Allocating an id that is live loses its block, so that is damage, as is freeing one that
//! is not. Ends without a free for every block are common. Further fields, lines that begin
//! with `#`, and the requests `c` (check) and `w` (write) of some courses are left alone.
//!
//! Source: R. Bryant, D. O'Hallaron, *Computer Systems: A Programmer's Perspective*, malloc
//! lab, the trace format in the README of its traces (2002, 2016).

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::whole;
use crate::recording::{Recording, Taken};
use crate::source::Head;

pub(crate) const IMPORTER: Importer = Importer {
    name: "rep",
    about: "traces of the CS:APP malloc lab",
    source: "R. Bryant, D. O'Hallaron: Computer Systems: A Programmer's Perspective, malloc lab",
    input: "a malloc-lab trace (.rep)",
    parameters: &[KEEP_DAMAGED],
    begins,
    format: Format::Text(|| Box::new(Rep::default())),
};

/// Numbers of the longest header.
const HEADER: usize = 4;

fn begins(head: &Head) -> bool {
    let lines = head.lines();
    let mut requests = lines.iter().map(|line| line.as_str()).skip_while(|line| numbers(line).is_some());
    let header: usize = lines.iter().map_while(|line| numbers(line)).map(|numbers| numbers.len()).sum();
    let is_request = |line: &str| {
        line.starts_with('#')
            || matches!(request(line), Some((kind, id, rest)) if kind == 'f' && rest.is_none() || id >= 0 && rest.is_some())
    };
    header <= HEADER && requests.next().is_some_and(is_request)
}

fn numbers(line: &str) -> Option<Vec<u64>> {
    line.split_ascii_whitespace().map(whole).collect()
}

/// Kind, id and size of a request.
fn request(line: &str) -> Option<(char, i64, Option<u64>)> {
    let mut fields = line.split_ascii_whitespace();
    let kind = match fields.next()? {
        "a" => 'a',
        "r" => 'r',
        "f" => 'f',
        _ => return None,
    };
    let id = fields.next()?.parse().ok()?;
    let size = fields.next().map(|size| whole(size).ok_or(())).transpose().ok()?;
    Some((kind, id, size))
}

#[derive(Default)]
struct Rep {
    header: Vec<u64>,
    requests: u64,
}

impl Text for Rep {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        if line.starts_with(['#', 'c', 'w']) {
            return Ok(());
        }
        if self.requests == 0
            && let Some(numbers) = numbers(line)
        {
            self.header.extend(numbers);
            return match self.header.len() {
                length if length > HEADER => Err("a header of more than four numbers".into()),
                _ => Ok(()),
            };
        }
        let (kind, id, size) = request(line).ok_or("not `a ID SIZE`, `r ID SIZE` or `f ID`")?;
        self.requests += 1;
        if kind == 'f' && id < 0 {
            return Ok(());
        }
        // Id 0 is a block like any other; as an address it would be the null pointer.
        let key = u64::try_from(id).map_err(|_| "an id below 0")? + 1;
        match (kind, size) {
            ('f', _) => recording.free_known(key),
            ('a', Some(_)) if recording.is_live(key) => {
                Err("an id that is live already; free it first, or give the block an id of its own".into())
            }
            ('a', Some(size)) => recording.allocate(key, size, 0),
            ('r', Some(0)) if !recording.is_live(key) => Ok(()),
            ('r', Some(size)) if !recording.is_live(key) => recording.allocate(key, size, 0),
            ('r', Some(size)) => recording.reallocate(key, key, size),
            _ => Err("a request without a size".into()),
        }
    }

    fn end(&mut self, recording: &mut Recording<'_>) -> Taken {
        let promised = match self.header.len() {
            HEADER => self.header[2],
            3 => self.header[1],
            _ => 0,
        };
        if !recording.is_full() && self.requests < promised {
            return Err(format!("cut off: the header promises {promised} requests, {} are there", self.requests).into());
        }
        Ok(())
    }
}
