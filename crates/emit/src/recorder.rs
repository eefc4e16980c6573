//! The recorder for boards: two files of C that firmware compiles in. Their heads say how; `trace/` has them.

use crate::File;

/// The files of the recorder.
pub fn files() -> Vec<File> {
    let files = [
        ("heapsmith_trace.h", include_str!("../../../trace/heapsmith_trace.h")),
        ("heapsmith_trace.c", include_str!("../../../trace/heapsmith_trace.c")),
    ];
    files.into_iter().map(|(name, text)| File::new(name.to_owned(), text.to_owned())).collect()
}
