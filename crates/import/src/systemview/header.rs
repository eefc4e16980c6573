//! The lines at the beginning of a recording that a program of the host saved.

use super::packet::Packets;
use crate::importer::Stop;
use crate::recording::Taken;

/// Bytes of a line that are looked at, lines, and parts: there are as many as cores.
const LINE: usize = 1024;
const LINES: usize = 1024;
const PARTS: usize = 64;

/// What the header says.
#[derive(Default)]
pub struct Header {
    pub is_espressif: bool,
    /// The events themselves have the number of their core.
    pub has_cores: bool,
    /// Where the part of each core begins, from the end of the header.
    pub offsets: Vec<u64>,
}

impl Header {
    /// Reads the lines that begin with a semicolon; none is no header.
    pub fn read(packets: &mut Packets<'_>) -> Result<Header, Stop> {
        let mut header = Header::default();
        for _ in 0..LINES {
            if packets.peek()? != Some(b';') {
                break;
            }
            let mut line = Vec::new();
            while let Some(byte) = packets.byte()?.filter(|byte| *byte != b'\n') {
                if line.len() < LINE {
                    line.push(byte);
                }
            }
            header.line(String::from_utf8_lossy(&line).trim_end())?;
        }
        Ok(header)
    }

    fn line(&mut self, line: &str) -> Taken {
        self.is_espressif |= line.starts_with("; Author") && line.contains("Espressif");
        self.has_cores |= line == "; ESP_Extension";
        let Some(core) = line.strip_prefix("; Offset Core") else { return Ok(()) };
        let offset = core.split_once(' ').and_then(|(_, offset)| offset.trim().parse().ok());
        let offset: u64 = offset.ok_or("a part of a core without its offset")?;
        if self.offsets.last().is_some_and(|before| *before >= offset) || self.offsets.len() >= PARTS {
            return Err("parts of cores that are not one after the other".into());
        }
        self.offsets.push(offset);
        Ok(())
    }
}
