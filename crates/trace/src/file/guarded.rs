//! Calls of the Parquet reader, which gives errors for most damage and panics for some.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use parquet::errors::ParquetError;

thread_local! {
    /// Whether this thread is in a call whose panics are causes of errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The cause, whether the reader gives an error or panics.
pub(super) fn guarded<T>(job: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    let before = GUARDED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(job));
    GUARDED.set(before);
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("a page makes no sense".to_owned()),
    }
}

/// Prints no message for a panic that damage in a file causes and reading reports as an error: for programs, which own
/// the hook of panics. All other panics go to the hook that was set before.
pub fn silence_damaged_files() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                before(panic);
            }
        }));
    });
}
