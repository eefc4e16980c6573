//! A trace file of a kilobyte that has two thousand million rows: all of a column is one run of one value.
//!
//! Source: the Apache Parquet format, whose metadata is written in Thrift's compact protocol.

use super::super::Case;

/// Rows of the whole file.
const ROWS: i64 = 2_000_000_000;

/// The physical types of Parquet that a trace has.
const INT32: i64 = 1;
const INT64: i64 = 2;
const BYTE_ARRAY: i64 = 6;

/// The columns that a row of `allocate` needs: name, type, whether it may be null, and the bytes of its value.
const COLUMNS: [(&str, i64, bool, &[u8]); 8] = [
    ("time", INT64, false, &[0; 8]),
    ("thread", INT32, false, &[0; 4]),
    ("action", BYTE_ARRAY, false, b"\x08\0\0\0allocate"),
    ("id", INT64, true, &[0; 8]),
    ("size", INT64, true, &[1, 0, 0, 0, 0, 0, 0, 0]),
    ("alignment", INT64, true, &[0; 8]),
    ("label", INT32, true, &[0; 4]),
    ("site", INT32, true, &[0; 4]),
];

/// Writes `bomb.parquet`, whose pages have `millions` of rows each, or all of them.
pub fn rows(case: &Case<'_>, millions: usize) -> Result<(), String> {
    let page = if millions > 100 { ROWS } else { millions as i64 * 1_000_000 };
    let mut file = b"PAR1".to_vec();
    let mut chunks = Vec::new();
    for (name, kind, optional, value) in COLUMNS {
        let start = file.len();
        page_header(&mut file, 2, value.len(), 7, &[(1, 1), (2, 0)]);
        file.extend_from_slice(value);
        let data = file.len();
        let mut left = ROWS;
        while left > 0 {
            let values = left.min(page);
            let body = one_run(values, optional);
            page_header(&mut file, 0, body.len(), 5, &[(1, values), (2, 8), (3, 3), (4, 3)]);
            file.extend_from_slice(&body);
            left -= values;
        }
        chunks.push(chunk(name, kind, start, data, file.len()));
    }
    let footer = footer(&chunks);
    file.extend_from_slice(&footer);
    file.extend_from_slice(&(footer.len() as u32).to_le_bytes());
    file.extend_from_slice(b"PAR1");
    case.write("bomb.parquet", file)
}

/// A page's body: a run of "is there" where the column may be null, then a run of the dictionary's first entry.
fn one_run(values: i64, optional: bool) -> Vec<u8> {
    let mut run = Vec::new();
    varint(&mut run, (values as u64) << 1);
    let mut body = Vec::new();
    if optional {
        body.extend_from_slice(&(run.len() as u32 + 1).to_le_bytes());
        body.extend_from_slice(&run);
        body.push(1);
    }
    // Indices of one bit, each 0.
    body.push(1);
    body.extend_from_slice(&run);
    body.push(0);
    body
}

/// The header of a page: its kind, its length, and a structure of numbers under `field`.
fn page_header(file: &mut Vec<u8>, kind: i64, length: usize, field: u8, numbers: &[(u8, i64)]) {
    let mut header = Structure::default();
    header.number(1, kind).number(2, length as i64).number(3, length as i64);
    let mut inner = Structure::default();
    for &(field, number) in numbers {
        inner.number(field, number);
    }
    header.inner(field, inner);
    file.extend(header.end());
}

/// A column of the only row group.
fn chunk(name: &str, kind: i64, start: usize, data: usize, end: usize) -> Vec<u8> {
    let mut meta = Structure::default();
    let length = (end - start) as i64;
    meta.number(1, kind).list(2, 5, &[vec![16], vec![6]]).list(3, 8, &[text(name)]).number(4, 0);
    meta.long(5, ROWS).long(6, length).long(7, length).long(9, data as i64).long(11, start as i64);
    let mut chunk = Structure::default();
    chunk.long(2, start as i64).inner(3, meta);
    chunk.end()
}

fn footer(chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut root = Structure::default();
    root.bytes(4, "heapsmith_trace").number(5, COLUMNS.len() as i64);
    let mut schema = vec![root.end()];
    for (name, kind, optional, _) in COLUMNS {
        let mut column = Structure::default();
        column.number(1, kind).number(3, i64::from(optional)).bytes(4, name);
        schema.push(column.end());
    }
    let mut group = Structure::default();
    group.list(1, 12, chunks).long(2, 1000).long(3, ROWS);
    let mut entry = Structure::default();
    entry.bytes(1, "heapsmith.schema").bytes(2, "1");
    let mut footer = Structure::default();
    footer.number(1, 1).list(2, 12, &schema).long(3, ROWS).list(4, 12, &[group.end()]).list(5, 12, &[entry.end()]);
    footer.end()
}

/// A structure of Thrift's compact protocol: each field as a byte of its distance to the last and its type, then its value.
#[derive(Default)]
struct Structure {
    bytes: Vec<u8>,
    last: u8,
}

impl Structure {
    fn field(&mut self, field: u8, kind: u8) -> &mut Structure {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
        self
    }

    fn number(&mut self, field: u8, number: i64) -> &mut Structure {
        varint(&mut self.field(field, 5).bytes, zigzag(number));
        self
    }

    fn long(&mut self, field: u8, number: i64) -> &mut Structure {
        varint(&mut self.field(field, 6).bytes, zigzag(number));
        self
    }

    fn bytes(&mut self, field: u8, words: &str) -> &mut Structure {
        self.field(field, 8).bytes.extend(text(words));
        self
    }

    fn list(&mut self, field: u8, kind: u8, items: &[Vec<u8>]) -> &mut Structure {
        // All lists here are shorter than 15, which one byte can say.
        self.field(field, 9).bytes.push((items.len() as u8) << 4 | kind);
        self.bytes.extend(items.concat());
        self
    }

    fn inner(&mut self, field: u8, inner: Structure) -> &mut Structure {
        self.field(field, 12).bytes.extend(inner.end());
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn text(words: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(&mut bytes, words.len() as u64);
    bytes.extend_from_slice(words.as_bytes());
    bytes
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
