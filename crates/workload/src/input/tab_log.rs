//! Request logs with tabs between their fields and a header line that names them, such as
//! `host logname time method url response bytes`. Columns can be in any order; those
//! with other names, and those that a line has beyond the header, are left alone.

use heapsmith_trace::Nanoseconds;

use super::lines::Lines;
use super::requests::Request;
use crate::error::LoadError;

/// Whether a line names columns that are understood.
pub(super) fn is_header(line: &str) -> bool {
    line.contains('\t') && Columns::of(line).is_some()
}

/// The places of the columns.
struct Columns {
    url: usize,
    time: Option<usize>,
    method: Option<usize>,
    bytes: Option<usize>,
}

impl Columns {
    fn of(header: &str) -> Option<Columns> {
        let names: Vec<&str> = header.split('\t').map(str::trim).collect();
        let position = |name: &str| names.iter().position(|known| known.eq_ignore_ascii_case(name));
        Some(Columns {
            url: position("url")?,
            time: position("time"),
            method: position("method"),
            bytes: position("bytes"),
        })
    }

    fn request(&self, line: &str) -> Result<Request, &'static str> {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let field = |column: Option<usize>| column.and_then(|column| fields.get(column).copied());
        let url = field(Some(self.url)).ok_or("too few columns")?;
        let mut request = Request { method: field(self.method).unwrap_or("GET").to_owned(), ..Request::default() };
        request.set_url(url);
        if let Some(time) = field(self.time) {
            let seconds: u64 = time.parse().map_err(|_| "the time is not a number of seconds")?;
            let nanoseconds = seconds.checked_mul(1_000_000_000);
            request.time = Some(Nanoseconds(nanoseconds.ok_or("the time is too far off")?));
        }
        request.reply = match field(self.bytes) {
            None | Some("" | "-") => None,
            Some(bytes) => Some(bytes.parse().map_err(|_| "the reply's size is not a number of bytes")?),
        };
        Ok(request)
    }
}

/// Reads a whole log, whose first line is the header.
pub(super) fn requests(lines: &mut Lines) -> Result<Vec<Request>, LoadError> {
    let mut requests = Vec::new();
    let Some(columns) = lines.next_line()?.and_then(Columns::of) else {
        return Ok(requests);
    };
    while let Some(line) = lines.next_line()? {
        match columns.request(line) {
            Ok(request) => requests.push(request),
            Err(cause) => lines.refuse(cause)?,
        }
    }
    Ok(requests)
}
