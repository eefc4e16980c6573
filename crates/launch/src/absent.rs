//! Why a program ran without the library before its allocator.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What is most likely the cause that `program` did not meet the library, and what to do.
pub fn why_nothing_was_preloaded(program: &OsStr) -> String {
    let Some(path) = find(program) else {
        return "it allocated nothing".to_owned();
    };
    let shown = path.display();
    certain(&path).unwrap_or_else(|| {
        format!(
            "{shown} allocated nothing through malloc, or it is started with a clean environment (LD_PRELOAD and the \
             variables that begin with HEAPSMITH have to reach it), or it has an allocator of its own linked into it"
        )
    })
}

/// Why no library can be preloaded into `program`, where that is certain, and what to do.
pub fn why_nothing_will_be_preloaded(program: &OsStr) -> Option<String> {
    certain(&find(program)?)
}

fn certain(path: &Path) -> Option<String> {
    let shown = path.display();
    if fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o6000 != 0) {
        return Some(format!(
            "{shown} is set-user-id, and the system preloads nothing into such programs: run it as its owner from a copy without that bit"
        ));
    }
    (interpreter(path) == Some(false))
        .then(|| format!("{shown} is linked statically, so there is no malloc to stand before: link it dynamically"))
}

/// The file that a name on the command line stands for, as the system looks for it.
pub fn find(program: &OsStr) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program));
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Whether a 64-bit ELF program asks for a dynamic linker; nothing for other files.
fn interpreter(path: &Path) -> Option<bool> {
    const INTERPRETER: u32 = 3;
    let bytes = fs::read(path).ok()?;
    if !bytes.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let short = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let headers = u64::from_le_bytes(*bytes.get(32..)?.first_chunk()?) as usize;
    let (size, count) = (short(54)?, short(56)?);
    let kinds = (0..count).filter_map(|number| bytes.get(headers + number * size..)?.first_chunk().copied());
    Some(kinds.map(u32::from_le_bytes).any(|kind| kind == INTERPRETER))
}
