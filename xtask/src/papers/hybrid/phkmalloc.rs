//! phkmalloc 1.89: a checksum of every hundred addresses.
//!
//! The program gets a file of records of three numbers of four bytes, lowest byte first: what (0 allocates, 1 frees, 2
//! reallocates), the block, and its bytes. It writes bytes from the heap's beginning to each block that it allocates or
//! reallocates, as four bytes.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::{ended, recorded, said};
use crate::run::root;

/// What plays the requests.
pub const PROGRAM: &str = "bin/phkmalloc";
/// Where it is from.
pub const SOURCE: &str = "allocators/phkmalloc/phkmalloc_linux.c of https://github.com/emeryberger/Malloc-Implementations, commit \
                          70acc11589d924c4e05c27d929e4c779b08a712e";
/// What is written.
pub const FILE: &str = "crates/papers/originals/phkmalloc-1.89.csv";

/// Recordings that are played.
const PLAYED: [(&str, &str); 3] = [
    ("cfrac", "samples/programs/cfrac.parquet"),
    ("espresso", "samples/programs/espresso.parquet"),
    ("perl", "samples/perl/perfect.parquet"),
];
/// Requests of a checksum.
const HUNDRED: usize = 100;

/// A request or a free, as the program reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    what: u32,
    block: u32,
    bytes: u32,
}

const FREES: u32 = 1;

/// The file with the checksums of all recordings, after its comments, which stay.
pub fn addresses(folder: &Path, heapsmith: &Path) -> Result<String, String> {
    let path = root().join(FILE);
    let known = std::fs::read_to_string(&path).map_err(|error| said(&path, error))?;
    let mut text: String = known.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    text += "program,first,hash\n";
    for (name, trace) in PLAYED {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let events = recorded::of_trace(&root().join(trace), None, heapsmith, scratch.path())?;
        let requests = requests(&events)?;
        let file = scratch.path().join("requests");
        std::fs::write(&file, bytes(&requests)).map_err(|error| said(&file, error))?;
        let said = ended(Command::new(folder.join(PROGRAM)).arg(&file))?.stdout;
        let placed: Vec<u32> = said.as_chunks().0.iter().map(|&address| u32::from_le_bytes(address)).collect();
        for (number, part) in from_first(&requests, &placed).chunks(HUNDRED).enumerate() {
            let _ = writeln!(text, "{name},{},{:016x}", number * HUNDRED, hash(part));
        }
    }
    Ok(text)
}

/// The requests of a table of events.
fn requests(events: &str) -> Result<Vec<Request>, String> {
    let head: Vec<&str> = events.lines().next().unwrap_or_default().split(',').collect();
    let place = |name: &str| head.iter().position(|&column| column == name).ok_or(format!("there is no column {name}"));
    let [action, id, size] = [place("action")?, place("id")?, place("size")?];
    let request = |line: &str| -> Option<Request> {
        let fields: Vec<&str> = line.split(',').collect();
        let what = ["allocate", "free", "reallocate"].iter().position(|&name| name == fields[action])?;
        let bytes = if what == FREES as usize { 0 } else { fields[size].parse().ok()? };
        Some(Request { what: what as u32, block: fields[id].parse().ok()?, bytes })
    };
    let all = events.lines().skip(1).map(|line| request(line).ok_or(format!("no request: {line}")));
    all.collect()
}

fn bytes(requests: &[Request]) -> Vec<u8> {
    requests
        .iter()
        .flat_map(|request| [request.what, request.block, request.bytes])
        .flat_map(u32::to_le_bytes)
        .collect()
}

/// Bytes from the first request to each; a reallocation is one where it changes place or size.
fn from_first(requests: &[Request], placed: &[u32]) -> Vec<u32> {
    let (mut live, mut all, mut placed) = (HashMap::new(), Vec::new(), placed.iter());
    for request in requests {
        if request.what == FREES {
            live.remove(&request.block);
        } else if let Some(&address) = placed.next()
            && live.insert(request.block, (address, request.bytes)) != Some((address, request.bytes))
        {
            all.push(address);
        }
    }
    let first = all.first().copied().unwrap_or(0);
    all.into_iter().map(|address| address.wrapping_sub(first)).collect()
}

/// FNV-1a of 64 bits.
fn hash(addresses: &[u32]) -> u64 {
    let bytes = addresses.iter().flat_map(|address| address.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reallocation_counts_where_it_changes_place_or_size() {
        let events = "action,id,size\nallocate,0,8\nreallocate,0,8\nreallocate,0,9\nfree,0,\nallocate,0,9\n";
        let requests = requests(events).expect("requests");
        assert_eq!(bytes(&requests)[12..24], [2, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]);
        assert_eq!(from_first(&requests, &[64, 64, 64, 96]), [0, 0, 32]);
        assert!(super::requests("action,id,size\nflush,0,1\n").is_err());
    }

    /// Of the vectors of the reference implementation.
    #[test]
    fn the_checksum_is_fnv_1a() {
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(&[u32::from_le_bytes(*b"foob")]), 0xdd12_0e79_0c25_12af);
    }
}
