//! Bytes as a file: everything that reads takes a path.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A file that lies in memory and has no name but that of its descriptor.
struct InMemory {
    file: File,
    path: PathBuf,
}

impl InMemory {
    fn new() -> InMemory {
        let file = rustix::fs::memfd_create("heapsmith-fuzz", rustix::fs::MemfdFlags::CLOEXEC);
        let file = File::from(file.expect("the system has files in memory"));
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        InMemory { file, path }
    }
}

thread_local! {
    static FILE: InMemory = InMemory::new();
    static FOLDER: TempDir = folder();
}

/// A folder in memory where the system has one.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a temporary folder")
}

/// Does a job with a file that has parts at these places, and zeros between them.
pub(crate) fn as_parts<T>(parts: &[(u64, &[u8])], job: impl FnOnce(&Path) -> T) -> T {
    FILE.with(|InMemory { file, path }| {
        file.set_len(0).expect("memory");
        for (at, bytes) in parts {
            file.write_all_at(bytes, *at).expect("memory");
        }
        job(path)
    })
}

/// Does a job with a file of these bytes.
pub(crate) fn as_file<T>(bytes: &[u8], job: impl FnOnce(&Path) -> T) -> T {
    as_parts(&[(0, bytes)], job)
}

/// Does a job with a folder that has a file of these bytes, and nothing else.
pub(crate) fn as_file_of_folder<T>(name: &str, bytes: &[u8], job: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| {
        let folder = folder.path();
        for entry in folder.read_dir().expect("the folder is ours").flatten() {
            let _ = std::fs::remove_file(entry.path());
        }
        #[allow(clippy::disallowed_methods, reason = "an input, in a folder of its own")]
        std::fs::write(folder.join(name), bytes).expect("memory");
        job(folder)
    })
}
