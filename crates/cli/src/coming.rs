//! What comes from a serial port or a pipe, read until it ends or Ctrl-C.
//!
//! ```text
//!   port ─ a thread that reads ─ channel ─► Coming ─► importer
//!                                   Ctrl-C ──┘ (the end)
//! ```
//!
//! A read cannot be interrupted, so another thread does it, and is left behind where Ctrl-C ends the reading.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::failure::Failure;
use crate::interrupt;

/// Pieces that wait for the importer at most.
const PIECES: usize = 64;
/// How soon Ctrl-C is noticed.
const PATIENCE: Duration = Duration::from_millis(100);

pub struct Coming {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    taken: usize,
    stop: &'static AtomicBool,
}

impl Coming {
    /// Opens a port or a pipe; a port passes bytes on as they are from then on.
    pub fn open(path: &Path, baud: Option<u64>) -> Result<Coming, Failure> {
        let cannot = |error: io::Error| Failure::environment(format!("cannot open {}: {error}", path.display()));
        let stop = interrupt::catch();
        // Before it is opened, which may wait for a carrier. A device that is no port is refused.
        if std::fs::metadata(path).map_err(cannot)?.file_type().is_char_device() {
            set(path, baud)?;
        } else if baud.is_some() {
            return Err(Failure::wrong_use(format!("{} is no serial port: leave out --baud", path.display())));
        }
        let mut port = File::open(path).map_err(cannot)?;
        let (sender, pieces) = sync_channel(PIECES);
        let reader = move || {
            loop {
                let mut piece = vec![0; 4096];
                let read = match port.read(&mut piece) {
                    Ok(0) => break,
                    Ok(read) => read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        let _ = sender.send(Err(error));
                        break;
                    }
                };
                piece.truncate(read);
                if sender.send(Ok(piece)).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().spawn(reader).map_err(cannot)?;
        Ok(Coming { pieces, piece: Vec::new(), taken: 0, stop })
    }
}

/// Makes a terminal a port that changes no byte. The program `stty` does so without a line of unsafe code here.
fn set(path: &Path, baud: Option<u64>) -> Result<(), Failure> {
    let mut stty = Command::new("stty");
    stty.arg("-F").arg(path).args(["raw", "-echo", "clocal"]).args(baud.map(|baud| baud.to_string()));
    let output = stty
        .output()
        .map_err(|error| Failure::environment(format!("cannot run stty, which sets a serial port: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::environment(format!("cannot set {}: {said}", path.display())))
}

impl Read for Coming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.piece.len() {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(0);
            }
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => (self.piece, self.taken) = (piece?, 0),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.piece.len() - self.taken);
        buffer[..count].copy_from_slice(&self.piece[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}
