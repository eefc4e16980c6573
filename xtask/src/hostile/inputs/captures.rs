//! The beginning of a capture, cut between two packets.

/// The first packets of a pcap file of this machine's byte order: 24 bytes, then records of 16 bytes and what they hold.
pub fn pcap(file: &[u8], packets: usize) -> Vec<u8> {
    cut(file, 24, packets, |record| 16 + word(record, 8))
}

/// The first blocks of a pcapng file of this machine's byte order, each of which has its length in its second word.
pub fn pcapng(file: &[u8], blocks: usize) -> Vec<u8> {
    cut(file, 0, blocks, |block| word(block, 4))
}

fn cut(file: &[u8], head: usize, records: usize, length: impl Fn(&[u8]) -> usize) -> Vec<u8> {
    let mut end = head;
    for _ in 0..records {
        let next = end + file.get(end..).map_or(0, &length);
        if next > file.len() {
            break;
        }
        end = next;
    }
    file[..end.min(file.len())].to_vec()
}

/// A word, or nothing where the file is over.
fn word(record: &[u8], at: usize) -> usize {
    let bytes = record.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, |bytes| u32::from_le_bytes(bytes) as usize)
}
