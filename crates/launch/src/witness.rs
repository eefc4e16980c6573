//! Whether a library took effect: what the started program noted, and how it ended.
//!
//! ```text
//!   page, a file without a name ──announced──▶ program: loads the library, which notes ──▶ read when it has ended
//! ```
//!
//! | noted | and | so |
//! |---|---|---|
//! | nothing | | the library was not loaded |
//! | another `malloc` | | the program has one linked into it |
//! | an error | | the recording could not begin |
//! | loaded, and no end | it ended itself under another name | it became a program without the library |

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command};

use heapsmith_capture::witness::{BYTES, MAGIC, STARTED_BY, VARIABLE, word};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::Ended;

/// A page for the notes of one started program.
#[derive(Debug)]
pub struct Witness(File);

/// What became of a library in a program that was started with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The program ran with it.
    Took,
    /// It was not loaded.
    NotLoaded,
    /// The program brings a `malloc` that comes before the library's.
    OtherMalloc,
    /// The program became another, of this name, which ran without it.
    Became(String),
    /// The program ran with it, and was not recorded: the system's error.
    Refused(i32),
}

/// How a program ended, and what became of the library in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witnessed {
    /// How it ended.
    pub ended: Ended,
    /// What became of the library.
    pub effect: Effect,
    /// Other processes that had the library and could not be recorded.
    pub others_refused: u64,
    /// Whether its statistics could not be written whole.
    pub untold: bool,
}

impl Witness {
    /// A page without notes.
    ///
    /// # Errors
    ///
    /// What the system says where it has no memory for it.
    pub fn new() -> io::Result<Witness> {
        let mut page = nameless()?;
        page.set_len(BYTES as u64)?;
        page.write_all(&MAGIC.to_ne_bytes())?;
        Ok(Witness(page))
    }

    /// Passes the place of the page to the program that is about to start.
    pub fn announce(&self, command: &mut Command) {
        let own = std::process::id();
        command.env(VARIABLE, format!("/proc/{own}/fd/{}", self.0.as_raw_fd())).env(STARTED_BY, own.to_string());
    }

    /// Waits for the program, and reports whether the library took effect.
    ///
    /// # Errors
    ///
    /// What the system says where the program cannot be waited for.
    pub fn wait(&self, child: &mut Child) -> io::Result<Witnessed> {
        let name = name_at_end(child);
        self.read(Ended::from(child.wait()?), name)
    }

    /// The same of a program that ended so, and under this name ([`name_at_end`]), for callers that wait by themselves.
    ///
    /// # Errors
    ///
    /// What the system says where the page cannot be read.
    pub fn read(&self, ended: Ended, name: Option<String>) -> io::Result<Witnessed> {
        let note = |word: usize| self.word(word).map(u64::from_ne_bytes);
        let effect = if note(word::LOADED)? == 0 {
            Effect::NotLoaded
        } else if note(word::ENDED)? == 0
            && let (Ended::Code(_), Some(name)) = (ended, name)
            && name != self.name()?
        {
            Effect::Became(name)
        } else if note(word::OTHER_MALLOC)? == 1 {
            Effect::OtherMalloc
        } else {
            match note(word::REFUSED)? {
                0 => Effect::Took,
                error => Effect::Refused(i32::try_from(error).unwrap_or(i32::MAX)),
            }
        };
        let (others_refused, untold) = (note(word::OTHERS_REFUSED)?, note(word::UNTOLD)? == 1);
        Ok(Witnessed { ended, effect, others_refused, untold })
    }

    fn word(&self, word: usize) -> io::Result<[u8; 8]> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, word as u64 * 8)?;
        Ok(bytes)
    }

    /// The program's name when it loaded the library.
    fn name(&self) -> io::Result<String> {
        let bytes = [self.word(word::NAME)?, self.word(word::NAME + 1)?].concat();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

/// A file without a name, in memory.
#[cfg(target_os = "linux")]
fn nameless() -> io::Result<File> {
    Ok(File::from(rustix::fs::memfd_create("heapsmith-witness", rustix::fs::MemfdFlags::CLOEXEC)?))
}

/// Where the libraries do not know the system, nothing is started with them.
#[cfg(not(target_os = "linux"))]
fn nameless() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Waits for the end of a program, and gives the name that it ends with: asked between its end and the wait that forgets it.
pub fn name_at_end(child: &Child) -> Option<String> {
    let process = Pid::from_child(child);
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(error) = waitid(WaitId::Pid(process), options) {
        if error != rustix::io::Errno::INTR {
            return None;
        }
    }
    let text = std::fs::read(format!("/proc/{}/stat", child.id())).ok()?;
    let text = String::from_utf8_lossy(&text);
    Some(text.get(text.find('(')? + 1..text.rfind(')')?)?.to_owned())
}
