//! Inputs that can be read only once, made files that can be read again.
//!
//! A trace file is read from its end, and the first bytes of every input are read twice, so a pipe (`/dev/stdin`,
//! `<(command)`, a FIFO) is copied first: into a temporary file without a name, which is gone when the
//! process is, however it ends. It holds at most as much as reading may take memory (`--memory`), since the
//! folder for temporary files often is memory. Devices are refused: most of them never end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use heapsmith_trace::{Origin, memory};

use crate::failure::Failure;
use crate::progress;

/// An input, and where it can be read.
pub struct Spool<'n> {
    named: &'n Path,
    /// The copy of a pipe, and the path that it is open under.
    copy: Option<(PathBuf, File)>,
}

impl<'n> Spool<'n> {
    /// Looks at what lies at `named`, and copies it if it is a pipe.
    pub fn of(named: &'n Path) -> Result<Spool<'n>, Failure> {
        let copy = match fs::metadata(named) {
            Ok(found) if is_pipe(&found) => Some(copy(named)?),
            Ok(found) if is_device(&found) => {
                return Err(Failure::bad_input(format!(
                    "{} is a device; name a file, or a pipe as in: COMMAND | heapsmith inspect /dev/stdin",
                    named.display()
                )));
            }
            // Opening it reports whether it exists and what else it is.
            _ => None,
        };
        Ok(Spool { named, copy })
    }

    /// As it was named.
    pub fn named(&self) -> &Path {
        self.named
    }

    /// Where to read it.
    pub fn path(&self) -> &Path {
        self.copy.as_ref().map_or(self.named, |(path, _)| path)
    }

    /// What went wrong, about the input as it was named.
    pub fn name_in(&self, failure: Failure) -> Failure {
        match &self.copy {
            Some((path, _)) => failure.about(path, self.named),
            None => failure,
        }
    }

    /// The origin of a trace, with the input as it was named.
    pub fn name_origin(&self, origin: &mut Origin) {
        let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        if let Some((path, _)) = &self.copy
            && origin.source == name(path)
        {
            origin.source = name(self.named);
        }
    }
}

#[cfg(unix)]
fn is_pipe(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_fifo() || found.file_type().is_socket()
}

#[cfg(unix)]
fn is_device(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_char_device() || found.file_type().is_block_device()
}

fn copy(named: &Path) -> Result<(PathBuf, File), Failure> {
    let spinner = progress::spinner(&format!("reading {}", named.display()));
    let max = memory::budget();
    let copied = File::open(named).and_then(|pipe| {
        let mut file = tempfile::tempfile()?;
        let copied = io::copy(&mut pipe.take(max.0.saturating_add(1)), &mut file)?;
        Ok((file, copied))
    });
    spinner.finish_and_clear();
    let (file, copied) = copied.map_err(|error| {
        Failure::environment(format!("cannot copy {} to a temporary file: {error}", named.display()))
    })?;
    if copied > max.0 {
        return Err(Failure::environment(format!(
            "{} gives more than {max}; write it to a file first, or allow more with --memory SIZE",
            named.display()
        )));
    }
    use std::os::fd::AsRawFd;
    Ok((PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())), file))
}
