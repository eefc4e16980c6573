//! Real Java programs in the place of SPEC JVM98's, which are not public: fetched, recorded and cut by `samples/java/record`.

use std::path::Path;

use crate::run::{self, Outcome};
use crate::tools;

/// Records the programs whole into the folder, which is called `java`, and their slices into `samples/java`.
pub fn run(folder: &Path) -> Outcome {
    tools::install(&[tools::JAVA, tools::CURL, tools::UNZIP])?;
    let command = tools::command()?;
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or(format!("{}: not UTF-8", path.display()));
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    // The script makes the folder of this name itself.
    let originals = folder.parent().unwrap_or(&folder);
    run::run("samples/java/record", &[&text(originals)?, &text(&command)?])
}
