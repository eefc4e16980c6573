//! From a path to a trace, whatever lies there.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use heapsmith_trace::{Origin, Trace, TraceError};

use crate::error::LoadError;
use crate::input::Input;
use crate::settings::Settings;
use crate::workload::{find, fitting};

/// How a trace file begins.
const PARQUET_MAGIC: &[u8; 4] = b"PAR1";

/// Reads a trace file, or makes a trace of any other input through the workload `as_` with
/// the given parameters (`name`, `value`; the last of equal names counts).
///
/// # Errors
///
/// [`LoadError::kind`] tells wrong use, bad input and the environment apart. A capture or
/// log without `as_` gives an error that lists what it may be.
pub fn load(path: &Path, as_: Option<&str>, settings: &[(String, String)]) -> Result<Trace, LoadError> {
    // Wrong use is told before a file is touched, since reading may take long.
    let workload = as_.map(find).transpose()?;
    let mut settings = match workload {
        Some(workload) => Some(Settings::new(workload, settings)?),
        None => None,
    };
    if is_trace(path)? {
        return match workload {
            Some(_) => Err(LoadError::AlreadyTrace { path: path.to_owned() }),
            None => Ok(Trace::read(path)?),
        };
    }
    let input = Input::open(path)?;
    let (Some(workload), Some(settings)) = (workload, settings.as_mut()) else {
        return Err(LoadError::NoWorkload {
            path: path.to_owned(),
            what: input.format.about(),
            fits: fitting(input.format),
        });
    };
    if !workload.formats.contains(&input.format) {
        return Err(LoadError::WrongInput {
            path: path.to_owned(),
            what: input.format.about(),
            workload: workload.name,
            wants: workload.input,
            fits: fitting(input.format),
        });
    }
    let tape = (workload.run)(input, settings)?;
    let mut origin = Origin::new(workload.name, file_name(path));
    origin.settings = settings.used();
    Ok(tape.into_trace(origin))
}

/// Whether a file is a trace, or was meant to be one by its name.
fn is_trace(path: &Path) -> Result<bool, LoadError> {
    let open = |source| LoadError::Open { path: path.to_owned(), source };
    let file = File::open(path).map_err(open)?;
    let mut magic = Vec::new();
    file.take(PARQUET_MAGIC.len() as u64).read_to_end(&mut magic).map_err(open)?;
    if magic.is_empty() {
        return Err(TraceError::Empty { path: path.to_owned() }.into());
    }
    let named = path.extension().is_some_and(|end| end == "parquet");
    Ok(named || magic == PARQUET_MAGIC)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
