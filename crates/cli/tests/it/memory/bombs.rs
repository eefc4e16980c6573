//! Small files that ask for much.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A gzip file of `head` and `times` times `body`, each a member of its own, which is packed once.
pub fn gzip(head: &[u8], body: &[u8], times: usize) -> Vec<u8> {
    let member = |bytes: &[u8]| {
        let mut writer = GzEncoder::new(Vec::new(), Compression::default());
        writer.write_all(bytes).and_then(|()| writer.finish()).unwrap_or_default()
    };
    let mut file = member(head);
    let body = member(body);
    (0..times).for_each(|_| file.extend_from_slice(&body));
    file
}

/// An xz file whose block asks for a dictionary of 4 GB.
pub fn xz_of_largest_dictionary() -> Vec<u8> {
    let mut file = vec![0xfd, b'7', b'z', b'X', b'Z', 0];
    let flags = [0, 0];
    file.extend_from_slice(&flags);
    file.extend_from_slice(&crc(&flags).to_le_bytes());
    // Twelve bytes with one filter: LZMA2 with the largest dictionary.
    let header = [2, 0, 0x21, 1, 40, 0, 0, 0];
    file.extend_from_slice(&header);
    file.extend_from_slice(&crc(&header).to_le_bytes());
    // A chunk that is not packed, and resets the dictionary.
    file.extend_from_slice(&[1, 0, 2, b'/', b'a', b'\n', 0]);
    file
}

/// The check sum of IEEE 802.3.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

/// The header of a capture of Ethernet.
pub fn pcap_header() -> Vec<u8> {
    [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 1].into_iter().flat_map(u32::to_le_bytes).collect()
}

/// This many packets of 1514 bytes, of which 14 were captured, all of one flow and one time.
pub fn packets(count: usize) -> Vec<u8> {
    let mut packet: Vec<u8> = [1_u32, 0, 14, 1514].into_iter().flat_map(u32::to_le_bytes).collect();
    packet.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 6]);
    packet.repeat(count)
}

/// What a trace file claims to hold; its bytes hold next to nothing.
pub struct Claims {
    /// Rows of its row group.
    pub rows: i64,
    /// Pages of each column.
    pub pages: usize,
    /// Values of each page.
    pub values: i64,
    /// Bytes that each page unpacks to, where that is not what it does.
    pub unpacked: Option<i64>,
    /// Values of the dictionaries of numbers, where that is not one.
    pub dictionary: Option<i64>,
}

impl Claims {
    /// One row, as it is.
    pub const HONEST: Claims = Claims { rows: 1, pages: 1, values: 1, unpacked: None, dictionary: None };
}

/// The physical types of columns, as the format numbers them.
const INT32: i64 = 1;
const INT64: i64 = 2;
const BYTES: i64 = 6;

/// The columns of a trace file: name, type, whether marks have a value there, whether every event has.
const COLUMNS: [(&str, i64, bool, bool); 8] = [
    ("time", INT64, true, true),
    ("thread", INT32, true, true),
    ("action", BYTES, true, true),
    ("id", INT64, false, false),
    ("size", INT64, false, false),
    ("alignment", INT64, false, false),
    ("label", INT32, true, false),
    ("site", INT32, false, false),
];

/// A column as the footer describes it.
struct Chunk {
    column: usize,
    dictionary: i64,
    data: i64,
    bytes: i64,
}

/// A trace file of marks. Each of its pages is one run of one value of a dictionary.
pub fn parquet(claims: &Claims) -> Vec<u8> {
    let mut file = b"PAR1".to_vec();
    let mut chunks = Vec::new();
    for (column, &(_, kind, has_values, is_required)) in COLUMNS.iter().enumerate() {
        let dictionary = file.len() as i64;
        let (entry, entries): (&[u8], i64) = match kind {
            BYTES => (b"\x04\0\0\0mark", 1),
            INT32 => (&[0; 4], claims.dictionary.unwrap_or(1)),
            _ => (&[0; 8], claims.dictionary.unwrap_or(1)),
        };
        page(&mut file, Kind::Dictionary, entry, entries, claims);
        let data = file.len() as i64;
        for _ in 0..claims.pages {
            let mut body = Vec::new();
            if !is_required {
                let levels = run(claims.values, u8::from(has_values));
                body.extend((levels.len() as u32).to_le_bytes());
                body.extend(levels);
            }
            // Indices of one bit, each of them 0.
            body.push(1);
            body.extend(run(claims.values, 0));
            page(&mut file, Kind::Data, &body, claims.values, claims);
        }
        chunks.push(Chunk { column, dictionary, data, bytes: file.len() as i64 - dictionary });
    }
    let footer = footer(claims, &chunks);
    file.extend_from_slice(&footer);
    file.extend_from_slice(&(footer.len() as u32).to_le_bytes());
    file.extend_from_slice(b"PAR1");
    file
}

/// This many times one value of a bit, as a run of the format's hybrid of runs and packed bits.
fn run(values: i64, value: u8) -> Vec<u8> {
    let mut bytes = Thrift::default();
    bytes.unsigned((values as u64) << 1);
    bytes.0.push(value);
    bytes.0
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Data,
    Dictionary,
}

fn page(file: &mut Vec<u8>, kind: Kind, body: &[u8], values: i64, claims: &Claims) {
    // Where another size is claimed, the page has to be one that is packed.
    let body = if claims.unpacked.is_some() { snappy(body) } else { body.to_vec() };
    let unpacked = claims.unpacked.unwrap_or(body.len() as i64);
    let mut header = Thrift::default();
    header.number(1, 0, if kind == Kind::Data { 0 } else { 2 });
    header.number(2, 1, unpacked);
    header.number(3, 2, body.len() as i64);
    match kind {
        Kind::Data => {
            header.field(5, 3, Thrift::STRUCT);
            header.number(1, 0, values);
            // Indices of a dictionary; levels as runs.
            for (field, encoding) in [(2, 8), (3, 3), (4, 3)] {
                header.number(field, field - 1, encoding);
            }
        }
        Kind::Dictionary => {
            header.field(7, 3, Thrift::STRUCT);
            header.number(1, 0, values);
            header.number(2, 1, 0);
        }
    }
    header.0.extend([0, 0]);
    file.extend_from_slice(&header.0);
    file.extend_from_slice(&body);
}

/// A few bytes as Snappy's literal.
fn snappy(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![bytes.len() as u8, (bytes.len() as u8 - 1) << 2];
    packed.extend_from_slice(bytes);
    packed
}

/// The metadata at the end of a file.
fn footer(claims: &Claims, chunks: &[Chunk]) -> Vec<u8> {
    let mut footer = Thrift::default();
    footer.number(1, 0, 1);
    footer.list(2, 1, Thrift::STRUCT, COLUMNS.len() + 1);
    footer.text(4, 0, "trace");
    footer.number(5, 4, COLUMNS.len() as i64);
    footer.0.push(0);
    for (name, kind, _, is_required) in COLUMNS {
        footer.number(1, 0, kind);
        footer.number(3, 1, i64::from(!is_required));
        footer.text(4, 3, name);
        footer.0.push(0);
    }
    footer.long(3, 2, claims.rows);
    footer.list(4, 3, Thrift::STRUCT, 1);
    footer.list(1, 0, Thrift::STRUCT, chunks.len());
    for chunk in chunks {
        footer.long(2, 0, chunk.dictionary);
        footer.field(3, 2, Thrift::STRUCT);
        footer.number(1, 0, COLUMNS[chunk.column].1);
        footer.list(2, 1, Thrift::I32, 1);
        footer.signed(8);
        footer.list(3, 2, Thrift::TEXT, 1);
        footer.bytes(COLUMNS[chunk.column].0);
        // Packed with Snappy, or not at all.
        footer.number(4, 3, i64::from(claims.unpacked.is_some()));
        footer.long(5, 4, claims.rows);
        footer.long(6, 5, chunk.bytes);
        footer.long(7, 6, chunk.bytes);
        footer.long(9, 7, chunk.data);
        footer.long(11, 9, chunk.dictionary);
        footer.0.extend([0, 0]);
    }
    footer.long(2, 1, chunks.iter().map(|chunk| chunk.bytes).sum());
    footer.long(3, 2, claims.rows);
    footer.0.push(0);
    footer.list(5, 4, Thrift::STRUCT, 2);
    for (key, value) in [("heapsmith.schema", "1"), ("heapsmith.label.0", "again")] {
        footer.text(1, 0, key);
        footer.text(2, 1, value);
        footer.0.push(0);
    }
    footer.0.push(0);
    footer.0
}

/// What is written in Thrift's compact protocol. A field is identified by its distance from the previous one.
#[derive(Default)]
struct Thrift(Vec<u8>);

impl Thrift {
    const I32: u8 = 5;
    const I64: u8 = 6;
    const TEXT: u8 = 8;
    const LIST: u8 = 9;
    const STRUCT: u8 = 12;

    fn field(&mut self, field: u8, before: u8, kind: u8) {
        self.0.push((field - before) << 4 | kind);
    }

    fn number(&mut self, field: u8, before: u8, value: i64) {
        self.field(field, before, Thrift::I32);
        self.signed(value);
    }

    fn long(&mut self, field: u8, before: u8, value: i64) {
        self.field(field, before, Thrift::I64);
        self.signed(value);
    }

    fn text(&mut self, field: u8, before: u8, text: &str) {
        self.field(field, before, Thrift::TEXT);
        self.bytes(text);
    }

    fn bytes(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// The beginning of a list of fewer than 15 elements.
    fn list(&mut self, field: u8, before: u8, kind: u8, length: usize) {
        self.field(field, before, Thrift::LIST);
        self.0.push((length as u8) << 4 | kind);
    }

    fn signed(&mut self, value: i64) {
        self.unsigned((value << 1 ^ value >> 63) as u64);
    }

    fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
